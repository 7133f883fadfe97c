"""Fitted temperatures: the minimum, against a grid and another optimiser; intervals; recovery; undetermined ones."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.sequences.enumeration import Enumeration

import howsure
from howsure.errors import InputError
from howsure_text.sequences import TagPosterior, Temperatures, compare_posteriors, cross_tempered, fit_temperatures

LABELS = ["D", "N", "V"]


def spoken(n: int, *, local: float, between: float, seed: int = 0, scale: float = 2.0):
    """A posterior wrong by two temperatures, and tags drawn from the right one."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 9, n)
    arrays = [scale * rng.normal(size=(length, 3)) for length in lengths]
    start = rng.normal(size=3)
    truth = TagPosterior(arrays, scale * rng.normal(size=(3, 3)), start=start, labels=LABELS)
    gold = [truth.names(samples[0]) for samples in truth.sample(1, rng=seed + 1)]
    return truth.tempered(1 / local, transitions=1 / between), gold


def losses(posterior: TagPosterior, gold) -> tuple[float, float]:
    """-log P of gold tags and of gold sequences, by the public methods alone."""
    marginals = np.concatenate(posterior.marginals())
    codes = [LABELS.index(tag) for tags in gold for tag in tags]
    return -np.log(marginals[np.arange(len(codes)), codes]).sum(), -posterior.log_prob(gold).sum()


@pytest.mark.parametrize("likelihood", ["marginal", "joint"])
def test_no_other_temperatures_have_less_loss(likelihood: str) -> None:
    """Nelder and Mead, from elsewhere and with the losses of the public methods, find the same."""
    from scipy.optimize import minimize

    posterior, gold = spoken(12, local=0.6, between=1.5)
    temperatures = fit_temperatures(posterior, gold, likelihood=likelihood)
    which = ["marginal", "joint"].index(likelihood)

    def loss(logs) -> float:
        emission_temperature, transition_temperature = np.exp(logs)
        return float(losses(posterior.tempered(emission_temperature, transitions=transition_temperature), gold)[which])

    searched = minimize(loss, [0.5, -0.5], method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-7})
    np.testing.assert_allclose(
        [temperatures.emissions.value, temperatures.transitions.value], np.exp(searched.x), rtol=1e-3
    )
    tokens = sum(map(len, gold))
    before, after = losses(posterior, gold), losses(temperatures.apply(posterior), gold)
    np.testing.assert_allclose(
        np.array([temperatures.tag_loss, temperatures.sequence_loss]).T * tokens, [before, after], rtol=1e-10
    )


def test_the_losses_are_those_of_the_enumeration() -> None:
    rng = np.random.default_rng(3)
    emissions, transitions = rng.normal(size=(4, 3)), rng.normal(size=(3, 3))
    temperatures = fit_temperatures(TagPosterior([emissions], transitions), [[0, 2, 1, 1]], keep_answers=True)
    for temperature, i in ((1.0, 0), (temperatures.emissions.value, 1)):
        truth = Enumeration(emissions / temperature, transitions / temperature)
        assert temperatures.sequence_loss[i] * 4 == pytest.approx(truth.log_z - truth.score([0, 2, 1, 1]), rel=1e-10)
        single = [-np.log(truth.marginals()[t, tag]) for t, tag in enumerate((0, 2, 1, 1))]
        assert temperatures.tag_loss[i] == pytest.approx(np.mean(single), rel=1e-10)


def inside(sets: int, sentences: int) -> np.ndarray:
    """How often the interval of 95 % holds the true temperatures."""
    covered = np.zeros(2)
    for seed in range(sets):
        posterior, gold = spoken(sentences, local=0.5, between=1.6, seed=100 * seed)
        temperatures = fit_temperatures(posterior, gold)
        covered += [
            interval.low < truth < interval.high
            for interval, truth in ((temperatures.emissions, 0.5), (temperatures.transitions, 1.6))
        ]
    return covered


def test_the_truth_lies_in_the_intervals() -> None:
    assert (inside(6, 60) >= 3).all()  # fewer: P < .001


def test_the_interval_is_that_of_the_jackknife() -> None:
    """By as many fits as there are sentences, to what one step of Newton's loses."""
    posterior, gold = spoken(16, local=0.6, between=0.6)
    interval = fit_temperatures(posterior, gold, keep_answers=True).emissions
    rest = [[j for j in range(16) if j != i] for i in range(16)]
    without = [fit_temperatures(posterior[others], [gold[j] for j in others], keep_answers=True) for others in rest]
    logs = np.log([temperatures.emissions.value for temperatures in without])
    error = np.sqrt(15 * np.mean((logs - logs.mean()) ** 2))
    assert np.log(interval.high / interval.value) == pytest.approx(2.1314 * error, rel=0.1)  # Student's, 15 degrees


