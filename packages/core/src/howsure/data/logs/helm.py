"""Runs of HELM: per_instance_stats.json, display_predictions.json, and scenario_state.json with all answers."""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from howsure.data.logs.item_documents import content_hash
from howsure.data.logs.log_file import GROUP, Beginning, LogFormat, Row, Source, listed, mapping, with_scores
from howsure.data.logs.tokens import answer_probability
from howsure.errors import InputError, quote
from howsure.inputs.frames import EXCEPTION

MAIN_METRICS = {  # metric -> scenarios, as in the schemas of HELM's leaderboards; exact_match for all others
    "chain_of_thought_correctness": "gpqa mmlu_pro",
    "ifeval_strict_accuracy": "ifeval",
    "omni_math_accuracy": "omni_math",
    "wildbench_score_rescaled": "wildbench",
    "math_equiv_chain_of_thought": "math",
    "math_equiv": "math",
    "final_number_exact_match": "gsm",
    "exact_match_indicator": "gsm dyck_language",
    "f1_set_match": "synthetic_reasoning_natural",
    "f1_score": "narrative_qa natural_qa quac",
    "rouge_2": "summarization_cnndm summarization_xsum billsum_legal_summarization eurlexsum_legal_summarization",
    "bleu_4": "wmt_14",
    "RR@10": "msmarco",
    "bits_per_byte": "the_pile ice twitter_aae",
    "pass": "code",
    "test_avg": "code",
    "quasi_exact_match": "babi_qa bbq boolq civil_comments entity_data_imputation entity_matching imdb legal_support "
    "legalbench lsat_qa med_qa raft synthetic_reasoning wikifact",
}
STATS, SETTING, STATE = "per_instance_stats.json", "run_spec.json", "scenario_state.json"
SURE = "every max_prob is 1: HELM writes that for models without log-probabilities, so none is read"


def recognises(beginning: Beginning) -> bool:
    """Whether a JSON document begins like the statistics of instances or the state of a scenario."""
    if beginning.file.format != "json":
        return False
    keys = set(beginning.keys)
    return {"instance_id", "train_trial_index", "stats"} <= keys or {"adapter_spec", "request_states"} <= keys


def rows(source: Source) -> Iterator[Row]:
    """Yield a row for each instance, trial and perturbation: statistics and, from a scenario state, the answer."""
    document = source.document()
    named = _setting(document, source)
    if isinstance(document, list):
        stats_rows = [_stats_row(record, source, at) for at, record in enumerate(document, 1)]
        errors = _errors(source)
        stats_rows = [row | {EXCEPTION: errors.get(_key(row))} for row in stats_rows] if errors else stats_rows
        yield from _without_certainties([_main_metric_first(named | row) for row in stats_rows], source)
        return
    stats_document = source.sibling(STATS)
    if not isinstance(stats_document, list | None):
        raise InputError(f"{STATS} next to {source.name} must contain a list; it contains {quote(stats_document)}.")
    stats = (
        {}
        if stats_document is None
        else {_key(row): row for row in (_stats_row(record, source, 0) for record in stats_document)}
    )
    answers = [_state_row(state, source, at) for at, state in enumerate(_states(document, source), 1)]
    answers_by_key = {_key(row): row for row in answers}  # one for each instance, although each choice is a request
    joined = [named | stats.get(key, {}) | row for key, row in answers_by_key.items()]
    yield from _without_certainties(list(map(_main_metric_first, joined)), source)


def _errors(source: Source) -> dict[tuple[Any, ...], str]:
    """Return the errors of failed requests by instance, from the scenario state; HELM scores their empty answers."""
    path = os.path.join(source.folder, STATE)
    if not source.folder or not os.path.isfile(path) or not os.path.getsize(path):
        return {}
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        if text.find(b'"success": false') < 0 and text.find(b'"success":false') < 0:  # the file may be huge
            return {}
    rows = [_state_row(state, source, at) for at, state in enumerate(_states(source.sibling(STATE), source), 1)]
    return {_key(row): row[EXCEPTION] for row in rows if row.get(EXCEPTION) is not None}


def _main_metric_first(row: Row) -> Row:
    """Reorder a row so that the main metric of its scenario comes first."""
    scenario = str(row.get("task")).partition(":")[0]
    metrics = (metric for metric, scenarios in MAIN_METRICS.items() if scenario in scenarios.split())
    main = next((metric for metric in (*metrics, "exact_match") if metric in row), None)
    return row if main is None else {main: row[main], **row}


def _key(row: Row) -> tuple[Any, ...]:
    return str(row["item"]), str(row["run"]), str(row["prompt"])


