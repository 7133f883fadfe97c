"""A small log of every format: what it holds as JSON, and what writes that to a file in a folder."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.data.logs.writers import (
    alpaca_eval,
    decisions_by_name,
    decisions_in_a_list,
    deepeval_case,
    deepeval_run,
    evalplus,
    every_eval_ever,
    helm_state,
    helm_stats,
    human_eval,
    inspect_header,
    inspect_sample,
    lighteval_detail,
    live_code_bench,
    lm_eval_sample,
    lm_eval_text,
    mmlu_pro,
    openai_batch,
    openai_chat,
    openai_completion,
    openai_response,
    promptfoo,
    promptfoo_document,
    write_lines,
    write_parquet,
)

Writer = Callable[[Path, Any], Path]
ALL = {"A": 0.5, " A": 0.125, "B": 0.125, "C": 0.0625, " D": 0.0625, "I": 0.125}
LETTERS = {"A": 0.75, "B": 0.25}


def lines(folder: Path, content: Any) -> Path:
    """JSON lines."""
    return write_lines(folder / "log.jsonl", content)


def document(folder: Path, content: Any) -> Path:
    """One JSON document."""
    path = folder / "log.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def archive(folder: Path, content: Any) -> Path:
    """A zip of JSON documents that nobody packed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, member in content.items():
            packed.writestr(zipfile.ZipInfo(name), json.dumps(member))
    path = folder / "log.eval"
    path.write_bytes(buffer.getvalue())
    return path


def table(folder: Path, content: Any) -> Path:
    """Parquet."""
    return write_parquet(folder / "details_log.parquet", content)


INSPECTED = [inspect_sample("q1", "A", "A", letters=LETTERS), inspect_sample("q2", "Faust", "Faust", choices=None)]
STATS = [helm_stats("id1", max_prob=0.75, exact_match=1.0), helm_stats("id2", max_prob=0.5, exact_match=0.0)]
STATE = {"adapter_spec": {"model": "m"}, "request_states": [helm_state("id1", "A", "A", letters=LETTERS)]}

SCORED = [{"text": "?", "gold": "a", "scores": [{"label": "a", "score": 0.75}, {"label": "b", "score": 0.25}]}]

AGENT = {"name": "agent", "version": "1", "model_info": {"name": "m", "provider": "org"}}
AGENTS: dict[str, tuple[Any, Writer]] = {
    "tau2": (
        {
            "info": {"agent_info": {"llm": "m"}, "user_info": {}, "environment_info": {"domain_name": "shop"}},
            "simulations": [
                {"task_id": "1", "trial": trial, "reward_info": {"reward": reward}, "agent_cost": 0.5}
                for trial, reward in enumerate((1.0, 0.0))
            ],
        },
        document,
    ),
    "harbor": (
        {"task_name": "t", "trial_name": "t__1", "agent_info": AGENT, "verifier_result": {"rewards": {"reward": 1.0}}},
        document,
    ),
    "terminal-bench": (
        {
            "results": [
                {"task_id": "t", "trial_name": f"t.{k}", "is_resolved": resolved, "failure_mode": "unset"}
                for k, resolved in enumerate((True, False, None))
            ]
        },
        document,
    ),
    "swe-bench": (
        {"total_instances": 3, "submitted_ids": ["a-1", "a-2"], "resolved_ids": ["a-1"], "error_ids": ["a-2"]},
        document,
    ),
    "bfcl": (
        [
            {"accuracy": 0.5, "correct_count": 1, "total_count": 2},
            {"id": "simple_1", "model_name": "m", "valid": False, "error_type": "value"},
        ],
        lines,
    ),
    "openai-evals": (
        [
            {"spec": {"completion_fns": ["m"], "eval_name": "own.dev.v0"}},
            {"sample_id": "own.1", "type": "match", "data": {"correct": True, "expected": "a", "sampled": "a"}},
            {"sample_id": "own.2", "type": "metrics", "data": {"correct": False, "score": 0.25}},
        ],
        lines,
    ),
}
LOGS: dict[str, tuple[Any, Writer]] = AGENTS | {
    "lm-eval": ([lm_eval_sample(0, [-1.0, -2.0], 0), lm_eval_text(1, "a", "b")], lines),
    "inspect": ({**inspect_header(), "samples": INSPECTED}, document),
    "inspect zip": ({"header.json": inspect_header(), "samples/q1_epoch_1.json": INSPECTED[0]}, archive),
    "helm": (STATE, document),
    "helm stats": (STATS, document),
    "openai": ([openai_batch("q1", openai_chat(ALL), target="B"), openai_batch("q2", None, target="A")], lines),
    "openai completions": ([{**openai_completion({" A": 0.5, "B": 0.25}), "gold": "A"}], lines),
    "openai responses": ([openai_response({"A": 0.75, "B": 0.125})], document),
    "decisions": ([decisions_by_name("r1"), decisions_by_name("r2")], lines),
    "decisions in a list": ([decisions_in_a_list("r1"), decisions_in_a_list("r2")], lines),
    "promptfoo": (promptfoo_document(promptfoo(True), promptfoo(False, item=1, failureReason=2)), document),
    "promptfoo lines": ([promptfoo(True), promptfoo(False, item=1)], lines),
    "deepeval": (deepeval_run(deepeval_case(True, match=1.0), deepeval_case(False, item=1, match=0.0)), document),
    "alpaca-eval": ([alpaca_eval(1.0), alpaca_eval(1.5, item=1), alpaca_eval(2.0, item=2)], document),
    "livecodebench": ([live_code_bench([True, False]), live_code_bench([False, False], item=1)], document),
    "mmlu-pro": ([mmlu_pro("B"), mmlu_pro(None, item=1)], document),
    "human-eval": ([human_eval(True), human_eval(False), human_eval(False, item=1)], lines),
    "evalplus": (evalplus(("pass", "pass"), ("pass", "fail"), items=2), document),
    "every-eval-ever": ([every_eval_ever(True), every_eval_ever(False, item=1)], lines),
    "hf": (SCORED, lines),
    "lighteval": ([lighteval_detail(0, [-1.0, -2.0], 0)], table),
}
