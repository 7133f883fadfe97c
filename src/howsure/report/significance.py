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

STUDENT = "The interval is Student's t of the mean of these differences, item by item{clusters}"
BOOTSTRAP = (
    "The interval is the {interval} bootstrap's, from test sets resampled, with replacement, from the given {resampled}"
)
TESTS = {
    "student": "It is Student's t of the mean of the differences, item by item{clusters}: nothing is drawn at random.",
    "permutation": "A coin flip decides for each of the {resampled} which system is which; where the outcomes are few, "
    "all are counted and p is exact.",
    "bootstrap": "It is the share of test sets, resampled with replacement from the given {resampled}, whose "
    "difference lies at least as far from the one found as this lies from 0.",
    "mcnemar": "Only the items count that one of the two has right and the other wrong: of equally good systems, each "
    "is as likely the right one (McNemar, mid-p).",
    "boostsa": "It is BooStSa's: the share of sub-samples of the {resampled} whose difference exceeds twice the one "
    "found. It is no probability that equally good systems would differ so, and detects little.",
}
SIDES = {
    "two-sided": "differ at least as much",
    "better": "differ at least as much in favour of the model",
    "worse": "differ at least as much against the model",
}


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
        terms=terms(result.recipe),
        table=Markup((result.means.table().html() if result.means else "") + result.table().html()),
        picture=Markup(difference_svg(result)),
        caption=CAPTION,
        recipe=recipe_rows(recipe),
        command=command,
    )


def terms(recipe: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the columns of the table mean, by what was done to obtain them."""
    held = {
        "interval": {"bca": "BCa"}.get(str(recipe["interval"]), recipe["interval"]),
        "resampled": recipe["resampled"],
        "clusters": "" if recipe["clusters"] is None else ", added up by cluster",
    }
    interval = recipe["interval"]
    told = "The model's value minus the baseline's."
    if interval is not None:
        how_wide = STUDENT if interval == "student" else BOOTSTRAP
        told += f" {how_wide.format(**held)}: it contains the differences compatible with these data."
    test = TESTS[recipe["method"]].format(**held)
    p = f"The probability that two equally good systems would {SIDES[recipe['alternative']]}. {test}"
    found = [
        ("Difference" if interval is None else "Difference and interval", told),
        ("p", test if recipe["method"] == "boostsa" else p),
    ]
    if recipe["adjust"] is not None:
        found.append(
            (
                "Adjusted p",
                "p adjusted for all comparisons: with many models and metrics, some would look better by chance. "
                "** up to .01, * up to .05.",
            )
        )
    return found
