"""Uncertain tags and parses in counts of events: their share of the variance of the number of documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from howsure.data.documents.document import Document
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness
from howsure.inputs.numbers_and_names import counted
from howsure.propagation import VarianceShare, decompose_variance, propagate_samples
from howsure.result import Rows
from howsure.show.table import ESTIMATE, WORDS, Column, digits
from howsure_events.corpus import BATCH, Corpus
from howsure_events.extraction.dependencies import prepared_with_actors
from howsure_events.extraction.extract_document import EventPosterior, Model
from howsure_events.extraction.processes import Work, Worker
from howsure_events.lexicon import Lexicon
from howsure_events.rule import Rule, names_event
from howsure_text.coreference.detection import MAX_MENTIONS, detect_mentions
from howsure_text.parse_posterior import ParsePosterior, Tagger
from howsure_text.parses import ParsedDocument

SAMPLES, REPEATS = 20, 4  # parses of a document, clusterings of a parse
ALL = "all actors"
STAGES = ("tags and parses", "coreference")


@dataclass(frozen=True, slots=True)
class ActorVariance:
    """The number of documents in which an actor acts, with one parse per document and with sampled parses.

    actor: the code of the actor, or "all actors" for the sum over actors. one_parse_mean, one_parse_sd: posterior mean
    and standard deviation with one parse per document. sampled: the posterior with sampled tags and parses, and its
    variance by stage.
    """

    actor: str
    one_parse_mean: float
    one_parse_sd: float
    sampled: VarianceShare

    @property
    def sampled_sd(self) -> float:
        """The posterior standard deviation with sampled tags and parses."""
        return math.sqrt(self.sampled.variance)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ParseVariance(Rows[ActorVariance]):
    """The result of `parse_variance`: a row per actor whose count is uncertain, after the row of all actors.

    documents: number of documents whose parses were sampled.
    """

    rows: tuple[ActorVariance, ...]
    documents: int
    samples: int
    repeats: int
    recipe: Mapping[str, Any] = field(default_factory=dict, compare=False)

    named = "actor"
    title = "Share of tags and parses in the variance of counts of events"

    def columns(self) -> Sequence[Column]:
        return [
            Column("actor", WORDS),
            Column("one_parse_mean", digits(2), heading="mean, one parse"),
            Column("one_parse_sd", digits(2), heading="sd, one parse"),
            Column("mean", digits(2), get=lambda row: row.sampled.mean.value, heading="mean"),
            Column("sd", digits(2), get=lambda row: row.sampled_sd),
            Column("share", ESTIMATE, get=lambda row: row.sampled.share, legend="of tags and parses in the variance"),
        ]

    @property
    def answer(self) -> str:
        """The share of tags and parses, and how much wider than with one parse the posterior is."""
        if not self.rows:
            return f"No count is uncertain in {counted(self.documents, 'document')} with an actor and an event word."
        total, share = self.rows[0], self.rows[0].sampled.share
        assert share is not None
        interval = "" if share.low is None or share.high is None else f" [{share.low:.0%}, {share.high:.0%}]"
        wider = f"{total.sampled_sd / total.one_parse_sd:.2f} times that" if total.one_parse_sd else "not 0, as it is"
        return (
            f"Tags and parses cause {share.value:.0%}{interval} of the variance of the number of documents with an "
            f"event, coreference the rest; the standard deviation is {wider} with one parse per document."
        )

    def footnotes(self) -> Sequence[str]:
        """The number of samples."""
        return [
            f"{counted(self.documents, 'document')} with an actor and an event word: {self.samples:,} samples of tags "
            f"and parses each, and {self.repeats:,} of coreference per parse. Other documents cannot have an event."
        ]


def parse_variance(
    documents: Iterable[Document],
    *,
    parser: str,
    model: Model,
    lexicon: Lexicon,
    rule: Rule,
    tagger: Tagger | None = None,
    samples: int = SAMPLES,
    repeats: int = REPEATS,
    rng: Randomness = 0,
    advance: Callable[[int], None] = lambda parses: None,
) -> ParseVariance:
    """Estimate how much of the variance of the number of documents with an event is due to uncertain tags and parses.

    documents: parsed documents, whose parses are the single ones to compare with. parser, tagger: what tags and parses
    are sampled from (`howsure_text.parse_posterior.ParsePosterior`). The other arguments are those of `EventPosterior`
    and of `howsure.decompose_variance`, which describes the method. Words, lemmas, actors and the rule are fixed.
    advance: called after each sampled parse.
    """
    texts = list(documents)

    def events(parse: Document) -> EventPosterior:
        return EventPosterior(parse, model=model, lexicon=lexicon, rule=rule)

    def following(parse: Document) -> EventPosterior:
        advance(1)
        return events(parse)

    rows, recipe = list[ActorVariance](), dict[str, Any]()
    if texts:
        fixed = propagate_samples([events(text) for text in texts], count_acting, samples=samples * repeats, rng=rng)
        posteriors = [ParsePosterior(text, parser=parser, tagger=tagger) for text in texts]
        shares = decompose_variance(
            posteriors, following, count_acting, samples=samples, repeats=repeats, stages=STAGES, rng=rng
        )
        recipe = {**shares.recipe, "parser": parser, "rule": rule.name}
        uncertain = [share for share in shares if share.share is not None]
        uncertain.sort(key=lambda share: (share.name != ALL, -share.variance))
        rows = [ActorVariance(row.name, fixed[row.name].mean.value, fixed[row.name].sd, row) for row in uncertain]
    return ParseVariance(rows=tuple(rows), documents=len(texts), samples=samples, repeats=repeats, recipe=recipe)


def count_acting(entities: Mapping[str, int]) -> dict[str, int]:
    """Return 1 for each actor with an acting entity and 0 for the others, and the number of such actors under ALL.

    >>> count_acting({"IRQ": 2, "USA": 0})
    {'all actors': 1, 'IRQ': 1, 'USA': 0}
    """
    acts = {actor: int(n > 0) for actor, n in entities.items()}
    return {ALL: sum(acts.values()), **acts}


def documents_with_event_words(
    corpus: Corpus, *, work: Work, limit: int | None = None, advance: Callable[[int], None] | None = None
) -> Iterator[Document]:
    """Parse the kept documents among the first `limit` of a corpus; yield those with an actor and an event word."""
    if work.parser is None:
        raise InputError("the files are parsed already; parses are sampled from a parser, so give texts and `parser`.")
    worker, documents = Worker(work), islice(corpus.documents(), limit)
    while batch := list(islice(documents, BATCH)):
        for document in worker.parser.parse(prepared_with_actors(batch, worker)):
            has_event_word = any(names_event(sentence, rule=work.rule) for sentence in document.sentences)
            if has_event_word and len(detect_mentions(ParsedDocument.of(document))) <= MAX_MENTIONS:
                yield document
        if advance is not None:
            advance(len(batch))
