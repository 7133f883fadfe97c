"""Files of logits: what is in them comes out, some rows at a time; what they are not is said."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save, save_file

from howsure.data import logit_files
from howsure.data.logit_files import open_logits

LOGITS = np.random.default_rng(0).standard_normal((12, 5))
TARGETS = np.arange(12) % 5


def logits_and_targets(opened) -> tuple[np.ndarray, np.ndarray]:
    blocks = list(opened.blocks())
    return np.concatenate([block.logits for block in blocks]), np.concatenate([block.targets for block in blocks])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ">f8"])
@pytest.mark.parametrize("at_once", [1, 17, 1 << 20])
def test_npy_shards(dtype, at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logit_files, "PAIRS_AT_ONCE", at_once)
    np.save(tmp_path / "x-2.npy", LOGITS[:8].astype(dtype))
    np.save(tmp_path / "x-10.npy", LOGITS[8:].astype(dtype))
    np.save(tmp_path / "t.npy", TARGETS.astype(np.int32))
    opened = open_logits([tmp_path / "x-*.npy"], targets=[tmp_path / "t.npy"])
    assert [Path(name).name for name in opened.files] == ["x-2.npy", "x-10.npy"]
    assert (opened.rows, opened.n_classes, opened.ignored) == (12, 5, 0)
    logits, targets = logits_and_targets(opened)
    np.testing.assert_array_equal(logits, LOGITS.astype(dtype))
    np.testing.assert_array_equal(targets, TARGETS)


@pytest.mark.parametrize("name", ["targets", "label_ids", "labels"])
def test_safetensors_of_texts_and_tokens(name: str, tmp_path: Path) -> None:
    targets = TARGETS.reshape(3, 4).copy()
    targets[0, 1:] = -100
    arrays = {"logits": LOGITS.reshape(3, 4, 5).astype(np.float16), name: targets, "mask": np.ones((3, 4), bool)}
    save_file(arrays, tmp_path / "x.safetensors", metadata={"model": "small"})
    opened = open_logits([tmp_path / "x.safetensors"])
    logits, read_targets = logits_and_targets(opened)
    np.testing.assert_array_equal(logits, LOGITS.astype(np.float16))
    np.testing.assert_array_equal(read_targets, targets.ravel())
    assert opened.ignored == 3


def test_bfloat16_is_widened(tmp_path: Path) -> None:
    halves = (LOGITS.astype("<f4").view("<u4") >> 16).astype("<u2")
    content = {"dtype": "BF16", "shape": [12, 5], "data_offsets": [0, 120]}
    path = tmp_path / "x.safetensors"
    path.write_bytes(with_header({"logits": content}, halves.tobytes()))
    np.save(tmp_path / "t.npy", TARGETS)
    logits, _ = logits_and_targets(open_logits([path], targets=[tmp_path / "t.npy"]))
    np.testing.assert_array_equal(logits.view("<u4") & 0xFFFF, 0)
    np.testing.assert_allclose(logits, LOGITS, rtol=2.0**-7)


def with_header(header: object, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def place(**changed: object) -> dict[str, object]:
    return {"logits": {"dtype": "F64", "shape": [12, 5], "data_offsets": [0, 480], **changed}}


DATA = LOGITS.tobytes()


def test_what_the_library_of_the_format_writes_is_read(tmp_path: Path) -> None:
    """Every type, and none of the bytes of its neighbours."""
    kinds = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"]
    arrays = {kind: np.arange(3 * (at + 1)).astype(kind) for at, kind in enumerate(kinds)}
    content = save({**arrays, "logits": LOGITS, "odd": np.array([True])})
    (tmp_path / "x.safetensors").write_bytes(content)
    with open(tmp_path / "x.safetensors", "rb") as file:
        tensors = logit_files.read_tensors(file, len(content), "x")
        assert set(tensors) == {*kinds, "logits"}
        for kind in kinds:
            np.testing.assert_array_equal(tensors[kind].values(file), arrays[kind])
            assert tensors[kind].values(file).dtype == np.dtype(kind)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", LOGITS)
    np.save("t.npy", TARGETS)
    return tmp_path


def test_a_target_file_for_each_shard(folder: Path) -> None:
    np.save("y.npy", LOGITS[:4])
    save_file({"labels": TARGETS[:4]}, "u.safetensors")
    opened = open_logits(["x.npy", "y.npy"], targets=["t.npy", "u.safetensors"])
    np.testing.assert_array_equal(logits_and_targets(opened)[1], [*TARGETS, *TARGETS[:4]])
    assert [block.place(0) for block in opened.blocks()] == [f"row 1 of {name}.npy (counted from 1)" for name in "xy"]
