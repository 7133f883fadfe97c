"""Do the point values of judges and agents equal those of other packages on the same data?

    make bench-peers                               # installs the packages into .venv-peers
    .venv-peers/bin/python benchmarks/point_values.py [--sets 20]

For each quantity, the table shows the values of the last data set and the largest difference over all data sets, which
must be at most 1e-9. truescore and judgy correct the judge's rate by TPR and TNR (Rogan and Gladen), which howsure does
not; their formula is computed with howsure's TPR and TNR. The second table shows, for each pair of simulated agents,
howsure's verdict "dominated" and claimeval's bootstrap probability that the agent is worse and more expensive; every
dominated agent must have a probability of at least 0.95.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import defaultdict
from collections.abc import Iterator

import claimeval
import judgy
import krippendorff
import numpy as np
import numpy.typing as npt
import truescore
from sklearn.metrics import cohen_kappa_score

import howsure

Values = Iterator[tuple[str, float, float]]
Trial = tuple[str, int, int]
ANSWERS, TASKS, TRIALS, TOLERANCE, LEAST = 1000, 80, 3, 1e-9, 0.95
# Skill on the logit scale and median cost of each agent
AGENTS = {"cheap": (1.0, 0.2), "middle": (0.9, 0.5), "poor": (-0.6, 1.0), "best": (1.4, 1.5)}


def judge_values(rng: np.random.Generator) -> Values:
    """Yield quantities of a judge: the name with its package, howsure's value, and the package's."""
    truth = (rng.random(ANSWERS) < 0.6).astype(np.int64)
    judge = np.where(rng.random(ANSWERS) < np.where(truth == 1, 0.9, 0.85), truth, 1 - truth)
    labelled = rng.random(ANSWERS) < 0.15
    (index,) = np.nonzero(labelled)
    people, graded = truth[index], judge[index]
    validation = howsure.validate_judge(np.where(labelled, truth, np.nan), judge)
    tpr, tnr = validation["1"].rate.value, validation["0"].rate.value
    corrected = truescore.ppi_estimate(judge, people, index).point
    yield "corrected rate, truescore PPI++", validation.corrected.value, corrected
    rogan_gladen = truescore.rogan_gladen_estimate(judge, people, index).point
    yield "from TPR and TNR, truescore", (judge.mean() + tnr - 1) / (tpr + tnr - 1), rogan_gladen
    rate, _, _ = judgy.estimate_success_rate(people, graded, judge[~labelled], bootstrap_iterations=20)
    yield "from TPR and TNR, judgy", (judge[~labelled].mean() + tnr - 1) / (tpr + tnr - 1), rate
    yield "Cohen's κ, scikit-learn", validation.kappa.value, cohen_kappa_score(people, graded)
    rater = np.repeat(["judge", "person"], len(index))
    agreement = howsure.rater_agreement(np.r_[graded, people], rater=rater, id=np.tile(index, 2))
    alpha = krippendorff.alpha(np.stack([graded, people]).astype(float), level_of_measurement="nominal")
    yield "Krippendorff's α, krippendorff", agreement.rows[0].alpha.value, alpha


def trials(rng: np.random.Generator) -> tuple[list[Trial], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the agent, task and number of each trial, whether each trial passed, and its cost."""
    ease = rng.normal(0, 1, TASKS)
    rows = list(itertools.product(AGENTS, range(TASKS), range(TRIALS)))
    skill, cost = np.array([AGENTS[agent] for agent, _, _ in rows]).T
    passed = rng.logistic(size=len(rows)) < skill + ease[[task for _, task, _ in rows]]
    return rows, passed.astype(np.int64), cost * np.exp(rng.normal(0, 0.5, len(rows)))


def compare_agents(rng: np.random.Generator) -> tuple[Values, list[tuple[str, str, bool, float]]]:
    """Return the means of each agent by howsure and claimeval, and what both say about each pair of agents."""
    rows, passed, cost = trials(rng)
    agent, task, run = (list(column) for column in zip(*rows, strict=True))
    table = howsure.score_agents(passed, cost=cost, model=agent, id=task, run=run, rng=0)
    columns = zip(agent, map(str, task), map(str, run), passed.astype(float), cost, strict=True)
    rollouts = claimeval.RolloutSet(itertools.starmap(claimeval.Rollout, columns))
    means, costs = rollouts.point_estimates("mean")
    at = {name: place for place, name in enumerate(rollouts.configs)}
    values = [(f"score of {row.model}, claimeval", row.lowest, float(means[at[row.model]])) for row in table]
    values += [(f"mean cost of {row.model}, claimeval", row.mean_cost, float(costs[at[row.model]])) for row in table]
    draws = claimeval.hierarchical_bootstrap(rollouts, 2000, "task", rng, "mean")
    pairs = []
    for row, other in itertools.permutations(table, 2):
        a, b = at[row.model], at[other.model]
        worse = (draws.acc[:, a] < draws.acc[:, b]) & (draws.cost[:, a] > draws.cost[:, b])
        pairs.append((row.model, other.model, other.model in row.dominated_by, float(worse.mean())))
    return iter(values), pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sets", type=int, default=20)
    values, largest, pairs = dict[str, tuple[float, float]](), defaultdict[str, float](float), []
    for number in range(parser.parse_args().sets):
        rng = np.random.default_rng([11, number])
        of_agents, pairs = compare_agents(rng)
        for name, ours, theirs in itertools.chain(judge_values(rng), of_agents):
            values[name], largest[name] = (ours, theirs), max(largest[name], abs(ours - theirs))
    print("| quantity, package | howsure | package | largest difference |\n|---|---:|---:|---:|")
    for name, (ours, theirs) in values.items():
        print(f"| {name} | {ours:.6f} | {theirs:.6f} | {largest[name]:.0e} |")
    print("\n| agent | dominated by | howsure | claimeval |\n|---|---|---|---:|")
    for agent, other, dominated, chance in sorted(pairs, key=lambda pair: -pair[3]):
        print(f"| {agent} | {other} | {'dominated' if dominated else '–'} | {chance:.3f} |")
    wrong = [name for name, difference in largest.items() if difference > TOLERANCE]
    wrong += [f"{agent}, {other}" for agent, other, dominated, chance in pairs if dominated and chance < LEAST]
    sys.exit(f"different: {'; '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    main()
