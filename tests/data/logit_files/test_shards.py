"""Files of logits: what is in them comes out, some rows at a time; what they are not is said."""

from __future__ import annotations

import json
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save, save_file

from howsure import InputError
from howsure.data import logit_files
from howsure.data.logit_files import open_logits

LOGITS = np.random.default_rng(0).standard_normal((12, 5))
TARGETS = np.arange(12) % 5


def read(opened) -> tuple[np.ndarray, np.ndarray]:
    blocks = list(opened.blocks())
    return np.concatenate([one.logits for one in blocks]), np.concatenate([one.targets for one in blocks])


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
    logits, targets = read(opened)
    np.testing.assert_array_equal(logits, LOGITS.astype(dtype))
    np.testing.assert_array_equal(targets, TARGETS)


@pytest.mark.parametrize("name", ["targets", "label_ids", "labels"])
def test_safetensors_of_texts_and_tokens(name: str, tmp_path: Path) -> None:
    targets = TARGETS.reshape(3, 4).copy()
    targets[0, 1:] = -100
    held = {"logits": LOGITS.reshape(3, 4, 5).astype(np.float16), name: targets, "mask": np.ones((3, 4), bool)}
    save_file(held, tmp_path / "x.safetensors", metadata={"model": "small"})
    opened = open_logits([tmp_path / "x.safetensors"])
    logits, found = read(opened)
    np.testing.assert_array_equal(logits, LOGITS.astype(np.float16))
    np.testing.assert_array_equal(found, targets.ravel())
    assert opened.ignored == 3


def test_bfloat16_is_widened(tmp_path: Path) -> None:
    halves = (LOGITS.astype("<f4").view("<u4") >> 16).astype("<u2")
    content = {"dtype": "BF16", "shape": [12, 5], "data_offsets": [0, 120]}
    path = tmp_path / "x.safetensors"
    path.write_bytes(with_header({"logits": content}, halves.tobytes()))
    np.save(tmp_path / "t.npy", TARGETS)
    logits, _ = read(open_logits([path], targets=[tmp_path / "t.npy"]))
    np.testing.assert_array_equal(logits.view("<u4") & 0xFFFF, 0)
    np.testing.assert_allclose(logits, LOGITS, rtol=2.0**-7)