def test_intervals_of_few_sentences() -> None:
    """None where one sentence alone decides."""
    posterior = TagPosterior([np.array([[0.0, 1.0]] * 4), np.zeros((1, 2))], np.zeros((2, 2)), labels=["N", "V"])
    temperatures = fit_temperatures(posterior, [["N", "V", "V", "V"], ["N"]])
    assert temperatures.emissions.low is None
    assert temperatures.emissions.value == pytest.approx(1 / np.log(3), rel=1e-5)


@pytest.mark.slow
def test_coverage_of_the_intervals() -> None:
    covered = inside(1000, 100)
    assert (covered > 925).all(), covered
    assert (covered < 972).all(), covered


def test_one_temperature_for_everything_keeps_the_answers() -> None:
    posterior, gold = spoken(80, local=0.6, between=1.5)
    temperatures = fit_temperatures(posterior, gold, keep_answers=True)
    assert temperatures.emissions == temperatures.transitions
    for original, tempered in zip(posterior.viterbi(), temperatures.apply(posterior).viterbi(), strict=True):
        assert original.tolist() == tempered.tolist()


def test_unseen_words_have_one_of_their_own() -> None:
    rng = np.random.default_rng(1)
    arrays = [2 * rng.normal(size=(8, 3)) for _ in range(150)]
    truth = TagPosterior(arrays, rng.normal(size=(3, 3)), labels=LABELS)
    gold = [truth.names(samples[0]) for samples in truth.sample(1, rng=2)]
    unseen = [rng.random(8) < 0.4 for _ in arrays]
    wrong = truth.tempered([np.where(unseen_words, 1 / 3, 2.0) for unseen_words in unseen], transitions=1.0)
    temperatures = fit_temperatures(wrong, gold, unseen=unseen)
    assert temperatures.unseen.low < 3 < temperatures.unseen.high
    assert temperatures.emissions.low < 0.5 < temperatures.emissions.high
    tempered, right = (
        np.concatenate(posterior.marginals()) for posterior in (temperatures.apply(wrong, unseen=unseen), truth)
    )
    assert np.abs(tempered - right).mean() < 0.03 < 0.1 < np.abs(np.concatenate(wrong.marginals()) - right).mean()
    with pytest.raises(InputError, match="unseen must be given, because unseen words have their own temperature"):
        temperatures.apply(wrong)
    few = fit_temperatures(wrong, gold, unseen=[np.arange(8) < (i == 0) for i in range(150)])
    assert few.unseen is None
    assert few.notes == (
        "unseen words do not have their own temperature, because there are only 1 unseen (or seen) words, and 30 are "
        "needed",
    )


def test_transitions_that_are_alike_have_none() -> None:
    rng = np.random.default_rng(1)
    truth = TagPosterior.from_logits(
        [2 * rng.normal(size=(6, 3)) for _ in range(60)], labels=["O", "B-X", "I-X"], grammar="BIO"
    )
    gold = [truth.names(samples[0]) for samples in truth.sample(1, rng=2)]
    temperatures = fit_temperatures(truth.tempered(0.5), gold)
    assert temperatures.emissions == temperatures.transitions
    assert "so their temperature has no effect" in temperatures.notes[0]
    assert temperatures.emissions.low < 2 < temperatures.emissions.high


def test_transitions_that_hardly_matter_share_that_of_the_emissions() -> None:
    rng = np.random.default_rng(1)
    arrays = [2 * rng.normal(size=(6, 3)) for _ in range(60)]
    truth = TagPosterior(arrays, 1e-6 * rng.normal(size=(3, 3)), labels=LABELS)
    gold = [truth.names(samples[0]) for samples in truth.sample(1, rng=2)]
    temperatures = fit_temperatures(truth.tempered(0.5), gold)
    assert temperatures.emissions == temperatures.transitions
    assert temperatures.notes == (
        "the sentences do not determine a temperature of the transitions, which get the temperature of emissions",
    )


