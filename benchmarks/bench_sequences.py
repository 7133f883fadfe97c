"""How fast does a tag posterior answer, and how much memory does it take?

A python-crfsuite model with basic features (tag–tag and tag–word) is trained for a few iterations on the ARK tweets (25
tags) and on the English Web Treebank (49 Penn tags). `TagPosterior` gets its weights, so both represent the same
distribution over the test sentences. CPU seconds (one thread) are those of the fastest of several turns, which crfsuite
and howsure take alternately in one process; the fastest is used because other processes on the machine only add time,
and add more to wide vector code. A turn of howsure's marginals lasts as long as one of crfsuite's and counts by the
mean of its runs. The time includes making the posterior from a list of arrays, with all checks.

Limits: marginals of all tags are at least 15 × as fast as crfsuite's `tagger.marginal` for every tag and token (without
`tagger.set`, which looks up the features); 3 million tokens are sampled per second; marginals of a corpus of a million
tokens, read sentence by sentence, add at most 100 MB of memory.

    HOWSURE_DATA=... python benchmarks/bench_sequences.py [--data ark ewt] [--turns 11]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
ITERATIONS = 15
EWT_TRAINING = 3000
LIMIT_RATIO, LIMIT_SAMPLES, LIMIT_MEMORY = 15.0, 3.0, 100.0
SAMPLES, BEST, PAIRS = 100, 10, 100
OTHER_TURNS = 3
LARGE = 1_000_000
MARGINALS = "marginals of all tags"

Tagged = list[tuple[list[str], list[str]]]


def ark(split: str) -> Tagged:
    """Return the tokens and tags of tweets. In the file, a tab separates token and tag, and blank lines separate
    tweets."""
    text = (_data() / "ark_twitter_pos" / f"{split}.tsv").read_text(encoding="utf-8")
    return _columns(text, word=0, tag=1)


def ewt(split: str) -> Tagged:
    """Return the tokens and Penn tags of a CoNLL-U file; of the training part, only the first sentences."""
    text = gzip.decompress((_data() / "ud_english_ewt" / f"en_ewt-ud-{split}.conllu.gz").read_bytes()).decode("utf-8")
    sentences = _columns(text, word=1, tag=4)
    return sentences[:EWT_TRAINING] if split == "train" else sentences


CORPORA: dict[str, Callable[[str], Tagged]] = {"ark": ark, "ewt": ewt}


def _data() -> Path:
    if not os.environ.get("HOWSURE_DATA"):
        raise SystemExit("set HOWSURE_DATA to the folder with ark_twitter_pos and ud_english_ewt")
    return Path(os.environ["HOWSURE_DATA"])


def _columns(text: str, *, word: int, tag: int) -> Tagged:
    sentences = []
    for block in text.split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line and not line.startswith("# ")]
        rows = [row for row in rows if len(row) > tag and (len(row) == 2 or row[0].isdecimal())]
        if rows:
            sentences.append(([row[word] for row in rows], [row[tag] for row in rows]))
    return sentences


@dataclass
class Model:
    """A crfsuite tagger with its sentences, and the same model as log-potentials."""

    tagger: Any
    items: list[Any]
    labels: list[str]
    emissions: list[np.ndarray[Any, Any]]
    transitions: np.ndarray[Any, Any]

    @property
    def tokens(self) -> int:
        return sum(map(len, self.emissions))


def model_of(corpus: str) -> Model:
    """Train on the training part; return the test part in both forms."""
    import pycrfsuite

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        for words, tags in CORPORA[corpus]("train"):
            trainer.append([[f"w={word.lower()}"] for word in words], tags)
        trainer.set_params({"c2": 0.1, "max_iterations": ITERATIONS, "feature.possible_transitions": True})
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        test = CORPORA[corpus]("test")
        items = [pycrfsuite.ItemSequence([[f"w={word.lower()}"] for word in words]) for words, _ in test]
        emissions, transitions = _potentials(tagger, [words for words, _ in test])
        return Model(tagger, items, tagger.labels(), emissions, transitions)


def _potentials(tagger: Any, sentences: list[list[str]]) -> tuple[list[np.ndarray[Any, Any]], np.ndarray[Any, Any]]:
    info, place = tagger.info(), {label: k for k, label in enumerate(tagger.labels())}
    weights: dict[str, np.ndarray[Any, Any]] = {}
    for (attribute, label), weight in info.state_features.items():
        weights.setdefault(attribute, np.zeros(len(place)))[place[label]] = weight
    transitions = np.zeros((len(place), len(place)))
    for (first, second), weight in info.transitions.items():
        transitions[place[first], place[second]] = weight
    none = np.zeros(len(place))
    return [np.array([weights.get(f"w={w.lower()}", none) for w in words]) for words in sentences], transitions


def crfsuite_marginals(model: Model) -> Iterator[float]:
    """Compute all marginals with crfsuite, and return the seconds of each sentence without `set`."""
    tagger, labels = model.tagger, model.labels
    for item in model.items:
        tagger.set(item)
        start = time.process_time()
        [[tagger.marginal(label, t) for label in labels] for t in range(len(item))]
        yield time.process_time() - start


def largest_difference(model: Model) -> float:
    """Return the largest difference between crfsuite's and howsure's marginals in the first sentences."""
    from howsure_text.sequences.tag_posterior import TagPosterior

    ours = TagPosterior(model.emissions[:50], model.transitions).marginals()
    largest = 0.0
    for item, marginals in zip(model.items, ours, strict=False):
        model.tagger.set(item)
        theirs = [[model.tagger.marginal(label, t) for label in model.labels] for t in range(len(item))]
        largest = max(largest, float(np.abs(np.array(theirs) - marginals).max()))
    return largest


def questions(model: Model) -> dict[str, tuple[Callable[[], object], float]]:
    """Return the timed calls of the posterior, and the number of tokens (or sampled tokens) of each."""
    from howsure_text.sequences.tag_posterior import TagPosterior

    def posterior() -> TagPosterior:
        return TagPosterior(model.emissions, model.transitions, labels=model.labels)

    pairs = [(first, second) for first in model.labels for second in model.labels][:PAIRS]
    n = float(model.tokens)
    return {
        MARGINALS: (lambda: posterior().marginals(), n),
        "log Z": (lambda: posterior().log_z, n),
        f"marginals of {PAIRS} tag pairs": (lambda: posterior().pair_marginals(pairs), n),
        f"{SAMPLES} samples (token-samples)": (lambda: posterior().sample(SAMPLES, rng=0), n * SAMPLES),
        "Viterbi": (lambda: posterior().viterbi(), n),
        f"{BEST} best sequences": (lambda: posterior().k_best(BEST), n),
        "entropy": (lambda: posterior().entropy(), n),
    }


def speeds(corpus: str, turns: int) -> list[str]:
    """Print the table of one corpus; return a line for each limit."""
    model = model_of(corpus)
    tasks = questions(model)
    theirs: list[float] = []
    ours: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(turns):
        theirs.append(sum(crfsuite_marginals(model)))
        for name in tasks if turn < OTHER_TURNS else [MARGINALS]:
            ours[name].append(mean_seconds(tasks[name][0], at_least=theirs[-1] if name == MARGINALS else 0.0))
    head(f"{corpus}: {model.tokens:,} tokens, {len(model.labels)} tags", "CPU seconds", "million tokens a second")
    seconds = min(theirs)
    row("crfsuite tagger.marginal, all tags", f"{seconds:.3f}", f"{model.tokens / seconds / 1e6:.3f}")
    rates = {}
    for name, (_, tokens) in tasks.items():
        fastest = min(ours[name])
        rates[name] = tokens / fastest / 1e6
        row(name, f"{fastest:.4f}", f"{rates[name]:.3f}")
    print()
    ratio = seconds / min(ours[MARGINALS])
    return [
        verdict(f"{corpus}: marginals, × crfsuite", ratio, LIMIT_RATIO, at_least=True),
        verdict(f"{corpus}: million token-samples per second", max(rates.values()), LIMIT_SAMPLES, at_least=True),
        f"- {corpus}: largest difference from crfsuite's marginals (its weights are read with 6 decimals): "
        f"{largest_difference(model):.1e}",
    ]


def mean_seconds(ask: Callable[[], object], at_least: float) -> float:
    """Return the mean CPU seconds of a run, over as many runs as last `at_least` seconds together."""
    runs, start = 0, time.process_time()
    while not runs or time.process_time() - start < at_least:
        ask()
        runs += 1
    return (time.process_time() - start) / runs


class Repeated(Sequence[Any]):
    """A large corpus whose emissions are computed on request, like those of a model that reads files."""

    def __init__(self, lengths: list[int], size: int) -> None:
        self.lengths, self.size = lengths, size

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, i: Any) -> Any:
        return np.random.default_rng(i).normal(0, 2, (self.lengths[i], self.size))


def memory_here() -> float:
    """Return the memory that the marginals of a corpus of a million tokens add, in MB, if they are used chunk by
    chunk."""
    from howsure_text.sequences.tag_posterior import TagPosterior

    rng = np.random.default_rng(0)
    lengths = (1 + rng.poisson(16 * rng.gamma(3, 1 / 3, LARGE // 17))).tolist()
    transitions = rng.normal(0, 1, (49, 49))
    TagPosterior([np.zeros((3, 49))], transitions).marginals()  # imports
    before = peak_memory()
    posterior = TagPosterior(Repeated(lengths, 49), transitions)
    for part in posterior.parts(1000):
        part.marginals()
    return peak_memory() - before


def memory() -> list[str]:
    done = subprocess.run([sys.executable, __file__, "--memory"], check=True, stdout=subprocess.PIPE, text=True)
    megabytes = json.loads(done.stdout)
    return [verdict(f"marginals of {LARGE:,} tokens with 49 tags in parts, MB added", megabytes, LIMIT_MEMORY)]


def peak_memory() -> float:
    """Return the peak memory of this process in MB. (On Linux, ru_maxrss starts with the memory of the parent
    process.)"""
    status = Path("/proc/self/status")
    if status.exists():
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak.split()[1]) / 2**10
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)


def row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def head(*cells: str) -> None:
    row(*cells)
    print("|---|" + "---:|" * (len(cells) - 1))


def verdict(what: str, value: float, limit: float, *, at_least: bool = False) -> str:
    holds = value >= limit if at_least else value <= limit
    return f"- {what}: {value:.2f} (limit {limit:g}: {'holds' if holds else '**broken**'})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", nargs="+", choices=list(CORPORA), default=list(CORPORA))
    parser.add_argument("--turns", type=int, default=11)
    parser.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        print(json.dumps(memory_here()))
        return
    verdicts = [line for corpus in options.data for line in speeds(corpus, options.turns)]
    print(*verdicts, *memory(), sep="\n")


if __name__ == "__main__":
    main()
