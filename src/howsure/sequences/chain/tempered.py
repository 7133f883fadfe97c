"""Temperatures on the log-potentials of a chain: emissions / T; transitions, starts and ends / T₂."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.errors import InputError, shown
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.potentials import Potentials

Given = float | Sequence[Any]  # one for all, or one for each sentence


class Computed(Sequence[Floats]):
    """Arrays, one per sentence, computed when they are asked for."""

    def __init__(self, of_sentence: Callable[[int], Floats], n: int) -> None:
        self._of_sentence, self._n = of_sentence, n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, sentence: Any) -> Any:
        if not 0 <= sentence < self._n:
            raise IndexError(f"no sentence {sentence} among {self._n}")
        return self._of_sentence(sentence)


def tempered(potentials: Potentials, temperature: Given, transitions: Given) -> Potentials:
    """Emissions divided by `temperature`, transitions, starts and ends by `transitions`; what is −inf stays so.

    Both are checked: finite numbers above 0, one for all or one per sentence; `temperature` also one per token.
    """
    lengths = potentials.lengths
    local = _checked(temperature, lengths, "temperature", tokens=True)
    between = _checked(transitions, lengths, "transitions", tokens=False)
    emissions = potentials.emissions if local == 1.0 else _divided(potentials.emissions, local)
    if isinstance(between, float):
        start, end = (None if one is None else one / between for one in (potentials.start, potentials.end))
        matrices = potentials.transitions / between if potentials.shared else _divided(potentials.transitions, between)
        return replace(potentials, emissions=emissions, transitions=matrices, start=start, end=end)
    emissions = _with_ends(emissions, potentials.start, potentials.end, between)
    if not potentials.shared:
        matrices = _divided(potentials.transitions, between)
    else:
        shared, shape = potentials.transitions, (potentials.n_tags,) * 2
        steps = np.maximum(lengths - 1, 0).tolist()
        matrices = Computed(lambda i: np.broadcast_to(shared / between[i], (steps[i], *shape)), len(lengths))
    return replace(potentials, emissions=emissions, transitions=matrices, start=None, end=None)


def _divided(arrays: Sequence[Any], by: float | list[Any]) -> Computed:
    def of_sentence(i: int) -> Floats:
        array = np.asarray(arrays[i], dtype=np.float64)
        divisor = np.asarray(by if isinstance(by, float) else by[i])
        found: Floats = array / (divisor[:, None] if divisor.ndim and array.size else divisor.max(initial=0.0))
        return found

    return Computed(of_sentence, len(arrays))


def _with_ends(emissions: Sequence[Any], start: Floats | None, end: Floats | None, by: list[Any]) -> Sequence[Any]:
    """Emissions that contain each sentence's own starts and ends."""
    if start is None and end is None:
        return emissions

    def of_sentence(i: int) -> Floats:
        array = np.array(emissions[i], dtype=np.float64)
        if len(array):
            array[0] += 0.0 if start is None else start / by[i]
            array[-1] += 0.0 if end is None else end / by[i]
        return array

    return Computed(of_sentence, len(emissions))


def _checked(given: Any, lengths: Integers, name: str, *, tokens: bool) -> float | list[Any]:
    """One temperature as a float, or a list with a float, or an array (T,), for each sentence."""
    if given is None or isinstance(given, (str, bytes, int, float, np.number)):
        return _positive(given, name)
    each = f"one for each of the {counted(len(lengths), 'sentence')}"
    if not isinstance(given, (Sequence, np.ndarray)) or len(given) != len(lengths):
        held = f"{len(given):,}" if hasattr(given, "__len__") else repr(given)
        raise InputError(f"{name} must be one number, or {each}; it holds {held}.")
    return [
        _of_tokens(one, int(length), f"{name}[{i}]") if tokens and np.ndim(one) else _positive(one, f"{name}[{i}]")
        for i, (one, length) in enumerate(zip(given, lengths, strict=True))
    ]


def _of_tokens(given: Any, length: int, name: str) -> Floats:
    values = np.asarray(given)
    if values.shape != (length,):
        raise InputError(f"{name} must hold a number for each of the {length} tokens; its shape is {values.shape}.")
    for t, value in enumerate(values.tolist()):
        _positive(value, f"{name}[{t}]")
    return values.astype(np.float64)


def _positive(value: Any, name: str) -> float:
    good = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not (good and math.isfinite(value) and value > 0):
        raise InputError(f"{name} must be a temperature, a finite number above 0; it is {shown(value)}.")
    return float(value)
