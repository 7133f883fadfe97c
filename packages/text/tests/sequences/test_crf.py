"""Conditional random fields: the minimum that crfsuite finds, accuracies on record, interruptions, and refusals."""

from __future__ import annotations

import signal
import struct
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import numpy as np
import pycrfsuite
import pytest
from tests.sequences.corpora import Corpus, made_up, tweets, web_text
from tests.sequences.enumeration import Enumeration
from tests.sequences.peer import items_of, train

from howsure.errors import InputError
from howsure_text.sequences.crf import CHUNK, HEADER, RECORD, TABLE, CrfsuiteModel, CRFTagger
from howsure_text.sequences.features import FAMILIES
from howsure_text.sequences.training import Objective

SMALL = made_up(50, seed=3)


def first(corpus: Corpus, n: int) -> Corpus:
    return corpus[0][:n], corpus[1][:n]


def agree(corpus: Corpus, path: Path, features: str) -> CRFTagger:
    """Both trainers run to the same end on the same features."""
    values, number = train(corpus, path, features=features, c2=0.1)
    tagger = CRFTagger(features=features, c2=0.1).fit(*corpus)
    assert tagger.stopped_ == "converged"
    assert tagger.weights_.nnz + np.count_nonzero(tagger.transitions_) == number
    assert tagger.values_[-1] == pytest.approx(values[-1], rel=1e-5)
    return tagger


@pytest.mark.parametrize("features", ["basic", "advanced"])
def test_some_tweets(real_data: Path, tmp_path: Path, features: str) -> None:
    agree(first(tweets(real_data, "train"), 80), tmp_path / "peer", features)


@pytest.mark.slow
def test_tweets_with_basic_features(real_data: Path, tmp_path: Path) -> None:
    tagger = agree(tweets(real_data, "train"), tmp_path / "peer", "basic")
    test = tweets(real_data, "test")
    assert tagger.score(*test) >= 0.76
    assert tagger.score(*test, decoding="posterior") >= 0.775


@pytest.mark.long
def test_tweets_with_advanced_features(real_data: Path) -> None:
    tagger = CRFTagger(features="advanced").fit(*tweets(real_data, "train"))
    assert tagger.score(*tweets(real_data, "test")) >= 0.87


@pytest.mark.long
def test_web_text_with_basic_features(real_data: Path, tmp_path: Path) -> None:
    agree(web_text(real_data, "dev", 60), tmp_path / "peer", "basic")


@pytest.mark.slow
def test_all_web_text_with_basic_features(real_data: Path, tmp_path: Path) -> None:
    tagger = agree(web_text(real_data, "train"), tmp_path / "peer", "basic")
    assert tagger.score(*web_text(real_data, "test"), decoding="posterior") >= 0.89


def test_both_trainers_and_crfsuite_end_at_one_minimum(tmp_path: Path) -> None:
    peer, _ = train(SMALL, tmp_path / "peer", c2=0.1, delta=1e-12, epsilon=1e-9, max_iterations=2000)
    ours = CRFTagger(c2=0.1, tolerance=1e-12).fit(*SMALL)
    adagrad = CRFTagger(c2=0.1, trainer="adagrad", batch_size=10, tolerance=0, max_iterations=300, rng=0).fit(*SMALL)
    assert ours.values_[-1] == pytest.approx(peer[-1], abs=2e-6)  # crfsuite prints six decimals
    assert adagrad.values_[-1] == pytest.approx(peer[-1], rel=5e-3)
    assert adagrad.predict(SMALL[0]) == ours.predict(SMALL[0])


def test_the_posterior_is_that_of_enumeration() -> None:
    tagger = CRFTagger(features="advanced").fit(*SMALL)
    words = ["this", "bark", "axolotls"]
    weights = dict(zip(tagger.attributes_, tagger.weights_.toarray(), strict=True))
    none = np.zeros(len(tagger.labels_))
    rows = [sum((weights.get(name, none) for name in item), none) for item in items_of(words, "advanced")]
    every = Enumeration(np.array(rows), tagger.transitions_)
    assert tagger.posterior([words]).log_z[0] == pytest.approx(every.log_z)


@pytest.mark.parametrize(
    "function",
    [
        lambda words: [[f"w={word}"] for word in words],
        lambda words: [{"w": word} for word in words],
        lambda words: [{f"w={word}": True} for word in words],
    ],
)
def test_features_of_ones_own(function) -> None:
    custom = CRFTagger(features=function).fit(*SMALL)
    basic = CRFTagger(features="basic").fit(*SMALL)
    items = CRFTagger(features=None).fit([function(words) for words in SMALL[0]], SMALL[1])
    assert custom.values_ == items.values_
    assert custom.values_[-1] == pytest.approx(basic.values_[-1], rel=1e-9)
    assert custom.predict(SMALL[0]) == basic.predict(SMALL[0])
    assert items.predict([function(words) for words in SMALL[0]]) == basic.predict(SMALL[0])


