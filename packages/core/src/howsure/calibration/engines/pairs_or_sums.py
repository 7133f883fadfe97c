"""Read the input of calibration functions: pairs in memory, or sums if there are very many pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from howsure.calibration.slots import EXACT_UP_TO, Slots
from howsure.inputs.frames import Read, Source, is_dask, is_lazy
from howsure.inputs.pairs import Pairs, Probabilities
from howsure.inputs.pairs_from import pairs_from
from howsure.worst_rows import Worst, WorstRows

if TYPE_CHECKING:
    from howsure.calibration.engines.lazy_frames import FrameSums


def sums_of_frame(
    data: Any, *, y_true: Any, y_prob: Any, sample_weight: Any = None, groups: Any = None, pos_label: Any = None
) -> FrameSums:
    """Let the engine of a lazy frame add up its pairs, by group if `groups` names a column."""
    from howsure.calibration.engines.lazy_frames import lazy_pairs, sums_of_lazy

    pairs = lazy_pairs(
        data, y_true=y_true, y_prob=y_prob, sample_weight=sample_weight, groups=groups, pos_label=pos_label
    )
    if is_dask(data):
        from howsure.calibration.engines.dask_frames import sums_of_dask

        return sums_of_dask(data, pairs)
    return sums_of_lazy(pairs)


@dataclass(frozen=True, slots=True)
class Parts:
    """Checked pairs, or sums of very many pairs, by group; without groups, the only group name is None.

    n: number of pairs in all groups. provenance: description of the files for a recipe; {} for arrays and frames.
    notes: details of how the pairs were read. worst: the most confidently wrong rows, if requested.
    """

    by_group: Iterable[tuple[str | None, Pairs | Slots]]
    n: int
    provenance: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    worst: WorstRows | None = None


def read_calibration_input(
    y_true: Any,
    y_prob: Any = None,
    *,
    data: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    id: Any = None,
    pos_label: Any = None,
    in_memory: bool = False,
    worst: Worst | None = None,
    **how: Any,
) -> Parts:
    """Read and check the input of a calibration function: pairs or sums, by group if there are groups.

    A lazy frame with more than `EXACT_UP_TO` rows is summed by its engine. Fewer rows are fetched, so that the result
    equals that of arrays. in_memory: read the pairs themselves, however many there are; clusters and `worst` imply
    this. worst: a request for the most confidently wrong rows.
    """
    roles = {"groups": groups, "sample_weight": sample_weight, "clusters": clusters, "pos_label": pos_label}
    if isinstance(data, Source):
        how |= {} if worst is None else {"later": list(worst.show)}
        with data.predictions(y_true, y_prob, id=id, find_items=True, **roles, **how) as predictions:
            return parts_read(predictions, data, in_memory=in_memory, worst=worst)
    options = {name: roles[name] for name in ("sample_weight", "groups", "pos_label")}
    needed = clusters is not None or in_memory or worst is not None
    sums = None if needed else _sums_of_many(y_true, data, y_prob=y_prob, **options)
    if sums is not None:
        return Parts(
            tuple((None if groups is None else name, part) for name, part in sums.items()), sum(map(len, sums.values()))
        )
    pairs_given = pairs_from(y_true, y_prob, data=data, **roles)
    parts: tuple[tuple[str | None, Pairs], ...] = ((None, pairs_given),)
    worst_rows_ = None if worst is None else worst.rank_pairs(pairs_given, y_true, data)
    return Parts(
        parts if pairs_given.groups is None else tuple(pairs_given.by_group()),
        len(pairs_given),
        notes=pairs_given.described,
        worst=worst_rows_,
    )


def pairs_or_sums(y_true: Any, y_prob: Any, **roles: Any) -> Pairs | Slots:
    """Read an input without groups as pairs or sums; `roles` are the other arguments of `read_calibration_input`."""
    if isinstance(y_true, Pairs):  # they may have groups
        del roles["in_memory"]
        return pairs_from(y_true, y_prob, **roles)
    ((_, pairs),) = read_calibration_input(y_true, y_prob, soft_labels=True, **roles).by_group
    return pairs


def reading_notes(pairs: Pairs | Slots) -> tuple[str, ...]:
    """Return the notes on how rows were read; () for sums."""
    return pairs.notes if isinstance(pairs, Pairs) else ()


def parts_read(
    predictions: Read, source: Source, *, in_memory: bool = False, one_by_one: bool = False, worst: Worst | None = None
) -> Parts:
    """Read the pairs or sums of an opened source by group; with clusters, always the pairs.

    one_by_one: read the sums of each group only during iteration (and again in each iteration), because the sums of a
    thousand groups take gigabytes. The source must then remain open.
    """
    described, reading = predictions.describe(), GroupsRead(predictions, source)
    worst_rows_ = None if worst is None else worst.rank_source(predictions)
    if not (in_memory or "cluster" in described):
        return Parts(
            reading if one_by_one else tuple(reading), predictions.n, described, predictions.notes, worst_rows_
        )
    with source.progress(predictions.n) as advance:
        pairs = predictions.pairs()
        advance(len(pairs))
    by_group = tuple(pairs.by_group()) if predictions.group_names else ((None, pairs),)
    return Parts(by_group, predictions.n, described, predictions.notes, worst_rows_)


@dataclass(frozen=True, slots=True)
class GroupsRead:
    """Iterates over (name, pairs or sums) of the groups of an open source, reading one group at a time."""

    reader: Read
    source: Source

    def __iter__(self) -> Iterator[tuple[str | None, Pairs | Slots]]:
        with self.source.progress(self.reader.n) as advance:
            for name in self.reader.group_names or (None,):
                yield name, _narrow_type(self.reader.source(name, advance=advance))


def _narrow_type(source: object) -> Pairs | Slots:
    """Narrow the static type of what a source returned; the package `inputs` does not know `Slots`."""
    assert isinstance(source, Pairs | Slots)
    return source


def _sums_of_many(y_true: Any, data: Any, **columns: Any) -> dict[str, Slots] | None:
    """Return the sums by group of a lazy frame with many rows; None for a frame with few rows or any other input."""
    if data is None or isinstance(y_true, Pairs) or isinstance(columns["y_prob"], Probabilities) or not is_lazy(data):
        return None
    sums = sums_of_frame(data, y_true=y_true, **columns)
    return sums.checked() if sums.n > EXACT_UP_TO else None
