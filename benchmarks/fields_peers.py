"""Extracted fields: howsure's probabilities of values, and its thresholds, compared with three other packages.

    make bench-fields                                    # installs the packages into .venv-fields

prints the tables of docs/fields.md. structured-logprobs computes log-probabilities of values from OpenAI's responses;
MAPIE computes thresholds for one field by Learn then Test, and sys1bench from the observed risk, without a guarantee.
The output names packages that are not installed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from itertools import pairwise
from typing import Any

import numpy as np
from fields import DELTA, POPULATION, World, world

import howsure
from howsure.data.structured.documents import content_and_tokens
from howsure.data.structured.json_values import field_values, value_positions
from howsure.data.structured.value_probabilities import SpelledTokens

RESPONSES, RUNS, RISK, PLACE = 500, 200, 0.03, 0  # of the field
SIZES = (100, 300, 1000)
TOLERANCE = 1e-12


def response(rng: np.random.Generator, *, is_aligned: bool) -> dict[str, Any]:
    """Return a response whose JSON is cut into random tokens: at all ends of values, or at none of them."""
    content = {
        "number": f"R{rng.integers(10**5)}",
        "total": round(float(rng.uniform(1, 999)), 2),
        "paid": bool(rng.random() < 0.5),
        "items": [{"name": 'Łódź "A"', "price": int(rng.integers(1, 99))} for _ in range(rng.integers(1, 3))],
    }
    text = json.dumps(content, ensure_ascii=bool(rng.random() < 0.5))
    cuts = set(rng.choice(np.arange(1, len(text)), len(text) // 3, replace=False).tolist())
    edges = {edge for ends in value_positions(text).values() for edge in ends}
    places = sorted({0, len(text), *cuts, *edges} if is_aligned else {0, len(text), *(cuts - edges)})
    tokens = [
        {
            "token": text[a:b],
            "bytes": list(text[a:b].encode()),
            "logprob": -float(rng.exponential(0.05)),
            "top_logprobs": [],
        }
        for a, b in pairwise(places)
    ]
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": {"content": tokens, "refusal": None}, "finish_reason": "stop"}
    return {"id": "a", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def our_log_probabilities(body: dict[str, Any]) -> Iterator[float]:
    """Return howsure's log-probability of each value, in order."""
    text, tokens, _ = content_and_tokens(body)
    spelled = SpelledTokens.of(tokens or [], text)
    for start, end in value_positions(text).values():
        yield math.log(spelled.probability(start, end).p)


def their_log_probabilities(body: dict[str, Any]) -> Iterator[float | None]:
    """Return the log-probability of each value by structured-logprobs, None for values without one."""
    from openai.types.chat.chat_completion import ChatCompletion
    from structured_logprobs import add_logprobs

    probabilities = add_logprobs(ChatCompletion.model_validate(body)).log_probs[0]
    return (None if value.text is None else float(value.text) for value in field_values(probabilities).values())


def print_probabilities() -> None:
    """Print for how many values both probabilities are equal."""
    print("| tokens | values | equal | structured-logprobs higher | lower | no value |\n|---|---:|---:|---:|---:|---:|")
    for name in ("end at values", "end elsewhere"):
        rng = np.random.default_rng(1)
        bodies = [response(rng, is_aligned=name == "end at values") for _ in range(RESPONSES)]
        pairs = [
            pair
            for body in bodies
            for pair in zip(our_log_probabilities(body), their_log_probabilities(body), strict=True)
        ]
        gaps = np.array([theirs - ours for ours, theirs in pairs if theirs is not None])
        counts = [(abs(gaps) <= TOLERANCE).sum(), (gaps > TOLERANCE).sum(), (gaps < -TOLERANCE).sum()]
        print(f"| {name} | {len(pairs):,} |", *(f"{n:,} |" for n in [*counts, len(pairs) - len(gaps)]))


@dataclass(frozen=True)
class Field:
    """The confidences of the values of one field, whether they are correct, and the true probabilities that they
    are."""

    confidence: Any
    right: Any
    chance: Any

    @classmethod
    def of(cls, documents: World) -> Field:
        """The first field of simulated documents."""
        return cls(documents.confidence[:, PLACE], documents.right[:, PLACE], documents.chance[:, PLACE])


def our_threshold(checked: Field) -> float | None:
    """Return the threshold of the field by `evaluate_fields(promise="fields")`."""
    n = len(checked.right)
    columns = {"document": np.arange(n), "field": ["total"] * n, "gold": ["a"] * n, "confidence": checked.confidence}
    columns["value"] = np.where(checked.right, "a", "b")
    table = howsure.evaluate_fields(**columns, max_risk=RISK, delta=DELTA, promise="fields")
    return None if table.policy is None else table.policy.fields[0].threshold


def their_threshold(method: str) -> Callable[[Field], float | None]:
    """Return the threshold by MAPIE, which guarantees the precision of filed values."""

    def threshold(checked: Field) -> float | None:
        from mapie.risk_control import BinaryClassificationController

        def probabilities(confidence: Any) -> Any:
            return np.column_stack([1 - confidence, confidence])

        how = {"risk": "precision", "target_level": 1 - RISK, "confidence_level": 1 - DELTA, "fwer_method": method}
        grid = np.linspace(0.99, 0.0, 100) if method == "fixed_sequence" else np.linspace(0.0, 0.99, 100)
        controller = BinaryClassificationController(probabilities, list_predict_params=grid, **how)
        controller.calibrate(checked.confidence, checked.right.astype(int))
        best = controller.best_predict_param
        return None if best is None else float(best)

    return threshold


def observed_risk_threshold(checked: Field) -> float | None:
    """Return the lowest threshold at which the observed risk keeps the limit, by sys1bench."""
    from sys1bench.metrics.selective import threshold_for_risk

    return threshold_for_risk(checked.confidence, checked.right, RISK)


METHODS: dict[str, Callable[[Field], float | None]] = {
    "howsure": our_threshold,
    "MAPIE, Bonferroni–Holm": their_threshold("bonferroni_holm"),
    "MAPIE, fixed sequence": their_threshold("fixed_sequence"),
    "sys1bench, observed risk": observed_risk_threshold,
}


def print_thresholds() -> None:
    """Print, for one field, the proportion of values filed, and how often the risk exceeds the limit."""
    print("\n| one field |", *(f"{n:,} documents |" for n in SIZES))
    print("|---|", *("---:|" for _ in SIZES))
    truth = Field.of(world("independent errors", POPULATION, np.random.default_rng(9)))
    for name, threshold in METHODS.items():
        cells = []
        for n in SIZES:
            rng, filed, broken = np.random.default_rng(3), [], []
            for _ in range(RUNS):
                chosen = threshold(Field.of(world("independent errors", n, rng)))
                rows = truth.confidence >= (math.inf if chosen is None else chosen)
                filed.append(rows.mean())
                broken.append(bool(rows.any()) and 1 - truth.chance[rows].mean() > RISK)
            cells.append(f"{np.mean(filed):.2f} ({np.mean(broken):.3f}) |")
        print(f"| {name} |", *cells, flush=True)


def main() -> None:
    """Print both tables, and the versions of the packages."""
    for package in ("structured-logprobs", "mapie", "sys1bench"):
        version = "not installed"
        with suppress(metadata.PackageNotFoundError):
            version = metadata.version(package)
        print(f"{package} {version}")
    print_probabilities()
    print_thresholds()


if __name__ == "__main__":
    main()
