"""The log-potentials of a corpus: checks, computation in batches, and division by temperatures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np

from howsure.errors import InputError, quote
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.threads import one_thread
from howsure_text.sequences.messages import (
    Batch,
    Chain,
    Messages,
    Workspace,
    add_ends,
    batches,
    borrowed_workspace,
    compute_messages,
)

# Checks of a corpus's log-potentials: their shapes, and that all are finite or −inf.

NUMERIC = "fiu"
SENTENCES_AT_ONCE = 64  # number of sentences that are checked together


def check_emissions(emissions: Any, n_tags: int | None) -> tuple[Sequence[Any], Integers, int | None]:
    """Check emissions; return them as a sequence of arrays (T, K), with the lengths T, and K if it is known."""
    if not hasattr(emissions, "__getitem__") or not hasattr(emissions, "__len__") or isinstance(emissions, str):
        raise InputError(f"emissions must be a list of arrays (T, K), one per sentence; it is {_kind(emissions)}.")
    arrays: Sequence[Any] = emissions
    lengths = np.zeros(len(arrays), dtype=np.int64)
    for begin in range(0, len(arrays), SENTENCES_AT_ONCE):
        part = [arrays[i] for i in range(begin, min(begin + SENTENCES_AT_ONCE, len(arrays)))]
        try:
            lengths[begin : begin + len(part)] = list(map(len, part))
            joined = np.concatenate([array for array in part if len(array)] or [np.empty((0, n_tags or 0))])
        except (TypeError, ValueError):  # some entry is not an array, or has another shape
            joined = np.empty(0)
        n_tags = joined.shape[1] if n_tags is None and joined.ndim == 2 and len(joined) else n_tags
        right = joined.ndim == 2 and joined.shape[1] == (n_tags or 0) and joined.dtype.kind in NUMERIC
        if not right or (joined.size and not joined.max() < np.inf):  # NaN goes through the maximum
            _explain(part, begin, n_tags)
    if n_tags is None:  # no sentence has a token; the shape of an empty array may contain K
        n_tags = next((np.shape(array)[1] for array in arrays if np.ndim(array) == 2), None)
    return arrays, lengths, n_tags


def _explain(part: Sequence[Any], begin: int, n_tags: int | None) -> None:
    """Raise InputError for the first error in the emissions of some sentences; begin: the index of the first."""
    arrays = [_array(values, f"emissions of sentence {i}") for i, values in enumerate(part, begin)]
    for i, array in enumerate(arrays, begin):
        if array.size == 0 and array.ndim in (1, 2) and len(array) == 0:
            continue
        if array.ndim != 2:
            raise InputError(f"emissions must be arrays (T, K); the array of sentence {i} has shape {array.shape}.")
        n_tags = array.shape[1] if n_tags is None else n_tags
        if array.shape[1] != n_tags:
            raise InputError(
                f"emissions must have a column for each of the {n_tags} tags; sentence {i} has {array.shape[1]}."
            )
    _check_values(arrays, begin, "emissions")


def check_transitions(transitions: object, lengths: Integers, n_tags: int) -> Floats | Sequence[Any]:
    """Check and return transitions: one matrix (K, K) as float64, or an array (T − 1, K, K) per sentence."""
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
            f"transitions must contain an array for each of the {len(lengths):,} sentences; it contains "
            f"{len(arrays):,}."
        )
    for begin, part in _parts(arrays, "transitions"):
        for i, array in enumerate(part, begin):
            expected_shape = (max(int(lengths[i]) - 1, 0), n_tags, n_tags)
            if array.shape != expected_shape and not (expected_shape[0] == array.size == 0):
                raise InputError(
                    f"transitions of sentence {i} must have shape {expected_shape}, one matrix between any two tokens; "
                    f"their shape is {array.shape}."
                )
        _check_values(part, begin, "transitions")
    return arrays


def check_ends(potentials: object, n_tags: int, name: str) -> Floats | None:
    """Check and return the potentials `start` or `end` as float64 (K,), or None."""
    if potentials is None:
        return None
    vector = as_floats(potentials, name)
    if vector.shape != (n_tags,):
        raise InputError(f"{name} must contain a value for each of the {n_tags} tags; its shape is {vector.shape}.")
    return vector


def check_count(n: int, name: str, *, most: int | None = None) -> int:
    """Check and return a count that must be at least 1 and, if there is a limit, at most `most`."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1 or (most is not None and n > most):
        allowed = "of 1 or more" if most is None else f"from 1 to {most:,}"
        raise InputError(f"{name} must be an integer {allowed}; it is {n!r}.")
    return int(n)


