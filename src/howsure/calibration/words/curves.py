"""Calibration curves as a short text, as a table, and their recipes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from howsure.calibration.scores.multiclass import MULTICLASS, base_rate_words, score_columns, score_words
from howsure.calibration.words.verdict import kind, verdict
from howsure.inputs.naming import shortened
from howsure.show.numbers import UNDEFINED, all_digits, number, p_in_words, p_text
from howsure.show.table import HIGHER, LOWER, Table
from howsure.stats.estimate import Estimate

if TYPE_CHECKING:
    from howsure.calibration.results import CalibrationCurve

WORDS = ("group", "miscalibration")
FIGURES = ("error", "low", "high", "Algorithm 1", "ECE")


def summary(curve: CalibrationCurve) -> str:
    """The figures of a curve as a short aligned text, with the verdict, the notes and the recipe."""
    rows = figures_in_words(curve)
    width = max(len(name) for name, _ in rows)
    head = "calibration curve" + (f" of {curve.name}" if curve.name is not None else "")
    return "\n".join(
        [head]
        + [f"  {name:<{width}}  {text}" for name, text in rows]
        + [f"  {verdict(curve)}"]
        + [f"  note: {note}" for note in curve.notes]
        + [f"  recipe: {recipe_line(curve)}"]
    )


def figures_in_words(curve: CalibrationCurve) -> list[tuple[str, str]]:
    """Name and text of each figure of a curve, as shown in a table about one curve."""
    bins = f"{len(curve.bins):,} bin" + ("s" if len(curve.bins) > 1 else "")
    return [
        ("error", with_method(curve.debiased_error)),
        ("calibrated?", p_in_words(curve.p_value) + _by_test(curve)),
        ("Algorithm 1", with_method(curve.error)),
        ("ECE", f"{curve.ece} (largest gap {curve.max_error})"),
        ("pairs", f"{curve.n:,} in {bins}"),
        (base_rate_words([curve]), f"{curve.base_rate:.4f}"),
        (score_words("brier", curve.reduction), str(curve.brier)),
        (score_words("log_loss", curve.reduction), str(curve.log_loss)),
        *_of_all_classes(curve),
    ]


def _of_all_classes(curve: CalibrationCurve) -> list[tuple[str, str]]:
    """The scores of the class probabilities, where these are known."""
    if curve.multiclass is None:
        return []
    brier, log_loss = curve.multiclass.brier, curve.multiclass.log_loss
    return [
        (score_words("brier", MULTICLASS), f"{number(brier)} (sum over the classes)"),
        (
            score_words("log_loss", MULTICLASS),
            number(log_loss) if math.isfinite(log_loss) else "infinite (a label had the probability 0)",
        ),
    ]


def _by_test(curve: CalibrationCurve) -> str:
    """The test behind the p-value, if the user named one."""
    return f" ({curve.recipe['test']} test)" if "test" in curve.recipe else ""


def with_method(estimate: Estimate) -> str:
    """A value with its interval and how both were computed."""
    if math.isnan(estimate.value) or estimate.low is None:
        return f"{estimate}"
    return f"{estimate} ({estimate.method}, {100 * estimate.level:g} % interval)"


def recipe_line(curve: CalibrationCurve) -> str:
    """The recipe in one line."""
    return ", ".join(f"{name}={value}" for name, value in curve.recipe.items())


def recipe_rows(curves: Sequence[CalibrationCurve]) -> list[tuple[str, str]]:
    """The recipes of the curves: each entry once, with numbers that differ between curves as a range."""
    keys = list(dict.fromkeys(key for curve in curves for key in curve.recipe))
    return [(key, _together([curve.recipe.get(key) for curve in curves])) for key in keys]


def _together(values: Sequence[object]) -> str:
    whole = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    if len(whole) == len(values):
        return " to ".join(dict.fromkeys((f"{min(whole):,}", f"{max(whole):,}")))
    distinct = dict.fromkeys(_yes_or_no(value) for value in values)
    return ("differs: " if len(distinct) > 1 else "") + shortened(distinct)


def _yes_or_no(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return UNDEFINED if value is None else str(value)


def curves_table(
    curves: Sequence[CalibrationCurve], p_values: Sequence[float], *, adjusted: str = "", exact: bool = False
) -> Table:
    """One row per curve. `adjusted` says how the p-values are; `exact`: all digits, and nothing for what is unknown."""
    shown, shown_p = (all_digits, all_digits) if exact else (number, p_text)
    scores, rate = score_columns(curves, each=exact), base_rate_words(curves)
    if exact:
        scores += [(f"ECE {end}", [getattr(curve.ece, end) for curve in curves]) for end in ("low", "high")]
    rows = []
    for i, (curve, p) in enumerate(zip(curves, p_values, strict=True)):
        e = curve.debiased_error
        figures = (curve.base_rate, e.value, e.low, e.high, curve.error.value, curve.ece.value)
        values = [shown(one) for one in (*figures, *(held[i] for _, held in scores))]
        rows.append([curve.name or "all", f"{curve.n}", *values, shown_p(p), kind(curve, p)])
    names = [name for name, _ in scores]
    lower = dict.fromkeys(("error", "Algorithm 1", "ECE", *names), LOWER)
    return Table(
        ("group", "n", rate, *FIGURES, *names, "p", "miscalibration"),
        rows,
        words=WORDS,
        title=f"Calibration of {len(curves):,} groups" if len(curves) > 1 else "Calibration",
        better=lower | ({"accuracy": HIGHER} if rate == "accuracy" else {}),
        bold=any(curve.reduction != "class-wise" for curve in curves),
        legend=_legend(curves[0], adjusted),
    )


def _legend(curve: CalibrationCurve, adjusted: str) -> dict[str, str]:
    """What the headings mean."""
    level = f"{100 * curve.debiased_error.level:g} %"
    return {
        "error": "root mean squared gap between probabilities and frequencies, corrected for noise",
        "low": f"from here to high, the {level} interval of the error",
        "Algorithm 1": "the same gap with its noise",
        "ECE": "mean absolute gap of the bins",
        f"{MULTICLASS} Brier": "sum over the classes",
        "p": f"of calibrated predictions{f', {adjusted}' if adjusted else ''}",
    }
