"""Models of crfsuite: every weight read from its files, every marginal as crfsuite's own."""

from __future__ import annotations

import struct
from itertools import accumulate
from pathlib import Path

import numpy as np
import pycrfsuite
import pytest

from howsure.errors import InputError
from howsure.sequences.crf import CHUNK, HEADER, RECORD, TABLE, CrfsuiteModel, CRFTagger
from tests.sequences.corpora import made_up, tweets, web_text
from tests.sequences.peer import items_of, train


def opened(path: Path) -> pycrfsuite.Tagger:
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


def check_everything(path: Path, sentences: list[list[str]], features: str) -> None:
    """All marginals of all sentences; and the best tags, which are others only where two are equally good."""
    peer, ours = opened(path), CRFTagger.from_crfsuite(path, features=features)
    posterior = ours.posterior(sentences)
    best, others = ours.predict(sentences), []
    for words, found in zip(sentences, posterior.marginals(), strict=True):
        peer.set(items_of(words, features))
        wanted = [[peer.marginal(label, t) for label in ours.labels_] for t in range(len(words))]
        np.testing.assert_allclose(found, wanted, atol=1e-12, rtol=0)
        others.append(peer.tag())
    np.testing.assert_allclose(posterior.log_prob(best), posterior.log_prob(others), atol=1e-9, rtol=0)
    assert sum(one != other for one, other in zip(best, others, strict=True)) <= len(best) / 500


@pytest.mark.parametrize("features", ["basic", pytest.param("advanced", marks=pytest.mark.long)])
def test_all_marginals_of_tweets(real_data: Path, tmp_path: Path, features: str) -> None:
    words, tags = tweets(real_data, "train")
    train((words[:200], tags[:200]), tmp_path / "model", features=features, c2=0.1, max_iterations=20)
    check_everything(tmp_path / "model", tweets(real_data, "test")[0][:150], features)


def test_all_marginals_of_web_text(real_data: Path, tmp_path: Path) -> None:
    train(web_text(real_data, "dev", 100), tmp_path / "model", c2=0.1, max_iterations=10)
    check_everything(tmp_path / "model", web_text(real_data, "test", 120)[0], "basic")


def test_weights_are_those_that_crfsuite_shows(tmp_path: Path) -> None:
    corpus = made_up(30)
    corpus[0].append(["Ünï:códe\\"])
    corpus[1].append(["Tag:2"])
    train(corpus, tmp_path / "model", features="advanced", c2=0.01)
    model, shown = CrfsuiteModel.parse((tmp_path / "model").read_bytes()), opened(tmp_path / "model").info()
    assert set(model.labels) == set(shown.labels)
    assert set(model.attributes) == set(shown.attributes)
    weights = model.weights.tocoo()
    found = {
        (model.attributes[a], model.labels[k]): w
        for a, k, w in zip(weights.row, weights.col, weights.data, strict=True)
    }
    assert found == pytest.approx(shown.state_features, abs=5.1e-7)
    for (one, next_one), weight in shown.transitions.items():
        place = model.labels.index(one), model.labels.index(next_one)
        assert model.transitions[place] == pytest.approx(weight, abs=5.1e-7)
    assert np.count_nonzero(model.transitions) == len(shown.transitions)


def test_items_of_any_form_will_do(tmp_path: Path) -> None:
    sentences = [[{"word": "a", "size": 0.5}, ["b"]], [["b"]]]
    trainer = pycrfsuite.Trainer(verbose=False)
    for items, tags in zip(sentences, [["X", "Y"], ["Y"]], strict=True):
        trainer.append(items, tags)
    trainer.train(str(tmp_path / "model"))
    peer, ours = opened(tmp_path / "model"), CRFTagger.from_crfsuite(tmp_path / "model")
    asked = [[{"word": "a", "size": -2, "new": 7.0}, {"b": True, "c": True}], [{"word": "zzz"}]]
    for items, found in zip(asked, ours.posterior(asked).marginals(), strict=True):
        peer.set(items)
        wanted = [[peer.marginal(label, t) for label in ours.labels_] for t in range(len(items))]
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_a_model_from_crfsuite_is_saved_and_read_as_any_other(tmp_path: Path) -> None:
    corpus = made_up(30)
    train(corpus, tmp_path / "model", c2=0.1)
    ours = CRFTagger.from_crfsuite(tmp_path / "model", features="basic")
    ours.save(tmp_path / "ours")
    assert (
        CRFTagger.load(tmp_path / "ours").posterior(corpus[0]).log_z.tolist()
        == ours.posterior(corpus[0]).log_z.tolist()
    )


def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    train(made_up(3), tmp_path / "model")
    data = (tmp_path / "model").read_bytes()
    for length in [0, 3, 40, 48, 60, len(data) // 2, len(data) - 1]:
        (tmp_path / "cut").write_bytes(data[:length])
        with pytest.raises(InputError, match="cannot be read as a model of crfsuite"):
            CRFTagger.from_crfsuite(tmp_path / "cut")


def test_damage_is_refused_or_harmless(tmp_path: Path) -> None:
    """Whatever byte changes: a model or an InputError, nothing else."""
    train(made_up(2), tmp_path / "model")
    data = bytearray((tmp_path / "model").read_bytes())
    for place in range(0, len(data), 7):
        changed = data.copy()
        changed[place] ^= 0xFF
        (tmp_path / "changed").write_bytes(changed)
        try:
            CRFTagger.from_crfsuite(tmp_path / "changed")
        except InputError:
            continue


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((0, b"XXXX"), "it is no linear-chain model"),
        ((4, struct.pack("<I", 5)), "it should have 5 bytes"),
        ((60, struct.pack("<I", 9)), "neither state nor transition"),
        ((64, struct.pack("<I", 10**6)), "that the model does not name"),
        ((72, struct.pack("<d", np.nan)), "its weight is not finite"),
        ((48, b"TAEF"), "its features are not where they should be"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, change: tuple[int, bytes], message: str) -> None:
    train(made_up(3), tmp_path / "model")
    data = bytearray((tmp_path / "model").read_bytes())
    data[change[0] : change[0] + len(change[1])] = change[1]
    (tmp_path / "changed").write_bytes(data)
    with pytest.raises(InputError, match=message):
        CRFTagger.from_crfsuite(tmp_path / "changed")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file .*nowhere\."):
        CRFTagger.from_crfsuite(tmp_path / "nowhere")


def model_of_labels(n: int) -> bytes:
    """A model without features that names n labels, byte by byte."""

    def table(names: list[bytes]) -> bytes:
        records = [RECORD.pack(number, len(name)) + name for number, name in enumerate(names)]
        starts = list(accumulate(map(len, records), initial=TABLE.size))
        places = starts.pop()
        head = TABLE.pack(b"CQDB", 0, 0, 0, len(names), places)
        return head + b"".join(records) + struct.pack(f"<{len(names)}I", *starts)

    features, labels = CHUNK.pack(b"FEAT", 0, 0), table([b"%d\0" % number for number in range(n)])
    start = HEADER.size + len(features)
    parts = (features, labels, table([]))
    size = HEADER.size + sum(map(len, parts))
    head = HEADER.pack(b"lCRF", size, b"FOMC", 100, 0, n, 0, HEADER.size, start, start + len(labels), 0, 0)
    return head + b"".join(parts)


def test_a_model_whose_transitions_need_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(model_of_labels(3))
    assert CRFTagger.from_crfsuite(path).labels_ == ("0", "1", "2")
    path.write_bytes(model_of_labels(20_000))
    with pytest.raises(InputError, match="it names 20,000 labels, far too many for its size"):
        CRFTagger.from_crfsuite(path)
