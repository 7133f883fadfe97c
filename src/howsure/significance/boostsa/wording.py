"""How BooStSa names, rounds, stars and prints results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from howsure.first_use import require
from howsure.significance.results import Comparison, Difference

HARD = {"f1": "macro_f1", "acc": "accuracy", "prec": "macro_precision", "rec": "macro_recall"}
SOFT = {
    "jsd": "jensen_shannon_distance",
    "ce": "clipped_cross_entropy",
    "sim": "entropy_similarity",
    "cor": "entropy_correlation",
}
OF_CLASS = {"tf1": "f1", "tprec": "precision", "trec": "recall"}
FULL = {
    "f1": "F-measure",
    "acc": "accuracy",
    "prec": "precision",
    "rec": "recall",
    "jsd": "Jensen-Shannon divergence",
    "ce": "cross-entropy",
    "sim": "entropy similarity",
    "cor": "entropy correlation",
    "tf1": "target F-measure",
    "tprec": "target precision",
    "trec": "target recall",
}
DIGITS = 4


def stars(p: float) -> str:
    """`**` for p up to .01, `*` up to .05; `!` from .95 and `!!` from .99 on: the baseline is better."""
    marks = ((p <= 0.01, "**"), (p <= 0.05, "*"), (p >= 0.99, "!!"), (p >= 0.95, "!"))
    return next((mark for holds, mark in marks if holds), "")


def value_text(value: float) -> float:
    """A value to 4 digits."""
    return round(float(value), DIGITS)


def difference_of(row: Difference) -> float:
    """The difference of the rounded values, to 4 digits."""
    return round(value_text(row.model_value) - value_text(row.baseline_value), DIGITS)


def columns_of(names: Sequence[str], *, spread: bool) -> list[str]:
    """The columns of a table of results; with the spread of the first metric over runs after its stars."""
    columns = ["mean_epochs"]
    for k, name in enumerate(names):
        columns += [name, f"d_{name}", f"s_{name}"] + ([f"std_{name}"] if spread and k == 0 else [])
    return columns


def frame_of(columns: Sequence[str], rows: Mapping[str, Sequence[Any]]) -> Any:
    """A pandas DataFrame with the conditions as its index.

    Raises MissingExtraError without pandas.
    """
    require("A table of howsure.significance.boostsa", "pandas", "pandas")
    import pandas as pd

    return pd.DataFrame(list(rows.values()), index=list(rows), columns=list(columns))


def block(
    systems: dict[str, Any], names: dict[str, str], result: Comparison, rows: dict[str, Difference], n_loops: int
) -> Iterator[str]:
    """The lines of the paper's Figures 3 and 4. `names` are those of h0 and h1."""
    targets = np.asarray(systems["targs"])
    width = 1 if targets.ndim == 1 else targets.shape[1]
    yield f"data shape: {(len(targets), width)}"
    yield f"sample size: {int(len(targets) * result.recipe['sample_size'])}"
    yield f"h0: {names['h0']} - h1: {names['h1']}"
    for name, values in systems.items():
        yield _counts(name, values) if width == 1 else f"{name} distribution: {np.mean(values, axis=0)}"
    for name, row in rows.items():
        a, b, d = value_text(row.baseline_value), value_text(row.model_value), difference_of(row)
        what = f"{FULL[name]}:" if width > 1 else FULL[name].ljust(14, ".")
        yield f"{what} - h0: {a:.4f} - h1: {b:.4f} - diff: {d:.4f}"
    for name, row in rows.items():
        p = row.p_value
        shown = "undefined" if np.isnan(p) else f"{round(p * n_loops)} / {n_loops}".ljust(16) + f" p < {p:g} {stars(p)}"
        yield f"count sample diff {name} is twice tot diff {name}..... {shown}".rstrip()


def telling(lines: Iterator[str], tell: Callable[[str], None]) -> None:
    """Print the lines, one by one."""
    for line in lines:
        tell(line)


def _counts(name: str, values: Any) -> str:
    labels, counts = np.unique(np.asarray(values), return_counts=True)
    shown = [
        f"class {label} freq {count} perc {100 * count / len(values):.2f}%"
        for label, count in zip(labels, counts, strict=True)
    ]
    return f"{name} count: {shown}"