def with_header(header: object, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def place(**changed: object) -> dict[str, object]:
    return {"logits": {"dtype": "F64", "shape": [12, 5], "data_offsets": [0, 480], **changed}}


DATA = LOGITS.tobytes()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "its header is longer than the file. Is it damaged or truncated?"),
        (struct.pack("<Q", 1 << 60), "its header is longer than the file"),
        (struct.pack("<Q", (1 << 20) + 1) + b" " * (1 << 21), "its header is too long"),
        (with_header(b"{" * 5), "its header is not JSON"),
        (with_header(b"[" * 100_000), "its header is not JSON"),
        (with_header([1]), "its header names no tensors"),
        (with_header({}), "holds no tensor named logits or predictions; it has none."),
        (with_header({"weights": place()["logits"]}, DATA), "named logits or predictions; it has weights."),
        (with_header({"logits": 3}), "does not say where the tensor 'logits' lies"),
        (with_header({"logits": {"dtype": "F64", "shape": [12, 5]}}, DATA), "does not say where the tensor"),
        (with_header(place(data_offsets=[0, 480, 1]), DATA), "does not say where the tensor"),
        (with_header(place(shape=[-12, -5]), DATA), "has a shape or place that is none"),
        (with_header(place(shape=[12.0, 5]), DATA), "has a shape or place that is none"),
        (with_header(place(shape="12"), DATA), "has a shape or place that is none"),
        (with_header(place(), DATA[:-1]), "needs 480 bytes; its place is 0 to 480 of 479."),
        (with_header(place(shape=[12, 6]), DATA), "the tensor 'logits' of 12 x 6 F64 needs 576 bytes"),
        (with_header(place(data_offsets=[480, 0]), DATA), "its place is 480 to 0 of 480"),
        (with_header(place(shape=[1 << 40, 1 << 40]), DATA), "needs 9,671,406,556,917,033,397,649,408 bytes"),
        (with_header(place(dtype="F8_E4M3"), DATA), "holds no tensor named"),
        (with_header(place(dtype=[]), DATA), "holds no tensor named"),
        (
            with_header(place(dtype="I64"), DATA),
            "must hold logits, floating-point numbers, (rows, classes); it holds int64, 12 x 5.",
        ),
        (with_header(place(shape=[60]), DATA), "it holds float64, 60."),
        (with_header(place(shape=[60, 1]), DATA), "has rows of 1 number; logits of two classes or more are needed."),
        (
            with_header(place(), DATA),
            "no tensor named targets or label_ids or labels: name the file of the right classes by targets=...",
        ),
    ],
)
def test_headers_that_lie(content: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        open_logits([path])
    assert told in str(caught.value)
    assert str(path) in str(caught.value)


def test_what_the_library_of_the_format_writes_is_read(tmp_path: Path) -> None:
    """Every type, and none of the bytes of its neighbours."""
    kinds = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"]
    held = {kind: np.arange(3 * (at + 1)).astype(kind) for at, kind in enumerate(kinds)}
    content = save({**held, "logits": LOGITS, "odd": np.array([True])})
    (tmp_path / "x.safetensors").write_bytes(content)
    with open(tmp_path / "x.safetensors", "rb") as file:
        found = logit_files.tensors_of(file, len(content), "x")
        assert set(found) == {*kinds, "logits"}
        for kind in kinds:
            np.testing.assert_array_equal(found[kind].values(file), held[kind])
            assert found[kind].values(file).dtype == np.dtype(kind)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", LOGITS)
    np.save("t.npy", TARGETS)
    return tmp_path


@pytest.mark.parametrize(
    ("make", "paths", "targets", "told"),
    [
        (
            lambda: np.save("y.npy", LOGITS[:, :4]),
            ["x.npy", "y.npy"],
            ["t.npy"],
            "all files must hold logits of the same classes; they hold rows of x.npy 5, y.npy 4.",
        ),
        (
            lambda: np.save("u.npy", TARGETS[:9]),
            ["x.npy"],
            ["u.npy"],
            "u.npy must hold one target for each row of logits; its shape is (9,), and that of the logits is (12, 5).",
        ),
        (
            lambda: np.save("y.npy", LOGITS),
            ["x.npy", "y.npy"],
            ["t.npy"],
            "t.npy must hold one target for each row of "
            "logits; its shape is (12,), and that of the logits of all files is (24, 5).",
        ),
        (
            lambda: np.save("u.npy", TARGETS),
            ["x.npy"],
            ["t.npy", "u.npy"],
            "targets must be one file, or one for each of the 1 files; it is 2.",
        ),
        (
            lambda: np.save("u.npy", TARGETS * 1.0),
            ["x.npy"],
            ["u.npy"],
            "u.npy must hold the numbers of the right classes, integers; it holds float64.",
        ),
        (
            lambda: np.save("u.npy", TARGETS + 1),
            ["x.npy"],
            ["u.npy"],
            "targets must be numbers of the 5 classes, from "
            "0, or -100 for rows that do not count; row 5 of x.npy (counted from 1) holds 5.",
        ),
        (
            lambda: np.save("u.npy", TARGETS * 0 - 100),
            ["x.npy"],
            ["u.npy"],
            "no row of x.npy counts: every target is -100, or there is no row.",
        ),
        (
            lambda: np.save("f.npy", np.asfortranarray(LOGITS)),
            ["f.npy"],
            ["t.npy"],
            "f.npy holds its columns one after another; save numpy.ascontiguousarray of it.",
        ),
        (
            lambda: np.save("o.npy", np.array([[None, 1]])),
            ["o.npy"],
            ["t.npy"],
            "o.npy cannot be read: o.npy holds Python objects, which are never unpickled",
        ),
        (
            lambda: np.savez("x.npz", logits=LOGITS),
            ["x.npz"],
            ["t.npy"],
            "x.npz is an archive: save logits by numpy.save or as .safetensors.",
        ),
        (
            lambda: Path("x.pt").write_bytes(pickle.dumps(LOGITS)),
            ["x.pt"],
            ["t.npy"],
            "x.pt is pickled, and is not opened: what it holds could run. Save it as .safetensors.",
        ),
        (
            lambda: Path("x.txt").write_text("hello"),
            ["x.txt"],
            ["t.npy"],
            "x.txt holds no logits in a format that is known: .npy or .safetensors.",
        ),
        (
            lambda: Path("y.npy").write_bytes(Path("x.npy").read_bytes()[:-8]),
            ["y.npy"],
            ["t.npy"],
            "y.npy cannot be read: y.npy declares 12 x 5 values of 8 bytes, and 472 bytes are there.",
        ),
        (lambda: None, ["x.npy"], [], "x.npy holds one array: name the file of the right classes by targets=..."),
        (lambda: None, ["x.npy", "./x.npy"], ["t.npy"], "./x.npy is named twice, also as x.npy; its rows would be"),
        (lambda: None, ["y-*.npy"], ["t.npy"], "no file matches y-*.npy."),
        (lambda: None, ["xx.npy"], ["t.npy"], "no file xx.npy. Did you mean x.npy?"),
        (lambda: Path("d").mkdir(), ["d"], ["t.npy"], "d is a directory; name a file in it."),
        (lambda: np.save("e.npy", LOGITS[:0]), ["e.npy"], ["z.npy"], "no file z.npy."),
    ],
)
def test_files_that_do_not_go_together(make, paths, targets, told: str, folder: Path) -> None:
    make()
    with pytest.raises(InputError) as caught:
        open_logits(paths, targets=targets)
    assert told in str(caught.value)


def test_a_target_file_for_each_shard(folder: Path) -> None:
    np.save("y.npy", LOGITS[:4])
    save_file({"labels": TARGETS[:4]}, "u.safetensors")
    opened = open_logits(["x.npy", "y.npy"], targets=["t.npy", "u.safetensors"])
    np.testing.assert_array_equal(read(opened)[1], [*TARGETS, *TARGETS[:4]])
    assert [one.place(0) for one in opened.blocks()] == [f"row 1 of {name}.npy (counted from 1)" for name in "xy"]
