"""News and reports: dated texts with possible events, and their gold labels."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from howsure.errors import InputError
from howsure_cli.datasets import find_data_set
from howsure_events.lexicon import Lexicon

WIKIPEDIA, REUTERS, MUC = "wikipedia_current_events", "reuters21578", "muc4"
DROPPED = re.compile(r"Sport|Opinion|Arts", re.IGNORECASE)  # the paper omits Sports and Opinion
WORD = re.compile(r"[^\W\d_](?:[\w.'-]*\w)?")
CASE_TEXTS = 40_000  # number of texts for truecasing; fewer with a limit
CASE_TEXTS_AN_ITEM = 100

Cases = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Item:
    """A dated text. In `muc4`, `places` are the countries, as actors, in which an incident took place, and
    `perpetrators` are the actors whose people committed it."""

    id: str
    date: str
    title: str
    text: str
    places: frozenset[str] = frozenset()
    perpetrators: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class News:
    """The items of a corpus that contain a word of the event and name an actor, and counts of other items.

    total: the number of all items. naming: the number of items that name an actor. silent: items that are not among
    `items`, although they report a gold incident. others: all further items.
    """

    items: list[Item] = field(repr=False)
    silent: list[Item] = field(repr=False)
    others: list[Item] = field(repr=False)
    total: int
    naming: int

    @property
    def words(self) -> int:
        """Words, counted by blanks."""
        return sum(len(item.text.split()) for item in self.items)


def read_wikipedia(data: str | None, *, lexicon: Lexicon, event: re.Pattern[str], limit: int | None) -> News:
    """Wikipedia's current events without sports and arts."""
    kept = (item for item in items_of_wikipedia(data) if not DROPPED.search(item.title))
    return _news(kept, lexicon, event, limit)


def items_of_wikipedia(data: str | None) -> Iterator[Item]:
    """Wikipedia's current events; the title of an item is its heading."""
    for row in packed_rows(data, WIKIPEDIA):
        if row["kind"] == "event":
            yield Item(row["id"], row["date"], row["category"], row["text"])


def read_reuters(data: str | None, *, lexicon: Lexicon, event: re.Pattern[str], limit: int | None) -> News:
    """The newswire of 1987."""
    kept = (
        Item(str(row["id"]), row["date"][:10], row["title"], " ".join(row["body"].split()))
        for row in packed_rows(data, REUTERS)
    )
    return _news(kept, lexicon, event, limit)


def cases_of_wikipedia(data: str | None, *, limit: int | None) -> Cases:
    """The most frequent spelling of words in Wikipedia; in its first texts if the number of items is limited."""
    n = CASE_TEXTS if limit is None else min(CASE_TEXTS, CASE_TEXTS_AN_ITEM * limit)
    return usual_cases(row["text"] for row in islice(packed_rows(data, WIKIPEDIA), n))


def read_incidents(
    data: str | None, *, lexicon: Lexicon, event: re.Pattern[str], limit: int | None, cases: Cases | None = None
) -> News:
    """The dated reports of `muc4` in normal capitalisation (`cases`: from Wikipedia), with the actors of their gold."""
    cases = cases_of_wikipedia(data, limit=limit) if cases is None else cases
    kept = (
        Item(row["id"], row["date"], "", truecased(row["text"], cases), *gold_actors(row["templates"], lexicon, cases))
        for row in packed_rows(data, MUC)
        if row["date"]
    )
    return _news(kept, lexicon, event, limit)


def usual_cases(texts: Iterator[str]) -> dict[str, str]:
    """The most frequent spelling of each word within sentences: `iraq` as `Iraq`, `the` as `the`.

    >>> usual_cases(iter(["He saw Iraq.", "In Iraq he was seen."]))
    {'saw': 'saw', 'iraq': 'Iraq', 'he': 'he', 'was': 'was', 'seen': 'seen'}
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for match in WORD.finditer(text):
            before = text[max(0, match.start() - 3) : match.start()].rstrip(" \"“'(")
            if before and before[-1] not in ".:!?":
                counts[match[0].lower()][match[0]] += 1
    return {word: _usual(forms) for word, forms in counts.items()}


def _usual(forms: Counter[str]) -> str:
    """The most frequent form; a form in capitals (US) only if there is no other."""
    return max(forms, key=lambda form: (not form.isupper() or len(form) == 1, forms[form]))


def truecased(text: str, cases: Cases) -> str:
    """Return a text in capitals with normal capitalisation. Unknown words are capitalised like names.

    >>> truecased("THE ARMY OF ZORA ATTACKED. IT WON.", {"the": "the", "army": "army", "of": "of", "it": "it",
    ...           "attacked": "attacked", "won": "won"})
    'The army of Zora attacked. It won.'
    """
    written = WORD.sub(lambda word: cases.get(word[0].lower(), word[0].capitalize()), text)
    return re.sub(r"(^|[.!?]\s+|\n\s*)(\w)", lambda start: start[1] + start[2].upper(), " ".join(written.split()))


def gold_actors(
    templates: Sequence[Mapping[str, Any]], lexicon: Lexicon, cases: Cases
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the countries in which the incidents of a report took place, and the countries of their perpetrators.

    A perpetrator is assigned to the countries that its description names (`Honduran troops`), or else to the country of
    the incident.
    """
    places, perpetrators = set[str](), set[str]()
    for template in templates:
        place_actors = {code for name in template["countries"] for code in lexicon.codes_of(name.title())}
        template_slots = template["slots"]
        perpetrator_texts = [
            text
            for slot in ("INDIVIDUAL", "ORGANIZATION")
            for text in template_slots.get(f"PERP: {slot} ID", ())
            if text != "-"
        ]
        perpetrator_actors = {
            code
            for text in perpetrator_texts
            for code in lexicon.codes_of(truecased(re.sub(r'["/?\\\\]', " ", text), cases))
        }
        places |= place_actors
        perpetrators |= perpetrator_actors or (place_actors if perpetrator_texts else set())
    return frozenset(places), frozenset(perpetrators)


def _news(items: Iterator[Item], lexicon: Lexicon, event: re.Pattern[str], limit: int | None) -> News:
    with_words, silent, others = list[Item](), list[Item](), list[Item]()
    total, naming = 0, 0
    for item in islice(items, limit):
        total += 1
        names = bool(lexicon.match(WORD.findall(item.text)))
        naming += names
        if names and event.search(item.text):
            with_words.append(item)
        else:
            (silent if item.places else others).append(item)
    return News(with_words, silent, others, total, naming)


def packed_rows(data: str | None, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a data set that consists of one compressed file of JSON lines."""
    folder = find_data_set(name, data=data)
    path = next(iter(sorted(Path(folder).glob("*.jsonl.gz"))), None)
    if path is None:
        raise InputError(f"{folder} has no file of JSON lines (*.jsonl.gz); fetch the data set again.")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
