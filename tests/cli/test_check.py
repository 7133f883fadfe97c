"""`howsure check`: exit codes, formats, files; the numbers of the library."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import howsure
from tests.cli.running import howsure as run
from tests.data.logs.writers import inspect_header, inspect_sample, lm_eval_text, write_lm_eval

HOSTILE = '<b>"fr"&'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of predictions: dev.csv with the columns new, old and lang; old.csv with the other model's."""
    rng = np.random.default_rng(1)
    q = rng.uniform(0.05, 0.95, 3000).round(4)
    gold = (rng.random(3000) < q).astype(int)
    old = np.clip(q + 0.15 * np.sin(2 * np.pi * q), 0, 1).round(4)
    names = np.array(["de", "en", HOSTILE])[np.arange(3000) % 3]
    place = tmp_path_factory.mktemp("check")
    rows = [
        f'{i},{g},{a},{b},"{c.replace(chr(34), chr(34) * 2)}"'
        for i, (g, a, b, c) in enumerate(zip(gold, q, old, names, strict=True))
    ]
    (place / "dev.csv").write_text("\n".join(["uid,gold,new,old,lang", *rows, ""]))
    turned = np.random.default_rng(2).permutation(3000)
    (place / "old.csv").write_text("\n".join(["uid,gold,new", *(f"{i},{gold[i]},{old[i]}" for i in turned), ""]))
    return place


@pytest.fixture(autouse=True)
def _there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


NEW = ("check", "calibration", "dev.csv", "--target", "gold", "--prob", "new")
OLD = ("check", "calibration", "dev.csv", "--target", "gold", "--prob", "old")


@pytest.mark.parametrize(
    ("typed", "code", "outcome"),
    [
        ((*NEW, "--max-error", "0.05"), 0, "pass"),
        ((*OLD, "--max-error", "0.05"), 1, "fail"),
        ((*NEW, "--max-error", "0.01"), 3, "cannot tell"),
        pytest.param((*NEW, "--better-than", "old"), 0, "pass", marks=pytest.mark.long),
        ((*OLD, "--better-than", "new"), 1, "fail"),
        ((*NEW, "--better-than", "old.csv", "--id", "uid"), 0, "pass"),
        pytest.param(
            (*NEW, "--not-worse-than", "0.02", "--against", "old.csv", "--id", "uid"), 0, "pass", marks=pytest.mark.long
        ),
        ((*OLD, "--not-worse-than", "0.02", "--against", "new"), 1, "fail"),
    ],
)
def test_verdicts_and_exit_codes(typed: tuple[str, ...], code: int, outcome: str) -> None:
    done = run(*typed)
    assert (done.code, done.err) == (code, "")
    assert done.out.endswith(f"\ncheck: {outcome}\n")


def test_json_equals_the_library() -> None:
    found = json.loads(
        run(*NEW, "--group", "lang", "--max-error", "0.1", "--better-than", "old", "--format", "json").out
    )
    columns = np.genfromtxt("dev.csv", delimiter=",", names=True, usecols=(1, 2, 3))
    names = np.array(["de", "en", HOSTILE])[np.arange(3000) % 3]
    wanted = howsure.check_calibration(
        columns["gold"], columns["new"], better_than=columns["old"], groups=names, max_error=0.1
    )
    assert [one["group"] for one in found["verdicts"]] == [one.group for one in wanted]
    for one, other in zip(found["verdicts"], wanted, strict=True):
        assert one["estimate"] == other.estimate.to_dict()
        assert (one["p_pass"], one["p_pass_adjusted"], one["outcome"]) == (
            other.p_pass,
            other.p_pass_adjusted,
            other.outcome,
        )
    assert found["exit_code"] == wanted.exit_code


@pytest.mark.long
def test_a_file_and_a_column_are_the_same_model() -> None:
    column = json.loads(run(*NEW, "--better-than", "old", "--format", "json").out)
    file = json.loads(run(*NEW, "--better-than", "old.csv", "--id", "uid", "--format", "json").out)
    one, other = (held["verdicts"][0] for held in (column, file))
    assert one["p_pass"] == pytest.approx(other["p_pass"], rel=1e-9)
    assert one["estimate"]["value"] == pytest.approx(other["estimate"]["value"], rel=1e-9)


