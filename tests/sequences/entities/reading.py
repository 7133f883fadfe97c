"""Entities read from labels in the slow, obvious way: by the tables of conlleval, and by grammars as patterns."""

from __future__ import annotations

import re
from itertools import pairwise

ENDS = {"BB", "BO", "BS", "IB", "IO", "IS", *(f"{before}{after}" for before in "ES" for after in "BIOES")}
BEGINS = {f"{before}{after}" for before in "BIOES" for after in "BS"} | {"EE", "EI", "SE", "SI", "OE", "OI"}
AS_BIOES = str.maketrans("MLU", "IES")
BIOES = r"(?:O |S-\w* |B-(\w*) (?:I-\1 )*E-\1 )*"
PATTERNS = {"BIO": r"(?:O |B-(\w*) (?:I-\1 )*)*", "BIOES": BIOES, "BILOU": BIOES}


def split(label: str) -> tuple[str, str]:
    prefix, _, type_ = label.partition("-")
    return prefix.translate(AS_BIOES), type_


def read(tags: list[str]) -> set[tuple[int, int, str]]:
    """Every (start, stop, type), by conlleval's rules for where a chunk begins and ends."""
    found, begin = set(), None
    parts = [("O", ""), *map(split, tags), ("O", "")]
    for t, (before, after) in enumerate(pairwise(parts)):
        change, other = before[0] + after[0], before[1] != after[1]
        if begin is not None and (change in ENDS or other):
            found.add((begin, t, before[1]))
            begin = None
        if after[0] != "O" and (change in BEGINS or other):
            begin = t
    return found


def is_legal(tags: list[str], grammar: str | None) -> bool:
    if grammar is None:
        return True
    if grammar == "IOB1":
        steps = pairwise(["O", *tags])
        return all(after[0] != "B" or before[1:] == after[1:] for before, after in steps)
    return (
        re.fullmatch(PATTERNS[grammar], "".join(f"{'-'.join(split(tag)) if tag != 'O' else tag} " for tag in tags))
        is not None
    )
