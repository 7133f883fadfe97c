"""Entity labels of tokens (such as B-PER), their grammars, and potentials from the logits of token classifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from howsure.data.documents.entities import OUTSIDE, prefix_and_type
from howsure.errors import InputError, quote
from howsure.inputs.numbers_and_names import is_number, shortened
from howsure.inputs.pairs import Bools, Floats, Integers
from howsure.inputs.parameter_types import ArrayLike
from howsure_text.sequences.potentials import as_floats, check_ends

GRAMMARS = {"BIO": "BIO", "IOB2": "BIO", "IOB1": "IOB1", "BIOES": "BIOES", "IOBES": "BIOES", "BILOU": "BIOES"}
Booleans = Bools


class EntityLabels:
    """The K labels of a tagger: their prefixes and types, and which neighbouring labels belong to one entity.

    Two neighbours belong to one entity if the left label begins or continues it (B, I), the right label continues or
    ends it (I, E), and their types are equal. Every other label except O begins an entity. By this rule, which is that
    of conlleval, even an illegal sequence has exactly one interpretation: I-PER after O begins a person.

    type_names: the types in order of appearance. types (K,): the number of each label's type, −1 for O. continues (K,
    K): whether label k after label j continues the entity of j.
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
        """(K,): whether a label is in an entity, which is true for all labels except O."""
        return self.types >= 0

    @property
    def type_membership(self) -> Floats:
        """(K, types): 1 if the label has the type, otherwise 0."""
        return np.asarray((self.types[:, None] == np.arange(len(self.type_names))).astype(np.float64))

    def potentials(self, grammar: str) -> tuple[Floats, Floats, Floats]:
        """Return start (K,), transitions (K, K) and end (K,): 0 if the grammar allows a label, −inf if it does not.

        BIO: I-X only after B-X or I-X. IOB1: B-X only after an entity of type X. BIOES: an entity is S-X, or B-X, any
        number of I-X, and E-X. Raises InputError for an unknown grammar or a label that it does not have.
        """
        form = _grammar(grammar)
        foreign = [label for label, prefix in zip(self.labels, self.prefixes, strict=True) if prefix not in form]
        if foreign:
            raise InputError(
                f"grammar {grammar!r} does not have the label {foreign[0]!r}. For labels with E- and S- (or L- and "
                "U-), use BIOES."
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
                f"grammar {grammar!r} allows {label!r} in no sentence: no other label may precede or follow it. "
                f"Do the labels follow another grammar ({', '.join(sorted(set(GRAMMARS.values())))})?"
            )
        return _forbidden(start), _forbidden(wrong), _forbidden(end)

    def _among(self, prefixes: str) -> Booleans:
        return np.array([prefix in prefixes for prefix in self.prefixes], dtype=bool)


def _grammar(name: object) -> str:
    form = GRAMMARS.get(name.upper()) if isinstance(name, str) else None
    if form is None:
        raise InputError(f"grammar must be one of {shortened(GRAMMARS)}, or None; it is {name!r}.")
    return form


def _reached(from_: Booleans, steps: Booleans) -> Booleans:
    """Return the labels that can be reached from some labels by allowed steps (K, K)."""
    reached = from_
    for _ in range(len(reached)):
        reached = reached | steps[reached].any(axis=0)
    return reached


def _forbidden(wrong: Booleans) -> Floats:
    return np.where(wrong, -np.inf, 0.0)


IGNORED = -100  # label of rows that are not used: padding, special tokens, later subwords of a word
Array = npt.NDArray[Any]
LISTS = (list, tuple, np.ndarray)


class TokenPotentials(NamedTuple):
    """The potentials for `TagPosterior`."""

    emissions: list[Array]
    transitions: Floats
    start: Floats | None
    end: Floats | None


