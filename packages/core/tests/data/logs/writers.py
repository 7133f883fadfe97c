"""Small logs in the layouts of the programs that write them, made up here."""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from howsure.files.archive import zstd

DATE = "2026-11-22T10-00-00.000001"


def lm_eval_sample(
    item: int,
    likelihoods: Sequence[float],
    right: object,
    *,
    choices: Sequence[str] = ("no", "yes"),
    filter: str = "none",
    scores: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """A line of lm-evaluation-harness 0.4.13 for a question with choices, in which all numbers are texts."""
    pairs = [[str(likelihood), "False"] for likelihood in likelihoods]
    requests = {f"gen_args_{at}": {"arg_0": f"Q: {item}?\nA:", "arg_1": f" {text}"} for at, text in enumerate(choices)}
    metrics = {"acc": float(likelihoods.index(max(likelihoods)) == right)} if scores is None else dict(scores)
    return {
        "doc_id": item,
        "doc": {"question": f"{item}?", "subject": "physics" if item % 2 else "letters"},
        "target": str(right),
        "arguments": requests,
        "resps": [[pair] for pair in pairs],
        "filtered_resps": pairs,
        "filter": filter,
        "metrics": list(metrics),
        "doc_hash": "d",
        "prompt_hash": "p",
        "target_hash": "t",
        **metrics,
    }


def lm_eval_text(item: int, text: str, target: str, *, filter: str = "none") -> dict[str, Any]:
    """A line for a text that a model generated."""
    return {
        "doc_id": item,
        "doc": {},
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {}}},
        "resps": [[text]],
        "filtered_resps": [text],
        "filter": filter,
        "metrics": ["exact_match"],
        "exact_match": float(text == target),
    }


def lm_eval_results(model: str, task: str, *, shots: int = 0, delimiter: str = " ") -> dict[str, Any]:
    """The results file next to the samples."""
    return {"model_name": model, "n-shot": {task: shots}, "configs": {task: {"target_delimiter": delimiter}}}


def write_lm_eval(
    folder: Path, model: str, task: str, samples: Iterable[Mapping[str, Any]], *, date: str = DATE, **results: Any
) -> Path:
    """The files of a run, as the program lays them out; the path of its samples."""
    place = folder / model.replace("/", "__")
    place.mkdir(parents=True, exist_ok=True)
    results_file = place / f"results_{date}.json"
    results_file.write_text(json.dumps(lm_eval_results(model, task, **results)), encoding="utf-8")
    return write_lines(place / f"samples_{task}_{date}.jsonl", samples)


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def inspect_sample(
    item: str,
    target: str | list[str],
    answer: str,
    *,
    epoch: int = 1,
    choices: Sequence[str] | None = ("yes", "no"),
    letters: Mapping[str, float] | None = None,
    scores: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A sample of Inspect AI 0.3; `letters` are the probabilities of tokens where the answer stands."""
    output: dict[str, Any] = {"model": "mockllm/model", "choices": [{"message": {"content": f"ANSWER: {answer}"}}]}
    if letters:
        top = [{"token": token, "logprob": math.log(p)} for token, p in letters.items()]
        own_logprob = math.log(letters.get(answer, 0.5))
        tokens = [
            {"token": "ANSWER: ", "logprob": -0.5},
            {"token": answer, "logprob": own_logprob, "top_logprobs": top},
        ]
        output["choices"][0]["logprobs"] = {"content": tokens}
    scored = {"choice": "C" if answer == target else "I"} if scores is None else scores
    return {
        "id": item,
        "epoch": epoch,
        "input": f"{item}?",
        "target": target,
        "messages": [],
        "output": output,
        "scores": {name: {"value": value, "answer": answer} for name, value in scored.items()},
        "metadata": {"subject": "physics"},
        **({"choices": list(choices)} if choices else {}),
    }


def inspect_header(*, status: str = "success", version: int = 2) -> dict[str, Any]:
    """What a log of Inspect says of its run."""
    run = {"eval_id": "e", "run_id": "r", "task": "quiz", "model": "mockllm/model"}
    return {"version": version, "status": status, "eval": run}


def write_inspect(path: Path, samples: Sequence[Mapping[str, Any]], **header: Any) -> Path:
    """A log of Inspect AI: a zip with members packed by zstd if its name ends in .eval, else one JSON document."""
    if path.suffix == ".json":
        path.write_text(json.dumps({**inspect_header(**header), "samples": samples}, indent=2), encoding="utf-8")
        return path
    members = {
        f"samples/{sample['id']}_epoch_{sample['epoch']}.json": json.dumps(sample).encode() for sample in samples
    }
    content = {"_journal/start.json": b"{}", **members, "header.json": json.dumps(inspect_header(**header)).encode()}
    path.write_bytes(zip_of_zstd(list(content.items())))
    return path


def zip_of_zstd(members: Sequence[tuple[str, bytes]], *, declared: int | None = None) -> bytes:
    """A zip whose members are packed by zstd, which Python's own module writes only since 3.14."""
    local, central = b"", b""
    for name, content in members:
        packed, size = zstd().compress(content), len(content) if declared is None else declared
        sizes = struct.pack("<HHHHIII", 0, 93, 0, 33, zlib.crc32(content), len(packed), size)
        named = struct.pack("<HH", len(name), 0)
        place = len(local)
        local += b"PK\x03\x04" + struct.pack("<H", 63) + sizes + named + name.encode() + packed
        central += b"PK\x01\x02" + struct.pack("<HH", 63, 63) + sizes + named
        central += struct.pack("<HHHII", 0, 0, 0, 0, place) + name.encode()
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(central), len(local), 0)
    return local + central + b"PK\x05\x06" + end


