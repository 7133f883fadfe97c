"""A page of two columns with tables and figures of howsure, set by pdfLaTeX: it compiles, and shows what it should."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests.show.test_table import NAMES

import howsure
from howsure.figures.calibration import comparison_figure, curve_figure
from howsure.figures.files import save_figure
from howsure.figures.width import figure_width
from howsure.show.table import LOWER, Table
from tests.lacking import require
from tests.test_results import CALLS, result_of

pytestmark = pytest.mark.slow

PREAMBLE = r"""\documentclass[twocolumn,10pt]{article}
\usepackage[T1]{fontenc}
\usepackage{lmodern}
\usepackage[margin=0.85in,columnsep=0.2in]{geometry}
\usepackage{booktabs}
\usepackage{graphicx}
\begin{document}
"""
WORDS = "When three models say 0.9, how often are they right? Table~\\ref{tab:models} and the figures answer. " * 12


def typeset(body: str, folder: Path) -> tuple[str, str]:
    """The text of the pages, and what LaTeX says of them; a mistake in them is an error."""
    require("latex")
    (folder / "page.tex").write_text(f"{PREAMBLE}{body}\n\\end{{document}}\n", encoding="utf-8")
    for _ in range(2):  # the second time, references are known
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:]
    text = subprocess.run(["pdftotext", "-layout", "page.pdf", "-"], cwd=folder, capture_output=True, check=True)
    return text.stdout.decode(), (folder / "page.log").read_text(errors="replace")


def test_a_page_with_a_table_and_figures_of_one_column(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    probs = rng.dirichlet([0.6, 0.5, 0.4], 1500)
    gold = np.array([rng.choice(3, p=0.7 * row + 0.1) for row in probs])
    a, b = (howsure.pairs_from_classes(gold, probabilities) for probabilities in (probs, 0.7 * probs + 0.1))
    compared = howsure.compare_calibration(a, against=b, names=("large_1", "50 % & less"))
    with figure_width(3.3):
        save_figure(curve_figure([compared.curves[0]]), tmp_path / "curve.pdf")
        save_figure(comparison_figure(compared), tmp_path / "both.pdf")
    table = compared.to_latex(label="tab:models")
    figures = "".join(
        rf"\begin{{figure}}\centering\includegraphics{{{name}}}\caption{{{caption}}}\end{{figure}}"
        for name, caption in (("curve", "One model."), ("both", "Both models."))
    )
    text, log = typeset(f"{WORDS}\n\n{table}\n{figures}\n{WORDS}", tmp_path)
    assert "Overfull" not in log
    assert "undefined" not in log
    flat = " ".join(text.split())
    assert "error of large_1" in flat
    assert "50 % & less" in flat
    assert "Table 1 and the figures answer" in flat
    assert "predicted probability of the first choice" in flat  # text in a figure is text
    assert "which is better?" in flat


def test_every_result_is_set(tmp_path: Path) -> None:
    tables = [result_of(name).to_latex(label=f"tab:{place}") for place, name in enumerate(CALLS)]
    text, _ = typeset("\n\\clearpage\n".join(tables), tmp_path)
    assert f"Table {len(CALLS)}" in text
    assert "<b>NN &" in text


def test_names_that_others_chose_are_set_as_they_are(tmp_path: Path) -> None:
    names = [name for name in NAMES.values() if name and name.isascii()] + ["[0]", "*", "a--b", '"q"', "–…", "{}\\"]
    rows = [[name, f"{place / 100:.2f}"] for place, name in enumerate(names)]
    table = Table(("name <&>", "n_1"), rows, words=("name <&>",), title="What is $this$?", better={"n_1": LOWER})
    text, _ = typeset(table.latex(), tmp_path)
    for shown in (r"\input{x} 50 % & $1_2^3 ~ #", "<script>alert('&')</script>", "a|b", "[0]", "a--b", "{}\\"):
        assert shown in re.sub(r"[’‘]", "'", text), shown
