"""The report of a comparison: words first, then the table, the figure and the recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from howsure.figures.significance import CAPTION, difference_svg
from howsure.report.pages import page_template
from howsure.show.recipe import recipe_rows
from howsure.significance.results import Comparison
from howsure.significance.verdict import how, verdicts


def significance_report(
    result: Comparison,
    *,
    read: Mapping[str, Any] | None = None,
    title: str = "Is the model really better?",
    command: str | None = None,
) -> str:
    """Everything about a comparison as one HTML page that needs no network and runs no script.

    `read` says what was read, for the recipe, `command` what was typed.
    """
    recipe = {**(read or {}), **result.recipe}
    return page_template("significance.html").render(
        title=title,
        subtitle=f"{result.recipe['n']:,} items, baseline {result[0].baseline}",
        verdicts=verdicts(result),
        how=how(result),
        table=Markup((result.means.table().html() if result.means else "") + result.table().html()),
        picture=Markup(difference_svg(result)),
        caption=CAPTION,
        recipe=recipe_rows(recipe),
        command=command,
    )
