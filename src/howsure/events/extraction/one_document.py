"""The extraction of one parsed document: its mentions and, if some act and some are described, who acts in which
sample."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from howsure.coreference.mentions.detection import detect_mentions
from howsure.coreference.posterior.antecedents import Antecedents
from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.coreference.posterior.decisions import best_antecedents
from howsure.data.documents.document import Document, Mention
from howsure.data.parses.parsed_document import ParsedDocument
from howsure.events.actors.lexicon import Lexicon
from howsure.events.extraction.descriptions_and_acts import Facts, mention_facts, mention_heads
from howsure.events.extraction.entities import Evidence, entity_counts, evidence_of
from howsure.events.rules.rule import Rule
from howsure.inputs.numbers import check_whole
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.randomness import Randomness, generator_from


class Model(Protocol):
    """Any model that gives a posterior over clusterings of chosen mentions, such as an AntecedentModel."""

    def posterior(self, document: Document, *, mentions: tuple[Mention, ...]) -> CorefPosterior:
        """The posterior for mentions in text order."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """The posterior of a document with M mentions, S clusterings sampled from it, and the rule's result for each.

    clusterings (S, M) and best (M,): the first mention of each mention's entity, in the samples and in the 1-best
    clustering. entities (S, A) and best_entities (A,): the number of acting entities of each actor of `facts`.
    """

    antecedents: Antecedents
    clusterings: Integers
    best: Integers
    entities: Integers
    best_entities: Integers
    evidence: tuple[Evidence, ...]

    @property
    def probabilities(self) -> Floats:
        """The share of samples in which each actor has an acting entity, (A,)."""
        share: Floats = (self.entities > 0).mean(axis=0)
        return share


@dataclass(frozen=True, slots=True)
class Extraction:
    """A parsed document, its mentions with their heads, their facts, and the samples if an event is possible."""

    document: Document
    mentions: tuple[Mention, ...]
    heads: tuple[int, ...]
    facts: Facts
    sampled: Sampled | None


def extract(
    document: Document,
    *,
    model: Model,
    lexicon: Lexicon,
    rule: Rule,
    samples: int = 100,
    rng: Randomness = None,
    mentions: tuple[Mention, ...] | None = None,
) -> Extraction:
    """The actors that act in a document: S clusterings of its mentions sampled from the model, and the rule applied to
    each.

    The mentions are those detected in the parse unless given. A document in which no mention acts, or none is described
    as an actor, cannot have an event; the model is then not used.

    Raises InputError if the document is not parsed, or like the rule and the model.
    Source: Nguyen & O'Connor (2015), section 6, Eq. 3 and 5.
    """
    n = check_whole(samples, name="samples")
    parsed = ParsedDocument.of(document)
    held = detect_mentions(parsed) if mentions is None else mentions
    heads = tuple(mention_heads(parsed, held))
    facts = mention_facts(parsed, held, lexicon=lexicon, rule=rule, heads=heads)
    if not facts.acts or not facts.actors:
        return Extraction(document, held, heads, facts, None)
    posterior = model.posterior(parsed, mentions=held)
    clusterings = posterior.sample(n, rng=generator_from(rng))
    best = best_antecedents(posterior.antecedents)
    sampled = Sampled(
        antecedents=posterior.antecedents,
        clusterings=clusterings,
        best=best,
        entities=entity_counts(clusterings, facts),
        best_entities=entity_counts(best[np.newaxis], facts)[0],
        evidence=tuple(evidence_of(clusterings, facts)),
    )
    return Extraction(document, held, heads, facts, sampled)


def document_seed(seed: int, name: str) -> np.random.SeedSequence:
    """The random generator of a document, which depends only on the seed and its id, not on when or where it is read.

    >>> document_seed(0, "a").entropy == document_seed(0, "a").entropy != document_seed(0, "b").entropy
    True
    """
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return np.random.SeedSequence([seed, int.from_bytes(digest, "little")])
