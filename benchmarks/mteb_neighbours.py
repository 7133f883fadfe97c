"""How many neighbours on the leaderboard of MTEB (English, version 2) can its 41 tasks tell apart?

    git clone --depth 1 https://github.com/embeddings-benchmark/results
    python benchmarks/mteb_neighbours.py results/results

Issue 5208 of embeddings-benchmark/mteb (August 2026) reports that 176 of 180 pairs of neighbours are not separable at
5%, by a bootstrap of the tasks of each pair alone. The script reads the scores of all models with all tasks, and
prints this number by a bootstrap, by `compare_scores`, and by `score_items`, which adjusts for the number of pairs.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import howsure

NAMES = """
AmazonCounterfactualClassification ArXivHierarchicalClusteringP2P ArXivHierarchicalClusteringS2S ArguAna
AskUbuntuDupQuestions BIOSSES Banking77Classification BiorxivClusteringP2P.v2 CQADupstackGamingRetrieval
CQADupstackUnixRetrieval ClimateFEVERHardNegatives FEVERHardNegatives FiQA2018 HotpotQAHardNegatives ImdbClassification
MTOPDomainClassification MassiveIntentClassification MassiveScenarioClassification MedrxivClusteringP2P.v2
MedrxivClusteringS2S.v2 MindSmallReranking SCIDOCS SICK-R STS12 STS13 STS14 STS15 STS17 STS22.v2 STSBenchmark
SprintDuplicateQuestions StackExchangeClustering.v2 StackExchangeClusteringP2P.v2 SummEvalSummarization.v2 TRECCOVID
Touche2020Retrieval.v3 ToxicConversationsClassification TweetSentimentExtractionClassification
TwentyNewsgroupsClustering.v2 TwitterSemEval2015 TwitterURLCorpus
"""
TASKS = NAMES.split()
ENGLISH, LEVEL, RESAMPLES = ("default", "en", "en-en"), 0.05, 10_000


def scores(folder: Path) -> dict[str, list[float]]:
    """Return the scores of each model in all tasks."""
    scores_by_model = defaultdict[str, dict[str, float]](dict)
    for task in TASKS:
        for path in sorted(folder.glob(f"*/*/{task}.json")):
            splits = json.loads(path.read_text(encoding="utf-8")).get("scores", {})
            entries: list[dict[str, Any]] = splits.get("test") or next(iter(splits.values()), [])
            english = [entry["main_score"] for entry in entries if entry["hf_subset"] in ENGLISH]
            if english:
                scores_by_model[path.parts[-3]][task] = float(np.mean(english))
    return {
        model: [by_task[task] for task in TASKS]
        for model, by_task in scores_by_model.items()
        if len(by_task) == len(TASKS)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    models = scores(parser.parse_args().folder)
    board = sorted(models.values(), key=np.mean, reverse=True)
    draws = np.random.default_rng(0).integers(0, len(TASKS), (RESAMPLES, len(TASKS)))
    by_bootstrap = by_test = 0
    for better, worse in pairwise(board):
        by_bootstrap += np.quantile(np.subtract(better, worse)[draws].mean(axis=1), LEVEL / 2) <= 0
        comparison = howsure.compare_scores({"better": better, "worse": worse}, method="student")
        by_test += comparison[0].p_value > LEVEL
    items = howsure.score_items(
        np.ravel(board), model=np.repeat(np.arange(len(board)), len(TASKS)), id=np.tile(TASKS, len(board))
    )
    print(f"{len(board)} models with all {len(TASKS)} tasks; neighbours that do not differ significantly at {LEVEL}:")
    print("published (August 2026)         176 of 180")
    print(f"bootstrap of each pair          {by_bootstrap} of {items.neighbours}")
    print(f"compare_scores, each pair       {by_test} of {items.neighbours}")
    print(f"score_items, adjusted (Holm)    {items.neighbours - items.told_apart} of {items.neighbours}")


if __name__ == "__main__":
    main()
