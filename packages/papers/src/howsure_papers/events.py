"""Section 6 of Nguyen & O'Connor (2015): attacks by country and period, with the uncertainty of coreference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from matplotlib.figure import Figure

from howsure.errors import InputError
from howsure.figures.calibration import curve_figure
from howsure.figures.width import figure_width
from howsure.files.input_files import Scratch
from howsure_events.figures import event_figure, event_page
from howsure_events.lexicon import Lexicon
from howsure_events.rule import Rule
from howsure_events.series.event_series import EventSeries
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import acting_actors
from howsure_papers.corpora.coreference import parser_for
from howsure_papers.corpora.news import News, cases_of_wikipedia, read_incidents, read_reuters, read_wikipedia
from howsure_papers.count_coverage import QUARTERS, find_coverage
from howsure_papers.country_names import Count, country_lists, country_names
from howsure_papers.doubtful_cases import doubtful_cases
from howsure_papers.gold_events import LABELS, coverage_table, gold_findings, gold_table, judge
from howsure_papers.news_counts import (
    StoreCounts,
    actors_table,
    corpora_table,
    count_store,
    density_table,
    differences_table,
    grammar_table,
    news_findings,
)
from howsure_papers.reproduction import Advance, Drawing, ExperimentResult, experiment, ignore_progress
from howsure_papers.stores import (
    ATTACK_WIDE,
    NOUNS,
    PAPER,
    SAMPLES,
    VERBS,
    WIDE,
    Parts,
    Setting,
    check_parts,
    event_words,
    store_rows,
)

STEPS = 1_000  # steps of progress per part
TITLE = "Attacks by country and period (Nguyen & O'Connor 2015, section 6, Figure 6)"
RULES = (PAPER, WIDE)
APPENDIX_4 = {(PAPER.name, "month"): "appendix-4", (WIDE.name, "quarter"): "page"}
TWO_COLUMNS = 7.0  # width of a page of the paper in inches
METHOD = (
    f"The rule 'attack' is the paper's. The rule 'violence' has {len(VERBS)} verbs ({', '.join(VERBS)}) and also "
    "covers conjuncts, shared and controlled subjects, relative clauses and nouns before nouns, but no negated events.",
    "Items without any form of the rule's verbs cannot have an event and are not parsed.",
    "The intervals include only the uncertainty of coreference; parses, lexicon and rule are taken as given.",
)


def store(setting: Setting, news: News, rule: Rule, *, share: int) -> Path:
    """Write the events of a rule in a corpus to a new store, and return its path.

    share: the number of progress steps that this takes.
    """
    if not news.items:
        raise InputError(
            f"none of {news.total:,} items contains a word of rule {rule.name!r}. Read more items with a higher "
            "limit=...."
        )
    path = setting.folder / f"{rule.name}.duckdb"
    path.unlink(missing_ok=True)
    setting.extract(
        store_rows(news.items), path, rule, advance=share_progress(setting.advance, total=len(news.items), steps=share)
    )
    return path


def share_progress(advance: Advance, *, total: int, steps: int) -> Advance:
    """Return a progress callback for `total` tasks that reports `steps` steps in all, spread evenly over the tasks.

    >>> steps = []
    >>> done = share_progress(steps.append, total=4, steps=10)
    >>> for _ in range(6): done(1)
    >>> steps
    [2, 3, 2, 3, 0, 0]
    """
    done = reported = 0

    def step(n: int) -> None:
        nonlocal done, reported
        done = min(done + n, total)
        now = steps * done // max(total, 1)
        advance(now - reported)
        reported = now

    return step


def _wikipedia(setting: Setting) -> ExperimentResult:
    result, all_counts = _news(setting, "Wikipedia", read_wikipedia, ("quarter", "month"), RULES, same_actors=True)
    drawings = []
    for counts in all_counts:
        if counts.rule == PAPER.name and counts.by == "quarter":
            first = [[actor] for actor in counts.actors[:2]]  # and the next two in one panel, as Yugoslavia and NATO
            panels = [*first, counts.actors[2:4]] if len(counts.actors) > 2 else first
            what = "documents with an attack by the most frequent actors"
            drawings.append(_drawing("figure-6", counts, what, partial(event_figure, counts.series, panels=panels)))
        elif (counts.rule, counts.by) in APPENDIX_4:
            what = "the 20 most frequent actors of the rule 'attack', as in Appendix 4, each on a scale of its own"
            drawings.append(
                _drawing(APPENDIX_4[counts.rule, counts.by], counts, what, partial(_wide_page, counts.series))
            )
    if all_counts:
        result += ExperimentResult(tables=[density_table(all_counts)]) + _doubtful_and_names(setting, "Wikipedia")
    note = (
        "The paper's 193,403 articles of the New York Times (1987–2007) are not public. Ours are the items of "
        "Wikipedia's current events, 2002–2025 (one to three sentences each, so that there is less coreference to "
        "resolve), without sports and arts, and Reuters stories of 1987. As in the paper, an item must name an actor. "
        "The paper has 767 articles a month."
    )
    return result + ExperimentResult(drawings=drawings, notes=[note])


def _wide_page(series: EventSeries) -> Figure:
    """Small panels in a figure with the width of two columns."""
    with figure_width(TWO_COLUMNS):
        return event_page(series)


def _reuters(setting: Setting) -> ExperimentResult:
    result, all_counts = _news(setting, "Reuters", read_reuters, ("month", "week"), (PAPER, ATTACK_WIDE, WIDE))
    by_rule = {counts.rule: counts for counts in all_counts}
    if {PAPER.name, ATTACK_WIDE.name} <= by_rule.keys():
        note = (
            "The rule 'attack-wide' has the verb of the paper's rule and the grammar of 'violence': the paper's rule "
            "misses actors named by a noun before a noun (US forces)."
        )
        table = grammar_table(by_rule[PAPER.name], by_rule[ATTACK_WIDE.name])
        result += ExperimentResult(tables=[table], notes=[note])
    for counts in all_counts:
        if counts.rule == PAPER.name and counts.by == "week":
            panels = [counts.actors[:2], counts.actors[2:3]] if len(counts.actors) > 2 else [counts.actors]
            what = "the tanker war of 1987; gaps are weeks without documents"
            draw = partial(event_figure, counts.series, panels=panels)
            result += ExperimentResult(drawings=[_drawing("reuters", counts, what, draw)])
    return result + _doubtful_and_names(setting, "Reuters", partial(_expected, setting)) if all_counts else result


def _doubtful_and_names(setting: Setting, corpus: str, count: Count | None = None) -> ExperimentResult:
    """The doubtful documents by the paper's rule, and the effects of its list of countries."""
    path = setting.folder / f"{PAPER.name}.duckdb"
    lists = country_lists(setting.data, setting.lexicon)
    return doubtful_cases(path, corpus) + country_names(path, corpus, lists, count)


