"""The same rows written in every format that the reader knows, by other libraries than the reader's."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

Columns = dict[str, list[Any]]

TEXT_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json")
SUFFIXES = (
    *(suffix + packed for suffix in TEXT_SUFFIXES for packed in ("", ".gz", ".zst")),
    ".parquet",
    ".npz",
)


def write(path: Path, columns: Columns) -> Path:
    """Write columns of equal length to a file in the format of its suffix; None is a missing value."""
    if path.suffix == ".parquet":
        pa.parquet.write_table(pa.table(columns), path)
    elif path.suffix == ".npz":
        np.savez(path, **{name: np.array(values) for name, values in columns.items()})
    else:
        write_bytes(path, text(path, columns).encode())
    return path


def write_bytes(path: Path, content: bytes) -> Path:
    """Write bytes, compressed as the suffix says."""
    if path.suffix == ".gz":
        content = gzip.compress(content)
    if path.suffix == ".zst":
        packed = pa.BufferOutputStream()
        with pa.CompressedOutputStream(packed, "zstd") as stream:
            stream.write(content)
        content = packed.getvalue().to_pybytes()
    path.write_bytes(content)
    return path


def text(path: Path, columns: Columns) -> str:
    """The columns as text in the format of the suffix before any compression."""
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    kind = next(suffix for suffix in path.suffixes[::-1] if suffix in TEXT_SUFFIXES)
    if kind == ".json":
        return json.dumps(rows)
    if kind in (".jsonl", ".ndjson"):
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    lines = io.StringIO()
    writer = csv.DictWriter(lines, list(columns), delimiter="\t" if kind == ".tsv" else ",", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return lines.getvalue()