def test_what_the_model_holds_impossible_is_left_out_and_counted() -> None:
    posterior, gold = spoken(40, local=0.6, between=1.5)
    arrays = [np.array(potentials) for potentials in posterior._potentials.emissions]
    place = next(i for i, tags in enumerate(gold) if len(tags) > 2)
    arrays[place][1, LABELS.index(gold[place][1])] = -np.inf
    blind = TagPosterior(arrays, posterior._potentials.transitions, posterior._potentials.start, labels=LABELS)
    temperatures = fit_temperatures(blind, gold)
    assert temperatures.left_out == 1
    assert np.isfinite(temperatures.tag_loss).all()
    assert "left out: 1 token" in repr(temperatures)
    joint = fit_temperatures(blind, gold, likelihood="joint")
    assert joint.left_out == len(gold[place])
    unknown = [*gold[:-1], ["X"] * len(gold[-1])]
    kept = fit_temperatures(posterior, unknown, unknown_tags="keep")
    assert kept.left_out == len(gold[-1])
    assert kept.emissions.value == pytest.approx(fit_temperatures(posterior[:-1], gold[:-1]).emissions.value, rel=1e-6)


def test_they_come_back_from_json() -> None:
    posterior, gold = spoken(40, local=0.6, between=1.5)
    temperatures = fit_temperatures(posterior, gold)
    assert Temperatures.from_dict(json.loads(json.dumps(temperatures.to_dict()))) == temperatures
    for changes in ({"value": 0.0}, {"value": None}, {"low": "1"}, {"high": True}):
        with pytest.raises((TypeError, ValueError)):
            Temperatures.from_dict(temperatures.to_dict() | {"emissions": temperatures.emissions.to_dict() | changes})


def test_each_sentence_at_the_temperatures_of_the_others() -> None:
    posterior, gold = spoken(12, local=0.6, between=0.6)
    tempered = cross_tempered(posterior, gold, folds=12, rng=5, keep_answers=True)
    for i in (0, 7):
        others = [j for j in range(12) if j != i]
        alone = fit_temperatures(posterior[others], [gold[j] for j in others], keep_answers=True)
        np.testing.assert_allclose(tempered[[i]].log_z, alone.apply(posterior[[i]]).log_z, rtol=1e-6)
    first, second = (cross_tempered(posterior, gold, folds=2, rng=5, keep_answers=True) for _ in range(2))
    assert first.log_z.tolist() == second.log_z.tolist()


@pytest.mark.parametrize("wrong", [0, -1.0, float("nan"), float("inf"), "2", None, True, [1.0], [1.0, 0.0]])
def test_no_such_temperature(wrong: object) -> None:
    posterior = TagPosterior([np.eye(3), np.eye(3)], np.zeros((3, 3)))
    with pytest.raises(InputError, match=r"temperature(\[1\])? must be "):
        posterior.tempered(wrong)
    if wrong is not None:
        with pytest.raises(InputError, match=r"transitions(\[1\])? must be "):
            posterior.tempered(1.0, transitions=wrong)


def test_accuracies_before_and_after_are_means_of_tokens_in_sentences() -> None:
    posterior, gold = spoken(60, local=0.6, between=2.0)
    accuracy = compare_posteriors(posterior, posterior.tempered(0.5, transitions=2.0), gold)["accuracy"]
    right = [
        a == b
        for ours, tags in zip(posterior.names(posterior.viterbi()), gold, strict=True)
        for a, b in zip(ours, tags, strict=True)
    ]
    sentence = np.repeat(np.arange(len(gold)), [len(tags) for tags in gold])
    (row,) = howsure.mean_scores(np.array(right, dtype=float), clusters=sentence)
    assert (accuracy.before.value, accuracy.before.low, accuracy.before.high) == pytest.approx(
        (row.mean.value, row.mean.low, row.mean.high)
    )
    assert accuracy.difference is not None
    assert accuracy.difference.low is not None
    assert accuracy.difference.low < accuracy.difference.value < accuracy.difference.high


def test_sentences_that_are_all_right_do_not_show_that_all_are() -> None:
    codes = np.random.default_rng(0).integers(2, size=(20, 5))
    posterior = TagPosterior(list(9.0 * np.eye(2)[codes]), np.zeros((2, 2)), labels=["N", "V"])
    accuracy = compare_posteriors(posterior, posterior.tempered(2.0), posterior.names(list(codes)))["accuracy"]
    assert accuracy.before.high == 1.0
    assert accuracy.before.low == pytest.approx(0.025 ** (1 / 20))
    assert (accuracy.difference.value, accuracy.difference.low) == (0.0, None)
    assert accuracy.shown == "+0.0000"
