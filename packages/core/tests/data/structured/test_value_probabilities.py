"""Probabilities of values from tokens, compared with those of small models all of whose answers are enumerated."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from howsure.data.structured.json_values import value_positions
from howsure.data.structured.value_probabilities import SpelledTokens

Tree = Mapping[str, Any]  # a token -> (its probability, the tree after it)


def answers(tree: Tree | None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    """All answers of a model, as tokens, with their probabilities."""
    if tree is None:
        yield path, 1.0
        return
    for token, (p, rest) in tree.items():
        for answer, q in answers(rest, (*path, token)):
            yield answer, p * q


def response(tree: Tree, path: tuple[str, ...]) -> list[dict[str, Any]]:
    """The tokens of an answer as an API returns them, with all alternatives."""
    tokens = []
    for token in path:
        branches = [{"token": name, "logprob": math.log(p)} for name, (p, _) in tree.items()]
        tokens.append(next(branch for branch in branches if branch["token"] == token) | {"top_logprobs": branches})
        tree = tree[token][1]
    return tokens


END: Tree = {"}": (1.0, None)}
STATUS: Tree = {
    '{"status":': (
        1.0,
        {
            ' "open"': (0.31, END),
            '"open"': (0.04, END),
            ' "in': (0.5, {'_progress"': (0.6, END), '_review"': (0.3, END), "_rev": (0.1, {'iew"': (1.0, END)})}),
            ' "closed"}': (0.1, None),
            " null": (0.05, END),
        },
    )
}
PAID: Tree = {'{"paid"': (1.0, {": true": (0.55, END), ": tr": (0.05, {"ue": (1.0, END)}), ": false": (0.4, END)})}
NUMBER: Tree = {
    '{"n":': (
        1.0,
        {
            " 1": (0.7, {"2": (0.5, {"}": (0.8, None), "5": (0.2, END)}), "}": (0.5, None)}),
            " 3": (0.3, {".5": (0.9, END), "}": (0.1, None)}),
        },
    )
}
CHOICES = ['"open"', '"in_progress"', '"in_review"', '"closed"']


@pytest.mark.parametrize(("tree", "choices"), [(STATUS, CHOICES), (PAID, ())])
def test_closed_values_have_the_probability_of_all_answers_with_this_value(tree: Tree, choices: list[str]) -> None:
    exact: dict[str, float] = {}
    for path, p in answers(tree):
        value = json.dumps(json.loads("".join(path)))
        exact[value] = exact.get(value, 0.0) + p
    assert math.fsum(exact.values()) == pytest.approx(1.0)
    for path, _ in answers(tree):
        text = "".join(path)
        ((start, end),) = value_positions(text).values()
        probability = SpelledTokens.of(response(tree, path), text).probability(start, end, choices=choices)
        seen_mass = 1.0 if "in_" in text else 0.5 if '"in' in str(tree) else 1.0  # " "in" alone may become two values
        truth = exact[json.dumps(json.loads(text))]
        assert probability.p == pytest.approx(truth / seen_mass, abs=1e-12)
        assert probability.unseen == pytest.approx(1.0 - seen_mass, abs=1e-12)
        assert probability.p * seen_mass - 1e-12 <= truth <= probability.p * seen_mass + (1 - seen_mass) + 1e-12


def test_numbers_have_the_probability_of_their_tokens_and_of_ending_there() -> None:
    for path, p in answers(NUMBER):
        text = "".join(path)
        ((start, end),) = value_positions(text).values()
        probability = SpelledTokens.of(response(NUMBER, path), text).probability(start, end)
        assert probability.p == pytest.approx(p, abs=1e-12)
        assert probability.unseen is None


def test_texts_split_over_tokens_and_within_characters() -> None:
    """A token may contain a part of a character, the quote and the comma, or an escape."""
    text = '{"name": "Łódź \\"x\\"", "n": 2}'
    content = text.encode()
    rng = np.random.default_rng(0)
    for _ in range(50):
        cuts = sorted({0, len(content), *rng.integers(1, len(content), 9).tolist()})
        pieces = [content[a:b] for a, b in pairwise(cuts)]
        logprobs = -rng.exponential(size=len(pieces))
        tokens = [
            {"token": piece.decode(errors="replace"), "bytes": list(piece), "logprob": float(logprob)}
            for piece, logprob in zip(pieces, logprobs, strict=True)
        ]
        start, end = value_positions(text)[("name",)]
        first, last = len(text[:start].encode()), len(text[:end].encode())
        inside = [cuts[i] < last and cuts[i + 1] > first for i in range(len(pieces))]
        probability = SpelledTokens.of(tokens, text).probability(start, end)
        assert probability.p == pytest.approx(math.exp(logprobs[inside].sum()), rel=1e-12)


def test_a_closed_value_without_alternatives_keeps_the_probability_of_its_tokens() -> None:
    tokens = [{"token": text, "logprob": math.log(p)} for text, p in (('{"a":', 1.0), ("true", 0.7), ("}", 1.0))]
    probability = SpelledTokens.of(tokens, '{"a":true}').probability(5, 9)
    assert (probability.p, probability.unseen) == (pytest.approx(0.7), pytest.approx(0.3))


def test_null_in_the_place_of_a_text_keeps_what_other_tokens_have() -> None:
    tree: Tree = {'{"a":': (1.0, {" null": (0.6, END), "null": (0.1, END), ' "': (0.3, {'x"': (1.0, END)})})}
    path = ('{"a":', " null", "}")
    probability = SpelledTokens.of(response(tree, path), "".join(path)).probability(6, 10)
    assert probability.p == pytest.approx(0.7, abs=1e-12)


def test_tokens_after_the_content_are_ignored_and_others_must_spell_it() -> None:
    tokens = [{"token": text, "logprob": 0.0} for text in ('{"a":', "1}", "<|end|>")]
    assert SpelledTokens.of(tokens, '{"a":1}').probability(5, 6).p == 1.0
    with pytest.raises(ValueError, match=r"from byte 6 on, the content is '2}' and the tokens are '1}<\|end\|>'"):
        SpelledTokens.of(tokens, '{"a":2}')
