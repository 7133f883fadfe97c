"""Train the small English coreference model that is part of the package (AntecedentModel.pretrained).

    python scripts/train_coreference.py FOLDER_OF_GUM [--confidence]

With --confidence, the model's weights and probabilities do not change; only the recalibration map of its confidence in
entities is fitted again. For this, each quarter of its documents is predicted by a model trained on the other quarters.

The model is trained only on documents of GUM's training part whose texts are CC BY: academic, court, interview and news
(Wikinews). GUM lists other licences for its other genres. One court document is left out, because its source, the Santa
Barbara corpus, has its own licence. GUM's annotations are CC BY 4.0. LitBank's texts are CC BY as well but have no
parses, so they are not used.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from howsure.data import Document, read_documents
from howsure_text.coreference import AntecedentModel

GENRES = ("academic", "court", "interview", "news")
ANOTHER_LICENCE = ("GUM_court_carpet",)
TARGET = Path(__file__).parents[1] / "packages/text/src/howsure_text/coreference/trained/english.npz"


def free_documents(folder: Path, part: str) -> list[Document]:
    """Return the documents of a part whose texts are CC BY."""
    documents = read_documents(folder / f"gum_{part}.conllu.gz")
    return [
        document
        for document in documents
        if document.name.split("_")[1] in GENRES and document.name not in ANOTHER_LICENCE
    ]


def mend(folder: Path) -> None:
    """Fit the confidence in entities of the existing model again."""
    model = AntecedentModel.pretrained()
    trained = AntecedentModel(mentions="detected", sharpness=1.1, two_steps=False, rng=0)
    trained.fit(free_documents(folder, "train"), folds=4, sharpen=False)
    model.recalibration_ = trained.recalibration_
    model.save(TARGET)
    sys.stdout.write(f"{trained.recalibration_}\n{TARGET.stat().st_size / 1e6:.2f} MB\n")


def main(folder: Path) -> None:
    documents = free_documents(folder, "train")
    development = free_documents(folder, "dev")
    start = time.process_time()
    model = AntecedentModel(mentions="detected", sharpness=1.1, two_steps=False)
    model.fit(documents, development=development)
    for epoch in model.history_:
        sys.stdout.write(f"{epoch}\n")
    model.save(TARGET)
    size = TARGET.stat().st_size / 1e6
    sys.stdout.write(f"{len(documents)} documents, {time.process_time() - start:.0f} s, {size:.2f} MB\n")


if __name__ == "__main__":
    (mend if "--confidence" in sys.argv else main)(Path(sys.argv[1]))
