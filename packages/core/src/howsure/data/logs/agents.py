"""Logs of agent and tool-use benchmarks (tau2-bench, Harbor, Terminal-Bench, SWE-bench, BFCL) and of OpenAI's evals."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from howsure.data.logs.log_file import Beginning, LogFormat, Row, Source, listed, mapping, number, with_scores
from howsure.errors import quote
from howsure.inputs.frames import EXCEPTION
from howsure.inputs.numbers_and_names import part_of
from howsure.inputs.source_names import source_name

UNIT: Mapping[str, tuple[float, float]] = dict.fromkeys(("reward", "resolved", "valid"), (0.0, 1.0))


def _rewards(record: Mapping[str, Any], rewards: Mapping[str, Any], source: Source) -> Row:
    """Return a row with its rewards as scores; the reward is missing if the run ended before it was assigned."""
    return with_scores(dict(record), {"reward": None, **source.scores(rewards)})


# tau2-bench writes one document with the simulations of all tasks and trials.


def _is_tau2(beginning: Beginning) -> bool:
    keys = set(beginning.keys)
    of_info = {"agent_info", "user_info", "environment_info"} <= keys
    return beginning.file.format == "json" and (of_info or {"reward_info", "task_id", "termination_reason"} <= keys)


def _tau2(source: Source) -> Iterator[Row]:
    document = mapping(source.document())
    info, simulations = mapping(document.get("info")), document.get("simulations")
    if not isinstance(simulations, list):
        raise source.fault(1, "it has no list of simulations. Is this a results file of tau2-bench?")
    agent = mapping(info.get("agent_info"))
    kind = agent.get("implementation")
    named = {  # the agent of tau2-bench itself is named by its model alone
        "model": "/".join(str(name) for name in (kind, agent.get("llm")) if name and name != "llm_agent") or None,
        "task": mapping(info.get("environment_info")).get("domain_name"),
    }
    for at, simulation in enumerate(map(mapping, simulations), start=1):
        if "task_id" not in simulation:
            raise source.fault(at, "it has no task_id. Is this a simulation of tau2-bench?")
        reward = mapping(simulation.get("reward_info")).get("reward")
        costs = {name: number(simulation.get(name)) for name in ("agent_cost", "user_cost", "duration")}
        row = named | {"item": simulation["task_id"], "run": simulation.get("trial"), **costs}
        row[EXCEPTION] = str(simulation.get("termination_reason") or "no reward") if reward is None else None
        yield _rewards(row, {"reward": reward}, source)


# Harbor (Terminal-Bench) writes one document per trial, result.json in the trial's folder.


def _is_harbor(beginning: Beginning) -> bool:
    needed = {"task_name", "trial_name", "agent_info"}
    return beginning.file.format == "json" and needed <= set(beginning.keys)


def _harbor(source: Source) -> Iterator[Row]:
    trial = mapping(source.document())
    agent = mapping(trial.get("agent_info"))
    model = mapping(agent.get("model_info")).get("name")
    rewards = mapping(mapping(trial.get("verifier_result")).get("rewards"))
    row = {
        "item": trial.get("task_name"),
        "run": trial.get("trial_name"),
        "model": "/".join(str(name) for name in (agent.get("name"), model) if name) or None,
        "task": trial.get("source"),
    }
    error = str(mapping(trial.get("exception_info")).get("exception_type") or "no verifier result")
    of_agent = mapping(trial.get("agent_result"))
    row |= {name: number(of_agent.get(name)) for name in ("cost_usd", "n_input_tokens", "n_output_tokens")}
    row |= {"seconds": _seconds(trial.get("started_at"), trial.get("finished_at"))}
    yield _rewards(row | {EXCEPTION: None if rewards else error}, rewards, source)


def _seconds(start: Any, end: Any) -> float | None:
    """Return the seconds between two ISO 8601 times; None if one is missing."""
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (TypeError, ValueError):
        return None


# Terminal-Bench before Harbor wrote results.json with all trials of a run, or with one trial in a folder below the run.


def _is_terminal_bench(beginning: Beginning) -> bool:
    return beginning.file.format == "json" and {"trial_name", "task_id", "is_resolved"} <= set(beginning.keys)


def _terminal_bench(source: Source) -> Iterator[Row]:
    """Yield a row per trial; a trial without a result ended in an error."""
    document = mapping(source.document())
    trials = document.get("results")
    run = source if trials is not None else _run_of_trial(source)
    settings = mapping(run.sibling("run_metadata.json"))
    folder, run_name = os.path.split(os.path.abspath(run.folder))
    if trials is not None and os.path.basename(run.name) != "results.json":  # the results of several runs in one folder
        folder, run_name = run.folder, source_name(run.name)
    is_in_tree = trials is not None or os.path.basename(source.folder) == document.get("trial_name")
    if not (settings or is_in_tree):
        folder, run_name = "", ""
    agent, folder = settings.get("agent_name"), os.path.basename(folder)
    # The runs in a folder are one agent if it has a name; runs without a name are agents of their own.
    names = (agent, settings.get("model_name") or (folder if agent else run_name))
    model = "/".join(filter(None, names)) or None
    for at, trial in enumerate(map(mapping, [document] if trials is None else listed(trials)), start=1):
        if "task_id" not in trial:
            raise source.fault(at, "it has no task_id. Is this a trial of Terminal-Bench?")
        resolved = number(trial.get("is_resolved"))
        row = {"item": trial["task_id"], "run": trial.get("trial_name"), "model": model, "folder": folder or None}
        row |= {name: number(trial.get(f"total_{name}")) or None for name in ("input_tokens", "output_tokens")}
        row["seconds"] = _seconds(trial.get("trial_started_at"), trial.get("trial_ended_at"))
        row[EXCEPTION] = str(trial.get("failure_mode") or "no result") if resolved is None else None
        yield with_scores(row, {"resolved": resolved})


def _run_of_trial(source: Source) -> Source:
    """Return the document of a trial's run, RUN/results.json for RUN/TASK/TRIAL/results.json; it need not exist."""
    path = os.path.join(os.path.dirname(os.path.dirname(source.folder)), os.path.basename(source.name))
    return replace(source, file=replace(source.file, path=path, name=path)) if source.folder else source