def number_of_tags(transitions: Any) -> int | None:
    """Return the number of tags K according to the transitions; None if they are given per sentence."""
    if is_list_of_arrays(transitions) or np.ndim(transitions) == 0:
        return None
    return int(np.shape(transitions)[-1])


def as_floats(values: object, name: str) -> Floats:
    """Convert values to float64; raise InputError naming the row of a value that is NaN or +inf."""
    array = _array(values, name)
    _check_values([array], None, name)
    return array.astype(np.float64, copy=False)


def is_list_of_arrays(transitions: object) -> bool:
    """Return whether transitions are given per sentence."""
    if isinstance(transitions, np.ndarray):
        return transitions.ndim > 2
    if not isinstance(transitions, Sequence):
        return False
    return not len(transitions) or not np.size(transitions[0]) or np.ndim(transitions[0]) != 1


def _parts(arrays: Sequence[Any], name: str) -> Iterator[tuple[int, list[np.ndarray[Any, Any]]]]:
    """Yield the arrays in parts, each with the index of its first array."""
    for begin in range(0, len(arrays), SENTENCES_AT_ONCE):
        stop = min(begin + SENTENCES_AT_ONCE, len(arrays))
        yield begin, [_array(arrays[i], f"{name} of sentence {i}") for i in range(begin, stop)]


def _array(values: object, name: str) -> np.ndarray[Any, Any]:
    if not isinstance(values, np.ndarray):
        try:
            values = np.asarray(values)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name} must be an array of numbers ({error}).") from error
    if values.dtype.kind not in NUMERIC:
        raise InputError(f"{name} must be an array of numbers; it contains {values.dtype}.")
    return values


def _check_values(arrays: Sequence[np.ndarray[Any, Any]], begin: int | None, name: str) -> None:
    """Raise InputError for NaN and +inf. begin: the index of the first sentence; None if `arrays` has no sentences."""
    filled = [array.ravel() for array in arrays if array.size]
    if not filled or np.concatenate(filled).max() < np.inf:  # NaN goes through the maximum
        return
    for i, array in enumerate(arrays):
        wrong = np.argwhere(~(array < np.inf))
        if len(wrong):
            where = "" if begin is None else f"sentence {begin + i}, "
            place = ", ".join(str(index) for index in wrong[0])
            raise InputError(
                f"{name} must be log-potentials, finite or -inf (forbidden); {where}`matrix row {wrong[0][0]}` is "
                f"{float(array[tuple(wrong[0])])!r} at [{place}]."
            )


