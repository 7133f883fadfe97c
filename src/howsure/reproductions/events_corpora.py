"""The corpora of the event experiments: dated texts in which somebody may act, and what is known of them."""

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
from howsure.events.lexicon import Lexicon
from howsure.reproductions.folders import data_folder

WIKIPEDIA, REUTERS, MUC = "wikipedia_current_events", "reuters21578", "muc4"
DROPPED = re.compile(r"Sport|Opinion|Arts", re.IGNORECASE)  # as the paper drops Sports and Opinion
WORD = re.compile(r"[^\W\d_](?:[\w.'-]*\w)?")
CASE_TEXTS = 40_000  # from which truecasing learns

Cases = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Item:
    """A dated text. In `muc4`, `places` are the actors in whose country an incident took place, `perpetrators` those
    whose people did it."""

    id: str
    date: str
    title: str
    text: str
    places: frozenset[str] = frozenset()
    perpetrators: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class News:
    """The items of a corpus that hold a word of the event, and how many there are in all, and name an actor."""

    items: list[Item] = field(repr=False)
    total: int
    naming: int

    @property
    def words(self) -> int:
        """Words, counted by blanks."""
        return sum(len(item.text.split()) for item in self.items)


def read_wikipedia(data: str | None, *, lexicon: Lexicon, event: re.Pattern[str], limit: int | None) -> News:
    """Wikipedia's current events without sports and arts."""
    kept = (
        Item(row["id"], row["date"], row["category"], row["text"])
        for row in _rows(data, WIKIPEDIA)
        if row["kind"] == "event" and not DROPPED.search(row["category"])
    )
    return _news(kept, lexicon, event, limit)


def read_reuters(data: str | None, *, lexicon: Lexicon, event: re.Pattern[str], limit: int | None) -> News:
    """The newswire of 1987."""
    kept = (
        Item(str(row["id"]), row["date"][:10], row["title"], " ".join(row["body"].split()))
        for row in _rows(data, REUTERS)
    )
    return _news(kept, lexicon, event, limit)


def read_incidents(data: str | None, *, lexicon: Lexicon, event: re.Pattern[str], limit: int | None) -> News:
    """Reports of `muc4` that have a date, written as other texts are, with the actors of their gold templates."""
    cases = usual_cases(row["text"] for row in islice(_rows(data, WIKIPEDIA), CASE_TEXTS))
    kept = (
        Item(row["id"], row["date"], "", truecased(row["text"], cases), *gold_actors(row["templates"], lexicon, cases))
        for row in _rows(data, MUC)
        if row["date"]
    )
    return _news(kept, lexicon, event, limit)


def usual_cases(texts: Iterator[str]) -> dict[str, str]:
    """How each word is mostly written within sentences: `iraq` as `Iraq`, `the` as `the`.

    >>> usual_cases(iter(["He saw Iraq.", "In Iraq he was seen."]))
    {'saw': 'saw', 'iraq': 'Iraq', 'he': 'he', 'was': 'was', 'seen': 'seen'}
    """
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for match in WORD.finditer(text):
            if text[max(0, match.start() - 2) : match.start()].strip(" \"“'(") not in ("", ".", ":", "!", "?"):
                seen[match[0].lower()][match[0]] += 1
            elif match.start() > 1 and text[match.start() - 2] not in ".:!?\"“'(":
                seen[match[0].lower()][match[0]] += 1
    return {word: forms.most_common(1)[0][0] for word, forms in seen.items()}


def truecased(text: str, cases: Cases) -> str:
    """A text in capitals as it would be written; words that are not known as names.

    >>> truecased("THE ARMY OF ZORA ATTACKED. IT WON.", {"the": "the", "army": "army", "of": "of", "it": "it",
    ...           "attacked": "attacked", "won": "won"})
    'The army of Zora attacked. It won.'
    """
    written = WORD.sub(lambda word: cases.get(word[0].lower(), word[0].capitalize()), text)
    return re.sub(r"(^|[.!?]\s+|\n\s*)(\w)", lambda start: start[1] + start[2].upper(), " ".join(written.split()))


def gold_actors(
    templates: Sequence[Mapping[str, Any]], lexicon: Lexicon, cases: Cases
) -> tuple[frozenset[str], frozenset[str]]:
    """Where the incidents of a report took place, and whose people did them: (places, perpetrators).

    A perpetrator is of the countries that its description names (`Honduran troops`), or else of the place.
    """
    places, perpetrators = set[str](), set[str]()
    for template in templates:
        there = {code for name in template["countries"] for code in lexicon.codes_of(name.title())}
        slots = template["slots"]
        said = [
            text for slot in ("INDIVIDUAL", "ORGANIZATION") for text in slots.get(f"PERP: {slot} ID", ()) if text != "-"
        ]
        named = {
            code
            for text in said
            for code in lexicon.codes_of(truecased(re.sub(r'["/?\\\\]', " ", text), cases))
        }
        places |= there
        perpetrators |= named or (there if said else set())
    return frozenset(places), frozenset(perpetrators)


def _news(items: Iterator[Item], lexicon: Lexicon, event: re.Pattern[str], limit: int | None) -> News:
    found, total, naming = [], 0, 0
    for item in islice(items, limit):
        total += 1
        names = bool(lexicon.match(WORD.findall(item.text)))
        naming += names
        if names and event.search(item.text):
            found.append(item)
    return News(found, total, naming)


def _rows(data: str | None, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a data set, whose one file of JSON lines is packed."""
    folder = data_folder(data, name)
    (path,) = sorted(Path(folder).glob("*.jsonl.gz")) or [None]
    if path is None:
        raise InputError(f"{folder} holds no file of JSON lines (*.jsonl.gz); fetch the data set again.")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
