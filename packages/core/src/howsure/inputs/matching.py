"""Match the rows of two models by item id, or by their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Integers, Pairs


@dataclass(frozen=True, slots=True)
class SharedRows:
    """The rows of the items that models A and B have in common: indices `a` and `b` (n,), in the same order.

    only_a, only_b: number of rows without a partner in the other model. names: the models' names, for messages. note:
    how rows were matched, if this is unusual.
    """

    a: Integers
    b: Integers
    only_a: int
    only_b: int
    names: tuple[str, str]
    note: str = ""

    @property
    def notes_on_rows(self) -> list[str]:
        """Notes on the rows that were left out because the other model lacks them, and on how rows were matched."""
        only = zip((self.only_a, self.only_b), self.names, strict=True)
        counts = [f"{counted(n, 'row')} of {name}" for n, name in only if n]
        left_out = [f"left out because the other model has no such row: {', '.join(counts)}"] if counts else []
        return left_out + ([self.note] if self.note else [])

    def check_all(self, *, skip_missing: bool) -> None:
        """Raise InputError if a row of one model has no partner in the other, unless `skip_missing` is set."""
        if not skip_missing and (self.only_a or self.only_b):
            raise InputError(
                "both models must be evaluated on the same rows; {rows} only of {first}, {only_b:,} only "
                "of {second}. Leave them out with `skip_missing=True`.",
                rows=counted(self.only_a, "row"),
                first=self.names[0],
                only_b=self.only_b,
                second=self.names[1],
            )


def shared_rows(a: npt.NDArray[Any], b: npt.NDArray[Any], *, names: tuple[str, str], id: str = "id") -> SharedRows:
    """Match two models' rows by their keys (ids or row numbers); the result is in ascending order of the keys.

    >>> found = shared_rows(np.array(["x", "y", "z"]), np.array(["z", "x"]), names=("A", "B"))
    >>> found.a, found.b, found.notes_on_rows
    (array([0, 2]), array([1, 0]), ['left out because the other model has no such row: 1 row of A'])
    """
    for keys, name in zip((a, b), names, strict=True):
        distinct, counts = np.unique(keys, return_counts=True)
        if counts.max() > 1:
            raise InputError(
                f"{id} must be different in every row of {name}, but {distinct[counts.argmax()]} occurs more than once."
            )
    _, rows_a, rows_b = np.intersect1d(a, b, assume_unique=True, return_indices=True)
    if not len(rows_a):
        raise InputError(f"no id of {names[0]} occurs in {names[1]}. Are these the right id columns?")
    return SharedRows(rows_a, rows_b, len(a) - len(rows_a), len(b) - len(rows_b), names)


HASH_KIND_END = ":"  # separates a hash from its kind, as in doc_hash:…


def _hash_kind(document_hash: str) -> str:
    return document_hash.rpartition(HASH_KIND_END)[0]


def paired_by_documents(
    shared: SharedRows, a: npt.NDArray[Any], b: npt.NDArray[Any], *, ids: npt.NDArray[Any]
) -> SharedRows:
    """Match rows by id, or by document hash if an id refers to different documents in the two models.

    shared: the rows matched by id. a, b: the hash of the document of each row of models A and B. ids: the ids of model
    A's rows. If the hashes of all shared rows agree, `shared` is returned unchanged. Otherwise all rows are matched
    again by hash, with a note. Hashes of different kinds, such as those of two versions of a program, are not compared.

    >>> rows = shared_rows(np.array(["1", "2"]), np.array(["1", "2"]), names=("A", "B"))
    >>> paired_by_documents(rows, np.array(["x", "y"]), np.array(["y", "x"]), ids=np.array(["1", "2"])).b.tolist()
    [1, 0]
    """
    differs = [
        row
        for row, (first, second) in enumerate(zip(a[shared.a].tolist(), b[shared.b].tolist(), strict=True))
        if first != second and _hash_kind(first) == _hash_kind(second)
    ]
    if not differs:
        return shared
    item, count = str(ids[shared.a[differs[0]]]), counted(len(shared.a), "item")
    wrong = f"item {item!r} is not the same document in {shared.names[0]} and in {shared.names[1]}"
    wrong += f" ({len(differs):,} of {count} differ)"
    if len(np.unique(a)) < len(a) or len(np.unique(b)) < len(b) or set(a.tolist()) != set(b.tolist()):
        raise InputError(
            "{wrong}; answers to different questions must not be paired. Evaluate both models on the same version of "
            "the task. If the items are the same after all, name a column that identifies them: `id='COL'`.",
            wrong=wrong,
        )
    matched = shared_rows(a, b, names=shared.names, id="item_hash")
    return replace(matched, note=f"{wrong}; rows are paired by their documents (item_hash), not by their item")


def check_same_size(sizes: tuple[int, int], *, names: tuple[str, str]) -> None:
    """Raise InputError if two models whose rows are matched by order have different numbers of rows."""
    if sizes[0] != sizes[1]:
        sizes_text = ", ".join(f"{name} has {n:,}" for name, n in zip(names, sizes, strict=True))
        raise InputError(
            "both models must be evaluated on the same rows; {sizes_text}. Match them by id: `id='COL'`.",
            sizes_text=sizes_text,
        )


@dataclass(frozen=True, slots=True)
class ReadOfModel:
    """The source of one of two models, and how many of the source's rows are not used.

    name: the file and the columns of probabilities. label: the label column; None if a log defines it. skipped: rows
    with missing values. left_out: rows that the filter `where` excludes. only: rows without a partner in the other
    model.
    """

    name: str
    label: str | None
    skipped: int
    left_out: int
    only: int


@dataclass(frozen=True, slots=True)
class ReadOfBoth:
    """The sources of two models A and B, and how their rows were selected and matched.

    own_labels: whether each model has its own label column. first_choices: whether these labels say if a model's first
    choice is correct. where: the expression that selected the rows, or None. note: how rows were matched, if this is
    unusual.
    """

    a: ReadOfModel
    b: ReadOfModel
    own_labels: bool
    first_choices: bool
    where: str | None
    note: str = ""

    def to_dict(self) -> dict[str, str | int | None]:
        """Return names, label columns and numbers of unused rows as a dictionary, with the key suffixes `a` and `b`."""
        both = {"a": self.a, "b": self.b}
        content: dict[str, str | int | None] = {key: model.name for key, model in both.items()}
        content |= {f"target_{key}": model.label for key, model in both.items()}
        content |= {f"skipped_{key}": model.skipped for key, model in both.items()}
        content |= {f"only_{key}": model.only for key, model in both.items()}
        content |= {"matching": self.note} if self.note else {}
        if self.where is None:
            return content
        return content | {"where": self.where} | {f"left_out_{key}": model.left_out for key, model in both.items()}

    def lines(self, n: int, names: Sequence[str]) -> list[str]:
        """Return a line for each model, for the number n of pairs, and for each reason why rows are unused."""
        of = " (is its first choice right?)" if self.first_choices else ""
        labels = [f", label {model.label or 'target'}{of}" for model in (self.a, self.b)]
        own_label_texts = labels if self.own_labels else ("", "")
        lines_ = [
            f"{name}: {model.name}{label}"
            for name, model, label in zip(names, (self.a, self.b), own_label_texts, strict=True)
        ]
        lines_.append(f"{n:,} pairs{'' if self.own_labels else f'{labels[0]} for both'}")
        chosen = None if self.where is None else f"left out because they do not satisfy {self.where}"
        unused: dict[str | None, tuple[int, int]] = {
            "skipped because of missing values": (self.a.skipped, self.b.skipped),
            chosen: (self.a.left_out, self.b.left_out),
            "left out because the other model has no such row": (self.a.only, self.b.only),
        }
        for why, (a, b) in unused.items():
            if why is not None and (a or b or why == chosen):
                lines_.append(f"{why}: {a:,} of the rows of {names[0]}, {b:,} of {names[1]}")
        return lines_ + ([self.note] if self.note else [])


@dataclass(frozen=True, slots=True)
class PairedRows:
    """The pairs (label, prediction) of two models, a and b, on the same rows in the same order.

    own_labels: whether each model has its own labels. inputs: the sources, if files were read. notes_on_rows: notes on
    rows that were left out.
    """

    a: Pairs
    b: Pairs
    own_labels: bool
    inputs: ReadOfBoth | None = None
    notes_on_rows: Sequence[str] = ()
