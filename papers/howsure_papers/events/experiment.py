"""Section 6 of Nguyen & O'Connor (2015): attacks by country and period, with the uncertainty of coreference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howsure import __version__
from howsure.errors import InputError
from howsure.events.extraction.extract_events import ExtractionReport, usable_processors
from howsure.events.lexicon import Lexicon
from howsure.events.rule import Rule
from howsure.events.store.event_store import EventStore
from howsure.figures.events import event_figure, event_page
from howsure.files.whole import Scratch
from howsure.inputs.naming import unknown_name
from howsure.show.table import Table
from howsure_papers.coreference.corpora import parser_beside
from howsure_papers.events import corpora, coverage, gold, gold_results
from howsure_papers.events.corpora import News
from howsure_papers.events.extraction import (
    ATTACK_WIDE,
    NOUNS,
    PAPER,
    SAMPLES,
    VERBS,
    WIDE,
    store_events,
    words_of,
)
from howsure_papers.events.news import (
    Told,
    actors_table,
    corpora_table,
    differences_table,
    grammar_table,
    news_findings,
    told_by,
)
from howsure_papers.reproduction import Advance, Finding, Reproduction, nobody

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXPERIMENTS = ("wikipedia", "reuters", "muc4", "synthetic")
STEPS = 1_000  # of progress, an experiment
RULES = (PAPER, WIDE)
TITLE = "Attacks by country and period (Nguyen & O'Connor 2015, section 6, Figure 6)"
Drawings = dict[str, Callable[[], "Figure"]]
METHOD = (
    f"The rule 'attack' is the paper's. The rule 'violence' has {len(VERBS)} verbs ({', '.join(VERBS)}) and also "
    "covers conjuncts, shared and controlled subjects, relative clauses and nouns before nouns, but no negated events.",
    "Items without any form of the rule's verbs cannot have an event and are not parsed.",
    "The intervals include only the uncertainty of coreference; parses, lexicon and rule are taken as given.",
)


@dataclass(slots=True)
class Part:
    """What one experiment found."""

    findings: list[Finding] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    drawings: Drawings = field(default_factory=dict)
    captions: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all experiments share. `advance` takes steps of the one that runs, `STEPS` in all."""

    data: str | None
    parser: str
    limit: int | None
    seed: int
    workers: int
    lexicon: Lexicon
    folder: Path
    advance: Advance

    def store(self, news: News, rule: Rule, *, share: int) -> tuple[Path, ExtractionReport]:
        """The store of a corpus and a rule; takes `share` of the steps.

        Raises InputError where no item is left.
        """
        if not news.items:
            raise InputError(f"of {news.total:,} items none holds a word of rule {rule.name!r}; raise limit=....")
        path = self.folder / f"{rule.name}.duckdb"
        path.unlink(missing_ok=True)
        told = portion(self.advance, total=len(news.items), steps=share)
        report = store_events(
            news, path, parser=self.parser, rule=rule, lexicon=self.lexicon, seed=self.seed, workers=self.workers,
            advance=told,
        )  # fmt: skip
        return path, report