# SWE-bench writes the report of a run, or the results of an entry of the leaderboard, with ids of instances by outcome.


def _is_swe_bench(beginning: Beginning) -> bool:
    keys = set(beginning.keys)
    is_report = {"resolved_ids", "total_instances"} <= keys or {"resolved", "no_generation"} <= keys
    return beginning.file.format == "json" and is_report


def _swe_bench(source: Source) -> Iterator[Row]:
    report = mapping(source.document())
    of_entry = "resolved_ids" not in report
    if of_entry and "generated" not in report:
        raise source.fault(
            1,
            "it lists the resolved instances, but not the others, which failed. Use the report that SWE-bench's "
            "harness writes, <model>.<run>.json.",
        )
    outcomes, suffix = (ENTRY_OUTCOMES, "") if of_entry else (OUTCOMES, "_ids")
    ids = {outcome: [str(name) for name in listed(report.get(f"{outcome}{suffix}"))] for outcome in outcomes}
    resolved = set(ids["resolved"])
    attempted = dict.fromkeys(name for names in ids.values() for name in names)
    unattempted = report.get("total_instances")
    if isinstance(unattempted, int) and unattempted > len(attempted):
        n = unattempted - len(attempted)
        source.note(f"{part_of(n, unattempted, 'instance', 'was', 'were')} not submitted")
    errors = {name for outcome in ERRORS for name in ids.get(outcome, ())} - resolved
    empty = {name for outcome in EMPTY for name in ids.get(outcome, ())} - resolved - errors
    reasons = [f"{what} ({len(names):,})" for what, names in (("an error", errors), ("no patch", empty)) if names]
    if reasons:
        source.note(f"instances with {' or '.join(reasons)} count as not resolved")
    for name in attempted:
        error = "error" if name in errors else None
        yield {"item": name, "repository": name.rpartition("-")[0], "resolved": int(name in resolved), EXCEPTION: error}


OUTCOMES = ("submitted", "completed", "resolved", "unresolved", "empty_patch", "error")
EMPTY = ("empty_patch", "no_generation")
ERRORS = ("error", "install_fail", "reset_failed", "test_errored", "test_timeout")
ENTRY_OUTCOMES = ("generated", "no_generation", "resolved", *ERRORS)


# BFCL writes a first line with counts, then a line for each wrong answer.

COUNTS = ("accuracy", "correct_count", "total_count")
CATEGORY = re.compile(r"(?:BFCL_v\d+_)?(.+?)_score")


def _is_bfcl(beginning: Beginning) -> bool:
    return beginning.file.format in ("json", "jsonl") and beginning.keys[:3] == COUNTS


