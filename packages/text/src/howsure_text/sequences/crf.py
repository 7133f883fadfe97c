"""Conditional random fields over tags: arbitrary features of words, and one weight per pair of consecutive tags."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array

from howsure.errors import InputError
from howsure.files.archive import max_unpacked_size
from howsure.files.atomic_write import Place
from howsure.files.input_files import describe_invalid_bytes, opened
from howsure.inputs.arguments import Randomness, generator_from
from howsure.inputs.numbers_and_names import check_integer, check_number, counted, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure_text.sequences.features import (
    Attributes,
    Design,
    Features,
    describe_sentences,
    design_of_items,
    design_of_words,
    feature_families,
)
from howsure_text.sequences.sentences import check_lists, check_sentences, check_tags, check_training, encode_tags
from howsure_text.sequences.tag_posterior import TagPosterior
from howsure_text.sequences.tagger import Arrays, Tagger, sentence_digests
from howsure_text.sequences.training import (
    INTERRUPTED,
    Advance,
    Layout,
    Objective,
    Training,
    descend,
    draw_parts,
    minimise,
)

MAX_ITERATIONS = {"lbfgs": 1000, "adagrad": 100}
TOLERANCES = {"lbfgs": 1e-5, "adagrad": 1e-3}


class CRFTagger(Tagger):
    """A linear-chain conditional random field: P(tags | words) ∝ exp(Σ_t Σ_a x_t(a) w(a, y_t) + Σ_t w(y_t−1, y_t)).

    `features` defines the attributes a of a word:

    - "basic": the word; "advanced": also its lower case, neighbours, shape, length, prefixes and suffixes; or names of
      such families, ("word", "shape"), as `howsure_text.sequences.features` lists them;
    - a function from the words of a sentence to one item per word: a list of attributes, or a mapping of attributes to
      values, as in python-crfsuite;
    - None: the sentences already contain such items instead of words.

    Training minimises Σ -log P(tags | words) + c2 ‖w‖², crfsuite's objective. There is a weight for every attribute and
    tag, and for every two consecutive tags, that occur together in the training sentences.

    - `trainer="lbfgs"` ends when the objective has decreased by less than the relative `tolerance` (1e-5) over ten
      iterations, or after `max_iterations` (1,000).
    - `trainer="adagrad"` uses mini-batches of `batch_size` sentences, which `rng` draws once and visits in random
      order, with steps of `learning_rate`. It ends when the objective has decreased by less than the relative
      `tolerance` (1e-3) over ten passes, or after `max_iterations` passes (100).

    Ctrl-C ends the training and keeps the best weights so far; before the first iteration ends, it raises
    KeyboardInterrupt. `warm_start=True` starts from the weights of the last `fit`.

    After `fit`: `labels_`; `attributes_`, and `weights_` (attributes, tags), sparse; `transitions_` (tags, tags);
    `values_`, the objective after each iteration; `stopped_`, "converged", "max_iterations" or "interrupted"; `seed_`,
    the seed of AdaGrad. If `rng` is None, a new seed is drawn and kept here; if `rng` is a generator, `seed_` is None.
    The seed is saved with the model.

    >>> sentences = [["the", "dog", "barks"], ["the", "bark"], ["dogs", "bark"]]
    >>> tags = [["D", "N", "V"], ["D", "N"], ["N", "V"]]
    >>> tagger = CRFTagger(c2=0.01).fit(sentences, tags)
    >>> tagger.predict([["the", "bark", "barks"], ["dogs", "bark"]])
    [['D', 'N', 'V'], ['N', 'V']]

    Sources: Lafferty, McCallum & Pereira 2001; Okazaki 2007 (crfsuite); Duchi, Hazan & Singer 2011 (AdaGrad).
    """

    kind: ClassVar[str] = "crf"
    seed_: int | None = None

    def __init__(
        self,
        *,
        features: Features | None = "basic",
        trainer: str = "lbfgs",
        c2: float = 0.1,
        max_iterations: int | None = None,
        tolerance: float | None = None,
        learning_rate: float = 1.0,
        batch_size: int = 100,
        warm_start: bool = False,
        rng: Randomness = None,
    ) -> None:
        self.features = features
        self.trainer = trainer
        self.c2 = c2
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.warm_start = warm_start
        self.rng = rng

    @classmethod
    def from_crfsuite(cls, path: Place, *, features: Features | None = None) -> Self:
        """Read a model written by crfsuite, python-crfsuite or sklearn-crfsuite; its weights are unchanged.

        features: computes the model's attributes from words, as in `CRFTagger`; None if sentences are lists of items.
        Attributes unknown to the model are ignored, as in crfsuite.

        Raises InputError if the file is truncated, or is not a model of crfsuite.
        """
        model = read_crfsuite(path)
        tagger = cls(features=features)
        tagger._set_learned(model.labels, Attributes(model.attributes, growing=False), model.weights, model.transitions)
        return tagger

    def fit(self, sentences: Sequence[Any], tags: Sequence[Sequence[str]], *, advance: Advance | None = None) -> Self:
        """Learn the weights from tagged sentences. `advance(1)` is called after each L-BFGS iteration or AdaGrad pass.

        Raises InputError for parameters out of range, no sentences, an empty sentence, sentences given as strings,
        invalid items, or tags whose number differs from that of the words.
        """
        self._check_parameters()
        self.seed_ = int(self.rng) if isinstance(self.rng, (int, np.integer)) else None
        described = self._described(sentences)
        check_training(described)
        labels, codes = encode_tags(check_tags(tags, described))
        attributes = Attributes(growing=True)
        design = self._design(described, attributes)
        attributes.growing = False
        layout = Layout.of(design, codes, len(attributes), len(labels))
        start = self._start(layout, labels, attributes) if self.warm_start else np.zeros(len(layout))
        training = self._train(design, codes, layout, start, advance)
        if training.stopped == INTERRUPTED and not training.weights.any():
            raise KeyboardInterrupt  # nothing learned yet
        state, transitions = layout.unpack(training.weights)
        self._set_learned(labels, attributes, csr_array(state), transitions)
        self.values_, self.stopped_, self.training_ = training.values, training.stopped, sentence_digests(sentences)
        if training.stopped == INTERRUPTED:
            warnings.warn(
                f"training was interrupted after {counted(len(training.values), 'iteration')}; "
                "the best weights so far are kept.",
                stacklevel=2,
            )
        return self

    def untempered(self, sentences: Sequence[Any]) -> TagPosterior:
        """Return P(tags | words) for each sentence without temperatures; attributes not seen in training are ignored.

        Raises InputError if the sentences are not what `features` needs.
        """
        self._check_fitted()
        design = self._design(self._described(sentences), self._attributes)
        return TagPosterior(design.scores(self.weights_), self.transitions_, labels=self.labels_)

    @property
    def attributes_(self) -> tuple[str, ...]:
        """The names of the attributes, in the order of the rows of `weights_`."""
        self._check_fitted()
        return tuple(self._attributes.number)

    def _described(self, sentences: Sequence[Any]) -> list[Any]:
        """Return the words of each sentence for feature families, or the items that describe them."""
        if self.features is None:
            return [list(items) for items in check_lists(sentences, of="items")]
        words = check_sentences(sentences)
        return describe_sentences(words, self.features) if callable(self.features) else words

    def _design(self, described: list[Any], attributes: Attributes) -> Design:
        if self.features is None or callable(self.features):
            return design_of_items(described, attributes)
        return design_of_words(described, feature_families(self.features), attributes)

    def _train(
        self, design: Design, codes: Integers, layout: Layout, start: Floats, advance: Advance | None
    ) -> Training:
        objective = Objective(design, codes, layout, c2=self.c2)
        max_iterations = MAX_ITERATIONS[self.trainer] if self.max_iterations is None else self.max_iterations
        tolerance = TOLERANCES[self.trainer] if self.tolerance is None else self.tolerance
        if self.trainer == "lbfgs":
            return minimise(objective, start, max_iterations=max_iterations, tolerance=tolerance, advance=advance)
        if self.rng is None:  # draw a new seed and record it
            self.seed_ = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        rng = generator_from(self.rng if self.seed_ is None else self.seed_)
        return descend(
            objective,
            draw_parts(design, codes, layout, size=self.batch_size, rng=rng),
            start,
            learning_rate=self.learning_rate,
            max_iterations=max_iterations,
            tolerance=tolerance,
            rng=rng,
            advance=advance,
        )

    def _start(self, layout: Layout, labels: tuple[str, ...], attributes: Attributes) -> Floats:
        """Return the weights of the last fit, arranged for the attributes and tags of this fit; new ones are 0."""
        if not hasattr(self, "labels_"):
            return np.zeros(len(layout))
        state, transitions = np.zeros((len(attributes), len(labels))), np.zeros((len(labels), len(labels)))
        old_label = np.array([self.labels_.index(label) if label in self.labels_ else -1 for label in labels])
        columns = np.flatnonzero(old_label >= 0)
        old_rows = [(row, self._attributes.number.get(name, -1)) for name, row in attributes.number.items()]
        rows = np.array([old_row for old_row in old_rows if old_row[1] >= 0], dtype=np.int64).reshape(-1, 2)
        state[np.ix_(rows[:, 0], columns)] = self.weights_[rows[:, 1]].toarray()[:, old_label[columns]]
        transitions[np.ix_(columns, columns)] = self.transitions_[np.ix_(old_label[columns], old_label[columns])]
        return layout.pack(state, transitions)

    def _set_learned(
        self, labels: tuple[str, ...], attributes: Attributes, weights: csr_array, transitions: Floats
    ) -> None:
        self.labels_, self._attributes, self.weights_, self.transitions_ = labels, attributes, weights, transitions
        self.temperatures_ = None

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the learned state: values for JSON, and arrays."""
        self._check_fitted()
        weights, transitions = self.weights_, self.transitions_
        arrays = {
            "data": weights.data,
            "indices": weights.indices,
            "indptr": weights.indptr,
            "transitions": transitions,
        }
        return {"labels": self.labels_, "attributes": self.attributes_, "seed": self.seed_}, arrays

    def restore(self, content: dict[str, Any], arrays: Arrays) -> Self:
        """Restore the result of `state`; raise ValueError if the sizes are inconsistent."""
        labels, names = tuple(content["labels"]), content["attributes"]
        k = len(labels)
        weights = csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), (len(names), k))
        weights.check_format(full_check=True)
        transitions, attributes = arrays["transitions"], Attributes(names, growing=False)
        if transitions.shape != (k, k) or len(attributes) != len(names):
            raise ValueError(f"transitions must be of shape {(k, k)}, and no attribute may occur twice")
        if not (np.isfinite(weights.data).all() and np.isfinite(transitions).all()):
            raise ValueError("weights must be finite")
        self._set_learned(labels, attributes, weights, transitions)
        self.seed_ = content.get("seed")
        return self

    def _check_parameters(self) -> None:
        if not (self.features is None or callable(self.features)):
            feature_families(self.features)
        if self.trainer not in MAX_ITERATIONS:
            raise unknown_name("trainer", str(self.trainer), list(MAX_ITERATIONS), place="CRFTagger")
        check_number(self.c2, name="c2", low=0)
        check_number(self.learning_rate, name="learning_rate", low=0, open="low")
        check_number(0.0 if self.tolerance is None else self.tolerance, name="tolerance", low=0)
        check_integer(1 if self.max_iterations is None else self.max_iterations, name="max_iterations")
        check_integer(self.batch_size, name="batch_size")


