"""Extraction of the events of one parsed document: facts about mentions, events in sampled clusterings, and rows."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, generator_from
from howsure.inputs.numbers_and_names import MAX_CLUSTERINGS, check_integer
from howsure.inputs.pairs import Bools, Floats, Integers
from howsure_events.corpus import InputDocument
from howsure_events.lexicon import Lexicon
from howsure_events.rule import Rule, find_deeds
from howsure_text import grammar
from howsure_text.coreference.antecedents import Antecedents
from howsure_text.coreference.clusterings import best_antecedents
from howsure_text.coreference.coref_posterior import CorefPosterior
from howsure_text.coreference.detection import detect_mentions
from howsure_text.parses import ParsedDocument, ParsedSentence


@dataclass(frozen=True, slots=True, order=True)
class Description:
    """Mention `mention` is described as `actor` by `word` of its sentence, which is its head or a modifier of it."""

    mention: int
    actor: str
    word: int


@dataclass(frozen=True, slots=True, order=True)
class Act:
    """Mention `mention` acts: its head is the agent of the event word `verb` of its sentence."""

    mention: int
    verb: int


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts about a document with M mentions that a rule needs, except coreference.

    actors: the A actors as which mentions are described. described (M, A): whether mention m is described as actor a.
    agent (M,): whether mention m is an agent. descriptions, acts: the words behind these arrays. A document without an
    agent cannot have an event, so its descriptions are not computed, and A is 0.
    """

    actors: tuple[str, ...]
    described: Bools
    agent: Bools
    descriptions: tuple[Description, ...]
    acts: tuple[Act, ...]


def mention_facts(
    document: Document, mentions: Sequence[Mention], *, lexicon: Lexicon, rule: Rule, heads: Sequence[int] | None = None
) -> Facts:
    """Find for each mention the actors that it is described as, and whether it acts.

    A mention is described as an actor if its head is a word of the actor's name, or if a word of the name has a
    relation of `rule.described_by` to the head. It acts if the rule finds its head as an agent. heads: the result of
    `mention_heads`, if known.
    """
    parsed = ParsedDocument.of(document)
    head_words = mention_heads(parsed, mentions) if heads is None else heads
    by_head: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, (mention, head) in enumerate(zip(mentions, head_words, strict=True)):
        by_head[mention.sentence, head].append(number)
    sentences = sorted({mention.sentence for mention in mentions})
    acts: list[Act] = []
    for at in sentences:
        for agent, verb in find_deeds(parsed.parse(at), rule=rule):
            acts.extend(Act(number, verb) for number in by_head.get((at, agent), ()))
    descriptions: list[Description] = []
    if acts:
        for at in sentences:
            for head, actor, word in descriptions_in(parsed.parse(at), lexicon=lexicon, rule=rule):
                descriptions.extend(Description(number, actor, word) for number in by_head.get((at, head), ()))
    return _facts(len(mentions), descriptions, acts)


def mention_heads(document: Document, mentions: Sequence[Mention]) -> list[int]:
    """Return the head word of each mention, as used by the antecedent model; see `ParsedSentence.span_head`."""
    parsed, heads = ParsedDocument.of(document), []
    for number, mention in enumerate(mentions):
        inside = 0 <= mention.sentence < len(document.sentences)
        if not inside or not 0 <= mention.start < mention.end <= len(document.sentences[mention.sentence]):
            raise InputError(f"mentions[{number}], {mention}, is outside of document {document.name!r}.")
        heads.append(parsed.mention_head(mention))
    return heads


def descriptions_in(parsed: ParsedSentence, *, lexicon: Lexicon, rule: Rule) -> list[tuple[int, str, int]]:
    """Return (noun, actor, word) for each word of an actor's name; the noun is the word, or a noun that it modifies."""
    heads, relations = parsed.heads, parsed.relations
    conjuncts = grammar.CONJUNCTS if rule.conjoined else ()
    descriptions = []
    for start, end, actor in lexicon.match(parsed.sentence.words):
        for word in range(start, end):
            descriptions.append((word, actor, word))
            modifier = word
            while relations[modifier] in conjuncts and heads[modifier] >= 0:
                modifier = heads[modifier]
            noun = heads[modifier]
            if noun >= 0 and relations[modifier] in rule.described_by:
                descriptions.append((noun, actor, word))
            elif noun >= 0 and heads[noun] >= 0 and f"{relations[noun]}>{relations[modifier]}" in rule.described_by:
                descriptions.append((heads[noun], actor, word))
    return descriptions


