"""Checks of a corpus's log-potentials: their shapes, and that all are finite or −inf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers

NUMERIC = "fiu"
TOGETHER = 64  # sentences looked at in one go


def check_emissions(emissions: Any, n_tags: int | None) -> tuple[Sequence[Any], Integers, int | None]:
    """The emissions as a sequence of arrays (T, K), the number of tokens T of each, and K if it is known.

    Raises InputError naming the sentence, and the row of a value that is NaN or +inf.
    """
    if not hasattr(emissions, "__getitem__") or not hasattr(emissions, "__len__") or isinstance(emissions, str):
        raise InputError(f"emissions must be a list of arrays (T, K), one per sentence; it is {_kind(emissions)}.")
    arrays: Sequence[Any] = emissions
    lengths = np.zeros(len(arrays), dtype=np.int64)
    for begin in range(0, len(arrays), TOGETHER):
        part = [arrays[i] for i in range(begin, min(begin + TOGETHER, len(arrays)))]
        try:
            lengths[begin : begin + len(part)] = list(map(len, part))
            joined = np.concatenate([array for array in part if len(array)] or [np.empty((0, n_tags or 0))])
        except (TypeError, ValueError):  # something is no array, or has another shape
            joined = np.empty(0)
        n_tags = joined.shape[1] if n_tags is None and joined.ndim == 2 and len(joined) else n_tags
        right = joined.ndim == 2 and joined.shape[1] == (n_tags or 0) and joined.dtype.kind in NUMERIC
        if not right or (joined.size and not joined.max() < np.inf):  # NaN goes through the maximum
            _explain(part, begin, n_tags)
    if n_tags is None:  # no token at all: a shape may tell
        n_tags = next((np.shape(array)[1] for array in arrays if np.ndim(array) == 2), None)
    return arrays, lengths, n_tags


def _explain(part: Sequence[Any], begin: int, n_tags: int | None) -> None:
    """Raises InputError for the first error in the emissions of some sentences."""
    arrays = [_array(values, f"emissions of sentence {i}") for i, values in enumerate(part, begin)]
    for i, array in enumerate(arrays, begin):
        if array.size == 0 and array.ndim in (1, 2) and len(array) == 0:
            continue
        if array.ndim != 2:
            raise InputError(f"emissions must be arrays (T, K); that of sentence {i} has shape {array.shape}.")
        n_tags = array.shape[1] if n_tags is None else n_tags
        if array.shape[1] != n_tags:
            raise InputError(
                f"emissions must have a column for each of the {n_tags} tags; sentence {i} has {array.shape[1]}."
            )
    _check_values(arrays, begin, "emissions")


def check_transitions(transitions: object, lengths: Integers, n_tags: int) -> Floats | Sequence[Any]:
    """One matrix (K, K) as float64, or the sequence of the sentences' own arrays (T − 1, K, K).

    Raises InputError naming the sentence or the row.
    """
    if not is_list_of_arrays(transitions):
        matrix = as_floats(transitions, "transitions")
        if matrix.shape != (n_tags, n_tags):
            raise InputError(
                f"transitions must be one array (K, K) for the {n_tags} tags, or a list of arrays (T - 1, K, K), one a "
                f"sentence; its shape is {matrix.shape}."
            )
        return matrix
    arrays: Sequence[Any] = transitions  # type: ignore[assignment]
    if len(arrays) != len(lengths):
        raise InputError(
            f"transitions must hold an array for each of the {len(lengths):,} sentences; it holds {len(arrays):,}."
        )
    for begin, part in _parts(arrays, "transitions"):
        for i, array in enumerate(part, begin):
            wanted = (max(int(lengths[i]) - 1, 0), n_tags, n_tags)
            if array.shape != wanted and not (wanted[0] == array.size == 0):
                raise InputError(
                    f"transitions of sentence {i} must have shape {wanted}, one matrix between any two tokens; "
                    f"their shape is {array.shape}."
                )
        _check_values(part, begin, "transitions")
    return arrays


def check_ends(potentials: object, n_tags: int, name: str) -> Floats | None:
    """`start` or `end` as float64 (K,), or None."""
    if potentials is None:
        return None
    vector = as_floats(potentials, name)
    if vector.shape != (n_tags,):
        raise InputError(f"{name} must hold a value for each of the {n_tags} tags; its shape is {vector.shape}.")
    return vector


def check_count(n: int, name: str, *, most: int | None = None) -> int:
    """A count of at least 1 and, if there is a limit, at most `most`."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1 or (most is not None and n > most):
        allowed = "of 1 or more" if most is None else f"from 1 to {most:,}"
        raise InputError(f"{name} must be an integer {allowed}; it is {n!r}.")
    return int(n)


def number_of_tags(transitions: Any) -> int | None:
    """K according to the transitions; None if each sentence has its own."""
    if is_list_of_arrays(transitions) or np.ndim(transitions) == 0:
        return None
    return int(np.shape(transitions)[-1])


def as_floats(values: object, name: str) -> Floats:
    """An array of float64 without NaN and +inf. Raises InputError naming the row."""
    array = _array(values, name)
    _check_values([array], None, name)
    return array.astype(np.float64, copy=False)


def is_list_of_arrays(transitions: object) -> bool:
    """Whether transitions are given per sentence."""
    if isinstance(transitions, np.ndarray):
        return transitions.ndim > 2
    if not isinstance(transitions, Sequence):
        return False
    return not len(transitions) or not np.size(transitions[0]) or np.ndim(transitions[0]) != 1


def _parts(arrays: Sequence[Any], name: str) -> Iterator[tuple[int, list[np.ndarray[Any, Any]]]]:
    """The arrays, some at a time, and the number of the first."""
    for begin in range(0, len(arrays), TOGETHER):
        stop = min(begin + TOGETHER, len(arrays))
        yield begin, [_array(arrays[i], f"{name} of sentence {i}") for i in range(begin, stop)]


def _array(values: object, name: str) -> np.ndarray[Any, Any]:
    if not isinstance(values, np.ndarray):
        try:
            values = np.asarray(values)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name} must be an array of numbers ({error}).") from error
    if values.dtype.kind not in NUMERIC:
        raise InputError(f"{name} must be an array of numbers; it holds {values.dtype}.")
    return values


def _check_values(arrays: Sequence[np.ndarray[Any, Any]], begin: int | None, name: str) -> None:
    """`begin` is the number of the first sentence; None if there are no sentences."""
    filled = [array.ravel() for array in arrays if array.size]
    if not filled or np.concatenate(filled).max() < np.inf:  # NaN goes through the maximum
        return
    for i, array in enumerate(arrays):
        wrong = np.argwhere(~(array < np.inf))
        if len(wrong):
            where = "" if begin is None else f"sentence {begin + i}, "
            place = ", ".join(str(index) for index in wrong[0])
            raise InputError(
                f"{name} must be log-potentials, finite or -inf (forbidden); {where}row {place.split(', ')[0]} holds "
                f"{float(array[tuple(wrong[0])])!r} at [{place}]."
            )


def _kind(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"