def token_potentials(
    logits: Any,
    *,
    labels: Sequence[str],
    label_ids: Any = None,
    word_ids: Any = None,
    mask: Any = None,
    grammar: str | None = None,
    transitions: Any = None,
    start: Any = None,
    end: Any = None,
) -> TokenPotentials:
    """Return the logits of the tokens that are used, and the sum of the potentials of a CRF and of a grammar."""
    names = _checked_names(labels)
    sentences = _sentences(logits, "logits", depth=2)
    rows = _used_rows(sentences, label_ids=label_ids, word_ids=word_ids, mask=mask)
    emissions = [sentence[kept] for sentence, kept in zip(sentences, rows, strict=True)]
    for i, (log_odds, kept) in enumerate(zip(emissions, rows, strict=True)):
        _check_rows(log_odds, kept, i, names)
    size = len(names)
    matrix = (
        np.zeros((size, size)) if transitions is None else as_floats(_array(transitions, "transitions"), "transitions")
    )
    if matrix.shape != (size, size):
        raise InputError(f"transitions must be (K, K) for the {size} labels, from label to next; it is {matrix.shape}.")
    ends = [
        check_ends(None if ends_ is None else _array(ends_, name), size, name)
        for ends_, name in ((start, "start"), (end, "end"))
    ]
    if grammar is None:
        return TokenPotentials(emissions, matrix, *ends)
    first, between, last = EntityLabels(names).potentials(grammar)
    added = [rule if end is None else end + rule for end, rule in zip(ends, (first, last), strict=True)]
    return TokenPotentials(emissions, matrix + between, *added)


def gold_tags(label_ids: ArrayLike, *, labels: Sequence[str]) -> list[list[str]]:
    """Return the names of the gold labels of the tokens that are used.

    label_ids: as returned by a Trainer of the library transformers, with −100 for tokens that are not used.

    >>> gold_tags([[-100, 1, 2, -100, 0, -100]], labels=["O", "B-PER", "I-PER"])
    [['B-PER', 'I-PER', 'O']]
    """
    names = _checked_names(labels)
    gold = []
    for i, ids in enumerate(_sentences(label_ids, "label_ids", depth=1)):
        numbers = _label_numbers(ids, i)
        wrong = numbers[numbers >= len(names)]
        if len(wrong):
            raise InputError(
                f"`label_ids` must be less than the number of labels, {len(names)}; sentence {i} has {wrong[0]}."
            )
        gold.append([names[number] for number in numbers[numbers >= 0].tolist()])
    return gold


def _checked_names(labels: Sequence[str]) -> tuple[str, ...]:
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Sequence):
        raise InputError(f"labels must be the names of the labels, in the order of the logits; it is {labels!r}.")
    if not labels or not all(isinstance(name, str) for name in labels) or len(set(labels)) < len(labels):
        raise InputError(f"labels must be different strings; they are {shortened(labels) or 'none'}.")
    return tuple(map(str, labels))


