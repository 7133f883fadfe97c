"""The columns of files that may be a table with a row per value of a field."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from howsure.data.logs.log_file import Beginning
from howsure.data.logs.openai import response_body
from howsure.data.tables.named_files import named_files, reading_files
from howsure.data.tables.table import column_names


def long_table_columns(paths: Sequence[str]) -> list[str]:
    """Return the columns of the first file; [] if it is a single JSON document or has responses, and for folders."""
    if any(map(os.path.isdir, paths)):
        return []
    with tempfile.TemporaryDirectory() as spool:
        file = named_files(paths[:1], format=None, spool=Path(spool))[0]
        if file.format == "jsonl":
            record = Beginning(file).record
            return [] if response_body(record) is not None else list(record)
        if file.format == "json":
            return []
        with reading_files(file) as database:
            return column_names(database, file)
