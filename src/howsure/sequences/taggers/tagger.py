"""What all taggers share: parameters as scikit-learn wants them, predictions, accuracy, and files."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy.typing as npt

from howsure.errors import InputError
from howsure.files.whole import Place
from howsure.inputs.naming import unknown_name
from howsure.sequences.features.sentences import check_tags
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.taggers.storage import KINDS, load_tagger, save_tagger

Arrays = dict[str, npt.NDArray[Any]]


DECODINGS = ("viterbi", "posterior")


class Tagger(ABC):
    """A model of tags given words: `fit` it, then ask for its `posterior` or its predictions."""

    kind: ClassVar[str]  # its name in files
    labels_: tuple[str, ...]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "kind" in vars(cls):
            KINDS[cls.kind] = cls

    @abstractmethod
    def fit(self, sentences: Sequence[Any], tags: Sequence[Sequence[str]]) -> Self:
        """Learn from sentences and their tags."""

    @abstractmethod
    def posterior(self, sentences: Sequence[Any]) -> TagPosterior:
        """The distribution over the tags of each sentence."""

    @abstractmethod
    def state(self) -> tuple[dict[str, Any], Arrays]:
        """All that was learnt: what JSON holds, and arrays."""

    @abstractmethod
    def restore(self, content: dict[str, Any], arrays: Arrays) -> Self:
        """Take over what `state` gave. Raises KeyError, TypeError or ValueError if it does not fit together."""

    def predict(self, sentences: Sequence[Any], *, decoding: str = "viterbi") -> list[list[str]]:
        """The tags of each sentence: the most probable sequence ("viterbi"), or at each word the most probable tag
        ("posterior"), which is right more often word by word."""
        if decoding not in DECODINGS:
            raise unknown_name("decoding", decoding, DECODINGS, place="a tagger")
        posterior = self.posterior(sentences)
        best = posterior.viterbi() if decoding == "viterbi" else posterior.posterior_decode()
        names: list[list[str]] = posterior.names(best)
        return names

    def score(self, sentences: Sequence[Any], tags: Sequence[Sequence[str]], *, decoding: str = "viterbi") -> float:
        """The share of words with the right tag. A tag that the model does not know counts as missed."""
        predicted = self.predict(sentences, decoding=decoding)
        gold = check_tags(tags, predicted)
        right = sum(p == g for ps, gs in zip(predicted, gold, strict=True) for p, g in zip(ps, gs, strict=True))
        total = sum(map(len, gold))
        if not total:
            raise InputError("sentences hold no word: there is nothing to score.")
        return right / total

    def save(self, path: Place) -> None:
        """Write the model to one file: arrays and JSON in a zip, nothing that runs when it is read."""
        save_tagger(self, path)

    @classmethod
    def load(cls, path: Place, **parameters: Any) -> Self:
        """Read a model from a file that `save` wrote. `parameters` set what a file cannot hold, such as a function.

        Raises InputError if the file is cut short, changed, of another kind or of a later version.
        """
        tagger = load_tagger(path, **parameters)
        if not isinstance(tagger, cls):
            raise InputError(f"{path} holds a {type(tagger).__name__}, not a {cls.__name__}.")
        return tagger

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters that the tagger was made with, as scikit-learn asks for them."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; what was fitted stays until the next `fit`."""
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
        """What scikit-learn's searches ask; no "classifier" to it, whose targets are no sequences."""
        from sklearn.utils import InputTags, Tags, TargetTags

        inputs = InputTags(two_d_array=False, string=True)
        return Tags(estimator_type=None, target_tags=TargetTags(required=True), input_tags=inputs)

    def _check_fitted(self) -> None:
        if not hasattr(self, "labels_"):
            raise InputError(f"this {type(self).__name__} is not fitted; call fit(sentences, tags) first.")
