"""How far coders agree, beyond chance, and the documents that they answered differently."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.events.labels.answers import (
    Answer,
    answers_of,
    asked_of,
    differ,
    reading_order,
    settlements_of,
)
from howsure.events.labels.coders import CoderNames, coder_named, coders_of, merged_notes
from howsure.events.store.reading import Store
from howsure.inputs.numbers_and_names import counted, unknown_name
from howsure.inputs.pairs import Floats
from howsure.result import Rows
from howsure.show.table import COUNT, FRAME, NUMBER, TABLE, WORDS, Column, Kind, digits, interval
from howsure.stats.agreement import alpha, pairable_sums
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe

# How far coders agree, beyond chance: Krippendorff's alpha for each actor and for all, with intervals.

REPLICATES = 2000
MOST_UNDEFINED = 0.05  # of the resamples, beyond which they give no interval
ALL = "all"
ALIKE = "all answers are the same, so there is nothing that coders could agree on by more than chance"
RARE = "too few documents hold the rarer answer for an interval"


@dataclass(frozen=True, slots=True)
class ActorAgreement:
    """Alpha of one actor, or of "all": of `documents` read by two or more, in `differing` the coders differ.

    alpha, low, high are None where they are undefined; `why` says so.
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
        """That on all pairs."""
        return self.rows[-1]

    def columns(self) -> Sequence[Column]:
        """A row per actor, and one for all."""
        shown = f"{100 * self.recipe['level']:g} % interval"
        return [
            Column("actor", WORDS),
            Column("documents", COUNT),
            Column("differing", COUNT),
            Column("alpha", digits(3)),
            Column("interval", Kind(str), shown, get=lambda row: interval(row.low, row.high, 3), only=TABLE),
            Column("low", NUMBER, only=FRAME),
            Column("high", NUMBER, only=FRAME),
            Column("why", WORDS, only=FRAME),
        ]

    def below(self) -> Sequence[str]:
        """What a reader of the table should know."""
        said = [
            f"Krippendorff's alpha, nominal, of {counted(len(self.coders), 'coder')} ({', '.join(self.coders)}): 1 is "
            "full agreement, 0 that of chance. Krippendorff relies on 0.8 and more, and tentatively on 0.667."
        ]
        told = {why: [one.actor for one in self.rows if one.why == why] for why in (ALIKE, RARE)}
        said += [f"{', '.join(actors)}: {why}." for why, actors in told.items() if actors]
        if unclear := self.recipe["unclear"]:
            said.append(counted(unclear, "answer 'unclear' counts", "answers 'unclear' count") + " as missing.")
        return said + merged_notes(self.recipe.get("merged_coders", []))


def agreement(
    store: Store, *, coders: Sequence[str] | None = None, level: float = 0.95, rng: Randomness = 0
) -> Agreement:
    """Krippendorff's alpha of the coders' answers, as they gave them, before any was settled.

    For each actor the units are the documents, the values "acts" and "does not"; for all, the pairs of a document and
    an actor. An answer "unclear" is missing. coders: by default all. The interval has the quantiles of 2,000 resamples
    of documents. Where no coders differ, resampling would give no width: its low end is 1 - u / D with u the largest
    share of differing documents that n documents without any leave possible, 1 - ((1 - level) / 2)^(1/n), and D what
    chance alone would give.

    Raises InputError if no document was drawn, or none was read by two of the coders.
    """
    asked = asked_of(store)
    if not 0.0 < level < 1.0:
        raise InputError(f"level must lie strictly between 0 and 1; it is {level!r}.")
    answers = answers_of(store)
    names, known = coders_of(store), sorted({one.coder for one in answers})
    chosen = known if coders is None else _chosen(coders, names, known)
    held = [one for one in answers if one.coder in chosen]
    counts = _counts(held, asked.actors)
    if not (counts.sum(axis=2) >= 2).any():
        raise InputError(
            f"agreement needs documents that two coders read; {store.path} holds none, of "
            f"{counted(len(chosen), 'coder')}. Let a second one read: howsure events label {store.path}."
        )
    resampled = generator_from(rng).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=REPLICATES)
    parts = [(actor, counts[:, [k]]) for k, actor in enumerate(asked.actors)] + [(ALL, counts)]
    recipe = {
        "howsure": __version__,
        "question": asked.question,
        "level": level,
        "replicates": REPLICATES,
        "seed": seed_in_recipe(rng),
        "unclear": sum(one.unclear for one in held),
    }
    if merged := [list(spellings) for spellings in names.merged if spellings[0] in chosen]:
        recipe["merged_coders"] = merged
    rows = tuple(_row(actor, part, resampled, level) for actor, part in parts)
    return Agreement(coders=tuple(chosen), rows=rows, recipe=recipe)


