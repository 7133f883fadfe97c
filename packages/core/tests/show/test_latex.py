"""What LaTeX is given: everything escaped, a legend that explains arrows, bold cells and stars."""

from __future__ import annotations

import pytest

from howsure.result import chosen_columns
from howsure.show.latex import latex_escaped, latex_number
from howsure.show.table import HIGHER, LOWER, Table

MODELS = Table(
    ("model", "accuracy", "error", "p"),
    [["a_b", "0.9", "0.0500 [0.04, 0.06]", "< 0.0001**"], ["[c]", "0.8", "0.0100", "0.04*"], ["d", "–", "0.0100", "1"]],
    words=("model",),
    caption="recipe\nnext line",
    title="Models & more",
    better={"accuracy": HIGHER, "error": LOWER},
    legend={"error": "the mean gap", "p": "** up to .01, * up to .05", "absent": "not told", "": "All of 3 seeds."},
)


def test_the_legend_explains_what_is_shown() -> None:
    latex = MODELS.latex(label="tab:models")
    assert latex.splitlines()[:6] == [
        "% recipe",
        "% next line",
        r"% preamble: \usepackage{booktabs}",
        r"\begin{table*}",
        r"\centering",
        r"\begin{tabular}{lrrr}",
    ]
    assert latex.splitlines()[-3:] == [
        r"\caption{Models \& more. $\downarrow$ lower is better; $\uparrow$ higher is better. The best of a column is "
        r"bold. error: the mean gap. p: ** up to .01, * up to .05. All of 3 seeds.}",
        r"\label{tab:models}",
        r"\end{table*}",
    ]
    assert r"model & accuracy $\uparrow$ & error $\downarrow$ & p \\" in latex
    assert r"a\_b & \textbf{0.9} & 0.0500 [0.04, 0.06] & $<$ 0.0001$^{**}$ \\" in latex
    assert r"{}[c] & 0.8 & \textbf{0.0100} & 0.04$^{*}$ \\" in latex
    assert r"d & -- & \textbf{0.0100} & 1 \\" in latex
    assert "not told" not in latex


def test_markdown_has_the_same_marks() -> None:
    lines = MODELS.markdown().splitlines()
    assert "| model | accuracy ↑ | error ↓ | p |" in lines
    assert r"| a_b | **0.9** | 0.0500 [0.04, 0.06] | < 0.0001\*\* |" in lines
    assert lines[-1].startswith("↓ lower is better; ↑ higher is better. The best of a column is bold.")


def test_rows_of_different_metrics_have_an_arrow_each() -> None:
    table = Table(
        ("metric", "n"), [["log_loss", "1"], ["f1", "2"]], words=("metric",), ways={"metric": [LOWER, HIGHER]}
    )
    assert r"log\_loss $\downarrow$ & 1 \\" in table.latex()
    assert "| f1 ↑ | 2 |" in table.markdown()
    assert "log_loss  1" in table.text()
    assert "↓ lower is better; ↑ higher is better." in table.markdown()


def test_a_text_and_a_spreadsheet_have_none() -> None:
    assert "↑" not in MODELS.text() + MODELS.csv() + MODELS.html()
    assert "**" not in MODELS.text().replace("0.0001**", "")


def test_of_equal_rows_or_a_single_one_none_is_best() -> None:
    for rows in ([["a", "1"]], [["a", "1"], ["b", "1"]]):
        latex = Table(("m", "e"), rows, words=("m",), better={"e": LOWER}, title="t").latex()
        assert "textbf" not in latex
        assert "bold" not in latex
    unbold = Table(("m", "e"), [["a", "1"], ["b", "2"]], words=("m",), better={"e": LOWER}, bold=False, title="t")
    assert "textbf" not in unbold.latex()
    assert r"e $\downarrow$" in unbold.latex()


def test_a_wide_table_takes_both_columns_of_a_page() -> None:
    wide = Table([f"heading {i}" for i in range(9)], [["0.1234"] * 9], title="t")
    assert r"\begin{table*}" in wide.latex()
    assert r"\begin{table}" in chosen_columns(wide, ["heading 3", "heading 1"]).latex()


def test_columns_are_chosen_in_their_order() -> None:
    table = chosen_columns(MODELS, ["P", "model"])
    assert list(table.headings) == ["p", "model"]
    assert table.rows[1] == ["0.04*", "[c]"]


def test_another_engine_is_named_where_pdflatex_would_fail() -> None:
    assert "% LuaLaTeX or XeLaTeX and a font that has 名 日 本\n" in Table(("名",), [["日本"]], title="t").latex()
    assert "LuaLaTeX" not in Table(("é",), [["Ünï – 2 ≤ 3"]], title="t").latex()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ('"x" | y', "''x'' \\textbar{} y"),
        ("{~^\\}", r"\{\textasciitilde{}\textasciicircum{}\textbackslash{}\}"),
        ("100 % – …", r"100 \% -- \dots{}"),
    ],
)
def test_what_latex_would_take_for_a_command_is_escaped(text: str, shown: str) -> None:
    assert latex_escaped(text) == shown


def test_numbers_have_signs_of_formulas() -> None:
    assert latex_number("-0.5") == "$-$0.5"
    assert latex_number("a-b") == "a-b"
    assert latex_number("***") == "$^{***}$"
