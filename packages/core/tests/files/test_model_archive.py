"""Model files: what is written comes back, the same bytes each time, and what is not whole is refused."""

from __future__ import annotations

import json
import os
import stat
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from tests.files.sealed import HEAD, parts_of, reseal, zipped

import howsure
from howsure.errors import InputError
from howsure.files import archive, atomic_write, serialization
from howsure.files.serialization import read_model, write_model

CONTENT: dict[str, Any] = {"labels": ["a", "ß", "🦎"], "l1": 0.1, "rng": None}
ARRAYS = {"weights": np.linspace(-1, 1, 500), "places": np.arange(500, dtype=np.int32)}
KIND: dict[str, Any] = {"kind": "example", "schema": 3}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_model(tmp_path / "model.npz", content=CONTENT, arrays=ARRAYS, **KIND)
    return tmp_path / "model.npz"


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ANY_ARRAY = arrays_of.arrays(
    st.sampled_from(["<f8", "<f4", "<i4", "<u2", "?"]), arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=0)
)


@pytest.mark.long
@given(content=st.dictionaries(st.text(), ANY_JSON, max_size=3), array=ANY_ARRAY)
def test_what_is_written_comes_back(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any], array: np.ndarray
) -> None:
    path = tmp_path_factory.getbasetemp() / "round.npz"
    write_model(path, content=content, arrays={"x": array}, **KIND)
    reread, arrays = read_model(path, **KIND)
    assert json.dumps(reread) == json.dumps(content)
    assert (arrays["x"].dtype, arrays["x"].shape) == (array.dtype, array.shape)
    assert arrays["x"].tobytes() == array.tobytes()


def test_one_model_makes_one_file(file: Path, tmp_path: Path) -> None:
    write_model(tmp_path / "again", content=CONTENT, arrays=ARRAYS, **KIND)
    assert (tmp_path / "again").read_bytes() == file.read_bytes()
    with zipfile.ZipFile(file) as packed:
        assert {member.date_time for member in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {member.create_system for member in packed.infolist()} == {3}


def test_numpy_reads_the_arrays(file: Path) -> None:
    with np.load(file, allow_pickle=False) as packed:
        np.testing.assert_array_equal(packed["weights"], ARRAYS["weights"])


@pytest.mark.long
def test_every_byte_that_is_changed_is_found_or_changes_nothing(file: Path) -> None:
    whole_file = file.read_bytes()
    refused = 0
    for place in range(0, len(whole_file), 7):
        spoilt = bytearray(whole_file)
        spoilt[place] ^= 0x55
        file.write_bytes(spoilt)
        try:
            content, arrays = read_model(file, **KIND)
        except InputError:
            refused += 1
            continue
        assert content == CONTENT
        assert all(np.array_equal(arrays[name], array) for name, array in ARRAYS.items())
    assert refused > 0.7 * len(whole_file) / 7  # the rest are dates and names that nobody reads


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "other"}, "contains a model of the kind 'other'; this reads the kind 'example'"),
        ({"kind": None}, "model.json must contain kind, schema, content, sha256"),
        ({"schema": 4}, "has schema 4 and this howsure reads schema 3 of the kind 'example'; install a newer one"),
        ({"schema": 10**400}, "has schema 10000000000000000000 .* install a newer one"),
        ({"schema": 2}, "has schema 2 .*; train the model and save it again"),
        ({"schema": "one"}, "must contain kind"),
        ({"schema": True}, "must contain kind"),
        ({"content": []}, "must contain kind"),
        ({"sha256": []}, "must contain kind"),
        ({"sha256": {"more": "0"}}, "it has no more.npy"),
        ({"sha256": {"../weights": "0"}}, "it has no ../weights.npy"),
        ({"labels": "half \ud800"}, r"half a character \(a lone surrogate\)"),
        ({"arrays": {"weights": np.zeros(3, "M8[s]")}}, "weights must contain numbers; it contains values of the type"),
        ({"arrays": {"weights": np.array([{}, []], dtype=object)}}, "never unpickled"),
        ({"arrays": {"weights": np.array(["a"])}}, "weights must contain numbers"),
    ],
)
def test_a_forged_file_is_refused(file: Path, changes: dict[str, Any], message: str) -> None:
    """Checksums hold, sizes and types do not; an array of objects (a pickle) is never opened."""
    with pytest.raises(InputError, match=message):
        read_model(reseal(file, **changes), **KIND)


