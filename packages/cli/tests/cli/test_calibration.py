"""`howsure calibration`: the numbers of the library, to the last digit, in every format."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.data.files import write

import howsure
from howsure.calibration.curve import binned_curve
from howsure.calibration.curves import curves_by_group
from howsure.calibration.slots import EXACT_UP_TO
from howsure.data.predictions.predictions import open_predictions


@pytest.fixture(scope="module")
def predictions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """3,000 made-up predictions with ties, three groups, documents and weights."""
    rng = np.random.default_rng(7)
    n = 3000
    q = np.where(rng.random(n) < 0.2, 1.0, rng.beta(0.4, 0.6, n)).round(3)
    columns = {
        "gold": (rng.random(n) < 0.1 + 0.8 * q).astype(int),
        "prob": q,
        "other": (q * 0.7 + 0.1).round(4),
        "tag": np.array(["NN", "VB", "Ünï & <b>_%"])[rng.integers(3, size=n)],
        "doc": np.arange(n) // 10,
        "w": rng.integers(1, 5, n),
    }
    path = tmp_path_factory.mktemp("calibration") / "dev.csv"
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows), ""]), encoding="utf-8")
    return path


@cache
def columns_of(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = {name: np.array([float(row[name]) for row in rows]) for name in ("gold", "prob", "other", "w")}
    return numbers | {name: [row[name] for row in rows] for name in ("tag", "doc")}


def judged(path: Any, *options: Any) -> dict[str, Any]:
    content = json.loads(
        printed("calibration", path, "--target", "gold", "--prob", "prob", "--format", "json", *options)
    )
    assert isinstance(content, dict)
    return content


BINS = [{}, {"bin_size": 3700}, {"binning": "uniform", "n_bins": 9}]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """More pairs than are sorted: a file, and the arrays in it; masses at 1, rounded predictions."""
    random, n = np.random.default_rng(4), EXACT_UP_TO + 1000
    q = random.beta(0.3, 0.7, n)
    q[::3], q[1::5] = 1.0, q[1::5].round(3)
    columns = {"gold": random.random(n) < q, "prob": q, "w": random.random(n), "tag": random.integers(0, 3, n)}
    path = tmp_path_factory.mktemp("many") / "many.npz"
    np.savez(path, **columns)
    return path, columns


@pytest.mark.parametrize("bins", BINS)
def test_a_file_of_many_pairs_is_judged_as_arrays_are_to_the_last_bit(
    many: tuple[Path, dict[str, Any]], bins: dict[str, Any]
) -> None:
    path, columns = many
    curve = howsure.calibration_curve(columns["gold"], columns["prob"], **bins)
    assert judged_by_rows([path], EXACT_UP_TO, **bins) == [curve.to_dict()]


def test_of_many_pairs_with_groups_each_group_has_cells_too(many: tuple[Path, dict[str, Any]]) -> None:
    path, columns = many
    for curve, tag in zip(judged_by_rows([path], EXACT_UP_TO, group="tag"), range(3), strict=True):
        summary, rows = howsure.CalibrationSummary(), columns["tag"] == tag
        summary.add(columns["gold"][rows], columns["prob"][rows])
        assert curve == summary.curve().to_dict()


def test_weights_of_many_pairs(many: tuple[Path, dict[str, Any]]) -> None:
    path, columns = many
    (curve,) = judged(path, "--weight", "w")["curves"]
    fields = howsure.calibration_curve(columns["gold"], columns["prob"], sample_weight=columns["w"]).to_dict()
    assert list(flat(curve["bins"])) == pytest.approx(list(flat(fields["bins"])), rel=1e-12)
    assert list(flat(curve["error"])) == pytest.approx(list(flat(fields["error"])), rel=1e-9)


@pytest.mark.long
def test_curves_without_bins_of_many_pairs(many: tuple[Path, dict[str, Any]]) -> None:
    path, columns = many
    (curve,) = judged(path, "--method", "corp")["curves"]
    assert curve == howsure.calibration_curve(columns["gold"], columns["prob"], method="corp", rng=0).to_dict()
    (weighted,) = judged(path, "--method", "corp", "--weight", "w")["curves"]
    assert weighted["n"] == len(columns["gold"])


@pytest.mark.long
def test_the_bootstrap_and_other_tests_take_the_pairs_themselves(
    predictions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(open_predictions.__kwdefaults__, "exact_up_to", 0)
    columns = columns_of(predictions)
    options: dict[str, Any] = {"data": howsure.read(predictions), "rng": 1}
    (from_columns,) = howsure.calibration_curves("gold", "prob", interval="bootstrap", **options)
    (tested,) = curves_by_group("gold", "prob", test="spiegelhalter", **options)
    curve = howsure.calibration_curve(columns["gold"], columns["prob"], interval="bootstrap", rng=1)
    assert from_columns.algorithm1_error == curve.algorithm1_error
    assert tested.p_value == howsure.calibration_test(columns["gold"], columns["prob"], method="spiegelhalter").p_value


def test_a_check_of_many_pairs_is_that_of_arrays(many: tuple[Path, dict[str, Any]]) -> None:
    path, columns = many
    outcome = run(
        "check", "calibration", path, "--target", "gold", "--prob", "prob", "--max-error", "0.05", "--format", "json"
    )
    check = howsure.check_calibration(columns["gold"], columns["prob"], max_error=0.05)
    assert list(flat(json.loads(outcome.out)["verdicts"])) == list(flat(check.to_dict()["verdicts"])) != []


@pytest.mark.parametrize("group", [pytest.param(None, marks=pytest.mark.long), "tag"])
@pytest.mark.parametrize("bins", [BINS[0], pytest.param(BINS[1], marks=pytest.mark.long), BINS[2]])
def test_streamed_few_equal_sorted_ones(predictions: Path, group: str | None, bins: dict[str, Any]) -> None:
    streamed, in_memory = (judged_by_rows([predictions], rows, group=group, **bins) for rows in (10, 10_000))
    for some, others in zip(streamed, in_memory, strict=True):
        assert some["notes"] == others["notes"]
        assert list(flat(some)) == pytest.approx(list(flat(others)), rel=1e-9, abs=1e-12)


def judged_by_rows(paths: list[Path], rows: int, *, group: str | None = None, **bins: Any) -> list[dict[str, Any]]:
    """The curves of files whose pairs are streamed if there are more of them than `rows`."""
    with howsure.read(paths).predictions("gold", "prob", groups=group, exact_up_to=rows) as opened:
        assert (opened.stream is None) == (opened.n <= rows)
        return [binned_curve(opened.source(name), **bins).to_dict() for name in opened.group_names or (None,)]


def flat(node: Any) -> Iterator[float]:
    """The numbers in nested dicts and lists."""
    for value in node.values() if isinstance(node, dict) else node:
        if isinstance(value, dict | list):
            yield from flat(value)
        elif isinstance(value, int | float):
            yield value


JUDGE = ("--target", "gold", "--prob", "prob")


@pytest.fixture
def uneven(tmp_path: Path) -> Path:
    """Two groups of 30 and 600 predictions; all labels of the small one are 1, and one was called impossible."""
    path = tmp_path / "uneven.csv"
    small = [(1, round(0.01 + i / 40, 3) if i else 0.0, "few") for i in range(30)]
    large = [(i % 2, round(0.2 + i / 1000, 3), "many") for i in range(600)]
    path.write_text("gold,prob,tag\n" + "".join(f"{gold},{prob},{tag}\n" for gold, prob, tag in small + large))
    return path


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_recipe_has_every_group_and_its_notes(uneven: Path, form: str) -> None:
    shown = {
        name: printed("calibration", uneven, *JUDGE, "--group", "tag", "--format", name, "--verbose")
        for name in ("json", form)
    }
    curves = json.loads(shown["json"])["curves"]
    lines = [line.removeprefix("% ").removesuffix(" -->") for line in shown[form].splitlines()]
    notes = [f"{curve['group']}: {note}" for curve in curves for note in curve["notes"]]
    assert len(notes) >= 2
    assert [line for line in lines if line in notes] == notes
    if form != "table":
        sizes = [curve["recipe"]["bin_size"] for curve in curves]
        assert any(f"bin_size {min(sizes)} to {max(sizes)}, " in line for line in lines)
        assert lines[2] == "Verdicts and p are adjusted for 2 groups (Holm); intervals are not adjusted."


def test_note_about_many_groups_is_printed_once(tmp_path: Path) -> None:
    path = tmp_path / "ones.csv"
    path.write_text("gold,prob,tag\n" + "".join(f"1,0.5,t{tag}\n1,0.7,t{tag}\n" * 20 for tag in range(15)))
    (note,) = re.findall(".*: every label is 1.*", printed("calibration", path, *JUDGE, "--group", "tag", "--verbose"))
    assert note.startswith("t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11 and 3 more: every label is 1")


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_notes_of_all_pairs_are_comments(tmp_path: Path, form: str) -> None:
    path = tmp_path / "ones.csv"
    path.write_text("gold,prob\n" + "1,0.5\n1,0.7\n" * 20)
    shown = printed("calibration", path, *JUDGE, "--format", form)
    assert "note: every label is 1" in shown
    assert "Verdicts" not in shown


@pytest.mark.parametrize(
    ("adjust", "note"),
    [
        ("holm", "Verdicts and p are adjusted for 2 groups (Holm); intervals are not adjusted."),
        ("bh", "Verdicts and p are adjusted for 2 groups (Benjamini–Hochberg); intervals are not adjusted."),
        ("none", "Neither verdicts nor p are adjusted for the number of groups, 2."),
    ],
)
def test_adjustment_is_noted_below_the_table(uneven: Path, adjust: str, note: str) -> None:
    assert (
        note in printed("calibration", uneven, *JUDGE, "--group", "tag", "--adjust", adjust, "--verbose").splitlines()
    )


@pytest.mark.long
def test_a_figure_of_too_many_groups_shows_those_with_most_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("howsure.figures.calibration.MAX_ERRORS", 20)
    path, figure = tmp_path / "tags.csv", tmp_path / "tags.svg"
    rows = [f"{i % 2},0.{1 + i % 8},t{tag}\n" for tag in range(70) for i in range(6 if tag >= 50 else 4)]
    path.write_text("gold,prob,tag\n" + "".join(rows))
    printed("calibration", path, *JUDGE, "--group", "tag", "--figure", figure)
    drawn = figure.read_text(encoding="utf-8")
    assert "20 of 70 groups, those with most pairs" in drawn
    named = [int(tag) for tag in re.findall(r">t([0-9]+)</text>", drawn)]
    assert sorted(named) == list(range(50, 70))


COLUMNS = ("--target", "gold", "--prob", "prob")


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder with rows in two files, and all of them."""
    folder, random = tmp_path_factory.mktemp("halves"), np.random.default_rng(2)
    prob = random.random(3000).round(4)
    columns = {
        "gold": random.random(3000) < prob**1.3,
        "prob": prob,
        "tag": random.choice(["m2", "m10"], 3000),
        "w": random.random(3000),
    }
    for name, rows in (("a", slice(0, 1200)), ("b", slice(1200, None)), ("all", slice(None))):
        part = {key: column[rows].tolist() for key, column in columns.items()}
        write(folder / f"{name}.parquet", part | {"gold": [int(label) for label in part["gold"]]})
    return folder, columns