def lighteval_detail(
    item: int, likelihoods: Sequence[float], right: int | list[int], *, choices: Sequence[str] = (" no", " yes")
) -> dict[str, Any]:
    """A row of lighteval 0.13."""
    accuracy = int(likelihoods.index(max(likelihoods)) in (right if isinstance(right, list) else [right]))
    doc = {"id": str(item), "query": f"{item}?", "choices": list(choices), "gold_index": right, "task_name": "quiz|0"}
    tokens = [list(range(1, len(choice))) for choice in choices]
    response = {"logprobs": list(likelihoods), "text": [], "output_tokens": tokens, "input_tokens": [1, 2]}
    return {"doc": doc, "model_response": response, "metric": {"acc": accuracy}}


def write_parquet(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    """A Parquet file with the keys of records as columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pa.parquet.write_table(pa.Table.from_pylist(list(records)), path)
    return path


def write_lighteval(folder: Path, model: str, records: Sequence[Mapping[str, Any]]) -> Path:
    """The details of a run, as the program lays them out."""
    return write_parquet(folder / "details" / model / DATE / f"details_quiz|0_{DATE}.parquet", records)


def helm_stats(item: str, *, trial: int = 0, **means: float) -> dict[str, Any]:
    """The statistics of an instance of HELM 0.5."""
    stats = [
        {"name": {"name": name, "split": "test"}, "count": 1, "sum": mean, "mean": mean} for name, mean in means.items()
    ]
    return {"instance_id": item, "train_trial_index": trial, "stats": stats}


def helm_state(item: str, right: str, text: str, *, letters: Mapping[str, float] | None = None) -> dict[str, Any]:
    """A request to choose a letter, and its result; `letters` are the probabilities of tokens."""
    mapping = {"A": "no", "B": "yes"}
    references = [
        {"output": {"text": choice}, "tags": ["correct"] if key == right else []} for key, choice in mapping.items()
    ]
    token: dict[str, Any] = {"text": text, "logprob": 0.0}
    if letters:
        token = {
            "text": text,
            "logprob": math.log(letters[text]),
            "top_logprobs": {k: math.log(p) for k, p in letters.items()},
        }
    completion = {"text": text, "logprob": token["logprob"], "tokens": [token]}
    return {
        "instance": {"input": {"text": "?"}, "references": references, "split": "test", "id": item},
        "train_trial_index": 0,
        "output_mapping": mapping,
        "result": {"success": True, "completions": [completion]},
    }


def write_helm(folder: Path, stats: Sequence[Mapping[str, Any]], states: Sequence[Mapping[str, Any]] = ()) -> Path:
    """The files of a run of HELM; the path of its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    adapter = {"method": "multiple_choice_joint", "model": "org/small"}
    files = {
        "per_instance_stats.json": stats,
        "run_spec.json": {"name": "mmlu:subject=law,model=org_small", "adapter_spec": adapter},
        "scenario_state.json": {"adapter_spec": adapter, "request_states": states},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=2), encoding="utf-8")
    return folder


def openai_chat(
    answers: Mapping[str, float], *, text: Sequence[str] = ("The", " answer", " is", " {}", "."), model: str = "gpt"
) -> dict[str, Any]:
    """A response of OpenAI's chat completions whose answer is the likeliest of these tokens."""
    best = max(answers, key=lambda name: answers[name])
    tops = [{"token": name, "logprob": math.log(mass), "bytes": None} for name, mass in answers.items()]
    tokens = [
        {"token": best, "logprob": math.log(answers[best]), "bytes": None, "top_logprobs": tops}
        if piece.strip() == "{}"
        else {"token": piece, "logprob": -0.25, "bytes": None, "top_logprobs": [{"token": piece, "logprob": -0.25}]}
        for piece in text
    ]
    message = {"role": "assistant", "content": "".join(token["token"] for token in tokens)}
    choice = {"index": 0, "message": message, "logprobs": {"content": tokens}, "finish_reason": "stop"}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": model, "choices": [choice], "usage": {}}