# The model files of crfsuite (and python-crfsuite and sklearn-crfsuite): the weights in full precision.
#
# A file is a header, a chunk of features and two string tables, of labels and of attributes, little-endian throughout.
# A feature is a state (attribute, label) or a transition (label, next label), with its weight. A string table ends with
# the byte offsets of its strings, in the order of their numbers.

HEADER = struct.Struct("<4sI4sIIIIIIIII")
CHUNK = struct.Struct("<4sII")
TABLE = struct.Struct("<4sIIIII")
RECORD = struct.Struct("<II")
FEATURE = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
STATE, TRANSITION = 0, 1


def read_crfsuite(path: Place) -> CrfsuiteModel:
    with opened(path) as file:
        content = file.read()
    try:
        return CrfsuiteModel.parse(content)
    except ValueError as error:
        raise InputError(f"{path} cannot be read as a model of crfsuite: {error}.") from error


@dataclass(frozen=True, slots=True)
class CrfsuiteModel:
    """The content of a model file: names of labels and attributes by number, and weights.

    weights: (attributes, labels). transitions: (labels, labels), from label to next label.
    """

    labels: tuple[str, ...]
    attributes: tuple[str, ...]
    weights: csr_array
    transitions: Floats

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a model from bytes; raise ValueError with the reason if the bytes are invalid."""
        try:
            return cls._parse(data)
        except struct.error as error:
            raise ValueError("it ends too early") from error
        except UnicodeDecodeError as error:
            raise ValueError(f"a label or an attribute cannot be read: {describe_invalid_bytes(error)}") from error

    @classmethod
    def _parse(cls, data: bytes) -> Self:
        magic, size, family, _, _, n_labels, n_attributes, features, labels, attributes, _, _ = HEADER.unpack_from(data)
        if magic != b"lCRF" or family != b"FOMC":
            raise ValueError("it is not a linear-chain model of crfsuite")
        if size != len(data):
            raise ValueError(f"it should have {size:,} bytes, and has {len(data):,}")
        names = _strings(data, labels, n_labels), _strings(data, attributes, n_attributes)
        if n_labels**2 * 8 > max_unpacked_size(len(data)):
            raise ValueError(f"it names {n_labels:,} labels, far too many for its size")
        records = _features(data, features)
        states, transitions = records[records["kind"] == STATE], records[records["kind"] == TRANSITION]
        if len(states) + len(transitions) < len(records) or not np.isfinite(records["weight"]).all():
            raise ValueError("a feature is neither state nor transition, or its weight is not finite")
        _check_numbers(states["source"], n_attributes)
        _check_numbers(transitions["source"], n_labels)
        _check_numbers(records["target"], n_labels)
        matrix = np.zeros((n_labels, n_labels))
        matrix[transitions["source"], transitions["target"]] = transitions["weight"]
        positions = states["source"].astype(np.int64), states["target"].astype(np.int64)
        weights = csr_array((states["weight"].astype(np.float64), positions), (n_attributes, n_labels))
        return cls(*names, weights, matrix)


def _features(data: bytes, start: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    magic, _, number = CHUNK.unpack_from(data, start)
    start += CHUNK.size
    if magic != b"FEAT" or start + number * FEATURE.itemsize > len(data):
        raise ValueError("the offset of its features is invalid")
    return np.frombuffer(data, FEATURE, number, start)


def _strings(data: bytes, start: int, number: int) -> tuple[str, ...]:
    magic, _, _, _, stored_number, table_offset = TABLE.unpack_from(data, start)
    if magic != b"CQDB" or stored_number < number:
        raise ValueError("the offset of a table of its labels or attributes is invalid")
    offsets = struct.unpack_from(f"<{number}I", data, start + table_offset)
    return tuple(_string(data, start + offset, i) for i, offset in enumerate(offsets))


def _string(data: bytes, start: int, number: int) -> str:
    stored_number, length = RECORD.unpack_from(data, start)
    start += RECORD.size
    text = data[start : start + length]
    if stored_number != number or len(text) < length or not text.endswith(b"\0"):
        raise ValueError("the offset of a label or an attribute is invalid")
    return text[:-1].decode()


def _check_numbers(numbers: np.ndarray[tuple[int], np.dtype[np.uint32]], limit: int) -> None:
    if len(numbers) and int(numbers.max()) >= limit:
        raise ValueError("a feature has a label or an attribute that the model does not name")
