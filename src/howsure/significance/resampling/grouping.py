"""Grouped rows: clusters, which are resampled as wholes, and strata, which keep their size."""

from __future__ import annotations

import numpy as np

from howsure.errors import InputError
from howsure.inputs.checks import check_clusters, check_codes
from howsure.inputs.naming import shortened
from howsure.inputs.pairs import Integers


def check_grouping(clusters: object, strata: object, *, n: int) -> tuple[Integers | None, Integers | None]:
    """The codes of clusters and strata, None where there are none.

    >>> check_grouping(["a", "a", "b", "c"], [0, 0, 0, 0], n=4)
    (array([0, 0, 1, 2]), array([0, 0, 0, 0]))

    Raises InputError if all rows are one cluster, a cluster lies in two strata, or a stratum has a single item or
    cluster: it cannot vary, so the interval would be too narrow.
    """
    cluster = None if clusters is None else check_clusters(clusters, n=n)
    if cluster is not None and cluster.max() == 0:
        raise InputError(
            "clusters must be two or more; all rows are of one, so their variation is unknown. Provide more clusters, "
            "or leave clusters out if rows are independent."
        )
    if strata is None:
        return cluster, None
    stratum, names = check_codes(strata, n=n, name="strata")
    unit, kind = (np.arange(n), "item") if cluster is None else (cluster, "cluster")
    of_unit = np.zeros(int(unit.max()) + 1, dtype=np.int64)
    of_unit[unit] = stratum
    rows = np.flatnonzero(of_unit[unit] != stratum)
    if len(rows):
        raise InputError(f"a cluster must lie in one stratum; that of row {rows[0]} lies in two.")
    single = np.flatnonzero(np.bincount(of_unit) == 1)
    if len(single):
        held = shortened((repr(names[code]) for code in single), limit=5)
        row = int(np.flatnonzero(stratum == single[0])[0])
        raise InputError(
            f"every one of strata must hold two {kind}s or more; {held} (row {row}) holds one, which cannot vary. "
            "Merge it with a similar stratum, or leave strata out."
        )
    return cluster, stratum
