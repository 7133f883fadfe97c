"""`howsure reproduce`: the page, the figures, and what must be refused before the work."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from howsure.cli.reproduce.page import as_page, as_text, summary
from howsure.reproductions.reproduction import Finding, Reproduction, ResultTable
from tests.cli.running import howsure, printed

MADE_UP = Reproduction(
    "made-up",
    "An experiment",
    (Finding("1", "a | b", "it is 0.3", None), Finding("2", "p", "q", False), Finding("section 3", "p", "q", True)),
    (ResultTable("Numbers", ("model", "error"), [["HMM", "0.1"], ["CRF", "12.0"]], ("model",)),),
    {"seed": 7},
    lambda: {"figure-1": Figure()},
    ("other data",),
    {"figure-1": "What it shows."},
)


def test_the_list_of_experiments_is_cut_nowhere() -> None:
    text = printed("reproduce", "--help")
    listed = text.partition("Commands:\n")[2].splitlines()
    assert len(listed) >= 10
    assert all(line.endswith(").") and line[2] != " " for line in listed)


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
    assert "Only the first 100 texts" in page


def test_the_text_says_everything() -> None:
    text = as_text(MADE_UP)
    assert "HMM      0.1\nCRF     12.0\n" in text
    assert "Figure 1: undecided\n  paper: a | b\n  ours:  it is 0.3\n" in text
    assert "1 does not, 1 is undecided at the 95 % level.\n\nFigure 1" in text
    assert ["Figure 2: does NOT hold" in text, "\nsection 3: holds" in text, "\nother data\n" in text] == [True] * 3


def test_the_page_says_everything() -> None:
    page = as_page(MADE_UP, "howsure reproduce made-up", {"figure-1": "made-up/figure-1.svg"})
    assert page.startswith(
        "# An experiment\n\nThis page was made by `howsure reproduce made-up`.\n\nOf 3 findings 1 holds, 1 "
    )
    assert "| Figure 1 | a \\| b | it is 0.3 | **undecided** |" in page
    assert "## Figures\n\n![figure 1](made-up/figure-1.svg)\n\n*What it shows.*\n" in page
    assert "## Numbers\n\n| model | error |\n| ----- | -----: |\n| HMM | 0.1 |" in page
    assert page.endswith("- other data\n- Recipe: seed 7.\n")


def test_what_is_asked_in_several_settings_gets_an_overview() -> None:
    found = (
        Finding("1", "p", "x", True, "news"), Finding("", "q", "y", None, "news"), Finding("1", "p", "z", False, "web"),
    )  # fmt: skip
    page = as_page(replace(MADE_UP, findings=found), "howsure", {})
    assert "| where | claim | news | web |\n" in page
    assert "| Figure 1 | p | holds | does NOT hold |\n\n## news\n" in page
    assert "| beyond the papers | q | y | **undecided** |\n\n## web\n" in page
    text = as_text(replace(MADE_UP, findings=found))
    assert "beyond the papers, news: undecided\n  asked: q\n" in text
    assert "Figure 1, web: does NOT hold\n  paper: p\n" in text


def test_a_limit_is_a_quick_look() -> None:
    warning = "Only the first 1,000 texts or sentences of each part were read (--limit): a quick look, not a result."
    for text in (as_text(MADE_UP, limit=1000), as_page(MADE_UP, "", {}, limit=1000), summary(MADE_UP, 1000)):
        assert text.count(warning) == 1
    assert "(--limit)" not in as_text(MADE_UP) + as_page(MADE_UP, "", {}) + summary(MADE_UP)


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
    assert found["summary"] == "Of 3 findings 3 hold, 0 do not."
    assert len(list((tmp_path / "new").iterdir())) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--page", "page.html"), "--page writes .md; name a file that ends in one of these, not page.html."),
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
