"""Right answers that lie in a table beside a log: found by the item and, where it has several, the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from howsure.data.logs.source import Row
from howsure.data.tables.database import Database
from howsure.data.tables.named_files import named_files
from howsure.data.tables.table import column_names, open_table
from howsure.errors import InputError, parameter, shown

COLUMNS = {  # what a table of labels holds -> what its column may be called
    "id": ("id", "item", "custom_id", "uid"),
    "question": ("question", "task", "name"),
    "label": ("label", "target", "gold", "y_true"),
}
NO, YES = "false", "true"
WORDS = {"1": YES, "yes": YES, "0": NO, "no": NO}  # other spellings of a label


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a table by item and question; "" where it names no questions."""

    name: str
    held: Mapping[tuple[str, str], str]
    by_question: bool

    @classmethod
    def read(cls, path: str, spool: Path) -> Self:
        """The labels of a file.

        Raises InputError if it lacks a column, or labels one answer in two ways.
        """
        with Database(spool).opening() as database:
            files = named_files([path], format=None, spool=database.folder)
            database.allow_only([file.path for file in files])
            known = column_names(database, files[0])
            found = {role: next((one for one in names if one in known), None) for role, names in COLUMNS.items()}
            for role in ("id", "label"):
                if found[role] is None:
                    raise InputError(
                        f"{parameter('labels_from')} must name a table with a column {' or '.join(COLUMNS[role])}; "
                        f"{path} has {', '.join(known)}."
                    )
            names = [name for name in found.values() if name is not None]
            table = open_table(database, files, names)
            rows = table.ask(", ".join(table.columns[name].text for name in names))
            database.close()
        held: dict[tuple[str, str], str] = {}
        for row in rows:
            said = dict(zip((role for role, name in found.items() if name is not None), row, strict=True))
            key, label = (str(said["id"]), str(said.get("question", ""))), said["label"]
            if label is None or held.setdefault(key, str(label)) == str(label):
                continue
            about = f" and question {key[1]!r}" if key[1] else ""
            raise InputError(f"{path} has two labels for id {key[0]!r}{about}: {held[key]!r} and {str(label)!r}.")
        return cls(path, held, found["question"] is not None)

    def of(self, row: Row) -> Row:
        """A row with its label as its target, if the table has one.

        Raises ValueError if the label is none of the answers.
        """
        label = self.held.get((str(row.get("item")), str(row.get("task")) if self.by_question else ""))
        if label is None:
            return row | {"target": None}
        classes = row.get("classes")
        return row | {"target": label if classes is None else position(label, classes)}


def position(label: str, classes: Sequence[str]) -> int:
    """The place of a label among the classes; 1 and yes mean true where the classes are true and false.

    >>> position("yes", ["false", "true"]), position("calm", ["angry", "calm"])
    (1, 1)

    Raises ValueError if it is none of them.
    """
    spelled = WORDS.get(label.lower(), label.lower()) if set(classes) == {NO, YES} else label
    if spelled not in classes:
        raise ValueError(f"the label {shown(label)} is none of the answers {', '.join(classes)}")
    return classes.index(spelled)
