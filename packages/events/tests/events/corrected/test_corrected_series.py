"""Corrected series: where the truth is known, they hold it; what is read is known; what is shown changes nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm
from tests.events.corrected.known_truth import ACTORS, KnownTruth, known_truth
from tests.events.made_up_store import TITLES, make_store

from howsure.errors import InputError
from howsure_events.labels.draw_documents import build_strata
from howsure_events.series.corrected_comparison import UNDECIDED_TOTAL, corrected_comparison
from howsure_events.series.corrected_series import CorrectedSeries, corrected_series
from howsure_events.series.event_series import event_series
from howsure_events.series.labelled_pairs import TooFewLabelsError, pair_features
from howsure_events.store.documents import stored_documents
from howsure_events.store.event_store import EventStore


@pytest.fixture(scope="module")
def population(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnownTruth]:
    truth = known_truth(tmp_path_factory.mktemp("corrected") / "known.duckdb")
    yield truth
    truth.store.close()


@pytest.fixture(scope="module")
def plain(population: KnownTruth) -> object:
    """The series of one sample."""
    return corrected_series(population.store, labels=population.read(population.drawn(120, seed=1)))


def values(rows: object) -> list[tuple[object, ...]]:
    return [(row.actor, row.period, row.estimate, row.low, row.high, row.n, row.labelled) for row in rows]


@pytest.mark.long
def test_corrected_intervals_hold_the_truth_where_raw_ones_do_not(population: KnownTruth) -> None:
    raw = event_series(population.store, actors=ACTORS)
    truth = {(row.actor, row.period): population.counts(row.period, row.actor) for row in raw.rows}
    of_raw = [row.low <= truth[row.actor, row.period] <= row.high for row in raw.rows]
    covered, totals = [], []
    for seed in range(3):
        series = corrected_series(population.store, labels=population.read(population.drawn(120, seed=seed)))
        covered += [row.low <= truth[row.actor, row.period] <= row.high for row in series.rows]
        in_all = dict(zip(ACTORS, population.truth.sum(axis=0).tolist(), strict=True))
        totals += [row.low <= in_all[row.actor] <= row.high for row in series.totals]
    assert np.mean(of_raw) <= 0.5
    assert np.mean(covered) >= 0.85  # of 24 intervals at 95 %
    assert np.mean(totals) >= 0.75  # of 6


def test_what_is_read_is_known(population: KnownTruth) -> None:
    series = corrected_series(population.store, labels=population.read(population.documents))
    for row in series.rows:
        true = population.counts(row.period, row.actor)
        assert (row.low, row.estimate, row.high) == (true, pytest.approx(true), true)
        assert row.labelled == row.n
        assert row.positives == true
    assert [row.estimate for row in series.totals] == pytest.approx(population.truth.sum(axis=0).tolist())
    assert all(row.low == row.high for row in series.totals)


@pytest.mark.long
def test_the_order_of_labels_and_of_documents_changes_nothing(
    population: KnownTruth, plain: object, tmp_path: Path
) -> None:
    order = np.random.default_rng(3).permutation(len(population.documents)).tolist()
    other = known_truth(tmp_path / "other.duckdb", order=order)
    labels = other.read(population.drawn(120, seed=1))
    turned = np.random.default_rng(4).permutation(len(labels.documents))
    shuffled = other.read(
        labels.documents,
        documents=labels.documents[turned],
        labels=labels.labels[turned],
        strata=dict(reversed(other.strata.items())),
    )
    for ordered in (labels, shuffled):
        assert values(corrected_series(other.store, labels=ordered).rows) == values(plain.rows)
    other.store.close()


@pytest.mark.long
def test_the_choice_of_rows_does_not_change_the_estimates(population: KnownTruth, plain: object) -> None:
    labels = population.read(population.drawn(120, seed=1))
    alone = corrected_series(population.store, labels=labels, actors=["Borland"])
    assert values(alone.rows) == values(plain.rows_of("BBB"))
    assert alone.total_of("BBB") == plain.total_of("BBB")
    half = corrected_series(population.store, labels=labels, since="2001-04-01", until="2001-09-30")
    assert [row.period for row in half.rows_of("AAA")] == ["2001-Q2", "2001-Q3"]
    for row in half.rows:
        whole = next(same_row for same_row in plain.rows_of(row.actor) if same_row.period == row.period)
        assert (row.n, row.labelled, row.positives) == (whole.n, whole.labelled, whole.positives)
        assert abs(row.estimate - whole.estimate) < 0.5 * (whole.high - whole.low)
    assert sum(row.n for row in half.rows_of("AAA")) == half.total_of("AAA").n
    cut = corrected_series(population.store, labels=labels, since="2001-02-15")
    assert cut.rows[0].n == int((population.dates >= np.datetime64("2001-02-15")).sum()) - sum(
        row.n for row in cut.rows_of("AAA")[1:]
    )


@pytest.mark.long
def test_a_total_is_one_whatever_the_periods(population: KnownTruth) -> None:
    labels = population.read(population.drawn(120, seed=1))
    lengths = ("year", "quarter", "month", "week")
    totals = [corrected_series(population.store, period=by, labels=labels).totals for by in lengths]
    for other in totals[1:]:
        for total, total_of_length in zip(totals[0], other, strict=True):
            assert (total_of_length.estimate, total_of_length.low, total_of_length.high) == pytest.approx(
                (total.estimate, total.low, total.high), rel=1e-12
            )


def test_shares_are_counts_by_all_documents(population: KnownTruth, plain: object) -> None:
    shares = corrected_series(population.store, labels=population.read(population.drawn(120, seed=1)), unit="share")
    for share, count in zip(shares.rows, plain.rows, strict=True):
        assert [share.estimate, share.low, share.high] == pytest.approx(
            [bound / count.n for bound in (count.estimate, count.low, count.high)]
        )


def test_unclear_documents_are_left_out_and_reported(population: KnownTruth) -> None:
    labels = population.read(population.drawn(120, seed=1))
    blurred = labels.labels.copy()
    blurred[3] = np.nan
    blurred[7, 1] = np.nan
    series = corrected_series(
        population.store,
        labels=population.read(labels.documents, labels=blurred, unclear=1, unsettled=1, drawn=len(blurred) + 4),
    )
    assert series.recipe["labelled"] == len(blurred) - 2
    assert sum(row.labelled for row in series.rows_of("AAA")) == len(blurred) - 2
    notes = " ".join(series.label_notes)
    assert "2 drawn documents have no label (1 unclear, 1 labelled differently by two coders)" in notes
    assert "4 drawn documents are not labelled yet" in notes


def test_actors_without_labels_have_no_corrected_counts(population: KnownTruth) -> None:
    labels = population.read(population.drawn(120, seed=1))
    series = corrected_series(population.store, labels=labels, actors=["AAA", "CCC"])
    assert series.actors == ("AAA",)
    assert series.not_asked == ("CCC",)
    assert "No corrected counts for CCC" in " ".join(series.label_notes)
    nothing = corrected_series(population.store, labels=labels, actors=["CCC"])
    assert (nothing.rows, nothing.totals) == ((), ())
    assert "No corrected counts for CCC" in str(nothing)
    with pytest.raises(InputError, match="no actor 'CCC' in the corrected series"):
        series.rows_of("CCC")


def test_a_store_without_labels_has_no_corrected_series(population: KnownTruth) -> None:
    assert corrected_series(population.store) is None


def test_documents_drawn_with_given_chances(population: KnownTruth) -> None:
    rng = np.random.default_rng(2)
    chance = np.array(
        [0.6 if population.strata[number] == "found" else 0.25 for number in population.documents.tolist()]
    )
    drawn = population.documents[rng.random(len(chance)) < chance]
    inclusion = chance[np.searchsorted(population.documents, drawn)]
    labels = population.read(drawn, design="chances", inclusion=inclusion, strata={})
    series = corrected_series(population.store, labels=labels)
    assert series.recipe["design"].endswith("with given probabilities")
    for row, true in zip(series.totals, population.truth.sum(axis=0), strict=True):
        assert row.low - 10 <= true <= row.high + 10
        assert row.high > row.low


def test_scores_help_as_far_as_they_are_right(population: KnownTruth, plain: object) -> None:
    labels = population.read(population.drawn(120, seed=1))
    scores = {"judge": {f"d{n}": float(y) for n, y in zip(population.documents, population.truth[:, 0], strict=True)}}
    helped = corrected_series(population.store, labels=labels, scores=scores)
    assert "judge" in helped.recipe["features"]
    assert helped.counts.diagnostics.worth > plain.counts.diagnostics.worth


def test_learning_from_the_texts_adds_a_feature(population: KnownTruth) -> None:
    labels = population.read(population.drawn(120, seed=1))
    learned = corrected_series(population.store, labels=labels, learn=True)
    assert "learned from the texts" in learned.recipe["features"]
    assert not math.isnan(learned.rows[0].estimate)


@pytest.mark.long
def test_nothing_is_learned_without_texts(tmp_path: Path) -> None:
    truth = known_truth(tmp_path / "empty.duckdb", n=60)
    truth.store.close()
    with EventStore.open(truth.store.path, read_only=False) as store:
        store.connection.execute("DELETE FROM sentences")
        labels = truth.read(truth.documents[:40], strata=dict.fromkeys(truth.strata, "all"))
        with pytest.raises(InputError, match="learn needs the texts of the documents, and this store has none"):
            corrected_series(store, labels=labels, learn=True)
        assert corrected_series(store, labels=labels).rows


WRONG = [
    ({"unit": "entities"}, "no unit 'entities' in corrected series"),
    ({"period": "day"}, "no length of period 'day'"),
    ({"level": 1.5}, "level"),
    ({"actors": ["XYZ"]}, "no actor 'XYZ'"),
    ({"actors": []}, "actors must be a list"),
    ({"since": "2030-01-01"}, "no document from 2030-01-01"),
    ({"scores": {"judge": {}}}, r"scores\['judge'\] must have a number for every document of the store; 'd5' has none"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_wrong_options_are_refused(population: KnownTruth, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        corrected_series(population.store, labels=population.read(population.drawn(60, seed=1)), **options)


def test_wrong_scores_are_refused(population: KnownTruth) -> None:
    labels, whole = population.read(population.drawn(60, seed=1)), {f"d{n}": 0.5 for n in population.documents}
    for changed, message in [
        ({"d5": math.nan}, "finite numbers; document 'd5'"),
        ({"d5": "much"}, "must contain numbers only"),
        ({"zzz": 1.0}, "'zzz', which is not a document"),
    ]:
        with pytest.raises(InputError, match=message):
            corrected_series(population.store, labels=labels, scores={"judge": {**whole, **changed}})


def test_too_few_labels_say_what_would_help(population: KnownTruth) -> None:
    silent = [n for n, band in population.strata.items() if band == "silent"]
    others = [n for n, band in population.strata.items() if band != "silent"]
    with pytest.raises(TooFewLabelsError, match=r"of at least 10 documents; 4 have them\. Label more: 3 drawn"):
        corrected_series(population.store, labels=population.read(others[:4], drawn=7))
    with pytest.raises(
        TooFewLabelsError, match=r"1 stratum has fewer, such as 'silent' with 1\. Draw and label more documents"
    ):
        corrected_series(population.store, labels=population.read([*others[:40], silent[0]]))
    labels = population.read(population.documents[:40])
    lost = np.where(np.arange(40)[:, None] < 35, np.nan, labels.labels)
    with pytest.raises(TooFewLabelsError, match="Settle or answer 35 documents without a label"):
        corrected_series(population.store, labels=population.read(population.documents[:40], labels=lost))


def test_labels_of_another_store_are_refused(population: KnownTruth) -> None:
    labels = population.read(population.documents[:20])
    with pytest.raises(InputError, match="document 1 has a label but is not in the store"):
        corrected_series(
            population.store,
            labels=population.read(population.documents[:20], documents=np.array([1, *labels.documents[1:]])),
        )
    strata = {number: name for number, name in population.strata.items() if number != 5}
    with pytest.raises(InputError, match="document 5 has none"):
        corrected_series(population.store, labels=population.read(population.documents[:20], strata=strata))


def test_texts_of_coders_are_escaped(population: KnownTruth) -> None:
    labels = population.read(population.drawn(60, seed=1), question="<b>Who\x1b[31m?", coders=("<i>anna",))
    series = corrected_series(population.store, labels=labels)
    assert "\x1b" not in str(series)
    shown = series._repr_html_()
    assert "<b>" not in shown
    assert "<i>" not in shown
    assert "&lt;b&gt;Who" in shown


@pytest.mark.long
def test_reprints_are_reported(tmp_path: Path) -> None:
    truth = known_truth(tmp_path / "notes.duckdb", n=100)
    truth.store.close()
    with EventStore.open(truth.store.path, read_only=False) as store:
        store.append({"stories": {"document": [5, 8], "story": [5, 5]}})
        series = corrected_series(
            store, labels=truth.read(truth.documents[:60], strata=dict.fromkeys(truth.strata, "all"))
        )
    assert "2 documents report the same story as another document" in " ".join(series.checks)


def test_it_speaks_of_documents(plain: object) -> None:
    assert not any(term in str(plain) for term in ("cluster", "units"))


# How often corrected intervals hold the truth, over populations and draws, compared with raw ones.


POPULATIONS, DRAWS, READ = 4, 15, 120


@pytest.mark.slow
def test_corrected_intervals_hold_on_average(tmp_path: Path) -> None:
    """600 documents, 120 read, two actors by quarter; the model finds 20 to 40 % of the events, and invents some."""
    raw, cells, totals = [], [], []
    for seed in range(POPULATIONS):
        population = known_truth(tmp_path / f"{seed}.duckdb", n=600, seed=seed)
        strata = build_strata(population.store, ACTORS, period="quarter", n=READ)
        named = {int(number): strata.names[code] for number, code in zip(strata.documents, strata.codes, strict=True)}
        population = replace(population, strata=named)
        truth = dict(zip(ACTORS, population.truth.sum(axis=0).tolist(), strict=True))
        rows = event_series(population.store, actors=ACTORS).rows
        raw += [row.low <= population.counts(row.period, row.actor) <= row.high for row in rows]
        for draw in range(DRAWS):
            series = corrected_series(
                population.store, labels=population.read(population.drawn(READ, seed=100 * seed + draw))
            )
            cells += [row.low <= population.counts(row.period, row.actor) <= row.high for row in series.rows]
            totals += [row.low <= truth[row.actor] <= row.high for row in series.totals]
        population.store.close()
    assert np.mean(raw) < 0.2
    assert np.mean(cells) >= 0.93  # .952 of 480
    assert np.mean(totals) >= 0.92  # .967 of 120


# Two actors by their corrected counts: against samples of both laws, turned around, and in the extremes.


@pytest.fixture(scope="module")
def smaller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnownTruth]:
    truth = known_truth(tmp_path_factory.mktemp("comparison") / "known.duckdb", n=240)
    yield truth
    truth.store.close()


@pytest.fixture(scope="module")
def smaller_series(smaller: KnownTruth) -> CorrectedSeries:
    return corrected_series(smaller.store, labels=smaller.read(smaller.drawn(80, seed=1)))


def test_probabilities_are_those_of_both_laws(smaller_series: CorrectedSeries) -> None:
    compared = corrected_comparison(smaller_series, "AAA", "BBB")
    laws = {row.group: law for row, law in zip(smaller_series.counts.rows, smaller_series.counts.laws, strict=True)}
    methods = {name: {row.period: row.method for row in smaller_series.rows_of(name)} for name in ("AAA", "BBB")}
    for row in compared.rows:
        if "labels" in (methods["AAA"][row.period], methods["BBB"][row.period]):  # one has labels only: no joint law
            difference, more = smaller_series.counts.difference(
                *((actor, "asked", row.period) for actor in ("AAA", "BBB"))
            )
            assert (row.low, row.mean, row.high) == (difference.low, difference.value, difference.high)
            assert row.greater <= more <= row.greater + row.equal or np.isnan(more)
            continue
        a, b = (laws[actor, "asked", row.period] for actor in ("AAA", "BBB"))
        every = np.arange(0, a.units + a.labelled_positives + b.units + b.labelled_positives + 1)
        mass_a, mass_b = (np.diff(law.cdf(every), prepend=0.0) for law in (a, b))
        joint = np.outer(mass_a, mass_b)
        assert row.greater == pytest.approx(np.tril(joint, -1).sum(), abs=1e-7)
        assert row.equal == pytest.approx(np.trace(joint), abs=1e-7)
        assert row.less == pytest.approx(np.triu(joint, 1).sum(), abs=1e-7)
        assert row.low <= row.mean <= row.high


def test_turned_around(smaller_series: CorrectedSeries) -> None:
    forward, backward = (corrected_comparison(smaller_series, *pair) for pair in (("AAA", "BBB"), ("BBB", "AAA")))
    for row, turned in zip((*forward.rows, forward.total), (*backward.rows, backward.total), strict=True):
        assert row.greater == pytest.approx(turned.less, abs=1e-7)
        assert row.equal == pytest.approx(turned.equal, abs=1e-7)
        assert row.mean == pytest.approx(-turned.mean)
    assert forward.total.low == pytest.approx(-backward.total.high)


def test_the_probability_in_all_agrees_with_its_interval(smaller_series: CorrectedSeries) -> None:
    total = corrected_comparison(smaller_series, "AAA", "BBB").total
    assert total.greater + total.equal + total.less == pytest.approx(1.0)
    assert (total.low > 0) == (total.greater + total.equal / 2 > 0.975)
    assert total.mean == pytest.approx(
        smaller_series.total_of("AAA").estimate - smaller_series.total_of("BBB").estimate
    )


def test_labelled_documents_are_certain(smaller: KnownTruth, tmp_path: Path) -> None:
    whole = corrected_series(smaller.store, labels=smaller.read(smaller.documents))
    compared = corrected_comparison(whole, "AAA", "BBB")
    for row in (*compared.rows, compared.total):
        difference = row.mean
        sides = float(difference > 1e-9), float(abs(difference) <= 1e-9), float(difference < -1e-9)
        assert (row.greater, row.equal, row.less) == pytest.approx(sides)
        assert row.low == pytest.approx(row.high)
    assert "has more" in compared.verdict()


def test_comparisons_that_are_refused(smaller: KnownTruth, smaller_series: CorrectedSeries) -> None:
    with pytest.raises(InputError, match="different actors"):
        corrected_comparison(smaller_series, "AAA", "AAA")
    with pytest.raises(InputError, match="no actor 'CCC'"):
        corrected_comparison(smaller_series, "AAA", "CCC")
    shares = corrected_series(smaller.store, labels=smaller.read(smaller.drawn(80, seed=1)), unit="share")
    with pytest.raises(InputError, match="no unit 'share' in corrected comparisons"):
        corrected_comparison(shares, "AAA", "BBB")


RULES = {"words": {"name": "attack", "forms": ["attacked", "SPOKE"]}, "function": {"name": "a", "function": "f"}}


@pytest.fixture(scope="module", params=list(RULES))
def store(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[EventStore]:
    path = tmp_path_factory.mktemp("features") / f"{request.param}.duckdb"
    with make_store(path, documents=20, rule=RULES[request.param]) as event_store:
        yield event_store


@pytest.mark.long
def test_every_value_is_that_of_its_document(store: EventStore) -> None:
    actors = ["USA", "IRQ", "YUG"]
    pairs = pair_features(store, actors)
    numbers = [number for (number,) in store.ask("SELECT document FROM documents ORDER BY document")]
    assert pairs.actors == tuple(actors)
    assert pairs.documents.tolist() == numbers
    assert len(pairs) == len(numbers) * len(actors)
    words = {word.lower() for word in store.settings["rule"].get("forms", [])}
    documents = stored_documents(store, numbers)
    for at, (number, code) in enumerate(zip(pairs.document.tolist(), pairs.actor_codes.tolist(), strict=True)):
        document = documents[number]
        naming = [mention.sentence for mention in document.mentions if code in mention.actors]
        of_all = sum(len(mention.actors) for mention in document.mentions)
        verbs = {(mention.sentence, mention.verb) for mention in document.mentions if mention.verb is not None}
        n_event_words = sum(word.lower() in words for sentence, _ in document.sentences for word in sentence)
        n_words = n_event_words if words else len(verbs)
        expected = {
            "mentions": math.log1p(len(naming)),
            "share of mentions": len(naming) / of_all if of_all else 0.0,
            "named early": float(any(sentence < 3 for sentence in naming)),
            "event words": math.log1p(n_words),
            "mentions and event words": math.log1p(len(naming)) * math.log1p(n_words),
        }
        assert {name: float(column[at]) for name, column in pairs.features.items()} == pytest.approx(expected)
        p = next((event.probability for event in document.events if event.actor == code), 0.0)
        assert pairs.probability[at] == p
        assert str(pairs.date[at]) == str(document.date)


def test_all_that_act_are_taken_where_none_is_named(store: EventStore) -> None:
    assert set(pair_features(store).actors) <= set(TITLES)
    assert pair_features(store, ["Iraq"]).actors == ("IRQ",)


def test_features_of_an_actor_do_not_depend_on_the_others(store: EventStore) -> None:
    alone, among = pair_features(store, ["IRQ"]), pair_features(store, ["NATO", "IRQ"])
    for name, column in alone.features.items():
        np.testing.assert_array_equal(column, among.features[name][among.actor == 1])


def test_lemmas_count_where_the_rule_gives_lemmas(tmp_path: Path) -> None:
    settings = {"version": 0, "samples": 2, "rule": {"name": "attack", "verbs": ["attack"]}, "actors": {"A": "A"}}
    with EventStore.create(tmp_path / "s.duckdb", settings) as store:
        documents = {"document": [3], "id": ["d"], "date": ["2001-01-01"], "words": [3], "mentions": [0]}
        sentence = {"document": [3], "sentence": [0], "words": [["They", "attacked", "."]], "spaces": [[True] * 3]}
        store.append({"documents": documents, "sentences": {**sentence, "lemmas": [["they", "Attack", "."]]}})
        pairs = pair_features(store, ["A"])
    assert pairs.features["event words"].tolist() == [math.log(2)]
    assert pairs.probability.tolist() == [0.0]


def test_an_unknown_actor_is_refused(store: EventStore) -> None:
    with pytest.raises(InputError, match="no actor 'XYZ'"):
        pair_features(store, ["XYZ"])


def test_two_of_whom_no_document_tells_cannot_be_compared(smaller: KnownTruth) -> None:
    """Two counts by labels alone that are all negative: P(A > B) is not one half, and a tie is not impossible."""
    labels = smaller.read(smaller.drawn(80, seed=1))
    nobody = replace(labels, labels=np.zeros_like(labels.labels))
    compared = corrected_comparison(corrected_series(smaller.store, labels=nobody), "AAA", "BBB")
    assert np.isnan([compared.total.greater, compared.total.equal, compared.total.less]).all()
    assert compared.total.low < compared.total.mean == 0.0 < compared.total.high
    assert compared.verdict().endswith(UNDECIDED_TOTAL)


def test_a_tie_of_counts_by_labels_alone_is_less_than_half_a_document(smaller_series: CorrectedSeries) -> None:
    total = corrected_comparison(smaller_series, "AAA", "BBB").total
    reach = total.mean - total.low if total.mean > 0 else total.high - total.mean
    law = norm(total.mean, reach / norm.ppf(0.975))
    assert (total.greater, total.equal) == pytest.approx((law.sf(0.5), law.cdf(0.5) - law.cdf(-0.5)), abs=1e-9)
