"""Results of another scorer for the same clusterings, which coreference/test_parity.py compares with howsure's.

    pip install scorch==0.2.0      # MIT, Grobol: another scorer of the CoNLL-2011/2012 shared tasks
    python benchmarks/parity_coreference.py packages/text/tests/coreference/parity.json

calls scorch for MUC, B³, CEAF-e and the links of BLANC (pairs) of 200 documents, whose clusterings come from a seed and
from arithmetic that is the same on every machine. The test makes the clusterings again; only the results are stored.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

DOCUMENTS = 200
METRICS = ("muc", "b_cubed", "ceaf_e", "pairwise")
Clusters = list[set[int]]


def documents() -> list[tuple[Clusters, Clusters]]:
    """Return gold and predicted clusters of 200 documents of up to 60 mentions. A third of the mentions change their
    cluster; a tenth is missing on either side."""
    return [(_clusters(gold), _clusters(predicted)) for gold, predicted in map(_codes, range(DOCUMENTS))]


def _codes(seed: int) -> tuple[list[int], list[int]]:
    """Return the cluster of each mention in gold and in the prediction, -1 if it is missing."""
    uniform = np.random.Generator(np.random.PCG64(seed)).random((6, 60))[:, : 2 + seed % 59]
    entities = 1 + seed % 17
    gold = (uniform[0] ** 2 * entities).astype(int)
    predicted = np.where(uniform[1] < 1 / 3, (uniform[2] * entities * 2).astype(int), gold)
    return (np.where(uniform[3] < 0.1, -1, gold).tolist(), np.where(uniform[4] < 0.1, -1, predicted).tolist())


def _clusters(codes: list[int]) -> Clusters:
    return [{m for m, code in enumerate(codes) if code == entity} for entity in sorted(set(codes) - {-1})]


def ask_scorch() -> dict[str, list[list[float]]]:
    """Return precision and recall of each metric, one row per document; [] if scorch calls them undefined."""
    from scorch import scores

    pairs_by_metric: dict[str, list[list[float]]] = {name: [] for name in METRICS}
    for gold, predicted in documents():
        for name in METRICS[:3]:
            recall, precision, _ = getattr(scores, name)(gold, predicted)
            pairs_by_metric[name].append([float(precision), float(recall)])
        links, _ = scores.detailed_blanc(gold, predicted)
        pairs_by_metric["pairwise"].append([] if links is None else [float(links[1]), float(links[0])])
    return pairs_by_metric


def main(target: Path) -> None:
    answers: dict[str, Any] = {"scorch": importlib.metadata.version("scorch"), **ask_scorch()}
    with tempfile.NamedTemporaryFile("w", dir=target.parent, suffix=".json", delete=False) as file:
        rows = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in answers.items())
        file.write(f"{{\n{rows}\n}}\n")
    Path(file.name).chmod(0o644)
    os.replace(file.name, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