def _chosen(coders: Sequence[str], names: CoderNames, known: Sequence[str]) -> list[str]:
    """The coders that are named, as the store spells them."""
    chosen: list[str] = []
    for given in coders:
        name = names.name(coder_named(given))
        if name not in known:
            raise unknown_name("coder", given, known, place="the labels")
        if name in chosen:
            raise InputError(f"coders names {name!r} twice: {given!r} is another spelling of it.")
        chosen.append(name)
    return chosen


def _counts(answers: Sequence[Answer], actors: Sequence[str]) -> Floats:
    """How many coders say "does not" and "acts": (documents, actors, 2)."""
    place = {number: at for at, number in enumerate(sorted({one.document for one in answers}))}
    counts = np.zeros((len(place), len(actors), 2))
    for one in answers:
        for k, actor in enumerate(actors):
            if not one.unclear:
                counts[place[one.document], k, int(actor in one.acting)] += 1
    return counts


def _row(actor: str, counts: Floats, resampled: np.ndarray[Any, Any], level: float) -> ActorAgreement:
    n, k, values = counts.shape
    observed, given = pairable_sums(counts.reshape(n * k, values))
    of_document, given = observed.reshape(n, k).sum(axis=1), given.reshape(n, k, values).sum(axis=1)
    pairable = given.sum(axis=1) > 0
    read, differing = int(pairable.sum()), int((of_document > 0).sum())
    value = float(alpha(of_document.sum(), given.sum(axis=0)))
    if np.isnan(value):
        return ActorAgreement(actor, read, differing, None, None, None, ALIKE)
    tail = (1.0 - level) / 2
    if not differing:
        by_chance = 1.0 - ((given.sum(axis=0) / given.sum()) ** 2).sum()
        low = 1.0 - float((1.0 - tail ** (1.0 / read)) / by_chance)
        return ActorAgreement(actor, read, 0, value, max(low, -1.0), 1.0, None)
    drawn = alpha(resampled @ of_document, resampled @ given)
    if np.isnan(drawn).mean() > MOST_UNDEFINED:
        return ActorAgreement(actor, read, differing, value, None, None, RARE)
    low, high = np.nanquantile(drawn, [tail, 1.0 - tail])
    return ActorAgreement(actor, read, differing, value, float(low), float(high), None)


# Documents that coders answered differently, with the answers side by side.


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A document with differing answers, and what settled it, if anybody did."""

    document: int
    answers: tuple[Answer, ...]
    settled: Answer | None


def disagreements(store: Store) -> list[Disagreement]:
    """The documents that coders answered differently, settled or not, in the order in which they are read.

    Where coders changed their answers since and agree now, on something else than what was settled, it is one still.

    Raises InputError if no document was drawn.
    """
    asked_of(store)
    settled = {one.document: one for one in settlements_of(store)}
    held: dict[int, list[Answer]] = defaultdict(list)
    for one in answers_of(store):
        held[one.document].append(one)
    for document, one in settled.items():
        held[document].append(one)
    return [
        Disagreement(
            document, tuple(one for one in held[document] if one is not settled.get(document)), settled.get(document)
        )
        for document in reading_order(store)
        if differ(held[document])
    ]
