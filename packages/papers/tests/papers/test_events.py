"""The event experiments on slices of their corpora, and their quantities on what is counted by hand."""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.papers.whole import check_whole, rows_of

from howsure.errors import InputError
from howsure_events.lexicon import Lexicon
from howsure_events.series.event_series import event_series
from howsure_events.store.event_store import EventStore
from howsure_papers import events
from howsure_papers.corpora.news import Item, News, cases_of_wikipedia, gold_actors, read_incidents, read_reuters
from howsure_papers.count_coverage import find_coverage, simulate_coverage
from howsure_papers.country_names import OURS, PLAIN, STEMMED, country_names
from howsure_papers.events import PARTS, STEPS, reproduce_events, store
from howsure_papers.gold_events import Judged, event_pairs, judge
from howsure_papers.news_counts import (
    Differences,
    Drawn,
    actor_contests,
    count_store,
    density_table,
    enough_open,
    few_samples,
    period_changes,
    probability_of_more,
    read_drawn,
)
from howsure_papers.reproduction import Reproduction, ignore_progress
from howsure_papers.stores import PAPER, WIDE, Setting, event_words

LEXICON = Lexicon([("NOR", "Norland"), ("NOR", "Norlandic"), ("SUD", "Sudoria"), ("SUD", "Sudorian")])
CASES = {"the": "the", "army": "army", "of": "of", "troops": "troops", "norlandic": "Norlandic"}


@pytest.fixture
def gold(tmp_path: Path, real_data: Path) -> Iterator[tuple[EventStore, News]]:
    """Four made-up reports in a store: an attack that is right, one that is wrong, one missed, one not readable."""
    norland = frozenset({"NOR"})
    items = [
        Item("right", "2001-01-05", "", "Norlandic forces attacked the harbour on Monday.", norland, norland),
        Item("wrong", "2001-01-09", "", "Sudorian forces attacked the harbour on Monday."),
        Item("missed", "2001-02-05", "", "The attack failed. Gunmen attacked Norland.", norland, norland),
    ]
    silent = [Item("silent", "2001-02-07", "", "A bomb exploded in Sudoria.", frozenset({"SUD"}), frozenset())]
    news = News(items, silent, [], 4, 4)
    with EventStore.open(store(setting(tmp_path, real_data), news, PAPER, share=10)) as event_store:
        yield event_store, news


