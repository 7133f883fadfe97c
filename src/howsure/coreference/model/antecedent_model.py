"""The antecedent model as it is kept in a file: numbers and JSON, nothing that could run."""

from __future__ import annotations

import io
import json
import os
import zlib
from importlib import resources
from pathlib import Path
from typing import Any, Self

import numpy as np

from howsure.coreference.model.features import NEW_FAMILIES, PAIR_FAMILIES
from howsure.coreference.model.mention_ranking import MentionRanking
from howsure.errors import InputError
from howsure.files.archive import Archive, ArchiveError
from howsure.files.json_text import parsed_json
from howsure.files.whole import write_whole

KIND, VERSION = "howsure antecedent model", 1


class AntecedentModel(MentionRanking):
    """The log-linear mention-ranking model of Durrett & Klein (2013), as Nguyen & O'Connor (2015) use it.

    Mention j picks an antecedent a_j among the earlier mentions or "new", independently of the others:
    P(a_j = k | x) ∝ exp(w·f(x, k, j)). The features f ask some thirty questions (`features`: names of families, all by
    default) about distance, words, types, number, gender, role, speaker and nesting, and conjoin the answers with the
    types and the canonical pronouns of both mentions.

    mentions: "gold", those annotated in a document's file, or "detected" in its dependency parse.
    loss: "likelihood" of the latent antecedents, which calibrates, or "margin" (0.1, 3, 1), which makes the model
    overconfident. l1: the penalty λ of AdaGrad. passes: over the documents. sharpness: the power that the learned
    probabilities are raised to, 1 for themselves; above 1 it counters how pair probabilities spread along chains of
    links that the model takes for independent (chosen by cross-validation: scripts/choose_sharpness.py). two_steps:
    raise P(new) first, then the share of each antecedent; else all choices at once, which makes "new" too probable.

    >>> from howsure.data.documents.document import Document, Mention, Sentence
    >>> parsed = Sentence(("Ann", "sees", "herself"), tags=("NNP", "VBZ", "PRP"), heads=(1, -1, 1),
    ...                   relations=("nsubj", "root", "obj"))
    >>> text = Document("example", (parsed,), (Mention(0, 0, 1, "Ann"), Mention(0, 2, 3, "Ann")))
    >>> posterior = AntecedentModel(passes=5).fit([text]).posterior(text)
    >>> bool(posterior.pair_probability()[0, 1] > 0.5)
    True
    """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file (a few hundred kilobytes); the file appears whole or not at all.

        Raises InputError where the model is not trained or no file can be written.
        """
        if self.weights_ is None:
            raise InputError("the model is not trained, there is nothing to save; call fit first.")
        target = _checked_path(path)
        places = np.flatnonzero(self.weights_).astype(np.int32)
        values = self.weights_[places]
        header = {
            "kind": KIND,
            "version": VERSION,
            "parameters": self._parameters_in_file(),
            "families": _signature(self.features),
            "n_weights": len(self.weights_),
        }
        text = np.frombuffer(json.dumps(header, ensure_ascii=False).encode("utf-8"), dtype=np.uint8)
        content = io.BytesIO()
        checksum = _checksum(text, places, values)
        np.savez_compressed(content, header=text, places=places, values=values, checksum=checksum)
        write_whole(content.getvalue(), target)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model from a file.

        Raises InputError where there is no such file, or it is none of a model, cut short, changed, or of a newer
        version.
        """
        source = _checked_path(path)
        try:
            content = source.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read the model {path}: {error.strerror}.") from error
        return cls._from_bytes(content, name=str(path))

    @classmethod
    def pretrained(cls) -> Self:
        """The small English model that comes with the package, for mentions detected in a parse.

        Trained on the 53 documents of GUM's training part whose texts are CC BY: academic, court, interviews, news.
        """
        content = resources.files("howsure.coreference").joinpath("trained", "english.npz").read_bytes()
        return cls._from_bytes(content, name="the pretrained model")

    @classmethod
    def _from_bytes(cls, content: bytes, *, name: str) -> Self:
        header, places, values = _unpacked(content, name)
        kind, version = header.get("kind"), header.get("version")
        if kind != KIND:
            raise InputError(f"{name} holds no antecedent model but {kind!r}.")
        if version != VERSION:
            raise InputError(
                f"{name} has version {version!r}, this howsure reads {VERSION}; update it to read this model."
            )
        try:
            model = cls(**{"two_steps": False, **header["parameters"]})  # so files that do not say it were made
            n = model._scorer.n_weights
            known = header["families"] == _signature(model.features) and header["n_weights"] == n
        except (KeyError, TypeError, InputError):
            known = False
        if not known:
            raise InputError(f"{name} was trained with other features than this version has; train it again.")
        if not _fit(places, values, n):
            raise InputError(f"{name} holds weights that are no {n:,} finite numbers; restore a copy.")
        weights = np.zeros(n)
        weights[places] = values
        model._set_weights(weights)
        return model

    def _parameters_in_file(self) -> dict[str, Any]:
        parameters = self.get_params()
        seed = parameters["rng"]
        return {**parameters, "rng": int(seed) if isinstance(seed, int | np.integer) else None}


Array = np.ndarray[Any, Any]


def _checked_path(path: object) -> Path:
    """The path of a model; InputError where it can be none."""
    if isinstance(path, str | os.PathLike):
        found = os.fspath(path)
        if isinstance(found, str) and found and "\0" not in found:
            return Path(found)
    raise InputError(f"path must be the name of a file, such as 'model.npz'; it is {path!r:.80}.")


def _unpacked(content: bytes, name: str) -> tuple[dict[str, Any], Array, Array]:
    """The header and the weights that are not 0, with their places, as they were written."""
    try:
        archive = Archive(io.BytesIO(content))
        text, places, values, checksum = (archive.array(key) for key in ("header", "places", "values", "checksum"))
        if checksum.shape != () or checksum != _checksum(text, places, values):
            raise ArchiveError("it does not fit its checksum")
        header = parsed_json(text.tobytes())
        if not isinstance(header, dict):
            raise ArchiveError("its header is none")
    except ValueError as error:
        raise InputError(f"{name} is no model, or it was cut short or changed; restore a copy.") from error
    return header, places, values


def _fit(places: Array, values: Array, n: int) -> bool:
    """Whether these are numbers, each in a place of its own among n."""
    return (
        (places.dtype, values.dtype) == (np.dtype(np.int32), np.dtype(np.float64))
        and places.ndim == values.ndim == 1
        and len(places) == len(values)
        and bool(np.isfinite(values).all())
        and (
            len(places) == 0 or (int(places[0]) >= 0 and int(places[-1]) < n and bool((places[1:] > places[:-1]).all()))
        )
    )


def _checksum(*arrays: Array) -> np.uint32:
    total = 0
    for array in arrays:
        total = zlib.crc32(array.tobytes(), total)
    return np.uint32(total)


def _signature(names: tuple[str, ...]) -> list[list[Any]]:
    """What the places of the weights depend on: the families in order, their sizes and conjunctions."""
    families = (*PAIR_FAMILIES, *NEW_FAMILIES)
    return [[family.name, family.size, family.conjunction] for family in families if family.name in names]
