"""Models in files: the round trip, and every way a file can be no model."""

from __future__ import annotations

import io
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from howsure.coreference.model.antecedent_model import AntecedentModel, _checksum
from howsure.errors import InputError
from tests.coreference import parsed as hand

STORY = hand.story()


@pytest.fixture(scope="module")
def model() -> AntecedentModel:
    return AntecedentModel(passes=3, sharpness=1.2, rng=5).fit([STORY])


@pytest.fixture
def file(model: AntecedentModel, tmp_path: Path) -> Path:
    model.save(tmp_path / "story.npz")
    return tmp_path / "story.npz"


def rewritten(file: Path, **changes: Any) -> Path:
    """The file with another header, and the checksum that belongs to it."""
    with np.load(file) as arrays:
        content = dict(arrays)
    text = json.dumps(json.loads(content["header"].tobytes()) | changes).encode()
    content["header"] = np.frombuffer(text, dtype=np.uint8)
    parts = b"".join(content[name].tobytes() for name in ("header", "places", "values"))
    np.savez_compressed(file, **{**content, "checksum": np.uint32(zlib.crc32(parts))})
    return file


def test_round_trip(model: AntecedentModel, file: Path) -> None:
    read = AntecedentModel.load(file)
    assert read.get_params() == model.get_params()
    np.testing.assert_array_equal(read.weights_, model.weights_)
    same = read.posterior(STORY).pair_probability() == model.posterior(STORY).pair_probability()
    assert same.all()
    assert [path.name for path in file.parent.iterdir()] == ["story.npz"]  # nothing temporary is left


def test_nothing_is_pickled(file: Path) -> None:
    with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
        assert {array.dtype.kind for array in arrays.values()} <= set("uif")


@pytest.mark.parametrize("kept", [0, 1, 100, 0.5, -1])
def test_a_file_cut_short(file: Path, kept: float) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * kept) if 0 < kept < 1 else int(kept)])
    with pytest.raises(InputError, match=r"story.npz is no model, or it was cut short or changed; restore a copy"):
        AntecedentModel.load(file)


def test_a_byte_changed_anywhere_is_noticed(model: AntecedentModel, file: Path) -> None:
    content = file.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(content), 60).tolist():
        spoilt = bytearray(content)
        spoilt[place] ^= 0x55
        file.write_bytes(spoilt)
        try:
            read = AntecedentModel.load(file)
        except InputError:
            continue
        np.testing.assert_array_equal(read.weights_, model.weights_)  # a byte that means nothing: a date in the archive


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "howsure tagger"}, "holds no antecedent model but 'howsure tagger'"),
        ({"version": 2}, "has version 2, this howsure reads 1; update it"),
        ({"families": [["match", 3, "none"]]}, "trained with other features than this version has; train it again"),
        ({"parameters": {"colour": "red"}}, "other features"),
        ({"parameters": {"l1": "much"}}, "other features"),
        ({"n_weights": 7}, "other features"),
    ],
)
def test_a_file_of_another_version(file: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        AntecedentModel.load(rewritten(file, **changes))


def test_a_header_that_was_tampered_with(file: Path) -> None:
    with np.load(file) as arrays:
        content = dict(arrays)
    content["values"] = content["values"] * 2
    np.savez_compressed(file, **content)
    with pytest.raises(InputError, match="cut short or changed"):
        AntecedentModel.load(file)


def test_other_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the model .*nowhere.npz: No such file"):
        AntecedentModel.load(tmp_path / "nowhere.npz")
    (tmp_path / "text.npz").write_text("a story")
    np.savez(tmp_path / "arrays.npz", a=np.ones(3))
    np.save(tmp_path / "array.npz.npy", np.ones(3))
    np.savez(tmp_path / "object.npz", header=np.array([{"a": 1}], dtype=object))
    for name in ("text.npz", "arrays.npz", "array.npz.npy", "object.npz"):
        with pytest.raises(InputError, match="is no model"):
            AntecedentModel.load(tmp_path / name)


@pytest.mark.parametrize("wrong", [None, 3, b"model.npz", ["model.npz"], "", "a\0b"])
def test_what_is_no_name_of_a_file(model: AntecedentModel, wrong: Any) -> None:
    for call in (AntecedentModel.load, model.save):
        with pytest.raises(InputError, match=r"path must be the name of a file, such as 'model.npz'; it is"):
            call(wrong)


def test_a_file_that_does_not_say_it_was_sharpened_at_once(file: Path) -> None:
    """Such as the model of the package."""
    with np.load(file) as arrays:
        parameters = json.loads(arrays["header"].tobytes())["parameters"]
    assert parameters.pop("two_steps") is True
    assert AntecedentModel.load(rewritten(file, parameters=parameters)).two_steps is False
    assert AntecedentModel.pretrained().two_steps is False


def test_what_is_not_trained_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not trained, there is nothing to save"):
        AntecedentModel().save(tmp_path / "empty.npz")
    assert list(tmp_path.iterdir()) == []


def test_no_folder_no_file(model: AntecedentModel, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        model.save(tmp_path / "nowhere" / "story.npz")


def test_a_generator_as_seed_is_not_kept(tmp_path: Path) -> None:
    AntecedentModel(passes=1, rng=np.random.default_rng(0)).fit([STORY]).save(tmp_path / "m.npz")
    assert AntecedentModel.load(tmp_path / "m.npz").get_params()["rng"] is None


@pytest.mark.parametrize("spoil", ["far", "negative", "short", "nan", "float", "twice"])
def test_weights_that_do_not_fit_are_refused_whatever_the_checksum(file: Path, spoil: str) -> None:
    with np.load(file) as arrays:
        header, places, values = (arrays[name] for name in ("header", "places", "values"))
    change = {
        "far": lambda: (places + np.int32(10**7), values),
        "negative": lambda: (-places[::-1], values),
        "short": lambda: (places, values[1:]),
        "nan": lambda: (places, values * np.nan),
        "float": lambda: (places.astype(np.float64), values),
        "twice": lambda: (np.full_like(places, places[0]), values),
    }
    places, values = change[spoil]()
    np.savez(file, header=header, places=places, values=values, checksum=_checksum(header, places, values))
    with pytest.raises(InputError, match=r"holds weights that are no .* finite numbers; restore a copy"):
        AntecedentModel.load(file)
