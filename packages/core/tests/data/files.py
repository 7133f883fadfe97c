"""Files to test with: written in every format, opened, piped."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet

import howsure
from howsure.data import Predictions
from howsure.data.predictions.predictions import open_predictions
from howsure.inputs.pairs import UNNAMED, WAYS, Probabilities

Columns = dict[str, list[Any]]

TEXT_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json")
SUFFIXES = (*(suffix + packed for suffix in TEXT_SUFFIXES for packed in ("", ".gz", ".zst")), ".parquet", ".npz")


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


OF_FILES = ("where", "skip_missing", "missing_values", "by_file", "across_files", "format", "normalise")
OF_CLASSES = ("reduce", "classes")


def opened(*paths: str | Path, **options: Any) -> Predictions:
    how = {name: options.pop(name) for name in OF_FILES if name in options}
    of_classes = {name: options.pop(name) for name in OF_CLASSES if name in options}
    named = {way: options.pop(way) for way in WAYS if way in options}
    ways = {way: values for way, values in named.items() if values is not None} or (
        {UNNAMED: None} if of_classes else {}
    )
    for way, values in ways.items():
        options["y_prob"] = Probabilities(way, values, **of_classes)
    return open_predictions(howsure.read(paths, **how), **options)


@contextmanager
def piped_input(content: bytes) -> Iterator[None]:
    """Somebody writes into standard input while it is read, as another program does."""
    reading, writing = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), open(writing, "wb") as end:  # a reader need not read to the end
            end.write(content)

    with ThreadPoolExecutor(1) as other:
        with open(reading, encoding="utf-8") as text_file, patch.object(sys, "stdin", text_file):
            written = other.submit(write)
            yield
        written.result()
