"""Check that each item of a log refers to the same document in every file, so that rows are paired correctly."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from howsure.errors import InputError, quote
from howsure.inputs.frames import ITEM, ITEM_HASH, MODEL, PROMPT, RUN, TASK
from howsure.inputs.matching import HASH_KIND_END
from howsure.inputs.numbers_and_names import counted

HASH_LENGTH = 16  # hexadecimal digits


def content_hash(content: Any, *, kind: str = "content") -> str | None:
    """Hash the content of an item; None without content. Hashes of different kinds are never compared.

    >>> content_hash({"question": "?"}) == content_hash({"question": "?"})
    True
    >>> content_hash(None)
    """
    if content is None or content in ("", {}, []):
        return None
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return f"{kind}{HASH_KIND_END}{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:HASH_LENGTH]}"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An item that refers to different documents in two files, and the number of such items.

    one_to_one: whether rows can be paired by their documents, because all items of a file have different documents and
    every file has the same documents.
    """

    item: Any
    task: Any
    files: tuple[str, str]
    items: int
    items_total: int
    one_to_one: bool

    @property
    def summary(self) -> str:
        """The contradiction as a clause of a message."""
        of_task = "" if self.task is None else f" of {self.task}"
        first, second = self.files
        where = f"in {first} and in {second}" if first != second else f"in two rows of {first}"
        count = f"{self.items:,} of {counted(self.items_total, 'item')}"
        return f"item {quote(self.item)}{of_task} is not the same document {where} ({count} differ)"

    def error(self) -> InputError:
        """Build the error for rows that cannot be paired by their documents, or whose items the user named."""
        advice = (
            f"Pair rows by their documents: `id={ITEM_HASH!r}`."
            if self.one_to_one
            else "Evaluate the models on the same version of the task. If the items are the same after all, name a "
            "column of the log that identifies them, such as `id='doc.id'`."
        )
        return InputError(f"{self.summary}; answers to different questions must not be paired. {advice}")

    def note(self) -> str:
        """Return the note that rows are paired by their documents."""
        return f"{self.summary}; rows are paired by their documents ({ITEM_HASH}), not by their item."


def contradiction_in(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Contradiction | None:
    """Find the first item with two documents among the rows of a log; None if there is none. rows: (file name, row).

    >>> rows = [("a", {"item": 1, "item_hash": "content:x"}), ("b", {"item": 1, "item_hash": "content:y"})]
    >>> contradiction_in(rows).files
    ('a', 'b')
    """
    documents: dict[tuple[str, str, str], tuple[str, str]] = {}  # task, item and kind -> hash and file
    items_of: dict[tuple[str, ...], dict[str, str]] = {}  # model or file, task, prompt and run -> hash -> item
    contradictory: dict[tuple[str, str, str], None] = {}
    first: tuple[Any, Any, tuple[str, str]] | None = None
    is_whole = True  # each document has one item per run, and each row a document
    for file, row in rows:
        digest = row.get(ITEM_HASH)
        if digest is None:
            is_whole = False
            continue
        key = (str(row.get(TASK)), str(row.get(ITEM)), digest.partition(HASH_KIND_END)[0])
        first_digest, first_file = documents.setdefault(key, (digest, file))
        if first_digest != digest:
            contradictory[key] = None
            first = first or (row.get(ITEM), row.get(TASK), (first_file, file))
        model = str(row.get(MODEL) or file)
        part = items_of.setdefault((model, *(str(row.get(name)) for name in (TASK, PROMPT, RUN))), {})
        is_whole = is_whole and part.setdefault(digest, key[1]) == key[1]
    if first is None:
        return None
    of_task: dict[str, set[str]] = {}
    same = all(of_task.setdefault(task, set(part)) == set(part) for (_, task, *_), part in items_of.items())
    item, task, files = first
    return Contradiction(item, task, files, len(contradictory), len(documents), is_whole and same)
