"""A component for spaCy pipelines (found by its entry point) that adds probabilities of entities and tags."""

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
Extent = tuple[int, int, str]  # an entity: first token, the token after the last, type


class Confidence:
    """A spaCy component that sets the probabilities `ent._.confidence` and `token._.tag_confidence`.

    The probability of a tag is the softmax of the tagger's scores. The probability of an entity is the product, over
    its tokens, of the softmax over the actions that spaCy allows: the probability that the model finds the entity,
    given the entities before it. It is None for tags and entities that were set by rules or by another component.
    tagger, ner: the names of the components whose scores are used, which must come before this component.

    entity_map, tag_map: recalibration maps of both probabilities (`recalibrate`, `RecalibrationMap.load`). In maps by
    group, the group is the type of the entity, or the tag. The maps are saved with the pipeline.

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
        """Set an attribute; raise InputError for a map that is not a recalibration map of one probability per row."""
        from howsure.recalibration.results import RecalibrationMap

        if name in MAPS and value is not None:
            if not isinstance(value, RecalibrationMap):
                raise InputError(
                    f"{name} must be a RecalibrationMap, such as RecalibrationMap.load('map.json'); it is {value!r}."
                )
            if value.classes:
                raise InputError(
                    f"{name} must be a map of one probability per row (of being right); this map is for the "
                    f"probabilities of the classes {shortened(value.classes)}."
                )
        object.__setattr__(self, name, value)

    def __call__(self, doc: Doc) -> Doc:
        """Set the probabilities of the entities and tags of a Doc."""
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
        maps = {name: getattr(self, name) for name in MAPS}
        return json.dumps({name: map_ and map_.to_json() for name, map_ in maps.items()}).encode()

    def from_bytes(self, data: bytes, *, exclude: Sequence[str] = ()) -> Confidence:
        """Restore the maps from the result of `to_bytes`."""
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
        """Restore the maps of a saved pipeline."""
        return self.from_bytes(path.read_bytes())


@Language.factory("howsure_confidence")
def confidence(nlp: Language, name: str, tagger: str = "tagger", ner: str = "ner") -> Confidence:
    """Create the component; spaCy calls this function for `nlp.add_pipe("howsure_confidence")`."""
    return Confidence(nlp, name, tagger=tagger, ner=ner)


def _mapped(
    map: RecalibrationMap | None, probabilities: Sequence[float | None], groups: Sequence[str]
) -> list[float | None]:
    """Return recalibrated probabilities, or the same ones without a map; None remains None."""
    rows = [row for row, value in enumerate(probabilities) if value is not None]
    if map is None or not rows:
        return list(probabilities)
    after = map.apply(
        [probabilities[row] for row in rows], groups=[groups[row] for row in rows] if map.groups else None
    )
    mapped = dict(zip(rows, after.tolist(), strict=True))
    return [mapped.get(row) for row in range(len(probabilities))]


def _tag_probabilities(doc: Doc, tagger: Any, tags: Sequence[str]) -> list[float | None]:
    """Return the probability of each token's tag; None for tags that the tagger does not know."""
    scores = tagger.model.ops.to_numpy(tagger.model.predict([doc])[0])
    raw = any(not layer.attrs.get("softmax_normalize", True) for layer in tagger.model.walk())
    probabilities = softmax(scores) if raw else scores
    column_of = {label: column for column, label in enumerate(tagger.labels)}
    return [
        float(row[column_of[tag]]) if tag in column_of else None for row, tag in zip(probabilities, tags, strict=True)
    ]


def _entity_probabilities(doc: Doc, ner: Any) -> Iterator[tuple[Extent, float]]:
    """Yield the entities that the entity recogniser's transitions find, with the product of the actions' probabilities.

    The entities that the document has at this point are ignored.
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