def _facts(n_mentions: int, descriptions: Sequence[Description], acts: Sequence[Act]) -> Facts:
    actors = tuple(sorted({description.actor for description in descriptions}))
    described = np.zeros((n_mentions, len(actors)), dtype=np.bool_)
    for description in descriptions:
        described[description.mention, actors.index(description.actor)] = True
    agent = np.zeros(n_mentions, dtype=np.bool_)
    agent[[act.mention for act in acts]] = True
    return Facts(actors, described, agent, tuple(sorted(set(descriptions))), tuple(sorted(set(acts))))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence: mention `agent` acts, and belongs to `actor` because mention `description` is in its entity.

    samples (S,): whether this is the case in each sample.
    """

    actor: str
    agent: int
    description: int
    samples: Bools


def entity_counts(clusters: npt.ArrayLike, facts: Facts) -> Integers:
    """Return the number of acting entities of each actor in S clusterings of M mentions: integers (S, A).

    clusters (S, M): for each sample and mention, a number that is the same for mentions of one entity. An entity counts
    for an actor if some mention of it is described as this actor, no mention as another actor, and some mention acts.
    Time and memory are O(S · agents · (descriptions + A)).

    >>> facts = Facts(("IRQ",), np.array([[True], [False], [False]]), np.array([False, True, False]), (), ())
    >>> entity_counts([[0, 0, 2], [0, 1, 2]], facts).tolist()
    [[1], [0]]

    Raises InputError if `clusters` is not whole numbers of shape (S, M). Source: Nguyen & O'Connor (2015), Eq. 3.
    """
    samples = _check_clusters(clusters, facts)
    counts = np.zeros((len(samples), len(facts.actors)), dtype=np.int64)
    agents = np.flatnonzero(facts.agent)
    for order, agent in enumerate(agents):
        earlier = samples[:, agents[:order]] == samples[:, agent, np.newaxis]
        counts += _affiliated(samples, facts, int(agent))[1] & ~earlier.any(axis=1, keepdims=True)
    return counts


def find_evidence(clusters: npt.ArrayLike, facts: Facts) -> list[Evidence]:
    """Return the evidence of all events: pairs of an acting mention and a mention that names its actor, with samples.

    `entity_counts(...)[s, a]` is above 0 if and only if some `Evidence` of that actor marks sample s.
    """
    samples = _check_clusters(clusters, facts)
    evidence = []
    for agent in np.flatnonzero(facts.agent).tolist():
        same, affiliated = _affiliated(samples, facts, agent)
        for place, mention in enumerate(_described(facts).tolist()):
            for actor in np.flatnonzero(facts.described[mention]).tolist():
                marked = same[:, place] & affiliated[:, actor]
                if marked.any():
                    evidence.append(Evidence(facts.actors[actor], agent, mention, marked))
    return evidence


def _affiliated(samples: Integers, facts: Facts, agent: int) -> tuple[Bools, Bools]:
    """Return the mentions that describe the entity of an acting mention, and the actor of that entity, in each sample.

    The first array (S, D) marks which of the D descriptions are of mentions in the entity. The second array (S, A)
    marks the actor, if all described mentions of the entity are described as this single actor.
    """
    mentions = _described(facts)
    same: Bools = samples[:, mentions] == samples[:, agent, np.newaxis]
    named: Bools = same @ facts.described[mentions]
    return same, named & (named.sum(axis=1, keepdims=True) == 1)


def _described(facts: Facts) -> Integers:
    return np.flatnonzero(facts.described.any(axis=1))


def _check_clusters(clusters: npt.ArrayLike, facts: Facts) -> npt.NDArray[Any]:
    samples = np.asarray(clusters)
    if samples.ndim != 2 or samples.shape[1] != len(facts.agent) or samples.dtype.kind not in "iu":
        raise InputError(
            f"clusters must be whole numbers of shape (samples, mentions), here (any, {len(facts.agent)}); "
            f"they are {samples.dtype} of shape {samples.shape}."
        )
    return samples


class Model(Protocol):
    """Any model that returns a posterior over clusterings of given mentions, such as an AntecedentModel."""

    def posterior(self, document: Document, *, mentions: tuple[Mention, ...]) -> CorefPosterior:
        """Return the posterior for mentions in text order."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """The posterior of a document with M mentions, S clusterings sampled from it, and the events in each.

    clusterings (S, M), best (M,): for each mention the first mention of its entity, in the samples and in the 1-best
    clustering. entities (S, A), best_entities (A,): the number of acting entities of each actor.
    """

    antecedents: Antecedents
    clusterings: Integers
    best: Integers
    entities: Integers
    best_entities: Integers
    evidence: tuple[Evidence, ...]

    @property
    def probabilities(self) -> Floats:
        """The proportion of samples in which each actor has an acting entity, (A,)."""
        return np.asarray((self.entities > 0).mean(axis=0))


@dataclass(frozen=True, slots=True)
class Extraction:
    """A parsed document, its mentions with their heads, their facts, and the samples if an event is possible."""

    document: Document
    mentions: tuple[Mention, ...]
    heads: tuple[int, ...]
    facts: Facts
    sampled: Sampled | None


class EventPosterior:
    """The posterior of the numbers of acting entities in a parsed document, given its parse, for `propagate_samples`.

    The arguments are those of `extract`. actors: the actors named in the document. coreference: the posterior over
    clusterings of its mentions; None if an event is impossible, because no mention acts or none names an actor.

    Raises InputError if the document is not parsed; also the errors of the rule and the model.
    """

    def __init__(
        self,
        document: Document,
        *,
        model: Model,
        lexicon: Lexicon,
        rule: Rule,
        mentions: tuple[Mention, ...] | None = None,
    ) -> None:
        parsed = ParsedDocument.of(document)
        self.mentions = detect_mentions(parsed) if mentions is None else mentions
        self.heads = tuple(mention_heads(parsed, self.mentions))
        self.facts = mention_facts(parsed, self.mentions, lexicon=lexicon, rule=rule, heads=self.heads)
        matches = (match for sentence in parsed.sentences for match in lexicon.match(sentence.words))
        self.actors = tuple(sorted({actor for _, _, actor in matches}))
        possible = self.facts.acts and self.facts.actors
        self.coreference = model.posterior(parsed, mentions=self.mentions) if possible else None

    def sample(self, n: int, *, rng: Randomness = None) -> list[dict[str, int]]:
        """The number of acting entities of each actor, 0 for most, in n sampled clusterings."""
        n, nobody = check_integer(n, name="n", most=MAX_CLUSTERINGS), dict.fromkeys(self.actors, 0)
        if self.coreference is None:
            return [nobody] * n
        counts = entity_counts(self.coreference.sample(n, rng=generator_from(rng)), self.facts)
        return [nobody | dict(zip(self.facts.actors, row, strict=True)) for row in counts.tolist()]


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
    """Find the actors that act in a document, in S clusterings of its mentions sampled from the model.

    mentions: by default those detected in the parse. A document in which no mention acts, or none is described as an
    actor, cannot have an event; the model is then not used, and `sampled` is None.

    Raises InputError if the document is not parsed, and the errors of the rule and the model.
    Source: Nguyen & O'Connor (2015), section 6, Eq. 3 and 5.
    """
    n = check_integer(samples, name="samples", most=MAX_CLUSTERINGS)
    acting = EventPosterior(document, model=model, lexicon=lexicon, rule=rule, mentions=mentions)
    facts, posterior = acting.facts, acting.coreference
    if posterior is None:
        return Extraction(document, acting.mentions, acting.heads, facts, None)
    clusterings = posterior.sample(n, rng=generator_from(rng))
    best = best_antecedents(posterior.antecedents)
    sampled = Sampled(
        antecedents=posterior.antecedents,
        clusterings=clusterings,
        best=best,
        entities=entity_counts(clusterings, facts),
        best_entities=entity_counts(best[np.newaxis], facts)[0],
        evidence=tuple(find_evidence(clusterings, facts)),
    )
    return Extraction(document, acting.mentions, acting.heads, facts, sampled)


def document_seed(seed: int, name: str) -> np.random.SeedSequence:
    """Return the random seed of a document, which depends only on the run's seed and the document's id.

    >>> document_seed(0, "a").entropy == document_seed(0, "a").entropy != document_seed(0, "b").entropy
    True
    """
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return np.random.SeedSequence([seed, int.from_bytes(digest, "little")])


MAX_ENTITIES = 255  # of one actor in one sample, because the number is stored in a byte
LAYERS = ("lemmas", "tags", "universal_tags", "features", "heads", "relations")
VOICES = ("speaker", "addressee")  # metadata of a sentence that the antecedent model reads
COLUMNS = {
    "documents": ("document", "id", "date", "title", "category", "story", "words", "mentions"),
    "left_out": ("document", "id", "date", "reason"),
    "sentences": ("document", "sentence", "words", "spaces", *LAYERS, *VOICES),
    "mentions": ("document", "mention", "sentence", "start", "stop", "head", "actors", "verb"),
    "antecedents": ("document", "mention", "antecedent", "probability"),
    "clusterings": ("document", "samples", "best"),
    "events": ("document", "actor", "probability", "samples", "entities", "best", "best_entities"),
    "evidence": ("document", "actor", "named", "agent", "probability", "samples"),
}
Row = tuple[Any, ...]
Tables = dict[str, dict[str, Any]]


class Rows:
    """The rows of a batch of documents, which are collected and then returned by column."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {name: [] for name in COLUMNS}
        self.links: list[tuple[Any, ...]] = []  # as arrays, because there are many

    def leave_out(self, source: InputDocument, reason: str) -> None:
        self.rows["left_out"].append((source.number, source.id, source.date, reason))

    def add(self, source: InputDocument, extraction: Extraction) -> None:
        number, document = source.number, extraction.document
        words = sum(map(len, document.sentences))
        mentions = len(extraction.mentions)
        metadata = (source.date, source.title, source.category, source.story)
        self.rows["documents"].append((number, source.id, *metadata, words, mentions))
        for at, sentence in enumerate(document.sentences):
            spaces = sentence.spaces or (True,) * len(sentence)
            layers = [getattr(sentence, name) for name in LAYERS]
            voices = [sentence.metadata.get(name) for name in VOICES]
            self.rows["sentences"].append((number, at, sentence.words, spaces, *layers, *voices))
        self.rows["mentions"] += _mention_rows(number, extraction)
        if extraction.sampled is not None:
            self._add_sampled(number, extraction.facts.actors, extraction.sampled)

    def tables(self) -> Tables:
        columns_by_table = {name: _columns(COLUMNS[name], rows) for name, rows in self.rows.items()}
        if self.links:
            arrays = [np.concatenate(column) for column in zip(*self.links, strict=True)]
            columns_by_table["antecedents"] = dict(zip(COLUMNS["antecedents"], arrays, strict=True))
        return columns_by_table

    def _add_sampled(self, number: int, actors: Sequence[str], sampled: Sampled) -> None:
        self.links.append(_links(number, sampled.antecedents))
        self.rows["clusterings"].append((number, _small(sampled.clusterings), _small(sampled.best)))
        if sampled.entities.max(initial=0) > MAX_ENTITIES:
            raise InputError(f"more than {MAX_ENTITIES} entities of one actor act in one document. Split the document.")
        for place, (actor, probability) in enumerate(zip(actors, sampled.probabilities.tolist(), strict=True)):
            counts, best = sampled.entities[:, place], int(sampled.best_entities[place])
            if best or counts.any():
                entities = counts.astype(np.uint8).tobytes()
                self.rows["events"].append((number, actor, probability, bits(counts > 0), entities, best > 0, best))
        for evidence in sampled.evidence:
            share = float(evidence.samples.mean())
            self.rows["evidence"].append(
                (number, evidence.actor, evidence.description, evidence.agent, share, bits(evidence.samples))
            )