def reproduce_events(
    *,
    data: str | None = None,
    only: Sequence[str] = EXPERIMENTS,
    parser: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    advance: Advance = nobody,
) -> Reproduction:
    """Run section 6 again, on other news than the paper's, and on data whose truth is known.

    "wikipedia" (2002–2025) and "reuters" (1987): series of attacks by actor; "muc4": event probabilities and counts
    against gold templates; "synthetic": the coverage of intervals. `parser` is the name or path of a spaCy pipeline,
    by default the one in the folder `models` beside that of the data sets. `limit`: only the first items of each
    corpus, and as many synthetic quarters. `advance` is told of steps; there are `steps_of_events(only)`.

    Raises InputError for an unknown experiment, data or a pipeline that is missing; MissingExtraError without the
    extras `events` and `spacy`.
    """
    for name in only:
        if name not in EXPERIMENTS:
            raise unknown_name("experiment", name, EXPERIMENTS, place="howsure reproduce events")
    parts = []
    with Scratch() as scratch:
        news = [name for name in only if name != "synthetic"]
        shared: dict[str, Any] = {
            "data": data, "limit": limit, "seed": seed, "workers": workers or usable_processors(),
            "parser": (parser or _parser(data)) if news else "", "lexicon": _lexicon(news), "folder": scratch.folder,
        }  # fmt: skip
        for name in only:
            told = portion(advance, total=STEPS, steps=STEPS)
            parts.append(RUNS[name](Setting(**shared, advance=told)))
            told(STEPS)
    recipe = {
        "howsure": __version__, "experiments": ", ".join(only), "parser": Path(shared["parser"]).name or "none",
        "model": "pretrained", "samples": SAMPLES, "limit": limit or "none", "seed": seed,
    }  # fmt: skip
    drawings = {name: draw for part in parts for name, draw in part.drawings.items()}
    return Reproduction(
        "events",
        TITLE,
        tuple(finding for part in parts for finding in part.findings),
        tuple(table for part in parts for table in part.tables),
        recipe,
        lambda: {name: draw() for name, draw in drawings.items()},
        tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        {name: caption for part in parts for name, caption in part.captions.items()},
    )


def steps_of_events(only: Sequence[str] = EXPERIMENTS) -> int:
    """How many steps of progress there are."""
    return STEPS * len(only)


def portion(advance: Advance, *, total: int, steps: int) -> Advance:
    """Tell of `steps` in all while `total` things are done, and of no more.

    >>> told = []
    >>> done = portion(told.append, total=4, steps=10)
    >>> for _ in range(6): done(1)
    >>> told
    [2, 3, 2, 3, 0, 0]
    """
    state = {"done": 0, "told": 0}

    def step(n: int) -> None:
        state["done"] = min(state["done"] + n, total)
        now = steps * state["done"] // max(total, 1)
        advance(now - state["told"])
        state["told"] = now

    return step


def _wikipedia(setting: Setting) -> Part:
    part, told = _news_part(setting, "Wikipedia", corpora.read_wikipedia, ("quarter",), RULES)
    for one in told:
        if one.rule == PAPER.name:
            part.drawings["figure-6"] = partial(event_figure, one.series, panels=_panels(one))
            part.captions["figure-6"] = _caption(one, "documents with an attack by the most frequent actors")
        else:
            part.drawings["page"] = partial(event_page, one.series)
            part.captions["page"] = _caption(one, "the 20 most frequent actors, as in the paper's appendix")
    part.notes += [
        "The paper's 193,403 articles of the New York Times (1987–2007) are not public. Ours are the items of "
        "Wikipedia's current events, 2002–2025 (one to three sentences each, so that there is less coreference to "
        "resolve), without sports and arts, and Reuters stories of 1987. As in the paper, an item must name an actor.",
    ]
    return part


def _reuters(setting: Setting) -> Part:
    rules = (PAPER, ATTACK_WIDE, WIDE)
    part, told = _news_part(setting, "Reuters", corpora.read_reuters, ("month", "week"), rules)
    by_rule = {one.rule: one for one in told}
    if {PAPER.name, ATTACK_WIDE.name} <= by_rule.keys():
        part.tables.append(grammar_table(by_rule[PAPER.name], by_rule[ATTACK_WIDE.name]))
        part.notes.append(
            "The rule 'attack-wide' has the verb of the paper's rule and the grammar of 'violence': the paper's rule "
            "misses actors named by a noun before a noun (US forces)."
        )
    for one in told:
        if one.rule == PAPER.name and one.by == "week":
            panels = [one.actors[:2], one.actors[2:3]] if len(one.actors) > 2 else [one.actors]
            part.drawings["reuters"] = partial(event_figure, one.series, panels=panels)
            part.captions["reuters"] = _caption(one, "the tanker war of 1987; gaps are weeks without documents")
    return part


