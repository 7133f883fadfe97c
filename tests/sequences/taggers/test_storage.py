"""Model files: what is saved comes back, and what is not whole is refused."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.files.archive import LEAST_MOST
from howsure.sequences import load_tagger
from howsure.sequences.taggers import storage
from howsure.sequences.taggers.crf import CRFTagger
from howsure.sequences.taggers.hmm import HMMTagger
from howsure.sequences.taggers.tagger import Tagger
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


@pytest.mark.parametrize("place", ["nowhere/model", "."])
def test_no_place_to_write(tmp_path: Path, place: str) -> None:
    with pytest.raises(InputError, match="must be in a folder that exists"):
        HMMTagger().fit(WORDS, TAGS).save(tmp_path / place)


def test_a_link_stays_and_leads_to_the_model(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "latest").symlink_to(tmp_path / "models" / "one")
    CRFTagger().fit(WORDS, TAGS).save(tmp_path / "latest")
    assert (tmp_path / "latest").is_symlink()
    assert load_tagger(tmp_path / "models" / "one").predict(WORDS) == load_tagger(tmp_path / "latest").predict(WORDS)


def test_a_failed_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tagger = HMMTagger().fit(WORDS, TAGS)
    (tmp_path / "model").write_text("before")

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(storage.os, "fsync", full)
    with pytest.raises(InputError, match="model cannot be written: no space left"):
        tagger.save(tmp_path / "model")
    assert os.listdir(tmp_path) == ["model"]
    assert (tmp_path / "model").read_text() == "before"


@pytest.mark.parametrize("kind", [HMMTagger, CRFTagger])
def test_a_file_cut_short_is_refused(tmp_path: Path, kind: type[Tagger]) -> None:
    path = tmp_path / "model"
    kind().fit(WORDS, TAGS).save(path)
    data = path.read_bytes()
    for length in [0, 1, 30, len(data) // 3, len(data) // 2, len(data) - 1]:
        path.write_bytes(data[:length])
        with pytest.raises(InputError, match="is no whole model file"):
            load_tagger(path)


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


def rewritten(path: Path, **changes: object) -> None:
    """The file with other content in its head, checksums and all."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(members["tagger.json"])
    for name, value in changes.items():
        if name.endswith("_npy"):
            buffer = io.BytesIO()
            np.save(buffer, value, allow_pickle=True)
            members[name.replace("_npy", ".npy")] = buffer.getvalue()
            head["sha256"][name.removesuffix("_npy")] = hashlib.sha256(buffer.getvalue()).hexdigest()
        elif name in head["content"]:
            head["content"][name] = value
        else:
            head[name] = value
    members["tagger.json"] = json.dumps(head).encode()
    members["tagger.json.sha256"] = hashlib.sha256(members["tagger.json"]).hexdigest().encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": 99}, r"written by a later howsure \(schema 99\)"),
        ({"schema": "one"}, "is no model that howsure has saved"),
        ({"format": "other"}, "is no model that howsure has saved"),
        ({"kind": "rnn"}, "is no whole model file"),
        ({"content": {}}, "is no whole model file"),
        ({"labels": ["D", "N"]}, "is no whole model file"),
        ({"labels": 5}, "is no whole model file"),
        ({"labels": ["D", "N", "N", "V"]}, "is no whole model file: labels must name each of the 4 tags once"),
        ({"labels": ["D", "N", 3, "V"]}, "is no whole model file: labels must be the tags as text"),
        ({"attributes": ["one"]}, "is no whole model file"),
        ({"attributes": None}, "is no whole model file"),
        ({"parameters": {"c3": 1}}, "is no whole model file"),
        ({"sha256": {}}, "is no whole model file"),
        ({"transitions_npy": np.zeros((2, 2))}, "is no whole model file"),
        ({"transitions_npy": np.full((4, 4), np.nan)}, "is no whole model file"),
        ({"transitions_npy": np.array([["a"] * 4] * 4)}, "is no whole model file"),
        ({"transitions_npy": np.array([{}, []], dtype=object)}, "is no whole model file"),
        ({"indices_npy": np.array([99])}, "is no whole model file"),
        ({"data_npy": np.array([np.inf] * 18)}, "is no whole model file"),
        ({"transitions_npy": np.zeros((4, 4), "M8[s]")}, "transitions must hold numbers; it holds values of the type"),
        ({"attributes": ["half \ud800"] * 18}, r"holds half a character \(a lone surrogate\)"),
    ],
)
def test_a_forged_file_is_refused(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    """Checksums hold, sizes and types do not; an array of objects (a pickle) is never opened."""
    path = tmp_path / "model"
    CRFTagger().fit(WORDS, TAGS).save(path)
    rewritten(path, **changes)
    with pytest.raises(InputError, match=message):
        load_tagger(path)


def packed(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_an_empty_member_is_a_damaged_file_not_a_stop(tmp_path: Path) -> None:
    path = tmp_path / "model"
    HMMTagger().fit(WORDS, TAGS).save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(members["tagger.json"])
    head["sha256"]["start"] = hashlib.sha256(b"").hexdigest()
    members |= {"start.npy": b"", "tagger.json": json.dumps(head).encode()}
    members["tagger.json.sha256"] = hashlib.sha256(members["tagger.json"]).hexdigest().encode()
    packed(path, members)
    with pytest.raises(InputError, match="is no whole model file: start is no array of numpy"):
        load_tagger(path)


def test_a_head_as_deep_as_a_mine_is_refused(tmp_path: Path) -> None:
    text = b'{"format": ' + b"[" * 100_000
    packed(tmp_path / "model", {"tagger.json": text, "tagger.json.sha256": hashlib.sha256(text).hexdigest().encode()})
    with pytest.raises(InputError, match="is no whole model file: it is nested too deeply"):
        load_tagger(tmp_path / "model")


def test_members_that_nobody_needs_are_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "model"
    HMMTagger().fit(WORDS, TAGS).save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    packed(path, members | {"bomb.bin": bytes(LEAST_MOST + 1)})
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    assert load_tagger(path).predict(WORDS)
    assert tracemalloc.get_traced_memory()[1] < 1 << 25
    tracemalloc.stop()
    packed(path, members | {"tagger.json": bytes(LEAST_MOST + 1)})
    with pytest.raises(InputError, match=r"tagger\.json unpacks to .* far too many for the size of the file"):
        load_tagger(path)


def test_words_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model"
    tagger = HMMTagger(unknown="uniform").fit(WORDS, TAGS)
    tagger.save(path)
    rewritten(path, words=[[], *tagger.words_[1:]])
    with pytest.raises(InputError, match="words and classes must be texts"):
        load_tagger(path)


def test_an_array_of_another_model_is_found(tmp_path: Path) -> None:
    """A whole file with a whole array, but not the one that was saved."""
    path = tmp_path / "model"
    HMMTagger().fit(WORDS, TAGS).save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["start.npy"], members["end.npy"] = members["end.npy"], members["start.npy"]
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="an array does not fit its checksum"):
        load_tagger(path)


def test_files_of_others(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("The DT\n")
    np.savez(tmp_path / "arrays.npz", a=np.zeros(3))
    with pytest.raises(InputError, match="is no whole model file"):
        load_tagger(tmp_path / "text")
    with pytest.raises(InputError, match=r"is no model that howsure has saved: it holds no tagger\.json"):
        load_tagger(tmp_path / "arrays.npz")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load_tagger(tmp_path / "nothing")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        load_tagger(tmp_path)
