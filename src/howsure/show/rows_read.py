"""What was read of which files, in words: from the recipe that a source gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howsure.inputs.naming import counted, shortened

SOFT = (
    "labels are shares of annotators: a row is a pair of label 1 and one of label 0, weighted by its shares, in one "
    "cluster; every score is that against an annotator drawn at random, and intervals are on the safe side"
)


def files_read(recipe: Mapping[str, Any]) -> str:
    """The names of the files, and how many there are if several are pooled.

    >>> files_read({"files": ["a.csv", "b.csv"]})
    '2 files pooled (a.csv, b.csv)'
    """
    files = recipe["files"]
    return files[0] if len(files) == 1 else f"{len(files):,} files pooled ({shortened(files, limit=6)})"


def left_out(recipe: Mapping[str, Any]) -> str:
    """The rows that do not satisfy the user's expression, and the expression."""
    return f", {recipe['left_out']:,} left out (not where {recipe['where']})" if "where" in recipe else ""


def n_skipped(recipe: Mapping[str, Any]) -> int:
    """The number of rows with missing values."""
    return sum(recipe.get("skipped", {}).values())


def skipped_by_column(recipe: Mapping[str, Any]) -> str:
    """The numbers of skipped rows by the column that is missing in them."""
    return ", ".join(f"{column}: {number:,}" for column, number in recipe["skipped"].items())


def rows_read(recipe: Mapping[str, Any]) -> str:
    """The files, how many rows they have, and which of them are left out."""
    read = f"{files_read(recipe)}: {counted(recipe['rows'], 'row')}"
    skipped = n_skipped(recipe)
    return read + (f", {skipped:,} skipped ({skipped_by_column(recipe)})" if skipped else "") + left_out(recipe)


def pooling_notes(recipe: Mapping[str, Any]) -> list[str]:
    """How rows of several files, and shares of annotators, count."""
    notes = [SOFT] if recipe.get("soft_labels") else []
    if len(recipe.get("files", [])) > 1 and "classes" not in recipe:  # not shards of one thing
        notes += _across_files(recipe)
    return notes


def _across_files(recipe: Mapping[str, Any]) -> list[str]:
    if "engine" in recipe:
        return ["rows of all files count as independent"]
    if recipe.get("across_files"):
        column = recipe.get("cluster") or recipe["id"]
        same = "are one cluster" if recipe["across_files"] == "same" else "are kept apart"
        return [f"equal values of {column} in several files {same}"]
    if recipe.get("cluster") or recipe.get("id"):
        return []
    return ["rows of all files count as independent; if files evaluate the same items, name the item with --id COL"]