def _setting(document: Any, source: Source) -> Row:
    """Return the model and the task, from the run's specification in the same folder or from the scenario state."""
    settings_document = source.sibling(SETTING)
    spec = settings_document if isinstance(settings_document, dict) else document if isinstance(document, dict) else {}
    adapter = mapping(spec.get("adapter_spec"))
    name, _, arguments = str(spec.get("name", "")).partition(":")
    kept = ",".join(part for part in arguments.split(",") if part and not part.startswith("model"))
    return {
        "model": adapter.get("model") or adapter.get("model_deployment"),
        "task": f"{name}:{kept}" if kept else name or None,
    }


def _perturbation(instance: Mapping[str, Any]) -> Any:
    return mapping(instance.get("perturbation")).get("name")


def _stats_row(record: Any, source: Source, at: int) -> Row:
    stats = mapping(record).get("stats")
    if not isinstance(stats, list | dict) or "instance_id" not in record:
        raise source.fault(at, "it has no instance_id or no stats. Is this per_instance_stats.json of HELM?")
    row: Row = {"item": record["instance_id"], "run": record.get("train_trial_index"), "prompt": _perturbation(record)}
    if isinstance(stats, dict):  # display_predictions.json
        row["prediction"] = record.get("mapped_output", record.get("predicted_text"))
        means = list(stats.items())
    else:
        means = [(mapping(stat.get("name")).get("name"), stat.get("mean")) for stat in map(mapping, stats)]
    scores = source.scores({name: mean for name, mean in means if isinstance(name, str) and mean is not None})
    if "max_prob" in scores and "exact_match" in scores:
        row |= {"probability": scores["max_prob"], "correct": scores["exact_match"]}
    return with_scores(row, scores)


def _states(document: Any, source: Source) -> Sequence[Any]:
    states = mapping(document).get("request_states")
    if not isinstance(states, list):
        raise InputError(f"{source.name} has no request_states. Is this scenario_state.json of HELM?")
    return states


def _state_row(record: Any, source: Source, at: int) -> Row:
    """Return the model's answer to an instance, with probabilities if the instance is a multiple-choice question."""
    instance = mapping(mapping(record).get("instance"))
    references = instance.get("references")
    if not isinstance(references, list) or "id" not in instance:
        raise source.fault(at, "it has no instance with an id and references.")
    row: Row = {"item": instance["id"], "run": record.get("train_trial_index"), "prompt": _perturbation(instance)}
    result = mapping(record.get("result"))
    if result.get("success") is False:
        row[EXCEPTION] = str(result.get("error") or "request failed").partition("\n")[0]
    if row["prompt"] is None:  # a perturbed instance has the id of the original
        row["item_hash"] = content_hash(mapping(instance.get("input")).get("text"))
    texts = [str(mapping(mapping(reference).get("output")).get("text")) for reference in references]
    right = [place for place, reference in enumerate(references) if "correct" in listed(mapping(reference).get("tags"))]
    choices = mapping(record.get("output_mapping"))
    if len(choices) < 2:
        row |= {"target": texts[right[0]] if len(right) == 1 else None}
        return row if "reference_index" in record else row | {"prediction": _completion(record).get("text")}
    letters, answers = list(choices), list(choices.values())
    places = [answers.index(texts[place]) for place in right if texts[place] in answers]
    row |= {"classes": answers, "target": places[0] if len(places) == 1 else None, "targets": places}
    completion = _completion(record)
    text = str(completion.get("text", "")).strip()
    if text not in letters:
        return row
    row["prediction"] = letters.index(text)
    certainty = answer_probability(_tokens(completion), text, letters)
    return row | ({"log_probabilities": certainty["log_probabilities"]} if "log_probabilities" in certainty else {})


def _completion(state: Any) -> Mapping[str, Any]:
    completions = listed(mapping(state.get("result")).get("completions"))
    return mapping(completions[0]) if completions else {}


def _tokens(completion: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Convert the tokens of a completion to the form of other logs."""
    tokens = [mapping(token) for token in listed(completion.get("tokens"))]
    return [
        {
            "token": record.get("text"),
            "logprob": record.get("logprob"),
            "top_logprobs": [
                {"token": token, "logprob": logprob} for token, logprob in mapping(record.get("top_logprobs")).items()
            ],
        }
        for record in tokens
    ]


def _without_certainties(answers: list[Row], source: Source) -> list[Row]:
    """Drop the probabilities if all are 1, which HELM writes for models without log-probabilities."""
    certainties = [row["probability"] for row in answers if "probability" in row]
    if not certainties or any(not math.isclose(certainty, 1.0, abs_tol=1e-12) for certainty in certainties):
        return answers
    source.note(SURE)
    return [{name: value for name, value in row.items() if name not in ("probability", "max_prob")} for row in answers]


SHARES = ("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "f1_score")
HELM = LogFormat("helm", "HELM", recognises, rows, group=GROUP, bounds=dict.fromkeys(SHARES, (0.0, 1.0)))
