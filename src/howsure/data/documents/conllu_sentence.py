"""One CoNLL-U sentence: its lines as words with layers, and the mentions in its last column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from howsure.data.documents.document import Mention, Sentence, Strings
from howsure.data.documents.entity_brackets import BracketError, BracketFault, Brackets
from howsure.errors import InputError, shown
from howsure.files.text import Text

COLUMNS = 10
MISC = 9
USED = (1, 2, 3, 4, 5, 6, 7, MISC)  # not the number and the enhanced dependencies
LONGEST = 1_000  # words, up to which the tables below reach
IDS = ["1", *(f"\n{number}" for number in range(2, LONGEST + 1))]  # a line break stands before all but the first
HEADS = {str(number): number - 1 for number in range(LONGEST + 1)}
LONG = 10  # digits of a number that no word has
SPACES = (True,) * LONGEST
NO_SPACE, ENTITY = "SpaceAfter=No", "Entity="
SEVERAL = re.compile(r"[1-9][0-9]*-[1-9][0-9]*")
OTHER = re.compile(r"[1-9][0-9]*-[1-9][0-9]*|(0|[1-9][0-9]*)\.[1-9][0-9]*")  # several words, or an empty node
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of a sentence below its comments, and the line of the file at which they start."""

    text: Text
    line: int
    body: str

    def rows(self) -> Rows:
        """The lines as columns."""
        return [line.split("\t") for line in self.body.split("\n")]

    def fault(self, row: int, what: str) -> InputError:
        """The error for a row, counted from 0."""
        return self.text.fault(self.line + row, what)


def read_sentence(block: Block, metadata: dict[str, str]) -> Sentence:
    """The words of a block with their layers; InputError if a line violates the format."""
    cells, spans = _cells(block)
    forms, lemmas, universal, tags, features, heads, relations, misc = [
        tuple(cells[column::COLUMNS]) for column in USED
    ]
    for column in (forms, tags) if "\t\t" in block.body else ():
        if "" in column:
            what = "words and tags must not be empty. Write _ where there is none."
            raise block.fault(_row(block, column.index("")), what)
    return Sentence(
        forms,
        _layer(lemmas),
        _layer(tags),
        _layer(universal),
        _layer(features),
        _heads(block, heads),
        _layer(relations),
        _spaces(block, misc, spans),
        metadata,
    )


def read_mentions(block: Block, layout: Strings, *, sentence: int, name: str) -> list[Mention]:
    """The mentions of a block by its `Entity=` attributes; InputError if the brackets do not match."""
    brackets = Brackets(layout, sentence=sentence)
    word = -1
    row = 0
    try:
        for line in block.body.split("\n"):
            number = line.partition("\t")[0]
            word += "-" not in number and "." not in number
            for attribute in line.rpartition("\t")[2].split("|") if ENTITY in line else ():
                if attribute.startswith(ENTITY):
                    brackets.read(attribute.removeprefix(ENTITY), word, empty="." in number)
            row += 1
        return brackets.finish()
    except BracketError as error:
        what = f"{error}, in {name}. Entity= brackets must open and close in one sentence."
        raise BracketFault(str(block.fault(min(row, block.body.count("\n")), what))) from None


def _ids(n: int) -> list[str]:
    return IDS[:n] if n <= LONGEST else ["1", *(f"\n{number}" for number in range(2, n + 1))]


def _layer(values: Strings) -> Strings | None:
    return None if values[0] == "_" and values.count("_") == len(values) else values


def _cells(block: Block) -> tuple[list[str], list[list[str]]]:
    """The columns of all words, and the rows of multiword tokens."""
    cells = block.body.replace("\n", "\t\n").split("\t")  # one split is faster than one per line
    ids = cells[::COLUMNS]
    n = block.body.count("\n") + 1
    if len(cells) == COLUMNS * n and ids == _ids(n):  # so every line has its ten
        return cells, []
    if len(cells) != COLUMNS * n or not all(name.startswith("\n") for name in ids[1:]):
        raise _malformed(block)
    names = [name.removeprefix("\n") for name in ids]
    others = [at for at, name in enumerate(names) if OTHER.fullmatch(name)]
    spans = [
        [names[at], *cells[COLUMNS * at + 1 : COLUMNS * (at + 1)]] for at in others if SEVERAL.fullmatch(names[at])
    ]
    words = [name for name in names if not OTHER.fullmatch(name)]
    if not words or words != [str(number) for number in range(1, len(words) + 1)]:
        raise _malformed(block)
    for at in reversed(others):
        del cells[COLUMNS * at : COLUMNS * (at + 1)]
    return cells, spans


def _malformed(block: Block) -> InputError:
    """The error for the first row that violates the format."""
    expected = 1
    for at, row in enumerate(block.rows()):
        if len(row) != COLUMNS:
            return block.fault(at, f"a word needs {COLUMNS} columns separated by tabs; it has {len(row)}.")
        if not OTHER.fullmatch(row[0]):
            if row[0] != str(expected):
                return block.fault(
                    at, f"words must be numbered 1, 2, 3, …; {shown(row[0])} stands where {expected} should."
                )
            expected += 1
    return block.fault(0, "a sentence must have words; this one has none.")


def _row(block: Block, word: int) -> int:
    """The row of a word."""
    return [at for at, row in enumerate(block.rows()) if not OTHER.fullmatch(row[0])][word]


def _heads(block: Block, column: Strings) -> tuple[int, ...] | None:
    n = len(column)
    known = HEADS if n <= LONGEST else {str(number): number - 1 for number in range(n + 1)}
    try:
        heads = tuple(map(known.__getitem__, column))
        if max(heads) < n:
            return heads
    except KeyError:
        if column.count("_") == n:
            return None
    wrong = next(at for at, head in enumerate(column) if known.get(head, n) >= n)
    what = f"the head must be 0 (the root) or the number of a word up to {n}; it is {shown(column[wrong])}."
    raise block.fault(_row(block, wrong), what)


def _spaces(block: Block, misc: Strings, spans: Rows) -> tuple[bool, ...]:
    n = len(misc)
    if not spans and NO_SPACE not in block.body:
        return SPACES[:n] if n <= LONGEST else (True,) * n
    spaces = [attributes == "_" or NO_SPACE not in attributes.split("|") for attributes in misc]
    for row in spans:
        first, last = (int(number) if len(number) < LONG else n + 1 for number in row[0].split("-"))
        if not first < last <= n:
            what = f"{row[0]:.60} must span two or more of the {n} words."
            raise block.fault([one[0] for one in block.rows()].index(row[0]), what)
        spaces[first - 1 : last] = [*[False] * (last - first), NO_SPACE not in row[MISC].split("|")]
    return tuple(spaces)
