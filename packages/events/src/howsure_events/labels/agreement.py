"""The agreement of coders beyond chance, and the documents that they answered differently."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, generator_from, seed_in_recipe
from howsure.inputs.numbers_and_names import counted, unknown_name
from howsure.inputs.pairs import Floats
from howsure.result import Rows
from howsure.show.table import COUNT, FRAME, NUMBER, TABLE, WORDS, Column, Kind, digits, interval
from howsure.stats.agreement import alpha, pairable_sums
from howsure_events.labels.answers import (
    Answer,
    current_answers,
    current_settlements,
    differ,
    reading_order,
    require_labelling,
)
from howsure_events.labels.coders import CoderNames, clean_coder_name, coder_names, merged_notes
from howsure_events.store.store_queries import Store

REPLICATES = 2000
MAX_UNDEFINED = 0.05  # if alpha is undefined in a larger proportion of the resamples, there is no interval
ALL = "all"
NO_VARIATION_NOTE = "all answers are the same, so agreement beyond chance is undefined"
RARE_NOTE = "too few documents have the rarer answer for an interval"
SINGLE_DOCUMENT_NOTE = "only one document was read by two coders, too few for an interval"


@dataclass(frozen=True, slots=True)
class ActorAgreement:
    """Krippendorff's alpha for one actor, or for all actors together (actor "all").

    documents: number of documents that at least two coders answered; differing: number of these with different answers.
    alpha and its interval (low, high) are None if undefined; `why` then gives the reason.
    """

    actor: str
    documents: int
    differing: int
    alpha: float | None
    low: float | None
    high: float | None
    why: str | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Agreement(Rows[ActorAgreement]):
    """The agreement of the coders on each actor and on all pairs of a document and an actor."""

    coders: tuple[str, ...]
    rows: tuple[ActorAgreement, ...]
    recipe: Mapping[str, Any]
    named = "actor"

    @property
    def total(self) -> ActorAgreement:
        """The agreement on all pairs."""
        return self.rows[-1]

    def columns(self) -> Sequence[Column]:
        """A row per actor, and one for all."""
        shown = f"{100 * self.recipe['level']:g}% interval"
        return [
            Column("actor", WORDS),
            Column("documents", COUNT),
            Column("differing", COUNT),
            Column("alpha", digits(3)),
            Column(
                "interval", Kind(str), shown, get=lambda row: interval(row.low, row.high, 3), only=TABLE, answer=True
            ),
            Column("low", NUMBER, only=FRAME),
            Column("high", NUMBER, only=FRAME),
            Column("why", WORDS, only=FRAME),
        ]

    def footnotes(self) -> Sequence[str]:
        """Notes on the table."""
        lines = [
            f"Krippendorff's alpha, nominal, of {counted(len(self.coders), 'coder')} ({', '.join(self.coders)}): 1 is "
            "full agreement, 0 is agreement by chance. Krippendorff requires 0.8, or 0.667 for tentative conclusions."
        ]
        actors_by_reason = {
            why: [row.actor for row in self.rows if row.why == why]
            for why in (NO_VARIATION_NOTE, RARE_NOTE, SINGLE_DOCUMENT_NOTE)
        }
        lines += [f"{', '.join(actors)}: {why}." for why, actors in actors_by_reason.items() if actors]
        if unclear := self.recipe["unclear"]:
            lines.append(counted(unclear, "answer 'unclear' counts", "answers 'unclear' count") + " as missing.")
        return lines + merged_notes(self.recipe.get("merged_coders", []))


def agreement(
    store: Store, *, coders: Sequence[str] | None = None, level: float = 0.95, rng: Randomness = 0
) -> Agreement:
    """Return Krippendorff's alpha of the coders' own answers, without settlements.

    For one actor, the units are documents and the values are "acts" and "does not act"; for all actors, the units are
    pairs of a document and an actor. An answer "unclear" counts as missing. coders: names; None means all coders.

    The interval consists of quantiles of 2,000 bootstrap resamples of documents. If all answers agree, every resample
    has alpha 1, so the lower end is 1 - u / D instead: u = 1 - ((1 - level) / 2)^(1/n) is the upper confidence limit of
    the proportion of documents with different answers, and D is the disagreement expected by chance.

    Raises InputError if no document was drawn, or none was answered by two of the coders.
    """
    labelling = require_labelling(store)
    if not 0.0 < level < 1.0:
        raise InputError("not_between", "level", value=level, low=0, high=1)
    answers = current_answers(store)
    names, coders_known = coder_names(store), sorted({answer.coder for answer in answers})
    chosen = coders_known if coders is None else _chosen(coders, names, coders_known)
    chosen_answers = [answer for answer in answers if answer.coder in chosen]
    counts = _counts(chosen_answers, labelling.actors)
    if not (counts.sum(axis=2) >= 2).any():
        raise InputError(
            f"agreement needs documents that two coders answered; {store.path} has none, with answers of "
            f"{counted(len(chosen), 'coder')}. Let a second coder answer some: howsure events label {store.path}."
        )
    resampled = generator_from(rng).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=REPLICATES)
    units = [(actor, counts[:, [index]]) for index, actor in enumerate(labelling.actors)] + [(ALL, counts)]
    recipe = {
        "howsure": __version__,
        "question": labelling.question,
        "level": level,
        "replicates": REPLICATES,
        "seed": seed_in_recipe(rng),
        "unclear": sum(answer.unclear for answer in chosen_answers),
    }
    if merged := [list(spellings) for spellings in names.merged if spellings[0] in chosen]:
        recipe["merged_coders"] = merged
    rows = tuple(_row(actor, unit_counts, resampled, level) for actor, unit_counts in units)
    return Agreement(coders=tuple(chosen), rows=rows, recipe=recipe)


def _chosen(coders: Sequence[str], names: CoderNames, all_coders: Sequence[str]) -> list[str]:
    """Return the names of the requested coders, as the store spells them."""
    chosen: list[str] = []
    for coder in coders:
        name = names.name(clean_coder_name(coder))
        if name not in all_coders:
            raise unknown_name("coder", coder, all_coders, place="the labels")
        if name in chosen:
            raise InputError(f"coders names {name!r} twice: {coder!r} is another spelling of it.")
        chosen.append(name)
    return chosen


def _counts(answers: Sequence[Answer], actors: Sequence[str]) -> Floats:
    """Return the numbers of coders who say that an actor does not act, and that it acts: (documents, actors, 2)."""
    index_of_document = {number: index for index, number in enumerate(sorted({answer.document for answer in answers}))}
    counts = np.zeros((len(index_of_document), len(actors), 2))
    for answer in answers:
        for k, actor in enumerate(actors):
            if not answer.unclear:
                counts[index_of_document[answer.document], k, int(actor in answer.acting)] += 1
    return counts


def _row(actor: str, counts: Floats, resampled: np.ndarray[Any, Any], level: float) -> ActorAgreement:
    n, k, values = counts.shape
    observed, value_counts = pairable_sums(counts.reshape(n * k, values))
    of_document, value_counts = observed.reshape(n, k).sum(axis=1), value_counts.reshape(n, k, values).sum(axis=1)
    pairable = value_counts.sum(axis=1) > 0
    n_read, differing = int(pairable.sum()), int((of_document > 0).sum())
    value = float(alpha(of_document.sum(), value_counts.sum(axis=0)))
    if np.isnan(value):
        return ActorAgreement(actor, n_read, differing, None, None, None, NO_VARIATION_NOTE)
    if n_read < 2:
        return ActorAgreement(actor, n_read, differing, value, None, None, SINGLE_DOCUMENT_NOTE)
    tail = (1.0 - level) / 2
    if not differing:
        by_chance = 1.0 - ((value_counts.sum(axis=0) / value_counts.sum()) ** 2).sum()
        low = 1.0 - float((1.0 - tail ** (1.0 / n_read)) / by_chance)
        return ActorAgreement(actor, n_read, 0, value, max(low, -1.0), 1.0, None)
    drawn = alpha(resampled @ of_document, resampled @ value_counts)
    if np.isnan(drawn).mean() > MAX_UNDEFINED:
        return ActorAgreement(actor, n_read, differing, value, None, None, RARE_NOTE)
    low, high = np.nanquantile(drawn, [tail, 1.0 - tail])
    return ActorAgreement(actor, n_read, differing, value, float(low), float(high), None)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A document with different answers, and the answer that settled it (None if it is not settled)."""

    document: int
    answers: tuple[Answer, ...]
    settled: Answer | None


def disagreements(store: Store) -> list[Disagreement]:
    """Return the documents with different answers, settled or not, in reading order.

    A document is also included if the coders now agree with each other, but not with its settlement.

    Raises InputError if no document was drawn.
    """
    require_labelling(store)
    settled = {settlement.document: settlement for settlement in current_settlements(store)}
    answers_by_document: dict[int, list[Answer]] = defaultdict(list)
    for answer in current_answers(store):
        answers_by_document[answer.document].append(answer)
    for document, answer in settled.items():
        answers_by_document[document].append(answer)
    return [
        Disagreement(
            document,
            tuple(answer for answer in answers_by_document[document] if answer is not settled.get(document)),
            settled.get(document),
        )
        for document in reading_order(store)
        if differ(answers_by_document[document])
    ]
