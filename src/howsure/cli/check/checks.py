"""What each check of `howsure check` asks the library for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from howsure.check.baseline import Baseline, Entry, MeanSummary
from howsure.check.calibration import Bins, calibration_found
from howsure.check.decision import Found
from howsure.check.evidence import BELOW, Rule, named_once
from howsure.check.scores import (
    Part,
    bounds_of,
    of_differences,
    of_scores,
    parts_of,
    score_limits,
    score_rules,
)
from howsure.check.selective import of_risk, risk_rule
from howsure.cli.calibration.reading import as_called, opened, source_and_roles
from howsure.cli.check.options import other_files, other_model
from howsure.cli.terminal.commands import tell
from howsure.data.logs.conversion import DOCUMENT, ITEM, RUN, TASK, Log
from howsure.data.sources import read as files_of
from howsure.errors import InputError
from howsure.inputs.checks import Coded, check_clusters, check_codes
from howsure.inputs.frames import Kind, Rows
from howsure.inputs.matching import shared_rows
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import BoundedMean, Bounds, mean_score, share_bounds


def found_by_options(
    *, files: Sequence[str], labels: Sequence[str], name: str, max_error: float | None, better_than: str | None,
    not_worse_than: float | None, against: str | None, bin_size: int | str, bins: int | None, binning: str,
    baseline: Baseline | None, **reading: Any,
) -> Found:  # fmt: skip
    """The evidence for all rules that are named."""
    if len(labels) > 2 or (len(labels) == 2 and better_than is None and against is None):
        raise InputError("--target is named once, or twice with another model: the labels of this one and of that one.")
    source, roles = source_and_roles(files, reading)
    found = calibration_found(
        **roles, y_true=labels[0] if labels else None, y_true_against=labels[1] if len(labels) == 2 else None,
        better_than=other_model(better_than, source), against=other_model(against, source),
        max_error=max_error, not_worse_than=not_worse_than, bins=Bins(bin_size, bins, binning), name=name, data=source,
        baseline=baseline or True,
    )  # fmt: skip
    return replace(found, recipe=as_called(found.recipe))


def selective_found(
    *, files: Sequence[str], label: str | None, name: str, max_risk: float | None, min_coverage: float,
    not_worse_than: float | None, baseline: Baseline | None, **reading: Any,
) -> Found:  # fmt: skip
    """The evidence about the risk of the most confident answers.

    Raises InputError if there is nothing to check, or classes are to be judged one by one.
    """
    if max_risk is None and baseline is None:
        raise InputError("nothing to check: name a limit, --max-risk 0.05.")
    if reading.get("reduce") == "class-wise":
        raise InputError("an answer is kept or not; --reduce class-wise does not say whether it is right.")
    named_once(None, None, not_worse_than, baseline=baseline is not None)
    with opened(files, label=label, **reading) as predictions:
        recipe = {"check": name, **as_called(predictions.describe())}
        found = list(of_risk(predictions.pairs(), risk_rule(max_risk or 0.5, min_coverage, name=name), min_coverage))
    entries = []
    for one in found:
        assert isinstance(one.test, BoundedMean)
        entries.append(Entry(name, one.group, MeanSummary.of(one.test, one.n), {"min_coverage": min_coverage}))
    evidence = [] if max_risk is None else found
    if baseline is not None:
        quantity = f"difference of the {risk_rule(0.5, min_coverage).quantity}"
        evidence += baseline.evidence(entries, Rule(name, quantity, BELOW, float(not_worse_than or 0), baseline.name))
    limits = {"max_risk": max_risk, "min_coverage": min_coverage, "not_worse_than": not_worse_than}
    return Found(name, tuple(evidence), recipe | limits, (), tuple(entries))


# What `howsure check score` reads, and the evidence in it.


def score_found(
    *, files: Sequence[str], score: str, name: str, min_score: float | None, max_score: float | None,
    better_than: str | None, not_worse_than: float | None, against: str | None, lower_is_better: bool,
    bounds: Bounds | None, group: str | None, cluster: str | None, id: str | None, across_files: str,
    skip_missing: bool, where: str | None, by_file: bool, input_format: str | None, baseline: Baseline | None,
) -> Found:  # fmt: skip
    """The evidence for all rules that are named.

    Raises InputError if none is named, or the other model in no way or in two.
    """
    other = named_once(better_than, against, not_worse_than, baseline=baseline is not None)
    quantity = f"mean {score}"
    limits = score_limits(min_score, max_score, name=name, quantity=quantity)
    if not limits and other is None and baseline is None:
        raise InputError("nothing to check: name a limit, --min-score 0.8, or another model, --better-than FILE.")
    place = None if other is None else other_files(other, files)
    if other == score:
        raise InputError(f"{other} is this model's own column; name that of another one.")
    columns = [one for one in (group, cluster, id) if one is not None]
    how: dict[str, Any] = {
        "skip_missing": skip_missing, "format": input_format, "where": where, "by_file": by_file,
    }  # fmt: skip
    scores = [score] if other is None or place is not None else [score, other]
    asked = {"group": group, "cluster": cluster, "id": id}
    from_log = partial(columns_of_log, asked, matched=place is not None)
    kinds = dict.fromkeys(columns, Kind.VALUES) | dict.fromkeys(scores, Kind.SCORE)
    source = replace(files_of(files, across_files=across_files, **how), tell=tell)
    read = source.rows(kinds, cluster=cluster, choose=from_log)
    group, cluster, id = (asked[role] or read.chosen.get(role) for role in asked)
    values = read.columns[score]
    units = None if cluster is None else check_clusters(_names(read, cluster), n=len(values), name=cluster)
    parts = _parts(read, group, len(values))
    with read.placed():
        ends = bounds_of(bounds, **{score: values})
    evidence = [one for rule in limits for one in of_scores(values, units, parts, rule, bounds=ends)]
    entries = [_entry(name, part, values, units, ends) for part in parts]
    recipe = {"check": name, **read.read, "score": score, "group": group, "cluster": cluster, "id": id}
    notes: list[str] = []
    named: dict[str, Any] = {"lower_is_better": lower_is_better, "name": name, "quantity": quantity}
    if baseline is not None:
        for rule in score_rules(better=False, margin=not_worse_than, against=baseline.name, **named):
            evidence += baseline.evidence(entries, rule)
    if other is not None:
        margin = not_worse_than if baseline is None or against else None
        rules = score_rules(better=better_than is not None, margin=margin, against=other, **named)
        rows = np.arange(len(values))
        if place is None:
            theirs = read.columns[other]
            with read.placed():
                bounds_of(bounds, **{other: theirs})
        else:
            beside = files_of(place, **how).rows(({} if id is None else {id: Kind.VALUES}) | {score: Kind.SCORE})
            with beside.placed():
                bounds_of(bounds, **{score: beside.columns[score]})
            rows, theirs, note = _matched(read, beside, score, id, skip=skip_missing)
            notes += note
        kept = None if units is None else units[rows]
        ours, shown = values[rows], _only(parts, rows, len(values))
        ends = bounds_of(ends if bounds else None, **{score: ours, other: theirs})
        for rule in rules:
            evidence += of_differences(ours, theirs, kept, shown, rule, bounds=ends)
    given: dict[str, Any] = {
        "min_score": min_score,
        "max_score": max_score,
        "better_than": better_than,
        "against": against,
    }
    given |= {"not_worse_than": not_worse_than, "lower_is_better": lower_is_better, "bounds": bounds}
    return Found(name, tuple(evidence), recipe | given, tuple(notes), tuple(entries))


def columns_of_log(asked: Mapping[str, str | None], log: Log, *, matched: bool) -> dict[str, str]:
    """The columns of a log for what was not named: each model, task and prompt is a group; rows of one document, or of
    an item that has several, are a cluster; and rows are `matched` with those of another log by their item."""
    named = asked["group"]
    parts = list(log.group) if named is None else named.split(",")
    log.check_ways(parts, advice=f"tell them apart, --group {','.join([*parts, RUN])}")
    key = ",".join([*([TASK] if log.varies(TASK) and TASK not in parts else []), ITEM])
    repeated = log.repeats_items(parts)
    found = {"group": ",".join(parts)} if named is None and parts else {}
    if asked["cluster"] is None and log.has(DOCUMENT):
        found["cluster"] = DOCUMENT
    elif asked["cluster"] is None and repeated and log.has(ITEM):
        found["cluster"] = key
    if asked["id"] is None and matched and not repeated and log.has(ITEM):
        found["id"] = ",".join([*(one for one in log.group if one != "model"), ITEM])
    return found


def _names(read: Rows, column: str) -> Any:
    """A column of names; what a log chose is coded."""
    held = read.columns[column]
    return np.asarray(held.names, dtype=object)[held.codes] if isinstance(held, Coded) else held


def _entry(name: str, part: Part, values: Floats, units: Integers | None, bounds: Bounds | None) -> Entry:
    group, rows = part
    groups = ItemGroups.of(len(rows), clusters=None if units is None else units[rows])
    mean = mean_score(values[rows], groups, bounds=bounds or share_bounds(values))
    return Entry(name, group, MeanSummary.of(mean, len(rows)), {})


def _parts(read: Rows, group: str | None, n: int) -> list[Part]:
    codes, names = (None, ()) if group is None else check_codes(_names(read, group), n=n, name=group, groups=True)
    return list(parts_of(n, codes, names))


def _only(parts: Sequence[Part], rows: Integers, n: int) -> list[Part]:
    """The parts of some rows, by their places among these."""
    place = np.full(n, -1)
    place[rows] = np.arange(len(rows))
    found = [(name, place[held][place[held] >= 0]) for name, held in parts]
    return [(name, held) for name, held in found if len(held)]


def _matched(read: Rows, beside: Rows, score: str, id: str | None, *, skip: bool) -> tuple[Integers, Floats, list[str]]:
    """The rows that the other model has too, and its scores of them.

    Raises InputError if rows cannot be matched, or one model has more and none may be left out.
    """
    names = ", ".join(read.read["files"]), ", ".join(beside.read["files"])
    ours, theirs = (len(one.columns[score]) for one in (read, beside))
    if id is None:
        if ours != theirs or read.read["skipped"] or beside.read["skipped"]:
            raise InputError(
                f"both models must be evaluated on the same rows; {names[0]} has {ours:,}, {names[1]} has {theirs:,}. "
                "Match them by --id COL."
            )
        return np.arange(ours), beside.columns[score], []
    keys = [np.asarray(_names(one, id)).astype(np.str_) for one in (read, beside)]
    shared = shared_rows(*keys, names=names, id=id)
    shared.check_all(skip_missing=skip)
    return shared.a, beside.columns[score][shared.b], shared.said
