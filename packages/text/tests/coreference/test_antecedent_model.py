"""The model learns, keeps what it learned, and says what is wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from tests.coreference import parsed as hand

from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError
from howsure_text.coreference import CorefPosterior
from howsure_text.coreference.antecedent_model import AntecedentModel
from howsure_text.coreference.detection import mention_entities, select_mentions
from howsure_text.coreference.features import NEW_FAMILIES, PAIR_FAMILIES
from howsure_text.coreference.mentions import FORMS, TYPE_OF_FORM, mention_columns
from howsure_text.coreference.training import (
    INITIAL_SQUARES,
    AdaGrad,
    Loss,
    Scorer,
    allowed_antecedents,
    cross_fit_scores,
    loss_and_gradient,
    margins,
    probabilities,
    train,
)

STORY, TALK = hand.story(), hand.dialogue()


def gold_log_probability(model: AntecedentModel, document: Document) -> float:
    clusters: dict[object, list[Mention]] = {}
    for mention in document.mentions or ():
        clusters.setdefault(mention.entity, []).append(mention)
    return float(model.posterior(document).log_prob(list(clusters.values())))


def test_a_tiny_corpus_is_learned() -> None:
    model = AntecedentModel(passes=40, l1=0.0, rng=0).fit([STORY, TALK])
    for document in (STORY, TALK):
        entity = {mention: mention.entity for mention in document.mentions or ()}
        clusters = [
            sorted(str(entity[mention]) for mention in cluster)
            for cluster in model.posterior(document).best_antecedent_clusters()
        ]
        assert all(len(set(names)) == 1 for names in clusters)
        assert len(clusters) == len(set(entity.values()))
    losses = [fit_of_pass.training for fit_of_pass in model.history_]
    assert losses == sorted(losses)


def test_the_same_seed_gives_the_same_model() -> None:
    model, same, other = (AntecedentModel(passes=3, rng=rng).fit([STORY, TALK, STORY]) for rng in (1, 1, 2))
    np.testing.assert_array_equal(model.weights_, same.weights_)
    assert not np.array_equal(model.weights_, other.weights_)


def test_the_penalty_empties_the_model() -> None:
    weights = [
        np.count_nonzero(AntecedentModel(passes=5, l1=l1, rng=0).fit([STORY]).weights_) for l1 in (0.0, 0.1, 100.0)
    ]
    assert weights[0] > weights[1] > weights[2] == 0


def test_the_margin_makes_links_dearer_to_miss() -> None:
    likelihood, margin = (
        AntecedentModel(passes=10, loss=loss, rng=0).fit([STORY, TALK]) for loss in ("likelihood", "margin")
    )
    fewer = margin.posterior(STORY).number_of_entities().mean
    assert fewer < likelihood.posterior(STORY).number_of_entities().mean


@pytest.mark.parametrize("two_steps", [True, False])
def test_the_posterior_is_sharpened(two_steps: bool) -> None:
    """At once the odds of every antecedent against "new" are squared; in two steps those of all of them."""
    plain, sharp = (
        AntecedentModel(passes=5, sharpness=s, two_steps=two_steps, rng=0).fit([STORY]).posterior(STORY)
        for s in (1.0, 2.0)
    )
    for j in range(1, 8):
        once, twice = (posterior.antecedents.row(j)[1] / posterior.antecedents.new[j] for posterior in (plain, sharp))
        odds, of_sharp = (once.sum() ** 2, twice.sum()) if two_steps else (once**2, twice)
        np.testing.assert_allclose(of_sharp, odds)


def test_features_can_be_left_out() -> None:
    small = AntecedentModel(passes=3, features=["match", "new"], rng=0).fit([STORY])
    assert small.features == ("match", "new")
    assert len(small.weights_) < len(AntecedentModel(passes=1, rng=0).fit([STORY]).weights_) / 5


def test_detected_mentions_learn_from_the_gold_that_they_hit() -> None:
    mentions = select_mentions(STORY, source="detected")
    assert set(mentions) == set(STORY.mentions or ())
    extra = (*mentions, Mention(3, 1, 2))
    assert mention_entities(STORY, extra).tolist() == [0, 1, 1, 0, 1, 0, 0, 2, 3]
    assert AntecedentModel(mentions="detected", passes=2, rng=0).fit([STORY]).mentions_of(STORY) == mentions


def test_posterior_of_given_mentions() -> None:
    model = AntecedentModel(passes=2, rng=0).fit([STORY])
    posterior = model.posterior(STORY, mentions=[Mention(0, 0, 2), Mention(1, 3, 4)])
    assert isinstance(posterior, CorefPosterior)
    assert posterior.pair_probability().shape == (2, 2)


def test_what_comes_later_does_not_change_earlier_choices() -> None:
    model = AntecedentModel(passes=3, rng=0).fit([STORY])
    short = replace(STORY, mentions=(STORY.mentions or ())[:5])
    whole = model.posterior(STORY).pair_probability()
    np.testing.assert_allclose(model.posterior(short).pair_probability(), whole[:5, :5])


def test_an_empty_document_has_an_empty_posterior() -> None:
    model = AntecedentModel(passes=1, rng=0).fit([STORY])
    assert model.posterior(Document("empty", (), ())).pair_probability().shape == (0, 0)


def test_development_documents_choose_the_pass() -> None:
    """Learned from a text in which everybody is one, the first pass suits the story best."""
    confused = replace(STORY, mentions=tuple(replace(mention, entity=0) for mention in STORY.mentions or ()))
    model = AntecedentModel(passes=15, rng=0).fit([confused], development=[STORY])
    best = max(model.history_, key=lambda fit_of_pass: fit_of_pass.development or -np.inf)
    model.sharpness = 1.0
    assert gold_log_probability(model, STORY) / 8 == pytest.approx(best.development)
    assert best.number < 15


@pytest.mark.parametrize("documents_before", [0, 1, 3, 5])
def test_control_c_keeps_the_best_so_far(documents_before: int) -> None:
    """Two documents a pass: cut in the first pass what is learned is kept, later the last whole pass."""
    calls = count()

    def interrupt(done: int) -> None:
        assert done == 1
        if next(calls) == documents_before:
            raise KeyboardInterrupt

    cut = AntecedentModel(passes=50, rng=0).fit([STORY, TALK], advance=interrupt)
    assert cut.interrupted_
    assert len(cut.history_) == documents_before // 2
    assert np.count_nonzero(cut.weights_) > 0
    assert gold_log_probability(cut, STORY) > gold_log_probability(
        AntecedentModel(passes=1, l1=1e3, rng=0).fit([STORY]), STORY
    )


def test_one_adagrad_step() -> None:
    optimiser = AdaGrad(3, l1=0.5)
    optimiser.step(np.array([10.0, 0.2, -10.0]), rate=1.0)
    size = 1 / np.sqrt(INITIAL_SQUARES + 100)
    np.testing.assert_allclose(optimiser.weights, [-9.5 * size, 0.0, 9.5 * size])


def test_progress_counts_every_document() -> None:
    done: list[int] = []
    AntecedentModel(passes=3, rng=0).fit([STORY, TALK], advance=done.append)
    assert done == [1] * 6


def test_numbers_of_numpy_are_saved_like_others(tmp_path) -> None:
    model = AntecedentModel(l1=np.float32(0.5), passes=np.int64(1), sharpness=np.float32(1.0)).fit([hand.story()])
    model.save(tmp_path / "model.npz")
    assert AntecedentModel.load(tmp_path / "model.npz").get_params() == model.get_params()


@pytest.mark.parametrize("wrong", [None, 3, "gold.conllu"])
def test_an_invalid_list_of_documents(wrong: Any) -> None:
    model = AntecedentModel(passes=1)
    with pytest.raises(InputError, match="documents must be a list of documents, such as"):
        model.fit(wrong)
    with pytest.raises(InputError, match="development must be a list of documents; without any"):
        model.fit([STORY], development=wrong)
    if wrong is not None:
        with pytest.raises(InputError, match="mentions must be a list of Mention"):
            model.fit([STORY]).posterior(STORY, mentions=wrong)


def test_folds_recalibrate_by_the_documents_of_training_alone() -> None:
    documents = [replace(STORY if place % 2 else hand.dialogue(), name=str(place)) for place in range(6)]
    steps: list[int] = []
    model = AntecedentModel(passes=2, rng=1).fit(documents, folds=3, advance=steps.append)
    plain = AntecedentModel(passes=2, rng=1).fit(documents)
    assert plain.recalibration_ is None
    np.testing.assert_array_equal(model.weights_, plain.weights_)  # the folds do not change what is learnt
    assert len(steps) == 2 * 6 * 3
    assert model.recalibration_.recipe["folds"] == 3
    assert {effect.name for effect in model.recalibration_.effects} >= {"pairs", "new mentions", "entities"}
    assert model.fit(documents).recalibration_ is None  # learnt anew, the old one holds no more


def test_each_fold_is_predicted_by_a_model_of_the_others() -> None:
    documents = [STORY, hand.dialogue(), STORY, hand.dialogue()]
    model = AntecedentModel(passes=2, rng=1)
    examples = [model._example(document) for document in documents]
    rngs = np.random.default_rng(3).spawn(2)
    scores = cross_fit_scores(model._scorer, examples, rngs=rngs, loss="likelihood", l1=0.01, passes=2)
    rng = np.random.default_rng(3).spawn(2)[0]
    others = train(model._scorer, examples[1::2], loss="likelihood", l1=0.01, passes=2, rng=rng)
    expected = model._scorer.scores(examples[0].features, model._scorer.tables(others.weights))
    np.testing.assert_array_equal(scores[0], expected)


def test_a_model_recalibrated_by_its_documents_is_another_model() -> None:
    model = AntecedentModel(passes=3, rng=0).fit([STORY])
    before = model.posterior(STORY).pair_probability()
    other = model.recalibrate([STORY, hand.dialogue()])
    np.testing.assert_array_equal(model.posterior(STORY).pair_probability(), before)
    assert model.recalibration_ is None
    judged = other.judge_recalibration([STORY, hand.dialogue()], before=model)
    assert judged.to_dict()["effects"] == other.recalibration_.to_dict()["effects"]


def test_confidence_is_recalibrated_without_the_probabilities() -> None:
    documents = [STORY, hand.dialogue()]
    model = AntecedentModel(passes=3, rng=0).fit([STORY])
    other = model.recalibrate(documents, sharpen=False)
    np.testing.assert_array_equal(other.posterior(STORY).pair_probability(), model.posterior(STORY).pair_probability())
    judged = other.judge_recalibration(documents, before=model)
    assert judged.to_dict()["effects"] == other.recalibration_.to_dict()["effects"]
    sharp = model.recalibrate(documents)
    again = sharp.recalibrate(documents, sharpen=False)  # it keeps the sharpening that it has
    first, second = (
        recalibrated.recalibration_.to_dict()["effects"]
        for recalibrated in (sharp, again)
        if recalibrated.recalibration_
    )
    # what it gave with the first map
    assert [effect["before"] for effect in second] == [effect["after"] for effect in first]
    assert again.recalibration_.sharpening == sharp.recalibration_.sharpening
    np.testing.assert_array_equal(again.posterior(STORY).pair_probability(), sharp.posterior(STORY).pair_probability())


ENTITIES = np.array([0, 1, 0, 2, 1, 0])


def random_scores(rng: np.random.Generator, m: int = len(ENTITIES)) -> np.ndarray:
    return np.where(np.tri(m, dtype=bool), rng.normal(0, 2, (m, m)), -np.inf)


def test_right_choices() -> None:
    right = allowed_antecedents(ENTITIES)
    assert [np.flatnonzero(row).tolist() for row in right] == [[0], [1], [0], [3], [1], [0, 2]]


def test_margins() -> None:
    cost = margins(allowed_antecedents(ENTITIES))
    assert cost[1].tolist()[:2] == [0.1, 0.0]  # new: a link is a false link
    assert cost[4].tolist()[:5] == [1.0, 0.0, 1.0, 1.0, 3.0]  # old: wrong links, and a false "new"


def test_likelihood_by_hand() -> None:
    scores = np.array([[0.5, -np.inf, -np.inf], [1.0, 2.0, -np.inf], [0.3, 0.7, -1.0]])
    loss, _ = loss_and_gradient(scores, allowed_antecedents(np.array([0, 0, 0])))
    first = math.exp(1) / (math.exp(1) + math.exp(2))
    second = (math.exp(0.3) + math.exp(0.7)) / (math.exp(0.3) + math.exp(0.7) + math.exp(-1))
    assert loss == pytest.approx(-math.log(first) - math.log(second))


def test_a_margin_is_likelihood_with_dearer_mistakes() -> None:
    scores = random_scores(np.random.default_rng(0))
    right = allowed_antecedents(ENTITIES)
    assert loss_and_gradient(scores, right, loss="margin")[0] > loss_and_gradient(scores, right)[0]
    dearer = scores + margins(right)
    assert loss_and_gradient(scores, right, loss="margin")[0] == loss_and_gradient(dearer, right)[0]


@pytest.mark.parametrize("loss", ["likelihood", "margin"])
def test_gradient_by_scores(loss: Loss) -> None:
    scores, right = random_scores(np.random.default_rng(1)), allowed_antecedents(ENTITIES)
    gradient = loss_and_gradient(scores, right, loss=loss)[1]
    step = 1e-6
    for j, k in zip(*np.tril_indices(len(scores)), strict=True):
        up, down = scores.copy(), scores.copy()
        up[j, k] += step
        down[j, k] -= step
        slope = (loss_and_gradient(up, right, loss=loss)[0] - loss_and_gradient(down, right, loss=loss)[0]) / (2 * step)
        assert gradient[j, k] == pytest.approx(slope, abs=1e-8)
    np.testing.assert_array_equal(gradient[np.triu_indices(len(scores), 1)], 0)


@pytest.mark.parametrize("loss", ["likelihood", "margin"])
def test_gradient_by_weights(loss: Loss) -> None:
    """Through the tables: a direction in the space of all weights, and single weights of every kind of conjunction."""
    story = hand.story()
    scorer = Scorer(PAIR_FAMILIES, NEW_FAMILIES)
    features = scorer.features(mention_columns(story, story.mentions or ()))
    right = allowed_antecedents(np.array([0, 1, 1, 0, 1, 0, 0, 2]))
    rng = np.random.default_rng(2)
    weights = rng.normal(0, 0.1, scorer.n_weights)

    def value(at: np.ndarray) -> float:
        return loss_and_gradient(scorer.scores(features, scorer.tables(at)), right, loss=loss)[0]

    of_scores = loss_and_gradient(scorer.scores(features, scorer.tables(weights)), right, loss=loss)[1]
    gradient = scorer.gradient(features, of_scores)
    direction, step = rng.normal(size=scorer.n_weights), 1e-6
    slope = (value(weights + step * direction) - value(weights - step * direction)) / (2 * step)
    assert gradient @ direction == pytest.approx(slope, rel=1e-5)
    for place in rng.choice(np.flatnonzero(gradient), 25, replace=False):
        offset = np.zeros(scorer.n_weights)
        offset[place] = step
        assert gradient[place] == pytest.approx(
            (value(weights + offset) - value(weights - offset)) / (2 * step), abs=1e-7
        )


def test_a_score_is_the_sum_of_the_weights_of_its_features() -> None:
    """The tables against the definition: every family bare, with types, with forms."""
    story = hand.story()
    scorer = Scorer(PAIR_FAMILIES, NEW_FAMILIES)
    a = mention_columns(story, story.mentions or ())
    features = scorer.features(a)
    weights = np.random.default_rng(3).normal(size=scorer.n_weights)
    scores = scorer.scores(features, scorer.tables(weights))
    earlier = list(zip(*np.tril_indices(len(a), -1), strict=True))
    for pair, (j, k) in enumerate(earlier):
        total, start = 0.0, 0
        for family, codes in zip(PAIR_FAMILIES, features.pairs, strict=True):
            n, code = family.size, int(codes[pair])
            total += weights[start + code]
            start += n
            if family.conjunction != "none":
                total += weights[start + code * 9 + TYPE_OF_FORM[a.form[j]] * 3 + TYPE_OF_FORM[a.form[k]]]
                start += n * 9
            if family.conjunction == "forms":
                total += weights[start + code * len(FORMS) ** 2 + a.form[j] * len(FORMS) + a.form[k]]
                start += n * len(FORMS) ** 2
        assert scores[j, k] == pytest.approx(total)
    assert np.isneginf(scores[np.triu_indices(len(a), 1)]).all()


def test_probabilities_of_large_scores() -> None:
    p = probabilities(np.array([[1e4, -np.inf], [1e4, 1e4 + math.log(3)]]))
    np.testing.assert_allclose(p, [[1, 0], [0.25, 0.75]])
