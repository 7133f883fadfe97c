"""Write the predictions that `howsure demo` evaluates: three taggers on the test tweets of Gimpel et al. (2011).

The file contains no text. For each token of the test tweets, it contains the tag that the model finds most probable,
its probability, whether it is correct (1 or 0), and the number of the tweet.

    HOWSURE_DATA=... python scripts/make_demo_predictions.py packages/cli/src/howsure_cli/demo/predictions.csv
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator

from howsure.data import read_tagged
from howsure.files.atomic_write import write_atomically
from howsure_cli.datasets import data_set_path
from howsure_text.sequences import CRFTagger, HMMTagger, TagPosterior

HEADER = ("model", "tweet", "tag", "probability", "label")
TAGGERS = {
    "HMM": HMMTagger(pseudocount_transition=1.0, pseudocount_emission=1.0, unknown="uniform"),
    "CRF basic": CRFTagger(features="basic", c2=0.1),
    "CRF advanced": CRFTagger(features="advanced", c2=0.1),
}


def main(path: str) -> None:
    """Train each tagger on the training tweets, and write its predictions for the test tweets."""
    train, train_tags = read_tagged(data_set_path("ark_twitter_pos", "train.tsv"))
    test, test_tags = read_tagged(data_set_path("ark_twitter_pos", "test.tsv"))
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(HEADER)
    for name, tagger in TAGGERS.items():
        posterior = tagger.fit(train, train_tags).posterior(test)
        rows.writerows((name, *row) for row in best_tags(posterior, test_tags))
    write_atomically(file.getvalue().encode(), path)


def best_tags(posterior: TagPosterior, gold: list[list[str]]) -> Iterator[tuple[int, str, str, int]]:
    """Return (tweet, tag, its probability, whether it is correct) for every token. Probabilities are rounded, but not
    up to 1."""
    for tweet, (marginals, tags) in enumerate(zip(posterior.marginals(), gold, strict=True)):
        best = marginals.argmax(axis=1)
        for probability, name, tag in zip(marginals.max(axis=1), posterior.names(best), tags, strict=True):
            yield tweet, name, f"{min(probability, 0.99999):.5f}", int(name == tag)


if __name__ == "__main__":
    main(*sys.argv[1:])
