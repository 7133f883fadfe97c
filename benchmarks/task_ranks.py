"""Are ranks over tasks valid for other tasks? Simulated benchmarks whose tasks are a sample; models ranked by task
means.

    python benchmarks/task_ranks.py [--sets 200]

Five models answer the items of each task. A task has 5 to 200 items, an ease, and an effect on each model; the standard
deviation of these effects (on the logit scale) is the heterogeneity. In "one fails", a model is slightly better than
the others in nine of ten tasks and much worse in the tenth. The models are all equal, or there are two pairs of equal
models and a fifth one. The crossed settings have the same items under every prompt, with effects of items and of
prompts on each model.

For each setting, the table shows how often all possible ranks contain the true ranks, for ranks over tasks (or over
tasks and items) and, for comparison, for t tests whatever the number of tasks, and for ranks over items alone; and the
proportion of truly different pairs that are distinguished. Limit: 0.93 in the first column, within three standard
errors.
"""

from __future__ import annotations

import argparse
import itertools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from howsure.scores.ranks import Ranks, ranks

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
TASKS, HETEROGENEITY, MODELS, LIMIT = (8, 20, 60), ("0", "0.5", "2", "one fails"), 5, 0.93
SKILLS = {"equal": np.zeros(MODELS), "different": np.array([0.0, 0.0, 0.7, 0.7, 1.4])}
CROSSED = ((8, 100), (20, 50), (60, 50))  # prompts and items
SMALLEST, LARGEST, EDGE = 5, 200, 0.06


@dataclass(frozen=True)
class Benchmark:
    """Scores (models, items), the task and the item of each column, and the skills, which determine the order of the
    true means."""

    scores: Floats
    task: Integers
    item: Integers
    skills: Floats

    def ranked(self, sampled: str, *, bounded: bool = True) -> Ranks:
        """Return the ranks by the mean of tasks. Without bounds, few tasks are compared by t tests."""
        return ranks(
            self.scores,
            None if sampled == "items" else self.task,
            crossed_units=self.item if sampled == "both" else None,
            weights=1 / np.bincount(self.task)[self.task],
            bounds=(0.0, 1.0) if bounded else None,
            level=0.95,
            rng=np.random.default_rng(0),
        )


def nested(rng: np.random.Generator, tasks: int, heterogeneity: str, skills: Floats) -> Benchmark:
    """Return tasks with their own items."""
    sizes = np.exp(rng.uniform(math.log(SMALLEST), math.log(LARGEST), tasks)).astype(np.int64)
    task = np.repeat(np.arange(tasks), sizes)
    if heterogeneity == "one fails":  # its mean is that of the others
        chances = np.full((MODELS, tasks), 0.6)
        chances[0] += np.where(rng.random(tasks) < 0.1, -9 * EDGE, EDGE)
        skills = np.zeros(MODELS)
    else:
        effects = rng.normal(0, float(heterogeneity), (MODELS, tasks))
        chances = expit(skills[:, None] + rng.normal(0, 1, tasks) + effects)
    right = rng.random((MODELS, len(task))) < chances[:, task]
    return Benchmark(right.astype(np.float64), task, np.arange(len(task)), skills)


def crossed(rng: np.random.Generator, prompts: int, items: int, heterogeneity: str, skills: Floats) -> Benchmark:
    """Return the same items under every prompt."""
    task, item = np.divmod(np.arange(prompts * items), items)
    of_prompt, of_item = (rng.normal(0, float(heterogeneity), (MODELS, n)) for n in (prompts, items))
    ease = skills[:, None] + rng.normal(0, 1, items)[item] + of_item[:, item] + of_prompt[:, task]
    right = rng.random((MODELS, len(task))) < expit(ease)
    return Benchmark(right.astype(np.float64), task, item, skills)


def covers(possible: Ranks, skills: Floats) -> bool:
    """Return whether all true ranks are possible; equal models share a range of ranks."""
    first, last = (skills[None] > skills[:, None]).sum(axis=1) + 1, (skills[None] >= skills[:, None]).sum(axis=1)
    return bool((possible.low <= first).all() and (possible.high >= last).all())


def told_apart(possible: Ranks, skills: Floats) -> float:
    """Return the proportion of truly different pairs whose possible ranks do not overlap."""
    pairs = [(a, b) for a, b in itertools.product(range(MODELS), repeat=2) if skills[a] > skills[b]]
    return float(np.mean([possible.high[a] < possible.low[b] for a, b in pairs])) if pairs else math.nan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sets", type=int, default=200)
    options = parser.parse_args()
    settings = [
        (tasks, 0, effects, skills) for tasks, effects, skills in itertools.product(TASKS, HETEROGENEITY, SKILLS)
    ]
    settings = [setting for setting in settings if setting[2:] != ("one fails", "different")]
    settings += [(*sizes, effects, skills) for sizes in CROSSED for effects in HETEROGENEITY[:3] for skills in SKILLS]
    print("| tasks | items of all | heterogeneity | models | covered | told apart | by t tests | over items alone |")
    print("|---|---|---|---|---|---|---|---|")
    lowest = 1.0
    for number, (tasks, items, effects, profile) in enumerate(settings):
        rng, skills, sampled = np.random.default_rng([11, number]), SKILLS[profile], "both" if items else "groups"
        covered, apart = [], []
        for _ in range(options.sets):
            arguments = (effects, skills)
            benchmark = crossed(rng, tasks, items, *arguments) if items else nested(rng, tasks, *arguments)
            possible = benchmark.ranked(sampled)
            others = benchmark.ranked(sampled, bounded=False), benchmark.ranked("items")
            covered.append([covers(each, benchmark.skills) for each in (possible, *others)])
            apart.append(told_apart(possible, benchmark.skills))
        shares = np.mean(covered, axis=0)
        pairs = "–" if math.isnan(apart[0]) else f"{np.mean(apart):.2f}"
        cells = [f"{tasks}", f"{items}" if items else "–", effects, profile, f"{shares[0]:.3f}", pairs]
        print("|", " | ".join([*cells, f"{shares[1]:.3f}", f"{shares[2]:.3f}"]), "|", flush=True)
        lowest = min(lowest, float(shares[0]))
    error = math.sqrt(LIMIT * (1 - LIMIT) / options.sets)
    print(f"\nlowest coverage {lowest:.3f} (limit {LIMIT}, standard error {error:.3f})")


if __name__ == "__main__":
    main()
