"""Models in files: tables with a row per model and item, logs (whose columns are known), and files of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from howsure.data.logs.scores import FILE, SCORES, SEPARATE, columns_of_log, scores_of_log
from howsure.data.sources import Files
from howsure.errors import LIST_COLUMNS, InputError, parameter
from howsure.inputs.frames import MODEL, PROMPT, RUN, TASK, Kind, Rows
from howsure.inputs.long_form import advising_pos_label
from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.source_names import source_names
from howsure.notes import marked_note
from howsure.significance.metrics.metric import DOCUMENT

if TYPE_CHECKING:
    from howsure.data.logs.conversion import Log

# A row for each model, item and run.


def rows_of_models(
    source: Files,
    names: dict[str, list[str]],
    notes: list[str],
    *,
    pos_label: Any,
    kinds: Mapping[str, Kind],
    against: str | None,
) -> Rows:
    """Read the columns of files or of a log. For a log, the columns of model, item, run and scores are added to
    `names`.

    notes: a list to which notes on the added columns are appended. kinds: how columns of answers are read. against: the
    name of the baseline.
    """
    model, item, run, clusters = (
        names[role][0] if names[role] else None for role in ("model", "id", "run", "clusters")
    )
    apart = {}
    if source.across_files == SEPARATE:
        if model is None or item is None:
            raise InputError(
                f"`across_files={SEPARATE!r}` needs the column of the models, `model`, and the column of the items, "
                "`id`."
            )
        item, clusters = f"{FILE},{item}", clusters and f"{FILE},{clusters}"
        names |= {"id": [item], "clusters": [clusters] if clusters else []}
        source, apart = replace(source, by_file=True, across_files="error"), {"across_files": SEPARATE}
    elif model is None:
        source = replace(source, by_file=True)
    score_columns, of_score = names["score"], Kind.SCORE if pos_label is None else Kind.NAMES
    coded = [
        column
        for column in (model or FILE, item, run, clusters, *names["strata"], *names["groups"])
        if column is not None
    ]
    kinds = {**kinds, **dict.fromkeys(coded, Kind.NAMES), **dict.fromkeys(score_columns, of_score)}
    cells = [column for column in (model or FILE, run, *names["groups"]) if column in kinds]
    choose = partial(
        _log_columns,
        scores=score_columns,
        include_scores=not score_columns and not names["prediction"],
        notes=notes,
        model=model,
    )
    with advising_pos_label(score_columns):
        rows = source.rows(
            kinds,
            clusters=item if model else None,
            run=model if item else None,
            id=item,
            cells=None if clusters or names["strata"] or apart else cells,
            choose=partial(choose, item=item, run=run),
            chosen_as=lambda role: of_score if role.startswith(SCORES) else Kind.NAMES,
        )
    model = model or rows.chosen.get(MODEL) or (FILE if len(rows.provenance["files"]) > 1 else None)
    item, run = item or rows.chosen.get("id"), run or rows.chosen.get("run")
    scores = score_columns or [column for role, column in rows.chosen.items() if role.startswith(SCORES)]
    if not scores and not names["prediction"]:
        raise nothing_to_compare("against", found_in=source)
    if model is None:
        raise InputError(_no_model_advice(scores, against))
    if item is None:
        raise unnamed("id")
    names |= {"model": [model], "id": [item], "run": [run] if run else [], "score": scores}
    if repeated := rows.chosen.get("clusters"):
        names["clusters"] = [repeated]
    return replace(rows, provenance=rows.provenance | apart)


def _no_model_advice(scores: Sequence[str], against: str | None) -> str:
    """Return advice for a file without a column of models, which may have a column of scores for each model."""
    advice = "`model` must name the column of the models, or give a FILE for each model."
    if against is None or not scores:
        return advice
    columns = f"`metrics='score'`, {parameter('against', against)} and {parameter('model', scores[0])}"
    return f"{advice} If {scores[0]} and {against} are the scores of two models, use {columns}."


def unnamed(role: str) -> InputError:
    """Return an error that asks for the column of models or items, without which rows cannot be distinguished."""
    what = "the model's column" if role == "model" else "the column that identifies the item of each row"
    return InputError(f"{parameter(role)} must name {what}.")


def nothing_to_compare(missing_role: str, *, found_in: object) -> InputError:
    """Return an error that asks for the columns to compare."""
    return InputError(
        f"{parameter(missing_role)} must name a column of predictions. In a table or log with one row per model and "
        "item, name the `score`, or `y_true` and `prediction`, and by `model` the model's "
        f"column.{LIST_COLUMNS if isinstance(found_in, Files) else ''}"
    )


def _log_columns(
    log: Log,
    *,
    scores: Sequence[str],
    include_scores: bool,
    notes: list[str],
    model: str | None,
    item: str | None,
    run: str | None,
) -> dict[str, str]:
    """Return the columns of a log for roles that the user did not name.

    These are the log's models, items and epochs and, with `include_scores`, its scores. If the log has a single model,
    the prompts or the files are compared.
    """
    for name in scores:
        if name not in log.filled_rows and not set(name) & set(".["):
            score_names = shortened(log.scores) if log.scores else "no score"
            raise InputError(f"no score {name!r} in this log of {log.format.program}; it has {score_names}.")
    by = (model or MODEL).split(",")
    models = [MODEL] if log.varies(MODEL) else []
    log.check_ways(by, advice=f"compare them, {parameter('model', ','.join([*models, RUN]))}")
    if by == [RUN] and models:
        several = shortened(map(repr, log.values[MODEL]))
        raise InputError(
            f"this log of {log.format.program} contains the answers of several models ({several}). Choose one, "
            f"{log.suggest_condition(MODEL)}, or compare them too, {parameter('model', f'{MODEL},{RUN}')}."
        )
    prompts = log.varies(PROMPT) and not log.varies(TASK) and PROMPT not in by and item is None
    if prompts and (models or model is not None):
        several = shortened(map(repr, log.values[PROMPT]))
        raise InputError(
            f"this log of {log.format.program} contains several prompts ({several}). Choose one, "
            f"{log.suggest_condition(PROMPT)}, or compare them too, {parameter('model', f'{MODEL},{PROMPT}')}."
        )
    named = model is None and MODEL in log.filled_rows and (models or log.files == 1 or log.varies(TASK))
    columns = {MODEL: PROMPT} if prompts and model is None else {MODEL: MODEL} if named else {}
    return columns | columns_of_log(log, item=item, run=run) | (_own_scores(log, notes) if include_scores else {})


def _own_scores(log: Log, notes: list[str]) -> dict[str, str]:
    """Return the scores of a log that most rows have, by role. Notes name these scores and the other scores."""
    rows_by_score = {name: log.filled_rows.get(name, 0) for name in scores_of_log(log)}
    chosen = [name for name, rows in rows_by_score.items() if rows == max(rows_by_score.values())]
    if len(chosen) > 1:
        named = parameter("score", chosen[0])
        notes.append(
            marked_note(
                f"this log has the scores {', '.join(chosen)}, and all are compared. To compare only one, use {named}."
            )
        )
    fewer = [f"{name} ({rows:,} of {log.rows:,} rows)" for name, rows in rows_by_score.items() if name not in chosen]
    if fewer:
        notes.append(f"not compared, since other scores have more rows: {', '.join(fewer)}.")
    return {f"{SCORES}{name}": name for name in chosen}


# Files of labels, as in the paper: one with the true labels and one for each model; or files of documents.


def no_input_error() -> InputError:
    """Error if there are neither columns nor files of labels."""
    targets, against, model = (parameter(role) for role in ("targets", "against", "model"))
    return InputError(
        f"name a FILE and its columns; or name files of labels: {targets} for the true labels, {against} and {model} "
        "for predictions."
    )


def systems_of_files(
    targets: str,
    against: object,
    model: object,
    *,
    tasks: set[str],
    others: Mapping[str, object],
    column: int | None = None,
) -> tuple[dict[str, Any], Rows]:
    """The true values and the predictions of the baseline and of the models, each in a file without columns, and a
    description of the input. For metrics of documents, the documents of sentences are clusters.
    """
    from howsure.data.documents.read_documents import document_items, prediction_items
    from howsure.significance.boostsa.storage import read_labels

    wrong = [role for role, value in others.items() if value is not None]
    if wrong:
        raise InputError(f"{parameter(wrong[0])} is for columns: name a FILE that contains them.")
    models = [model] if isinstance(model, str) else list(model) if isinstance(model, (list, tuple)) else []
    if not isinstance(against, str) or not models or not all(isinstance(name, str) for name in models):
        raise no_input_error()
    files = [against, *models]
    if len(set(files)) < len(files):
        twice = next(name for name in files if files.count(name) > 1)
        raise InputError(f"`against` and `model` must name different files; {twice} is named twice.")
    clusters, read_as = None, dict[str, str]()
    if tasks == {DOCUMENT}:
        gold = document_items(targets, column=column)
        true, clusters = gold.items, gold.documents
        predictions = [prediction_items(path, gold, column=column) for path in files]
        read_as = {} if gold.columns is None else {"read_as": gold.columns}
    else:
        true, *predictions = (read_labels(path) for path in (targets, *files))
    other, *names = source_names(files)
    systems = {"against": {other: predictions[0]}, "model": dict(zip(names, predictions[1:], strict=True))}
    return {"y_true": true, **systems, "clusters": clusters}, Rows(
        {}, {"files": [targets, *files], **read_as, "rows": len(true), "skipped": {}}
    )
