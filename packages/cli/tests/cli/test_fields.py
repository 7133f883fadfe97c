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


N, N_RIGHT, N_FILED = 100, 80, 77


def confidence(i: int) -> float:
    """The probability of the total of the i-th invoice. Its token of `paid` has the probability 0.999."""
    return 0.99 - 0.004 * i


def invoice(i: int) -> tuple[str, list[dict[str, object]]]:
    """The answer and its tokens; the least confident totals are wrong."""
    total = 100 + i if i < N_RIGHT else 1100 + i
    half = math.log(confidence(i)) / 2
    parts = [('{"total":', 0.0), (f" {str(total)[:2]}", half), (str(total)[2:], half), (', "paid":', 0.0)]
    parts += [(" true", math.log(0.999)), ("}", 0.0)]
    tokens: list[dict[str, object]] = [
        {"token": text, "bytes": list(text.encode()), "logprob": logprob, "top_logprobs": []} for text, logprob in parts
    ]
    return "".join(text for text, _ in parts), tokens


def chat(i: int) -> dict[str, object]:
    """A chat completion of OpenAI."""
    content, tokens = invoice(i)
    message = {"role": "assistant", "content": content, "refusal": None, "annotations": []}
    choice = {"index": 0, "message": message, "logprobs": {"content": tokens, "refusal": None}, "finish_reason": "stop"}
    return {"id": f"chatcmpl-{i}", "object": "chat.completion", "created": 0, "model": "m-2026", "choices": [choice]}


def responses_api(i: int) -> dict[str, object]:
    """A response of OpenAI's responses API, with reasoning."""
    content, tokens = invoice(i)
    part = {"type": "output_text", "annotations": [], "logprobs": tokens, "text": content}
    output = [
        {"id": "rs", "type": "reasoning", "summary": []},
        {"id": "msg", "type": "message", "status": "completed", "role": "assistant", "content": [part]},
    ]
    return {"id": f"resp_{i}", "object": "response", "status": "completed", "error": None, "output": output}


def vllm(i: int) -> dict[str, object]:
    """A chat completion of vLLM."""
    content, tokens = invoice(i)
    message = {"role": "assistant", "reasoning_content": None, "content": content, "tool_calls": []}
    choice = {"index": 0, "message": message, "logprobs": {"content": tokens}, "finish_reason": "stop"}
    return {"id": f"chatcmpl-{i}", "object": "chat.completion", "choices": [choice], "prompt_logprobs": None}


def batch(i: int, body: dict[str, object]) -> dict[str, object]:
    """A line of batch output."""
    response = {"status_code": 200, "request_id": f"r{i}", "body": body}
    return {"id": f"batch_req_{i}", "custom_id": f"inv-{i}", "response": response, "error": None}


def write_lines(name: str, records: list[dict[str, object]]) -> None:
    Path(name).write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def write_layout(layout: str) -> str:
    """Write predicted and true values of all invoices as `layout`; return the arguments that name them."""
    true: list[dict[str, object]] = [{"total": 100 + i, "paid": True} for i in range(N)]
    write_lines("gold.jsonl", [{"id": f"inv-{i}"} | values for i, values in enumerate(true)])
    if layout == "long table":
        rows = ["invoice_id,field_name,predicted_value,confidence_score,ground_truth"]
        for i in range(N):
            rows.append(f"inv-{i},total,{json.loads(invoice(i)[0])['total']},{confidence(i)},{100 + i}")
            rows.append(f"inv-{i},paid,true,0.999,true")
        Path("values.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        return "values.csv"
    if layout == "folders":
        for i, values in enumerate(true):
            total = {"value": json.loads(invoice(i)[0])["total"], "confidence": confidence(i)}
            predicted = {"total": total, "paid": {"value": True, "confidence": 0.999}}
            for folder, content in (("predicted", predicted), ("gold", values)):
                Path(folder).mkdir(exist_ok=True)
                (Path(folder) / f"inv-{i}.json").write_text(json.dumps(content), encoding="utf-8")
        return "predicted --gold gold"
    if layout == "by name":
        Path("out.json").write_text(json.dumps({f"inv-{i}": chat(i) for i in range(N)}), encoding="utf-8")
        Path("gold.json").write_text(json.dumps({f"inv-{i}.pdf": true[i] for i in range(N)}), encoding="utf-8")
        return "out.json --gold gold.json"
    response = {"chat": chat, "responses": responses_api, "vllm": vllm}[layout]
    write_lines("out.jsonl", [batch(i, response(i)) for i in range(N)])
    return "out.jsonl --gold gold.jsonl"


@pytest.mark.parametrize("layout", ["chat", "responses", "vllm", "long table", "folders", "by name"])
def test_files_of_vendors_lead_to_the_policy_computed_by_hand(
    layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """77 documents, of which one may be wrong, are filed, as 0.95^77 (1 + 77/19) = 0.097; the next threshold fails."""
    monkeypatch.chdir(tmp_path)
    files = write_layout(layout)
    done = run(f"fields {files} --max-risk 0.05 --promise documents --write-policy p.json --format json")
    assert (done.code, done.err) == (0, "The policy was written to p.json.\n")
    table = json.loads(done.out)
    assert [(row["field"], row["n"], row["accuracy"]["value"]) for row in table["fields"]] == [
        ("total", N, 0.8),
        ("paid", N, 1.0),
    ]
    policy = table["policy"]
    assert policy["threshold"] == pytest.approx(0.999 * confidence(N_FILED - 1), abs=1e-12)
    assert (policy["filed_documents"], policy["filed_values"], policy["wrong_values"]) == (N_FILED, 2 * N_FILED, 0)
    decisions = printed(f"fields apply {files.partition(' ')[0]} --policy p.json --format csv").splitlines()[1:]
    assert [line.rpartition(",")[2] for line in decisions] == ["file"] * N_FILED + ["show: total"] * (N - N_FILED)


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