NEWS = [
    ("01", "Iran forces attacked a tanker on Monday. The attack failed."),
    ("02", "Iraq attacked a city in Iran. It attacked the port again."),
    ("09", "France said troops of Iraq attacked a village."),
    ("10", "U.S. forces attacked an oil platform. Iran attacked a ship."),
]
REPORTS = [
    (
        "1990-01-03",
        "GUERRILLAS OF COLOMBIA ATTACKED A POLICE STATION. THEY KIDNAPPED A JUDGE.",
        "COLOMBIA",
        "GUERRILLAS",
    ),
    ("1990-01-09", "SOLDIERS OF PERU ATTACKED A VILLAGE IN COLOMBIA.", "COLOMBIA", "SOLDIERS OF PERU"),
    ("1990-02-05", "PERU CONDEMNED THE ATTACK. TROOPS OF CHILE BOMBED A BRIDGE.", "PERU", "-"),
    ("1990-02-07", "NOBODY KNOWS WHO ACTED IN BOLIVIA.", "BOLIVIA", "-"),
]


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three small corpora, made up, in the form of the real ones."""
    folder = tmp_path_factory.mktemp("corpora")
    kinds = {"kind": "event", "category": "War"}
    usual = (
        "He said that guerrillas of Colombia, soldiers of Peru and troops of Chile attacked it, and they kidnapped a"
    )
    rows: dict[str, list[dict[str, Any]]] = {
        "wikipedia_current_events": [{"id": "w", "date": "2003-01-01", "text": usual} | kinds],
        "reuters21578": [
            {"id": i, "date": f"1987-03-{day} 10:00", "title": f"Story {i}", "body": text}
            for i, (day, text) in enumerate(NEWS)
        ],
        "muc4": [
            {
                "id": f"r{i}",
                "date": date,
                "text": text,
                "templates": [{"countries": [place], "slots": {"PERP: INDIVIDUAL ID": [f'"{who}"']}}],
            }
            for i, (date, text, place, who) in enumerate(REPORTS)
        ],
    }
    (folder / "irevents").mkdir()
    (folder / "irevents" / "country_igos.txt").write_text("IRN\tIRAN\nIRQ\tIRAQ\nUSA\tUS\nUSA\tUNITED_STATES\n")
    for name, lines in rows.items():
        (folder / name).mkdir()
        (folder / name / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    return str(folder)


def setting(folder: Path, data: Path) -> Setting:
    parser = str(data.parent / "models" / "en_ud_small")
    shared = {"data": str(data), "limit": None, "seed": 0, "workers": 1, "lexicon": LEXICON}
    return Setting(**shared, parser=parser, folder=folder, advance=ignore_progress)  # type: ignore[arg-type]


def check_incidents(result: Reproduction) -> None:
    titles = [table.caption for table in result.tables]
    for start in ("muc4: probabilities", "muc4: 95 % intervals", "Synthetic"):
        assert any(title.startswith(start) for title in titles), start
    assert [drawing.name for drawing in result.drawings] == ["muc4", "coverage"]
    check_whole(result)


def check_news(result: Reproduction) -> None:
    titles = [table.caption for table in result.tables]
    assert titles[0] == "Reuters: what was read and found"
    rules = ["Reuters, attack", "Reuters, attack-wide", "Reuters, violence"]
    assert [row[0] for row in rows_of(result.tables[0])] == rules
    assert titles[3] == "Reuters: expected documents by the paper's rule and with nouns before nouns"
    assert tuple(column.shown for column in result.tables[3].shown) == ("actor", "title", "attack", "attack-wide")
    assert [row[0] for row in rows_of(result.tables[1])][:2] == [
        "Reuters, attack, by month",
        "Reuters, attack, by week",
    ]
    assert titles[-1] == "Reuters: names of countries by three lists, in the documents with a word of the rule"
    assert [row[0] for row in rows_of(result.tables[-1])] == [OURS, PLAIN, STEMMED]
    footnote = "section 6, footnote 11"
    assert [finding.figure for finding in result.findings][:4] == ["6", "6", footnote, footnote]
    assert [drawing.name for drawing in result.drawings] == ["reuters"]
    check_whole(result)


def reproduced(corpora: str, pipeline: Path, *only: str) -> Reproduction:
    steps: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(events, "find_coverage", partial(find_coverage, draws=2))
        result = reproduce_events(
            data=corpora, parser=str(pipeline), only=only, limit=8, workers=1, advance=steps.append
        )
    assert sum(steps) == reproduce_events.steps(only) == STEPS * len(only)
    assert result.recipe["experiments"] == ", ".join(only)
    return result


@pytest.mark.long
def test_incidents_and_quarters_have_tables_findings_and_figures(corpora: str, pipeline: Path) -> None:
    """Of incidents whose gold is known, and of synthetic quarters."""
    check_incidents(reproduced(corpora, pipeline, "muc4", "synthetic"))


@pytest.mark.long
def test_news_have_tables_findings_and_figures(corpora: str, pipeline: Path) -> None:
    """Of news counted by period."""
    result = reproduced(corpora, pipeline, "reuters")
    check_news(result)
    actors = {row[0]: [float(cell) for cell in row[2:]] for row in rows_of(result.tables[3])}
    assert actors["USA"][0] < actors["USA"][1]  # "U.S. forces", a noun before a noun


@pytest.mark.slow
def test_a_slice_of_real_news_and_incidents(real_data: Path) -> None:
    check_news(reproduce_events(data=str(real_data), only=["reuters"], limit=2_300, workers=1))
    check_incidents(reproduce_events(data=str(real_data), only=["muc4", "synthetic"], limit=60, workers=1))


@pytest.mark.long
def test_a_slice_without_any_event_is_reported(tmp_path: Path, pipeline: Path) -> None:
    (tmp_path / "reuters21578").mkdir()
    line = json.dumps({"id": 1, "date": "1987-03-01", "title": "", "body": "The attack on Iran failed."})
    (tmp_path / "reuters21578" / "stories.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    result = reproduce_events(data=str(tmp_path), parser=str(pipeline), only=["reuters"], workers=1)
    assert (result.tables, result.findings, result.draw()) == ((), (), {})
    assert "Reuters: no document has an event." in result.notes


def test_a_slice_without_any_event_word_is_refused(real_data: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"none of 2 items contains a word of rule 'attack'\. Read more items with a higher limit=\.\.\.",
    ):
        reproduce_events(data=str(real_data), only=["reuters"], limit=2)


def test_an_unknown_experiment_is_named() -> None:
    with pytest.raises(InputError, match=r"no experiment 'wikpedia' .* Did you mean wikipedia\?"):
        reproduce_events(only=["wikpedia"])


@pytest.mark.long
def test_intervals_of_quarters_hold_the_truth() -> None:
    simulation = simulate_coverage(quarters=120, seed=0, draws=3, advance=ignore_progress)
    assert simulation.worst("exact, p known") >= 0.95
    assert simulation.worst("exact, S = 100") >= 0.93
    assert simulation.worst("normal, p known") < 0.85
    assert simulation.worst("normal, S = 100") < 0.88
    assert simulation.coverage["normal, S = 10"].mean() < simulation.coverage["exact, S = 10"].mean() < 0.98
    assert len(simulation.coverage["samples, S = 10"]) == 120


def test_words_in_capitals_are_written_as_usual() -> None:
    templates = [
        {"countries": ["NORLAND"], "slots": {"PERP: INDIVIDUAL ID": ['"TROOPS"'], "PERP: ORGANIZATION ID": ["-"]}},
        {"countries": ["SUDORIA"], "slots": {"PERP: INDIVIDUAL ID": ['"NORLANDIC TROOPS" / "THE ARMY OF NORLAND"']}},
        {"countries": ["SUDORIA"], "slots": {}},
    ]
    places, perpetrators = gold_actors(templates, LEXICON, CASES)
    assert places == {"NOR", "SUD"}
    assert perpetrators == {"NOR"}


@pytest.mark.long
def test_the_corpora_are_read_as_the_paper_filters(real_data: Path) -> None:
    lexicon = Lexicon([("IRN", "Iran"), ("IRN", "Iranian"), ("SLV", "El Salvador"), ("SLV", "Salvadoran")])
    news = read_reuters(str(real_data), lexicon=lexicon, event=event_words(PAPER), limit=2_000)
    assert (news.total, news.naming) == (2_000, 33)
    assert all("attack" in item.text.lower() for item in news.items)
    assert all(lexicon.match(item.text.replace(",", " ").split()) for item in news.items)
    assert not news.silent
    cases = cases_of_wikipedia(str(real_data), limit=50)
    reports = read_incidents(str(real_data), lexicon=lexicon, event=event_words(PAPER), cases=cases, limit=50)
    assert all(item.places <= {"SLV", "IRN"} for item in reports.items)
    assert any(item.text != item.text.upper() and "Salvadoran" in item.text for item in reports.items)
    ids = {item.id for item in reports.items}
    assert reports.silent
    assert ids.isdisjoint(item.id for item in reports.silent)


@pytest.mark.long
def test_gold_is_counted_where_the_rule_sees_nothing_too(gold: tuple[EventStore, News]) -> None:
    store, news = gold
    pairs = event_pairs(store, news)
    attacks = {
        (item.id, actor): p for item, actor, p in zip(pairs.items, pairs.actors, pairs.probabilities, strict=True)
    }
    assert set(attacks) == {("right", "NOR"), ("wrong", "SUD"), ("missed", "NOR")}
    assert attacks["right", "NOR"] == attacks["wrong", "SUD"] == 1.0
    by = judge(store, news, label="by")
    assert (by.pairs, by.gold, by.reachable) == (3, 2, 2)
    assert by.expected_right == 1.0
    assert by.precision.value == by.expected_right / by.expected
    assert by.recall == by.recall_of_reachable == 0.5
    at = judge(store, news, label="at")
    assert (at.gold, at.reachable, at.recall) == (3, 2, pytest.approx(1 / 3))
    assert _cells(at) == {"all": (4, 1, 2, 1), "reachable": (3, 1, 1, 1)}


def _cells(judged: Judged) -> dict[str, tuple[int, int, int, int]]:
    both = {"all": judged.coverage, "reachable": judged.coverage_of_reachable}
    return {name: (coverage.cells, coverage.inside, coverage.below, coverage.above) for name, coverage in both.items()}


def drawn(p: list[list[float]], periods: list[str], *, n_samples: int = 100) -> Drawn:
    """Documents with the probabilities of two actors, whose samples exclude each other as far as they can."""
    rows = [(d, actor, p[d][a]) for d, a in itertools.product(range(len(p)), range(2)) for actor in [("A", "B")[a]]]
    places = np.arange(n_samples)
    sides = {"A": places, "B": places[::-1]}
    samples = np.array([sides[actor] < round(q * n_samples) for _, actor, q in rows])
    return Drawn(
        documents=np.array([d for d, _, _ in rows]),
        actors=tuple(actor for _, actor, _ in rows),
        periods=tuple(periods[d] for d, _, _ in rows),
        probabilities=samples.mean(axis=1),
        samples=samples,
        entities=samples.astype(np.int64),
        best=np.array([q > 0.5 for _, _, q in rows]),
    )


def test_differences_that_the_posterior_leaves_open() -> None:
    drawn_events = drawn([[1.0, 0.0], [0.6, 0.4], [1.0, 0.0], [1.0, 0.0]], ["1999-Q1", "1999-Q2", "1999-Q3", "1999-Q3"])
    comparison = actor_contests(drawn_events, ["A", "B"])
    assert (comparison.different, comparison.undecided) == (3, 1)
    assert "A 1, B 0 in 1999-Q2 (P = 0.60)" in str(comparison)
    rising = period_changes(drawn_events, ["1999-Q1", "1999-Q2", "1999-Q3"], ["A", "B"])
    assert (rising.different, rising.undecided) == (1, 0)  # A has 1, 1 and 2; P(2 > 0 or 1) = 1
    assert drawn_events.most_frequent(1) == ["A"]
    few = few_samples(drawn_events)
    gap = np.array([0.0, 0.0, 1.0 - 0.6, 0.4 - 0.0, 0.0, 0.0])  # the first ten samples have A, and not B
    assert few.difference == pytest.approx(np.sqrt((gap**2).mean()))


def test_probability_of_more_by_enumeration() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(4), rng.random(3)
    expected = 0.0
    for ones in itertools.product([0, 1], repeat=7):
        p = np.where(ones, [*a, *b], 1 - np.array([*a, *b])).prod()
        expected += p * (sum(ones[:4]) > sum(ones[4:]))
    assert probability_of_more(a, b) == pytest.approx(expected)
    assert probability_of_more(b, np.array([])) == pytest.approx(1 - np.prod(1 - b))
    assert probability_of_more(np.array([]), a) == 0.0


@pytest.mark.long
def test_drawn_events_are_those_of_the_series(gold: tuple[EventStore, News]) -> None:
    store, _ = gold
    drawn_events = read_drawn(store, by="month")
    series = event_series(store, period="month")
    for row in series.rows:
        rows = drawn_events.cells().get((row.actor, row.period), np.empty(0, dtype=np.int64))
        assert row.mean == drawn_events.probabilities[rows].sum()
        assert (drawn_events.samples[rows].mean(axis=1) == drawn_events.probabilities[rows]).all()


@pytest.mark.long
def test_documents_per_period_are_reported_for_the_chosen_actors(gold: tuple[EventStore, News]) -> None:
    store, news = gold
    counts = count_store(store.path, corpus="Made-up", rule="attack", by="month", news=news, shown=["SUD", "CHN"])
    assert set(counts.actors) == {"NOR", "SUD"}
    assert counts.series.actors == ("SUD",)
    assert rows_of(density_table([counts])) == [
        ["Made-up, attack, by month", "2", "2.0", "2.0", "1.5", f"{counts.drawn.probabilities.sum() / 2:.2f}", "50 %"]
    ]


@pytest.mark.long
def test_a_stem_that_finds_words_is_reported(gold: tuple[EventStore, News]) -> None:
    """`Monday` without its last letter is a country here, and so is `the`."""
    store, _ = gold
    entries = [("NOR", "Norlandic"), ("SUD", "Sudorian"), ("MON", "Monda"), ("TH", "th")]
    lists = {name: Lexicon(entries, stem) for name, stem in ((OURS, "suffixes"), (PLAIN, "none"), (STEMMED, "paper"))}
    result = country_names(store.path, "Made-up", lists, lambda lexicon: len(lexicon.codes))
    plain, stemmed = rows_of(result.tables[0])[1:]
    assert plain == [PLAIN, "4", "2", "2", "0", "", "4.0"]
    assert stemmed[3:6] == ["7", "5", "Monday 2, the 2, The 1"]
    assert [finding.holds for finding in result.findings] == [None, False]


def test_the_wide_rule_takes_what_the_paper_s_takes() -> None:
    assert set(PAPER.forms) < set(WIDE.forms)
    assert set(PAPER.described_by) <= set(WIDE.described_by)
    assert event_words(WIDE).search("Two were kidnapped.")
    assert not event_words(PAPER).search("a counterattacks")
    assert tuple(PARTS) == ("wikipedia", "reuters", "muc4", "synthetic")


@pytest.mark.parametrize(
    ("different", "undecided", "holds"),
    [(160, 1, False), (160, 15, False), (160, 16, None), (160, 79, None), (160, 80, True), (4, 4, True), (0, 0, None)],
)
def test_many_differences_must_be_open(different: int, undecided: int, holds: bool | None) -> None:
    assert enough_open(Differences(different, undecided, "")) is holds