def summarised(folder: Path, name: str, *options: str, out: str | None = None) -> Path:
    path = folder / (out or f"{name}.summary")
    printed("calibration", "summary", folder / f"{name}.parquet", *COLUMNS, *options, "--output", path)
    return path


def judged_summaries(*arguments: Any) -> list[dict[str, Any]]:
    curves = json.loads(printed("calibration", *arguments, "--format", "json"))["curves"]
    return [{key: value for key, value in curve.items() if key != "p_adjusted"} for curve in curves]


def test_two_halves_are_judged_as_the_whole(halves: tuple[Path, dict[str, Any]]) -> None:
    folder, columns = halves
    a, b, whole = (summarised(folder, name) for name in ("a", "b", "all"))
    summary = howsure.CalibrationSummary()
    summary.add(columns["gold"], columns["prob"])
    assert howsure.CalibrationSummary.load(whole) == summary
    fields = summary.curve().to_dict()
    assert judged_summaries(a, b) == judged_summaries(whole) == [fields]
    output = printed("calibration", "summary", a, b, "--output", folder / "both.summary")
    assert output.endswith(f"both.summary: the sums of 3,000 pairs\nNext: howsure calibration {folder}/both.summary\n")
    assert (folder / "both.summary").read_bytes() == whole.read_bytes()
    assert "2 files, " in printed("calibration", a, b)
    assert judged_summaries(folder / "[ab].summary") == [fields]
    assert "rows of all files count as independent\n" in printed("calibration", a, b)


