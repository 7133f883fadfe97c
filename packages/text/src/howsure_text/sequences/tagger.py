"""The base class of all taggers: scikit-learn parameters, predictions, accuracy, and model files."""

from __future__ import annotations

import copy
import hashlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.files.atomic_write import Place
from howsure.files.serialization import damaged_model, read_model, write_model
from howsure.inputs.numbers_and_names import unknown_name
from howsure_text.sequences.sentences import TagSet, check_tags
from howsure_text.sequences.tag_posterior import TagPosterior
from howsure_text.sequences.temperatures import MARGINAL, Temperatures, Unseen
from howsure_text.sequences.tempering import fit_temperatures

Arrays = dict[str, npt.NDArray[Any]]
Digests = npt.NDArray[np.uint64]
DECODINGS = ("viterbi", "posterior")
KIND, SCHEMA, TEMPERED = "tagger", 1, 2  # kind of a model file, and its schema without and with temperatures
TRAINING = "training"  # the array of digests in a file, which older files lack
FUNCTION = {"function": "pass it to load"}  # placeholder in a file for a parameter that is a function


def sentence_digests(sentences: Sequence[Any]) -> Digests:
    """Return a digest of the words, or items, of each sentence.

    >>> first, second, third = sentence_digests([["a", "b"], ["a b"], ("a", "b")])
    >>> bool(first == third), bool(first == second)
    (True, False)
    """
    digests = [hashlib.blake2b(repr([*sentence]).encode("utf-8", "replace"), digest_size=8) for sentence in sentences]
    return np.frombuffer(b"".join(digest.digest() for digest in digests), dtype="<u8").astype(np.uint64)


