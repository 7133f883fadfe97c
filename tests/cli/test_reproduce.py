"""`howsure reproduce`: the page, the figures, and what must be refused before the work."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from howsure.cli.reproduce_output import as_page, as_text
from howsure.reproductions.reproduction import Finding, Reproduction, ResultTable
from tests.cli.running import howsure, printed

MADE_UP = Reproduction(
    "made-up",
    "An experiment",
    (Finding("1", "a | b", "it is 0.3", None), Finding("2", "p", "q", False), Finding("3", "p", "q", True)),
    (ResultTable("Numbers", ("model", "error"), [["HMM", "0.1"], ["CRF", "12.0"]], ("model",)),),
    {"seed": 7},
    lambda: {"figure-1": Figure()},
    ("other data",),
    {"figure-1": "What it shows."},
)


@pytest.mark.parametrize("name", ["sentiment", "tweets", "boostsa"])
def test_help(name: str) -> None:
    text = printed("reproduce", name, "--help")
    assert "--page FILE.md" in text
    assert all(len(line) <= 110 for line in text.splitlines())


def test_the_command_of_a_page_says_what_was_asked(tmp_path: Path) -> None:
    (tmp_path / "sentiment140").mkdir()
    for seed, split in enumerate(("train", "dev", "test")):
        rng = np.random.default_rng(seed)
        tweets = [{"text": " ".join(rng.choice(list("abcdefgh"), 4)), "label": i % 2} for i in range(150)]
        lines = "\n".join(map(json.dumps, tweets)).encode()
        (tmp_path / "sentiment140" / f"{split}.jsonl.gz").write_bytes(gzip.compress(lines))
    options = ("--data", tmp_path, "--limit", 100, "--seed", 2, "--page", tmp_path / "page.md")
    printed("reproduce", "sentiment", *options)
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "by `howsure reproduce sentiment --limit 100 --seed 2 --page page.md`" in page
    assert "tweets are left out" in page


def test_the_text_says_everything() -> None:
    text = as_text(MADE_UP)
    assert "HMM      0.1\nCRF     12.0\n" in text
    assert "Figure 1: undecided\n  paper: a | b\n  ours:  it is 0.3\n" in text
    assert ["Figure 2: does NOT hold" in text, "Figure 3: holds" in text, "\nother data\n" in text] == [True] * 3


def test_the_page_says_everything() -> None:
    page = as_page(MADE_UP, "howsure reproduce made-up", {"figure-1": "made-up/figure-1.svg"})
    assert page.startswith("# An experiment\n\nThis page was made by `howsure reproduce made-up`.\n\n")
    assert "| 1 | a \\| b | it is 0.3 | **undecided** |" in page
    assert "![What it shows.](made-up/figure-1.svg)" in page
    assert "## Numbers\n\n| model | error |\n| ----- | -----: |\n| HMM | 0.1 |" in page
    assert page.endswith("- other data\n- Recipe: seed 7.\n")


def test_a_page_with_its_figures_is_written(tmp_path: Path) -> None:
    printed_text = printed("reproduce", "binning", "--seed", 3, "--page", tmp_path / "binning.md")
    assert printed_text == printed("reproduce", "binning", "--seed", 3)
    page = (tmp_path / "binning.md").read_text(encoding="utf-8")
    assert "`howsure reproduce binning --seed 3 --page binning.md`" in page
    assert sorted(path.name for path in (tmp_path / "binning").iterdir()) == ["figure-1-a.svg", "figure-1-bcd.svg"]
    assert all(f"(binning/{name}.svg)" in page for name in ("figure-1-a", "figure-1-bcd"))


def test_figures_and_json(tmp_path: Path) -> None:
    found = json.loads(printed("reproduce", "binning", "--format", "json", "--figures", tmp_path / "new"))
    assert [finding["holds"] for finding in found["findings"]] == [True] * 3
    assert len(list((tmp_path / "new").iterdir())) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--page", "page.html"), "--page must name a file that ends in .md; page.html does not."),
        (("--page", "nowhere/page.md"), "there is no folder nowhere"),
        (("--figures", "taken"), "--figures must name a folder; taken is a file."),
    ],
)
def test_what_cannot_be_written_is_refused(
    options: tuple[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("")
    done = howsure("reproduce", "synthetic", *options)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""
