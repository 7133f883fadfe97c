"""Counts of police acts in labelled news: three questions and three scores, by week, by day and in total."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from howsure.counts.learn_score import word_weights
from howsure.inputs.pairs import Floats
from howsure.show.table import Column, digits
from howsure_events.extraction.extract_events import usable_processors
from howsure_events.extraction.recount import recount_events
from howsure_events.lexicon import Lexicon
from howsure_events.rule import Rule, built_in_rule
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import query_columns
from howsure_papers.corpora.labelled import PoliceNews, read_police_news
from howsure_papers.reproduction import NAME, TEXT, ExperimentResult, Finding, numbers
from howsure_papers.stores import Setting
from howsure_papers.trials import (
    Population,
    Row,
    against_labels,
    feasible_numbers,
    over_settings,
    sample_numbers,
    trial,
)

POLICE = "POLICE"
NAMES = (
    "police; policeman; policemen; policewoman; policewomen; police force; police personnel; cop; cops; constable; "
    "constables; inspector; inspectors; sub-inspector; police commissioner; superintendent of police; commissioner of "
    "police; crime branch; rapid action force; special task force; state reserve police; crpf; srp; rpf"
)
ACTS = {
    "KILL": ("kill kills killed killing shoot shoots shot shooting gunned gun", "firing shooting killing killings"),
    "ARREST": (
        "arrest arrests arrested arresting detain detains detained detaining nab nabs nabbed nabbing apprehend "
        "apprehended round rounds rounded book books booked catch caught held take took taken",
        "arrest arrests detention detentions custody",
    ),
    "ANY_ACTION": (
        "fire fires fired firing open opened burst lob lobbed use used resort resorted disperse dispersed lathicharge "
        "lathicharged cane caned clamp clamped impose imposed deploy deployed patrol patrolled raid raided seize "
        "seized recover recovered register registered search searched investigate investigated rescue rescued stop "
        "stopped prevent prevented control controlled escort escorted guard guarded file filed question questioned",
        "action firing lathicharge raid raids search protection custody bandobast patrolling",
    ),
}  # forms of verbs, and nouns
WORDS = {
    "KILL": r"police firing|police bullets|shot dead|gunned down|killed by (?:the )?police|police (?:shot|killed)",
    "ARREST": r"arrest\w*|detain\w*|custody|nabbed|rounded up",
    "ANY_ACTION": r"police|curfew|cops?|arrest\w*|firing|lathi\w*|crpf",
}  # words that a person would search for
LABELS = (50, 100, 200, 400)
MIN_LABELS = 100  # minimum number of labels of judged settings
OTHERS = 200  # number of labels under other designs than stratified
DESIGNS = ("stratified", "simple", "importance")
TWO = ("auto", "labels")  # methods


def steps_of_police(samples: int) -> int:
    share, scores = sample_numbers(samples), 3 * len(ACTS)
    return scores * (2 * (len(LABELS) + len(DESIGNS) - 1) * share["least"] + len(LABELS) * share["some"])


def try_police(setting: Setting) -> ExperimentResult:
    """Measure coverage for each question, score, number of labels and sampling design, and for totals of all periods.

    Totals get more samples of labels, because each sample gives only one interval of a total.
    """
    news = read_police_news(setting.data, tuple(ACTS), limit=setting.limit)
    stores = {name: setting.folder / f"police {name}.duckdb" for name in ACTS}
    extract_police(setting, news, stores)
    words, share = word_weights(list(news.texts)), sample_numbers(setting.samples)
    rows, totals = [], []
    for question, labels in news.labels.items():
        numbers_of_labels = feasible_numbers(LABELS, len(labels))
        ways = [(n, DESIGNS[0]) for n in numbers_of_labels]
        ways += [(OTHERS, design) for design in DESIGNS[1:] if len(labels) > OTHERS]
        counted = word_score(news, question)
        scores: dict[str, tuple[Floats, Any]] = {
            "words": (counted, None),
            "learned": (counted, words),
            "events": (event_score(news, stores[question]), None),
        }
        for name, (score, learn) in scores.items():
            for by in ("week", "day"):
                cells = news.cells(by)
                population = Population(score, labels, {by: cells}, drawn_by=cells, words=learn)
                for n, design in ways:
                    tried = trial(setting, population, n, TWO, samples=share["least"], design=design)
                    rows.append(Row((question, name, str(n), design, by), tried))
            population = Population(score, labels, {}, drawn_by=news.cells("week"), words=learn)
            for n in numbers_of_labels:
                tried = trial(setting, population, n, TWO, samples=share["some"])
                totals.append(Row((question, name, str(n)), tried))
    headings = {"question": NAME, "score": NAME, "labels": TEXT, "design": NAME, "periods": NAME}

    def names(of: Sequence[Row]) -> list[Column]:
        columns = zip(headings.items(), zip(*(row.name for row in of), strict=True), strict=False)
        return [Column(heading, kind, values=values) for (heading, kind), values in columns]

    return ExperimentResult(
        findings=police_findings(rows, totals, least=min(MIN_LABELS, len(news.ids) // 2), design=DESIGNS[0]),
        tables=[
            numbers(
                "india_police_events: 95 % intervals of counts by week and by day, and of the total",
                rows,
                *names(rows),
                *against_labels(lambda row, method: row.tallies[method].cells),
                Column("total", digits(2), get=lambda row: row.tallies["auto"].total.coverage),
                Column("width of total", digits(0), get=lambda row: row.tallies["auto"].total.mean_width),
            ),
            numbers(
                "india_police_events: 95 % intervals of the total, labels drawn within strata",
                totals,
                *names(totals),
                *against_labels(lambda row, method: row.tallies[method].total, decimals=0, error=True),
            ),
        ],
        notes=[
            f"india_police_events: {len(news.ids):,} articles of March 2002. Scores: x / (1 + x) of the number x of "
            "words that a reader would search for; the same to draw labels, then a score learned from these; the "
            "probability that the police act by a rule for the question, with coreference."
        ],
    )


def police_findings(rows: Sequence[Row], totals: Sequence[Row], *, least: int, design: str) -> list[Finding]:
    """Return the findings under one design, over all questions, all scores, and numbers of labels from `least` on."""
    kept = [row for row in rows if int(row.name[2]) >= least and row.name[3] == design]
    where = f"India police events, {least} labels or more, {design}"
    findings = []
    for by in dict.fromkeys(row.name[4] for row in kept):
        mine = [(row.name, row.tallies["auto"].cells) for row in kept if row.name[4] == by]
        findings.append(over_settings(f"{by}s contain the count", mine, where))
    of_all = [(row.name, row.tallies["auto"].total) for row in totals if int(row.name[2]) >= least]
    return [*findings, over_settings("the total contain it", of_all, where)]


def word_score(news: PoliceNews, question: str) -> Floats:
    """x / (1 + x), with x the number of words that a person would search for (N,)."""
    pattern = re.compile(rf"\b(?:{WORDS[question]})\b", re.IGNORECASE)
    counts = np.array([float(len(pattern.findall(text))) for text in news.texts])
    return np.asarray(counts / (1.0 + counts))


def rule_for(question: str) -> Rule:
    """Return the rule of a question, from its verbs and nouns; ANY_ACTION has those of all questions."""
    acts = list(ACTS) if question == "ANY_ACTION" else [question]
    forms = tuple(dict.fromkeys(word for act in acts for word in ACTS[act][0].split()))
    nouns = tuple(dict.fromkeys(word for act in acts for word in ACTS[act][1].split()))
    agents = ("nmod:poss", "nmod(by)", "compound")
    wide = built_in_rule("attack-wide")
    return replace(wide, name=question.lower(), verbs=(), forms=forms, nouns=nouns, noun_agents=agents)


def extract_police(setting: Setting, news: PoliceNews, stores: Mapping[str, Path]) -> None:
    """Write or continue the store of each question. Texts are parsed once, for all questions."""
    first, *others = ACTS
    rows = [
        {"id": name, "date": date, "text": text}
        for name, date, text in zip(news.ids, news.dates, news.texts, strict=True)
    ]
    lexicon = Lexicon([(POLICE, name) for name in NAMES.split("; ")], titles={POLICE: "the police"}, name="police")
    work, _ = setting.extract(rows, stores[first], rule_for(first), lexicon=lexicon)
    workers = setting.workers or usable_processors()
    with EventStore.open(stores[first]) as store:
        for name in others:
            recount_events(store, stores[name], rule=rule_for(name), model=work.model, workers=workers)


def event_score(news: PoliceNews, path: Path) -> Floats:
    """The probability that the police act, from a store (N,); 0 if the rule finds nothing."""
    with EventStore.open(path) as store:
        columns = query_columns(store, "SELECT d.id, e.probability FROM events e JOIN documents d USING (document)")
    probability_by_id = dict(zip(columns["id"].tolist(), columns["probability"].tolist(), strict=True))
    return np.array([float(probability_by_id.get(name, 0.0)) for name in news.ids])