def bits(samples: Bools) -> bytes:
    """Pack booleans as bits, the first in the lowest bit of the first byte.

    >>> bits(np.array([True, False, False, False, False, False, False, False, True]))
    b'\\x01\\x01'
    """
    return np.packbits(samples, bitorder="little").tobytes()


def _small(labels: Any) -> bytes:
    return bytes(labels.astype("<u2").tobytes())


def _mention_rows(number: int, extraction: Extraction) -> Iterable[Row]:
    actors: dict[int, list[str]] = {}
    for description in extraction.facts.descriptions:
        named = actors.setdefault(description.mention, [])
        if description.actor not in named:
            named.append(description.actor)
    verbs = {act.mention: act.verb for act in reversed(extraction.facts.acts)}
    for at, (mention, head) in enumerate(zip(extraction.mentions, extraction.heads, strict=True)):
        span = (mention.sentence, mention.start, mention.end)
        yield (number, at, *span, head, actors.get(at, []), verbs.get(at))


def _links(number: int, antecedents: Antecedents) -> tuple[Any, ...]:
    """Return the rows of `antecedents`: for every mention, its antecedents in order, then itself ("new")."""
    new = np.arange(len(antecedents))
    mention = np.concatenate([antecedents.sources(), new])
    antecedent = np.concatenate([antecedents.antecedents, new])
    probability = np.concatenate([antecedents.probabilities, antecedents.new])
    kept = np.lexsort((antecedent, mention))
    kept = kept[probability[kept] > 0.0]
    return np.full(len(kept), number), mention[kept], antecedent[kept], probability[kept]


def _columns(names: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return dict(zip(names, columns, strict=True))
