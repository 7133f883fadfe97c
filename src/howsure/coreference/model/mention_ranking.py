"""The antecedent model: a log-linear distribution over what each mention refers back to (Durrett & Klein 2013)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self, get_args

import numpy as np

from howsure.coreference.mentions.mention_columns import attributes_of, check_document
from howsure.coreference.mentions.selection import Source, check_size, entities_of, mentions_of
from howsure.coreference.model.features import NEW_FAMILIES, PAIR_FAMILIES
from howsure.coreference.model.loss import Loss, allowed_antecedents
from howsure.coreference.model.scorer import Scorer
from howsure.coreference.model.sharpening import sharpened
from howsure.coreference.model.training import Example, Pass, train
from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError
from howsure.inputs.arrays import listed
from howsure.inputs.naming import unknown_name
from howsure.inputs.numbers import is_number
from howsure.inputs.pairs import Floats
from howsure.stats.randomness import Randomness, generator_from

SHARPEST = 100
FAMILY_NAMES = tuple(family.name for family in (*PAIR_FAMILIES, *NEW_FAMILIES))


class MentionRanking:
    """P(a_j = k | x) ∝ exp(w·f(x, k, j)) over the earlier mentions k < j and "new"; learning, and the posterior.

    `AntecedentModel` adds how it is kept in a file, and documents the parameters.
    """

    def __init__(
        self,
        *,
        mentions: Source = "gold",
        loss: Loss = "likelihood",
        l1: float = 0.01,
        passes: int = 12,
        sharpness: float = 1.2,
        two_steps: bool = True,
        features: Sequence[str] | None = None,
        rng: Randomness = 0,
    ) -> None:
        _one_of("mentions", mentions, get_args(Source))
        _one_of("loss", loss, get_args(Loss))
        if not (is_number(l1) and np.isfinite(l1) and l1 >= 0):
            raise InputError(f"l1 must be a number, 0 or more; it is {l1!r}.")
        if not (is_number(sharpness) and 0 < sharpness <= SHARPEST):
            raise InputError(
                f"sharpness must be a number above 0, at most {SHARPEST} (1: as learned); it is {sharpness!r}."
            )
        if not isinstance(two_steps, bool):
            raise InputError(f"two_steps must be True or False; it is {two_steps!r}.")
        if isinstance(passes, bool) or not isinstance(passes, int | np.integer) or passes < 1:
            raise InputError(f"passes must be a whole number, 1 or more; it is {passes!r}.")
        for name in () if features is None else listed(features, name="features", of="names of families"):
            _one_of("features", name, FAMILY_NAMES)
        generator_from(rng)  # refuses what is none
        self.mentions, self.loss = mentions, loss
        self.l1, self.passes, self.sharpness = float(l1), int(passes), float(sharpness)
        self.two_steps = two_steps
        self.features = FAMILY_NAMES if features is None else tuple(features)
        self.rng = rng
        self.weights_: Floats | None = None
        self.history_: tuple[Pass, ...] = ()
        self.interrupted_ = False
        self._tables: list[Floats] = []
        self._scorer = Scorer(
            [family for family in PAIR_FAMILIES if family.name in self.features],
            [family for family in NEW_FAMILIES if family.name in self.features],
        )

    def get_params(self) -> dict[str, Any]:
        """The parameters as given."""
        names = ("mentions", "loss", "l1", "passes", "sharpness", "two_steps", "features", "rng")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        state = "not trained" if self.weights_ is None else f"{np.count_nonzero(self.weights_):,} weights"
        return f"{type(self).__name__}(mentions={self.mentions!r}, loss={self.loss!r}, l1={self.l1}; {state})"

    def fit(
        self,
        documents: Iterable[Document],
        *,
        development: Iterable[Document] = (),
        advance: Callable[[int], None] | None = None,
    ) -> Self:
        """Learn the weights from documents whose mentions and entities are annotated.

        With `development` documents the pass that suits them best is kept. Ctrl-C ends the training and keeps the best
        so far (`interrupted_`); `history_` tells of every pass. `advance` is called with 1 for every document learned
        from, `passes` times each.

        Raises InputError where there is nothing to learn from or a document is not parsed.
        """
        if isinstance(documents, Document) or isinstance(development, Document):
            raise InputError("documents and development must be lists of documents; of one: [document].")
        teaching = listed(documents, name="documents", of="documents, such as howsure.data.read_documents(file) gives")
        chosen_by = listed(development, name="development", of="documents; without any: ()")
        examples = [self._example(document) for document in teaching]
        if not any(len(example) for example in examples):
            raise InputError("documents must hold at least one mention to learn from; there is none.")
        done = train(
            self._scorer,
            examples,
            loss=self.loss,
            l1=self.l1,
            passes=self.passes,
            rng=generator_from(self.rng),
            development=[self._example(document) for document in chosen_by],
            advance=advance,
        )
        self.history_, self.interrupted_ = done.history, done.interrupted
        self._set_weights(done.weights)
        return self

    def mentions_of(self, document: Document) -> tuple[Mention, ...]:
        """The mentions that `posterior` is about: gold or detected, in text order."""
        return mentions_of(document, source=self.mentions)

    def posterior(self, document: Document, *, mentions: Sequence[Mention] | None = None) -> CorefPosterior:
        """The posterior over clusterings of a document's mentions, or of those given, in text order.

        Raises InputError where the model is not trained, or for mentions or parses as `mentions_of` does.
        """
        if self.weights_ is None:
            raise InputError("the model is not trained; call fit, load one, or take AntecedentModel.pretrained().")
        check_document(document)
        chosen = (
            self.mentions_of(document)
            if mentions is None
            else tuple(listed(mentions, name="mentions", of="Mention(sentence, start, end)"))
        )
        check_size(document, chosen)
        features = self._scorer.features(attributes_of(document, chosen))
        scores = self._scorer.scores(features, self._tables)
        return CorefPosterior(sharpened(scores, self.sharpness, two_steps=self.two_steps), mentions=chosen)

    def _example(self, document: Document) -> Example:
        mentions = self.mentions_of(document)
        right = allowed_antecedents(entities_of(document, mentions))
        return Example(self._scorer.features(attributes_of(document, mentions)), right)

    def _set_weights(self, weights: Floats) -> None:
        self.weights_ = weights
        self._tables = self._scorer.tables(weights)


def _one_of(parameter: str, value: object, names: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in names:
        raise unknown_name("value", str(value), list(names), place=parameter)