def _bfcl(source: Source) -> Iterator[Row]:
    records = source.records()
    _, counts = next(records)
    correct, total = counts.get("correct_count"), counts.get("total_count")
    category = CATEGORY.fullmatch(source_name(source.name))
    wrong_answers = list(records)
    models = (record["model_name"] for _, record in wrong_answers if record.get("model_name"))
    named: Row = {"model": next(models, None) or _model_folder(source), "task": category[1] if category else None}
    for line, record in wrong_answers:
        if "id" not in record:
            raise source.fault(line, "it has no id. Is this a score file of BFCL?")
        yield named | {"item": record["id"], "valid": 0, "error_type": record.get("error_type")}
    if not (isinstance(correct, int) and isinstance(total, int) and 0 <= correct == total - len(wrong_answers)):
        claim = f"{quote(correct)} of {quote(total)} correct answers"
        raise source.fault(1, f"it counts {claim}, but {len(wrong_answers):,} wrong answers follow.")
    yield from (named | {"valid": 1} for _ in range(correct))


def _model_folder(source: Source) -> str | None:
    """Return the folder that names the model, as in BFCL's score/<model>/…"""
    folders = os.path.abspath(source.name).split(os.sep)[:-1]
    after = len(folders) - folders[::-1].index("score") if "score" in folders else len(folders)
    return folders[after] if after < len(folders) else None


# OpenAI's evals write a specification, then events; events of other types than sampling evaluate a sample.


def _is_openai_evals(beginning: Beginning) -> bool:
    return "eval_name" in mapping(beginning.record.get("spec"))


def _openai_evals(source: Source) -> Iterator[Row]:
    """Yield a row per sample, or per run of a sample; a match event and a metrics event of a run form one row."""
    named: Row = {}
    # for each run of a sample, its events by type
    items, runs_of_samples = (dict[str, Any](), dict[str, list[dict[str, Row]]]())
    for line, record in source.records():
        kind = record.get("type")
        if "spec" in record:
            spec = mapping(record["spec"])
            models = listed(spec.get("completion_fns"))
            named = {"model": models[0] if models else None, "task": spec.get("base_eval") or spec.get("eval_name")}
        elif kind in JUDGEMENTS:
            if "sample_id" not in record:
                raise source.fault(line, "it has no sample_id. Is this a log of OpenAI's evals?")
            sample = str(record["sample_id"])
            items[sample] = record["sample_id"]
            runs = runs_of_samples.setdefault(sample, [])
            run = next((events for events in runs if kind not in events), None)
            if run is None:
                runs.append(run := {})
            run[kind] = _judgement(mapping(record.get("data")), scores=kind == "metrics")
    is_repeated = any(len(runs) > 1 for runs in runs_of_samples.values())
    for sample, runs in runs_of_samples.items():
        for number_of_run, events in enumerate(runs):
            row = named | {"item": items[sample]} | ({"run": number_of_run} if is_repeated else {})
            for event in events.values():
                row |= event
            yield row


def _judgement(data: Mapping[str, Any], *, scores: bool) -> Row:
    """Return the evaluation in an event. scores: whether its numbers are scores; a match's are expected answers."""
    texts = {"prediction": data.get("sampled"), "target": data.get("expected")}
    row: Row = {name: value for name, value in texts.items() if isinstance(value, str)}
    if not scores or data.get("correct") is not None:
        row["correct"] = number(data.get("correct"))
    numbers = {name: value for name, value in data.items() if name != "correct" and number(value) is not None}
    return with_scores(row, numbers if scores else {})


JUDGEMENTS = ("match", "metrics")


def _formats(*formats: LogFormat) -> dict[str, LogFormat]:
    return {log_format.name: log_format for log_format in formats}


AGENTS = _formats(
    LogFormat("tau2", "tau2-bench", _is_tau2, _tau2, bounds=UNIT),
    LogFormat("harbor", "Harbor", _is_harbor, _harbor),
    LogFormat("terminal-bench", "Terminal-Bench", _is_terminal_bench, _terminal_bench, bounds=UNIT),
    LogFormat("swe-bench", "SWE-bench", _is_swe_bench, _swe_bench, bounds=UNIT),
    LogFormat("bfcl", "BFCL", _is_bfcl, _bfcl, bounds=UNIT),
    LogFormat("openai-evals", "OpenAI evals", _is_openai_evals, _openai_evals),
)