class Tagger(ABC):
    """The base class of models of tags given words.

    `fit` trains a tagger, `posterior` and `predict` use it, and `recalibrate` corrects probabilities that are too high
    or too low.
    """

    kind: ClassVar[str]  # the name of the class in model files
    labels_: tuple[str, ...]
    temperatures_: Temperatures | None = None
    training_: Digests | None = None  # of the sentences that it was trained on; None if unknown, as in older files

    @abstractmethod
    def fit(self, sentences: Sequence[Any], tags: Sequence[Sequence[str]]) -> Self:
        """Learn from sentences and their tags."""

    @abstractmethod
    def untempered(self, sentences: Sequence[Any]) -> TagPosterior:
        """Return the distribution over the tags of each sentence as learned in training, without temperatures."""

    def unseen(self, sentences: Sequence[Any]) -> Unseen | None:
        """Return for each sentence which words did not occur in training, (T,); None if the model does not use this."""
        return None

    def are_training_sentences(self, sentences: Sequence[Any]) -> npt.NDArray[np.bool_]:
        """Return for each sentence whether the tagger was trained on it; False if its file does not say on which."""
        return np.isin(sentence_digests(sentences), [] if self.training_ is None else self.training_)

    def posterior(self, sentences: Sequence[Any]) -> TagPosterior:
        """Return P(tags | words) for each sentence, with the model's temperatures if it was recalibrated.

        Raises InputError for sentences that the model cannot read.
        """
        untempered = self.untempered(sentences)
        if self.temperatures_ is None:
            return untempered
        unseen = None if self.temperatures_.unseen is None else self.unseen(sentences)
        return self.temperatures_.apply(untempered, unseen=unseen)

    def recalibrate(
        self,
        sentences: Sequence[Any],
        tags: Sequence[Sequence[str]],
        *,
        keep_answers: bool = False,
        likelihood: str = MARGINAL,
        unknown_tags: str = "error",
        level: float = 0.95,
    ) -> Self:
        """Return a copy of the tagger with the temperatures under which the gold tags of sentences are most probable.

        The copy has new `temperatures_`; this tagger does not change. The sentences must not be training sentences, on
        which every model is overconfident. The arguments are those of `howsure_text.sequences.fit_temperatures`.

        Raises the errors of `fit_temperatures`.
        """
        temperatures = fit_temperatures(
            self.untempered(sentences),
            tags,
            unseen=self.unseen(sentences),
            keep_answers=keep_answers,
            likelihood=likelihood,
            unknown_tags=unknown_tags,
            level=level,
        )
        other = copy.copy(self)
        other.temperatures_ = temperatures
        return other

    @abstractmethod
    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the learned state: values for JSON, and arrays."""

    @abstractmethod
    def restore(self, content: dict[str, Any], arrays: Arrays) -> Self:
        """Restore the result of `state`. Raises KeyError, TypeError or ValueError if it is inconsistent."""

    def predict(self, sentences: Sequence[Any], *, decoding: str = "viterbi") -> list[list[str]]:
        """Predict the tags of each sentence.

        decoding: "viterbi" for the most probable sequence, or "posterior" for the most probable tag of each word, which
        has a higher expected accuracy per word.
        """
        if decoding not in DECODINGS:
            raise unknown_name("decoding", decoding, DECODINGS, place="a tagger")
        posterior = self.posterior(sentences)
        best = posterior.viterbi() if decoding == "viterbi" else posterior.posterior_decode()
        names: list[list[str]] = posterior.names(best)
        return names

    def score(self, sentences: Sequence[Any], tags: Sequence[Sequence[str]], *, decoding: str = "viterbi") -> float:
        """Return the proportion of words with the right tag. A word whose gold tag is unknown counts as an error."""
        predicted = self.predict(sentences, decoding=decoding)
        gold = check_tags(tags, predicted)
        right = sum(p == g for ps, gs in zip(predicted, gold, strict=True) for p, g in zip(ps, gs, strict=True))
        total = sum(map(len, gold))
        if not total:
            raise InputError("sentences contain no word, so there is nothing to score.")
        return right / total

    def save(self, path: Place) -> None:
        """Write the model to a file atomically, as arrays and JSON without executable code.

        Raises InputError if the tagger is not fitted or no file can be written.
        """
        learnt, arrays = self.state()
        parameters = {name: _plain(value) for name, value in self.get_params().items()}
        content = {"tagger": self.kind, "parameters": parameters, "learnt": learnt}
        temperatures = self.temperatures_
        if temperatures is not None:
            content["temperatures"] = temperatures.to_dict()
        arrays = arrays if self.training_ is None else arrays | {TRAINING: self.training_}
        write_model(
            path, kind=KIND, schema=SCHEMA if temperatures is None else TEMPERED, content=content, arrays=arrays
        )

    @classmethod
    def load(cls, path: Place, **parameters: Any) -> Self:
        """Read a model from a file written by `save`. parameters: values that files cannot contain, e.g. functions."""
        tagger = load_tagger(path, **parameters)
        if not isinstance(tagger, cls):
            raise InputError(f"{path} contains a {type(tagger).__name__}, not a {cls.__name__}.")
        return tagger

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the tagger, as in scikit-learn."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; the fitted state remains until the next `fit`."""
        for name, value in params.items():
            if name not in self._parameter_names():
                raise unknown_name("parameter", name, self._parameter_names(), place=type(self).__name__)
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [f"{n}={v!r}" for n, v in self.get_params().items() if v != defaults[n].default]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags of the estimator, which is not a "classifier", since its targets are sequences."""
        from sklearn.utils import InputTags, Tags, TargetTags

        inputs = InputTags(two_d_array=False, string=True)
        return Tags(estimator_type=None, target_tags=TargetTags(required=True), input_tags=inputs)

    def _check_fitted(self) -> None:
        if not hasattr(self, "labels_"):
            raise InputError(f"this {type(self).__name__} is not fitted; call fit(sentences, tags) first.")


def load_tagger(path: Place, **parameters: Any) -> Tagger:
    """Read a tagger from a file.

    parameters: values that replace those in the file. A parameter that is a function is not in the file, and must be
    passed here.
    """
    content, arrays = read_model(path, kind=KIND, schema=TEMPERED, oldest=SCHEMA)
    try:
        tagger = _restored(content, arrays)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise damaged_model(path, error) from error
    tagger.set_params(**parameters)
    missing = [name for name, value in tagger.get_params().items() if value == FUNCTION]
    if missing:
        raise InputError(
            f"{path} contains a model whose parameter {missing[0]} is a function, which a file cannot contain; "
            f"pass it: {type(tagger).__name__}.load(path, {missing[0]}=...)."
        )
    return tagger


def _restored(content: dict[str, Any], arrays: Arrays) -> Tagger:
    from howsure_text.sequences import CRFTagger, HMMTagger  # not above, because these modules import this one

    classes: dict[str, type[Tagger]] = {tagger.kind: tagger for tagger in (CRFTagger, HMMTagger)}
    tagger = classes[content["tagger"]]()
    usual, parameters = tagger.get_params(), content["parameters"].items()
    tagger.set_params(**{name: value for name, value in parameters if name not in usual or value != usual[name]})
    TagSet(tagger.restore(content["learnt"], arrays).labels_, len(tagger.labels_))
    if TRAINING in arrays:
        tagger.training_ = np.asarray(arrays[TRAINING], dtype=np.uint64)
    if content.get("temperatures") is not None:
        tagger.temperatures_ = Temperatures.from_dict(content["temperatures"])
    return tagger


def _plain(value: object) -> object:
    """Convert a parameter to JSON; a function becomes a placeholder, other objects become None."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return list(value)
    return dict(FUNCTION) if callable(value) else None
