"""The file that `howsure counts sample` wrote and a person filled in: its labels, put beside their units."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.cli.counts.input import CHANCE, LABEL, ROW, STRATUM, Population
from howsure.counts.strata import outside_band
from howsure.data.predictions.read_columns import ReadColumns, read_columns
from howsure.errors import InputError
from howsure.inputs.checks import check_clusters
from howsure.inputs.numerals import spelled_number


def join_labelled(population: Population, file: str) -> None:
    """Put the labels, strata and chances of a file beside the units of the population, by the number of their row.

    Raises InputError naming the row of this file, the value and what to do.
    """
    units = len(population.columns["prob"])
    found = read_columns([file], optional=[ROW, CHANCE, STRATUM, LABEL])
    columns: dict[str, Any] = {name: np.full(units, None, dtype=object) for name in (STRATUM, CHANCE, LABEL)}
    lines = [i for i in range(len(found.arrays[ROW])) if any(held[i] is not None for held in found.arrays.values())]
    for i in lines:
        place = _unit(found, i, units)
        if columns[CHANCE][place] is not None:
            raise InputError(f"{ROW} must be different in each row; {found.place(i)} has {place + 1} again.")
        columns[STRATUM][place] = found.arrays[STRATUM][i]
        columns[CHANCE][place] = _chance(found, i)
        columns[LABEL][place] = _label(found, i)
    _check_all_labelled(found, lines)
    has_strata = any(value is not None for value in columns[STRATUM])
    if has_strata:
        _check_bands(population, columns[STRATUM], file)
    population.columns["labels"] = columns[LABEL]
    population.columns["inclusion"] = columns[CHANCE]
    population.columns["strata"] = columns[STRATUM] if has_strata else None


def _number(value: object) -> float | None:
    return spelled_number(value) if isinstance(value, str) else None if value is None else float(str(value))


def _unit(found: ReadColumns, i: int, units: int) -> int:
    held = found.arrays[ROW][i]
    row = _number(held)
    if row is None or row % 1 != 0 or not 1 <= row <= units:
        said = "none" if held is None else held
        raise InputError(
            f"{ROW} must be the number of a row of the scored file, 1 to {units:,}; {found.place(i)} has {said}. "
            "Is it the file of another sample?"
        )
    return int(row) - 1


def _chance(found: ReadColumns, i: int) -> float:
    held = found.arrays[CHANCE][i]
    chance = _number(held)
    if chance is None or not 0.0 < chance <= 1.0:
        said = "nothing" if held is None else repr(held)
        advice = "Write a decimal point." if "," in said else "Leave this column as the sample gave it."
        raise InputError(f"{CHANCE} must be a number above 0 and at most 1; {found.place(i)} holds {said}. {advice}")
    return chance


def _label(found: ReadColumns, i: int) -> float | None:
    held = found.arrays[LABEL][i]
    label = float(held) if isinstance(held, (bool, np.bool_)) else _number(held)
    if held is not None and label not in (0.0, 1.0):
        raise InputError(
            f"{LABEL} must be 1 or 0; {found.place(i)} holds {held!r}. Write 1 for a unit that has the property, and 0 "
            "for one that has not."
        )
    return label


def _check_all_labelled(found: ReadColumns, lines: list[int]) -> None:
    lack = [i for i in lines if found.arrays[LABEL][i] is None]
    if lack:
        raise InputError(
            f"{LABEL} must be 1 or 0 in each row that was drawn; {found.place(lack[0])} has none ({len(lack):,} such). "
            "Label them too: leaving out what is hard to label would bias the count."
        )


def _check_bands(population: Population, strata: Any, file: str) -> None:
    """InputError where the score of a unit is not in the band from which the sample says that it was drawn."""
    score, clusters = population.columns["prob"], population.columns["clusters"]
    cluster = np.arange(len(score)) if clusters is None else check_clusters(clusters, n=len(score))
    highest = np.zeros(int(cluster.max()) + 1)
    np.maximum.at(highest, cluster, score)
    drawn = [unit for unit, name in enumerate(strata) if name is not None]
    odd = [unit for unit in drawn if outside_band(str(strata[unit]), float(highest[cluster[unit]]))]
    if odd:
        raise InputError(
            f"{STRATUM} must be the band of the unit's score; {population.place(odd[0])} has the score "
            f"{score[odd[0]]:g}, and {file} says {strata[odd[0]]!r} ({len(odd):,} such). Has the scored file been "
            "sorted or changed since the sample was drawn? Use the original file, with the same --prob and --cluster."
        )
