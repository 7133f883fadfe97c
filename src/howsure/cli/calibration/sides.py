"""The two models of `howsure calibration compare`: which file and columns each has, and the rows that both have."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from howsure.cli.terminal.options import ONE_WAY
from howsure.data.predictions.predictions import Predictions
from howsure.errors import InputError
from howsure.inputs.classes import TOP_LABEL

WORDS_OF_A_VERDICT = {"correct", "correctness", "grade", "hit", "iscorrect", "right", "wrong"}


@dataclass(frozen=True, slots=True)
class Side:
    """One model: its file, its columns, whether its label is its own, and whether that is if its first choice is right.

    `role` is the parameter that names its probabilities; none of a log, which names them itself.
    """

    file: str
    role: str | None
    columns: dict[str, Any]
    own_label: bool
    first_choice: bool = False

    @property
    def name(self) -> str:
        """What the model is called: its file and its columns of probabilities."""
        return self.file if self.role is None else f"{self.file}:{_shown(self.columns[self.role])}"

    @property
    def label(self) -> str:
        """What its label is, in words."""
        return f"{self.columns['label'] or 'target'}{' (is its first choice right?)' if self.first_choice else ''}"


def named_sides(
    files: Sequence[str], given: Mapping[str, Sequence[Any]], labels: Sequence[str | None]
) -> tuple[Side, Side]:
    """The two models that files and columns name, each twice or one for both; `given` holds the columns by parameter.

    Raises InputError if they name none, one or more than two, one twice, or a label that seems to be of one model only.
    """
    roles = [role for role, columns in given.items() if columns]
    if not roles and len(files) == 2 and len(labels) < 2:  # two logs, which name them themselves
        label = labels[0] if labels else None
        return Side(files[0], None, {"label": label}, False), Side(files[1], None, {"label": label}, False)
    if len(roles) != 1:
        raise InputError(ONE_WAY)
    (role,) = roles
    columns = given[role]
    labels = labels or (None,)
    if (len(files), len(columns)) not in ((2, 1), (1, 2), (2, 2)):
        raise InputError(
            f"compare takes two files and one column, or one file and two columns; "
            f"it got {len(files)} and {len(columns)}."
        )
    if len(labels) > 2:
        raise InputError(f"compare takes one --target for both models, or one for each; it got {len(labels)}.")
    if labels[0] is not None and len(labels) == 1 and len(columns) == 2:
        _refuse_label_of_one(labels[0], [_shown(column) for column in columns])
    named = (one if len(one) == 2 else [*one, *one] for one in (files, columns, labels))
    a, b = (
        Side(file, role, {role: column, "label": label}, len(labels) == 2)
        for file, column, label in zip(*named, strict=True)
    )
    if a == b:
        raise InputError(f"{a.name} is named twice; a model is compared with another one.")
    return a, b


def as_read(sides: tuple[Side, Side], read: tuple[Predictions, Predictions]) -> tuple[Side, Side]:
    """The models once their classes are known: where first choices are judged, each has a label of its own."""
    first = read[0].notes.get("reduce") == TOP_LABEL
    a, b = (replace(side, own_label=side.own_label or first, first_choice=first) for side in sides)
    return a, b


def _shown(columns: str | Sequence[str]) -> str:
    return columns if isinstance(columns, str) else ",".join(columns)


def _refuse_label_of_one(label: str, columns: Sequence[str]) -> None:
    """Refuse one label for both that seems to be of one: `right_a` beside `conf_a` and `conf_b`, or `correct`."""
    words, *others = (set(re.split(r"[\W_]+", name.casefold())) for name in (label, *columns))
    named_after = [bool(words & (others[at] - others[1 - at])) for at in (0, 1)]
    both = f"Is it true of both? Say so: --target {label} --target {label}."
    if named_after[0] != named_after[1]:
        one, other = columns if named_after[0] else columns[::-1]
        given = f"--target {label} --target COL" if named_after[0] else f"--target COL --target {label}"
        raise InputError(
            f"--target {label} is named after {one}. Is it whether that model's own answer is right? Then it says "
            f"nothing of {other}: name the label of each, {given}. {both}"
        )
    if words & WORDS_OF_A_VERDICT:
        raise InputError(
            f"--target {label} seems to say whether an answer is right, and there are two models. Is it the answer of "
            f"one of them? Then name the label of each: --target COL --target COL. {both}"
        )