def _kind(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"


Answer = TypeVar("Answer")


class ImpossibleError(InputError):
    """An error in the potentials of some sentences; the message counts sentences from `first` (0, or 1 for files)."""

    def __init__(self, rule: str, sentences: Sequence[int], *, first: int = 0) -> None:
        numbers = shortened(first + i for i in sentences)
        super().__init__(rule.format(f"sentence{'s' * (len(sentences) > 1)} {numbers}"))
        self.rule, self.sentences = rule, sentences

    def counted_from_one(self) -> InputError:
        """Return the same error with sentences counted from 1."""
        return ImpossibleError(self.rule, self.sentences, first=1)


@dataclass(frozen=True, slots=True, eq=False)
class Potentials:
    """The checked log-potentials of a corpus, of which only one batch at a time is packed.

    emissions: an array (T, K) per sentence. transitions: (K, K), or an array (T − 1, K, K) per sentence. lengths: the
    number of tokens of each sentence.
    """

    emissions: Sequence[Any]
    transitions: Any
    start: Floats | None
    end: Floats | None
    lengths: Integers
    n_tags: int

    @classmethod
    def checked(cls, emissions: object, transitions: object, start: Any, end: Any) -> Self:
        """Check the potentials that the caller passes; raises InputError."""
        arrays, lengths, size = check_emissions(emissions, number_of_tags(transitions))
        n_tags = np.size(start if start is not None else () if end is None else end) if size is None else size
        if not n_tags and lengths.any():
            raise InputError("emissions must have a column for each tag; they have no columns (K = 0).")
        matrices = check_transitions(transitions, lengths, n_tags)
        ends = check_ends(start, n_tags, "start"), check_ends(end, n_tags, "end")
        return cls(arrays, matrices, *ends, lengths, n_tags)

    @property
    def shared(self) -> bool:
        """Whether all sentences and positions share one matrix of transitions."""
        return isinstance(self.transitions, np.ndarray) and self.transitions.ndim == 2

    def part(self, sentences: Integers) -> Self:
        chosen = sentences.tolist()
        transitions = self.transitions if self.shared else [self.transitions[i] for i in chosen]
        emissions = [self.emissions[i] for i in chosen]
        return replace(self, emissions=emissions, transitions=transitions, lengths=self.lengths[sentences])

    def each(
        self, compute_batch: Callable[[Chain, Workspace], Sequence[Answer]], empty: Answer, *, width: int = 1
    ) -> list[Answer]:
        """Return a result for each sentence, in the order of the corpus.

        compute_batch: returns the results of the sentences of a batch, which must not share memory with the workspace.
        empty: the result of a sentence without tokens. width: the number of cells per token in the result, if it is
        larger than the number of tags.
        """
        answers = [empty] * len(self.lengths)
        states = self.n_tags if self.shared else self.n_tags**2
        with one_thread(), borrowed_workspace() as workspace:
            for batch in batches(self.lengths, width=max(states, width)):
                batch_answers = compute_batch(self._chain(batch, workspace), workspace)
                for sentence, answer in zip(batch.sentences.tolist(), batch_answers, strict=True):
                    answers[sentence] = answer
        return answers

    def _chain(self, batch: Batch, workspace: Workspace) -> Chain:
        emissions = add_ends(batch, batch.pack(self.emissions, workspace=workspace), self.start, self.end)
        if self.shared:
            return Chain(batch, emissions, self.transitions)
        shape = len(emissions) - len(batch), self.n_tags, self.n_tags
        return Chain(batch, emissions, batch.pack(self.transitions, later=True).reshape(shape))

    def score(self, sentence: int, tags: Integers) -> float:
        if not len(tags):
            return 0.0
        positions = np.arange(len(tags))
        score = np.asarray(self.emissions[sentence], dtype=np.float64)[positions, tags].sum()
        if self.shared:
            score += self.transitions[tags[:-1], tags[1:]].sum()
        elif len(tags) > 1:
            score += np.asarray(self.transitions[sentence], np.float64)[positions[:-1], tags[:-1], tags[1:]].sum()
        for ends, tag in ((self.start, tags[0]), (self.end, tags[-1])):
            score += 0.0 if ends is None else ends[tag]
        return float(score)


def possible_messages(chain: Chain, workspace: Workspace) -> Messages:
    """Return forward and backward messages; raise InputError if a sentence has no possible tag sequence."""
    messages = compute_messages(chain, workspace)
    check_possible(chain.batch, messages.log_z)
    return messages


def check_possible(batch: Batch, log_z: Floats) -> None:
    """Raise InputError naming the sentences whose tag sequences are all forbidden, or whose scores overflow."""
    wrong = np.sort(batch.sentences[~np.isfinite(log_z)]).tolist()
    if not wrong:
        return
    if (log_z == -np.inf).any():
        raise ImpossibleError(
            "no tag sequence is possible for {}: each contains a potential of -inf, so that Z = 0. Allow at least "
            "one, or give a finite potential such as -100 instead of -inf (for an HMM, pseudocounts).",
            wrong,
        )
    raise ImpossibleError("the scores of {} overflow: log Z is not a number. Are the potentials logarithms?", wrong)


# Temperatures: emissions are divided by one temperature; transitions, start and end by another.

TemperatureInput = float | Sequence[Any]  # one temperature for all sentences, or one for each


class Computed(Sequence[Floats]):
    """A sequence with one array per sentence, each computed when it is requested."""

    def __init__(self, compute_sentence: Callable[[int], Floats], n: int) -> None:
        self._compute_sentence, self._n = compute_sentence, n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, sentence: Any) -> Any:
        if not 0 <= sentence < self._n:
            raise IndexError(f"sentence {sentence} does not exist; there are {self._n}")
        return self._compute_sentence(sentence)


