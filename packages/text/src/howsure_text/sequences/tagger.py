"""The base of all taggers: scikit-learn parameters, predictions, accuracy, and files."""

from __future__ import annotations

import copy
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
DECODINGS = ("viterbi", "posterior")
KIND, SCHEMA, TEMPERED = "tagger", 1, 2  # in files: of a model as it was trained, and of one with temperatures
TAGGERS: dict[str, type[Tagger]] = {}  # by their kind in files; each class of tagger enters itself
FUNCTION = {"function": "pass it to load"}  # placeholder in a file for a parameter that is a function


class Tagger(ABC):
    """A model of tags given words: `fit` it, then compute its `posterior` or its predictions; `recalibrate` it if its
    probabilities are too high or too low."""

    kind: ClassVar[str]  # its name in files
    labels_: tuple[str, ...]
    temperatures_: Temperatures | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "kind" in vars(cls):
            TAGGERS[cls.kind] = cls

    @abstractmethod
    def fit(self, sentences: Sequence[Any], tags: Sequence[Sequence[str]]) -> Self:
        """Learn from sentences and their tags."""

    @abstractmethod
    def untempered(self, sentences: Sequence[Any]) -> TagPosterior:
        """The distribution over the tags of each sentence as it was learnt from training, at no temperature."""

    def unseen(self, sentences: Sequence[Any]) -> Unseen | None:
        """For each sentence, which of its words did not occur in training, (T,); None if the model scores all words
        alike."""
        return None

    def posterior(self, sentences: Sequence[Any]) -> TagPosterior:
        """P(tags | words) for each sentence, at the model's temperatures if it was recalibrated.

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
        """The same model at the temperatures under which the gold tags of these sentences are most probable: another
        tagger, with its `temperatures_`. This one does not change, and temperatures that it has are replaced.

        The sentences must not be those of training, on which every model is too sure. The arguments are those of
        `howsure_text.sequences.fit_temperatures`. Tags, pairs, spans, samples and the best sequences all change.

        Raises InputError as `fit_temperatures` does.
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
        """The learned state: values for JSON, and arrays."""

    @abstractmethod
    def restore(self, content: dict[str, Any], arrays: Arrays) -> Self:
        """Restore the result of `state`. Raises KeyError, TypeError or ValueError if it is inconsistent."""

    def predict(self, sentences: Sequence[Any], *, decoding: str = "viterbi") -> list[list[str]]:
        """The tags of each sentence: the most probable sequence ("viterbi"), or the most probable tag of each word
        ("posterior"), which has the higher expected accuracy per word."""
        if decoding not in DECODINGS:
            raise unknown_name("decoding", decoding, DECODINGS, place="a tagger")
        posterior = self.posterior(sentences)
        best = posterior.viterbi() if decoding == "viterbi" else posterior.posterior_decode()
        names: list[list[str]] = posterior.names(best)
        return names

    def score(self, sentences: Sequence[Any], tags: Sequence[Sequence[str]], *, decoding: str = "viterbi") -> float:
        """The share of words with the right tag. An unknown tag counts as an error."""
        predicted = self.predict(sentences, decoding=decoding)
        gold = check_tags(tags, predicted)
        right = sum(p == g for ps, gs in zip(predicted, gold, strict=True) for p, g in zip(ps, gs, strict=True))
        total = sum(map(len, gold))
        if not total:
            raise InputError("sentences contain no word: there is nothing to score.")
        return right / total

    def save(self, path: Place) -> None:
        """Write the model to one file, completely or not at all: arrays and JSON, no executable code.

        Raises InputError if the tagger is not fitted or no file can be written.
        """
        learnt, arrays = self.state()
        parameters = {name: _plain(value) for name, value in self.get_params().items()}
        content = {"tagger": self.kind, "parameters": parameters, "learnt": learnt}
        temperatures = self.temperatures_
        if temperatures is not None:
            content["temperatures"] = temperatures.to_dict()
        write_model(
            path, kind=KIND, schema=SCHEMA if temperatures is None else TEMPERED, content=content, arrays=arrays
        )

    @classmethod
    def load(cls, path: Place, **parameters: Any) -> Self:
        """Read a model from a file written by `save`. `parameters` supply what a file cannot contain, such as a
        function.

        Raises InputError if the file is truncated, changed, of another kind or of a later version.
        """
        tagger = load_tagger(path, **parameters)
        if not isinstance(tagger, cls):
            raise InputError(f"{path} contains a {type(tagger).__name__}, not a {cls.__name__}.")
        return tagger

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the tagger, as in scikit-learn."""
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
        """Tags for scikit-learn's searches; not a "classifier", whose targets cannot be sequences."""
        from sklearn.utils import InputTags, Tags, TargetTags

        inputs = InputTags(two_d_array=False, string=True)
        return Tags(estimator_type=None, target_tags=TargetTags(required=True), input_tags=inputs)

    def _check_fitted(self) -> None:
        if not hasattr(self, "labels_"):
            raise InputError(f"this {type(self).__name__} is not fitted; call fit(sentences, tags) first.")


def load_tagger(path: Place, **parameters: Any) -> Tagger:
    """Read a tagger. `parameters` replace those in the file; a feature function is not in the file and must be given.

    Raises InputError if the file does not exist, is truncated, changed, of another kind or of another version.
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
            f"{path} contains a model whose {missing[0]} is a function, which cannot be saved in a file; "
            f"pass it: {type(tagger).__name__}.load(path, {missing[0]}=...)."
        )
    return tagger


def _restored(content: dict[str, Any], arrays: Arrays) -> Tagger:
    tagger = TAGGERS[content["tagger"]]()
    usual, parameters = tagger.get_params(), content["parameters"].items()
    tagger.set_params(**{name: value for name, value in parameters if name not in usual or value != usual[name]})
    TagSet(tagger.restore(content["learnt"], arrays).labels_, len(tagger.labels_))
    if content.get("temperatures") is not None:
        tagger.temperatures_ = Temperatures.from_dict(content["temperatures"])
    return tagger


def _plain(value: object) -> object:
    """A parameter in JSON form; functions and generators are omitted."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return list(value)
    return dict(FUNCTION) if callable(value) else None