@pytest.mark.long
def test_a_report_of_many_files_has_a_short_title(halves: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    saved = summarised(halves[0], "a").read_bytes()
    for number in range(4):
        (tmp_path / f"{number}.summary").write_bytes(saved)
    printed("calibration", tmp_path / "?.summary", "--report", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<h1>How far can these predictions be trusted? 4 files</h1>" in page
    assert "4 files pooled (" in page


def test_groups_are_added_up_by_name(halves: tuple[Path, dict[str, Any]]) -> None:
    folder, columns = halves
    a, b = (summarised(folder, name, "--group", "tag", out=f"{name}-tags.summary") for name in ("a", "b"))
    for curve, name in zip(judged_summaries(a, b), ("m2", "m10"), strict=True):
        rows, summary = columns["tag"] == name, howsure.CalibrationSummary()
        summary.add(columns["gold"][rows], columns["prob"][rows])
        assert curve == summary.curve().to_dict() | {"group": name}
    assert howsure.CalibrationSummaries.load(a).keys() == {"m2", "m10"}


def test_weights_classes_and_the_positive_label(halves: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    folder, columns = halves
    weighted = howsure.CalibrationSummary.load(summarised(folder, "all", "--weight", "w", out="weighted.summary"))
    summary = howsure.CalibrationSummary()
    summary.add(columns["gold"], columns["prob"], sample_weight=columns["w"])
    assert weighted.error().value == pytest.approx(summary.error().value, rel=1e-9)
    write(tmp_path / "x.csv", {"gold": ["yes", "no"] * 20, "probs": ["[0.2, 0.8]", "[0.7, 0.3]"] * 20})
    options = ("--target", "gold", "--probs-column", "probs", "--classes", "no,yes", "--reduce", "class-wise")
    printed("calibration", "summary", tmp_path / "x.csv", *options, "--output", tmp_path / "x.summary")
    assert list(howsure.CalibrationSummaries.load(tmp_path / "x.summary")) == ["no", "yes"]
    write(tmp_path / "y.csv", {"gold": ["yes", "no"] * 20, "prob": [0.8, 0.3] * 20})
    printed(
        "calibration", "summary", tmp_path / "y.csv", *COLUMNS, "--positive", "yes", "--output", tmp_path / "y.summary"
    )
    assert howsure.CalibrationSummary.load(tmp_path / "y.summary").slots.positive == "yes"


@pytest.mark.long
def test_a_check_of_summaries_is_that_of_their_rows(halves: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    folder, _ = halves
    for name in ("a", "b"):
        summarised(folder, name, "--group", "tag", out=f"{name}-check.summary")
    options = ("--max-error", "0.05", "--format", "json")
    whole = run("check", "calibration", folder / "all.parquet", *COLUMNS, "--group", "tag", *options)
    added = run("check", "calibration", folder / "?-check.summary", *options, "--write-baseline", tmp_path / "b.json")
    assert added.code == whole.code
    kept, expected = (json.loads(done.out)["verdicts"] for done in (added, whole))
    assert [from_summaries["group"] for from_summaries in kept] == ["m2", "m10"]
    for from_summaries, other in zip(kept, expected, strict=True):
        assert from_summaries["outcome"] == other["outcome"]
        assert from_summaries["estimate"]["value"] == pytest.approx(other["estimate"]["value"], rel=1e-3)
        assert from_summaries["estimate"]["high"] == pytest.approx(other["estimate"]["high"], rel=1e-3)
    again = ("--not-worse-than", "0.05", "--baseline", tmp_path / "b.json", "--format", "json")
    (tmp_path / "howsure.toml").write_text(
        f'[check.calibration]\nfiles = "{folder}/?-check.summary"\nmax-error = 0.2\n'
    )
    assert "pass" in printed("check", "--config", tmp_path / "howsure.toml")
    assert run("check", "calibration", folder / "?-check.summary", *again).code == 0
