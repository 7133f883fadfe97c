"""How fast is the training of a CRF, does it reach crfsuite's minimum, and how accurate are the tags?

Data, from the folder that `HOWSURE_DATA` names: the ARK tweets (25 tags) and the English Web Treebank (49 Penn tags),
training and test parts. Both trainers get the same features, c2 = 0.1 and L-BFGS, and use their own convergence
criteria; they take turns in one process on one thread. The CPU seconds of howsure are those of the whole `fit`; those
of python-crfsuite are of `train` alone, after the sentences were appended. A hidden Markov model and AdaGrad are shown
for comparison.

Limits: CPU seconds per iteration are at most those of python-crfsuite; the objectives differ by at most 1e-5
(relative), or howsure's is lower; the accuracy on test, by the most probable tag of each word, is at least 76% (tweets,
basic features), 87% (tweets, advanced) and 89% (web text, basic); Viterbi's is 76.3%, 87.5% and 89.0%.

    python benchmarks/bench_taggers.py [--quick]

`--quick` uses the first 3,000 sentences of web text (for which there is no limit of accuracy). The full run takes about
6 minutes, half of them for python-crfsuite.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from howsure.data.documents.conllu import read_conllu
from howsure.data.documents.tagged_columns import read_tagged
from howsure_text.sequences import CRFTagger, HMMTagger
from howsure_text.sequences.features import feature_families, feature_offsets, word_attributes

C2 = 0.1
DIFFERENCE = 1e-5
FEW = 3000

Corpus = tuple[list[Any], list[Any]]


@dataclass(frozen=True)
class Case:
    """A corpus with features, and the required accuracy."""

    name: str
    features: str
    train: Corpus
    test: Corpus
    accuracy: float


def tweets(folder: Path, part: str) -> Corpus:
    return read_tagged(folder / "ark_twitter_pos" / f"{part}.tsv")


def web_text(folder: Path, part: str) -> Corpus:
    documents = read_conllu(folder / "ud_english_ewt" / f"en_ewt-ud-{part}.conllu.gz")
    sentences = [sentence for document in documents for sentence in document.sentences]
    return [tagged.words for tagged in sentences], [tagged.tags for tagged in sentences]


def crfsuites(case: Case) -> tuple[float, list[float]]:
    """Return the CPU seconds of python-crfsuite's training, and its objectives."""
    import pycrfsuite

    class Trainer(pycrfsuite.BaseTrainer):  # type: ignore[misc, unused-ignore]
        messages = ""

        def message(self, message: str) -> None:
            self.messages += message

    trainer = Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": C2})
    families = feature_families(case.features)
    for words, tags in zip(*case.train, strict=True):
        trainer.append([_attributes(words, t, families) for t in range(len(words))], tags)
    with tempfile.TemporaryDirectory() as folder:
        seconds, _ = timed(lambda: trainer.train(os.path.join(folder, "model")))
    return seconds, [float(loss) for loss in re.findall(r"Loss: ([\d.]+)", trainer.messages)]


def _attributes(words: Any, t: int, families: tuple[str, ...]) -> list[str]:
    places = [offset for offset in feature_offsets(families) if 0 <= t + offset < len(words)]
    return [attribute for offset in places for attribute in word_attributes(words[t + offset], families, offset)]


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of a call, and its result."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def accuracies(tagger: Any, test: Corpus) -> tuple[float, float]:
    """Return the accuracy by Viterbi, and by the most probable tag of each word."""
    return tagger.score(*test), tagger.score(*test, decoding="posterior")


def compared(case: Case) -> bool:
    """Print the line of one case; return whether its limits hold."""
    tokens = sum(map(len, case.train[0]))
    seconds, tagger = timed(lambda: CRFTagger(features=case.features, c2=C2).fit(*case.train))
    peer_seconds, losses = crfsuites(case)
    again, _ = timed(lambda: CRFTagger(features=case.features, c2=C2).fit(*case.train))
    seconds = min(seconds, again)
    each, peer_each = seconds / len(tagger.values_), peer_seconds / len(losses)
    difference = (tagger.values_[-1] - losses[-1]) / losses[-1]
    viterbi, posterior = accuracies(tagger, case.test)
    holds = each <= peer_each and difference <= DIFFERENCE and posterior >= case.accuracy
    cells = [
        case.name,
        f"{tokens:,}",
        f"{seconds:.2f}",
        f"{len(tagger.values_)}",
        f"{peer_seconds:.2f}",
        f"{len(losses)}",
        f"{tokens / each / 1e6:.2f}",
        f"{tokens / peer_each / 1e6:.2f}",
        f"{peer_each / each:.1f}",
        f"{difference:.1e}",
        f"{viterbi:.4f}",
        f"{posterior:.4f} (≥ {case.accuracy:g})",
        "yes" if holds else "NO",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)
    return holds


def others(case: Case) -> None:
    """Print the lines of the other taggers on one case."""
    taggers = {
        "HMM, pseudocounts 1 and 0.01": HMMTagger(pseudocount_emission=0.01),
        f"CRF {case.features}, AdaGrad": CRFTagger(features=case.features, trainer="adagrad", c2=C2, rng=0),
    }
    for name, tagger in taggers.items():
        seconds, _ = timed(lambda tagger=tagger: tagger.fit(*case.train))
        values = getattr(tagger, "values_", ())
        objective = f"{min(values):,.1f} after {len(values)} passes" if values else ""
        viterbi, posterior = accuracies(tagger, case.test)
        cells = [case.name.split(",")[0], name, f"{seconds:.2f}", objective, f"{viterbi:.4f}", f"{posterior:.4f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the tables; exit code 1 if a limit does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    folder = Path(os.environ.get("HOWSURE_DATA") or sys.exit("set HOWSURE_DATA to the folder that holds the data"))
    ark = tweets(folder, "train"), tweets(folder, "test")
    words, tags = web_text(folder, "train")
    ewt = (words[:FEW], tags[:FEW]) if quick else (words, tags), web_text(folder, "test")
    cases = [
        Case("tweets, basic", "basic", *ark, 0.76),
        Case("tweets, advanced", "advanced", *ark, 0.87),
        Case("web text, basic", "basic", *ewt, 0.0 if quick else 0.89),
    ]
    print(
        "| data, features | tokens | ours, s | iterations | crfsuite, s | iterations | ours, M tokens × iterations / s "
        "| crfsuite | × crfsuite | objective, relative difference | accuracy, Viterbi | posterior | holds |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    verdicts = [compared(case) for case in cases]
    print("\n| data | tagger | s | objective | accuracy, Viterbi | posterior |\n|---|---|---|---|---|---|")
    for case in cases:
        others(case)
    sys.exit(0 if all(verdicts) else 1)


if __name__ == "__main__":
    main()
