"""Models in files: the round trip, and every way a file can be invalid."""

from __future__ import annotations

import copy
import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.coreference import parsed as hand
from tests.files.sealed import reseal

from howsure.errors import InputError
from howsure_text.coreference.antecedent_model import AntecedentModel, sharpen_scores
from howsure_text.coreference.coref_posterior import CorefPosterior
from howsure_text.coreference.training import probabilities

STORY = hand.story()


@pytest.fixture(scope="module")
def model() -> AntecedentModel:
    return AntecedentModel(passes=3, sharpness=1.2, rng=5).fit([STORY])


@pytest.fixture
def file(model: AntecedentModel, tmp_path: Path) -> Path:
    model.save(tmp_path / "story.npz")
    return tmp_path / "story.npz"


def test_round_trip(model: AntecedentModel, file: Path) -> None:
    loaded = AntecedentModel.load(file)
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(loaded.weights_, model.weights_)
    same = loaded.posterior(STORY).pair_probability() == model.posterior(STORY).pair_probability()
    assert same.all()
    assert [path.name for path in file.parent.iterdir()] == ["story.npz"]  # nothing temporary is left


def test_a_byte_changed_anywhere_is_noticed(model: AntecedentModel, file: Path) -> None:
    content = file.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(content), 60).tolist():
        spoilt = bytearray(content)
        spoilt[place] ^= 0x55
        file.write_bytes(spoilt)
        try:
            loaded = AntecedentModel.load(file)
        except InputError:
            continue
        np.testing.assert_array_equal(
            loaded.weights_, model.weights_
        )  # a byte that means nothing: a date in the archive


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "tagger"}, "contains a model of the kind 'tagger'; this reads the kind 'antecedent model'"),
        ({"schema": 3}, "has schema 3 and this howsure reads schemas 1 to 2 of the kind .*; install a newer"),
        ({"sha256": {}}, "its weights are not"),
        (
            {"families": [["match", 3, "none"]]},
            "trained with features that differ from those of this version; train it again",
        ),
        ({"parameters": {"colour": "red"}}, "features that differ"),
        ({"parameters": {"l1": "much"}}, "features that differ"),
        ({"n_weights": 7}, "features that differ"),
    ],
)
def test_a_file_of_another_version(file: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        AntecedentModel.load(reseal(file, **changes))


def test_a_generator_as_seed_is_not_kept(tmp_path: Path) -> None:
    AntecedentModel(passes=1, rng=np.random.default_rng(0)).fit([STORY]).save(tmp_path / "m.npz")
    assert AntecedentModel.load(tmp_path / "m.npz").get_params()["rng"] is None


@pytest.mark.parametrize("spoil", ["far", "negative", "short", "nan", "float", "twice"])
def test_weights_that_do_not_fit_are_refused_whatever_the_checksum(file: Path, spoil: str) -> None:
    with np.load(file) as arrays:
        places, values = arrays["places"], arrays["values"]
    change = {
        "far": lambda: (places + np.int32(10**7), values),
        "negative": lambda: (-places[::-1], values),
        "short": lambda: (places, values[1:]),
        "nan": lambda: (places, values * np.nan),
        "float": lambda: (places.astype(np.float64), values),
        "twice": lambda: (np.full_like(places, places[0]), values),
    }
    places, values = change[spoil]()
    with pytest.raises(InputError, match=r"its weights are not .* finite numbers\. Restore a copy"):
        AntecedentModel.load(reseal(file, {"places": places, "values": values}))


def test_the_pretrained_model_has_the_weights_that_training_gave_it() -> None:
    """Their digest was taken before the form of the file changed."""
    model = AntecedentModel.pretrained()
    assert (model.mentions, model.sharpness, model.two_steps) == ("detected", 1.1, False)
    assert hashlib.sha256(model.weights_.astype("<f8").tobytes()).hexdigest() == (
        "3c7b96e47c3893424a07ad13ddc90414be8942ad32f8588f8aacff5502c99136"
    )


def test_the_pretrained_model_has_a_map_of_its_confidence_and_its_probabilities_of_before() -> None:
    recalibration = AntecedentModel.pretrained().recalibration_
    assert recalibration.sharpening is None
    assert (recalibration.documents, recalibration.recipe["folds"]) == (53, 4)
    by_name = {effect.name: effect for effect in recalibration.effects}
    assert by_name["entities"].before.error > 0.08
    assert by_name["entities"].after.error < 0.04


def test_a_model_knows_where_its_weights_come_from(file: Path) -> None:
    assert AntecedentModel.pretrained().source_ == "pretrained"
    loaded = AntecedentModel.load(file)
    assert loaded.source_ == str(file)
    assert loaded.fit([STORY]).source_ == "fitted"


def learnt(model: AntecedentModel) -> CorefPosterior:
    """The posterior of the story as it was learnt."""
    plain = copy.copy(model)
    plain.sharpness = 1.0
    return plain.posterior(STORY)


def test_a_recalibration_stays_with_the_model(model: AntecedentModel, file: Path) -> None:
    other = model.recalibrate([STORY, hand.dialogue()])
    other.save(file)
    loaded = AntecedentModel.load(file)
    assert loaded.recalibration_.to_dict() == other.recalibration_.to_dict()
    np.testing.assert_array_equal(loaded.posterior(STORY).pair_probability(), other.posterior(STORY).pair_probability())
    expected = other.recalibration_.apply(learnt(model)).pair_probability()
    np.testing.assert_allclose(loaded.posterior(STORY).pair_probability(), expected, atol=1e-12)


@pytest.mark.parametrize(
    "recalibration",
    [
        {"sharpening": {"links": 1.0, "new": 1.0}},
        {"sharpening": {"links": 0.0, "new": 1.0, "offset": 0.0}},
        {"confidence": {"best": {"several": [0, 1, 0], "alone": [0, 1]}}},
        {"effects": [{"predictions": "pairs"}]},
        {"documents": "many"},
        7,
    ],
)
def test_an_invalid_recalibration_is_refused(model: AntecedentModel, file: Path, recalibration: Any) -> None:
    other = model.recalibrate([STORY, hand.dialogue()])
    other.save(file)
    assert other.recalibration_ is not None
    if isinstance(recalibration, dict):
        recalibration = other.recalibration_.to_dict() | recalibration
    with pytest.raises(InputError, match=r"its recalibration is invalid .*Restore a copy"):
        AntecedentModel.load(reseal(file, recalibration=recalibration))


def test_a_file_of_before_has_no_recalibration(file: Path) -> None:
    assert AntecedentModel.load(file).recalibration_ is None
    assert AntecedentModel.load(file).sharpness == 1.2


# Sharpened distributions against the sums that define them, row by row.


def random_scores(seed: int, m: int = 6, spread: float = 2.0) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(0, spread, (m, m))
    return np.where(np.tri(m, dtype=bool), scores, -np.inf)


@pytest.mark.parametrize("s", [0.5, 1.2, 3.0])
def test_in_two_steps_as_defined(s: float) -> None:
    scores = random_scores(1)
    rows = sharpen_scores(scores, s, two_steps=True)
    for j in range(1, len(scores)):
        weights = [math.exp(score) for score in scores[j, : j + 1]]
        new, old = (weights[j] / sum(weights)) ** s, (sum(weights[:j]) / sum(weights)) ** s
        assert rows[j, j] == pytest.approx(new / (new + old))
        powers = [weight**s for weight in weights[:j]]
        assert rows[j, :j] == pytest.approx([old / (new + old) * power / sum(powers) for power in powers])
    assert rows[0].tolist() == [1, 0, 0, 0, 0, 0]


def test_at_once_every_choice_is_raised_to_the_power() -> None:
    scores = random_scores(2)
    powers = probabilities(scores) ** 1.5
    np.testing.assert_allclose(sharpen_scores(scores, 1.5, two_steps=False), powers / powers.sum(axis=1, keepdims=True))


@given(st.integers(0, 1000), st.integers(0, 8), st.floats(0.1, 100), st.sampled_from([1.0, 30.0, 500.0]), st.booleans())
def test_rows_are_distributions(seed: int, m: int, s: float, spread: float, two_steps: bool) -> None:
    rows = sharpen_scores(random_scores(seed, m, spread), s, two_steps=two_steps)
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)
    assert (np.triu(rows, 1) == 0).all()
    assert (rows >= 0).all()


@given(st.integers(0, 1000))
def test_the_power_one_changes_nothing(seed: int) -> None:
    scores = random_scores(seed)
    np.testing.assert_allclose(sharpen_scores(scores, 1.0, two_steps=True), probabilities(scores))


def test_at_once_new_gains_on_many_alike() -> None:
    """Four antecedents share one half: at once each loses to "new", in two steps none does."""
    scores = np.array([[0.0] * 4 + [math.log(4)]] * 5)
    scores = np.where(np.tri(5, dtype=bool), scores, -np.inf)
    assert sharpen_scores(scores, 2.0, two_steps=True)[4, 4] == pytest.approx(0.5)
    assert sharpen_scores(scores, 2.0, two_steps=False)[4, 4] == pytest.approx(16 / 20)
