"""For spaCy, which finds it by its entry point: how probable is an entity or a tag that a pipeline found?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from howsure.errors import InputError
from howsure.files.input_files import parsed_json
from howsure.inputs.classes import softmax
from howsure.inputs.numbers_and_names import shortened

if TYPE_CHECKING:
    from howsure.recalibration.results import RecalibrationMap

__all__ = ["Confidence"]
MAPS = ("entity_map", "tag_map")
Extent = tuple[int, int, str]  # first token, the token after the last, type


class Confidence:
    """A component of spaCy's: `ent._.confidence` and `token._.tag_confidence`, probabilities by the model's own scores.

    A tag's is the softmax of the tagger's scores. An entity's is the product of the softmax over the actions that spaCy
    allowed at each of its tokens, the probability that the model finds it, given what it found before it. None where
    the model's scores say nothing: of what rules or another component set. tagger, ner: the names of the components
    that are asked, which come before this one.

    entity_map, tag_map: maps by which both are calibrated (`recalibrate`, `RecalibrationMap.load`); maps of groups take
    the type of the entity, or the tag, as the group. They are saved with the pipeline.

    >>> import spacy
    >>> pipeline = spacy.blank("en")
    >>> confidence = pipeline.add_pipe("howsure_confidence")
    >>> print(confidence.tag_map)
    None
    """

    entity_map: RecalibrationMap | None = None
    tag_map: RecalibrationMap | None = None

    def __init__(self, nlp: Language, name: str, *, tagger: str = "tagger", ner: str = "ner") -> None:
        self.nlp, self.name, self.tagger, self.ner = nlp, name, tagger, ner
        for kind, attribute in ((Span, "confidence"), (Token, "tag_confidence")):
            if not kind.has_extension(attribute):
                kind.set_extension(attribute, default=None)

    def __setattr__(self, name: str, value: object) -> None:
        """Accept only a map of one probability per row."""
        from howsure.recalibration.results import RecalibrationMap

        if name in MAPS and value is not None:
            if not isinstance(value, RecalibrationMap):
                raise InputError(f"{name} must be a map, such as RecalibrationMap.load('map.json'); it is {value!r}.")
            if value.classes:
                raise InputError(
                    f"{name} must map one probability per row, that of being right; this one maps those of the classes "
                    f"{shortened(value.classes)}."
                )
        object.__setattr__(self, name, value)

    def __call__(self, doc: Doc) -> Doc:
        """Say how probable each entity and tag is."""
        names = self.nlp.pipe_names
        before = names[: names.index(self.name)] if self.name in names else names
        lacking = [pipe_name for pipe_name in (self.tagger, self.ner) if pipe_name not in before]
        if len(lacking) == 2 or set(lacking) - {"tagger", "ner"}:
            raise InputError(
                f"{self.name} must come after {' or '.join(map(repr, lacking))}, whose scores it uses; before it "
                f"there is {shortened(before) or 'nothing'}."
            )
        if len(doc) and self.tagger in before:
            labels = [token.tag_ for token in doc]
            probabilities = _tag_probabilities(doc, self.nlp.get_pipe(self.tagger), labels)
            for token, value in zip(doc, _mapped(self.tag_map, probabilities, labels), strict=True):
                token._.tag_confidence = value
        if doc.ents and self.ner in before:
            of_model = dict(_entity_probabilities(doc, self.nlp.get_pipe(self.ner)))
            ents = [(ent.start, ent.end, ent.label_) for ent in doc.ents]
            values = _mapped(self.entity_map, [of_model.get(ent) for ent in ents], [label for *_, label in ents])
            for ent, value in zip(doc.ents, values, strict=True):
                ent._.confidence = value
        return doc

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:
        """The maps, as texts by name."""
        maps = {name: getattr(self, name) for name in MAPS}
        return json.dumps({name: map_ and map_.to_json() for name, map_ in maps.items()}).encode()

    def from_bytes(self, data: bytes, *, exclude: Sequence[str] = ()) -> Confidence:
        """Take the maps of `to_bytes`."""
        from howsure.recalibration.results import RecalibrationMap

        try:
            texts = parsed_json(data)
            maps = {name: None if texts[name] is None else RecalibrationMap.from_json(texts[name]) for name in MAPS}
        except (ValueError, LookupError, TypeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError("the maps were changed or cut off. Save the pipeline again.") from error
        for name, recalibration_map in maps.items():
            setattr(self, name, recalibration_map)
        return self

    def to_disk(self, path: Path, *, exclude: Sequence[str] = ()) -> None:
        """Write the maps with the pipeline."""
        path.write_bytes(self.to_bytes())

    def from_disk(self, path: Path, *, exclude: Sequence[str] = ()) -> Confidence:
        """Take the maps of a saved pipeline."""
        return self.from_bytes(path.read_bytes())


@Language.factory("howsure_confidence")
def confidence(nlp: Language, name: str, tagger: str = "tagger", ner: str = "ner") -> Confidence:
    """What spaCy calls for `nlp.add_pipe("howsure_confidence")`."""
    return Confidence(nlp, name, tagger=tagger, ner=ner)


def _mapped(
    map: RecalibrationMap | None, probabilities: Sequence[float | None], groups: Sequence[str]
) -> list[float | None]:
    """The probabilities, calibrated where there is a map; None stays."""
    rows = [row for row, value in enumerate(probabilities) if value is not None]
    if map is None or not rows:
        return list(probabilities)
    after = map.apply(
        [probabilities[row] for row in rows], groups=[groups[row] for row in rows] if map.groups else None
    )
    mapped = dict(zip(rows, after.tolist(), strict=True))
    return [mapped.get(row) for row in range(len(probabilities))]


def _tag_probabilities(doc: Doc, tagger: Any, tags: Sequence[str]) -> list[float | None]:
    """The probability of the tag that each token has, None of one that the tagger does not know."""
    scores = tagger.model.ops.to_numpy(tagger.model.predict([doc])[0])
    raw = any(not layer.attrs.get("softmax_normalize", True) for layer in tagger.model.walk())
    probabilities = softmax(scores) if raw else scores
    place = {label: at for at, label in enumerate(tagger.labels)}
    return [float(row[place[tag]]) if tag in place else None for row, tag in zip(probabilities, tags, strict=True)]


def _entity_probabilities(doc: Doc, ner: Any) -> Iterator[tuple[Extent, float]]:
    """The entities that spaCy's transitions find, with the product of the probabilities of their actions.

    The document is read as the recogniser does, without the entities that it has by now.
    """
    bare = doc.copy()
    bare.set_ents([], default="missing")
    moves = ner.moves
    names = [moves.get_class_name(at) for at in range(moves.n_moves)]
    step = ner.model.predict([bare])
    (state,) = moves.init_batch([bare])
    start, probability = 0, 1.0
    for at in range(len(bare)):
        allowed = np.array([name != "U-" and moves.is_valid(state, name) for name in names])
        scores = ner.model.ops.to_numpy(step.predict([state]))[0]
        (chances,) = softmax(np.where(allowed, scores, -np.inf)[None])
        best = int(chances.argmax())
        action, _, label = names[best].partition("-")
        if action in "BU":
            start, probability = at, 1.0
        probability *= float(chances[best])
        if action in "LU":
            yield (start, at + 1, label), probability
        moves.apply_transition(state, names[best])
