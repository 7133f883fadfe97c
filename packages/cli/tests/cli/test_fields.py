"""`howsure fields`: from responses of an API to a policy, its decisions and its check."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200 responses with two fields, and the true values."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("fields")
    responses, gold = [], []
    for i in range(200):
        p = float(rng.beta(30, 1))
        total, paid = (5, "true") if rng.random() < p else (6, "false")
        tokens = [
            {"token": text, "logprob": math.log(q)}
            for text, q in (('{"total":', 1.0), (f" {total}", p), (',"paid":', 1.0), (f" {paid}", p), ("}", 1.0))
        ]
        content = "".join(str(token["token"]) for token in tokens)
        choice = {"message": {"content": content}, "logprobs": {"content": tokens}, "finish_reason": "stop"}
        responses.append({"document": f"d{i}", "object": "chat.completion", "choices": [choice]})
        gold.append({"id": f"d{i}", "total": 5, "paid": True})
    for name, rows in (("out.jsonl", responses), ("gold.jsonl", gold)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def test_a_policy_is_written_applied_and_checked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = run("fields out.jsonl --gold gold.jsonl --max-risk 0.1 --write-policy policy.json --format json")
    assert (done.code, done.err) == (0, "The policy was written to policy.json.\n")
    table = json.loads(done.out)
    assert [(row["field"], row["n"]) for row in table["fields"]] == [("total", 200), ("paid", 200)]
    filed = table["policy"]["filed_documents"]
    decisions = printed("fields apply out.jsonl --policy policy.json --audit 5 --seed 1 --format csv").splitlines()
    assert decisions[0] == "document,score,audit,decision"
    assert sum(line.endswith(",file") for line in decisions) == filed > 100
    assert sum(line.split(",")[2] in ("yes", "1", "True", "true") for line in decisions[1:]) == 5
    assert run("check fields out.jsonl --gold gold.jsonl --policy policy.json").code in (0, 3)
    wrong = (folder / "gold.jsonl").read_text(encoding="utf-8").replace('"total": 5', '"total": 7')
    (folder / "wrong.jsonl").write_text(wrong, encoding="utf-8")
    assert run("check fields out.jsonl --gold wrong.jsonl --policy policy.json").code == 1


def test_no_policy_is_written_without_a_promise(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = run("fields out.jsonl --gold gold.jsonl --max-risk 0.001 --write-policy none.json")
    assert (done.code, done.out) == (2, "")
    assert "No policy was written." in done.err
    assert not Path("none.json").exists()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("--write-policy p.json", "--write-policy needs --max-risk"),
        ("--compare total", "write FIELD=SETTING"),
        ("--compare total=about", "--compare of total must be one of exact, text, number, date, set; it is 'about'"),
        ("--compare sum=number", "sum"),
        ("--max-risk 5", "--max-risk must be greater than 0 and less than 1; it is 5.0"),
    ],
)
def test_options_are_refused_in_words(folder: Path, monkeypatch: pytest.MonkeyPatch, typed: str, words: str) -> None:
    monkeypatch.chdir(folder)
    done = run(f"fields out.jsonl --gold gold.jsonl {typed}")
    assert done.code == 2
    assert words in " ".join(done.err.split())
