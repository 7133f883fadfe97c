"""The calls by which DuckDB reads files, as they stand after FROM.

DuckDB takes a folder `year=2020` in a path for a column of that name, and would put it in the place of the file's own;
here it is one (`folders`) only where it is asked for and the file has none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from howsure.data.tables.database import file_literal, literal
from howsure.data.tables.named_files import File
from howsure.errors import InputError

if TYPE_CHECKING:
    import duckdb

FOLDER = re.compile(r"([^=]+)=.*")


def parquet_source(files: Sequence[File], *, folders: bool = False, with_names: str | None = None) -> str:
    """The call that reads Parquet files as one table, their columns matched by name.

    `with_names` is the column that the path of each file goes into.
    """
    paths = ", ".join(file_literal(file.path) for file in files)
    extra = ", union_by_name=true" if len(files) > 1 else ""
    extra += "" if with_names is None else f", filename={literal(with_names)}"
    return f"read_parquet([{paths}]{extra}, {_hive(folders)})"


def folders_are_columns(file: File, names: Collection[str], own: Collection[str]) -> bool:
    """Whether some of the columns asked for are not the file's own but stand in its path, as in `year=2020/x.parquet`.

    Raises InputError where others of them stand in both, for DuckDB takes the path's.
    """
    parts = os.path.abspath(file.path).split(os.sep)[:-1]
    found = {match[1].casefold() for part in parts if (match := FOLDER.fullmatch(part)) is not None}
    held = {name.casefold() for name in own}
    wanted = {name.casefold(): name for name in names}
    if not (wanted.keys() & found) - held:
        return False
    both = wanted.keys() & found & held
    if both:
        name = wanted[min(both)]
        raise InputError(f"{name} is a column of {file.name} and a folder of its path too. Rename one of them.")
    return True


def _hive(folders: bool) -> str:
    return f"hive_partitioning={str(folders).lower()}"


def text_source(file: File, options: str = "", *, header: bool = True, folders: bool = False) -> str:
    """The call that reads a text file: nothing skipped, no comments, values as they are written."""
    settings = [file_literal(file.path), _hive(folders)]
    settings += [] if file.compression == "none" else [f"compression={literal(file.compression)}"]
    if file.format in ("csv", "tsv"):
        settings += ["all_varchar=true", f"header={str(header).lower()}", "skip=0", "comment=''"]
        settings += ["quote='\"'", "escape='\"'"] if file.format == "csv" else ["delim='\t'"]
    else:
        settings += [f"format='{'newline_delimited' if file.format == 'jsonl' else 'auto'}'"]
    call = "read_csv" if file.format in ("csv", "tsv") else "read_json"
    return f"{call}({', '.join(settings + ([options] if options else []))})"


def separator_option(file: File, connection: duckdb.DuckDBPyConnection) -> str:
    """The option that writes a CSV with the separator that it was read with, such as a spreadsheet's semicolon."""
    if file.format != "csv":
        return ""
    asked = text_source(file).replace("read_csv(", "SELECT Delimiter FROM sniff_csv(", 1)
    found = connection.execute(asked).fetchone()
    assert found is not None
    return f", DELIMITER {literal(found[0])}"


def as_texts(names: Sequence[str]) -> str:
    """The option that takes only some fields of JSON objects, as they are written."""
    return "columns={" + ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names) + "}"
