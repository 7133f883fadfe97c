"""The probabilities of answers, from tokens."""

from __future__ import annotations

import math
from typing import Any

import pytest

from howsure.data.logs.tokens import answer_masses, of_answer, of_text


def token(text: str, p: float, **others: float) -> dict[str, Any]:
    top = [{"token": name.replace("_", " "), "logprob": math.log(one)} for name, one in others.items()]
    return {"token": text, "logprob": math.log(p), "top_logprobs": top}


def test_the_token_itself_counts_once_though_it_is_among_the_likeliest() -> None:
    assert answer_masses(token("A", 0.5, A=0.5, _A=0.25, B=0.125, x=0.125), "AB") == pytest.approx(
        {"A": 0.75, "B": 0.125}
    )


def test_a_token_that_is_not_among_the_likeliest_counts_too() -> None:
    assert answer_masses(token("C", 0.25, A=0.5), "ABC") == pytest.approx({"C": 0.25, "A": 0.5})


def test_an_answer_stands_where_it_stands_last() -> None:
    tokens = [token("A", 0.5), token("so", 1.0), token(" A", 0.75, B=0.25)]
    found = of_answer(tokens, "A", "AB")
    assert found["probability"] == pytest.approx(0.75)
    assert [math.exp(one) for one in found["log_probabilities"]] == pytest.approx([0.75, 0.25])
    assert of_answer(tokens, "C", "ABC") == {}


def test_all_classes_are_given_only_if_all_are_known() -> None:
    assert of_answer([token("A", 0.5, B=0.25)], "A", "ABC") == pytest.approx({"probability": 0.5})


def test_a_text_has_the_product_of_its_tokens() -> None:
    assert of_text([token("a", 0.5), token("b", 0.25)]) == {"text_probability": pytest.approx(0.125), "text_tokens": 2}
    assert of_text([]) == {}


@pytest.mark.parametrize(
    ("logprob", "said"),
    [(None, "must be a number of at most 0"), (math.nan, "at most 0"), (0.5, "at most 0"), (-math.inf, "of 0")],
)
def test_what_is_no_log_probability_is_refused(logprob: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        answer_masses({"token": "A", "logprob": logprob}, "AB")


def test_probabilities_that_sum_to_more_than_1_are_refused() -> None:
    with pytest.raises(ValueError, match=r"sum to 1\.4"):
        answer_masses(token("A", 0.75, B=0.65), "AB")
