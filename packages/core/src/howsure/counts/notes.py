"""Notes on estimated counts, as codes and values; a command, report or page converts them to sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from howsure.inputs.date_formats import format_note
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.notes import after

MAX_NAMED = 5  # maximum number of groups in a note


@dataclass(frozen=True, slots=True)
class CountNote:
    """A note: a code, for which `note_text` has a sentence, and the values in the sentence.

    needs_estimates: the note is about estimates and is dropped if these are withdrawn.
    """

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)
    needs_estimates: bool = True

    @property
    def severity(self) -> int:
        """2 if the result may mislead without the note, 1 if it limits the result, 0 if it only describes it."""
        return SEVERITY[self.code]


SEVERITY = {
    "not_as_drawn": 2,
    "low_scores_unlabelled": 2,
    "unlabelled_groups": 2,
    "raw": 2,
    "assumed_design": 2,
    "labels_of_model": 2,
    "identical_readings": 2,
    "uneven_readings": 2,
    "repeated_items": 2,
    "unread": 1,
    "few_labels": 1,
    "large_clusters": 1,
    "unlike_groups": 1,
    "rounded_chances": 1,
    "date_format": 1,
    "spelling": 1,
    "independent_members": 0,
    "average_coverage": 0,
    "design": 0,
}


@dataclass(frozen=True, slots=True)
class Terms:
    """The words for units, groups and clusters in a command, report or page; hidden: parts of group names not shown."""

    units: str = "units"
    group: str = "group"
    groups: str = "groups"
    clusters: str = "clusters"
    members: str = "units of one cluster"
    hidden: frozenset[str] = frozenset()

    def drawn(self, clustered: bool) -> str:
        """The word for what was drawn: units or clusters."""
        return self.clusters if clustered else self.units

    def of(self, domain: Sequence[str]) -> str:
        """ " of NAME" for a domain; empty if there is only one domain."""
        name = ", ".join(part for part in domain if part not in self.hidden)
        return f" of {name}" if name else ""


GENERAL = Terms()


@dataclass(frozen=True, slots=True)
class SamplingDesign:
    """How labelled units or clusters were drawn: with given probabilities, within strata, or at random from all.

    is_assumed: the user did not state the design.
    """

    clustered: bool
    strata: int = 1
    by_chance: bool = False
    is_assumed: bool = False

    def text(self, terms: Terms = GENERAL) -> str:
        """The design as a phrase.

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


