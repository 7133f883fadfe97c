"""The calls by which DuckDB reads files, as they stand after FROM."""

from __future__ import annotations

from collections.abc import Sequence

from howsure.data.database import file_literal, literal
from howsure.data.files import File


def parquet_source(files: Sequence[File], options: str = "") -> str:
    """The call that reads Parquet files as one table, their columns matched by name."""
    paths = ", ".join(file_literal(file.path) for file in files)
    extra = ", union_by_name=true" if len(files) > 1 else ""
    return f"read_parquet([{paths}]{extra}{', ' + options if options else ''})"


def text_source(file: File, options: str = "", *, header: bool = True) -> str:
    """The call that reads a text file: nothing skipped, no comments, values as they are written."""
    settings = [file_literal(file.path)]
    settings += [] if file.compression == "none" else [f"compression={literal(file.compression)}"]
    if file.format in ("csv", "tsv"):
        settings += ["all_varchar=true", f"header={str(header).lower()}", "skip=0", "comment=''"]
        settings += ["quote='\"'", "escape='\"'"] if file.format == "csv" else ["delim='\t'"]
    else:
        settings += [f"format='{'newline_delimited' if file.format == 'jsonl' else 'auto'}'"]
    call = "read_csv" if file.format in ("csv", "tsv") else "read_json"
    return f"{call}({', '.join(settings + ([options] if options else []))})"


def as_texts(names: Sequence[str]) -> str:
    """The option that takes only some fields of JSON objects, as they are written."""
    return "columns={" + ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names) + "}"