def test_families_can_be_left_out() -> None:
    tagger = CRFTagger(features=tuple(name for name in FAMILIES if name != "shape")).fit(*SMALL)
    assert {name.partition("=")[0].partition("[")[0] for name in tagger.attributes_} == set(FAMILIES) - {"shape"}


def test_a_warm_start_goes_on_where_the_last_fit_ended() -> None:
    cold = CRFTagger(features="advanced", c2=0.1).fit(*SMALL)
    warm = CRFTagger(features="advanced", c2=0.1, warm_start=True).fit(*SMALL).fit(*SMALL)
    assert warm.values_[0] <= cold.values_[-1]
    more = [[*SMALL[0], ["a", "newcomer"]], [*SMALL[1], ["D", "X"]]]
    warm.fit(*more)
    assert warm.values_[-1] == pytest.approx(CRFTagger(features="advanced").fit(*more).values_[-1], rel=1e-4)
    assert warm.labels_ == ("D", "N", "P", "V", "X")


def test_a_warm_start_knows_tags_by_their_names() -> None:
    """One of four tags has another name, the last one instead of the first: the other three keep their weights."""
    words, tags = SMALL
    renamed = [["Z" if tag == "D" else tag for tag in sentence_tags] for sentence_tags in tags]
    cold = CRFTagger(max_iterations=1).fit(words, tags).values_[0]
    warm = CRFTagger(warm_start=True).fit(words, renamed).set_params(max_iterations=1).fit(words, tags)
    assert warm.labels_ == ("D", "N", "P", "V")
    assert warm.values_[0] < 0.6 * cold


