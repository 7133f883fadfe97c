"""Find a column of models that no parameter names, because the rows of several models would be evaluated together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from howsure.errors import parameter
from howsure.inputs.checks import is_missing
from howsure.inputs.frames import Source, columns_from, frame_names, is_frame
from howsure.notes import marked_note

MODEL_COLUMNS = ("model", "model_name", "model_id", "system", "system_name", "system_id", "llm", "agent")
REMEDIES = {"where": "For one of them", "covariates": "To compare equal models", "features": "To find groups of each"}
MAX_MODELS, LONGEST_NAME = 200, 100  # with more values, or longer strings, a column does not contain models


def model_columns(columns: Sequence[str], with_role: Collection[str]) -> list[str]:
    """Return the columns that name models; [] if one of the columns with a role names models.

    >>> model_columns(["Model", "score"], ["score"]), model_columns(["model", "agent"], ["agent"])
    (['Model'], [])
    """
    used = {name for column in with_role for name in [column, *column.split(",")]}
    named = [name for name in columns if name.casefold() in MODEL_COLUMNS]
    return [] if used & {*named} else named


def note_on_models(column: str, n_models: int, longest: int, role: str) -> tuple[str, ...]:
    """Return a note that rows of several models are evaluated together; () unless the column has several models.

    role: the parameter that separates models; "where" or "covariates" if a function has no result for each model.
    """
    if not 1 < n_models <= MAX_MODELS or longest > LONGEST_NAME:
        return ()
    value = f"{column} = 'NAME'" if role == "where" else column
    remedy = f"{REMEDIES.get(role, 'For a result of each')}: {parameter(role, value)}."
    return (marked_note(f"{column} has {n_models} values, and their rows are evaluated together. {remedy}"),)


def note_on_models_of_frame(frame: Any, role: str, with_role: Sequence[Any]) -> tuple[str, ...]:
    """Return `note_on_models` for a data frame; () for arrays and files. Items of `with_role` may be column names.

    >>> import pandas
    >>> note_on_models_of_frame(pandas.DataFrame({"model": ["a", "b"], "score": [0, 1]}), "model", ["score"])
    ("model has 2 values, and their rows are evaluated together. For a result of each: model='model'.",)
    """
    if isinstance(frame, Source) or not is_frame(frame):
        return ()
    names = model_columns(frame_names(frame), [name for name in with_role if isinstance(name, str)])
    for name in names:
        values = {str(value) for value in columns_from(frame, [name])[0].tolist() if not is_missing(value)}
        if note := note_on_models(name, len(values), max(map(len, values), default=0), role):
            return note
    return ()
