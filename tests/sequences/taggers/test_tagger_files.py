"""Taggers in files: what is saved comes back, and what does not fit together is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.sequences import load_tagger
from howsure.sequences.crf import CRFTagger
from howsure.sequences.hmm import HMMTagger
from howsure.sequences.tagger import Tagger
from tests.files.sealed import reseal
from tests.sequences.corpora import made_up

WORDS, TAGS = made_up(40)
ASKED = [*WORDS, ["the", "axolotl", "🦎"], []]


def fitted() -> list[Tagger]:
    return [
        HMMTagger(pseudocount_emission=0.0, pseudocount_transition=0.5).fit(WORDS, TAGS),
        HMMTagger(unknown="uniform").fit(WORDS, TAGS),
        CRFTagger(features="advanced", trainer="adagrad", max_iterations=3, rng=1).fit(WORDS, TAGS),
        CRFTagger(features=("word", "shape"), c2=0.3).fit(WORDS, TAGS),
    ]


@pytest.mark.parametrize("tagger", fitted(), ids=repr)
def test_a_tagger_comes_back_as_it_was(tagger: Tagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "model.npz")
    back = type(tagger).load(tmp_path / "model.npz")
    assert type(back) is type(tagger)
    assert back.labels_ == tagger.labels_
    assert json.dumps(back.get_params()) == json.dumps(tagger.get_params())
    np.testing.assert_array_equal(back.posterior(ASKED[:-2]).log_z, tagger.posterior(ASKED[:-2]).log_z)
    assert back.predict(ASKED) == tagger.predict(ASKED)
    assert repr(back).replace("[", "(").replace("]", ")") == repr(tagger)  # JSON has no tuples
    assert os.listdir(tmp_path) == ["model.npz"]


def test_one_model_makes_one_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        CRFTagger().fit(WORDS, TAGS).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_function_is_passed_again(tmp_path: Path) -> None:
    def features(words):
        return [[word[0]] for word in words]

    tagger = CRFTagger(features=features).fit(WORDS, TAGS)
    tagger.save(tmp_path / "model")
    with pytest.raises(InputError, match=r"features is a function.*CRFTagger.load\(path, features=...\)"):
        CRFTagger.load(tmp_path / "model")
    assert CRFTagger.load(tmp_path / "model", features=features).predict(WORDS) == tagger.predict(WORDS)


def test_a_model_of_the_other_kind(tmp_path: Path) -> None:
    HMMTagger().fit(WORDS, TAGS).save(tmp_path / "model")
    assert isinstance(load_tagger(tmp_path / "model"), HMMTagger)
    with pytest.raises(InputError, match="holds a HMMTagger, not a CRFTagger"):
        CRFTagger.load(tmp_path / "model")


def test_parameters_passed_on_reading_replace_those_of_the_file(tmp_path: Path) -> None:
    CRFTagger(c2=0.1).fit(WORDS, TAGS).save(tmp_path / "model")
    assert CRFTagger.load(tmp_path / "model", c2=0.5).c2 == 0.5
    with pytest.raises(InputError, match="no parameter 'c3' in CRFTagger"):
        CRFTagger.load(tmp_path / "model", c3=0.5)


def test_what_is_not_fitted_is_not_saved(tmp_path: Path) -> None:
    for tagger in (HMMTagger(), CRFTagger()):
        with pytest.raises(InputError, match="is not fitted"):
            tagger.save(tmp_path / "model")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", [HMMTagger, CRFTagger])
def test_a_changed_byte_is_found_or_changes_nothing(tmp_path: Path, kind: type[Tagger]) -> None:
    path = tmp_path / "model"
    tagger = kind().fit(WORDS, TAGS)
    tagger.save(path)
    data = path.read_bytes()
    expected, refused = tagger.predict(WORDS), 0
    places = range(0, len(data), 11)
    for place in places:
        changed = bytearray(data)
        changed[place] ^= 0x55
        path.write_bytes(changed)
        try:
            assert load_tagger(path).predict(WORDS) == expected
        except InputError:
            refused += 1
    assert refused > 0.7 * len(places)  # of all bytes 0.83: the rest are dates and names that nobody reads


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"schema": 99},
            "has schema 99 and this howsure reads schemas 1 to 2 of the kind 'tagger'; install a newer one",
        ),
        ({"kind": "antecedent model"}, "holds a model of the kind 'antecedent model'; this reads the kind 'tagger'"),
        ({"tagger": "rnn"}, "is not a model"),
        ({"tagger": []}, "is not a model"),
        ({"content": {}}, "is not a model"),
        ({"learnt": {}}, "is not a model"),
        ({"learnt": None}, "is not a model"),
        ({"labels": ["D", "N"]}, "is not a model"),
        ({"labels": 5}, "is not a model"),
        (
            {"labels": ["D", "N", "N", "V"]},
            "is not a model, or was truncated or changed: labels must name each of the 4 tags once",
        ),
        (
            {"labels": ["D", "N", 3, "V"]},
            "is not a model, or was truncated or changed: labels must be the tags as text",
        ),
        ({"attributes": ["one"]}, "is not a model"),
        ({"attributes": None}, "is not a model"),
        ({"parameters": {"c3": 1}}, "is not a model"),
        ({"sha256": {}}, "is not a model"),
        ({"arrays": {"transitions": np.zeros((2, 2))}}, "is not a model"),
        ({"arrays": {"transitions": np.full((4, 4), np.nan)}}, "is not a model"),
        ({"arrays": {"transitions": np.array([["a"] * 4] * 4)}}, "is not a model"),
        ({"arrays": {"transitions": np.array([{}, []], dtype=object)}}, "is not a model"),
        ({"arrays": {"indices": np.array([99])}}, "is not a model"),
        ({"arrays": {"data": np.array([np.inf] * 18)}}, "is not a model"),
        (
            {"arrays": {"transitions": np.zeros((4, 4), "M8[s]")}},
            "transitions must hold numbers; it holds values of the type",
        ),
        ({"attributes": ["half \ud800"] * 18}, r"holds half a character \(a lone surrogate\)"),
    ],
)
def test_a_forged_file_is_refused(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    """Checksums hold, sizes and types do not; an array of objects (a pickle) is never opened."""
    path = tmp_path / "model"
    CRFTagger().fit(WORDS, TAGS).save(path)
    reseal(path, **changes)
    with pytest.raises(InputError, match=message):
        load_tagger(path)


def test_words_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model"
    tagger = HMMTagger(unknown="uniform").fit(WORDS, TAGS)
    tagger.save(path)
    reseal(path, words=[[], *tagger.words_[1:]])
    with pytest.raises(InputError, match="words and classes must be texts"):
        load_tagger(path)
