"""Print the table from which the default `sharpness` of the antecedent model was chosen, by two-fold cross-validation.

    python scripts/choose_sharpness.py TRAIN DEV [gold|detected]

TRAIN and DEV are CoNLL-U with entities, such as gum_train.conllu.gz and gum_dev.conllu.gz. For each half of TRAIN, a
model is trained on it, its best epoch is chosen on DEV, and it predicts the other half with each sharpness, in one step
and in two. The table shows CalibErr of the pairs by Algorithm 1 and debiased, both with bins of 5,000; CalibErr of
P(new), debiased; and the log-probability of the gold clustering in nats per mention.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import get_args

from howsure.data import Document, read_documents
from howsure_papers.corpora.coreference import drop_repeated_spans
from howsure_papers.judged_coreference import brier_skill, conll_f1, judge, over_documents
from howsure_text.coreference import AntecedentModel
from howsure_text.coreference.detection import Source

SHARPNESS = (1.0, 1.1, 1.2, 1.3)
HEADER = (
    "steps  sharpness  Algorithm 1  CalibErr                 P(new)                   Brier skill  nats a mention  "
    "CoNLL F1  entities in 95 %"
)


def read(path: str) -> list[Document]:
    """Return the documents of a file; spans that are annotated twice are kept once."""
    return [drop_repeated_spans(document) for document in read_documents(path)]


def table(train: list[Document], development: list[Document], mentions: Source) -> Iterable[str]:
    """Yield a row for each sharpness."""
    halves = train[::2], train[1::2]
    models = [AntecedentModel(mentions=mentions).fit(half, development=development) for half in halves]
    for two_steps in (False, True):
        for sharpness in SHARPNESS:
            posteriors, documents = [], []
            for model, others in zip(models, reversed(halves), strict=True):
                model.sharpness, model.two_steps = sharpness, two_steps
                posteriors += [model.posterior(document) for document in others]
                documents += others
            judged = judge(posteriors, documents)
            skill, f1 = (over_documents(value, judged).value for value in (brier_skill, conll_f1))
            error, nats = judged.curve.error, judged.nats.sum() / judged.mentions.sum()
            yield (
                f"{1 + two_steps:<5}  {sharpness:<9}  {judged.curve.algorithm1_error.value:<11.4f}  {error!s:<23}  "
                f"{judged.error_of_new!s:<23}  {skill:<11.4f}  {nats:<14.4f}  {f1:<8.1f}  "
                f"{judged.inside} of {len(judged.nats)}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", metavar="TRAIN")
    parser.add_argument("development", metavar="DEV")
    parser.add_argument("mentions", nargs="?", choices=get_args(Source), default="detected")
    options = parser.parse_args()
    sys.stdout.write(f"{options.mentions} mentions of {options.train}\n{HEADER}\n")
    for row in table(read(options.train), read(options.development), options.mentions):
        sys.stdout.write(f"{row}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
