"""Small logs in the layouts of the programs that write them, made up here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

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
    pairs = [[str(one), "False"] for one in likelihoods]
    requests = {f"gen_args_{at}": {"arg_0": f"Q: {item}?\nA:", "arg_1": f" {text}"} for at, text in enumerate(choices)}
    metrics = {"acc": float(likelihoods.index(max(likelihoods)) == right)} if scores is None else dict(scores)
    return {
        "doc_id": item, "doc": {"question": f"{item}?", "subject": "physics" if item % 2 else "letters"},
        "target": str(right), "arguments": requests, "resps": [[pair] for pair in pairs], "filtered_resps": pairs,
        "filter": filter, "metrics": list(metrics), "doc_hash": "d", "prompt_hash": "p", "target_hash": "t", **metrics,
    }  # fmt: skip


def lm_eval_text(item: int, text: str, target: str, *, filter: str = "none") -> dict[str, Any]:
    """A line for a text that a model generated."""
    return {
        "doc_id": item, "doc": {}, "target": target, "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {}}},
        "resps": [[text]], "filtered_resps": [text], "filter": filter, "metrics": ["exact_match"],
        "exact_match": float(text == target),
    }  # fmt: skip


def lm_eval_results(model: str, task: str, *, shots: int = 0, delimiter: str = " ") -> dict[str, Any]:
    """The results that stand beside the samples."""
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