@pytest.fixture
def heeded() -> Iterator[None]:
    """Ctrl-C as in a terminal: a command in the background of a script begins deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize("trainer", ["lbfgs", "adagrad"])
def test_an_interruption_keeps_the_best_so_far_and_says_so(trainer: str) -> None:
    """A real signal, as Ctrl-C sends it."""
    ticks: list[int] = []

    def advance(n: int) -> None:
        ticks.append(n)
        if len(ticks) == 3:
            signal.raise_signal(signal.SIGINT)

    tagger = CRFTagger(trainer=trainer, rng=0)
    with pytest.warns(UserWarning, match="interrupted after 3 iterations; the best weights so far are kept"):
        tagger.fit(*SMALL, advance=advance)
    assert tagger.stopped_ == "interrupted"
    assert len(tagger.values_) == 3
    assert tagger.score(*SMALL) > 0.8


def test_an_interruption_before_anything_is_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Objective, "__call__", interrupted)
    tagger = CRFTagger()
    with pytest.raises(KeyboardInterrupt):
        tagger.fit(*SMALL)
    assert not hasattr(tagger, "labels_")


def test_training_is_repeated_by_a_seed() -> None:
    run, same_run = (CRFTagger(trainer="adagrad", max_iterations=5, rng=7).fit(*SMALL) for _ in range(2))
    assert run.values_ == same_run.values_
    assert len(run.values_) == 5
    assert run.stopped_ == "max_iterations"


@pytest.mark.parametrize("trainer", ["lbfgs", "adagrad"])
def test_the_smallest_corpora(trainer: str) -> None:
    """One tag; no two words in a row; no attributes at all: what little can be learnt is learnt."""
    one_tag = CRFTagger(trainer=trainer, rng=0).fit([["a"], ["b", "c"]], [["X"], ["X", "X"]])
    assert one_tag.predict([["a", "new"], []]) == [["X", "X"], []]
    single = CRFTagger(trainer=trainer, rng=0).fit([["a"], ["b"]], [["X"], ["Y"]])
    assert single.predict([["b", "a"]]) == [["Y", "X"]]
    assert single.posterior([["new"]]).marginals()[0].tolist() == [[0.5, 0.5]]
    blind = CRFTagger(trainer=trainer, rng=0, features=lambda words: [[] for _ in words])
    blind.fit([["a"], ["b"]], [["X"], ["Y"]])
    assert blind.values_[-1] == pytest.approx(2 * np.log(2))
    assert blind.posterior([]).marginals() == []


def test_questions_about_tags_that_it_does_not_know() -> None:
    tagger = CRFTagger().fit(*SMALL)
    with pytest.raises(InputError, match="XYZ"):
        tagger.posterior([["the", "dog"]]).log_prob([["D", "XYZ"]])
    assert tagger.score([["the", "dog"]], [["D", "XYZ"]]) == 0.5
    assert tagger.predict([[], ["the"]]) == [[], ["D"]]


def opened(path: Path) -> pycrfsuite.Tagger:
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


def check_everything(path: Path, sentences: list[list[str]], features: str) -> None:
    """All marginals of all sentences; and the best tags, which are others only where two are equally good."""
    peer, ours = opened(path), CRFTagger.from_crfsuite(path, features=features)
    posterior = ours.posterior(sentences)
    best, others = ours.predict(sentences), []
    for words, marginals in zip(sentences, posterior.marginals(), strict=True):
        peer.set(items_of(words, features))
        expected = [[peer.marginal(label, t) for label in ours.labels_] for t in range(len(words))]
        np.testing.assert_allclose(marginals, expected, atol=1e-12, rtol=0)
        others.append(peer.tag())
    np.testing.assert_allclose(posterior.log_prob(best), posterior.log_prob(others), atol=1e-9, rtol=0)
    differing = sum(tags != peer_tags for tags, peer_tags in zip(best, others, strict=True))
    assert differing <= len(best) / 500


@pytest.mark.parametrize("features", ["basic", pytest.param("advanced", marks=pytest.mark.long)])
def test_all_marginals_of_tweets(real_data: Path, tmp_path: Path, features: str) -> None:
    words, tags = tweets(real_data, "train")
    train((words[:200], tags[:200]), tmp_path / "model", features=features, c2=0.1, max_iterations=20)
    check_everything(tmp_path / "model", tweets(real_data, "test")[0][:150], features)


@pytest.mark.long
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
    state_weights = {
        (model.attributes[a], model.labels[k]): w
        for a, k, w in zip(weights.row, weights.col, weights.data, strict=True)
    }
    assert state_weights == pytest.approx(shown.state_features, abs=5.1e-7)
    for (tag, next_tag), weight in shown.transitions.items():
        place = model.labels.index(tag), model.labels.index(next_tag)
        assert model.transitions[place] == pytest.approx(weight, abs=5.1e-7)
    assert np.count_nonzero(model.transitions) == len(shown.transitions)


def test_items_of_any_form_will_do(tmp_path: Path) -> None:
    sentences = [[{"word": "a", "size": 0.5}, ["b"]], [["b"]]]
    trainer = pycrfsuite.Trainer(verbose=False)
    for items, tags in zip(sentences, [["X", "Y"], ["Y"]], strict=True):
        trainer.append(items, tags)
    trainer.train(str(tmp_path / "model"))
    peer, ours = opened(tmp_path / "model"), CRFTagger.from_crfsuite(tmp_path / "model")
    queries = [[{"word": "a", "size": -2, "new": 7.0}, {"b": True, "c": True}], [{"word": "zzz"}]]
    for items, marginals in zip(queries, ours.posterior(queries).marginals(), strict=True):
        peer.set(items)
        expected = [[peer.marginal(label, t) for label in ours.labels_] for t in range(len(items))]
        np.testing.assert_allclose(marginals, expected, atol=1e-12)


def test_a_model_from_crfsuite_is_saved_and_read_as_any_other(tmp_path: Path) -> None:
    corpus = made_up(30)
    train(corpus, tmp_path / "model", c2=0.1)
    ours = CRFTagger.from_crfsuite(tmp_path / "model", features="basic")
    ours.save(tmp_path / "ours")
    assert (
        CRFTagger.load(tmp_path / "ours").posterior(corpus[0]).log_z.tolist()
        == ours.posterior(corpus[0]).log_z.tolist()
    )


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
        ((0, b"XXXX"), "it is not a linear-chain model"),
        ((4, struct.pack("<I", 5)), "it should have 5 bytes"),
        ((60, struct.pack("<I", 9)), "neither state nor transition"),
        ((64, struct.pack("<I", 10**6)), "that the model does not name"),
        ((72, struct.pack("<d", np.nan)), "its weight is not finite"),
        ((48, b"TAEF"), "the offset of its features is invalid"),
    ],
)
def test_invalid_input_is_reported(tmp_path: Path, change: tuple[int, bytes], message: str) -> None:
    train(made_up(3), tmp_path / "model")
    data = bytearray((tmp_path / "model").read_bytes())
    data[change[0] : change[0] + len(change[1])] = change[1]
    (tmp_path / "changed").write_bytes(data)
    with pytest.raises(InputError, match=message):
        CRFTagger.from_crfsuite(tmp_path / "changed")


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
