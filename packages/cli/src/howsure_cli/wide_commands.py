"""Tables in which each model has a column that says whether it is right, or each rater one of codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import digits

from howsure.data.column_roles import REPEATED, TEXTS, TWO, UNIQUE, SeenColumn
from howsure.data.object_rows import COLUMN, VALUE
from howsure_cli.alike_columns import Values, agree
from howsure_cli.column_words import (
    CORRECT,
    GROUPS,
    JUDGE,
    LABELS,
    MODEL_NAMES,
    MODELS,
    PEOPLE,
    PREDICTIONS,
    RATERS,
    RIGHT,
    SCORES,
    VERDICTS,
    column_list,
    is_yes_or_no,
    last_words,
    positive_option,
    words_in,
)
from howsure_cli.typed_commands import Proposal, TypedFiles, models_against_first

GRADED = words_in("annotations annotators raters judges coders ratings grades")  # objects with a key for each rater
MAX_CODERS = 5  # more numbered columns are features


def propose_marks(
    values: Values, typed: TypedFiles, item: SeenColumn | None, *, may_explode: bool
) -> Iterator[Proposal]:
    """The mean of each model, and the differences between models, if several columns say whether a model is right on
    the same items."""
    marks = _marks_named_alike([*values]) or _only_marks(values)
    if len(marks) < 2:
        return
    positive = positive_option(marks[0]) or {}
    skip_missing = any(column.missing for column in marks)
    if may_explode and "," not in "".join(column.name for column in marks):
        is_item = item is not None and item not in marks and item.kind in (UNIQUE, TEXTS)
        names = {"model": COLUMN, "id": item.name if item is not None and is_item else None}
        rows = {"explode": column_list(marks), "score": VALUE, **positive}
        yield typed.command("score", **rows, **names, skip_missing=skip_missing)
    if not positive:
        yield typed.command("significance", metric="score", **models_against_first(marks), skip_missing=skip_missing)


def _is_mark(column: SeenColumn) -> bool:
    """Whether it has two values, one of which says that an answer is right."""
    positive = positive_option(column) if column.kind == TWO else None
    is_right = positive is not None and (not positive or positive["positive"].casefold() in RIGHT)
    return is_right and not column.words & (RATERS | JUDGE | PEOPLE)


def _marks_named_alike(columns: Sequence[SeenColumn]) -> list[SeenColumn]:
    """Columns such as gpt_correct and llama_correct, or correct_gpt and correct_llama, of different models."""
    if any(last_words(column) & MODELS and not is_yes_or_no(column) for column in columns):
        return []
    by_word: dict[tuple[bool, str], list[SeenColumn]] = {}
    for column in filter(_is_mark, columns):
        parts = [part for part in re.split(r"[\W_]+", column.name.lower()) if part]
        for at_end in (False, True):
            if len(parts) > 1 and parts[-at_end] in CORRECT:
                by_word.setdefault((at_end, parts[-at_end]), []).append(column)
    return max(by_word.values(), key=len, default=[])


def _only_marks(values: Values) -> list[SeenColumn]:
    """Columns that say whether a model is right, if all other columns name items.

    Columns of yes and no may be different features of the items, unless they are named for models or agree.
    """
    columns = [*values]
    others_named = LABELS - {"y"} | SCORES | PREDICTIONS | GROUPS
    marks = [column for column in columns if _is_mark(column) and not column.words & others_named]
    others = [column for column in columns if column not in marks]
    alike = [column for column in marks if column.held == marks[0].held]
    is_numbered = len({column.name.rstrip(digits) for column in marks}) == 1 and not any(
        c.words & MODELS for c in marks
    )
    if is_numbered and len(marks) > MAX_CODERS:
        return []
    are_of_items = all(c.kind in (UNIQUE, REPEATED, TEXTS) or c.words & (GROUPS - MODELS) for c in others)
    is_clear = all(
        mark.words & MODEL_NAMES
        or (positive_option(mark) or {}).get("positive", "").casefold() in CORRECT
        or any(agree(values[mark], values[other]) for other in marks if other is not mark)
        for mark in marks
    )
    return alike if are_of_items and is_clear and alike == marks else []


def columns_by_object(columns: Sequence[SeenColumn]) -> list[list[SeenColumn]]:
    """Return lists of columns whose names differ only in the name of an object, such as ann.grade and bob.grade, or
    labels.ann.grade and labels.bob.grade."""
    alike: dict[tuple[str, ...], list[SeenColumn]] = {}
    for column in columns:
        first, *others = column.name.split(".")
        if others:
            alike.setdefault((".".join(others),), []).append(column)
        if len(others) == 2:
            alike.setdefault((first, others[1]), []).append(column)
    return list(alike.values())


def are_of_raters(columns: Sequence[SeenColumn]) -> bool:
    """Whether the names of such objects, or of what is in them, are those of raters and verdicts."""
    heads = words_in(" ".join(re.sub(r"[^a-z]", " ", column.name.partition(".")[0].lower()) for column in columns))
    return bool(heads & (RATERS | JUDGE | GRADED)) or any(column.words & (VERDICTS - LABELS) for column in columns)