def _news_part(
    setting: Setting, corpus: str, read: Callable[..., News], periods: Sequence[str], rules: Sequence[Rule]
) -> tuple[Part, list[Told]]:
    """The tables and findings of a corpus by some rules."""
    told = []
    for rule in rules:
        news = read(setting.data, lexicon=setting.lexicon, event=words_of(rule), limit=setting.limit)
        path, _ = setting.store(news, rule, share=STEPS // len(rules))
        held = [told_by(path, corpus=corpus, rule=rule.name, by=by, news=news) for by in periods]
        told += [one for one in held if one is not None]
    part = Part(notes=[*METHOD])
    if told:
        part.tables += [corpora_table(told), differences_table(told), actors_table(told[0])]
        part.findings += news_findings(told[0])
    else:
        part.notes.append(f"{corpus}: no document has an event.")
    return part, told


def _muc4(setting: Setting) -> Part:
    found: dict[str, list[gold.Judged]] = {}
    rules, cases = (*RULES, NOUNS), corpora.cases_of_wikipedia(setting.data, limit=setting.limit)
    known: dict[str, Any] = {"lexicon": setting.lexicon, "cases": cases, "limit": setting.limit}
    for rule in rules:
        news = corpora.read_incidents(setting.data, event=words_of(rule), **known)
        path, _ = setting.store(news, rule, share=STEPS // len(rules))
        with EventStore.open(path) as store:
            found[rule.name] = [
                gold.judge(store, news, label=label, name=f"{rule.name}, {label}") for label in gold.LABELS
            ]
    return Part(
        list(gold_results.gold_findings(found)),
        [gold_results.gold_table(found), gold_results.coverage_table(found)],
        {"muc4": partial(gold_results.gold_figure, found)},
        {"muc4": "muc4: document probabilities against the gold label, by rule and question. Most are near 0."},
        [
            *METHOD,
            "The rule 'violence, nouns' also covers the nouns for these events (an attack by rebels, their attack).",
            "muc4: the texts are all in capitals; words are recased to their most frequent form in Wikipedia, and "
            "unknown words treated as names. 95 reports without a date are left out. A perpetrator is assigned to the "
            "country named in its description, or else to the country of the incident. The templates cover terrorist "
            "incidents: fights between armies, which the rule also finds, count as wrong, so the precision is a lower "
            "bound.",
        ],
    )


def _synthetic(setting: Setting) -> Part:
    quarters = min(coverage.QUARTERS, setting.limit or coverage.QUARTERS)
    told = portion(setting.advance, total=quarters, steps=STEPS)
    found = coverage.simulate_coverage(quarters=quarters, seed=setting.seed, advance=told)
    return Part(
        list(coverage.coverage_findings(found)),
        [coverage.coverage_table(found)],
        {"coverage": partial(coverage.coverage_figure, found)},
        {"coverage": coverage.CAPTION},
        [
            "Synthetic quarters have 1 to 120 documents with independent probabilities from random Beta "
            "distributions; the coverage of an interval is the exact probability of the counts in it, averaged over "
            f"{coverage.DRAWS} draws of the samples; the worst draw is the worst of all quarters and draws.",
        ],
    )


RUNS: Mapping[str, Callable[[Setting], Part]] = {
    "wikipedia": _wikipedia, "reuters": _reuters, "muc4": _muc4, "synthetic": _synthetic,
}  # fmt: skip


def _panels(one: Told) -> list[list[str]]:
    """The two first actors alone, the next two in one panel, as the paper has Yugoslavia and NATO."""
    first = [[actor] for actor in one.actors[:2]]
    return [*first, one.actors[2:4]] if len(one.actors) > 2 else first


def _caption(one: Told, what: str) -> str:
    return f"{one.corpus}, rule {one.rule!r}, by {one.by}: {what}; mean, 95 % interval and 1-best."


def _lexicon(news: Sequence[str]) -> Lexicon:
    return Lexicon.countries() if news else Lexicon([])


def _parser(data: str | None) -> str:
    found = parser_beside(data)
    if found is None:
        raise InputError("texts must be parsed: name a spaCy pipeline, for English parser='en_core_web_sm'.")
    return found