def _array(values: Any, name: str) -> Array:
    """Convert values, or a tensor of PyTorch, to an array of numbers."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:  # a tensor with a gradient, on a device, or in bfloat16
        hint = "; for a tensor, give .detach().float().cpu()" if hasattr(values, "detach") else ""
        raise InputError(f"{name} must be an array of numbers ({error}){hint}.") from error
    if array.dtype.kind not in "fiub":
        raise InputError(f"{name} must be an array of numbers; it contains {array.dtype}.")
    return array


def _sentences(values: Any, name: str, *, depth: int) -> list[Array]:
    """Return an array of `depth` dimensions per sentence. A single sentence may be given without a list around it."""
    shape = "(sentences, tokens, labels)" if depth == 2 else "(sentences, tokens)"
    if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__len__"):
        raise InputError(f"{name} must be an array {shape}, or a list of arrays; it is {values!r}.")
    if not len(values):
        return []
    if hasattr(values, "shape") or np.ndim(values[0]) < depth:
        array = _array(values, name)
        arrays = [array] if array.ndim == depth else list(array)
        dimensions = array.ndim
    else:
        arrays = [_array(sentence, f"{name} of sentence {i}") for i, sentence in enumerate(values)]
        dimensions = depth + 1
    wrong = [i for i, array in enumerate(arrays) if array.ndim != depth and array.size]
    if wrong or dimensions not in (depth, depth + 1):
        at = "" if not wrong else f"; that of sentence {wrong[0]} has shape {arrays[wrong[0]].shape}"
        raise InputError(f"{name} must be an array {shape}, or a list with an array per sentence{at}.")
    return arrays


def _used_rows(sentences: list[Array], *, label_ids: Any, word_ids: Any, mask: Any) -> list[Integers]:
    layouts = {"label_ids": label_ids, "word_ids": word_ids, "mask": mask}
    named = [name for name, value in layouts.items() if value is not None]
    if not named:
        return [np.arange(len(sentence)) for sentence in sentences]
    if len(named) > 1:
        raise InputError(
            f"{' and '.join(named)} cannot be combined, because each determines which tokens count. Pass only one of "
            "them."
        )
    name = named[0]
    layout: Sequence[Any] = (
        _word_lists(word_ids, len(sentences)) if name == "word_ids" else _sentences(layouts[name], name, depth=1)
    )
    if len(layout) != len(sentences):
        raise InputError(
            f"{name} must have a list for each of the {len(sentences):,} sentences; there are {len(layout):,}."
        )
    rows = []
    for i, (row, sentence) in enumerate(zip(layout, sentences, strict=True)):
        if len(row) != len(sentence):
            raise InputError(
                f"{name} of sentence {i} must have a value for each of its {len(sentence)} rows of logits; it has "
                f"{len(row)}."
            )
        rows.append(_COUNTS[name](row, i))
    return rows


def _labelled(label_ids: Any, sentence: int) -> Integers:
    return np.flatnonzero(_label_numbers(label_ids, sentence) >= 0)


def _label_numbers(label_ids: Array, sentence: int) -> Integers:
    numbers = label_ids.astype(np.int64)
    wrong = label_ids[(numbers != label_ids) | ((numbers < 0) & (numbers != IGNORED))]
    if len(wrong):
        raise InputError(
            f"`label_ids` must be indices of labels, from 0, or {IGNORED} for tokens to leave out; sentence "
            f"{sentence} contains {wrong[0]}."
        )
    return numbers


def _masked(mask: Array, sentence: int) -> Integers:
    wrong = mask[(mask != 0) & (mask != 1)]
    if len(wrong):
        raise InputError(f"mask must be 0 or 1; sentence {sentence} contains {wrong[0]}.")
    return np.flatnonzero(mask)


def _word_lists(word_ids: Any, sentences: int) -> list[list[int]]:
    """Return the index of each subword's word; −1 for None."""
    word_lists = word_ids if isinstance(word_ids, LISTS) else [word_ids]
    lists = [word_lists] if sentences == 1 and len(word_lists) and not isinstance(word_lists[0], LISTS) else word_lists
    for i, words in enumerate(lists):
        wrong = [word for word in (words if isinstance(words, LISTS) else [words]) if not _is_word(word)]
        if wrong or not isinstance(words, LISTS):
            raise InputError(
                "`word_ids` must have a list for each sentence with the index of each subword's word, or None; that "
                f"of sentence {i} contains {quote((wrong or [words])[0])}."
            )
    return [[-1 if word is None else int(word) for word in words] for words in lists]


def _is_word(word: Any) -> bool:
    return word is None or (is_number(word) and word == np.floor(word))


def _first_subwords(words: list[int], sentence: int) -> Integers:
    inside = [word for word in words if word >= 0]
    if any(after < before for before, after in pairwise(inside)):
        raise InputError(
            f"`word_ids` must not decrease within a sentence; they decrease in sentence {sentence}. Split texts that "
            "the tokenizer joined in pairs or cut into overlapping parts first."
        )
    firsts = [t for t, word in enumerate(words) if word >= 0 and (t == 0 or words[t - 1] != word)]
    again = [words[t] for t in firsts]
    if len(set(again)) < len(again):
        raise InputError(
            f"`word_ids` of sentence {sentence} contain a word again after other words; the subwords of a word must be "
            "consecutive."
        )
    return np.array(firsts, dtype=np.int64)


_COUNTS: dict[str, Callable[[Any, int], Integers]] = {
    "label_ids": _labelled,
    "word_ids": _first_subwords,
    "mask": _masked,
}


def _check_rows(logits: Array, rows: Integers, sentence: int, names: tuple[str, ...]) -> None:
    """Raise InputError unless the rows that are used contain a logit for each label."""
    if not logits.size:
        return
    if logits.shape[1] != len(names):
        raise InputError(
            f"labels must name every column of the logits; there are {len(names)} labels and {logits.shape[1]} columns."
        )
    wrong = np.argwhere(~(logits < np.inf))
    if len(wrong):
        row, column = wrong[0].tolist()
        raise InputError(
            f"logits must be finite, or -inf (forbidden); sentence {sentence}, `matrix row {rows[row]}` is "
            f"{float(logits[row, column])} for {names[column]}."
        )
    padding = np.flatnonzero((logits == IGNORED).all(axis=1))
    if len(padding):
        raise InputError(
            f"logits of sentence {sentence}, `matrix row {rows[padding[0]]}` are all {IGNORED}, which is padding. Pass "
            "`label_ids`, `word_ids` or mask to determine which rows are used."
        )
