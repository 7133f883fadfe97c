"""Invented responses of models: the fields of invoices in the format of OpenAI's batch API, and typed decisions."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any


def invoices() -> dict[str, bytes]:
    """Responses and true values of 300 checked invoices, and of 1,000 new ones."""
    checked, gold = _responses_and_gold(300, random.Random(4))
    new, new_gold = _responses_and_gold(1000, random.Random(3))
    return {
        "invoices/checked.jsonl": checked,
        "invoices/gold.jsonl": gold,
        "invoices/new.jsonl": new,
        "invoices/new-gold.jsonl": new_gold,
    }


def _responses_and_gold(n: int, draw: random.Random) -> tuple[bytes, bytes]:
    rows = [_invoice(f"invoice-{number}", draw) for number in range(n)]
    return _json_lines(response for response, _ in rows), _json_lines(gold for _, gold in rows)


def _invoice(name: str, draw: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the response to an invoice, and its true values. Some are hard to read; confidences are too high."""
    number, date = draw.randrange(10**5, 10**6), f"2026-{draw.randrange(1, 10):02}-{draw.randrange(10, 29)}"
    total, paid = round(draw.uniform(20, 900), 2), draw.random() < 0.5
    prices = [round(draw.uniform(5, 99), 2) for _ in range(draw.randrange(1, 4))]
    clarity = draw.gauss(4.5, 1.6)
    tokens: list[tuple[str, float]] = []

    def write(before: str, value: object, wrong: object) -> None:
        p = 1 / (1 + math.exp(-clarity - draw.gauss(0, 1)))
        tokens.append((before, 0.9999))
        tokens.append((" " + json.dumps(value if draw.random() < p else wrong), p**0.7))

    write('{"number":', f"R{number}", "R000001")
    write(', "date":', date, "2025-12-31")
    write(', "total":', total, round(total * 1.19, 2))
    write(', "paid":', paid, not paid)
    for place, price in enumerate(prices):
        write('}, {"price":' if place else ', "items": [{"price":', price, round(price * 10, 2))
    tokens.append(("}]}", 0.9999))
    gold = {"number": f"R{number}", "date": date, "total": total, "paid": paid, "items": [{"price": p} for p in prices]}
    return _response(name, tokens), {"id": name, "gold": gold}


def _response(name: str, tokens: Iterable[tuple[str, float]]) -> dict[str, Any]:
    """A line of batch output: tokens with their log-probabilities."""
    content = [
        {"token": token, "logprob": round(math.log(p), 6), "top_logprobs": _alternatives(token, p)}
        for token, p in tokens
    ]
    message = {"role": "assistant", "content": "".join(str(token["token"]) for token in content)}
    choice = {"index": 0, "message": message, "logprobs": {"content": content}, "finish_reason": "stop"}
    body = {"id": f"chatcmpl-{name}", "object": "chat.completion", "choices": [choice]}
    return {"custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}


def _alternatives(token: str, p: float) -> list[dict[str, Any]]:
    """The alternative of true and false; other tokens have none."""
    other = {" true": " false", " false": " true"}.get(token)
    return [] if other is None else [{"token": other, "logprob": round(math.log(0.99 * (1 - p) + 1e-9), 6)}]


def decisions() -> dict[str, bytes]:
    """400 responses of an overconfident model to three questions, and their labels."""
    draw, tones = random.Random(11), ["angry", "calm", "excited"]
    log, labels = [], ["id,question,label"]
    for item in range(400):
        billing = draw.betavariate(0.8, 0.8)
        tone, urgency = _probabilities(0.7, draw), _probabilities(0.9, draw)
        predicted = [_sharpened(probabilities) for probabilities in ([1 - billing, billing], tone, urgency)]
        first = max(range(3), key=predicted[1].__getitem__)
        answers = {
            "billing": {"type": "noul", "noul": predicted[0][1]},
            "tone": {
                "type": "choice",
                "choice": tones[first],
                "confidence": (predicted[1][first] - 1 / 3) * 1.5,
                "probabilities": dict(zip(tones, predicted[1], strict=True)),
            },
            "urgency": {
                "type": "score",
                "score": predicted[2][1] + 2 * predicted[2][2],
                "confidence": 0.5,
                "probabilities": {str(level): p for level, p in enumerate(predicted[2])},
            },
        }
        log.append({"id": f"r{item}", "response": {"model": "simulated-1", "answers": answers}})
        labels.append(f"r{item},billing,{'yes' if draw.random() < billing else 'no'}")
        labels.append(f"r{item},tone,{draw.choices(tones, tone)[0]}")
        labels.append(f"r{item},urgency,{draw.choices(range(3), urgency)[0]}")
    table = "".join(f"{line}\n" for line in labels).encode()
    return {"decisions/responses.jsonl": _json_lines(log), "decisions/labels.csv": table}


def grades() -> dict[str, bytes]:
    """2,000 grades from 1 to 5 with predicted probabilities, which are too low for the lowest and the highest grade."""
    draw, rows = random.Random(12), list[dict[str, Any]]()
    for _ in range(2000):
        ability = draw.gauss(0, 1.5)
        [grade] = draw.choices(range(1, 6), _grade_probabilities(ability, (-1.5, -0.5, 0.5, 1.5)))
        predicted = _grade_probabilities(ability, (-2.1, -0.5, 0.5, 2.1))
        rows.append({"grade": grade, "probs": [round(p, 4) for p in predicted]})
    return {"grades.jsonl": _json_lines(rows)}


def _grade_probabilities(ability: float, cuts: Sequence[float]) -> list[float]:
    """The probabilities of grades in an ordered logistic model."""
    below = [0.0, *(1 / (1 + math.exp(ability - cut)) for cut in cuts), 1.0]
    return [high - low for low, high in pairwise(below)]


def _probabilities(concentration: float, draw: random.Random) -> list[float]:
    """The probabilities of three answers, drawn from a symmetric Dirichlet distribution."""
    weights = [draw.gammavariate(concentration, 1) for _ in range(3)]
    return [weight / sum(weights) for weight in weights]


def _sharpened(probabilities: list[float]) -> list[float]:
    """The probabilities of an overconfident model."""
    squares = [p**2 for p in probabilities]
    return [square / sum(squares) for square in squares]


def _json_lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
