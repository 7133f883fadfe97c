"""Do the intervals of `score_agents` cover, and how often is an undominated agent called dominated (at most 5%)?

A simulated data set has five agents that try the same tasks several times. The probability that a trial ends in an
error is constant, or depends on the task's difficulty, or on whether the trial would have passed (in both directions).
The true mean of an agent is its probability of passing, over all tasks, if no trial ended in an error. No agent is
truly dominated: more accurate agents cost more, or agents are equally accurate or equally expensive.

    python benchmarks/agents.py [--sets 500]

Limits: coverage of at least 0.95 and false domination of at most 0.05, within three standard errors.
"""

from __future__ import annotations

import argparse
import itertools
import math

import numpy as np
from scipy.special import expit

import howsure

ERRORS = ("none", "at random", "hard tasks", "failures", "passes")
TASKS, TRIALS, AGENTS = (30, 80), (1, 3), 5
PROFILES = {  # skills on the logit scale and log costs: no agent is better and cheaper than another
    "rising": (np.linspace(-1.0, 1.5, AGENTS), np.linspace(-1.0, 1.0, AGENTS)),
    "equal skill": (np.zeros(AGENTS), np.linspace(-1.0, 1.0, AGENTS)),
    "equal cost": (np.linspace(-1.0, 1.5, AGENTS), np.zeros(AGENTS)),
}
NODES = np.polynomial.hermite_e.hermegauss(40)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sets", type=int, default=500)
    options = parser.parse_args()
    print("| tasks | trials | agents | errors | coverage, at worst of the agents | false domination |")
    print("|---|---|---|---|---|---|")
    lowest, highest = 1.0, 0.0
    for number, (tasks, trials, profile, errors) in enumerate(itertools.product(TASKS, TRIALS, PROFILES, ERRORS)):
        rng = np.random.default_rng([7, number])
        covered, dominated = np.zeros(AGENTS), np.zeros(AGENTS)
        for _ in range(options.sets):
            covers, is_dominated = one_set(rng, tasks, trials, *PROFILES[profile], errors)
            covered += covers
            dominated += is_dominated
        worst, false = float(covered.min()) / options.sets, float(dominated.max()) / options.sets
        print(f"| {tasks} | {trials} | {profile} | {errors} | {worst:.3f} | {false:.3f} |", flush=True)
        lowest, highest = min(lowest, worst), max(highest, false)
    error = math.sqrt(0.05 * 0.95 / options.sets)
    print(f"\nlowest coverage {lowest:.3f}, most false domination {highest:.3f} (standard error {error:.3f})")


def one_set(
    rng: np.random.Generator, tasks: int, trials: int, skills: np.ndarray, log_costs: np.ndarray, errors: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return, for one simulated data set, which agents' intervals contain the true mean and which agents are
    dominated."""
    ease = rng.normal(0, 1.2, tasks)
    rows: dict[str, list[object]] = {name: [] for name in ("score", "cost", "model", "id", "run")}
    for agent, (skill, log_cost) in enumerate(zip(skills, log_costs, strict=True)):
        for trial in range(trials):
            passed = rng.random(tasks) < expit(skill + ease)
            chance = {
                "none": np.zeros(tasks),
                "at random": np.full(tasks, 0.1),
                "hard tasks": 0.3 * (ease < -0.5),
                "failures": 0.3 * ~passed,
                "passes": 0.2 * passed,
            }[errors]
            errored = rng.random(tasks) < chance
            rows["score"] += [None if error else float(right) for error, right in zip(errored, passed, strict=True)]
            rows["cost"] += np.exp(log_cost - 0.2 * ease + rng.normal(0, 0.7, tasks)).tolist()
            rows["model"] += [f"agent {agent}"] * tasks
            rows["id"] += range(tasks)
            rows["run"] += [trial] * tasks
    table = howsure.score_agents(**rows, rng=int(rng.integers(2**31)))
    nodes, weights = NODES
    truth = [float(weights @ expit(skill + 1.2 * nodes) / weights.sum()) for skill in skills]
    covers, dominated = np.zeros(len(skills)), np.zeros(len(skills))
    for row in table:
        agent = int(str(row.model).split()[-1])
        covers[agent] = row.low <= truth[agent] <= row.high
        dominated[agent] = bool(row.dominated_by)
    return covers, dominated


if __name__ == "__main__":
    main()
