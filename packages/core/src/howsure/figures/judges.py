"""Figures on judges: mean grades by judge, by humans and by both; validation; biases; influence of prompts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from howsure.figures.marked_rows import Mark, draw_rows
from howsure.figures.style import INK, QUIET, look

if TYPE_CHECKING:
    from howsure.judges.bias import JudgeBias
    from howsure.judges.prompts import PromptSensitivity
    from howsure.judges.results import JudgedScores
    from howsure.judges.validation import JudgeValidation

BESIDE = 0.22  # distance between two marks of a row, as a proportion of its height


def draw_judged(result: JudgedScores, *, ax: Axes | None = None) -> Axes:
    """Draw for each model the corrected mean and, below it, the mean of human grades, and the judge's as a cross."""
    marks = [
        Mark("corrected", lambda row: row.corrected, "o", look(0).colour, -BESIDE / 2),
        Mark("people alone", lambda row: row.people, "s", QUIET, BESIDE),
        Mark("judge", lambda row: row.judge, "x", INK, -BESIDE / 2, bare=True),
    ]
    return draw_rows(
        result.rows, marks, name=lambda row: row.model or "all answers", of="models", label="mean grade", ax=ax
    )


def draw_biases(result: JudgeBias, *, ax: Axes | None = None) -> Axes:
    """Draw the change of a grade due to each bias, with its interval; the line is at 0."""
    rows = [row for row in result.rows if not row.bias.endswith(": changes")]
    mark = Mark("bias", lambda row: row.estimate, "o", look(0).colour, 0.0)
    label = "grade that the judge gives more"
    return draw_rows(rows, [mark], name=lambda row: row.bias, of="biases", label=label, ax=ax, line=0.0)


def draw_validation(result: JudgeValidation, *, ax: Axes | None = None) -> Axes:
    """Draw the rate of each label with its interval and its one-sided bound; the line is the required rate."""
    marks = [
        Mark("rate and interval", lambda row: row.rate, "o", look(0).colour, 0.0),
        Mark(
            "lower bound",
            lambda row: replace(row.rate, value=math.nan if row.low is None else row.low),
            "|",
            INK,
            0.0,
            bare=True,
        ),
    ]
    return draw_rows(
        result.rows[::-1],
        marks,
        name=lambda row: f"{result.rate_name(row.label)}: {row.verdict}",
        of="labels",
        label=f"agreement (line: required {result.recipe['min_rate']:g})",
        ax=ax,
        line=float(str(result.recipe["min_rate"])),
    )


def draw_prompts(result: PromptSensitivity, *, ax: Axes | None = None) -> Axes:
    """Draw the mean over the population of prompts, the mean over these prompts, and the mean of each prompt."""
    over = [("all prompts such as these", result.mean), ("these prompts alone", result.given)]
    mark = Mark("mean", lambda row: row[1], "o", look(0).colour, 0.0)
    rows = [*over, *result.prompts.items()]
    return draw_rows(rows, [mark], name=lambda row: row[0], of="means", label="mean grade", ax=ax)
