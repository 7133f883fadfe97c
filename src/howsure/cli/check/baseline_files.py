"""Baselines as files: read whole and checked, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable

from howsure.check.baseline import Baseline, Entry, baseline_dict, baseline_from
from howsure.cli.terminal.output import json_text
from howsure.errors import InputError
from howsure.files.json_text import parsed_json
from howsure.files.text import read_text
from howsure.files.whole import write_whole


def read_baseline(path: str | None) -> Baseline | None:
    """The baseline in a file; None where none is named.

    Raises InputError if it is none, or damaged.
    """
    if path is None:
        return None
    text = read_text(path)
    try:
        held = parsed_json(text.content)
    except ValueError as error:
        raise InputError(f"{path} is no baseline: {error}.") from error
    return baseline_from(held, name=path)


def write_baseline(entries: Iterable[Entry], path: str) -> None:
    """Write what a later run may compare with."""
    write_whole(json_text(baseline_dict(entries)).encode(), path)
