"""Items of logs that are different documents: rows are paired by their documents, or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import howsure as run_command
from tests.data.logs.writers import inspect_sample, lm_eval_sample, write_inspect, write_lm_eval

import howsure
from howsure.data.logs.item_documents import contradiction_in
from howsure.data.sources import Files
from howsure.errors import InputError
from howsure.scores.score_table import score_table

N = 80
DRAW = np.random.default_rng(4)
HARD = DRAW.normal(size=N)
RIGHT = {"a": HARD + 0.5 * DRAW.normal(size=N) > -0.4, "b": HARD + 0.5 * DRAW.normal(size=N) > 0.2}
ORDER = DRAW.permutation(N)


def answer(item: int, document: str, right: bool, *, hashed: bool = True) -> dict[str, Any]:
    """A line of a log: whether a document is answered correctly, under the number of an item."""
    low = -2.0 - 0.01 * (sum(document.encode()) % 50)
    likelihoods = [-1.0, low] if right else [low, -1.0]
    line = lm_eval_sample(item, likelihoods, 0) | {"doc": {"question": document}}
    del line["doc_hash"]
    hash_field = {"doc_hash": hashlib.sha256(document.encode()).hexdigest()} if hashed else {}
    return line | hash_field


def write_two_models(
    folder: Path, order: Sequence[int], documents: Sequence[str], *, hashed: bool = True
) -> tuple[Files, Path, Path]:
    """Logs of two models; the second one numbers the items by `order` and asks it `documents`."""
    plain = [f"document {i}" for i in range(N)] if len(set(documents)) == N else documents
    a = write_lm_eval(folder, "a", "quiz", [answer(i, plain[i], RIGHT["a"][i], hashed=hashed) for i in range(N)])
    lines = [answer(i, documents[k], RIGHT["b"][k], hashed=hashed) for i, k in enumerate(order)]
    b = write_lm_eval(folder, "b", "quiz", lines)
    return howsure.read([a, b]), a, b


PLAIN = [f"document {i}" for i in range(N)]


@pytest.mark.long
@pytest.mark.parametrize("hashed", [True, False])
def test_permuted_items_are_paired_by_their_documents(hashed: bool, tmp_path: Path) -> None:
    right, *_ = write_two_models(tmp_path / "right", range(N), PLAIN, hashed=hashed)
    permuted, a, b = write_two_models(tmp_path / "permuted", ORDER, PLAIN, hashed=hashed)
    expected, paired = howsure.compare_scores(data=right, rng=0), howsure.compare_scores(data=permuted, rng=0)
    assert (paired[0].p_value, paired[0].low, paired[0].high) == (
        expected[0].p_value,
        expected[0].low,
        expected[0].high,
    )
    (note,) = paired.recipe["notes"]
    assert f"item 0 of quiz is not the same document in {a} and in {b}" in note
    assert "rows are paired by their documents (item_hash)" in note
    assert "notes" not in expected.recipe
    tables = [score_table(data=log, rng=0, worst=3, show=["doc.question"]) for log in (right, permuted)]
    assert [row.ranks for row in tables[0]] == [row.ranks for row in tables[1]]
    worst = [sorted((item.mean, item.n) for item in table.worst) for table in tables if table.worst is not None]
    assert worst[0] == worst[1]
    with pytest.raises(InputError, match=r"must not be paired\. Pair rows by their"):
        howsure.compare_scores(score="acc", id="item", data=permuted)
    with pytest.raises(InputError, match="must not be paired"):
        howsure.race_models("acc", model="model", id="item", data=permuted, rng=0)
    by_document = howsure.race_models("acc", model="model", id="item_hash", data=permuted, rng=0)
    assert by_document.items_total == N


@pytest.mark.long
def test_models_in_two_sources_are_paired_by_their_documents_too(tmp_path: Path) -> None:
    _, a, b = write_two_models(tmp_path / "right", range(N), PLAIN)
    _, _, permuted = write_two_models(tmp_path / "permuted", ORDER, PLAIN)
    source = howsure.read(a)
    checks = [howsure.check_score("acc", against=howsure.read(path), data=source) for path in (b, permuted)]
    assert [row.p_pass for row in checks[0]] == pytest.approx([row.p_pass for row in checks[1]])
    assert "rows are paired by their documents" in str(checks[1].notes)
    compared = [howsure.compare_calibration(data=source, against=howsure.read(path)) for path in (b, permuted)]
    assert compared[0].error_difference == compared[1].error_difference
    assert any("rows are paired by their documents" in line for line in str(compared[1]).splitlines())


@pytest.mark.parametrize(
    "documents",
    [
        [*PLAIN[: N // 2], *(f"new {i}" for i in range(N // 2))],  # another version of the task
        [f"document {i // 2}" for i in range(N)],  # documents that occur twice
    ],
)
def test_documents_that_do_not_pair_rows_are_refused(documents: list[str], tmp_path: Path) -> None:
    log, a, b = write_two_models(tmp_path, ORDER, documents)
    for function in (howsure.compare_models, howsure.mean_scores):
        with pytest.raises(InputError, match=r"is not the same document in .* Evaluate the models on the same version"):
            function(data=log)
    with pytest.raises(InputError, match="Evaluate both models on the same version"):
        howsure.check_score("acc", against=howsure.read(b), data=howsure.read(a))
    done = run_command("significance", str(a), str(b))
    assert (done.code, "answers to different questions must not be paired" in done.err) == (2, True)
    assert howsure.mean_scores(data=howsure.read(a))[0].n == N  # a single log has nothing to pair


def test_a_document_that_occurs_twice_under_consistent_items_is_two_items(tmp_path: Path) -> None:
    log, *_ = write_two_models(tmp_path, range(N), [f"document {i // 2}" for i in range(N)])
    assert howsure.compare_scores(data=log, rng=0).means[0].n == N


def test_rows_left_out_by_a_condition_are_not_checked(tmp_path: Path) -> None:
    log, a, b = write_two_models(tmp_path, range(N), [*PLAIN[:-1], "another"])
    with pytest.raises(InputError, match=rf"item {N - 1} of quiz .* \(1 of {N} items differ\)"):
        howsure.compare_scores(data=log)
    kept = howsure.read([a, b], where=f"item < {N - 1}")
    assert howsure.compare_scores(data=kept, rng=0).means[0].n == N - 1


def test_messages_of_inspect_are_the_same_whatever_ids_a_run_gives_them(tmp_path: Path) -> None:
    paths = []
    for model, text in (("a", "What"), ("b", "What"), ("c", "Which")):
        inputs = [[{"id": f"{model}{i}", "role": "user", "content": f"{text} {i}?"}] for i in range(6)]
        samples = [inspect_sample(f"q{i}", "A", "AB"[i % 2]) | {"input": inputs[i]} for i in range(6)]
        path = write_inspect(tmp_path / f"{model}.json", samples)
        log = json.loads(path.read_text())
        log["eval"]["model"] = model
        path.write_text(json.dumps(log))
        paths.append(path)
    assert len(howsure.mean_scores(data=howsure.read(paths[:2]), rng=0)) == 2
    with pytest.raises(InputError, match="item 'q0' of quiz is not the same document"):
        howsure.mean_scores(data=howsure.read(paths), rng=0)


def test_hashes_of_two_kinds_are_not_compared() -> None:
    rows = [("a", {"item": 1, "item_hash": "doc_hash:x"}), ("b", {"item": 1, "item_hash": "doc:y"})]
    assert contradiction_in(rows) is None
    assert contradiction_in([*rows, ("c", {"item": 1, "item_hash": "doc:z"})]) is not None
