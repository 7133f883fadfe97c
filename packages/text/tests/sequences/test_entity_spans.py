"""Entities of a posterior, read as a grammar says: against enumeration; labels of tokens."""

from __future__ import annotations

import itertools
import math
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sequences.enumeration import Enumeration, draw, enumerated

from howsure import calibration_curve
from howsure_text.sequences import TagPosterior, entities_in, entity_spans, gold_tags, within_grammar

ENDS = {"BB", "BO", "BS", "IB", "IO", "IS", *(f"{before}{after}" for before in "ES" for after in "BIOES")}
BEGINS = {f"{before}{after}" for before in "BIOES" for after in "BS"} | {"EE", "EI", "SE", "SI", "OE", "OI"}
AS_BIOES = str.maketrans("MLU", "IES")
BIOES = r"(?:O |S-\w* |B-(\w*) (?:I-\1 )*E-\1 )*"
PATTERNS = {"BIO": r"(?:O |B-(\w*) (?:I-\1 )*)*", "BIOES": BIOES, "BILOU": BIOES}


def split(label: str) -> tuple[str, str]:
    prefix, _, type_ = label.partition("-")
    return prefix.translate(AS_BIOES), type_


def read(tags: list[str]) -> set[tuple[int, int, str]]:
    """Every (start, stop, type), by conlleval's rules for where a chunk begins and ends."""
    spans, begin = set(), None
    parts = [("O", ""), *map(split, tags), ("O", "")]
    for t, (before, after) in enumerate(pairwise(parts)):
        change, other = before[0] + after[0], before[1] != after[1]
        if begin is not None and (change in ENDS or other):
            spans.add((begin, t, before[1]))
            begin = None
        if after[0] != "O" and (change in BEGINS or other):
            begin = t
    return spans


def is_legal(tags: list[str], grammar: str | None) -> bool:
    if grammar is None:
        return True
    if grammar == "IOB1":
        steps = pairwise(["O", *tags])
        return all(after[0] != "B" or before[1:] == after[1:] for before, after in steps)
    return (
        re.fullmatch(PATTERNS[grammar], "".join(f"{'-'.join(split(tag)) if tag != 'O' else tag} " for tag in tags))
        is not None
    )


BIO = ["B-X", "O", "I-X", "I-Y", "B-Y"]
OF_BIOES = ["O", "B-X", "I-X", "E-X", "S-X", "S-Y"]
CASES = {
    "tokens alone": (BIO, None, False),
    "a CRF": (BIO, None, True),
    "BIO": (BIO, "BIO", False),
    "BIO and a CRF": (BIO, "BIO", True),
    "IOB1": (BIO, "IOB1", False),
    "BIOES": (OF_BIOES, "BIOES", True),
    "BIOES not kept": (OF_BIOES, None, True),
    "BILOU": (["O", "B-X", "I-X", "L-X", "U-X"], "BILOU", False),
    "no types": (["B", "I", "O"], "BIO", True),
}
LENGTHS = (3, 0, 1, 4, 2, 0)


def sentences_of(labels, crf, seed=0):
    """Logits of sentences, and the options of a CRF."""
    rng, k = np.random.default_rng(seed), len(labels)
    logits = [2 * rng.normal(size=(length, k)) for length in LENGTHS]
    names = ("transitions", "start", "end")
    shapes = ((k, k), (k,), (k,))
    return logits, {name: rng.normal(size=shape) for name, shape in zip(names, shapes, strict=True)} if crf else {}


def distributions(labels, grammar, crf, seed=0):
    """Of each sentence, all legal sequences of labels and their probabilities."""
    logits, chain = sentences_of(labels, crf, seed)
    k = len(labels)
    for emissions in logits:
        twin = Enumeration(emissions, chain.get("transitions", np.zeros((k, k))), chain.get("start"), chain.get("end"))
        named = [[labels[i] for i in tags] for tags in twin.sequences]
        weights = [p if is_legal(tags, grammar) else 0.0 for tags, p in zip(named, twin.probabilities, strict=True)]
        total = math.fsum(weights)
        yield [(tags, weight / total) for tags, weight in zip(named, weights, strict=True)]