def openai_completion(answers: Mapping[str, float], *, model: str = "vllm") -> dict[str, Any]:
    """A response of the completions of vLLM."""
    chat = openai_chat(answers, text=("{}", "\n"), model=model)
    tokens = chat["choices"][0]["logprobs"]["content"]
    logprobs = {
        "tokens": [token["token"] for token in tokens],
        "token_logprobs": [token["logprob"] for token in tokens],
        "top_logprobs": [{top["token"]: top["logprob"] for top in token["top_logprobs"]} for token in tokens],
        "text_offset": [0, 2],
    }
    choice = {"index": 0, "text": " B\n", "logprobs": logprobs, "finish_reason": "stop"}
    return {"id": "x", "object": "text_completion", "created": 1, "model": model, "choices": [choice]}


def openai_response(answers: Mapping[str, float]) -> dict[str, Any]:
    """A response of OpenAI's responses API, after a step of reasoning."""
    chat = openai_chat(answers)
    text = {"type": "output_text", "text": "…", "logprobs": chat["choices"][0]["logprobs"]["content"]}
    output = [{"type": "reasoning", "summary": []}, {"type": "message", "role": "assistant", "content": [text]}]
    return {"id": "x", "object": "response", "model": "gpt", "output": output, "metadata": {"target": "A"}}


def openai_batch(item: str, body: Mapping[str, Any] | None, **more: Any) -> dict[str, Any]:
    """A line of the output of OpenAI's batches; without a body, of a request that failed."""
    error = None if body is not None else {"code": "rate_limit"}
    response = {"status_code": 200 if body is not None else 500, "request_id": "r", "body": body}
    return {"id": "b", "custom_id": item, "response": response, "error": error, **more}


def decisions_by_name(item: str, *, model: str = "jev-1", **labels: object) -> dict[str, Any]:
    """A response with typed answers by the name of their question, as typesafe-sdk types it, in a record."""
    answers = {
        "spam": {"type": "noul", "noul": 0.75},
        "tone": {
            "type": "choice",
            "choice": "calm",
            "confidence": 0.4,
            "probabilities": {"angry": 0.25, "calm": 0.625, "excited": 0.125},
        },
        "urgency": {
            "type": "score",
            "score": 1.25,
            "confidence": 0.5,
            "legend": {"0": "low", "1": "mid", "2": "high"},
            "probabilities": {"0": 0.25, "1": 0.25, "2": 0.5},
        },
        "where": {"type": "box", "box": {"top": 0.1, "left": 0.1, "bottom": 0.2, "right": 0.2}, "confidence": None},
    }
    usage = {"input_tokens": 10, "output_tokens": 3}
    response = {"model": model, "answers": answers, "usage": usage}
    return {"id": item, "response": response, "labels": {"spam": True, "tone": "calm", "urgency": 2} | labels}


def decisions_in_a_list(item: str, **labels: object) -> dict[str, Any]:
    """A response with typed answers in a list, as openai types it: truth values, a question without name."""
    answers = [
        {"type": "predicate", "name": "spam", "probability": 0.75},
        {
            "type": "choice",
            "name": "keep",
            "choice": True,
            "confidence": 0.5,
            "probabilities": [{"value": True, "probability": 0.75}, {"value": "true", "probability": 0.25}],
        },
        {
            "type": "score",
            "name": None,
            "score": 0.75,
            "confidence": 0.5,
            "probabilities": [
                {"value": 0, "label": "low", "probability": 0.25},
                {"value": 1, "label": "high", "probability": 0.75},
            ],
        },
        {"type": "refusal", "name": "tone"},
    ]
    return {"id": item, "model": "gpt-d", "answers": answers, "labels": {"spam": False, "keep": True, "3": 1} | labels}


# Logs of programs that score each item, in the layout that the program named wrote.


def promptfoo(success: bool, *, item: int = 0, model: str = "small", prompt: str = "Say {{q}}", **more: Any) -> Any:
    """A result of promptfoo 0.121; `failureReason` 2 is an error of the run."""
    test = {"vars": {"q": f"question {item}"}, "assert": [{"type": "contains", "value": "a", "metric": "content"}]}
    graded = {"pass": success, "score": float(success), "reason": "…", "componentResults": []}
    return {
        "cost": 0,
        "gradingResult": graded,
        "id": f"{item}-{model}",
        "latencyMs": 3,
        "namedScores": {"content": float(success)},
        "prompt": {"raw": "…", "label": prompt, "config": {}},
        "promptId": "p",
        "promptIdx": 0,
        "provider": {"id": "custom", "label": model},
        "response": {"output": "a"},
        "score": float(success),
        "success": success,
        "testCase": test,
        "testIdx": item,
        "vars": test["vars"],
        "failureReason": int(not success),
    } | more


