"""The commands that `howsure look` proposes for dated documents: events in texts, or events that a model scored."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from howsure.data.column_roles import (
    DATES,
    FEW,
    LISTS,
    NUMBERS,
    OBJECTS,
    REPEATED,
    SHARES,
    TEXTS,
    TWO,
    UNIQUE,
    WITHIN,
    SeenColumn,
)
from howsure_cli.column_words import (
    ACTORS,
    ASKED,
    BODIES,
    CHANCES,
    CONFIDENCES,
    DATES_NAMED,
    DOUBTS,
    HEADLINES,
    ITEMS,
    JUDGE,
    MEASURES,
    MODELS,
    SCORES,
    column_list,
    names_id,
    words_in,
)
from howsure_cli.typed_commands import Proposal, TypedFiles

Columns = Sequence[SeenColumn]

FREQUENT_WORDS = tuple(
    map(
        words_in,
        (
            "the of and to that was is with for on",  # English; then German, Spanish, French, and so on
            "der die das und den von mit nicht ist auf",
            "el la los las del que por con una se",
            "le la les des est une dans pour qui du",
            "os as do da que com uma não em no",
            "il la gli che di per con una della sono",
            "de het een van en dat niet op zijn voor",
        ),
    )
)


def events_in_texts(columns: Columns, typed: TypedFiles) -> Iterator[Proposal]:
    """Propose commands for events in texts if each row is a text with a date and has no numbers."""
    dates = [column for column in columns if column.kind == DATES or column.words & DATES_NAMED]
    text = _text(columns)
    numbers = {WITHIN, NUMBERS, SHARES, LISTS, OBJECTS}
    others = [column for column in columns if column.kind in numbers and "similarity" not in column.words]
    if text is None or not dates or others or any(column.words & (ASKED | {"generated"}) for column in columns):
        return
    ids = (column for column in columns if column.kind == UNIQUE and names_id(column) and not column.missing)
    item = next(ids, None)
    names = {"text": text.name, "date": dates[0].name, "id": None if item is None else item.name}
    yield typed.command(
        "events extract", **names, title=_title(columns), parser="en_core_web_sm", store=_store(typed.paths)
    )


def are_in_english(texts: Iterable[str]) -> bool:
    """Whether texts have more of the most frequent words of English than of another language's.

    >>> are_in_english(["The police shot at the crowd"]), are_in_english(["Die Polizei schoss auf die Menge"])
    (True, False)
    """
    words = Counter(word for text in texts for word in re.findall(r"\w+", text.lower()))
    english, *others = (sum(words[word] for word in frequent) for frequent in FREQUENT_WORDS)
    return english >= max(others)


def import_scores(columns: Columns, typed: TypedFiles) -> Iterator[Proposal]:
    """Propose a store of events if rows have a document, a date and probabilities of actors or topics.

    A row has one actor and its probability, or a probability for each actor or topic.
    """
    if any(column.words & (MODELS | JUDGE) for column in columns):  # scores of answers
        return
    items = [column for column in columns if column.kind in (UNIQUE, REPEATED)]
    roles = {
        "id": [column for column in items if names_id(column) or column.words & ITEMS],
        "date": [column for column in columns if column.kind == DATES and not column.missing],
    }
    per_actor = {
        "actor": [column for column in columns if column.words & ACTORS and column.kind in (FEW, TWO, REPEATED)],
        "prob": [column for column in columns if column.words & CHANCES and column.kind == WITHIN],
    }
    actors = None
    if all(per_actor.values()):
        roles |= per_actor
    elif (topics := _topics(columns)) and all(column.kind == UNIQUE for column in roles["id"][:1]):
        actors = column_list(topics)
        roles = {option: candidates for option, candidates in roles.items() if candidates or option == "date"}
    else:
        return
    if not all(roles.values()):
        return
    names = {option: candidates[0].name for option, candidates in roles.items()}
    text = _text(columns) or next((column for column in items if column.words & BODIES), None)
    texts = {"text": None if text is None else text.name, "title": _title(columns)}
    yield typed.command("events import", **names, actors=actors, **texts, store=_store(typed.paths))


def _topics(columns: Columns) -> list[SeenColumn]:
    """Return the columns with numbers within [0, 1], if they can be the probabilities of two or more topics.

    They cannot if one of them has missing values, a comma in its name, or a word for a score or a confidence.
    """
    within = [column for column in columns if column.kind == WITHIN]
    topics = [column for column in within if not (column.missing or "," in column.name)]
    named = any(column.words & ((SCORES | MEASURES | DOUBTS | CONFIDENCES) - {"f"}) for column in within)
    return topics if len(topics) == len(within) > 1 and not named else []


def _text(columns: Columns) -> SeenColumn | None:
    texts = [c for c in columns if c.kind == TEXTS and any(" " in example for example in c.examples)]  # not addresses
    return max(texts, key=lambda column: column.characters, default=None)  # titles are shorter


def _title(columns: Columns) -> str | None:
    text = _text(columns)
    title = next((column for column in columns if column.words & HEADLINES and column is not text), None)
    return None if title is None else title.name


def _store(paths: Sequence[str]) -> str:
    return f"{os.path.basename(paths[0]).partition('.')[0]}.duckdb"
