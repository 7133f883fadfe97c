"""The report of estimated counts: the answer in a sentence, then figure, table, checks and recipe."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from howsure.counts.results import CountEstimate, CountEstimates
from howsure.figures.counts import count_svg, is_drawn
from howsure.report.pages import page_template
from howsure.show.numbers import number
from howsure.show.recipe import recipe_rows

CAPTION = "Estimates with their intervals: one position per value of the last column, one colour per domain."


def counts_report(
    counts: CountEstimates,
    *,
    read: Mapping[str, Any] | None = None,
    share: bool = False,
    title: str = "How many, and how certain is that?",
    command: str | None = None,
) -> str:
    """Everything about estimated counts as one HTML page that needs no network and runs no script.

    `read` says what was read, for the recipe, `command` what was typed. With `share`, shares of the units instead of
    counts.
    """
    total = counts.total
    recipe = {**(read or {}), **counts.recipe}
    return page_template("counts.html").render(
        title=title,
        subtitle=f"{total.n:,} units, {total.labelled:,} of them labelled",
        answer=answer(total, share=share),
        picture=Markup(count_svg(counts, description=CAPTION, share=share)) if is_drawn(counts) else None,
        caption=CAPTION,
        table=Markup(replace(counts.table(share=share), notes=()).html()),
        checks=counts.diagnostics.sentences(),
        notes=counts.notes,
        recipe=recipe_rows(recipe),
        command=command,
    )


def answer(total: CountEstimate, *, share: bool = False) -> str:
    """The total in a sentence."""
    level = f"{100 * total.level:g} %"
    if math.isnan(total.estimate):
        return f"The labels do not tell how many of the {total.n:,} units are positive."
    if share:
        ends = [number(one / total.n, 3) for one in (total.low, total.high)]
        return (
            f"A share of {number(total.share, 3)} of the units is positive ({level} interval: {ends[0]} to {ends[1]})."
        )
    return (
        f"About {number(total.estimate, 0)} of {total.n:,} units are positive "
        f"({level} interval: {number(total.low, 0)} to {number(total.high, 0)})."
    )