def promptfoo_document(*results: Any) -> dict[str, Any]:
    """What promptfoo writes as JSON."""
    summary = {"version": 3, "timestamp": "2026-11-22T10:00:00Z", "prompts": [], "results": list(results), "stats": {}}
    return {"evalId": "eval-abc", "results": summary, "config": {}, "shareableUrl": None, "metadata": {}}


def deepeval_case(success: bool, *, item: int = 0, **scores: float | None) -> dict[str, Any]:
    """A test case of DeepEval 4.3, with a score by each metric."""
    metrics = [
        {"name": name, "threshold": 0.5, "success": success, "score": score, "strictMode": False, "flaky": False}
        for name, score in scores.items()
    ]
    case = {"name": f"test_case_{item}", "input": "…", "actualOutput": "…", "flaky": False, "success": success}
    return case | {"metricsData": metrics, "runDuration": 0.0, "order": item}


def deepeval_run(*cases: Any) -> dict[str, Any]:
    """What DeepEval writes as .latest_test_run.json."""
    run = {"testCases": list(cases), "conversationalTestCases": [], "metricsScores": [], "hyperparameters": {}}
    return {"testRunData": run | {"testPassed": 1, "testFailed": 1, "runDuration": 0.5, "official": False}}


def alpaca_eval(preference: float | None, *, item: int = 0, model: str = "small") -> dict[str, Any]:
    """An annotation of AlpacaEval 0.6."""
    outputs = {"output_1": "…", "generator_1": "reference", "output_2": "…", "generator_2": model}
    annotated = {"annotator": "judge", "preference": preference, "raw_completion": "…", "price_per_example": 0.01}
    return {"instruction": f"question {item}", "dataset": "own", **outputs, **annotated}


def live_code_bench(graded: Sequence[bool], *, item: int = 0) -> dict[str, Any]:
    """A problem of LiveCodeBench in _eval_all.json."""
    problem = {"question_title": "…", "question_content": "…", "platform": "own", "question_id": f"q{item}"}
    problem |= {"contest_id": "c", "contest_date": "2026-11-22T10:00:00", "starter_code": "", "difficulty": "easy"}
    outputs = {"output_list": ["…"] * len(graded), "code_list": ["…"] * len(graded)}
    return problem | outputs | {"graded_list": list(graded), "pass@1": 0.5, "metadata": ["{}"] * len(graded)}


def mmlu_pro(pred: str | None, *, item: int = 0, category: str = "law") -> dict[str, Any]:
    """An answer of MMLU-Pro; the right one is B."""
    question = {"question_id": item, "question": "…", "options": ["no", "yes"], "answer": "B", "answer_index": 1}
    return question | {"cot_content": "", "category": category, "src": "own", "pred": pred, "model_outputs": "…"}


def human_eval(passed: bool, *, item: int = 0) -> dict[str, Any]:
    """A sample of HumanEval after its evaluation."""
    result = "passed" if passed else "failed: "
    return {"task_id": f"Own/{item}", "completion": "    return 1\n", "result": result, "passed": passed}


def evalplus(*samples: tuple[str, str | None], items: int = 1) -> dict[str, Any]:
    """What EvalPlus 0.3 writes: the status of each sample by the tests of before, and by those added."""
    evaluations = {
        f"Own/{item}": [
            {
                "task_id": f"Own/{item}",
                "solution": "…",
                "base_status": base,
                "plus_status": plus,
                "base_fail_tests": [],
                "plus_fail_tests": [],
            }
            for base, plus in samples
        ]
        for item in range(items)
    }
    return {"date": "2026-11-22 10:00", "hash": "abc", "eval": evaluations, "pass_at_k": {"base": {"pass@1": 0.5}}}


def every_eval_ever(correct: bool, *, item: int = 0, model: str = "org/small", task: str = "quiz") -> dict[str, Any]:
    """A line of the instances of Every Eval Ever, schema 0.2.1."""
    named = {"schema_version": "0.2.1", "evaluation_id": f"{task}/{model}", "model_id": model}
    named |= {"evaluation_name": task, "sample_id": f"{task}-{item}", "interaction_type": "single_turn"}
    interaction = {"input": {"raw": "…", "reference": ["a"]}, "output": {"raw": ["a"]}, "answer_attribution": []}
    return named | interaction | {"evaluation": {"score": float(correct), "is_correct": correct}, "error": None}
