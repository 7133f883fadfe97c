"""Appendix 3 of Nguyen & O'Connor (2015): countries by the paper's list, and the effect of its stemming."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from howsure.result import Estimate
from howsure.show.table import COUNT, Column, digits
from howsure_cli.datasets import data_set_path
from howsure_events.lexicon import Lexicon
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import query_rows
from howsure_papers.intervals import estimate_text, opposite, share_estimate, verdict
from howsure_papers.reproduction import NAME, TEXT, ExperimentResult, Finding, Numbers, numbers

OURS, PLAIN, STEMMED = "ours", "the paper's, no stem", "the paper's"
MAX_FALSE_SHARE = 0.05  # largest harmless proportion of false names among those that a stem adds
MAX_WORDS = 8
Count = Callable[[Lexicon], float]


@dataclass(frozen=True, slots=True)
class Named:
    """The matches of a list in texts: documents and names. added: words that match only because the list is stemmed."""

    lexicon: Lexicon
    documents: int
    names: int
    added: Counter[str]

    @property
    def lower(self) -> Estimate:
        """The proportion of added names without a capital letter, which cannot be names of countries."""
        return share_estimate(np.array([word == word.lower() for word in self.added.elements()]))


def country_lists(data: str | None, ours: Lexicon) -> dict[str, Lexicon]:
    """Return our list of countries, and that of Nguyen & O'Connor with and without stemming."""
    path = data_set_path("irevents", "country_igos.txt", data=data)
    return {OURS: ours, PLAIN: Lexicon.read(path, stemming="none"), STEMMED: Lexicon.read(path, stemming="paper")}


def find_names(path: Path, lists: Mapping[str, Lexicon]) -> dict[str, Named]:
    """The matches of each list in the documents of a store, whose words are those of the parse."""
    with EventStore.open(path) as store:
        rows = query_rows(store, "SELECT document, words FROM sentences ORDER BY document, sentence")
        sentences = [(document, words) for document, words in rows]
    matches_by_list = {name: [lexicon.match(words) for _, words in sentences] for name, lexicon in lists.items()}
    added: Counter[str] = Counter()
    for (_, words), stemmed, plain in zip(sentences, matches_by_list[STEMMED], matches_by_list[PLAIN], strict=True):
        added.update(" ".join(words[start:end]) for start, end, _ in set(stemmed) - set(plain))
    return {
        name: Named(
            lexicon=lists[name],
            documents=len({document for (document, _), names in zip(sentences, matches, strict=True) if names}),
            names=sum(map(len, matches)),
            added=added if name == STEMMED else Counter(),
        )
        for name, matches in matches_by_list.items()
    }


def country_names(
    path: Path, corpus: str, lists: Mapping[str, Lexicon], count: Count | None = None
) -> ExperimentResult:
    """Return the effects of the paper's list and stems in a store. count: computes the expected events for a list."""
    names_by_list = find_names(path, lists)
    stemmed = names_by_list[STEMMED]
    added = stemmed.added.total()
    unstemmed_share = share_estimate(np.arange(stemmed.names) >= added)
    place, setting = "Appendix 3", f"{corpus}, names of countries"
    findings = [
        Finding(
            place,
            "the stem is usually unnecessary",
            f"{estimate_text(unstemmed_share, 4)} of {stemmed.names:,} names are found without it",
            verdict(unstemmed_share, above=0.5),
            setting,
        )
    ]
    if added:
        claim = f"what it adds are names (less than {100 * MAX_FALSE_SHARE:.0f} % are written without a capital)"
        ours = f"of {added:,} that it adds, a share of {estimate_text(stemmed.lower, 4)} is written without a capital"
        findings.append(Finding(place, claim, ours, opposite(verdict(stemmed.lower, above=MAX_FALSE_SHARE)), setting))
    return ExperimentResult(findings=findings, tables=[names_table(names_by_list, corpus, count)])


def names_table(named_by_list: Mapping[str, Named], corpus: str, count: Count | None) -> Numbers:
    def words(name: str) -> str:
        ordered = sorted(named_by_list[name].added.items(), key=lambda entry: (-entry[1], entry[0].lower(), entry[0]))
        return ", ".join(f"{word} {times}" for word, times in ordered[:MAX_WORDS])

    counts = (
        []
        if count is None
        else [
            Column(
                "expected documents",
                digits(1),
                values=[count(named_list.lexicon) for named_list in named_by_list.values()],
            )
        ]
    )
    return numbers(
        f"{corpus}: names of countries by three lists, in the documents with a word of the rule",
        named_by_list,
        Column("list", NAME, get=lambda name: name),
        Column("names in it", COUNT, get=lambda name: len(named_by_list[name].lexicon.entries)),
        Column("documents naming an actor", COUNT, get=lambda name: named_by_list[name].documents),
        Column("names found", COUNT, get=lambda name: named_by_list[name].names),
        Column("only by the stem", COUNT, get=lambda name: named_by_list[name].added.total()),
        Column("most frequent of these", TEXT, get=words),
        *counts,
    )