def note_text(note: CountNote, rows: Sequence[Any] = (), terms: Terms = GENERAL) -> str:
    """Return the sentence of a note, without a full stop; rows: the final counts, which some notes repeat.

    >>> note_text(CountNote("unread", {"unread": 3, "drawn": 40, "raw": True}))
    '3 of 40 drawn units have no label'
    """
    values = note.values
    match note.code:
        case "raw":
            return "the scores are used as if they were calibrated: the labels changed neither estimates nor intervals"
        case "design":
            return f"the intervals assume this sampling design: {values['design'].text(terms)}"
        case "assumed_design":
            return (
                f"the intervals assume that the labelled {terms.drawn(values['clustered'])} were drawn at random from "
                "all; if not, pass their strata or inclusion probabilities"
            )
        case "labels_of_model":
            return (
                f"the label is 1 exactly where the score is at least 0.5, in all {values['n']:,} labelled "
                f"{terms.units}. If it is the model's own decision, nothing is corrected: pass the labels of people"
            )
        case "rounded_chances":
            return (
                f"the inclusion probabilities are rounded: they imply {values['stated']:,} "
                f"{terms.drawn(values['clustered'])}, not {values['actual']:,}"
            )
        case "date_format":
            return format_note(values["format"], values["first"], values["last"])
        case "spelling":
            return str(values["sentence"])
        case "repeated_items":
            column, copies = values["column"], values["rows"] - values["items"]
            items = f"{values['rows']:,} rows of {counted(values['items'], 'item')}"
            return (
                f"the column {column} repeats ({items}), and each row counts as one of the {terms.units}. "
                f"If {counted(copies, 'row is a copy', 'rows are copies')}, "
                f"leave {'it' if copies == 1 else 'them'} out; otherwise name {column} as the {terms.clusters}"
            )
        case "average_coverage":
            return (
                f"the intervals of {terms.groups} have the stated coverage on average over all {terms.groups}, not in "
                f"each {terms.group}"
            )
        case "few_labels":
            few = f"only {counted(values['n'], values['label'] + ' label')}"
            if values["chosen"]:
                return f"{few}; label more"
            return f"{few}: totals with fewer than {values['few']} positive (or negative) labels use the labels alone"
        case "independent_members":
            return (
                f"the intervals of {terms.groups} treat {terms.members} as independent given their scores; those of "
                "totals do not"
            )
        case "large_clusters":
            return (
                f"a few large {terms.clusters} decide the total (the largest has {values['largest']:,} {terms.units}); "
                f"draw {terms.clusters} within strata of their size for a narrower interval"
            )
        case "not_as_drawn":
            return (
                f"no estimates, only certain bounds: the scores of labelled {terms.units} differ from the rest more "
                "than the stated sampling design explains. Pass the sample, its strata or inclusion probabilities, or "
                "draw a new sample"
            )
        case "low_scores_unlabelled":
            return (
                f"the model's misses at low scores are unknown: none of the {values['n']:,} {terms.units} with a score "
                f"of at most {values['score']:.3g} has a label"
            )
        case "unlike_groups":
            unlike = shortened(values["unlike"], limit=MAX_NAMED)
            return (
                f"the {terms.groups}{terms.of(values['domain'])} differ too much to share information (most: "
                f"{unlike}), so each is estimated from its own labels{_largest_contributors(values['domain'], rows)}"
            )
        case "unlabelled_groups":
            groups = f"{counted(values['n'], terms.group)}{terms.of(values['domain'])}"
            have = "has" if values["n"] == 1 else "have"
            return f"{groups} {have} no label, so no estimate; label {terms.units} of each {terms.group}"
        case "unread":
            have = "has" if values["unread"] == 1 else "have"
            unlabelled = f"{values['unread']:,} of {values['drawn']:,} drawn units {have} no label"
            if values["raw"]:
                return unlabelled
            return (
                f"{unlabelled}: the intervals allow for any label, the estimates assume that they resemble the "
                "labelled ones; label them for narrower intervals"
            )
        case "identical_readings":
            return after("the two labels of a unit never differ; ", values["question"])
        case "uneven_readings":
            return (
                f"the two annotators' errors are not symmetric: where they differ, the first label is 1 in "
                f"{values['first']:,} units and the second in {values['second']:,} (p {values['p']:.1g}). Were units "
                "chosen for a second label because of their first?"
            )
    raise KeyError(note.code)


def by_severity(notes: Iterable[CountNote]) -> list[CountNote]:
    """Return the notes, the most severe first."""
    return sorted(notes, key=lambda note: -note.severity)


def _largest_contributors(domain: Sequence[str], rows: Sequence[Any]) -> str:
    """Return a phrase that names the largest rows of a domain, which contain half of its count; may be empty."""
    members = [row for row in rows if row.group[:-1] == tuple(domain)]
    positive_rows = sorted((row for row in members if row.estimate > 0), key=lambda row: -row.estimate)
    if not positive_rows:
        return ""
    total = math.fsum(row.estimate for row in positive_rows)
    sums_before = accumulate((row.estimate for row in positive_rows), initial=0.0)
    largest = [row for row, sum_before in zip(positive_rows, sums_before, strict=False) if sum_before < total / 2]
    names = shortened([f"{row.group[-1]} {row}" for row in largest], limit=MAX_NAMED)
    share = math.fsum(row.estimate for row in largest) / total
    contribute = "contributes" if len(largest) == 1 else "contribute"
    return f"; {len(largest)} of {len(members)} {contribute} {share:.0%} of the count: {names}"


def as_sentence(text: str) -> str:
    """Return a text with an initial capital letter and a final full stop.

    >>> as_sentence("label more")
    'Label more.'
    """
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith(('.', '?', '!')) else '.'}"
