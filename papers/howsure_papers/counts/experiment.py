"""Beyond the papers: do counts hold that a few hundred labels correct?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from howsure import __version__
from howsure.events.extraction.extract_events import usable_processors
from howsure.events.lexicon import Lexicon
from howsure.files.whole import Scratch
from howsure.inputs.naming import unknown_name
from howsure_papers.counts import graded, incidents, picture, results, simulated
from howsure_papers.counts.police_trials import steps_of_police, try_police
from howsure_papers.counts.results import Row
from howsure_papers.counts.setting import Part, Setting, as_many, shares_of
from howsure_papers.counts.trials import Population, Tried, one_sample
from howsure_papers.reproduction import Advance, Reproduction, nobody

if TYPE_CHECKING:
    pass

EXPERIMENTS = ("muc4", "police", "llms", "simulated")
SAMPLES = 50
TITLE = "Counts from scores and a few hundred labels: how often their intervals contain the truth"
QUESTIONS = {"by": "an attack by people of the country", "at": "an attack in the country"}
MUC_LABELS = (100, 200, 400)
DECIDES = 200  # labels, of MUC_LABELS
GRADES = 100
SIMULATED_LABELS, MANY_LABELS = 200, 400
METHODS = ("auto", "exact", "difference", "labels", "raw")
Draw = Callable[[np.random.Generator], simulated.Drawn]


def reproduce_counts(
    *,
    data: str | None = None,
    only: Sequence[str] = EXPERIMENTS,
    samples: int = SAMPLES,
    stores: str | None = None,
    parser: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    advance: Advance = nobody,
) -> Reproduction:
    """Draw labels from data that are labelled throughout, estimate counts, and compare them with the true ones.

    "muc4": incidents by country and quarter; "police": acts of the police by week and day; "llms": the accuracy of
    language models; "simulated": populations in which scores mislead. samples: how many samples of the decisive
    settings are drawn; of the others fewer (`shares_of`). stores: a folder that keeps the events stores, where those
    that are there go on or are used again. parser, limit, workers, advance: as for `reproduce_events`; there are
    `steps_of_counts(only, samples)` steps.

    Raises InputError for an unknown experiment, data or a pipeline that is missing; MissingExtraError without the
    extras `events`, `spacy` and `classifiers`.
    """
    for name in only:
        if name not in EXPERIMENTS:
            raise unknown_name("experiment", name, EXPERIMENTS, place="howsure reproduce counts")
    with Scratch() as scratch:
        folder = Path(stores) if stores is not None else scratch.folder
        folder.mkdir(parents=True, exist_ok=True)
        setting = Setting(
            data=data, parser=parser, limit=limit, samples=samples, seed=seed, workers=workers or usable_processors(),
            folder=folder, advance=advance,
        )  # fmt: skip
        parts = [RUNS[name](setting) for name in only]
        drawings = {name: draw for part in parts for name, draw in part.drawings.items()}
    recipe = {
        "howsure": __version__, "experiments": ", ".join(only), "samples": samples, "limit": limit or "none",
        "seed": seed,
    }  # fmt: skip
    return Reproduction(
        "counts",
        TITLE,
        tuple(finding for part in parts for finding in part.findings),
        tuple(table for part in parts for table in part.tables),
        recipe,
        lambda: {name: draw() for name, draw in drawings.items()},
        tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        {name: caption for part in parts for name, caption in part.captions.items()},
    )


def steps_of_counts(only: Sequence[str] = EXPERIMENTS, samples: int = SAMPLES) -> int:
    """How many samples are drawn in all."""
    share = shares_of(samples)
    steps = {
        "muc4": len(QUESTIONS) * (share["decisive"] + 2 * share["half"]),
        "police": steps_of_police(samples),
        "llms": 14 * len(graded.SETS) * share["some"],
        "simulated": len(simulated.KINDS) * share["decisive"] + len(simulated.DRIFTS) * share["few"],
    }
    return sum(steps[name] for name in only)


def _muc4(setting: Setting) -> Part:
    lexicon = Lexicon.countries()
    items = incidents.read_reports(setting.data, lexicon, limit=setting.limit)
    path = setting.folder / "muc4.duckdb"
    incidents.store_reports(
        items, path, parser=setting.pipeline(), lexicon=lexicon, seed=setting.seed, workers=setting.workers
    )
    held = incidents.incidents_of(items, path)
    share, rows = shares_of(setting.samples), []
    for question, words in QUESTIONS.items():
        population = incidents.population_of(held, question)
        for n in as_many(MUC_LABELS, len(items)):
            samples = share["decisive"] if n == DECIDES else share["half"]
            rows.append(Row((words, str(n)), setting.trial(population, n, METHODS, samples=samples)))
    drawn = picture.attacks_by_month(held, min(picture.LABELS, len(items) // 2), seed=setting.seed)
    return Part(
        results.incidents_findings(rows, str(DECIDES)),
        [results.incidents_table(rows)],
        {"bands": partial(picture.bands_figure, drawn)},
        {"bands": picture.CAPTION},
        [
            f"muc4: {len(items):,} reports of six quarters, {len(held.score):,} pairs of a report and one of "
            f"{len(incidents.ACTORS)} countries. Scores are the event probabilities of the rule 'violence, nouns', "
            "with the features of howsure events (mentions, event words, position). Whole reports are drawn, within "
            "strata of quarter and of what the rule finds: an event, an event word, neither.",
        ],
    )


def _llms(setting: Setting) -> Part:
    some = shares_of(setting.samples)["some"]
    rows = []
    for one in graded.read_graded(setting.data, limit=setting.limit):
        population = Population(one.confidence, one.correct, {})
        n = min(GRADES, len(one.correct) // 2)
        found = setting.trial(population, n, ("auto", "labels"), samples=some)
        for tried in found.values():
            tried.total.width = [width / len(one.correct) for width in tried.total.width]
        rows.append(Row((one.model, one.questions), found))
    return Part(
        results.graded_findings(rows),
        [results.graded_table(rows)],
        notes=["llm_mcq_confidence: the first phrasing of each question; an answer that cannot be parsed is wrong."],
    )


def _simulated(setting: Setting) -> Part:
    share = shares_of(setting.samples)
    drawn: list[tuple[str, int, int, Draw]] = [
        (words, SIMULATED_LABELS, share["decisive"], partial(simulated.population, kind))
        for kind, words in simulated.KINDS.items()
    ]
    drawn += [
        (many_name(drift), MANY_LABELS, share["few"], partial(simulated.many_months, drift))
        for drift in simulated.DRIFTS
    ]
    rows = [Row((name, str(n)), _drawn(setting, draw, n, samples)) for name, n, samples, draw in drawn]
    return Part(
        results.simulated_findings(rows, many_name(simulated.DRIFTS[-1])),
        [results.simulated_table(rows)],
        notes=[
            f"Simulated: {simulated.UNITS:,} units in {simulated.CELLS} cells, and {simulated.DOCUMENTS:,} documents "
            f"in {simulated.MONTHS} months of which 2 to 3 % are positive; a new population for each sample.",
        ],
    )


def _drawn(setting: Setting, draw: Draw, n: int, samples: int) -> Mapping[str, Tried]:
    found = {method: Tried() for method in ("auto", "labels", "raw")}
    for sample in range(samples):
        score, labels, cell = draw(np.random.default_rng([setting.seed, sample]))
        one_sample(
            Population(score, labels, {"cell": cell}), n, found, design="stratified", sample=sample, seed=setting.seed
        )
        setting.advance(1)
    return found


def many_name(drift: float) -> str:
    """What a population of many months is called.

    >>> many_name(0.5)
    '24 months, 2 % positive, drift 0.5'
    """
    return f"{simulated.MONTHS} months, 2 % positive, drift {drift:g}"


RUNS: Mapping[str, Callable[[Setting], Part]] = {
    "muc4": _muc4, "police": try_police, "llms": _llms, "simulated": _simulated,
}  # fmt: skip
