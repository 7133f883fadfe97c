"""True answers in a separate table, joined to a log by item and, if items have several questions, by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from howsure.data.logs.log_file import Row, find_class
from howsure.data.tables.database import Database
from howsure.data.tables.named_files import named_files
from howsure.data.tables.table import column_names, open_table
from howsure.errors import InputError, quote

COLUMNS = {  # content of a column -> possible names of the column
    "id": ("id", "item", "custom_id", "uid"),
    "question": ("question", "task", "name"),
    "label": ("label", "target", "gold", "y_true"),
}
NO, YES = "false", "true"
WORDS = {"1": YES, "yes": YES, "0": NO, "no": NO}  # other spellings of a label


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a table by item and question; the question is "" if the table has none."""

    name: str
    label_by_answer: Mapping[tuple[str, str], str]
    by_question: bool

    @classmethod
    def read(cls, path: str, spool: Path) -> Self:
        """Read the labels from a file."""
        with Database(spool).opening() as database:
            files = named_files([path], format=None, spool=database.folder)
            database.allow_only([file.path for file in files])
            columns = column_names(database, files[0])
            column_by_role = {
                role: next((name for name in names if name in columns), None) for role, names in COLUMNS.items()
            }
            for role in ("id", "label"):
                if column_by_role[role] is None:
                    raise InputError(
                        f"`labels_from` must name a table with a column {' or '.join(COLUMNS[role])}; {path} has "
                        f"{', '.join(columns)}."
                    )
            names = [name for name in column_by_role.values() if name is not None]
            table = open_table(database, files, names)
            rows = table.ask(", ".join(table.columns[name].text for name in names))
            database.close()
        label_by_key: dict[tuple[str, str], str] = {}
        for row in rows:
            values_by_role = dict(
                zip((role for role, name in column_by_role.items() if name is not None), row, strict=True)
            )
            key, label = (str(values_by_role["id"]), str(values_by_role.get("question", ""))), values_by_role["label"]
            if label is None or label_by_key.setdefault(key, str(label)) == str(label):
                continue
            about = f" and question {key[1]!r}" if key[1] else ""
            raise InputError(
                f"{path} has two labels for id {key[0]!r}{about}: {label_by_key[key]!r} and {str(label)!r}."
            )
        return cls(path, label_by_key, column_by_role["question"] is not None)

    def of(self, row: Row) -> Row:
        """Return a row with its label from the table as the target, or None without a label.

        Raises ValueError if the label is not one of the answers.
        """
        label = self.label_by_answer.get((str(row.get("item")), str(row.get("task")) if self.by_question else ""))
        if label is None:
            return row | {"target": None}
        classes = row.get("classes")
        return row | {"target": label if classes is None else position(label, classes)}


def position(label: str, classes: Sequence[str]) -> int:
    """Return the index of a label among the classes; 1 and "yes" mean true if the classes are true and false.

    >>> position("yes", ["false", "true"]), position("TRUE", ["False", "True"]), position("1.0", ["0", "1"])
    (1, 1, 1)

    Raises ValueError if the label is not one of the classes.
    """
    are_truth_values = {name.lower() for name in classes} == {NO, YES}
    index = find_class(WORDS.get(label.lower(), label) if are_truth_values else label, classes)
    if index is None:
        raise ValueError(f"the label {quote(label)} is not one of the answers {', '.join(classes)}")
    return index
