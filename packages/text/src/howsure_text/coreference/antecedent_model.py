"""The antecedent model: a log-linear distribution over the antecedents of each mention (Durrett & Klein 2013)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from importlib import resources
from typing import Any, Self, get_args

import numpy as np

from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError
from howsure.files.atomic_write import Place
from howsure.files.serialization import damaged_model, read_model, write_model
from howsure.inputs.arguments import Randomness, generator_from
from howsure.inputs.checks import listed
from howsure.inputs.numbers_and_names import check_choice, check_integer, check_number, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure_text.coreference.coref_posterior import CorefPosterior
from howsure_text.coreference.detection import Source, check_size, mention_entities, select_mentions
from howsure_text.coreference.features import NEW_FAMILIES, PAIR_FAMILIES
from howsure_text.coreference.mentions import check_document, mention_columns
from howsure_text.coreference.metrics import CoreferenceScores, score_documents
from howsure_text.coreference.recalibration import WEIGHT_OF_NEW, CoreferenceRecalibration, recalibrate_coreference
from howsure_text.coreference.sharpening import Score
from howsure_text.coreference.training import (
    Example,
    Loss,
    Pass,
    Scorer,
    allowed_antecedents,
    check_folds,
    cross_fit_scores,
    probabilities,
    train,
    weight_arrays,
    weights_from_arrays,
)
from howsure_text.parses import ParsedDocument

# The parameters of the antecedent model, checked.

MAX_SHARPNESS = 100


def check_parameters(
    *,
    mentions: object,
    loss: object,
    l1: object,
    passes: object,
    sharpness: object,
    two_steps: object,
    features: object,
    rng: Randomness,
    families: Sequence[str],
) -> None:
    """Raise InputError for invalid parameters of `AntecedentModel`. families: the names that `features` may contain."""
    _check_choice("mentions", mentions, get_args(Source))
    _check_choice("loss", loss, get_args(Loss))
    check_number(l1, name="l1", low=0)
    check_number(sharpness, name="sharpness", low=0, high=MAX_SHARPNESS, open="low")
    check_choice(two_steps, (True, False), name="two_steps")
    check_integer(passes, name="passes")
    for name in () if features is None else listed(features, name="features", of="names of families"):
        _check_choice("features", name, families)
    generator_from(rng)  # raises if rng is not a seed or a generator


def _check_choice(parameter: str, value: object, names: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in names:
        raise unknown_name("value", str(value), list(names), place=parameter)


def sharpen_scores(scores: Floats, sharpness: float, *, two_steps: bool) -> Floats:
    """Return P(a_j = k), raised to the power s and normalised; s: `sharpness`.

    scores (M, M): row j has the scores of antecedents k < j and, on the diagonal, of "new". With `two_steps`, the power
    is applied first to whether j is new, P(new)^s / (P(new)^s + P(not new)^s), then to the choice of its antecedent,
    P(a_j = k)^s / Σ_k P(a_j = k)^s. Otherwise, it is applied to all choices at once, which favours the single choice
    "new" over the many antecedents.
    """
    sharp = probabilities(sharpness * scores)
    if not two_steps:
        return sharp
    learned = probabilities(scores)
    new, old = np.diagonal(learned) ** sharpness, np.tril(learned, -1).sum(axis=1) ** sharpness
    links = np.tril(sharp, -1)
    total = links.sum(axis=1)
    links *= (np.divide(old, total, out=np.zeros_like(old), where=total > 0) / (new + old))[:, None]
    np.fill_diagonal(links, new / (new + old))
    return links


# Fitting a recalibration of the antecedent model to its scores of documents.


def unsharpened_posterior(scores: Floats, mentions: Sequence[Mention] | None = None) -> CorefPosterior:
    """Return the posterior of learned scores without sharpening and recalibration."""
    return CorefPosterior(probabilities(scores), mentions=mentions)


def fit_recalibration(
    scores: Sequence[Floats],
    used: Sequence[CorefPosterior],
    gold: Sequence[Integers],
    *,
    sharpen: bool,
    had: CoreferenceRecalibration | None,
    folds: int | None = None,
    **options: Any,
) -> CoreferenceRecalibration:
    """Fit a recalibration to documents.

    used: the posteriors of these documents that the model computes at present. had: the model's present recalibration,
    if any. Without `sharpen`, the probabilities and the existing sharpening do not change.
    """
    learned = [unsharpened_posterior(score) for score in scores] if sharpen else used
    recalibration = recalibrate_coreference(learned, gold, before=used, had=had, sharpen=sharpen, **options)
    kept = recalibration.sharpening if sharpen or had is None else had.sharpening
    return replace(recalibration, sharpening=kept, recipe={**recalibration.recipe, "folds": folds})


KIND, SCHEMA, RECALIBRATED = "antecedent model", 1, 2  # kind of model files; schemas without and with recalibration
FITTED = "fitted"  # the source of weights that were not loaded from a file
FAMILY_NAMES = tuple(family.name for family in (*PAIR_FAMILIES, *NEW_FAMILIES))


class AntecedentModel:
    """The log-linear mention-ranking model of Durrett & Klein (2013), as used by Nguyen & O'Connor (2015).

    Each mention j chooses, independently of the other mentions, an antecedent a_j among the earlier mentions or "new":
    P(a_j = k | x) ∝ exp(w·f(x, k, j)). The features f belong to some thirty families (`features`: names of families,
    all by default) that describe distance, words, types, number, gender, role, speaker and nesting, each combined with
    the types and the canonical pronouns of both mentions.

    mentions: "gold" for the mentions annotated in a document's file, or "detected" for mentions found in its dependency
    parse. loss: "likelihood" (of the latent antecedents), which gives calibrated probabilities, or "margin" (with the
    costs 0.1, 3 and 1 of Durrett & Klein), which makes the model overconfident. l1: the penalty λ of AdaGrad. passes:
    the number of passes over the documents. sharpness: the power to which the learned probabilities are raised if the
    model is not recalibrated (`recalibration_`); 1 for no change. Pair probabilities spread along chains of links,
    which the model treats as independent; a power above 1 counteracts this (scripts/choose_sharpness.py). two_steps:
    first apply the power to P(new), then to the conditional probability of each antecedent; otherwise apply it to all
    choices at once, which makes "new" too probable.

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
        check_parameters(
            mentions=mentions,
            loss=loss,
            l1=l1,
            passes=passes,
            sharpness=sharpness,
            two_steps=two_steps,
            features=features,
            rng=rng,
            families=FAMILY_NAMES,
        )
        self.mentions, self.loss = mentions, loss
        self.l1, self.passes, self.sharpness = float(l1), int(passes), float(sharpness)
        self.two_steps = two_steps
        self.features = FAMILY_NAMES if features is None else tuple(features)
        self.rng = rng
        self.weights_: Floats | None = None
        self.source_ = FITTED
        self.recalibration_: CoreferenceRecalibration | None = None
        self.history_: tuple[Pass, ...] = ()
        self.interrupted_ = False
        self._tables: list[Floats] = []
        self._scorer = Scorer(
            [family for family in PAIR_FAMILIES if family.name in self.features],
            [family for family in NEW_FAMILIES if family.name in self.features],
        )

    def get_params(self) -> dict[str, Any]:
        """The parameters of the constructor."""
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
        folds: int | None = None,
        sharpen: bool = True,
        advance: Callable[[int], None] | None = None,
    ) -> Self:
        """Learn the weights from documents whose mentions and entities are annotated.

        With `development` documents, the weights of the best epoch on these documents are kept. With `folds`, the model
        is also recalibrated (`recalibration_`) on the training documents, each fold of which is predicted by a model
        trained on the other folds; this takes folds - 1 times as long as the training itself. sharpen: as in
        `recalibrate_coreference`. Ctrl-C ends the training and keeps the best weights so far, without recalibration
        (`interrupted_`); `history_` records every epoch. advance: a function that is called with 1 after each document
        of each epoch, that is, `passes` times per document, or `passes * folds` times with folds.

        Raises InputError if there is nothing to learn from, if a document is not parsed, or if there are fewer than two
        documents per fold.
        """
        if isinstance(documents, Document) or isinstance(development, Document):
            raise InputError(
                "documents and development must be lists of documents; for one document, write [document]."
            )
        training = listed(documents, name="documents", of="documents, such as howsure.data.read_documents(file) gives")
        development_documents = listed(development, name="development", of="documents; without any: ()")
        check_folds(folds, len(training))
        examples = [self._example(document) for document in training]
        if not any(len(example) for example in examples):
            raise InputError("documents must contain at least one mention to learn from; there is none.")
        rng = generator_from(self.rng)
        options: dict[str, Any] = {"loss": self.loss, "l1": self.l1, "passes": self.passes, "advance": advance}
        held_out = [self._example(document) for document in development_documents]
        trained = train(self._scorer, examples, rng=rng, development=held_out, **options)
        self.history_, self.interrupted_ = trained.history, trained.interrupted
        self._set_weights(trained.weights)
        self.source_, self.recalibration_ = FITTED, None
        if folds is not None and not self.interrupted_:
            scores = cross_fit_scores(self._scorer, examples, rngs=rng.spawn(folds), **options)
            self.interrupted_ = scores is None
            if scores is not None:
                gold = [example.right.argmax(axis=1) for example in examples]  # label: the first mention of the entity
                self.recalibration_ = self._recalibrated(scores, gold, folds=folds, sharpen=sharpen)
        return self

    def recalibrate(
        self,
        documents: Iterable[Document],
        *,
        score: Score = "squared",
        weight_of_new: float = WEIGHT_OF_NEW,
        sharpen: bool = True,
    ) -> Self:
        """Return a copy of the model, recalibrated with gold entities of documents that it was not trained on.

        The `effects` of the copy's `recalibration_` compare errors before and after. This model does not change. score,
        weight_of_new, sharpen: as in `recalibrate_coreference`.

        Raises InputError if the model is not trained, and as `recalibrate_coreference` does.
        """
        other = copy.copy(self)
        options: dict[str, Any] = {"score": score, "weight_of_new": weight_of_new, "sharpen": sharpen}
        other.recalibration_ = self._recalibrated(*self._with_gold(documents), **options)
        return other

    def judge_recalibration(self, documents: Iterable[Document], *, before: Self) -> CoreferenceRecalibration:
        """Return the recalibration with its `effects`: this model's errors on other documents, and those of `before`.

        documents: documents with gold entities that the recalibration was not fitted to.

        Raises InputError if the model is not recalibrated, and as `recalibrate_coreference` does.
        """
        if self.recalibration_ is None:
            raise InputError("the model is not recalibrated; call recalibrate, or fit with folds.")
        scores, gold = self._with_gold(documents)
        compared = [before._posterior(score) for score in scores]
        learned = (
            map(unsharpened_posterior, scores)
            if self.recalibration_.sharpening is not None
            else map(self._posterior, scores)
        )
        return self.recalibration_.judge(learned, gold, before=compared, had=before.recalibration_)

    def mentions_of(self, document: Document) -> tuple[Mention, ...]:
        """Return the mentions that `posterior` uses, gold or detected, in text order."""
        return select_mentions(document, source=self.mentions)

    def posterior(self, document: Document, *, mentions: Sequence[Mention] | None = None) -> CorefPosterior:
        """Return the posterior over clusterings of a document's mentions or, if given, of `mentions` in text order.

        Raises InputError if the model is not trained, and for invalid mentions or parses like `select_mentions`.
        """
        check_document(document)
        parsed = ParsedDocument.of(document)  # once, for the mentions and their scores
        chosen = (
            self.mentions_of(parsed)
            if mentions is None
            else tuple(listed(mentions, name="mentions", of="Mention(sentence, start, end)"))
        )
        return self._posterior(self._scores(parsed, chosen), chosen)

    def score(self, documents: Iterable[Document], *, singletons: bool = True) -> CoreferenceScores:
        """Score the clusters of best antecedents against the annotated entities of documents.

        Raises InputError as `posterior` and `score_documents` do.
        """
        gold, predicted = [], []
        for document in listed(documents, name="documents", of="documents with gold entities"):
            predicted.append(self.posterior(document).best_antecedent_clusters())
            clusters: dict[Hashable, list[Mention]] = {}
            for mention in document.mentions or ():
                clusters.setdefault(mention.entity, []).append(mention)
            gold.append(list(clusters.values()))
        return score_documents(gold, predicted, singletons=singletons)

    def save(self, path: Place) -> None:
        """Write the model to a file (a few hundred kilobytes), completely or not at all.

        Raises InputError if the model is not trained or the file cannot be written.
        """
        if self.weights_ is None:
            raise InputError("the model is not trained, so there is nothing to save; call fit first.")
        seed = self.rng
        parameters = {**self.get_params(), "rng": int(seed) if isinstance(seed, int | np.integer) else None}
        content = {"parameters": parameters, "families": self._signature(), "n_weights": len(self.weights_)}
        recalibration = self.recalibration_
        if recalibration is not None:
            content["recalibration"] = recalibration.to_dict()
        schema = SCHEMA if recalibration is None else RECALIBRATED
        write_model(path, kind=KIND, schema=schema, content=content, arrays=weight_arrays(self.weights_))

    @classmethod
    def load(cls, path: Place) -> Self:
        """Read a model from a file.

        Raises InputError if the file does not exist, is not a model, is truncated or changed, or has another version.
        """
        content, arrays = read_model(path, kind=KIND, schema=RECALIBRATED, oldest=SCHEMA)
        try:
            model = cls(**content["parameters"])
            n = model._scorer.n_weights
            matches = (content["families"], content["n_weights"]) == (model._signature(), n)
        except (KeyError, TypeError, InputError):
            matches = False
        if not matches:
            raise InputError(
                f"{path} was trained with features that differ from those of this version; train it again."
            )
        weights = weights_from_arrays(arrays, n)
        if weights is None:
            raise damaged_model(path, f"its weights are not {n:,} finite numbers")
        model._set_weights(weights)
        if content.get("recalibration") is not None:
            try:
                model.recalibration_ = CoreferenceRecalibration.from_dict(content["recalibration"])
            except (AttributeError, KeyError, TypeError, ValueError, OverflowError, InputError) as error:
                raise damaged_model(path, f"its recalibration is invalid ({error})") from None
        model.source_ = str(path)
        return model

    @classmethod
    def pretrained(cls) -> Self:
        """Return the small English model of the package, for mentions detected in a parse.

        It was trained on the 53 documents of GUM's training part whose texts are CC BY: academic, court, interviews,
        news.
        """
        with resources.as_file(resources.files("howsure_text.coreference") / "trained" / "english.npz") as path:
            model = cls.load(path)
        model.source_ = "pretrained"
        return model

    def _signature(self) -> list[list[Any]]:
        """Return the layout of the weights: each family's name, size and conjunction, in order."""
        blocks = (*self._scorer.pair_blocks, *self._scorer.new_blocks)
        return [[block.family.name, block.family.size, block.family.conjunction] for block in blocks]

    def _example(self, document: Document) -> Example:
        check_document(document)
        parsed = ParsedDocument.of(document)
        mentions = self.mentions_of(parsed)
        right = allowed_antecedents(mention_entities(parsed, mentions))
        return Example(self._scorer.features(mention_columns(parsed, mentions)), right)

    def _scores(self, document: Document, mentions: Sequence[Mention]) -> Floats:
        if self.weights_ is None:
            raise InputError("the model is not trained; call fit, load one, or take AntecedentModel.pretrained().")
        check_document(document)
        parsed = ParsedDocument.of(document)
        check_size(document, mentions)
        return self._scorer.scores(self._scorer.features(mention_columns(parsed, mentions)), self._tables)

    def _posterior(self, scores: Floats, mentions: Sequence[Mention] | None = None) -> CorefPosterior:
        """Return the model's posterior for its scores of a document."""
        if self.recalibration_ is not None and self.recalibration_.sharpening is not None:
            return self.recalibration_.apply(unsharpened_posterior(scores, mentions))
        return CorefPosterior(sharpen_scores(scores, self.sharpness, two_steps=self.two_steps), mentions=mentions)

    def _with_gold(self, documents: Iterable[Document]) -> tuple[list[Floats], list[Integers]]:
        """Return the scores of documents, and the labels of their gold entities."""
        checked = listed(documents, name="documents", of="documents with gold entities")
        mentions = [self.mentions_of(document) for document in checked]
        gold = [mention_entities(document, spans) for document, spans in zip(checked, mentions, strict=True)]
        return [self._scores(document, spans) for document, spans in zip(checked, mentions, strict=True)], gold

    def _recalibrated(
        self, scores: Sequence[Floats], gold: Sequence[Integers], **options: Any
    ) -> CoreferenceRecalibration:
        used = [self._posterior(score) for score in scores]
        return fit_recalibration(scores, used, gold, had=self.recalibration_, **options)

    def _set_weights(self, weights: Floats) -> None:
        self.weights_ = weights
        self._tables = self._scorer.tables(weights)