def typed(type_: str) -> str:
    return type_ or "entity"


@pytest.fixture(params=CASES, scope="module")
def case(request):
    labels, grammar, crf = CASES[request.param]
    logits, chain = sentences_of(labels, crf)
    posterior = TagPosterior.from_logits(logits, labels=labels, grammar=grammar, **chain)
    return posterior, list(distributions(labels, grammar, crf))


def test_the_grammar_keeps_what_is_legal_and_its_proportions(case) -> None:
    posterior, twins = case
    for i, twin in enumerate(twins):
        tags, expected = zip(*twin[:: max(len(twin) // 100, 1)], strict=True)
        probabilities = np.exp(posterior[[i] * len(tags)].log_prob(tags))
        np.testing.assert_allclose(probabilities, expected, rtol=1e-9, atol=1e-14)


def test_each_entity_is_the_sum_over_all_sequences_that_hold_it(case) -> None:
    posterior, twins = case
    expected: dict[tuple[int, int, int, str], float] = {}
    for i, twin in enumerate(twins):
        for tags, probability in twin:
            for start, stop, type_ in read(tags):
                key = (i, start, stop, typed(type_))
                expected[key] = expected.get(key, 0.0) + probability
    spans = entity_spans(posterior, min_probability=0.0)
    keys = list(zip(spans.sentence, spans.start, spans.stop, spans.types, strict=True))
    assert set(keys) == {key for key, p in expected.items() if p > 0}
    np.testing.assert_allclose(spans.probability, [expected[key] for key in keys], rtol=1e-10, atol=1e-13)
    some = entity_spans(posterior, min_probability=0.1, k_best=3)
    likely = {key for key, p in expected.items() if p >= 0.1}
    best = {
        (i, start, stop, typed(type_))
        for i, twin in enumerate(twins)
        for tags, probability in sorted(twin, key=lambda weighted: -weighted[1])[:3]
        if probability > 0
        for start, stop, type_ in read(tags)
    }
    assert set(zip(some.sentence, some.start, some.stop, some.types, strict=True)) == likely | best


def test_the_predicted_entities_are_those_of_the_best_sequence(case) -> None:
    posterior, twins = case
    spans = entity_spans(posterior)
    best = [max(twin, key=lambda weighted: weighted[1])[0] for twin in twins]
    expected = {(i, a, b, typed(type_)) for i, tags in enumerate(best) for a, b, type_ in read(tags)}
    assert spans.predicted.all()
    assert spans.chosen.all()
    assert set(zip(spans.sentence, spans.start, spans.stop, spans.types, strict=True)) == expected


@given(st.integers(0, 10**6), st.sampled_from(sorted(CASES)))
def test_every_token_is_outside_or_in_one_entity(seed, name) -> None:
    """The probabilities of the entities over a token add up to that of any label but O."""
    labels, grammar, crf = CASES[name]
    logits, chain = sentences_of(labels, crf, seed)
    posterior = TagPosterior.from_logits(logits, labels=labels, grammar=grammar, **chain)
    spans = entity_spans(posterior, min_probability=0.0)
    for i, marginals in enumerate(posterior.marginals()):
        over = np.zeros(len(marginals))
        for start, stop, p in zip(
            *(column[spans.sentence == i] for column in (spans.start, spans.stop, spans.probability)), strict=True
        ):
            over[start:stop] += p
        np.testing.assert_allclose(over, 1 - marginals[:, labels.index("O")], rtol=0, atol=1e-12)


@given(st.lists(st.sampled_from(["O", *(f"{p}-{t}" for p, t in itertools.product("BIESLUM", "XY"))]), max_size=7))
def test_labels_are_read_as_conlleval_reads_them(tags) -> None:
    assert set(map(tuple, entities_in(tags))) == read(tags)


def test_gold_is_listed_and_no_reason_to_be_judged() -> None:
    """A gold entity that the model did not bring up is in the list, but a pair of it would be chosen by its label."""
    posterior = TagPosterior.from_logits([np.log([[0.9, 0.1], [0.2, 0.8]])], labels=["O", "B-X"])
    spans = entity_spans(posterior, [["B-X", "B-X"]])
    assert (spans.start.tolist(), spans.probability.round(9).tolist()) == ([0, 1], [0.1, 0.8])
    assert (spans.gold.tolist(), spans.predicted.tolist(), spans.chosen.tolist()) == (
        [True] * 2,
        [False, True],
        [False, True],
    )
    pairs = spans.pairs()
    assert (pairs.labels.tolist(), pairs.probabilities.round(9).tolist()) == ([1], [0.8])
    wider = entity_spans(posterior, [["B-X", "B-X"]], min_probability=0.05)
    assert len(wider.pairs()) == 2
    assert len(wider.pairs(only_predicted=True)) == 1


def test_types_are_groups_and_sentences_clusters() -> None:
    labels = ["O", "B-X", "B-Y"]
    posterior = TagPosterior.from_logits(np.eye(3)[None, [1, 2, 0, 1]].repeat(2, axis=0) * 3, labels=labels)
    pairs = entity_spans(posterior, [["B-X", "O", "O", "B-Y"], ["O"] * 4]).pairs()
    assert pairs.group_names == ("X", "Y")
    assert pairs.groups.tolist() == [0, 1, 0] * 2
    assert pairs.clusters.tolist() == [0] * 3 + [1] * 3
    assert pairs.labels.tolist() == [1, 0, 0, 0, 0, 0]


def test_the_answer_of_the_model_itself_is_kept() -> None:
    """The most probable label of each token, which a grammar would not allow."""
    labels = ["O", "B-X", "I-X"]
    logits = np.log([[[0.6, 0.3, 0.1], [0.2, 0.1, 0.7]]])
    free = TagPosterior.from_logits(logits, labels=labels)
    assert free.viterbi()[0].tolist() == logits[0].argmax(axis=1).tolist() == [0, 2]
    legal = TagPosterior.from_logits(logits, labels=labels, grammar="BIO")
    assert legal.names(legal.viterbi()) == [["B-X", "I-X"]]
    spans = entity_spans(legal, predicted=free.names(free.viterbi()))
    assert spans.recipe["predicted"] == "given"
    assert [(spans.start[i], spans.stop[i]) for i in np.flatnonzero(spans.predicted)] == [(1, 2)]
    assert spans.probability[spans.predicted][0] == pytest.approx((0.6 * 0.1 + 0.3 * 0.1) / 0.48)  # O B-X, B-X B-X


@pytest.mark.parametrize("seed", range(3))
def test_many_sentences_are_as_each_alone(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    labels, grammar, crf = CASES["BIO and a CRF"]
    logits, chain = sentences_of(labels, crf, seed)
    posterior = TagPosterior.from_logits(logits * 3, labels=labels, grammar=grammar, **chain)
    whole = entity_spans(posterior, min_probability=0.01)
    monkeypatch.setattr("howsure_text.sequences.entities.CELLS", 50)
    parts = entity_spans(posterior, min_probability=0.01)
    np.testing.assert_array_equal(whole.sentence, parts.sentence)
    np.testing.assert_allclose(whole.probability, parts.probability, rtol=1e-12)


@pytest.mark.parametrize("per_sentence", [False, True])
@pytest.mark.parametrize(("labels", "grammar"), [(BIO, "BIO"), (BIO, "IOB1"), (OF_BIOES, "BIOES")])
def test_any_posterior_can_be_kept_within_a_grammar(per_sentence: bool, labels, grammar) -> None:
    """P(y | legal), also where each sentence has transitions of its own."""
    emissions, transitions, start, end = draw((3, 0, 1, 4), len(labels), seed=3, per_sentence=per_sentence)
    free = TagPosterior(emissions, transitions, start, end, labels=labels)
    legal = within_grammar(free, grammar)
    for i, twin in enumerate(enumerated(emissions, transitions, start, end)):
        named = [[labels[k] for k in tags] for tags in twin.sequences]
        weights = np.array(twin.probabilities) * [is_legal(tags, grammar) for tags in named]
        some = slice(None, None, max(len(named) // 50, 1))
        probabilities = np.exp(legal[[i] * len(named[some])].log_prob(named[some]))
        np.testing.assert_allclose(probabilities, (weights / weights.sum())[some], rtol=1e-9, atol=1e-14)
    spans = entity_spans(legal, min_probability=0.0)
    assert len(spans) == len(entity_spans(legal[::-1], min_probability=0.0)) > 0


def test_nothing_is_found_in_nothing() -> None:
    for empty in (
        TagPosterior.from_logits([], labels=["O", "B-X"]),
        TagPosterior([np.empty((0, 2))], np.zeros((2, 2)), labels=["O", "B-X"]),
    ):
        assert len(entity_spans(empty, min_probability=0.0, k_best=3)) == 0


GOOD = TagPosterior.from_logits([np.zeros((2, 3))], labels=["O", "B-X", "I-X"])


def test_gold_of_an_unknown_type_is_missed() -> None:
    spans = entity_spans(GOOD, [["O", "B-Y"]], unknown_tags="keep")
    row = spans.types.index("Y")
    assert (spans.probability[row], spans.gold[row], spans.chosen[row]) == (0.0, True, False)


@pytest.mark.parametrize(
    "options", [{}, {"k_best": 4}, pytest.param({"min_probability": 0.05}, marks=pytest.mark.long)], ids=str
)
def test_of_a_posterior_that_holds_every_such_choice_is_calibrated(options) -> None:
    """Gold drawn from the posterior itself: what the model brings up is right as often as it says; with what gold
    brings up, it is not."""
    rng = np.random.default_rng(0)
    labels = CASES["BIO"][0]
    logits = [1.5 * rng.normal(size=(8, 5)) for _ in range(800)]
    posterior = TagPosterior.from_logits(logits, labels=labels, grammar="BIO")
    gold = [posterior.names(draws[0]) for draws in posterior.sample(1, rng=1)]
    spans = entity_spans(posterior, gold, **options)
    assert calibration_curve(spans.pairs()).p_value > 0.01
    biased = calibration_curve(spans.gold.astype(int), spans.probability, clusters=spans.sentence)
    assert biased.p_value < 1e-4


LABELS = ["O", "B-X", "I-X"]
LOGITS = np.random.default_rng(0).normal(size=(2, 5, 3)).astype(np.float32)
IDS = np.array([[-100, 1, 2, -100, -100], [-100, 0, -100, 1, -100]])
WORDS = [[None, 0, 1, 1, None], [None, 0, 0, 1, None]]
MASK = [[0, 1, 1, 0, 0], [0, 1, 0, 1, 0]]


@pytest.mark.parametrize(
    "row_choice",
    [{"label_ids": IDS}, {"word_ids": WORDS}, {"mask": MASK}],
    ids=lambda row_choice: next(iter(row_choice)),
)
def test_the_rows_that_count(row_choice) -> None:
    """Special tokens, padding and later subwords are not words."""
    posterior = TagPosterior.from_logits(LOGITS, labels=LABELS, **row_choice)
    for marginals, logits, rows in zip(posterior.marginals(), LOGITS.astype(np.float64), ([1, 2], [1, 3]), strict=True):
        expected = np.exp(logits[rows]) / np.exp(logits[rows]).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(marginals, expected, rtol=1e-12)
    assert posterior.labels == tuple(LABELS)
    for tags, logits, rows in zip(posterior.viterbi(), LOGITS, ([1, 2], [1, 3]), strict=True):
        assert tags.tolist() == logits[rows].argmax(axis=1).tolist()


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
    expected = TagPosterior.from_logits(LOGITS, labels=LABELS, label_ids=IDS).log_z
    np.testing.assert_array_equal(TagPosterior.from_logits(padded, labels=LABELS, label_ids=IDS).log_z, expected)


def test_a_grammar_goes_with_the_potentials_of_a_crf() -> None:
    rng = np.random.default_rng(1)
    transitions, start, end = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    posterior = TagPosterior.from_logits(
        LOGITS, labels=LABELS, grammar="bio", transitions=transitions, start=start, end=end
    )
    transitions[0, 2] = start[2] = -np.inf
    np.testing.assert_allclose(posterior.log_z, TagPosterior(list(LOGITS), transitions, start, end).log_z, rtol=1e-14)


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
