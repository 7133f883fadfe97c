"""What `howsure recalibrate` reads: labelled scores, and maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.cli.calibration.reading import opened
from howsure.cli.terminal.commands import rows_as_in_files
from howsure.errors import InputError
from howsure.files.opened import missing_file
from howsure.inputs.classes import LOG_PROBABILITIES, LOGITS
from howsure.inputs.pairs import Floats
from howsure.recalibration.labelled import Labelled, labelled_pairs
from howsure.recalibration.results import RecalibrationMap
from howsure.recalibration.scores import Scores, binary_of, check_floor, classes_of

MOST_BYTES = 1 << 28  # of a map


@contextmanager
def labelled_rows(
    files: Sequence[str], *, floor: float | None, **reading: Any
) -> Iterator[tuple[Labelled, dict[str, Any]]]:
    """The labelled scores of files, and what was read; inside the block, errors name the rows of the files."""
    check_floor(floor)
    reduced = reading.get("reduce")
    with opened(files, keep_classes=reduced is None, **reading) as predictions:
        pairs, rows = predictions.pairs(), predictions.class_rows
        selection = predictions.selection
        positions = selection.positions()
        if rows is not None:
            data = Labelled(
                scores_of(rows.matrix, rows.scale, floor),
                rows.codes,
                pairs.weights,
                pairs.groups,
                pairs.group_names,
                pairs.clusters,
                rows.names,
            )
            predictions.notes.pop("reduce", None)
        else:
            data = labelled_pairs(pairs, floor=floor)
            log_odds = _log_odds(predictions) if reduced is None else None
            if log_odds is not None:
                data = Labelled(
                    binary_of(log_odds, logits=True, floor=floor), data.labels, data.weights, data.groups,
                    data.group_names, data.clusters,
                )  # fmt: skip
            data = replace(data, positive=data.positive or reading.get("positive"))
        with rows_as_in_files(lambda row: selection.table.place_of(int(positions[row]))):
            yield data, predictions.describe()


def scores_of(held: Floats, scale: str | None, floor: float | None) -> Scores:
    """The scores of a file's numbers, (n,) or (n, K), which are already checked."""
    if held.ndim == 1:
        if scale == LOG_PROBABILITIES:
            return binary_of(np.minimum(np.exp(held), 1.0), floor=floor)
        return binary_of(held, logits=scale == LOGITS, floor=floor)
    return classes_of(held, logits=scale is not None, floor=floor)


def read_map(path: str) -> RecalibrationMap:
    """The map in a file.

    Raises InputError if it is none.
    """
    try:
        with open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise missing_file(path) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if len(text) > MOST_BYTES:
        raise InputError(f"{path} is no recalibration map: it is larger than {MOST_BYTES >> 20} MiB.")
    try:
        return RecalibrationMap.from_json(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _log_odds(predictions: Any) -> Floats | None:
    """One logit per row as it stands, which says more than the probability that it means."""
    from howsure.data.predictions.classes import class_matrix

    name = predictions.columns.get(LOGITS)
    if not isinstance(name, str):
        return None
    selection = predictions.selection
    return class_matrix(selection, [selection.table.columns[name]], lists=False)[:, 0]
