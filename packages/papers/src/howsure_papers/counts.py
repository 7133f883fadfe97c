"""Coverage of counts that are corrected with a few hundred labels; not in the papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from howsure.files.input_files import Scratch
from howsure.show.table import COUNT, Column, digits
from howsure_papers.corpora.labelled import QUESTION_SETS, read_graded
from howsure_papers.incidents import LEAST_MEAN, steps_of_incidents, try_incidents
from howsure_papers.police import steps_of_police, try_police
from howsure_papers.reproduction import (
    NAME,
    TEXT,
    Advance,
    ExperimentResult,
    Finding,
    experiment,
    ignore_progress,
    numbers,
)
from howsure_papers.stores import Parts, Setting, check_parts, run_parts
from howsure_papers.trials import (
    Population,
    Row,
    Tally,
    against_labels,
    coverage_text,
    merge_tallies,
    over_settings,
    sample_numbers,
    trial,
)

TITLE = "Counts from scores and a few hundred labels: how often their intervals contain the truth"
SAMPLES = 50
GRADES = 100
SIMULATED_LABELS, MANY_LABELS = 200, 400
TWO = ("auto", "labels")  # the two methods that are compared
MIN_DRIFT_COVERAGE = 0.9  # required coverage if drift is extreme
KINDS = {
    "calibrated": "the score is calibrated",
    "misses": "overconfident, 30 % missed",
    "drift": "the same, drift by period (sd 0.6)",
    "rare": "rare, with drift",
    "useless": "the score is useless",
    "break": "85 % missed in 3 of 12 periods",
}
CELLS, UNITS = 12, 2_400
MONTHS, DOCUMENTS = 24, 20_000
DRIFTS = (0.0, 0.5, 1.0)  # standard deviations of drift over months, in logits


def _llms(setting: Setting) -> ExperimentResult:
    some = sample_numbers(setting.samples)["some"]
    rows = []
    for graded in read_graded(setting.data, limit=setting.limit):
        answers = len(graded.correct)
        tried_methods = trial(
            setting, Population(graded.confidence, graded.correct, {}), min(GRADES, answers // 2), TWO, samples=some
        )
        for tried in tried_methods.values():
            tried.total.width = [width / answers for width in tried.total.width]
        rows.append(Row((graded.model, graded.questions), tried_methods))
    sets = {name: [row for row in rows if row.name[1] == name] for name in dict.fromkeys(row.name[1] for row in rows)}

    def of(name: str, method: str) -> Tally:
        return merge_tallies(row.tallies[method].total for row in sets[name])

    table = numbers(
        "llm_mcq_confidence: 95 % intervals of a model's accuracy from its confidence and 100 grades",
        sets,
        Column("questions", NAME, get=lambda name: name),
        Column("models", COUNT, get=lambda name: len(sets[name])),
        Column("intervals", COUNT, get=lambda name: len(of(name, "auto").covered)),
        *against_labels(of, width="width in points", points=100),
    )
    note = "llm_mcq_confidence: the first phrasing of each question; an answer that cannot be parsed is wrong."
    return ExperimentResult(findings=graded_findings(rows), tables=[table], notes=[note])


def graded_findings(rows: Sequence[Row]) -> list[Finding]:
    """The findings over all models, data sets and samples."""
    where = "accuracy of language models, 100 grades"
    auto, alone = (merge_tallies(row.tallies[method].total for row in rows) for method in TWO)
    ratio = auto.mean_width / alone.mean_width
    narrower = f"{ratio:.2f} times as wide ({100 * auto.mean_width:.1f} against {100 * alone.mean_width:.1f} points)"
    claim = "confidence makes these intervals narrower than grades alone do"
    return [
        over_settings("the accuracy contain it", [(row.name, row.tallies["auto"].total) for row in rows], where),
        Finding("", claim, narrower, bool(ratio < 1.0), where),
    ]


def _simulated(setting: Setting) -> ExperimentResult:
    share, rows = sample_numbers(setting.samples), []
    drawn: list[tuple[str, int, int, Callable[[np.random.Generator], Population]]] = [
        (words, SIMULATED_LABELS, share["decisive"], partial(population, kind)) for kind, words in KINDS.items()
    ]
    drawn += [(drift_name(drift), MANY_LABELS, share["few"], partial(many_months, drift)) for drift in DRIFTS]
    for name, n, samples, draw in drawn:
        rows.append(Row((name, str(n)), trial(setting, draw, n, ("auto", "labels", "raw"), samples=samples)))
    table = numbers(
        "Simulated: 95 % intervals of the counts of cells, labels drawn within strata of the score",
        rows,
        Column("population", NAME, get=lambda row: row.name[0]),
        Column("labels", TEXT, get=lambda row: row.name[1]),
        Column("scores alone", digits(2), get=lambda row: row.tallies["raw"].cells.coverage),
        *against_labels(lambda row, method: row.tallies[method].cells),
        Column("total", digits(2), get=lambda row: row.tallies["auto"].total.coverage),
    )
    note = (
        f"Simulated: {UNITS:,} units in {CELLS} cells, and {DOCUMENTS:,} documents in {MONTHS} months of which 2 to 3 "
        "% are positive; a new population for each sample."
    )
    return ExperimentResult(findings=simulated_findings(rows, drift_name(DRIFTS[-1])), tables=[table], notes=[note])


def simulated_findings(rows: Sequence[Row], extreme: str) -> list[Finding]:
    """Return the findings for each kind of population; for the population `extreme`, a coverage of 0.90 is enough."""
    findings = []
    for row in rows:
        cells, least = row.tallies["auto"].cells, MIN_DRIFT_COVERAGE if row.name[0] == extreme else LEAST_MEAN
        claim = f"intervals of cells contain the count in at least {least:.0%} of cases"
        ours = f"{coverage_text(cells)} of {len(cells.covered):,}"
        findings.append(Finding("", claim, ours, bool(cells.coverage >= least), f"simulated: {row.name[0]}"))
    return findings


def drift_name(drift: float) -> str:
    """The name of a population of many months.

    >>> drift_name(0.5)
    '24 months, 2 % positive, drift 0.5'
    """
    return f"{MONTHS} months, 2 % positive, drift {drift:g}"


def population(kind: str, rng: np.random.Generator, *, n: int = UNITS) -> Population:
    """Simulate scores, labels and cells of n units.

    kind: "calibrated" (scores are calibrated), "misses" (scores are overconfident, and 0 for 30 % of the units),
    "drift" (also, cells have different log odds of a positive label), "rare" (few labels are positive), "useless"
    (scores are random) or "break" (scores are 0 for most units of three cells).
    """
    cell = rng.integers(0, CELLS, n)
    log_odds = rng.normal(-1.5, 1.6, n) - (2.5 if kind == "rare" else 0.0)
    drift = rng.normal(0, 0.6, CELLS)[cell] if kind in ("drift", "rare") else 0.0
    probability = 1 / (1 + np.exp(-(log_odds + drift)))
    calibrated = 1 / (1 + np.exp(-log_odds))
    overconfident = np.where(rng.random(n) < 0.3, 0.0, 1 / (1 + np.exp(-2 * log_odds)))
    broken = np.where((cell < 3) & (rng.random(n) < 0.85), 0.0, calibrated)
    score = {"misses": overconfident, "drift": overconfident, "useless": rng.random(n), "break": broken}.get(
        kind, calibrated
    )
    return Population(score, (rng.random(n) < probability).astype(float), {"cell": cell})


def many_months(drift: float, rng: np.random.Generator, *, n: int = DOCUMENTS) -> Population:
    """Scores, labels and months of n documents, 2 to 3 % of them positive; scores are overconfident and miss 30 %."""
    month = rng.integers(0, MONTHS, n)
    x = rng.normal(0.0, 1.6, n)
    level = rng.normal(0.0, 1.0, MONTHS)[month] * drift
    p = 1 / (1 + np.exp(-(1.5 * x - 6.0 + level)))
    score = np.where(rng.random(n) < 0.3, 0.0, 1 / (1 + np.exp(-(2.0 * x - 4.0))))
    return Population(score, (rng.random(n) < p).astype(float), {"cell": month})


PARTS: Parts = {"muc4": try_incidents, "police": try_police, "llms": _llms, "simulated": _simulated}


def steps_of_counts(only: Sequence[str] = tuple(PARTS), samples: int = SAMPLES) -> int:
    """The total number of samples that are drawn."""
    share = sample_numbers(samples)
    steps = {
        "muc4": steps_of_incidents(samples),
        "police": steps_of_police(samples),
        "llms": 14 * len(QUESTION_SETS) * share["some"],
        "simulated": len(KINDS) * share["decisive"] + len(DRIFTS) * share["few"],
    }
    return sum(steps[name] for name in only)


@experiment(TITLE, steps=steps_of_counts)
def reproduce_counts(
    *,
    data: str | None = None,
    only: Sequence[str] = tuple(PARTS),
    samples: int = SAMPLES,
    stores: str | None = None,
    parser: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    advance: Advance = ignore_progress,
) -> ExperimentResult:
    """Draw labels from fully labelled data, estimate counts, and compare them with the true counts.

    "muc4": incidents by country and quarter; "police": acts of the police by week and day; "llms": the accuracy of
    language models; "simulated": populations in which scores mislead. samples: the number of samples for decisive
    settings; other settings get fewer (`sample_numbers`). stores: a folder that keeps the events stores; existing ones
    are continued or reused. parser, limit, workers, advance: as for `reproduce_events`.
    """
    check_parts(only, PARTS, "counts")
    with Scratch() as scratch:
        folder = Path(stores) if stores is not None else scratch.folder
        folder.mkdir(parents=True, exist_ok=True)
        setting = Setting(
            data=data,
            parser=parser,
            limit=limit,
            samples=samples,
            seed=seed,
            workers=workers,
            folder=folder,
            advance=advance,
        )
        result = run_parts(only, PARTS, setting)
    recipe = {"experiments": ", ".join(only), "samples": samples, "limit": limit or "none", "seed": seed}
    return replace(result, recipe=recipe)
