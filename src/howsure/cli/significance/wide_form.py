"""`howsure significance FILE --baseline COL --model COL`: a column, or a file, for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from howsure.cli.significance.asked import Asked
from howsure.cli.significance.input import read_files, read_rows, refuse_twice, shown_names
from howsure.cli.terminal.commands import rows_as_in_files, tell
from howsure.cli.terminal.progress import progress
from howsure.data.predictions.read_columns import read_columns
from howsure.errors import InputError
from howsure.significance.comparison import compare
from howsure.significance.results import Comparison

SCORE = "score"  # the metric of columns that hold scores
Compared = tuple[Comparison, dict[str, Any]]


def compare_wide(files: Sequence[str], asked: Asked, classes: list[str] | None, options: Mapping[str, Any]) -> Compared:
    """The comparison of columns of FILE..., or of a file for each model, and what was read.

    Raises InputError naming the option, or the file, the column, the row and the value.
    """
    if asked.baseline is None or not asked.models:
        lacking = "--baseline" if asked.baseline is None else "--model"
        raise InputError(
            f"{lacking} must name a column or file of predictions. In a table or log with one row per model and item, "
            "name the --score, or the --target and --prediction, and --by the model's column."
        )
    if options["metrics"] == [SCORE] and files:
        return _scores(files, asked, asked.baseline, options)
    for option, value in {"--lower-is-better": asked.lower_is_better}.items():
        if value:
            raise InputError(f"{option} is for scores: columns with --metric score, or --score in tables by model.")
    if bool(files) == bool(asked.targets) or bool(files) != bool(asked.target):
        raise InputError(
            "name a FILE and its column --target, or no FILE and a file --targets; columns of scores need neither, but "
            "--metric score."
        )
    roles = {"ids": asked.id, "runs": asked.run, "clusters": asked.clusters, "strata": asked.strata}
    if files:
        named = {key: name for key, name in roles.items() if name is not None}
        names = {"y_true": str(asked.target), "baseline": asked.baseline, **named}
        held = read_rows(
            files, names, asked.models, numbers=options["metrics"], skip_missing=asked.skip_missing,
            input_format=asked.input_format, across_files=asked.across_files, where=asked.where, by_file=asked.by_file,
        )  # fmt: skip
        baseline = asked.baseline
    else:
        _refuse_columns(asked)
        held = read_files(str(asked.targets), asked.baseline, asked.models)
        baseline = shown_names([asked.baseline, *asked.models])[0]
    with rows_as_in_files(held.place), progress("comparing", total=len(asked.models)) as advance:
        result = compare(
            held.columns["y_true"],
            held.columns["baseline"],
            held.models,
            **{key: held.columns[key] for key in roles if key in held.columns},
            labels=held.classes if classes is None else classes,
            baseline_name=baseline,
            progress=lambda done, total: advance(1 if done else 0),
            **options,
        )
    return result, dict(held.recipe)


def _scores(files: Sequence[str], asked: Asked, baseline: str, options: Mapping[str, Any]) -> Compared:
    """Columns of scores, one for each model."""
    refuse_twice(baseline, asked.models)
    given = {"--target": asked.target, "--targets": asked.targets, "--run": asked.run, "--id": asked.id}
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise InputError(
            f"{wrong[0]} cannot be given with a column of scores for each model; several runs need a table by model, "
            "--by and --score."
        )
    groups = [name for name in (asked.clusters, asked.strata) if name is not None]
    read = read_columns(
        files, labels=groups, scores=[baseline, *asked.models], skip_missing=asked.skip_missing,
        cluster=asked.clusters, across_files=asked.across_files, format=asked.input_format, where=asked.where,
        by_file=asked.by_file,
    )  # fmt: skip
    tell(read.said)
    with rows_as_in_files(read.place):
        result = compare(
            scores={name: read.arrays[name] for name in (baseline, *asked.models)},
            baseline=baseline,
            clusters=None if asked.clusters is None else read.arrays[asked.clusters],
            strata=None if asked.strata is None else read.arrays[asked.strata],
            lower_is_better=asked.lower_is_better,
            **{**options, "metrics": None},
        )
    return result, dict(read.recipe)


def _refuse_columns(asked: Asked) -> None:
    """Raise InputError for options of columns, where each model has a file."""
    given = {
        "--id": asked.id, "--run": asked.run, "--cluster": asked.clusters, "--stratum": asked.strata,
        "--where": asked.where, "--by-file": asked.by_file, "--from": asked.input_format,
        "--skip-missing": asked.skip_missing, "--across-files": asked.across_files != "error",
    }  # fmt: skip
    wrong = [name for name, value in given.items() if value]
    if wrong:
        raise InputError(f"{wrong[0]} is for columns: put the predictions into one FILE with columns.")
