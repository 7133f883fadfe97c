"""Print what recalibration changes for an antecedent model, if it is fitted to the training documents alone.

    python scripts/recalibrate_coreference.py FOLDER_OF_DATA

The model is trained on GUM's training part with detected mentions; its best epoch is chosen on the development part.
The recalibrations are fitted to the training part, each quarter of which is predicted by a model trained on the other
quarters. They are evaluated there, on the development and test parts and, if a parser is next to the data, on LitBank
(novels, gold mentions).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from howsure.data import Document
from howsure.inputs.pairs import Integers
from howsure_papers.corpora.coreference import GUM, LITBANK, default_parser, read_corpus
from howsure_text.coreference import AntecedentModel, CoreferenceRecalibration, CorefPosterior, recalibrate_coreference
from howsure_text.coreference.detection import mention_entities
from howsure_text.coreference.sharpening import Score

FOLDS = 4
SETTINGS: dict[str, tuple[Score, float]] = {"squared errors": ("squared", 0.3), "likelihood": ("log", 1.0)}
Asked = tuple[list[CorefPosterior], list[CorefPosterior], list[Integers]]


def posteriors_and_gold(model: AntecedentModel, documents: Sequence[Document], *, gold: bool = False) -> Asked:
    """Return the posteriors as trained, those with the constant sharpness, and the labels of gold entities."""
    plain, sharp, labels = [], [], []
    for document in documents:
        mentions = tuple(document.mentions or ()) if gold else model.mentions_of(document)
        for sharpness, posteriors in ((1.0, plain), (1.2, sharp)):
            model.sharpness = sharpness
            posteriors.append(model.posterior(document, mentions=mentions))
        labels.append(mention_entities(document, mentions))
    return plain, sharp, labels


def crossed(documents: Sequence[Document]) -> Asked:
    """Return the same for the training documents, each predicted by a model that was not trained on it."""
    plain, sharp, labels = [], [], []
    for fold in range(FOLDS):
        others = [document for place, document in enumerate(documents) if place % FOLDS != fold]
        model = AntecedentModel(mentions="detected", rng=np.random.default_rng([0, fold])).fit(others)
        for collected, fold_parts in zip(
            (plain, sharp, labels), posteriors_and_gold(model, documents[fold::FOLDS]), strict=True
        ):
            collected += fold_parts
    return plain, sharp, labels


def described(name: str, recalibration: CoreferenceRecalibration) -> str:
    """Return the table of a part."""
    documents = recalibration.documents if name == "training" else recalibration.recipe["judged_on"]
    return f"\n{name}: {documents} documents\n{recalibration}\n"


def main(data: str) -> None:
    gum = read_corpus(GUM, data, limit=None, parser=None)
    parts = {"training": crossed(gum.train)}
    model = AntecedentModel(mentions="detected", rng=0).fit(gum.train, development=gum.dev)
    parts |= {"development": posteriors_and_gold(model, gum.dev), "test": posteriors_and_gold(model, gum.test)}
    parser = default_parser(data)
    if parser is not None:
        parts["LitBank"] = posteriors_and_gold(
            model, read_corpus(LITBANK, data, limit=None, parser=parser).test, gold=True
        )
    plain, sharp, labels = parts.pop("training")
    for title, (score, weight) in SETTINGS.items():
        recalibration = recalibrate_coreference(plain, labels, before=sharp, score=score, weight_of_new=weight)
        sys.stdout.write(f"\n== {title}: {score}, weight of P(new) {weight:g}; before: sharpness 1.2 ==\n")
        sys.stdout.write(described("training", recalibration))
        for name, (learnt, before, gold) in parts.items():
            sys.stdout.write(described(name, recalibration.judge(learnt, gold, before=before)))
        for decision, confidence in recalibration.confidence.items():
            sys.stdout.write(f"confidence in entities ({decision}): {confidence}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
