"""Logits of a token classifier: which rows count, what a grammar forbids, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.sequences import TagPosterior, gold_tags

LABELS = ["O", "B-X", "I-X"]
LOGITS = np.random.default_rng(0).normal(size=(2, 5, 3)).astype(np.float32)
IDS = np.array([[-100, 1, 2, -100, -100], [-100, 0, -100, 1, -100]])
WORDS = [[None, 0, 1, 1, None], [None, 0, 0, 1, None]]
MASK = [[0, 1, 1, 0, 0], [0, 1, 0, 1, 0]]


@pytest.mark.parametrize(
    "said", [{"label_ids": IDS}, {"word_ids": WORDS}, {"mask": MASK}], ids=lambda said: next(iter(said))
)
def test_the_rows_that_count(said) -> None:
    """Special tokens, padding and later subwords are no words."""
    posterior = TagPosterior.from_logits(LOGITS, labels=LABELS, **said)
    for found, one, rows in zip(posterior.marginals(), LOGITS.astype(np.float64), ([1, 2], [1, 3]), strict=True):
        wanted = np.exp(one[rows]) / np.exp(one[rows]).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert posterior.labels == tuple(LABELS)
    for tags, one, rows in zip(posterior.viterbi(), LOGITS, ([1, 2], [1, 3]), strict=True):
        assert tags.tolist() == one[rows].argmax(axis=1).tolist()


def test_gold_tags_go_with_the_rows() -> None:
    assert gold_tags(IDS, labels=LABELS) == [["B-X", "I-X"], ["O", "B-X"]]
    assert gold_tags(IDS[0], labels=LABELS) == [["B-X", "I-X"]]
    assert gold_tags([[-100], []], labels=LABELS) == [[], []]


def test_one_sentence_and_lists_of_sentences() -> None:
    single = TagPosterior.from_logits(LOGITS[0], labels=LABELS)
    several = TagPosterior.from_logits([LOGITS[0], LOGITS[1][:2], np.empty((0, 3))], labels=LABELS)
    as_lists = TagPosterior.from_logits(LOGITS.tolist(), labels=LABELS)
    np.testing.assert_array_equal(single.marginals()[0], several.marginals()[0])
    assert several.lengths.tolist() == [5, 2, 0]
    np.testing.assert_allclose(as_lists.log_z, TagPosterior.from_logits(LOGITS, labels=LABELS).log_z)


def test_padding_of_other_rows_may_be_anything() -> None:
    padded = LOGITS.copy()
    padded[:, 4] = -100
    padded[0, 0] = np.nan
    wanted = TagPosterior.from_logits(LOGITS, labels=LABELS, label_ids=IDS).log_z
    np.testing.assert_array_equal(TagPosterior.from_logits(padded, labels=LABELS, label_ids=IDS).log_z, wanted)


def test_a_grammar_goes_with_the_potentials_of_a_crf() -> None:
    rng = np.random.default_rng(1)
    transitions, start, end = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    found = TagPosterior.from_logits(
        LOGITS, labels=LABELS, grammar="bio", transitions=transitions, start=start, end=end
    )
    transitions[0, 2] = start[2] = -np.inf
    np.testing.assert_allclose(found.log_z, TagPosterior(list(LOGITS), transitions, start, end).log_z, rtol=1e-14)


class OnADevice:
    """What a tensor with a gradient does when numpy asks for its numbers."""

    shape = (2, 5, 3)

    def __len__(self) -> int:
        return 2

    def detach(self) -> OnADevice:
        return self

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


def changed(at: tuple[int, ...], value: float) -> np.ndarray:
    logits = LOGITS.copy()
    logits[at] = value
    return logits


def with_ids(value: float) -> np.ndarray:
    ids = IDS.astype(float)
    ids[1, 3] = value
    return ids


WRONG = {
    "logits must be finite, or -inf .forbidden.; sentence 1, row 3 holds nan for B-X": {
        "logits": changed((1, 3, 1), np.nan)
    },
    "sentence 0, row 0 holds inf for O": {"logits": changed((0, 0, 0), np.inf)},
    "logits of sentence 1, row 4 are all -100: padding": {"logits": changed((1, 4), -100)},
    "there are 2 labels and 3 columns": {"labels": ["O", "B-X"]},
    "labels must be different texts; they are O, B-X, B-X": {"labels": ["O", "B-X", "B-X"]},
    "labels must be different texts; they are O, 1, 2": {"labels": ["O", 1, 2]},
    "labels must be the names of the labels, in the order": {"labels": "OBI"},
    r"logits must be an array \(sentences, tokens, labels\), or a list.* it is None": {"logits": None},
    r"logits must be an array .*sentences, tokens, labels": {"logits": np.zeros((1, 2, 3, 3))},
    r"logits must be an array of numbers; it holds <U1": {"logits": np.array([[["a", "b", "c"]]])},
    r"logits must be an array of numbers \(Can't call numpy.*take .detach\(\).float\(\).cpu\(\)": {
        "logits": OnADevice()
    },
    "label_ids and mask all say which tokens count; give one": {"label_ids": IDS, "mask": MASK},
    "label_ids must be those of the 2 sentences; they are of 1": {"label_ids": IDS[:1]},
    "label_ids of sentence 0 must be as many as its rows of logits, 5; 4": {"label_ids": IDS[:, :4]},
    "label_ids must be numbers of labels, from 0, or -100.*sentence 1 holds -1": {"label_ids": with_ids(-1)},
    "sentence 1 holds 0.5": {"label_ids": with_ids(0.5)},
    "mask must be 0 or 1; sentence 0 holds 2": {"mask": [[0, 2, 1, 0, 0], [0] * 5]},
    "word_ids must count the words of one sentence upwards; those of sentence 1 go back": {
        "word_ids": [[None, 0, 1, 1, None], [None, 1, 0, 0, None]]
    },
    "that of sentence 1 holds 'x'": {"word_ids": [WORDS[0], [None, "x", 1, 1, None]]},
    "that of sentence 0 holds 0.5": {"word_ids": [[None, 0.5, 1, 1, None], WORDS[0]]},
    "that of sentence 0 holds 5": {"word_ids": 5},
    "word_ids of sentence 0 name a word twice": {"word_ids": [[0, None, 0, 1, None], [None] * 5]},
    "word_ids of sentence 1 must be as many as its rows of logits, 5; 2": {"word_ids": [WORDS[0], [None, 0]]},
    "grammar must be one of BIO, IOB2, IOB1, BIOES.*it is 'BOI'": {"grammar": "BOI"},
    "grammar must be one of .*it is 3": {"grammar": 3},
    "grammar 'BIO' has no label 'S-X'": {"labels": ["O", "B-X", "S-X"], "grammar": "BIO"},
    "grammar 'BIO' allows 'I-X' in no sentence": {"labels": ["O", "B-Y", "I-X"], "grammar": "BIO"},
    "grammar 'BIOES' allows 'B-X' in no sentence": {"grammar": "BIOES"},
    "labels must be O, B-TYPE, .*they hold 'LABEL_0'": {"labels": ["LABEL_0", "B-X", "I-X"], "grammar": "BIO"},
    r"transitions must be \(K, K\) for the 3 labels.* it is \(2, 2\)": {"transitions": np.zeros((2, 2))},
    "transitions must be log-potentials.*row 0 holds nan": {"transitions": np.full((3, 3), np.nan)},
    "start must hold a value for each of the 3 tags": {"start": np.zeros(2)},
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_wrong_is_said(message: str) -> None:
    with pytest.raises(InputError, match=message):
        TagPosterior.from_logits(**{"logits": LOGITS, "labels": LABELS} | WRONG[message])


def test_a_number_that_is_no_label() -> None:
    with pytest.raises(InputError, match="label_ids must lie below the number of labels, 2; sentence 0 holds 2"):
        gold_tags(IDS, labels=LABELS[:2])
