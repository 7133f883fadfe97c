"""Taggers as scikit-learn wants them: parameters, clones, searches."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.sequences.crf import CRFTagger
from howsure.sequences.hmm import HMMTagger
from howsure.sequences.tagger import Tagger
from tests.sequences.corpora import made_up

WORDS, TAGS = made_up(60)


@pytest.mark.parametrize(
    ("tagger", "shown"),
    [
        (HMMTagger(unknown="uniform"), "HMMTagger(unknown='uniform')"),
        (CRFTagger(features=("word", "shape"), c2=0.5), "CRFTagger(features=('word', 'shape'), c2=0.5)"),
        (CRFTagger(rng=np.random.default_rng(0)), "CRFTagger()"),
    ],
)
def test_clones_have_the_parameters_and_nothing_learnt(tagger: Tagger, shown: str) -> None:
    from sklearn.base import clone

    tagger.fit(WORDS, TAGS)
    copy = clone(tagger)
    assert type(copy) is type(tagger)
    assert repr(copy.set_params(**{"rng": None} if "rng" in copy.get_params() else {})) == shown
    with pytest.raises(InputError, match=rf"this {type(tagger).__name__} is not fitted; call fit\(sentences, tags\)"):
        copy.predict(WORDS)


def test_scikit_learn_searches_over_parameters() -> None:
    from sklearn.model_selection import GridSearchCV

    for tagger, grid in (
        (HMMTagger(), {"pseudocount_emission": [100.0, 0.1]}),
        (CRFTagger(max_iterations=20), {"c2": [1000.0, 0.1]}),
    ):
        search = GridSearchCV(tagger, grid, cv=3).fit(WORDS, TAGS)
        (name,) = grid
        assert search.best_params_ == {name: 0.1}
        assert search.best_estimator_.predict(WORDS[:2]) == search.predict(WORDS[:2])


def test_parameters_are_set_by_name() -> None:
    tagger = CRFTagger().set_params(c2=1.0, trainer="adagrad")
    assert (tagger.c2, tagger.trainer) == (1.0, "adagrad")
    assert repr(tagger) == "CRFTagger(trainer='adagrad', c2=1.0)"
    assert repr(HMMTagger()) == "HMMTagger()"
    with pytest.raises(InputError, match=r"no parameter 'c3' in CRFTagger; .* Did you mean c2"):
        tagger.set_params(c3=1.0)


def test_decodings() -> None:
    tagger = HMMTagger().fit(WORDS, TAGS)
    posterior = tagger.posterior(WORDS)
    assert tagger.predict(WORDS) == posterior.names(posterior.viterbi())
    most_probable = [[tagger.labels_[k] for k in m.argmax(axis=1)] for m in posterior.marginals()]
    assert tagger.predict(WORDS, decoding="posterior") == most_probable
    with pytest.raises(InputError, match="Did you mean viterbi"):
        tagger.predict(WORDS, decoding="vitterbi")


def test_the_score_is_the_share_of_right_words() -> None:
    tagger = HMMTagger().fit(WORDS, TAGS)
    right = [p == g for ps, gs in zip(tagger.predict(WORDS), TAGS, strict=True) for p, g in zip(ps, gs, strict=True)]
    assert tagger.score(WORDS, TAGS) == sum(right) / len(right)
    with pytest.raises(InputError, match=r"tags\[0\] must hold one tag for each word"):
        tagger.score(WORDS[:1], [TAGS[0] + ["N"]])
    with pytest.raises(InputError, match="sentences hold no word"):
        tagger.score([[]], [[]])


@pytest.mark.parametrize("tagger", [HMMTagger(), CRFTagger(features="advanced")])
def test_taggers_travel_between_processes(tagger: Tagger) -> None:
    """joblib and multiprocessing pickle; files of ours do not."""
    tagger.fit(WORDS, TAGS)
    assert pickle.loads(pickle.dumps(tagger)).predict(WORDS) == tagger.predict(WORDS)
