"""Scores learned from labelled texts: honest for these texts, useful for the others."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from howsure.counts import learn_score
from howsure.counts.learn_score import FOLDS, _fitted, _folds, word_weights
from howsure.errors import MissingExtraError

WORDS = ["river", "school", "market", "police", "crowd", "train", "harbour", "minister", "rain", "field"]


def news(n: int, seed: int) -> tuple[list[str], np.ndarray]:
    """Texts of ten words; those with an arrest say so in one of two ways, in four of five cases."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(float)
    arrest_words = ["arrested" if rng.random() < 0.5 else "detained" for _ in range(n)]
    action_words = [word if y and rng.random() < 0.8 else "walked" for word, y in zip(arrest_words, truth, strict=True)]
    return [" ".join([*rng.choice(WORDS, 9), word]) for word in action_words], truth


def test_other_texts_get_the_mean_of_the_folds_and_labelled_ones_the_fold_without_them() -> None:
    texts, truth = news(120, 0)
    labels = np.where(np.arange(120) < 50, truth, np.nan)
    learned = learn_score(texts, labels, rng=3)
    labelled = np.arange(50)
    folds = _folds(labelled, np.random.default_rng(3))
    features = word_weights(texts)
    fits = [_fitted(features, labelled[folds != fold], truth[:50][folds != fold]) for fold in range(FOLDS)]
    np.testing.assert_allclose(learned[50:], np.mean(fits, axis=0)[50:], rtol=1e-9)
    expected = [fits[fold][row] for row, fold in enumerate(folds.tolist())]
    np.testing.assert_allclose(learned[:50], expected, rtol=1e-9)
    changed = labels.copy()
    changed[7] = 1 - changed[7]
    assert learn_score(texts, changed, rng=3)[7] == pytest.approx(learned[7], rel=1e-6)  # its own label says nothing


def test_what_is_learned_ranks_unread_texts() -> None:
    texts, truth = news(800, 1)
    labels = np.where(np.arange(800) < 200, truth, np.nan)
    learned = learn_score(texts, labels, rng=0)[200:]
    unread = truth[200:]
    more = (learned[unread == 1][:, None] > learned[unread == 0]).mean()
    assert more > 0.8  # the word says it in four of five cases: .9 at best
    assert ((learned > 0) & (learned < 1)).all()


def test_labels_that_say_nothing_of_words_give_a_score_near_their_share() -> None:
    """Out of fold, a score from random labels must not know them: |r| of 400 pairs stays below 4 / √400."""
    texts, _ = news(400, 2)
    labels = (np.random.default_rng(0).random(400) < 0.5).astype(float)
    learned = learn_score(texts, labels, rng=0)
    assert abs(np.corrcoef(learned, labels)[0, 1]) < 0.2


def test_texts_of_one_cluster_share_a_fold() -> None:
    cluster = np.arange(60) % 12
    folds = _folds(cluster, np.random.default_rng(0))
    assert all(len(np.unique(folds[cluster == cluster_id])) == 1 for cluster_id in range(12))
    assert len(np.unique(folds)) == FOLDS
    texts, truth = news(60, 3)
    assert learn_score(texts, truth, clusters=cluster, rng=0).shape == (60,)


@pytest.mark.parametrize("value", [0, 1])
def test_labels_all_alike_give_their_smoothed_share(value: int) -> None:
    texts, _ = news(40, 4)
    learned = learn_score(texts, [value] * 20 + [None] * 20, rng=0)
    np.testing.assert_allclose(learned, (16 * value + 0.5) / 17)


def test_without_scikit_learn_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)  # what is not installed cannot be imported
    with pytest.raises(MissingExtraError, match=r"howsure\[classifiers\]"):
        learn_score(["a b"] * 20, [0, 1] * 10)