def temper_potentials(
    potentials: Potentials, temperature: TemperatureInput, transitions: TemperatureInput
) -> Potentials:
    """Divide emissions by `temperature`, and transitions, start and end by `transitions`; −inf remains −inf."""
    lengths = potentials.lengths
    local = _checked(temperature, lengths, "temperature", tokens=True)
    between = _checked(transitions, lengths, "transitions", tokens=False)
    emissions = potentials.emissions if local == 1.0 else _divide_arrays(potentials.emissions, local)
    if isinstance(between, float):
        start, end = (None if part is None else part / between for part in (potentials.start, potentials.end))
        matrices = (
            potentials.transitions / between if potentials.shared else _divide_arrays(potentials.transitions, between)
        )
        return replace(potentials, emissions=emissions, transitions=matrices, start=start, end=end)
    emissions = _with_ends(emissions, potentials.start, potentials.end, between)
    if not potentials.shared:
        matrices = _divide_arrays(potentials.transitions, between)
    else:
        shared, shape = potentials.transitions, (potentials.n_tags,) * 2
        steps = np.maximum(lengths - 1, 0).tolist()
        matrices = Computed(lambda i: np.broadcast_to(shared / between[i], (steps[i], *shape)), len(lengths))
    return replace(potentials, emissions=emissions, transitions=matrices, start=None, end=None)


def _divide_arrays(arrays: Sequence[Any], by: float | list[Any]) -> Computed:
    def compute_sentence(i: int) -> Floats:
        array = np.asarray(arrays[i], dtype=np.float64)
        divisor = np.asarray(by if isinstance(by, float) else by[i])
        return np.asarray(array / (divisor[:, None] if divisor.ndim and array.size else divisor.max(initial=0.0)))

    return Computed(compute_sentence, len(arrays))


def _with_ends(emissions: Sequence[Any], start: Floats | None, end: Floats | None, by: list[Any]) -> Sequence[Any]:
    """Return emissions to which start and end, divided by the temperature of each sentence (`by`), are added."""
    if start is None and end is None:
        return emissions

    def compute_sentence(i: int) -> Floats:
        array = np.array(emissions[i], dtype=np.float64)
        if len(array):
            array[0] += 0.0 if start is None else start / by[i]
            array[-1] += 0.0 if end is None else end / by[i]
        return array

    return Computed(compute_sentence, len(emissions))


def _checked(values: Any, lengths: Integers, name: str, *, tokens: bool) -> float | list[Any]:
    """Check temperatures; return one float, or a list with a float or an array (T,) for each sentence."""
    if values is None or isinstance(values, (str, bytes, int, float, np.number)):
        return _positive(values, name)
    each = f"one for each of the {counted(len(lengths), 'sentence')}"
    if not isinstance(values, (Sequence, np.ndarray)) or len(values) != len(lengths):
        text = f"{len(values):,}" if hasattr(values, "__len__") else repr(values)
        raise InputError(f"{name} must be one number, or {each}; it contains {text}.")
    return [
        _token_divisors(value, int(length), f"{name}[{i}]")
        if tokens and np.ndim(value)
        else _positive(value, f"{name}[{i}]")
        for i, (value, length) in enumerate(zip(values, lengths, strict=True))
    ]


def _token_divisors(divisors: Any, length: int, name: str) -> Floats:
    values = np.asarray(divisors)
    if values.shape != (length,):
        raise InputError(f"{name} must contain a number for each of the {length} tokens; its shape is {values.shape}.")
    for t, value in enumerate(values.tolist()):
        _positive(value, f"{name}[{t}]")
    return values.astype(np.float64)


def _positive(value: Any, name: str) -> float:
    good = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not (good and math.isfinite(value) and value > 0):
        raise InputError(f"{name} must be a temperature, a finite number above 0; it is {quote(value)}.")
    return float(value)