def test_a_member_of_another_model_is_found(file: Path) -> None:
    parts = parts_of(file.read_bytes())
    parts["weights.npy"] = parts["places.npy"]
    file.write_bytes(zipped(parts))
    with pytest.raises(InputError, match="weights does not match its checksum"):
        read_model(file, **KIND)
    parts = parts_of(file.read_bytes())
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("model.json.sha256", "0")
        for name, part in parts.items():
            packed.writestr(name, part)
    with pytest.raises(InputError, match=r"model\.json does not match its checksum"):
        read_model(file, **KIND)


def test_sizes_are_checked_against_the_file_before_unpacking(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED", 1 << 23)
    parts = parts_of(file.read_bytes())
    file.write_bytes(zipped({**parts, "bomb.bin": bytes(1 << 26)}))
    assert file.stat().st_size < 1 << 20
    tracemalloc.start()
    assert read_model(file, **KIND)[0] == CONTENT  # a member that nobody asked for stays packed
    assert tracemalloc.get_traced_memory()[1] < 1 << 25
    tracemalloc.stop()
    file.write_bytes(zipped({**parts, HEAD: bytes((1 << 23) + 1)}))
    with pytest.raises(InputError, match=r"model\.json unpacks to .* far too many for the size of the file"):
        read_model(file, **KIND)


def test_a_failed_write_leaves_what_was_there(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(atomic_write.os, "fsync", full)
    with pytest.raises(InputError, match=r"cannot write .*model\.npz: no space left"):
        write_model(file, content={}, arrays={}, **KIND)
    assert os.listdir(file.parent) == ["model.npz"]
    assert file.read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits, and links need a privilege")
def test_links_stay_and_permissions_follow_the_mask_or_what_was_there(tmp_path: Path) -> None:
    link, target = tmp_path / "latest", tmp_path / "one"
    link.symlink_to(target)
    mask = os.umask(0o027)
    try:
        write_model(link, content=CONTENT, arrays=ARRAYS, **KIND)
    finally:
        os.umask(mask)
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    target.chmod(0o600)
    write_model(link, content={}, arrays={}, **KIND)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert read_model(target, **KIND) == ({}, {})


# Everything that is saved is saved and loaded in the same way, and refused in the same words.


RNG = np.random.default_rng(0)
Q = RNG.beta(3, 2, 400)
Y = (RNG.random(400) < Q).astype(int)
DAYS = np.datetime64("2026-01-01") + np.arange(400) // 20


def monitor() -> Any:
    filled = howsure.CalibrationMonitor()
    filled.update(DAYS, Y, Q)
    return filled


def summary() -> Any:
    filled = howsure.CalibrationSummary()
    filled.add(Y, Q)
    return filled


def same(model: Any, other: Any) -> bool:
    return bool(repr(model) == repr(other) and getattr(model, "to_json", str)() == getattr(other, "to_json", str)())


SAVED: dict[str, Callable[[], Any]] = {
    "map": lambda: howsure.recalibrate(Y, Q, method="platt"),
    "monitor": monitor,
    "summary": summary,
    "sample": lambda: howsure.draw_label_sample(Q, 50, rng=0),
}


@pytest.mark.parametrize("made", SAVED.values(), ids=SAVED)
def test_what_is_saved_comes_back(made: Callable[[], Any], tmp_path: Path) -> None:
    result = made()
    result.save(tmp_path / "x")
    assert same(type(result).load(tmp_path / "x"), result)


@pytest.mark.parametrize("made", SAVED.values(), ids=SAVED)
def test_what_cannot_be_saved_or_loaded(made: Callable[[], Any], tmp_path: Path) -> None:
    result = made()
    kind = type(result)
    with pytest.raises(InputError, match=r"no file .*lost"):
        kind.load(tmp_path / "lost")
    for wrong in ("", None, 3):
        with pytest.raises(InputError, match="path must be the name of a file, such as '"):
            kind.load(wrong)
        with pytest.raises(InputError, match="path must be the name of a file, such as '"):
            result.save(wrong)
    with pytest.raises(InputError, match=r"does not exist\. Create it first"):
        result.save(tmp_path / "no" / "x")
    (tmp_path / "other").write_text('{"a": 1}')
    with pytest.raises(InputError, match=r"other.* (is no|is not|was truncated)"):
        kind.load(tmp_path / "other")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serialization, "MAX_BYTES", 10)
    SAVED["map"]().save(tmp_path / "x")
    with pytest.raises(InputError, match="is too large to be a recalibration map: larger than"):
        howsure.RecalibrationMap.load(tmp_path / "x")
