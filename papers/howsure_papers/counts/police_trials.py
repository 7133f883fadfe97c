"""Acts of the police: three questions, three scores, by week, by day and in all."""

from __future__ import annotations

from typing import Any

from howsure.counts.learned_score import word_weights
from howsure.inputs.pairs import Floats
from howsure_papers.counts import police, results
from howsure_papers.counts.results import Row
from howsure_papers.counts.setting import Part, Setting, as_many, shares_of
from howsure_papers.counts.trials import Population

LABELS = (50, 100, 200, 400)
LEAST = 100  # labels, of settings that are judged
OTHERS = 200  # labels under other designs than by strata
DESIGNS = ("stratified", "simple", "importance")


def steps_of_police(samples: int) -> int:
    """How many samples are drawn."""
    share, scores = shares_of(samples), 3 * len(police.ACTS)
    return scores * (2 * (len(LABELS) + len(DESIGNS) - 1) * share["least"] + len(LABELS) * share["some"])


def try_police(setting: Setting) -> Part:
    """All settings: questions × scores × numbers of labels and designs."""
    news = police.read_police_news(setting.data, limit=setting.limit)
    stores = {name: setting.folder / f"police {name}.duckdb" for name in police.ACTS}
    police.extract_police(news, stores, parser=setting.pipeline(), seed=setting.seed, workers=setting.workers)
    words = word_weights(list(news.texts))
    rows, totals = [], []
    for question, labels in news.labels.items():
        counted = police.word_score(news, question)
        scores = {"words": (counted, None), "learned": (counted, words),
                  "events": (police.event_score(news, stores[question]), None)}  # fmt: skip
        for name, (score, learn) in scores.items():
            rows += _police_cells(setting, news, (question, name), labels, score, learn)
            totals += _police_totals(setting, news, (question, name), labels, score, learn)
    return Part(
        results.police_findings(rows, totals, least=min(LEAST, len(news.ids) // 2), design=DESIGNS[0]),
        [results.police_table(rows), results.police_totals_table(totals)],
        notes=[
            f"india_police_events: {len(news.ids):,} articles of March 2002. Scores: x / (1 + x) of the number x of "
            "words that a reader would search for; the same to draw labels, then a score learned from these; the "
            "probability that the police act by a rule for the question, with coreference.",
        ],
    )


def _police_cells(
    setting: Setting, news: police.PoliceNews, name: tuple[str, str], labels: Floats, score: Floats, words: Any
) -> list[Row]:
    """By week and by day."""
    samples = shares_of(setting.samples)["least"]
    rows = []
    for by in ("week", "day"):
        cells = news.cells(by)
        population = Population(score, labels, {by: cells}, drawn_by=cells, words=words)
        for n, design in _police_settings(len(labels)):
            found = setting.trial(population, n, ("auto", "labels"), samples=samples, design=design)
            rows.append(Row((*name, str(n), design, by), found))
    return rows


def _police_totals(
    setting: Setting, news: police.PoliceNews, name: tuple[str, str], labels: Floats, score: Floats, words: Any
) -> list[Row]:
    """In all, drawn by week, from more samples: a total is one interval."""
    population = Population(score, labels, {}, drawn_by=news.cells("week"), words=words)
    samples = shares_of(setting.samples)["some"]
    return [
        Row((*name, str(n)), setting.trial(population, n, ("auto", "labels"), samples=samples))
        for n in as_many(LABELS, len(labels))
    ]


def _police_settings(available: int) -> list[tuple[int, str]]:
    settings = [(n, DESIGNS[0]) for n in as_many(LABELS, available)]
    return settings + [(OTHERS, design) for design in DESIGNS[1:] if available > OTHERS]