def _expected(setting: Setting, lexicon: Lexicon) -> float:
    """The expected number of attacks in Reuters by another list of actors."""
    names_setting = replace(setting, lexicon=lexicon, folder=setting.folder / "names", advance=ignore_progress)
    names_setting.folder.mkdir(exist_ok=True)
    news = read_reuters(names_setting.data, lexicon=lexicon, event=event_words(PAPER), limit=names_setting.limit)
    with EventStore.open(store(names_setting, news, PAPER, share=0)) as event_store:
        return sum(expected for _, expected in acting_actors(event_store).values())


def _drawing(name: str, counts: StoreCounts, what: str, draw: Callable[[], Figure]) -> Drawing:
    caption = f"{counts.corpus}, rule {counts.rule!r}, by {counts.by}: {what}; mean, 95 % interval and 1-best."
    return Drawing(name, caption, draw)


def _news(
    setting: Setting,
    corpus: str,
    read_news: Callable[..., News],
    periods: Sequence[str],
    rules: Sequence[Rule],
    *,
    same_actors: bool = False,
) -> tuple[ExperimentResult, list[StoreCounts]]:
    """The tables and findings of a corpus by some rules. same_actors: all series show the first rule's actors."""
    counts_so_far: list[StoreCounts] = []
    for rule in rules:
        news = read_news(setting.data, lexicon=setting.lexicon, event=event_words(rule), limit=setting.limit)
        path = store(setting, news, rule, share=STEPS // len(rules))
        shown = counts_so_far[0].actors if counts_so_far and same_actors else []
        counts_by_period = [
            count_store(path, corpus=corpus, rule=rule.name, by=by, news=news, shown=shown) for by in periods
        ]
        counts_so_far += [counts for counts in counts_by_period if counts is not None]
    if not counts_so_far:
        return ExperimentResult(notes=[*METHOD, f"{corpus}: no document has an event."]), []
    tables = [corpora_table(counts_so_far), differences_table(counts_so_far), actors_table(counts_so_far[0])]
    return ExperimentResult(findings=news_findings(counts_so_far[0]), tables=tables, notes=METHOD), counts_so_far


def _muc4(setting: Setting) -> ExperimentResult:
    rules, cases, judged = (*RULES, NOUNS), cases_of_wikipedia(setting.data, limit=setting.limit), []
    for rule in rules:
        news = read_incidents(
            setting.data, lexicon=setting.lexicon, event=event_words(rule), limit=setting.limit, cases=cases
        )
        with EventStore.open(store(setting, news, rule, share=STEPS // len(rules))) as event_store:
            judged += [judge(event_store, news, rule=rule.name, label=label) for label in LABELS]
    caption = "muc4: document probabilities against the gold label, by rule and question. Most are near 0."
    curves = [result.curve for result in judged]
    return ExperimentResult(
        findings=[finding for result in judged for finding in gold_findings(result)],
        tables=[gold_table(judged), coverage_table(judged)],
        drawings=[Drawing("muc4", caption, partial(curve_figure, curves, panels=True))],
        notes=[
            *METHOD,
            "The rule 'violence, nouns' also covers the nouns for these events (an attack by rebels, their attack).",
            "muc4: the texts are all in capitals; words are recased to their most frequent form in Wikipedia, and "
            "unknown words treated as names. 95 reports without a date are left out. A perpetrator is assigned to the "
            "country named in its description, or else to the country of the incident. The templates cover terrorist "
            "incidents: fights between armies, which the rule also finds, count as wrong, so the precision is a lower "
            "bound.",
        ],
    )


def _synthetic(setting: Setting) -> ExperimentResult:
    quarters = min(QUARTERS, setting.limit or QUARTERS)
    return find_coverage(
        quarters, seed=setting.seed, advance=share_progress(setting.advance, total=quarters, steps=STEPS)
    )


PARTS: Parts = {"wikipedia": _wikipedia, "reuters": _reuters, "muc4": _muc4, "synthetic": _synthetic}


def steps_of_events(only: Sequence[str] = tuple(PARTS)) -> int:
    return STEPS * len(only)


@experiment(TITLE, steps=steps_of_events)
def reproduce_events(
    *,
    data: str | None = None,
    only: Sequence[str] = tuple(PARTS),
    parser: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    advance: Advance = ignore_progress,
) -> ExperimentResult:
    """Reproduce section 6 on other news than the paper's, and on data with known truth.

    "wikipedia" (2002–2025) and "reuters" (1987): series of attacks by actor; "muc4": event probabilities and counts
    against gold templates; "synthetic": the coverage of intervals. `parser` is the name or path of a spaCy pipeline,
    by default the one in the folder `models` next to that of the data sets. `limit`: only the first items of each
    corpus, and as many synthetic quarters. `advance` is called with the number of steps done.
    """
    check_parts(only, PARTS, "events")
    name = parser_for(parser, data) if set(only) != {"synthetic"} else ""
    result = ExperimentResult()
    with Scratch() as scratch:
        for part in only:
            progress = share_progress(advance, total=STEPS, steps=STEPS)
            setting = Setting(
                data=data, parser=name, limit=limit, seed=seed, workers=workers, folder=scratch.folder, advance=progress
            )
            result += PARTS[part](setting)
            progress(STEPS)
    recipe = {
        "experiments": ", ".join(only),
        "parser": Path(name).name or "none",
        "model": "pretrained",
        "samples": SAMPLES,
        "limit": limit or "none",
        "seed": seed,
    }
    return replace(result, recipe=recipe)
