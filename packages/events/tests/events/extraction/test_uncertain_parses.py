"""The share of tags and parses in the variance of counts: against an enumeration of parses and clusterings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.events.extraction.test_event_posterior import (
    ATTACK,
    FROM_THERE,
    LEXICON,
    RULE,
    SAW_FROM_THERE,
    Chances,
    exact_variance,
)
from tests.events.sentences import document

import howsure
from howsure.data.documents.document import Sentence
from howsure_events.corpus import Fields
from howsure_events.extraction import uncertain_parses
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.processes import Work
from howsure_events.extraction.uncertain_parses import ALL, ParseVariance, documents_with_event_words, parse_variance
from howsure_events.rule import Rule, names_event

PARSES = [document(FROM_THERE, ATTACK), document(SAW_FROM_THERE, ATTACK)]


def variance_of_copies(
    monkeypatch: pytest.MonkeyPatch, weights: list[float], copies: int, **settings: int
) -> ParseVariance:
    """The result for copies of a document whose two parses have these weights, and whose single parse is the first."""
    monkeypatch.setattr(uncertain_parses, "ParsePosterior", lambda text, **_: howsure.WeightedSamples(PARSES, weights))
    return parse_variance([PARSES[0]] * copies, parser="", model=Chances(), lexicon=LEXICON, rule=RULE, **settings)


def test_the_variance_by_stage_is_the_enumerated_one(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.array([0.3, 0.7])
    means, variances = np.array([exact_variance(parse) for parse in PARSES]).T
    first, second = weights @ means**2 - (weights @ means) ** 2, weights @ variances
    calls: list[int] = []
    result = variance_of_copies(monkeypatch, weights.tolist(), 2, samples=400, repeats=4, advance=calls.append)
    assert (sum(calls), result.documents, [row.actor for row in result]) == (800, 2, [ALL, "IRQ"])
    row = result["IRQ"]
    assert row.one_parse_mean == pytest.approx(2 * means[0], abs=0.05)
    assert row.one_parse_sd == pytest.approx(np.sqrt(2 * variances[0]), abs=0.05)
    assert row.sampled.mean.value == pytest.approx(2 * weights @ means, abs=0.05)
    assert row.sampled.variance == pytest.approx(2 * (first + second), abs=0.05)
    assert row.sampled.share.value == pytest.approx(first / (first + second), abs=0.05)
    ratio = np.sqrt(row.sampled.variance) / row.one_parse_sd
    assert result.answer.startswith(f"Tags and parses cause {row.sampled.share.value:.0%} [")
    assert result.answer.endswith(f"the standard deviation is {ratio:.2f} times that with one parse per document.")


def test_certain_parses_have_no_share_and_no_documents_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    certain = variance_of_copies(monkeypatch, [1.0, 0.0], 1, samples=400, repeats=4)
    assert certain[ALL].sampled.share.low == 0.0
    assert certain[ALL].sampled_sd == pytest.approx(certain[ALL].one_parse_sd, abs=0.05)
    nothing = variance_of_copies(monkeypatch, [1.0, 0.0], 0)
    assert list(nothing) == []
    assert nothing.answer == "No count is uncertain in 0 documents with an actor and an event word."


@pytest.mark.parametrize(
    ("words", "lemmas", "named"),
    [
        (("They", "Attacked"), None, True),
        (("They", "fled"), None, False),
        (("They", "raided"), ("they", "raid"), True),
        (("The", "strikes"), ("the", "strike"), True),
        (("A", "strike"), None, True),
    ],
)
def test_an_event_is_named_by_forms_lemmas_or_nouns(
    words: tuple[str, ...], lemmas: tuple[str, ...] | None, named: bool
) -> None:
    rule = Rule(name="violence", verbs=("raid",), forms=("attacked",), nouns=("strike",))
    assert names_event(Sentence(words, lemmas=lemmas), rule=rule) is named
    assert names_event(Sentence(words), rule=Rule(name="any", function=lambda parsed: []))


def test_only_documents_with_an_actor_and_an_event_word_are_sampled(pipeline: Path, tmp_path: Path) -> None:
    file, steps = tmp_path / "news.csv", list[int]()
    texts = ["Troops from Iraq attacked.", "Troops from Iraq fled.", "The dog attacked.", "Iraq attacked."]
    rows = [f"1990-01-0{day},{text}\n" for day, text in enumerate(texts, 1)]
    file.write_text("".join(["day,text\n", *rows]), encoding="utf-8")
    corpus = open_corpus([file], fields=Fields(text="text", date="day"))
    work = Work(parser=str(pipeline), model=Chances(), lexicon=LEXICON, rule=RULE)
    for limit, first_words in ((None, ["Troops", "Iraq"]), (3, ["Troops"])):
        kept = list(documents_with_event_words(corpus, work=work, limit=limit, advance=steps.append))
        assert [text.sentences[0].words[0] for text in kept] == first_words
    assert sum(steps) == 7
    with pytest.raises(howsure.InputError, match="the files are parsed already; parses are sampled from a parser"):
        next(documents_with_event_words(corpus, work=replace(work, parser=None)))
