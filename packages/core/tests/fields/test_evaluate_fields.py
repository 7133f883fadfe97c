"""`evaluate_fields`, `file_documents`: from files as APIs and people write them to decisions."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import howsure
from howsure.errors import InputError
from howsure.fields import FieldTable, FilingPolicy, check_fields, evaluate_fields, file_documents
from howsure.fields.checked_values import check_values, read_values
from howsure.fields.evaluation import SEED
from howsure.fields.recalibration import halves
from howsure.recalibration.map_input import separate_generator

INVOICE = {"total": 12.5, "date": "2026-03-01", "vendor": "Łódź GmbH", "paid": True, "items": [{"price": 3}]}


def write(path: Path, records: list[Any]) -> Path:
    """JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def chat(name: str, content: str, probability: float = 0.9, **choice: Any) -> dict[str, Any]:
    """A line of batch output whose characters are tokens."""
    logprob = math.log(probability) / 10
    tokens = [{"token": character, "logprob": logprob, "top_logprobs": []} for character in content]
    message = {"message": {"role": "assistant", "content": content}, "logprobs": {"content": tokens}}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "choices": [message | {"finish_reason": "stop"} | choice]}
    return {"custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}


def evaluated(predicted: Path, gold: Path, **how: Any) -> FieldTable:
    """The table of fields of two files."""
    return evaluate_fields(gold=howsure.read(gold), data=howsure.read(predicted), **how)


def accuracies(table: FieldTable) -> dict[str, tuple[int, float]]:
    """The number of values and the accuracy of each field."""
    return {row.field: (row.n, row.accuracy.value) for row in table}


def test_responses_are_matched_with_gold_by_id(tmp_path: Path) -> None:
    wrong = INVOICE | {"total": 13, "items": [{"price": 3}, {"price": 4}]}
    predicted = write(
        tmp_path / "out.jsonl", [chat("a", json.dumps(INVOICE, ensure_ascii=False)), chat("b", json.dumps(wrong))]
    )
    gold = write(tmp_path / "gold.jsonl", [{"id": "b", "gold": INVOICE}, {"id": "a", **INVOICE}])
    table = evaluated(predicted, gold, worst=5)
    assert accuracies(table) == {
        "total": (2, 0.5),
        "date": (2, 1.0),
        "vendor": (2, 1.0),
        "paid": (2, 1.0),
        "items[].price": (3, pytest.approx(2 / 3)),
    }
    assert table.worst is not None
    assert [(row.document, row.path, row.value, row.gold) for row in table.worst] == [
        ("b", "items[1].price", "4", None),
        ("b", "total", "13", "12.5"),
    ]
    assert table.worst[1].confidence == pytest.approx(0.9 ** (2 / 10))  # two characters


def test_the_responses_api_and_completions_are_read(tmp_path: Path) -> None:
    tokens = [{"token": '{"total":', "logprob": 0.0}, {"token": "5", "logprob": -1.0}, {"token": "}", "logprob": 0.0}]
    text = {"type": "output_text", "text": '{"total":5}', "logprobs": tokens}
    output = {"object": "response", "output": [{"type": "message", "content": [text]}], "metadata": {"document": "a"}}
    old = {"tokens": [token["token"] for token in tokens], "token_logprobs": [token["logprob"] for token in tokens]}
    completion = {"document": "b", "object": "text_completion", "choices": [{"text": '{"total":5}', "logprobs": old}]}
    predicted = write(tmp_path / "out.jsonl", [output, completion])
    table = evaluated(
        predicted, write(tmp_path / "gold.jsonl", [{"id": "a", "total": 5}, {"id": "b", "total": 6}]), worst=1
    )
    assert accuracies(table) == {"total": (2, 0.5)}
    assert table.worst is not None
    assert table.worst[0].confidence == pytest.approx(math.exp(-1.0))


def test_folders_are_matched_by_names_and_confidences_of_services_are_read(tmp_path: Path) -> None:
    for folder in ("predicted", "gold"):
        (tmp_path / folder).mkdir()
        for name, total in (("x", 1), ("y", 2)):
            value: Any = {"value": total, "confidence": 0.7} if folder == "predicted" else {"total": total}
            content = {"total": value, "id": 3} if folder == "predicted" else value | {"id": 3}
            (tmp_path / folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    table = evaluated(tmp_path / "predicted", tmp_path / "gold")
    assert accuracies(table) == {"total": (2, 1.0), "id": (2, 1.0)}
    assert table["total"].with_confidence == 2
    assert table["id"].calibration_error is None


def test_gold_may_be_a_table_with_a_column_for_each_field(tmp_path: Path) -> None:
    predicted = write(tmp_path / "out.jsonl", [{"id": "a", "items": [{"n": 1}, {"n": 2}], "name": None}])
    (tmp_path / "gold.csv").write_text("document,items[0].n,items[1].n,name\na,1,,\n", encoding="utf-8")
    assert accuracies(evaluated(predicted, tmp_path / "gold.csv")) == {"items[].n": (2, 0.5), "name": (1, 1.0)}


@pytest.mark.parametrize("form", ["csv", "frame", "arrays"])
def test_a_table_with_a_row_per_value(tmp_path: Path, form: str) -> None:
    frame = pd.DataFrame(
        {
            "doc": ["a", "a", "b", "b"],
            "field": ["total", "date", "total", "date"],
            "value": ["1.0", "01.02.2026", "null", "2026-02-02"],
            "confidence": [0.9, 0.8, None, 0.5],
            "gold": ["1", "2026-02-01", "4", "2026-02-03"],
        }
    )
    frame.to_csv(tmp_path / "values.csv", index=False)
    names = {role: role for role in frame.columns[1:]} | {"document": "doc"}
    if form == "arrays":
        table = evaluate_fields(**{role: frame[name].tolist() for role, name in names.items()})
    elif form == "frame":
        table = evaluate_fields(**names, data=frame)
    else:
        table = evaluate_fields(data=howsure.read(tmp_path / "values.csv"))
    assert accuracies(table) == {"total": (2, 0.5), "date": (2, 0.5)}
    assert [row.with_confidence for row in table] == [1, 2]


def test_comparisons_are_stated_and_can_be_changed(tmp_path: Path) -> None:
    predicted = write(tmp_path / "p.jsonl", [{"id": 1, "total": 10.4, "tags": ["b", "A"], "name": "ACME  gmbh"}])
    gold = write(tmp_path / "g.jsonl", [{"id": 1, "total": 10, "tags": ["a", "b"], "name": "Acme GmbH"}])
    assert accuracies(evaluated(predicted, gold)) == {"total": (1, 0.0), "tags[]": (2, 0.0), "name": (1, 1.0)}
    table = evaluated(predicted, gold, compare={"total": "number:5%", "tags": "set", "name": "exact"})
    assert accuracies(table) == {"total": (1, 1.0), "tags": (1, 1.0), "name": (1, 0.0)}
    assert table.notes[0] == "Compared as numbers (±5%): total; as sets: tags; character by character: name."


def checked(n: int = 400, seed: int = 0) -> dict[str, Any]:
    """Values of n documents in a few fields, one of which is an array."""
    rng = np.random.default_rng(seed)
    fields = ["total", "date", "items[0].price", "items[1].price"]
    p = rng.beta(30, 1, 4 * n)
    return {
        "document": np.repeat(np.arange(n), 4),
        "field": np.tile(fields, n),
        "value": np.where(rng.random(4 * n) < p, "1", "2"),
        "confidence": p,
        "gold": ["1"] * 4 * n,
    }


@pytest.mark.parametrize("promise", ["values", "documents", "fields"])
def test_a_policy_decides_as_it_did_on_the_checked_documents(tmp_path: Path, promise: Any) -> None:
    columns = checked()
    policy = evaluate_fields(**columns, max_risk=0.1, promise=promise).policy
    assert policy is not None
    assert policy.filed_documents >= 30
    policy.save(tmp_path / "policy.json")
    loaded = FilingPolicy.load(tmp_path / "policy.json")
    del columns["gold"]
    decisions = file_documents(loaded, **columns, audit=10, rng=0)
    filed = [row for row in decisions if row.decision == "file"]
    assert len(filed) == policy.filed_documents
    assert sum(row.audit for row in filed) == 10
    assert not any(row.audit for row in decisions if row.decision == "show")
    assert all(bool(row.show) == (row.decision == "show") for row in decisions)


def overconfident(n: int, seed: int) -> dict[str, Any]:
    """A table of n documents with two fields whose confidences are too high, with gold."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(3.0, 1.5, 2 * n)
    value = np.where(rng.random(2 * n) < 1 / (1 + np.exp(-odds)), "a", "b")
    confidence = 1 / (1 + np.exp(-2 * odds))
    columns = {"document": np.repeat(np.arange(n), 2), "field": np.tile(["total", "date"], n), "value": value}
    return columns | {"confidence": confidence, "gold": ["a"] * (2 * n)}


def test_confidences_are_recalibrated_by_half_of_the_documents(tmp_path: Path) -> None:
    table = evaluate_fields(**overconfident(1000, 1), recalibrate=True, max_risk=0.05)
    assert table.documents == 500
    assert table.recalibration is not None
    assert table.policy is not None
    slopes = [table.recalibration.parameters[field]["b"] for field in ("total", "date")]
    assert slopes == pytest.approx([0.5, 0.5], abs=0.15)
    table.policy.save(tmp_path / "policy.json")
    policy = FilingPolicy.load(tmp_path / "policy.json")
    new = overconfident(2000, 2)
    gold = new.pop("gold")
    after = table.recalibration.apply(new["confidence"], groups=new["field"]).reshape(-1, 2).mean(axis=1)
    decisions = file_documents(policy, **new)
    assert [row.score for row in decisions] == pytest.approx(after.tolist())
    assert [row.decision == "file" for row in decisions] == (after >= policy.threshold).tolist()
    check = check_fields(policy, **new, gold=gold)
    assert check.outcome != "fail"
    assert check.rows[0].n == 2 * sum(row.decision == "file" for row in decisions)


def test_too_few_wrong_values_cannot_recalibrate() -> None:
    table = overconfident(30, 1)
    table["value"] = table["gold"]
    with pytest.raises(InputError, match="in half of 30 documents"):
        evaluate_fields(**table, recalibrate=True)
    with pytest.raises(InputError, match="in half of 1 document"):
        evaluate_fields(**{name: column[:2] for name, column in table.items()}, recalibrate=True)


def test_documents_needed_for_recalibration_include_those_for_the_maps() -> None:
    columns = overconfident(300, 1)
    table = evaluate_fields(**columns, recalibrate=True, max_risk=0.01)
    assert table.policy is not None
    assert table.recalibration is not None
    raw = read_values(**columns, data=None)
    _, others = halves(check_values(raw), separate_generator(SEED))
    half = {name: getattr(others, name) for name in ("document", "value", "gold", "confidence")}
    half["field"] = [others.fields[place] for place in others.field]
    half["confidence"] = table.recalibration.apply(half["confidence"], groups=half["field"])
    policy_of_half = evaluate_fields(**half, max_risk=0.01).policy
    assert policy_of_half is not None
    assert policy_of_half.needed is not None
    assert table.policy.needed == pytest.approx(2 * policy_of_half.needed, rel=0.1)  # both are rounded up
    assert "with 300 checked documents (half of them are used for recalibration); about" in table.policy.answer


def test_confidences_that_are_all_equal_have_no_map() -> None:
    table = evaluate_fields(**overconfident(200, 1) | {"confidence": [0.9] * 400}, recalibrate=True)
    assert "Confidences are unchanged: no recalibration map can be fitted to 100 documents" in table.notes[0]
    assert table.recalibration is not None
    assert not any("no map helps" in note for note in table.recalibration.notes)


def decisions(path: Path, n: int, seed: int, model: str = "m-1", **texts: str) -> Path:
    """Typed answers to two questions, with labels: a yes or no, and a choice."""
    rng = np.random.default_rng(seed)
    questions = {"billing": "Is it about billing?", "tone": "What is its tone?"} | texts
    records = []
    for i in range(n):
        odds, shares = rng.normal(0.0, 4.0), rng.dirichlet([0.1] * 3)
        p = float(1 / (1 + np.exp(-odds)))
        tone = {"type": "choice", "probabilities": dict(zip("abc", shares.tolist(), strict=True))}
        answers = {"billing": {"type": "noul", "noul": p}, "tone": tone}
        labels = {"billing": bool(rng.random() < p), "tone": "abc"[rng.choice(3, p=shares)]}
        record = {"id": f"{seed}-{i}", "questions": questions, "labels": labels}
        records.append(record | {"response": {"model": model, "answers": answers}})
    return write(path, records)


def test_a_policy_of_decisions_holds_for_their_model_and_questions(tmp_path: Path) -> None:
    checked_answers = howsure.read(decisions(tmp_path / "a.jsonl", 600, 1))
    table = evaluate_fields(data=checked_answers, max_risk=0.1, promise="fields")
    assert {row.field: row.n for row in table} == {"billing": 600, "tone": 600}
    assert table.policy is not None
    table.policy.save(tmp_path / "policy.json")
    policy = FilingPolicy.load(tmp_path / "policy.json")
    assert policy.served == table.policy.served
    same = howsure.read(decisions(tmp_path / "b.jsonl", 2000, 2))
    assert check_fields(policy, data=same).outcome == "pass"
    assert len(file_documents(policy, data=same)) == 2000
    changed = {"the answers are by m-2": {"model": "m-2"}, "the text of the question 'tone'": {"tone": "Tone?"}}
    for message, how in changed.items():
        other = howsure.read(decisions(tmp_path / "c.jsonl", 2000, 3, **how))
        check = check_fields(policy, data=other)
        assert check.outcome == "fail"
        assert message.casefold() in check.notes[0].casefold()
        with pytest.raises(InputError, match=f"does not apply: {message}"):
            file_documents(policy, data=other)
    with pytest.raises(InputError, match="'tone' has two texts"):
        howsure.read([tmp_path / "c.jsonl", decisions(tmp_path / "d.jsonl", 9, 4)]).documents()


def test_every_question_of_a_list_without_names_is_compared(tmp_path: Path) -> None:
    path = decisions(tmp_path / "a.jsonl", 100, 1)
    records = [json.loads(line) for line in path.read_text().splitlines()]

    def asked(*texts: Any) -> Any:
        return howsure.read(write(path, [record | {"questions": list(texts)} for record in records]))

    policy = evaluate_fields(data=asked("Billing?", "Tone?"), max_risk=0.3).policy
    assert policy is not None
    assert list(policy.served.questions) == ["1", "2"]
    assert len(file_documents(policy, data=asked("Billing?", "Tone?"))) == 100
    for place, texts in {"1": ("Not billing?", "Tone?"), "2": ("Billing?", "Which tone?")}.items():
        with pytest.raises(InputError, match=f"the text of the question '{place}' has changed"):
            file_documents(policy, data=asked(*texts))
    with pytest.raises(InputError, match="'tone' has two texts"):
        asked(*({"name": "tone", "text": text} for text in ("Tone?", "Which tone?"))).documents()


def test_what_cannot_be_compared_with_a_policy_is_noted(tmp_path: Path) -> None:
    path = decisions(tmp_path / "a.jsonl", 100, 1)
    policy = evaluate_fields(data=howsure.read(path), max_risk=0.3).policy
    assert policy is not None
    assert file_documents(policy, data=howsure.read(path)).notes == ()
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        del record["questions"], record["response"]["model"]
    unnamed = howsure.read(write(path, records))
    expected = (
        "The responses name no model, so it cannot be compared with the policy's.",
        "The responses do not contain the text of 2 questions of the policy (billing, tone), so it cannot be compared.",
    )
    assert file_documents(policy, data=unnamed).notes == expected
    assert set(expected) <= set(check_fields(policy, data=unnamed).notes)


def test_labels_of_decisions_may_be_a_table_with_a_row_per_answer(tmp_path: Path) -> None:
    path = decisions(tmp_path / "a.jsonl", 50, 1)
    expected = evaluate_fields(data=howsure.read(path))
    records = [json.loads(line) for line in path.read_text().splitlines()]
    labels = [(record["id"], *pair) for record in records for pair in record.pop("labels").items()]
    table = pd.DataFrame(labels, columns=["id", "question", "label"])
    table["label"] = table["label"].map(lambda label: {True: "1", False: "0"}.get(label, label))
    table.to_csv(tmp_path / "labels.csv", index=False)
    assert accuracies(evaluated(write(path, records), tmp_path / "labels.csv")) == accuracies(expected)


def test_only_what_a_policy_files_is_evaluated_in_other_documents(tmp_path: Path) -> None:
    first = howsure.read(decisions(tmp_path / "a.jsonl", 400, 1))
    policy = evaluate_fields(data=first, max_risk=0.1, promise="fields").policy
    assert policy is not None
    second = howsure.read(decisions(tmp_path / "b.jsonl", 400, 2))
    table = evaluate_fields(data=second, policy=policy)
    shown = {row.document: row.show for row in file_documents(policy, data=second)}
    for row in table:
        assert row.n == sum(row.field not in fields for fields in shown.values())
    with pytest.raises(InputError, match="made from these documents"):
        evaluate_fields(data=first, policy=policy)
    second_step = evaluate_fields(data=second, policy=policy, max_risk=0.2).policy
    assert second_step is not None
    assert "only to what the first policy files" in second_step.notes[0]
    second_step.save(tmp_path / "second.json")
    loaded = FilingPolicy.load(tmp_path / "second.json")
    for result in (file_documents(loaded, data=second), check_fields(loaded, data=second)):
        assert any(note.startswith("This policy is the second of two steps:") for note in result.notes)
    assert not any("second of two steps" in note for note in file_documents(policy, data=second).notes)
    other_model = howsure.read(decisions(tmp_path / "c.jsonl", 40, 3, model="m-2"))
    with pytest.raises(InputError, match="does not apply: the answers are by m-2"):
        evaluate_fields(data=other_model, policy=policy)


def test_the_fewest_fields_are_shown(tmp_path: Path) -> None:
    policy = evaluate_fields(**checked(), max_risk=0.1).policy
    assert policy is not None
    assert policy.threshold is not None
    low = 1 - 4 * (1 - policy.threshold) - 0.001  # one value of four that is below the threshold by itself
    fields = ["total", "date", "items[0].price", "items[1].price"]
    new = {"document": ["x"] * 4, "field": fields, "value": ["1"] * 4}
    (decision,) = file_documents(policy, **new, confidence=[0.999, low, 0.9, 1.0])
    assert decision.show == ("date",)
    (unknown,) = file_documents(policy, **new, confidence=[0.999, 0.999, None, 1.0])
    assert unknown.show == ("items[].price",)
    (missing,) = file_documents(policy, **{name: column[:2] for name, column in new.items()}, confidence=[1.0, 1.0])
    assert missing.show == ("items[].price",)


def test_without_enough_documents_the_number_is_given() -> None:
    policy = evaluate_fields(**checked(20), max_risk=0.02).policy
    assert policy is not None
    assert policy.is_empty
    assert "No document can be filed without a person with 20 checked documents; about" in policy.answer


@pytest.mark.parametrize("change", [b"0.1", b"values", b"total"])
def test_a_changed_policy_is_refused(tmp_path: Path, change: bytes) -> None:
    policy = evaluate_fields(**checked(), max_risk=0.1).policy
    assert policy is not None
    policy.save(tmp_path / "policy.json")
    content = (tmp_path / "policy.json").read_bytes()
    (tmp_path / "policy.json").write_bytes(content.replace(change, b"1" * len(change), 1))
    with pytest.raises(InputError, match=r"policy\.json: (the policy|this is not)"):
        FilingPolicy.load(tmp_path / "policy.json")


BAD = {
    "not JSON": ([chat("a", "The total is 5.")], r"line 1 of .*: its content is not JSON .*Ask for JSON"),
    "truncated": ([chat("a", '{"total": 5', finish_reason="length")], r"line 1 of .*The response was cut off at its"),
    "other tokens": (
        [chat("a", '{"total": 5}') | {"custom_id": "a"}],
        r"line 1 of .*: its tokens do not spell its content",
    ),
    "repeated": ([chat("a", '{"total": 5}')] * 2, r"document 'a' is in line 1 of .* and in line 2 of"),
    "another document": ([chat("b", '{"total": 5}')], r"no document of .* is among the predictions: 'a' has"),
    "an object": (
        [chat("a", '{"total": {"net": 5}}')],
        r"the field total is a value in the true values of 'a', but an object or array in the prediction for 'a'",
    ),
    "several choices": (
        [{"custom_id": "a", "response": {"body": {"choices": [{"message": {"content": "{}"}}] * 2}}, "error": None}],
        r"line 1 of .*: it has 2 choices; one answer per document is needed",
    ),
    "a key twice": ([chat("a", '{"total": 5, "total": 6}')], r"its content is not JSON .*the key 'total' twice"),
    "no id": ([{"total": 5}], r"line 1 of .*: it has no id"),
    "other fields": ([{"id": "a", "n": 1}], r"no field has both predictions \(n\) and true values \(total\)"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path, case: str) -> None:
    records, words = BAD[case]
    if case == "other tokens":
        records[0]["response"]["body"]["choices"][0]["message"]["content"] = '{"total": 6}'
    predicted = write(tmp_path / "out.jsonl", records)
    gold = write(tmp_path / "gold.jsonl", [{"id": "a", "total": 5}])
    with pytest.raises(InputError, match=words):
        evaluated(predicted, gold)


@pytest.mark.parametrize("name", ["out.jsonl", "a.json"])
def test_an_object_with_a_key_twice_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"id": "a", "total": {"net": 5, "net": 6}}')
    with pytest.raises(InputError, match=rf"{name}: it contains the key 'net' twice\."):
        howsure.read(tmp_path / name).documents()


def test_a_table_of_true_values_may_have_columns_named_like_roles(tmp_path: Path) -> None:
    predicted = write(tmp_path / "out.jsonl", [{"id": name, "path": "/x", "label": "dog"} for name in "abcd"])
    (tmp_path / "gold.csv").write_text("id,path,label\na,/x,dog\nb,/x,cat\nc,/y,cat\nd,/x,cat\n")
    assert accuracies(evaluated(predicted, tmp_path / "gold.csv")) == {"path": (4, 0.75), "label": (4, 0.25)}
    (tmp_path / "long.csv").write_text("id,path,label\na,path,/x\na,label,dog\nb,path,/y\nb,label,cat\n")
    assert accuracies(evaluated(predicted, tmp_path / "long.csv")) == {"path": (2, 0.5), "label": (2, 0.5)}


def test_gold_for_no_document_is_refused_and_documents_without_gold_are_left_out(tmp_path: Path) -> None:
    smaller, two = ([{"id": name, "total": 5} for name in names] for names in ("a", "ab"))
    first, second = write(tmp_path / "one.jsonl", smaller), write(tmp_path / "two.jsonl", two)
    with pytest.raises(InputError, match=r"has true values of 1 document without predictions: b\."):
        evaluated(first, second)
    table = evaluated(second, first)
    assert table.documents == 1
    assert "1 document without true values are left out." in table.notes


def test_responses_that_are_not_json_can_be_skipped_and_are_shown(tmp_path: Path) -> None:
    predicted = write(tmp_path / "out.jsonl", [chat("a", "no"), *(chat(f"b{i}", '{"n": 1}', 0.999) for i in range(60))])
    gold = write(tmp_path / "gold.jsonl", [{"id": "a", "n": 1}, *({"id": f"b{i}", "n": 1} for i in range(60))])
    data = howsure.read(predicted, skip_missing=True)
    table = evaluate_fields(gold=howsure.read(gold), data=data, max_risk=0.1)
    assert accuracies(table) == {"n": (61, 60 / 61)}
    assert table.policy is not None
    decisions = file_documents(table.policy, data=data)
    assert {row.decision for row in decisions if row.document != "a"} == {"file"}
    assert decisions["a"].decision == "show"


def test_a_field_that_cannot_be_filed_is_always_shown() -> None:
    """`note` is predicted in half of the documents that have one, and never filed: also the other half is shown."""
    rng = np.random.default_rng(0)
    rows = [(f"d{i}", "total", "a", 0.9 + rng.random() / 10, "a") for i in range(300)]
    rows += [(f"d{i}", "note", "b", 0.9 + rng.random() / 10, "a") for i in range(0, 300, 2)]
    columns = dict(zip(("document", "field", "value", "confidence", "gold"), zip(*rows, strict=True), strict=True))
    policy = evaluate_fields(**columns, max_risk=0.05, promise="fields").policy
    assert policy is not None
    assert [(row.field, row.required, row.threshold is None) for row in policy.fields] == [
        ("total", True, False),
        ("note", False, True),
    ]
    (decision,) = file_documents(policy, document=["x"], field=["total"], value=["a"], confidence=[0.99])
    assert (decision.decision, decision.show) == ("show", ("note",))
    assert policy.filed_documents == 0


@pytest.mark.parametrize(
    ("value", "gold", "is_equal"),
    [
        ("5551230001", "5551230000", False),
        ("12345678", "12345679", False),
        ("12345678901234567890123456788", "12345678901234567890123456789", False),
        ("12", "0012", False),
        ("12345678.12", "12345678.13", False),
        ("12.50", "12.5", True),
        ("0.30000000000000004", "0.3", True),
        ("1e3", "1000", True),
        ("2024-03-01T22:15:00", "2024-03-01T10:00:00", False),
        ("2024-03-01", "2024-03-01T10:00:00", False),
        ("2024-03-01 10:00", "2024-03-01T10:00:00", True),
        ("2024-03-01T10:00:00", "2024-03-01", True),
    ],
)
def test_different_values_are_not_equal_by_default(value: str, gold: str, is_equal: bool) -> None:
    table = evaluate_fields(document=["a", "b"], field=["f"] * 2, value=[value] * 2, gold=[gold] * 2)
    assert table.rows[0].accuracy.value == is_equal


@pytest.mark.parametrize(
    ("values", "gold", "right"),
    [
        (["2.656,74", "891,97", "2.656"], ["2656,74", "891,98", "2656"], [True, False, True]),
        (["1211.07", "1090.08"], ["1211,07", "1090,09"], [True, False]),
        (["1211.07", "1211", "1.5"], ["1,211.07", "1,211", "1.50"], [True, True, True]),
        (["2961,03 €", "5,5 €", "$5"], ["2961.03", "5.5", "5.00"], [True, True, True]),
        (["5 EUR", "5 EUR", "5 %"], ["€ 5", "5 USD", "5%"], [True, False, True]),
        (["1 234,5", "1'234,5"], ["1234.5", "1234.6"], [True, False]),
        (["1,234", "1,500"], ["1234", "1.6"], [False, False]),  # a thousand or one and a half: not a number
        (["1,234", "12"], ["1,234", "12.0"], [True, True]),
        (["-3,5", "\u22123,5"], ["-3.5", "-3.5"], [True, True]),
    ],
)
def test_numbers_are_read_as_people_write_them(values: list[str], gold: list[str], right: list[bool]) -> None:
    n = len(values)
    table = evaluate_fields(
        document=range(n), field=["f"] * n, value=values, gold=gold, compare={"f": "number"}, worst=n
    )
    assert table.worst is not None
    assert {row.document for row in table.worst} == {str(place) for place in range(n) if not right[place]}


def test_a_word_among_numbers_does_not_make_them_strings() -> None:
    table = evaluate_fields(document=range(3), field=["f"] * 3, value=["12.5", "N/A", "7"], gold=["12.50", "n/a", "8"])
    assert table.total.value == pytest.approx(2 / 3)
    assert "as numbers: f" in table.text()


def test_decimal_commas_and_thousands_in_a_table_and_a_gold_table(tmp_path: Path) -> None:
    lines = ["document;field;value;confidence;gold", "a;total;2.656,74;0,9;2656,74", "b;total;891,97;0,8;891,98"]
    (tmp_path / "long.csv").write_text("\n".join(lines), encoding="utf-8")
    assert accuracies(evaluate_fields(data=howsure.read(tmp_path / "long.csv"))) == {"total": (2, 0.5)}
    (tmp_path / "gold.csv").write_text("id;total\na;2.656,74\nb;891,97\n", encoding="utf-8")
    predicted = write(tmp_path / "predicted.jsonl", [{"id": "a", "total": 2656.74}, {"id": "b", "total": 891.98}])
    table = evaluated(predicted, tmp_path / "gold.csv")
    assert accuracies(table) == {"total": (2, 0.5)}
    assert "Compared as numbers with decimal commas: total." in table.notes


def test_the_column_of_documents_is_named_for_true_values_too(tmp_path: Path) -> None:
    predicted = write(tmp_path / "predicted.jsonl", [chat("a", '{"total": 5}'), chat("b", '{"total": 6}')])
    (tmp_path / "gold.csv").write_text("Beleg,id,total\na,1,5\nb,2,5\n", encoding="utf-8")
    assert accuracies(evaluated(predicted, tmp_path / "gold.csv", document="Beleg"))["total"] == (2, 0.5)
    objects = write(tmp_path / "objects.jsonl", [{"Beleg": "a", "id": 7, "total": 5}])
    assert accuracies(evaluated(objects, objects, document="Beleg")) == {"id": (1, 1.0), "total": (1, 1.0)}
    with pytest.raises(InputError, match=r"^document is 'Belg', which is neither a key nor a column of .*objects"):
        evaluated(objects, objects, document="Belg")


def test_a_refusal_can_count_as_not_predicted(tmp_path: Path) -> None:
    predicted = write(tmp_path / "predicted.jsonl", [chat("a", '{"total": 5}'), chat("b", "I cannot read this.")])
    gold = write(tmp_path / "gold.jsonl", [{"id": name, "total": 5} for name in "ab"])
    with pytest.raises(InputError, match=r"Or count such documents as not predicted with skip_missing=True\.$"):
        evaluated(predicted, gold)
    table = evaluate_fields(data=howsure.read(predicted, skip_missing=True), gold=howsure.read(gold))
    assert [(row.n, row.not_predicted, row.accuracy.value) for row in table] == [(2, 1, 0.5)]


def test_lists_in_another_order_and_empty_lists(tmp_path: Path) -> None:
    true: list[list[str]] = [["x", "y"], ["x"], []]
    predicted = write(tmp_path / "predicted.jsonl", [{"id": i, "tags": tags[::-1]} for i, tags in enumerate(true)])
    table = evaluated(
        predicted, write(tmp_path / "gold.jsonl", [{"id": i, "tags": tags} for i, tags in enumerate(true)])
    )
    assert accuracies(table) == {"tags[]": (3, pytest.approx(1 / 3))}
    assert "Only the order of tags is wrong in 1 document: compare tags as a set if its order does not matter." in (
        table.notes
    )
    gold = write(tmp_path / "other.jsonl", [{"id": i, "tags": [*tags, "z"]} for i, tags in enumerate(true)])
    assert not any("order" in note for note in evaluated(predicted, gold).notes)


def test_a_policy_says_when_a_document_is_filed() -> None:
    for promise, score in (("values", "mean confidence"), ("documents", "product of the confidences")):
        table = evaluate_fields(**checked(), max_risk=0.1, promise=promise)
        assert table.policy is not None
        rule = f"A document is filed if the {score} of its values is at least {table.policy.threshold:.4f}."
        assert rule in table.footnotes()


def test_what_cannot_be_read_as_a_number_is_noted() -> None:
    columns: dict[str, Any] = {"document": range(4), "field": ["f"] * 4, "value": ["1,234", "n/a", "5", "7,000"]}
    table = evaluate_fields(**columns, gold=["1234", "6", "5", "7,000"], compare={"f": "number"})
    assert table.total.value == 0.5
    assert table.notes[1:] == (
        "1 of 4 values of f cannot be read as numbers and count as different: 1,234 may be 1234 or 1.234. Write "
        "numbers without separators of thousands.",
        "1 of 4 values of f are not numbers and count as different: 'n/a', for example.",
    )


def test_truth_values_and_composed_characters() -> None:
    pairs = [("true", "ja"), ("false", "Nein"), ("true", "nein"), ("S\u00ed", "true"), ("Mu\u0308ller", "M\u00fcller")]
    for (value, gold), is_right in zip(pairs, [True, True, False, True, True], strict=True):
        table = evaluate_fields(document=["a", "b"], field=["f"] * 2, value=[value] * 2, gold=[gold] * 2)
        assert table.total.value == is_right


def test_a_field_without_any_right_value_is_noted() -> None:
    def warnings(n: int, gold: list[str]) -> list[str]:
        columns: dict[str, Any] = {"document": range(n), "field": ["paid"] * n, "value": ["true", "false"] * (n // 2)}
        return [note for note in evaluate_fields(**columns, gold=gold).notes if "differently" in note]

    assert warnings(10, ["paid", "open"] * 5) == [
        "None of 10 values of paid equals the true value: 'true' and 'paid', 'false' and 'open'. Are they written "
        "differently?"
    ]
    assert not warnings(10, ["true", *["open"] * 9])
    assert not warnings(8, ["paid", "open"] * 4)


def test_an_object_next_to_other_fields_is_a_field(tmp_path: Path) -> None:
    predicted = [{"id": f"d{i}", "document": "passport", "total": i, "target": {"name": "x"}} for i in range(4)]
    gold = [record | {"total": 0} for record in predicted]
    table = evaluated(write(tmp_path / "predicted.jsonl", predicted), write(tmp_path / "gold.jsonl", gold))
    assert accuracies(table) == {"document": (4, 1.0), "total": (4, 0.25), "target.name": (4, 1.0)}


def test_a_check_on_the_documents_of_the_policy_says_so() -> None:
    columns = checked()
    policy = evaluate_fields(**columns, max_risk=0.1).policy
    assert policy is not None
    same = "The policy was made from documents with the same ids"
    assert any(note.startswith(same) for note in check_fields(policy, **columns).notes)
    others = columns | {"document": [f"new {name}" for name in columns["document"]]}
    assert not any(note.startswith(same) for note in check_fields(policy, **others).notes)


@pytest.mark.parametrize(("promise", "dots"), [("fields", 3), ("values", 0)])
def test_each_of_many_fields_has_a_panel(promise: Any, dots: int) -> None:
    """With a dot at what a policy about fields files."""
    rng = np.random.default_rng(0)
    columns = {"document": np.repeat(np.arange(300), 3), "field": np.tile(["total", "date", "tax"], 300)}
    right, confidence = rng.random(900) < 0.98, rng.random(900)
    table = evaluate_fields(
        **columns,
        value=np.where(right, "a", "b"),
        gold=np.full(900, "a"),
        confidence=confidence,
        max_risk=0.1,
        promise=promise,
    )
    panels = table.figure().axes
    assert [ax.get_title() for ax in panels] == ["total", "date", "tax"]
    drawn = [line for ax in panels for line in ax.lines if line.get_marker() == "o"]
    assert len(drawn) == dots
    assert all(float(line.get_ydata()[0]) <= 0.1 for line in drawn)
