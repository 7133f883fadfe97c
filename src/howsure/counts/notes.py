"""Notes on estimated counts as values, with their numbers; a surface renders them last, in its own terms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from howsure.errors import parameter, told
from howsure.inputs.numbers_and_names import counted, shortened

MAX_NAMED = 5  # groups in a note


@dataclass(frozen=True, slots=True)
class Note:
    """A note: its code in `note_text`, and the values that its sentence holds, none of which is a sentence.

    needs_estimates: it is about estimates, and disappears where these are withdrawn.
    """

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)
    needs_estimates: bool = True


@dataclass(frozen=True, slots=True)
class Terms:
    """What a surface calls units, groups and clusters. hidden: parts of a group's name that it does not show."""

    units: str = "units"
    group: str = "group"
    groups: str = "groups"
    clusters: str = "clusters"
    members: str = "units of one cluster"
    allowed: str = "clusters"
    hidden: frozenset[str] = frozenset()

    def drawn(self, clustered: bool) -> str:
        """What was drawn: units or clusters."""
        return self.clusters if clustered else self.units

    def of(self, domain: Sequence[str]) -> str:
        """ " of …", the name of a domain; empty where there is one domain only."""
        name = ", ".join(part for part in domain if part not in self.hidden)
        return f" of {name}" if name else ""


GENERAL = Terms()


@dataclass(frozen=True, slots=True)
class SamplingDesign:
    """How labelled units or clusters were drawn: with given probabilities, or at random within strata, or from all."""

    clustered: bool
    strata: int = 1
    by_chance: bool = False

    def text(self, terms: Terms = GENERAL) -> str:
        """The design in words.

        >>> SamplingDesign(clustered=False, strata=16).text()
        'units drawn at random within 16 strata'
        """
        if self.by_chance:
            how = "with given probabilities"
        else:
            how = "at random from all" if self.strata == 1 else f"at random within {self.strata:,} strata"
        return f"{terms.drawn(self.clustered)} drawn {how}"

    def __str__(self) -> str:
        return self.text()


def note_text(note: Note, rows: Sequence[Any] = (), terms: Terms = GENERAL) -> str:
    """The sentence of a note, without a full stop; `rows` are the final counts, which some notes repeat.

    >>> note_text(Note("unread", {"unread": 3, "drawn": 40, "raw": True}))
    '3 drawn units of 40 have no label'
    """
    values = note.values
    match note.code:
        case "raw":
            return "the scores are taken as calibrated: the labels changed neither estimates nor intervals"
        case "design":
            return f"the intervals rely on this sampling design: {values['design'].text(terms)}"
        case "rounded_chances":
            return (
                f"the inclusion probabilities are rounded: they say that there are {values['stated']:,} "
                f"{terms.drawn(values['clustered'])}, not {values['actual']:,}"
            )
        case "average_coverage":
            return (
                f"for {terms.groups}, the stated coverage is an average over {terms.groups}, not a guarantee for each "
                f"{terms.group}"
            )
        case "few_labels":
            said = f"{values['n']} {values['label']} labels are few"
            if values["chosen"]:
                return f"{said}; label more"
            return f"{said}: totals use the labels alone where fewer than {values['few']} are positive, or negative"
        case "independent_members":
            return (
                f"in {terms.groups}, {terms.members} count as independent given their scores; totals allow for "
                f"{terms.allowed}"
            )
        case "large_clusters":
            return (
                f"few {terms.clusters} decide the total: the largest has {values['largest']:,} {terms.units}, and what "
                f"unread ones like it hold is bounded, not estimated; draw {terms.clusters} within strata of their "
                "size to narrow the interval"
            )
        case "not_as_drawn":
            return (
                f"cannot tell: the scores of labelled {terms.units} differ from the rest more than those of a random "
                "draw do, so the labels were not drawn as stated, and the intervals hold only what is certain. Say how "
                "they were drawn (the sample, its strata or inclusion probabilities), or draw a new sample"
            )
        case "low_scores_unlabelled":
            return (
                f"none of the {values['n']:,} {terms.units} with a score of at most {values['score']:.3g} has a label: "
                "what the model misses there cannot be known"
            )
        case "unlike_groups":
            return (
                f"the {terms.groups}{terms.of(values['domain'])} are too unlike to borrow from each other, so each "
                f"rests on its own labels{_carrying(values['domain'], rows)}"
            )
        case "unlabelled_groups":
            unlabelled = f"{counted(values['n'], terms.group)}{terms.of(values['domain'])} without a label"
            return f"{unlabelled} cannot be told: label {terms.units} of each {terms.group}"
        case "unread":
            unread = counted(values["unread"], "drawn unit")
            said = f"{unread} of {values['drawn']:,} {'has' if values['unread'] == 1 else 'have'} no label"
            if values["raw"]:
                return said
            return (
                f"{said}: the intervals hold whatever these labels are, and the estimates take them to be positive as "
                "often as the others; label them to narrow the intervals"
            )
        case "identical_readings":
            return told(f"the two readings never differ; is {parameter('second')} a copy of {parameter('y_true')}?")
        case "uneven_readings":
            return (
                f"where they differ, the first reading is 1 in {values['first']:,} units and the second in "
                f"{values['second']:,} (p {values['p']:.1g}): readers do not err alike, or the units to read twice "
                "were chosen by what the first one said"
            )
    raise KeyError(note.code)


def _carrying(domain: Sequence[str], rows: Sequence[Any]) -> str:
    """Which rows of a domain make up half of its count, by their final estimates; empty where none has an estimate."""
    members = [row for row in rows if row.group[:-1] == tuple(domain)]
    known = sorted((row for row in members if row.estimate > 0), key=lambda row: -row.estimate)
    if not known:
        return ""
    whole = math.fsum(row.estimate for row in known)
    before = accumulate((row.estimate for row in known), initial=0.0)
    carrying = [row for row, sum_before in zip(known, before, strict=False) if sum_before < whole / 2]
    named = shortened([f"{row.group[-1]} {row}" for row in carrying], limit=MAX_NAMED)
    share = math.fsum(row.estimate for row in carrying) / whole
    carry = "carries" if len(carrying) == 1 else "carry"
    return f"; {len(carrying)} of {len(members)} {carry} {share:.0%} of the count: {named}"


def as_sentence(text: str) -> str:
    """A text that begins with a capital letter and ends with a full stop.

    >>> as_sentence("label more")
    'Label more.'
    """
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith(('.', '?', '!')) else '.'}"
