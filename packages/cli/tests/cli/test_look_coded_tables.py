"""`howsure look` on tables of people who code documents, and on tables with a column per model: what it proposes runs.

The rows are made up.
"""

from __future__ import annotations

import datetime
import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import howsure as run
from tests.cli.test_look_layouts import random, table
from tests.data.logs.writers import helm_stats, write_helm

import howsure

N = 400
WORDS = {"nein": "ja", "no": "yes", "No": "Sí", "0": "1"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def days(n_days: int) -> list[str]:
    return [f"{datetime.date(2010, 1, 1) + datetime.timedelta(days=k * n_days // N):%d.%m.%Y}" for k in range(N)]


def coded(no: str = "0", *, labelled: int = 80) -> list[tuple[str, str, str]]:
    """A probability, the decision that it implies, and the label of a coder, blank after the first rows."""
    rng, words = random(3), (no, WORDS[no])
    probs = rng.uniform(0.02, 0.98, N).round(3)
    labels = rng.uniform(size=N) < probs
    return [
        (str(p), words[int(p > 0.5)], words[int(label)] if k < labelled else "")
        for k, (p, label) in enumerate(zip(probs, labels, strict=True))
    ]


def look_at(heading: str, rows: Iterable[Sequence[object]]) -> Any:
    table("rows.csv", heading, rows)
    return howsure.look("rows.csv")


def printed(command: str) -> Any:
    done = run(*shlex.split(command)[1:], "--format", "json")
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize("no", ["nein", "No"])
def test_decisions_in_words_are_corrected(no: str) -> None:
    rows = [(f"D{k}", day, *cells[1:]) for k, (day, cells) in enumerate(zip(days(2000), coded(no), strict=True))]
    overview = look_at("Dokument Datum Klassifikator Kodierer", rows)
    assert overview.commands == (
        f"howsure judge rows.csv --score Klassifikator --target Kodierer --positive {shlex.quote(WORDS[no])}",
        "howsure score rows.csv --target Kodierer --prediction Klassifikator --skip-missing",
    )
    assert any("add a column with 1 where Klassifikator is" in note for note in overview.notes)
    (row,) = printed(overview.commands[0])["models"]
    assert (row["n"], row["labelled"]) == (N, 80)


@pytest.mark.parametrize("names", ["Klassifikator Kodierer", "hits label"])
def test_decisions_of_0_and_1_lead_to_counts(names: str) -> None:
    rows = [(f"D{k}", 2010 + k % 6, *cells[1:]) for k, cells in enumerate(coded())]
    decision, label = names.split()
    first = look_at(f"Dokument Jahr {names}", rows).commands[0]
    assert first == f"howsure counts estimate rows.csv --prob {decision} --target {label} --group Jahr"
    assert sum(group["labelled"] for group in printed(first)["groups"]) == 80


def test_a_coder_and_not_a_covariate_is_compared_with_a_classifier() -> None:
    rows = [(f"D{k}", k % 2, *cells[1:]) for k, cells in enumerate(coded())]
    score = look_at("Dokument nachher Klassifikator Kodierer", rows).commands[1]
    assert score.endswith("--target Kodierer --prediction Klassifikator --skip-missing")


def test_labels_of_all_rows_lead_to_calibration() -> None:
    """Not to the agreement of a classifier with a coder, nor to corrected counts."""
    rows = [(f"D{k}", *cells) for k, cells in enumerate(coded("nein", labelled=N))]
    commands = look_at("Dokument Wahrscheinlichkeit Klassifikator Kodierer", rows).commands
    assert [command.split()[1] for command in commands] == ["score", "calibration", "selective"]
    assert "--target Kodierer --positive ja --prob Wahrscheinlichkeit" in commands[1]


def test_probabilities_without_labels_lead_to_a_sample() -> None:
    rows = [(f"D{k}", *cells[:2]) for k, cells in enumerate(coded("nein"))]
    (command,) = look_at("Dokument Wahrscheinlichkeit Klassifikator", rows).commands
    assert command.startswith("howsure counts sample rows.csv --prob Wahrscheinlichkeit")


@pytest.mark.parametrize(("n_days", "period"), [(2000, "year"), (1000, "month"), (200, "month"), (31, "week")])
def test_the_period_suits_the_dates(n_days: int, period: str) -> None:
    rows = [(k, day, cells[0], cells[2]) for k, (day, cells) in enumerate(zip(days(n_days), coded(), strict=True))]
    first = look_at("id date prob coder", rows).commands[0]
    assert first.endswith(f"--prob prob --target coder --date date --period {period}")


def test_dates_that_cannot_be_used_are_named() -> None:
    written = days(2000)
    written[4], written[7] = "31.02.2012", "unbekannt"
    rows = [(k, day, cells[0], cells[2]) for k, (day, cells) in enumerate(zip(written, coded(), strict=True))]
    overview = look_at("id Datum prob coder", rows)
    assert "--date" not in overview.commands[0]
    assert printed(overview.commands[0])["total"]["n"] == N
    note = "Not a date in Datum: row 5 is '31.02.2012', row 8 is 'unbekannt'. Correct these, then add --date Datum"
    assert any(text.startswith(note) for text in overview.notes)
    rows = [(k, f"{1 + k % 12:02}/{1 + k % 11:02}/2011", cells[0], cells[2]) for k, cells in enumerate(coded())]
    assert any("fit %d/%m/%Y and %m/%d/%Y" in note for note in look_at("id Datum prob coder", rows).notes)


@pytest.mark.parametrize("word", ["Summe", "GESAMT:"])
def test_a_total_is_left_out(word: str) -> None:
    rows = [(f"D{k}", *cells) for k, cells in enumerate(coded("nein"))]
    overview = look_at("Dokument prob Klassifikator Kodierer", [*rows, (word, "", 198, "")])
    assert overview.n == N + 1
    assert f"Row 401 of rows.csv is a total ({word!r}), not an item. Remove it from the file." in overview.notes
    assert f"--where Dokument <> '{word}'" in " ".join(shlex.split(overview.commands[0]))
    assert printed(overview.commands[0])["total"]["n"] == N


def test_texts_in_another_language_are_not_parsed_as_english() -> None:
    text = "Die Polizei nahm am Abend {} Menschen fest, die auf dem Platz vor dem Rathaus demonstriert hatten."
    overview = look_at("id Datum Text", [(f"D{k}", day, text.format(k)) for k, day in enumerate(days(200))])
    assert not overview.commands
    assert overview.notes[0].startswith("These are documents, but not in English")


def test_copied_rows_are_noted() -> None:
    rows = [(f"D{k}", *cells) for k, cells in enumerate(coded("nein"))]
    notes = look_at("Dokument prob Klassifikator Kodierer", [*rows, *rows[:3]]).notes
    assert any(note.startswith("Exact copies of other rows: 3; row 401 is row 1 again.") for note in notes)


def test_numbered_coders_with_blanks_are_raters() -> None:
    rng = random(5)
    codes = rng.integers(0, 2, (200, 3)).astype(str)
    codes[:20, 0] = ""
    first = look_at("item w006 w009 w010", [(k, *row) for k, row in enumerate(codes)]).commands[0]
    assert first == "howsure judge agreement rows.csv --raters w006,w009,w010 --skip-missing"
    assert printed(first)


def test_models_of_single_tags_are_compared_by_sentence() -> None:
    rng = random(7)
    tags = rng.choice(["O", "O", "O", "B-PER", "I-PER"], (600, 3))
    gold = tags[:, 0]
    models = [[gold[k] if rng.uniform() < right else tags[k, 1] for right in (0.9, 0.6)] for k in range(600)]
    rows = [(k // 12, f"w{k % 40}", gold[k], *models[k]) for k in range(600)]
    score, significance = look_at("sentence token gold sysA sysB", rows).commands
    assert score.endswith("--prediction value --model column --id sentence --metric entity_f1")
    assert significance.endswith("--against sysA --model sysB --metric entity_f1 --id sentence")
    assert [row["rank_high"] for row in printed(score)["scores"]] == [1, 2]
    assert printed(significance)


def test_columns_of_the_same_row_are_compared_without_an_id() -> None:
    rows = [(k % 2, (k % 2) ^ (k % 5 == 0), (k % 2) ^ (k % 3 == 0)) for k in range(60)]
    first = look_at("gold a b", [tuple(map(int, row)) for row in rows]).commands[0]
    assert first.endswith("--prediction value --model column --id source_row")
    assert [row["rank_low"] for row in printed(first)["scores"]] == [1, 1]


def test_perturbed_instances_of_helm_are_left_out(tmp_path: Path) -> None:
    """They have the names of the others, and are no further items."""
    rights = [[float(k % 2), float(k % 3 > 0)] for k in range(30)]
    for at, model in enumerate(("org/small", "org/large")):
        stats = [helm_stats(f"id{k}", exact_match=row[at]) for k, row in enumerate(rights)]
        perturbed = [{**row, "perturbation": {"name": "dialect"}} for row in stats]
        run_folder = write_helm(tmp_path / "helm" / model.replace("/", "_"), [*stats, *perturbed])
        spec = json.loads((run_folder / "run_spec.json").read_text())
        spec["adapter_spec"]["model"] = model
        (run_folder / "run_spec.json").write_text(json.dumps(spec))
    score, significance = howsure.look("helm").commands
    assert shlex.split(score)[1:] == ["score", "helm", "--where", "prompt IS NULL"]
    means = {row["model"]: row["mean"]["value"] for row in printed(score)["scores"]}
    assert means == {"org/small": 0.5, "org/large": pytest.approx(2 / 3)}
    assert printed(significance)


def test_scores_of_queries_and_logits_are_recognised() -> None:
    rng = random(9)
    scores = rng.uniform(size=(60, 2)).round(3)
    first = look_at("query bm25 dense", [(f"q{k}", *row) for k, row in enumerate(scores)]).commands[0]
    assert first.endswith("--explode bm25,dense --score value --model column --id query")
    logits = rng.normal(size=200)
    rows = [(int(rng.uniform() < 1 / (1 + 2.718281828**-logit)), logit) for logit in logits]
    commands = look_at("y logit", rows).commands
    assert commands[0].endswith("calibration rows.csv --target y --logits logit")
    assert all(printed(command) for command in commands)


def test_unparseable_answers_count_as_wrong() -> None:
    rows = [(k, ("correct", "wrong", "correct", "unparseable")[k % 4], (k % 90 + 5) / 100) for k in range(200)]
    overview = look_at("item grade confidence", rows)
    score, calibration, *_ = overview.commands
    assert "--missing" not in score
    assert calibration.endswith("--missing unparseable --skip-missing")
    note = "'unparseable' in grade counts as wrong. To leave such rows out: --missing unparseable --skip-missing."
    assert note in overview.notes
    (row,) = printed(score)["scores"]
    assert row["mean"]["value"] == 0.5


@pytest.mark.parametrize("is_of_prediction", [True, False])
def test_the_confidence_in_a_prediction_is_no_probability_of_the_positive_label(is_of_prediction: bool) -> None:
    rows = []
    for prob, decision, label in coded("no", labelled=N):
        confidence = max(float(prob), 1 - float(prob)) if is_of_prediction else float(prob)
        rows.append((label, decision, f"{confidence:.3f}"))
    commands = " ".join(look_at("class prediction confidence", rows).commands)
    assert "calibration rows.csv --target class" in commands
    assert ("--prediction prediction --prob confidence" in commands) is is_of_prediction
