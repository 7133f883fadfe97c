"""Events from samples of parses and of coreference: the same as extraction, and as an enumeration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.coreference.by_definition import Enumeration
from tests.events.sentences import ACTIVE, PRESIDENT, document

import howsure
from howsure.data.documents.document import Document, Mention
from howsure_events import EventPosterior, Lexicon, built_in_rule
from howsure_events.extraction.extract_document import entity_counts, extract
from howsure_text.coreference import CorefPosterior
from howsure_text.coreference.antecedent_model import AntecedentModel
from tests.source import DEMO

LEXICON = Lexicon.countries()
RULE = built_in_rule("attack")
TROOPS = "They/PRP/2/nsubj saw/VBD/0/root troops/NNS/2/obj from/IN/5/case Iraq/NNP/{}/{} ././2/punct"
FROM_THERE, SAW_FROM_THERE = TROOPS.format(3, "nmod"), TROOPS.format(2, "obl")
ATTACK = "They/PRP/2/nsubj attacked/VBD/0/root ././2/punct"


class Chances:
    """A model for which each mention refers back to each earlier one with the same chance as being new."""

    def posterior(self, document: Document, *, mentions: tuple[Mention, ...]) -> CorefPosterior:
        m = len(mentions)
        return CorefPosterior(np.tril(np.ones((m, m))) / np.arange(1, m + 1)[:, None], mentions=mentions)


def events(parse: Document, model: Any = Chances()) -> EventPosterior:  # noqa: B008
    return EventPosterior(parse, model=model, lexicon=LEXICON, rule=RULE)


def acts(counts: dict[str, int]) -> dict[str, bool]:
    return {actor: n > 0 for actor, n in counts.items()}


def test_propagated_samples_are_those_of_the_extraction() -> None:
    """The probabilities that a store contains, document by document, from the same random numbers."""
    model, lexicon = AntecedentModel.pretrained(), Lexicon.read(DEMO / "actors.tsv")
    named = 0
    for text in howsure.read_documents(DEMO / "news.conllu")[:12]:
        extraction = extract(text, model=model, lexicon=lexicon, rule=RULE, samples=40, rng=5)
        posterior = EventPosterior(text, model=model, lexicon=lexicon, rule=RULE)
        result = howsure.propagate_samples(posterior, acts, samples=40, rng=5)
        exact = dict.fromkeys(posterior.actors, 0.0)
        if extraction.sampled is not None:
            exact |= dict(zip(extraction.facts.actors, extraction.sampled.probabilities, strict=True))
        assert {row.name: row.mean.value for row in result} == pytest.approx(exact)
        named += any(0 < p < 1 for p in exact.values())
    assert named > 3


def exact_variance(parse: Document) -> tuple[float, float]:
    """The mean and the variance of whether Iraq acts, given a parse, from the probabilities of all clusterings."""
    posterior = events(parse).coreference
    if posterior is None:
        return 0.0, 0.0
    facts = events(parse).facts
    matrix = np.tril(np.ones((len(posterior),) * 2)) / np.arange(1, len(posterior) + 1)[:, None]
    every = Enumeration(matrix)
    p = float(every.mean(entity_counts(every.labels, facts)[:, facts.actors.index("IRQ")] > 0))
    return p, p * (1 - p)


@pytest.mark.long
def test_the_share_of_parses_is_the_enumerated_one() -> None:
    """They saw troops from Iraq: if they were seen from there, no mention is described as Iraqi."""
    parses, weights = [document(FROM_THERE, ATTACK), document(SAW_FROM_THERE, ATTACK)], np.array([0.3, 0.7])
    means, variances = np.array([exact_variance(parse) for parse in parses]).T
    assert means[0] != means[1]
    first, second = weights @ means**2 - (weights @ means) ** 2, weights @ variances
    rows = [
        howsure.decompose_variance(
            howsure.WeightedSamples(parses, weights), events, acts, samples=60, repeats=4, rng=seed
        )["IRQ"]
        for seed in range(100)
    ]
    share = first / (first + second)
    assert np.mean([row.mean.value for row in rows]) == pytest.approx(weights @ means, abs=0.01)
    assert np.mean([row.share.value for row in rows]) == pytest.approx(share, abs=0.02)
    assert np.mean([row.share.low <= share <= row.share.high for row in rows]) >= 0.9


def test_documents_that_name_nobody_add_nothing() -> None:
    nobody = document(ATTACK)
    assert events(nobody).sample(2) == [{}, {}]
    without, both = (
        howsure.propagate_samples([events(text) for text in texts], acts, samples=20, rng=0)
        for texts in ([document(ACTIVE)], [document(ACTIVE), nobody])
    )
    assert [row.name for row in both] == [row.name for row in without] == ["IRQ", "USA"]
    assert set(both.values.ravel()) == {0.0, 1.0}
    assert events(document(PRESIDENT)).sample(2) == [{"IRQ": 0}] * 2
    with pytest.raises(howsure.InputError, match="at least one number"):
        howsure.propagate_samples(events(nobody), acts, samples=20)
