"""Labels of entities such as B-PER: which neighbours belong to one entity, and which labels may follow each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.inputs.naming import shortened
from howsure.inputs.pairs import Floats, Integers

OUTSIDE = "O"
UNTYPED = "entity"  # the type of labels that have none: B, I
PREFIXES = {"B": "B", "I": "I", "M": "I", "E": "E", "L": "E", "S": "S", "U": "S"}  # BILOU and BMES written as BIOES
LABEL = re.compile(rf"([{''.join(PREFIXES)}])(?:-(.+))?", re.DOTALL)
GRAMMARS = {"BIO": "BIO", "IOB2": "BIO", "IOB1": "IOB1", "BIOES": "BIOES", "IOBES": "BIOES", "BILOU": "BIOES"}

Booleans = npt.NDArray[np.bool_]


class Entity(NamedTuple):
    """The tokens start, …, stop − 1 of a sentence, counted from 0, and the type of the entity that they are."""

    start: int
    stop: int
    type: str


class EntityLabels:
    """The K labels of a tagger: prefixes, types, and which neighbours belong to one entity.

    Two neighbours belong to one entity if the left one begins or continues it (B, I), the right one continues or ends
    it (I, E), and their types agree; every other label but O begins an entity. So conlleval reads labels, and so every
    sequence of labels has one reading, legal or not: I-PER after O begins a person.

    type_names: the types in order of appearance. types (K,): the number of each label's type, −1 for O. continues (K,
    K): whether label k after label j continues the entity of j.

    Raises InputError for a label that is no label of an entity.
    """

    def __init__(self, labels: Iterable[str]) -> None:
        self.labels = tuple(labels)
        parsed = [prefix_and_type(label) for label in self.labels]
        self.prefixes = tuple(prefix for prefix, _ in parsed)
        self.type_names = tuple(dict.fromkeys(type_ for prefix, type_ in parsed if prefix != OUTSIDE))
        number = {name: i for i, name in enumerate(self.type_names)}
        self.types: Integers = np.array([number.get(type_, -1) for _, type_ in parsed], dtype=np.int64)
        self.continues = self._among("BI")[:, None] & self._among("IE") & (self.types[:, None] == self.types)

    @property
    def inside(self) -> Booleans:
        """(K,): every label but O."""
        return self.types >= 0

    @property
    def of_type(self) -> Floats:
        """(K, types): 1 where the label has the type."""
        member: Floats = (self.types[:, None] == np.arange(len(self.type_names))).astype(np.float64)
        return member

    def entities(self, codes: Sequence[int]) -> list[tuple[int, int, int]]:
        """The entities (start, stop, number of the type) in the labels of a sentence."""
        found, begin, before = [], -1, -1
        for t, code in enumerate(codes):
            if begin >= 0 and not self.continues[before, code]:
                found.append((begin, t, int(self.types[before])))
                begin = -1
            if begin < 0 and self.types[code] >= 0:
                begin = t
            before = code
        if begin >= 0:
            found.append((begin, len(codes), int(self.types[before])))
        return found

    def potentials(self, grammar: str) -> tuple[Floats, Floats, Floats]:
        """start (K,), transitions (K, K) and end (K,): 0 where the grammar allows a label, −inf where it does not.

        BIO: I-X only after B-X or I-X. IOB1: B-X only after an entity of type X. BIOES: an entity is S-X, or B-X, any
        number of I-X, and E-X. Raises InputError for an unknown grammar or a label that it does not have.
        """
        form = _grammar(grammar)
        foreign = [label for label, prefix in zip(self.labels, self.prefixes, strict=True) if prefix not in form]
        if foreign:
            raise InputError(
                f"grammar {grammar!r} has no label {foreign[0]!r}; with E- and S- (or L- and U-) it is BIOES."
            )
        nowhere = np.zeros(len(self.labels), dtype=bool)
        start, end, unfinished = self._among("IE"), nowhere, nowhere
        if form == "IOB1":
            start = self._among("B")
            wrong = start & (self.types[:, None] != self.types)
        else:
            if form == "BIOES":
                end = unfinished = self._among("BI")
            wrong = (unfinished[:, None] | start) & ~self.continues
        useless = ~(_reached(~start, ~wrong) & _reached(~end, ~wrong.T))
        if useless.any():
            label = self.labels[int(useless.argmax())]
            raise InputError(
                f"grammar {grammar!r} allows {label!r} in no sentence: labels hold no label that may stand before or "
                f"after it. Do they follow another grammar ({', '.join(sorted(set(GRAMMARS.values())))})?"
            )
        return _forbidden(start), _forbidden(wrong), _forbidden(end)

    def _among(self, prefixes: str) -> Booleans:
        return np.array([prefix in prefixes for prefix in self.prefixes], dtype=bool)


def prefix_and_type(label: str) -> tuple[str, str]:
    """The prefix of a label in BIOES, and its type; that of O is empty.

    >>> prefix_and_type("B-PER"), prefix_and_type("U-LOC"), prefix_and_type("I"), prefix_and_type("O")
    (('B', 'PER'), ('S', 'LOC'), ('I', 'entity'), ('O', ''))

    Raises InputError for anything else.
    """
    match = LABEL.fullmatch(label) if isinstance(label, str) else None
    if match is None and label != OUTSIDE:
        raise InputError(
            f"labels must be O, B-TYPE, I-TYPE (or with E-, S-, L-, U-, M-) to speak of entities; they hold {label!r}."
        )
    return (OUTSIDE, "") if match is None else (PREFIXES[match[1]], match[2] or UNTYPED)


def entities_in(tags: Sequence[str]) -> list[Entity]:
    """The entities in the labels of a sentence, in BIO, IOB1, BIOES or BILOU, read as conlleval reads them.

    I-X continues an entity of type X and, anywhere else, begins one.

    >>> entities_in(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
    [Entity(start=0, stop=2, type='PER'), Entity(start=3, stop=4, type='LOC'), Entity(start=4, stop=5, type='LOC')]

    Raises InputError for a label that is no label of an entity.
    """
    known = EntityLabels(dict.fromkeys(tags))
    number = {label: i for i, label in enumerate(known.labels)}
    found = known.entities([number[tag] for tag in tags])
    return [Entity(start, stop, known.type_names[type_]) for start, stop, type_ in found]


def _grammar(name: object) -> str:
    form = GRAMMARS.get(name.upper()) if isinstance(name, str) else None
    if form is None:
        raise InputError(f"grammar must be one of {shortened(GRAMMARS)}, or None; it is {name!r}.")
    return form


def _reached(from_: Booleans, steps: Booleans) -> Booleans:
    """The labels that can be reached from some, by allowed steps (K, K)."""
    found = from_
    for _ in range(len(found)):
        found = found | steps[found].any(axis=0)
    return found


def _forbidden(wrong: Booleans) -> Floats:
    return np.where(wrong, -np.inf, 0.0)