def test_class_wise_each_class_keeps_the_rule(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    matrix = rng.dirichlet([1, 1, 1], 900)
    gold = [int(rng.choice(3, p=row)) for row in matrix]
    path = tmp_path / "dev.jsonl"
    path.write_text(
        "".join(json.dumps({"gold": g, "probs": list(row)}) + "\n" for g, row in zip(gold, matrix, strict=True))
    )
    typed = ("check", "calibration", path, "--target", "gold", "--probs-column", "probs", "--max-error", "0.1")
    wise = json.loads(run(*typed, "--reduce", "class-wise", "--format", "json").out)
    assert [one["group"] for one in wise["verdicts"]] == ["0", "1", "2"]
    top = json.loads(run(*typed, "--format", "json").out)
    assert len(top["verdicts"]) == 1


def test_files_are_written_and_escaped(tmp_path: Path) -> None:
    xml, page = tmp_path / "check.xml", tmp_path / "summary.md"
    page.write_text("before\n")
    typed = (*OLD, "--group", "lang", "--max-error", "0.05", "--junit", xml, "--summary", page)
    done = run(*typed)
    assert done.code == 1
    suites = ElementTree.fromstring(xml.read_text())
    cases = list(suites.iter("testcase"))
    assert [case.get("name") for case in cases] == [
        f"calibration error < 0.05 [{one}]" for one in (HOSTILE, "de", "en")
    ]
    assert suites.get("failures") == str(sum(case.find("failure") is not None for case in cases)) == "3"
    assert cases[0].find("failure").get("message").startswith("calibration error 0.")  # type: ignore[union-attr]
    said = page.read_text()
    assert said.startswith("before\n### howsure check: fail\n\n| rule |")
    assert "<b>" not in said.replace("\\<b>", "")
    run(*typed)
    assert page.read_text().count("### howsure check") == 2


def test_what_cannot_be_told_is_a_skipped_test(tmp_path: Path) -> None:
    run(*NEW, "--max-error", "0.01", "--junit", tmp_path / "check.xml")
    suites = ElementTree.fromstring((tmp_path / "check.xml").read_text())
    assert (suites.get("skipped"), suites.get("failures")) == ("1", "0")
    assert "more rows would tell" in str(next(suites.iter("skipped")).get("message"))


@pytest.mark.parametrize("form", ["csv", pytest.param("markdown", marks=pytest.mark.long)])
def test_other_formats_hold_the_verdict(form: str) -> None:
    said = run(*NEW, "--max-error", "0.05", "--format", form).out
    assert "pass" in said
    assert "calibration error < 0.05" in said


def test_missing_rows_of_the_other_are_left_out_only_if_asked(tmp_path: Path) -> None:
    lines = Path("old.csv").read_text().splitlines()
    part = tmp_path / "part.csv"
    part.write_text("\n".join([*lines[:2501], ""]))
    typed = (*NEW, "--better-than", part, "--id", "uid")
    done = run(*typed)
    assert done.code == 2
    assert "500 rows only of dev.csv, 0 only of" in done.err
    assert "left out because one model has none: 500 rows of dev.csv" in run(*typed, "--skip-missing").out


@pytest.mark.long
def test_rows_that_were_left_out_are_counted(tmp_path: Path) -> None:
    (tmp_path / "part.csv").write_text("\n".join([*Path("old.csv").read_text().splitlines()[:2501], ""]))
    typed = (*NEW, "--better-than", tmp_path / "part.csv", "--id", "uid", "--skip-missing", "--format", "json")
    found = json.loads(run(*typed).out)
    assert found["verdicts"][0]["n"] == 2500
    assert found["recipe"]["checks"][0]["without_the_other"] == 500


SCORES = ("check", "score", "dev.csv", "--score")


def test_scores_equal_the_library() -> None:
    found = json.loads(run(*SCORES, "new", "--min-score", "0.4", "--better-than", "old", "--format", "json").out)
    columns = np.genfromtxt("dev.csv", delimiter=",", names=True, usecols=(2, 3))
    wanted = howsure.check_score(columns["new"], min_score=0.4, better_than=columns["old"])
    for one, other in zip(found["verdicts"], wanted, strict=True):
        assert one["estimate"] == other.estimate.to_dict()
        assert (one["p_pass"], one["outcome"]) == (other.p_pass, other.outcome)
    file = json.loads(run(*SCORES, "new", "--better-than", "old.csv", "--id", "uid", "--format", "json").out)
    assert file["verdicts"][0]["p_pass"] == pytest.approx(wanted[1].p_pass)


def test_the_most_confident_answers() -> None:
    typed = ("check", "selective", "dev.csv", "--target", "gold", "--prob", "new", "--min-coverage", "0.2")
    done = run(*typed, "--max-risk", "0.3")
    assert done.code == 0
    assert "risk of the most confident 20 % < 0.3" in done.out
    assert "600 of 3,000 answers are kept" in done.out
    assert run(*typed, "--max-risk", "0.01").code == 1


def test_last_night(tmp_path: Path) -> None:
    night = tmp_path / "night.json"
    assert run(*NEW, "--group", "lang", "--max-error", "0.1", "--write-baseline", night).code == 0
    same = run(*NEW, "--group", "lang", "--baseline", night, "--not-worse-than", "0.1")
    assert (same.code, same.out.count("\npass:")) == (0, 3)
    worse = run(
        *OLD,
        "--group",
        "lang",
        "--baseline",
        night,
        "--not-worse-than",
        "0.01",
        "--write-baseline",
        tmp_path / "b.json",
    )
    assert worse.code == 1
    assert json.loads((tmp_path / "b.json").read_text())["entries"][0]["n"] == 1000
    scores = tmp_path / "scores.json"
    assert run(*SCORES, "new", "--min-score", "0.1", "--write-baseline", scores).code == 0
    assert run(*SCORES, "new", "--baseline", scores, "--not-worse-than", "0.1").code == 0


CHECKS = """
[{table}]
alarms-over = 30
junit = "{folder}/check.xml"

[{table}.calibration]
files = ["dev.csv"]
target = "gold"
prob = "new"
max-error = 0.05
skip-missing = true

[[{table}.score]]
name = "first"
files = "dev.csv"
score = "gold"
min-score = 0.3

[[{table}.score]]
name = "second"
files = ["dev.csv"]
score = "gold"
group = "lang"
min-score = 0.2
"""


def test_checks_in_a_file(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for data in ("dev.csv", "old.csv"):
        (tmp_path / data).write_bytes((folder / data).read_bytes())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "howsure.toml").write_text(CHECKS.format(table="check", folder=tmp_path))
    found = json.loads(run("check", "--format", "json").out)
    assert [(one["check"], one["outcome"]) for one in found["verdicts"]] == [
        ("calibration", "pass"), ("first", "pass"), *[("second", "pass")] * 3,
    ]  # fmt: skip
    assert (found["recipe"]["alarms_over"], found["level"]) == (30, 0.95)
    assert len(list(ElementTree.fromstring((tmp_path / "check.xml").read_text()).iter("testcase"))) == 5
    typed = json.loads(run("check", "all", "--config", "howsure.toml", "--alarms-over", "2", "--format", "json").out)
    assert typed["recipe"]["alarms_over"] == 2
    alone = json.loads(run(*NEW, "--max-error", "0.05", "--format", "json").out)["verdicts"][0]
    assert found["verdicts"][0]["p_pass"] == alone["p_pass"]
    assert found["verdicts"][0]["p_pass_adjusted"] >= alone["p_pass_adjusted"]  # five verdicts share the level
    (tmp_path / "howsure.toml").unlink()
    (tmp_path / "pyproject.toml").write_text(CHECKS.format(table="tool.howsure.check", folder=tmp_path))
    assert json.loads(run("check", "--format", "json").out)["verdicts"] == found["verdicts"]


def test_a_history_and_its_figure(tmp_path: Path) -> None:
    place, figure = tmp_path / "nightly.experiments", tmp_path / "trend.svg"
    for day, typed in (("2026-11-21", NEW), ("2026-11-22", OLD)):
        run(*typed, "--group", "lang", "--max-error", "0.05", "--experiments", place, "--date", day)
    found = json.loads(run("check", "trend", place, "--figure", figure, "--format", "json").out)
    assert [one["date"] for one in found["points"]] == ["2026-11-21"] * 3 + ["2026-11-22"] * 3
    assert {one["outcome"] for one in found["points"][3:]} == {"fail"}
    assert "<svg" in figure.read_text()
    assert "2026-11-22" in run("check", "trend", place, "--check", "calibration").out
    assert run("check", "trend", place, "--check", "score").code == 2
    assert run("check", "trend", tmp_path / "none").code == 2
    assert run(*NEW, "--max-error", "0.05", "--date", "2026-11-22").code == 2
    assert run(*NEW, "--max-error", "0.05", "--experiments", place, "--date", "22.11.").code == 2


def test_no_name_breaks_xml_or_markdown(tmp_path: Path) -> None:
    names = ["\x1b[31m", "]]>", "a|b", "[x](javascript:1)", "\ufffe", "&amp;"]
    rows = [json.dumps({"y": i % 2, "name": name}) for name in names for i in range(20)]
    (tmp_path / "dev.jsonl").write_text("\n".join([*rows, ""]))
    xml, page = tmp_path / "check.xml", tmp_path / "summary.md"
    typed = ("check", "score", tmp_path / "dev.jsonl", "--score", "y", "--group", "name", "--min-score", "0.9")
    assert run(*typed, "--junit", xml, "--summary", page).code == 1
    cases = list(ElementTree.fromstring(xml.read_text(encoding="utf-8")).iter("testcase"))
    assert len(cases) == len(names)
    assert any("]]>" in str(case.get("name")) for case in cases)
    said = page.read_text(encoding="utf-8")
    assert "\x1b" not in said
    assert "](java" not in said.replace("\\](java", "")
    assert said.count("\n| ") == len(names) + 2


def test_a_log_names_its_items_and_repetitions(tmp_path: Path) -> None:
    """Epochs of an item are one cluster; another log is matched by item."""
    epochs = [
        inspect_sample(f"q{i}", "A", "A" if i % 4 else "B", letters={"A": 0.5, "B": 0.5}, epoch=epoch)
        for i in range(30)
        for epoch in (1, 2)
    ]
    for name, samples in (("epochs", epochs), ("new", epochs[::2]), ("old", epochs[::2][::-1])):
        (tmp_path / f"{name}.json").write_text(json.dumps({**inspect_header(), "samples": samples}))
    score = json.loads(
        run("check", "score", tmp_path / "new.json", "--score", "choice", "--min-score", "0.2", "--format", "json").out
    )
    assert score["verdicts"][0]["n"] == 30
    twice = json.loads(
        run(
            "check", "score", tmp_path / "epochs.json", "--score", "choice", "--min-score", "0.2", "--format", "json"
        ).out
    )
    assert twice["recipe"]["checks"][0]["cluster"] == "item"
    one, other = (held["verdicts"][0]["estimate"] for held in (score, twice))
    assert other["high"] - other["low"] == pytest.approx(one["high"] - one["low"], rel=0.1)
    typed = ("check", "score", tmp_path / "new.json", "--score", "choice", "--against", tmp_path / "old.json")
    same = json.loads(run(*typed, "--not-worse-than", "0.3", "--format", "json").out)
    assert (same["verdicts"][0]["estimate"]["value"], same["verdicts"][0]["outcome"]) == (0.0, "pass")


def test_filters_of_a_log_are_groups_and_never_averaged(tmp_path: Path) -> None:
    """Each filter is compared with the same filter of the other model."""
    logs = []
    for model, share in (("new", 3), ("old", 2)):
        samples = [
            lm_eval_text(item, "3" if item % share or way == "flexible" else "", "3", filter=way)
            for way in ("strict", "flexible")
            for item in range(60)
        ]
        logs.append(write_lm_eval(tmp_path, model, "gsm8k", samples))
    new, old = logs
    asked = ("check", "score", new, "--score", "exact_match", "--better-than", old, "--format", "json")
    found = {one["group"]: one["estimate"]["value"] for one in json.loads(run(*asked).out)["verdicts"]}
    assert found == {"flexible": 0.0, "strict": pytest.approx(1 / 6)}
    (one,) = json.loads(run(*asked, "--where", "run = 'strict'").out)["verdicts"]
    assert one["estimate"]["value"] == pytest.approx(1 / 6)
    refused = run("check", "score", new, "--score", "exact_match", "--min-score", "0.5", "--group", "task")
    assert refused.code == 2
    assert "or tell them apart, --group task,run." in refused.err
