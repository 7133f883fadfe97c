"""A text as sentences of words, without a parser: enough to show it, and to read it for labelling."""

from __future__ import annotations

import re

WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|[。！？]+")

Sentence = tuple[list[str], list[bool]]


def sentences_of(text: str) -> list[Sentence]:
    """The words of each sentence, and whether a space follows each.

    A sentence ends with its line, or with `.`, `!` or `?` unless a small letter follows; nothing but white space is
    lost.

    >>> sentences_of("They didn't attack. He left.")
    [(['They', "didn't", 'attack', '.'], [True, True, False, True]), (['He', 'left', '.'], [True, False, True])]
    """
    found = [_words(part) for line in text.splitlines() for part in _parts(line)]
    return [sentence for sentence in found if sentence[0]]


def _parts(line: str) -> list[str]:
    cuts = [end.end() for end in END.finditer(line) if not line[end.end() : end.end() + 1].islower()]
    return [line[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(line)], strict=True)]


def _words(part: str) -> Sentence:
    found = list(WORD.finditer(part))
    nexts = [one.start() for one in found[1:]]
    return [one[0] for one in found], [
        *(after > one.end() for one, after in zip(found, nexts, strict=False)),
        *([True] if found else []),
    ]
