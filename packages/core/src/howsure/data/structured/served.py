"""The models and the texts of questions behind answers; a policy is valid only for these."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from howsure.errors import InputError, quote
from howsure.inputs.numbers_and_names import counted, shortened

ALIAS = "latest"


@dataclass(frozen=True, slots=True)
class Served:
    """models: as responses name them. questions: a checksum of the text of each question by its name, if known."""

    models: tuple[str, ...] = ()
    questions: Mapping[str, str] = field(default_factory=dict)

    @property
    def aliases(self) -> list[str]:
        """Names that may refer to other models later, such as gpt-latest."""
        return [model for model in self.models if model.endswith(ALIAS)]

    def changes(self, later: Served) -> Iterator[str]:
        """Yield sentences on what has changed. Anything that is unknown at one of the two times is not compared."""
        new = [model for model in later.models if model not in self.models]
        if new and self.models:
            yield f"the answers are by {shortened(new)}; the policy is for {shortened(self.models)}"
        for name in self.questions.keys() & later.questions.keys():
            if self.questions[name] != later.questions[name]:
                yield f"the text of the question {quote(name)} has changed"

    def not_compared(self, later: Served) -> Iterator[str]:
        """Yield sentences on what `changes` cannot compare, because the later responses do not contain it."""
        if self.models and not later.models:
            yield "The responses name no model, so it cannot be compared with the policy's."
        if missing := [name for name in self.questions if name not in later.questions]:
            yield (
                f"The responses do not contain the text of {counted(len(missing), 'question')} of the policy "
                f"({shortened(missing, limit=4)}), so it cannot be compared."
            )


UNKNOWN = Served()


class ServedSoFar:
    """The models and questions of documents that are read one after the other."""

    def __init__(self) -> None:
        self.models: dict[str, None] = {}
        self.texts: dict[str, str] = {}

    def add(self, model: Any, texts: Iterable[tuple[str, str]]) -> None:
        if isinstance(model, str):
            self.models[model] = None
        for name, text in texts:
            if self.texts.setdefault(name, text) != text:
                raise InputError(
                    f"the question {quote(name)} has two texts, {quote(self.texts[name])} and {quote(text)}. Evaluate "
                    "them apart."
                )

    @property
    def served(self) -> Served:
        """Return the models and questions of all documents."""
        digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in self.texts.items()}
        return Served(tuple(self.models), digests)
