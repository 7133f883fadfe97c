"""Beyond the papers: do counts hold that a few hundred labels correct?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from howsure import __version__
from howsure.counts.learned_score import word_weights
from howsure.errors import InputError
from howsure.events.actors.lexicon import Lexicon
from howsure.events.extraction.extract_events import usable_processors
from howsure.files.scratch import Scratch
from howsure.inputs.naming import unknown_name
from howsure.reproductions.coreference.corpora import parser_beside
from howsure.reproductions.counts import graded, incidents, picture, police, results, simulated
from howsure.reproductions.counts.results import Row
from howsure.reproductions.counts.trials import Population, Tried, one_sample
from howsure.reproductions.reproduction import Advance, Finding, Reproduction, nobody
from howsure.show.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXPERIMENTS = ("muc4", "police", "llms", "simulated")
SAMPLES = 50
TITLE = "Counts from scores and a few hundred labels: how often their intervals contain the truth"
QUESTIONS = {"by": "an attack by people of the country", "at": "an attack in the country"}
MUC_LABELS = (100, 200, 400)
DECIDES = 200  # labels, of MUC_LABELS
POLICE_LABELS = (50, 100, 200, 400)
DESIGNS = ("stratified", "simple", "importance")
GRADES = 100
SIMULATED_LABELS, MANY_LABELS = 200, 400
METHODS = ("auto", "exact", "difference", "labels", "raw")
Draw = Callable[[np.random.Generator], simulated.Drawn]


@dataclass(slots=True)
class Part:
    """What one experiment found."""

    findings: list[Finding] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    drawings: dict[str, Callable[[], Figure]] = field(default_factory=dict)
    captions: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all experiments share. `folder` keeps the stores; `advance` is told of samples."""

    data: str | None
    parser: str | None
    limit: int | None
    samples: int
    seed: int
    workers: int
    folder: Path
    advance: Advance

    def trial(
        self, population: Population, n: int, methods: Sequence[str], *, samples: int, design: str = "stratified"
    ) -> dict[str, Tried]:
        """So many samples of n units of a population."""
        found = {method: Tried() for method in methods}
        for sample in range(samples):
            one_sample(population, n, found, design=design, sample=sample, seed=self.seed)
            self.advance(1)
        return found

    def pipeline(self) -> str:
        """The parser of texts; InputError where there is none."""
        found = self.parser or parser_beside(self.data)
        if found is None:
            raise InputError("texts must be parsed: name a spaCy pipeline, for English parser='en_core_web_sm'.")
        return found


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
    settings are drawn; of the others fewer (`shares_of`). stores: a folder that keeps the events stores, which are
    used again if they are there. parser, limit, workers, advance: as for `reproduce_events`; there are
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


def shares_of(samples: int) -> dict[str, int]:
    """How many samples each kind of setting gets, of those asked for.

    >>> shares_of(50)
    {'decisive': 50, 'half': 25, 'some': 20, 'few': 10, 'least': 5}
    """
    return {
        "decisive": samples,
        "half": max(2, samples // 2),
        "some": max(2, 2 * samples // 5),
        "few": max(2, samples // 5),
        "least": max(2, samples // 10),
    }


def steps_of_counts(only: Sequence[str] = EXPERIMENTS, samples: int = SAMPLES) -> int:
    """How many samples are drawn in all."""
    share = shares_of(samples)
    police_settings = len(police.ACTS) * 3 * (len(POLICE_LABELS) + len(DESIGNS) - 1) * 2
    steps = {
        "muc4": len(QUESTIONS) * (share["decisive"] + 2 * share["half"]),
        "police": police_settings * share["least"],
        "llms": 14 * len(graded.SETS) * share["some"],
        "simulated": len(simulated.KINDS) * share["decisive"] + len(simulated.DRIFTS) * share["few"],
    }
    return sum(steps[name] for name in only)


def _muc4(setting: Setting) -> Part:
    lexicon = Lexicon.countries()
    items = incidents.read_reports(setting.data, lexicon, limit=setting.limit)
    path = setting.folder / "muc4.duckdb"
    if not path.exists():
        incidents.store_reports(items, path, parser=setting.pipeline(), lexicon=lexicon, seed=setting.seed,
                                workers=setting.workers)  # fmt: skip
    held = incidents.incidents_of(items, path)
    share, rows = shares_of(setting.samples), []
    for question, words in QUESTIONS.items():
        population = incidents.population_of(held, question)
        for n in _as_many(MUC_LABELS, len(items)):
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


def _police(setting: Setting) -> Part:
    news = police.read_police_news(setting.data, limit=setting.limit)
    stores = {name: setting.folder / f"police {name}.duckdb" for name in police.ACTS}
    if not all(path.exists() for path in stores.values()):
        police.extract_police(news, stores, parser=setting.pipeline(), seed=setting.seed, workers=setting.workers)
    words = word_weights(list(news.texts))
    least, rows = shares_of(setting.samples)["least"], []
    for question, labels in news.labels.items():
        counted = police.word_score(news, question)
        scores = {"words": (counted, None), "learned": (counted, words),
                  "events": (police.event_score(news, stores[question]), None)}  # fmt: skip
        for name, (score, learn) in scores.items():
            for by in ("week", "day"):
                cells = news.cells(by)
                population = Population(score, labels, {by: cells}, drawn_by=cells, words=learn)
                for n, design in _police_settings(len(labels)):
                    found = setting.trial(population, n, ("auto", "labels"), samples=least, design=design)
                    rows.append(Row((question, name, str(n), design, by), found))
    return Part(
        results.police_findings(rows, least=min(MUC_LABELS[0], len(news.ids) // 2), design=DESIGNS[0]),
        [results.police_table(rows)],
        notes=[
            f"india_police_events: {len(news.ids):,} articles of March 2002. Scores: x / (1 + x) of the number x of "
            "words that a reader would search for; the same to draw labels, then a score learned from these; the "
            "probability that the police act by a rule for the question, with coreference.",
        ],
    )


def _police_settings(available: int) -> list[tuple[int, str]]:
    settings = [(n, DESIGNS[0]) for n in _as_many(POLICE_LABELS, available)]
    return settings + [(DECIDES, design) for design in DESIGNS[1:] if available > DECIDES]


def _as_many(labels: Sequence[int], available: int) -> list[int]:
    """The numbers of labels for which there are more documents; of few documents half."""
    return [n for n in labels if n < available] or [available // 2]


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
    "muc4": _muc4, "police": _police, "llms": _llms, "simulated": _simulated,
}  # fmt: skip
