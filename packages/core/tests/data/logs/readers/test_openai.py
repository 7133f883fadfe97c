"""Responses of OpenAI's API and of vLLM: which token is the answer, and how probable every answer is."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import howsure as run
from tests.data.logs.writers import openai_batch, openai_chat, openai_completion, openai_response, write_lines

import howsure
from howsure.data.logs.log_file import Source
from howsure.data.logs.openai import rows
from howsure.data.logs.tokens import answer_masses, answer_probability, text_probability
from howsure.data.tables.named_files import File
from howsure.errors import InputError

ALL = {"A": 0.5, " A": 0.125, "B": 0.125, "C": 0.0625, " D": 0.0625, "I": 0.125}
MASSES = {"A": 0.625, "B": 0.125, "C": 0.0625, "D": 0.0625}
SOME = {"A": 0.5, "B": 0.25}


def rows_of(folder: Path, *records: Any, notes: list[str] | None = None) -> list[dict[str, Any]]:
    path = write_lines(folder / "log.jsonl", records)
    return list(rows(Source(File(str(path), str(path), "jsonl"), [] if notes is None else notes)))


@pytest.mark.parametrize(
    "wrap", [lambda body: body, lambda body: {"response": body}, lambda body: openai_batch("q1", body)]
)
def test_the_masses_of_all_answers(wrap: Any, tmp_path: Path) -> None:
    notes: list[str] = []
    (row,) = rows_of(tmp_path, wrap(openai_chat(ALL)) | {"target": "B", "subject": "law"}, notes=notes)
    assert [math.exp(probability) for probability in row["log_probabilities"]] == pytest.approx(list(MASSES.values()))
    named = {name: row[name] for name in ("model", "classes", "target", "prediction", "subject")}
    assert named == {"model": "gpt", "classes": list("ABCD"), "target": 1, "prediction": 0, "subject": "law"}
    assert row["class_mass"] == pytest.approx(0.875)
    assert "probability of 0.1250 on average" in notes[0]
    assert "created" not in row


def test_probabilities_are_the_softmax_and_the_label_whether_it_is_right(tmp_path: Path) -> None:
    records = [openai_batch(f"q{at}", openai_chat(ALL), target="ABCD"[at]) for at in range(4)]
    with howsure.read([write_lines(tmp_path / "log.jsonl", records)]).predictions() as predictions:
        assert predictions.columns == {"target": "target", "probs_column": "probabilities", "id": "item"}
        pairs = predictions.pairs()
    assert pairs.probabilities.tolist() == pytest.approx([0.625 / 0.875] * 4)
    assert pairs.labels.tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("body", [openai_completion(SOME), openai_response(SOME), openai_chat(SOME)])
def test_where_an_answer_is_not_known_each_has_the_probability_of_its_token(body: Any, tmp_path: Path) -> None:
    notes: list[str] = []
    first, second = rows_of(tmp_path, {"r": body, "gold": "A"}, {"r": openai_chat(ALL), "gold": "B"}, notes=notes)
    assert (first["probability"], first["correct"]) == (0.5, 1)
    assert (second["probability"], second["correct"]) == (pytest.approx(0.625), 0)
    assert "log_probabilities" not in first
    assert "log_probabilities" not in second
    assert "1 of 2 answers have the log-probability of their own token" in notes[1]


@pytest.mark.parametrize(
    ("text", "answered"),
    [
        (["{}"], True),
        (["(", "{}", ")"], True),
        (["Answer", ":", " {}", "\n", "Because", " A", " matters"], True),
        (["**", "{}", "**"], True),
        (["{}", " good", " question"], False),  # the article
        (["I", " think", " {}", " is", " right"], False),
        (["{}", ".", " Not", " B", "."], False),  # two answers
        (["{}", ".", " Yes", ",", " A", "."], True),
        (["none"], False),
        ([], False),
    ],
)
def test_which_token_is_the_answer(text: list[str], answered: bool, tmp_path: Path) -> None:
    notes: list[str] = []
    (row,) = rows_of(tmp_path, openai_chat(ALL, text=text), notes=notes)
    assert ("log_probabilities" in row) == answered
    assert any("1 of 1 responses have no probability" in note for note in notes) != answered


def test_other_answers_and_targets_in_the_metadata(tmp_path: Path) -> None:
    body = openai_chat({"yes": 0.75, "no": 0.125}) | {"metadata": {"classes": "yes, no", "target": "no"}}
    (row,) = rows_of(tmp_path, body)
    assert (row["classes"], row["target"], row["prediction"]) == (["yes", "no"], 1, 0)
    (row,) = rows_of(tmp_path, {"classes": ["no", "yes"], "response": body})
    assert (row["classes"], row["target"]) == (["no", "yes"], 0)


@pytest.mark.parametrize(("target", "place"), [(1, 0), (2.0, 1), ("2", 1), (" 1 ", 0)])
def test_a_number_is_the_answer_that_is_written_alike(target: str | float, place: int, tmp_path: Path) -> None:
    (row,) = rows_of(
        tmp_path, openai_chat({"1": 0.75, "2": 0.25}) | {"metadata": {"classes": "1, 2", "target": target}}
    )
    assert (row["classes"], row["target"]) == (["1", "2"], place)


@pytest.mark.parametrize(
    ("classes", "target"), [("true, false", False), ("True, False", False), ("1.0, 2.0", 2.0), ("1.0, 2.0", 2)]
)
def test_truth_values_and_numbers_are_answers_in_any_spelling(classes: str, target: float, tmp_path: Path) -> None:
    answers = dict(zip(classes.split(", "), (0.75, 0.25), strict=True))
    body = openai_chat(answers) | {"metadata": {"classes": classes, "target": target}}
    assert rows_of(tmp_path, body)[0]["target"] == 1


def test_an_unknown_answer_is_refused_with_what_helps(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not one of the answers A, B, C, D\. Add the possible .* \"classes\": \["):
        rows_of(tmp_path, openai_chat(SOME) | {"target": "yes"})


def test_several_choices_are_runs_of_one_item(tmp_path: Path) -> None:
    body = openai_chat(ALL)
    body["choices"] *= 2
    rows_read = rows_of(tmp_path, openai_batch("q1", body))
    assert [(row["item"], row["run"]) for row in rows_read] == [("q1", 0), ("q1", 1)]


def test_requests_that_failed_are_rows_without_a_probability(tmp_path: Path) -> None:
    records = [openai_batch(f"q{at}", openai_chat(ALL) if at else None, target="A") for at in range(5)]
    path = write_lines(tmp_path / "log.jsonl", records)
    with pytest.raises(InputError, match="row 1 of"):
        howsure.read(path).predictions()
    with howsure.read(path, skip_missing=True).predictions() as predictions:
        assert (predictions.n, predictions.group_names) == (4, ())
        assert any("1 of 5 responses have no probability" in note for note in predictions.input_notes)


@pytest.mark.parametrize("form", ["chat", "completions", "document"])
def test_a_file_is_recognised(form: str, tmp_path: Path) -> None:
    body = openai_completion(SOME) if form == "completions" else openai_chat(SOME)
    records = [{**body, "custom_id": f"{at}", "target": "AB"[at % 2]} for at in range(40)]
    path = tmp_path / ("log.json" if form == "document" else "log.jsonl")
    lines = "".join(json.dumps(record) + "\n" for record in records)
    path.write_text(json.dumps(records) if form == "document" else lines)
    done = run("calibration", path, "--format", "csv")
    assert done.code == 0, done.err
    assert "at the answer, tokens that are not answers" in done.err
    assert ",40,0.5" in done.out


def without(**change: Any) -> dict[str, Any]:
    body = openai_chat(SOME)
    body["choices"][0] |= change
    return body


TOKEN = {"token": "A", "logprob": -0.5, "top_logprobs": []}
ECHO = {"tokens": ["Q", " A"], "token_logprobs": [None, -0.5], "top_logprobs": [None, {" A": -0.5}]}


NULLS = {
    "the response": {"response": None},
    "the body": {"response": {"status_code": 200, "body": None}},
    "the choices": {"response": {"status_code": 200, "body": {**openai_chat(ALL), "choices": None}}},
    "the message": {"response": {"status_code": 200, "body": {**openai_chat(ALL), "choices": [{"message": {}}]}}},
    "the target": {"target": None},
    "an empty target": {"target": ""},
}


@pytest.mark.parametrize("null", NULLS.values(), ids=NULLS)
def test_a_null_answer_is_a_missing_value(null: dict[str, Any], tmp_path: Path) -> None:
    records = [openai_batch(f"q{at}", openai_chat(ALL), target="A") | (null if at == 3 else {}) for at in range(9)]
    path = write_lines(tmp_path / "log.jsonl", records)
    with pytest.raises(InputError, match=r"must not be missing; row 4 of .* is empty.*skip_missing=True"):
        howsure.read(path).predictions()
    with howsure.read(path, skip_missing=True).predictions() as predictions:
        assert (predictions.n, sum(predictions.skipped.values())) == (8, 1)
        assert predictions.columns["probs_column"] == "probabilities"


# The probabilities of answers, from tokens.


def token(text: str, p: float, **others: float) -> dict[str, Any]:
    top = [{"token": name.replace("_", " "), "logprob": math.log(probability)} for name, probability in others.items()]
    return {"token": text, "logprob": math.log(p), "top_logprobs": top}


def test_the_token_itself_counts_once_though_it_is_among_the_likeliest() -> None:
    assert answer_masses(token("A", 0.5, A=0.5, _A=0.25, B=0.125, x=0.125), "AB") == pytest.approx(
        {"A": 0.75, "B": 0.125}
    )


def test_a_token_that_is_not_among_the_likeliest_counts_too() -> None:
    assert answer_masses(token("C", 0.25, A=0.5), "ABC") == pytest.approx({"C": 0.25, "A": 0.5})


def test_the_last_position_of_an_answer_counts() -> None:
    tokens = [token("A", 0.5), token("so", 1.0), token(" A", 0.75, B=0.25)]
    row = answer_probability(tokens, "A", "AB")
    assert row["probability"] == pytest.approx(0.75)
    assert [math.exp(probability) for probability in row["log_probabilities"]] == pytest.approx([0.75, 0.25])
    assert answer_probability(tokens, "C", "ABC") == {}


def test_all_classes_are_given_only_if_all_are_known() -> None:
    assert answer_probability([token("A", 0.5, B=0.25)], "A", "ABC") == pytest.approx({"probability": 0.5})


def test_a_text_has_the_product_of_its_tokens() -> None:
    assert text_probability([token("a", 0.5), token("b", 0.25)]) == {
        "text_probability": pytest.approx(0.125),
        "text_tokens": 2,
    }
    assert text_probability([]) == {}
