"""The antecedent model: a log-linear distribution over the antecedents of each mention (Durrett & Klein 2013)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import resources
from typing import Any, Self, get_args

import numpy as np

from howsure.coreference.mentions.mention_columns import check_document, mention_columns
from howsure.coreference.mentions.selection import Source, check_size, entities_of, mentions_of
from howsure.coreference.model.features import NEW_FAMILIES, PAIR_FAMILIES
from howsure.coreference.model.loss import Loss, allowed_antecedents
from howsure.coreference.model.scorer import Scorer
from howsure.coreference.model.sharpening import sharpened
from howsure.coreference.model.training import Example, Pass, train
from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.data.documents.document import Document, Mention
from howsure.data.parses.parsed_document import ParsedDocument
from howsure.errors import InputError
from howsure.files.archive import Array
from howsure.files.model_archive import damaged_model, read_model, write_model
from howsure.files.whole import Place
from howsure.inputs.arrays import listed
from howsure.inputs.naming import unknown_name
from howsure.inputs.numbers import is_number
from howsure.inputs.pairs import Floats
from howsure.stats.randomness import Randomness, generator_from

KIND, SCHEMA = "antecedent model", 1  # in files
FITTED = "fitted"  # where weights come from, unless from a file
SHARPEST = 100
FAMILY_NAMES = tuple(family.name for family in (*PAIR_FAMILIES, *NEW_FAMILIES))


class AntecedentModel:
    """The log-linear mention-ranking model of Durrett & Klein (2013), as used by Nguyen & O'Connor (2015).

    Mention j picks an antecedent a_j among the earlier mentions or "new", independently of the others: P(a_j = k | x) ∝
    exp(w·f(x, k, j)). The features f belong to some thirty families (`features`: names of families, all by default)
    that describe distance, words, types, number, gender, role, speaker and nesting, conjoined with the types and the
    canonical pronouns of both mentions.

    mentions: "gold", those annotated in a document's file, or "detected" in its dependency parse. loss: "likelihood" of
    the latent antecedents, which gives calibrated probabilities, or "margin" (0.1, 3, 1), which makes the model
    overconfident. l1: the penalty λ of AdaGrad. passes: over the documents. sharpness: the power to which the learned
    probabilities are raised, 1 for no change; a value above 1 counteracts the spread of pair probabilities along chains
    of links that the model treats as independent (chosen by cross-validation: scripts/choose_sharpness.py). two_steps:
    raise P(new) first, then the share of each antecedent; otherwise all choices at once, which makes "new" too
    probable.

    >>> from howsure.data.documents.document import Document, Mention, Sentence
    >>> parsed = Sentence(("Ann", "sees", "herself"), tags=("NNP", "VBZ", "PRP"), heads=(1, -1, 1),
    ...                   relations=("nsubj", "root", "obj"))
    >>> text = Document("example", (parsed,), (Mention(0, 0, 1, "Ann"), Mention(0, 2, 3, "Ann")))
    >>> posterior = AntecedentModel(passes=5, rng=0).fit([text]).posterior(text)
    >>> bool(posterior.pair_probability()[0, 1] > 0.5)
    True
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
        rng: Randomness = None,
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
        self.source_ = FITTED
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

        With `development` documents, the best pass on them is kept. Ctrl-C ends the training and keeps the best weights
        so far (`interrupted_`); `history_` records every pass. `advance` is called with 1 for every document learned
        from, `passes` times each.

        Raises InputError if there is nothing to learn from or a document is not parsed.
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
        self.source_ = FITTED
        return self

    def mentions_of(self, document: Document) -> tuple[Mention, ...]:
        """The mentions used by `posterior`: gold or detected, in text order."""
        return mentions_of(document, source=self.mentions)

    def posterior(self, document: Document, *, mentions: Sequence[Mention] | None = None) -> CorefPosterior:
        """The posterior over clusterings of a document's mentions, or of the given ones, in text order.

        Raises InputError if the model is not trained, and for invalid mentions or parses like `mentions_of`.
        """
        if self.weights_ is None:
            raise InputError("the model is not trained; call fit, load one, or take AntecedentModel.pretrained().")
        check_document(document)
        parsed = ParsedDocument.of(document)
        chosen = (
            self.mentions_of(parsed)
            if mentions is None
            else tuple(listed(mentions, name="mentions", of="Mention(sentence, start, end)"))
        )
        check_size(document, chosen)
        features = self._scorer.features(mention_columns(parsed, chosen))
        scores = self._scorer.scores(features, self._tables)
        return CorefPosterior(sharpened(scores, self.sharpness, two_steps=self.two_steps), mentions=chosen)

    def save(self, path: Place) -> None:
        """Write the model to a file (a few hundred kilobytes), completely or not at all.

        Raises InputError if the model is not trained or the file cannot be written.
        """
        if self.weights_ is None:
            raise InputError("the model is not trained, there is nothing to save; call fit first.")
        seed = self.rng
        parameters = {**self.get_params(), "rng": int(seed) if isinstance(seed, int | np.integer) else None}
        content = {"parameters": parameters, "families": self._signature(), "n_weights": len(self.weights_)}
        places = np.flatnonzero(self.weights_).astype(np.int32)
        arrays: dict[str, Array] = {"places": places, "values": self.weights_[places]}
        write_model(path, kind=KIND, schema=SCHEMA, content=content, arrays=arrays)

    @classmethod
    def load(cls, path: Place) -> Self:
        """Read a model from a file.

        Raises InputError if there is no such file, or if it is not a model, truncated, changed, or of another version.
        """
        content, arrays = read_model(path, kind=KIND, schema=SCHEMA)
        try:
            model = cls(**content["parameters"])
            n = model._scorer.n_weights
            known = (content["families"], content["n_weights"]) == (model._signature(), n)
        except (KeyError, TypeError, InputError):
            known = False
        if not known:
            raise InputError(f"{path} was trained with other features than this version has; train it again.")
        places, values = arrays.get("places"), arrays.get("values")
        if places is None or values is None or not _fit(places, values, n):
            raise damaged_model(path, f"it holds weights that are no {n:,} finite numbers")
        weights = np.zeros(n)
        weights[places] = values
        model._set_weights(weights)
        model.source_ = str(path)
        return model

    @classmethod
    def pretrained(cls) -> Self:
        """The small English model that comes with the package, for mentions detected in a parse.

        Trained on the 53 documents of GUM's training part whose texts are CC BY: academic, court, interviews, news.
        """
        with resources.as_file(resources.files("howsure.coreference") / "trained" / "english.npz") as path:
            model = cls.load(path)
        model.source_ = "pretrained"
        return model

    def _signature(self) -> list[list[Any]]:
        """The layout of the weights: the families in order, their sizes and conjunctions."""
        blocks = (*self._scorer.pair_blocks, *self._scorer.new_blocks)
        return [[block.family.name, block.family.size, block.family.conjunction] for block in blocks]

    def _example(self, document: Document) -> Example:
        check_document(document)
        parsed = ParsedDocument.of(document)
        mentions = self.mentions_of(parsed)
        right = allowed_antecedents(entities_of(parsed, mentions))
        return Example(self._scorer.features(mention_columns(parsed, mentions)), right)

    def _set_weights(self, weights: Floats) -> None:
        self.weights_ = weights
        self._tables = self._scorer.tables(weights)


def _one_of(parameter: str, value: object, names: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in names:
        raise unknown_name("value", str(value), list(names), place=parameter)


def _fit(places: Array, values: Array, n: int) -> bool:
    """Whether these are numbers, each at a distinct position below n."""
    return (
        (places.dtype, values.dtype) == (np.dtype(np.int32), np.dtype(np.float64))
        and places.ndim == values.ndim == 1
        and len(places) == len(values)
        and bool(np.isfinite(values).all())
        and (
            len(places) == 0 or (int(places[0]) >= 0 and int(places[-1]) < n and bool((places[1:] > places[:-1]).all()))
        )
    )
