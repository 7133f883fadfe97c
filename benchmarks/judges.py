"""Do the intervals of judged scores cover, and how many human grades does a judge save? Simulated and real data.

    HOWSURE_DATA=… .venv/bin/python benchmarks/judges.py [--quick]
    .venv/bin/python benchmarks/judges.py --agreement [--files 500]

prints the tables of docs/judges.md: how often the corrected interval contains the mean of human grades of all answers,
how often the interval from the drawn human grades alone contains it, and both widths. From the real data, 50 human
labels are drawn repeatedly; without HOWSURE_DATA, only simulated data are used. `--agreement` prints how often the
interval of Gwet's AC covers, with and without the categories of the scale.
"""

from __future__ import annotations

import csv
import gzip
import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import howsure
from howsure.errors import InputError
from howsure.inputs.pairs import Floats
from howsure.judges.results import JudgedRow
from howsure.result import Estimate

FILES, QUICK, N, LABELS = 200, 10, 1000, 50
Graded = tuple[Floats, Floats]  # of people, of the judge
Draw = np.random.Generator


def shares(rate: float, right: float) -> Callable[[Draw], Graded]:
    """Return labels 0 and 1, and a judge's labels, of which this proportion is correct."""

    def made(draw: Draw) -> Graded:
        y = (draw.random(N) < rate) * 1.0
        return y, np.where(draw.random(N) < right, y, 1 - y)

    return made


def grades(draw: Draw) -> Floats:
    """Return grades from 1 to 5 with mean 3.25."""
    return draw.choice(5, N, p=[0.1, 0.15, 0.3, 0.3, 0.15]) + 1.0


def rare_errors(draw: Draw) -> Graded:
    """Return grades, and a judge's grades, of which 3% are wrong."""
    y = grades(draw)
    return y, np.where(draw.random(N) < 0.97, y, 1.0)


def near(draw: Draw) -> Graded:
    """Return grades, and a judge's grades, which are off by one in two of three cases."""
    y = grades(draw)
    return y, np.clip(y + draw.integers(-1, 2, N), 1, 5) * 1.0


def nothing(draw: Draw) -> Graded:
    """Return labels 0 and 1, and a judge's labels, which are independent of them."""
    return (draw.random(N) < 0.2) * 1.0, (draw.random(N) < 0.3) * 1.0


def entailment(data: Path, seed: int) -> Graded:
    """Return whether pairs of sentences are entailments, by human annotators and by RoBERTa (Baan et al. 2022)."""
    path = data / "nli_model_predictions" / f"MNLI_test_roberta-base_{seed}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    people, judge = ([row[name] == 0 for row in rows] for name in ("true", "pred"))
    return np.array(people, float), np.array(judge, float)


def right(data: Path, model: str) -> Graded:
    """Return whether a chat model's answers to MMLU are correct, by the key and by its own confidence (Plaut et al.
    2024)."""
    with gzip.open(data / "llm_mcq_confidence" / "mmlu.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["model"] == model]
    rows = [row for row in rows if row["prompt"] == "first" and row["grade"] != "unparseable"]
    people = np.array([row["grade"] == "correct" for row in rows], float)
    return people, np.array([float(row["confidence"]) for row in rows])


def drawn(draw: Draw, people: Floats, judge: Floats, n: int, bounds: tuple[float, float] | None) -> JudgedRow:
    """Return the mean estimated from n human grades, drawn at random."""
    labels = np.full(len(people), np.nan)
    labelled = draw.choice(len(people), n, replace=False)
    labels[labelled] = people[labelled]
    return howsure.correct_judge_scores(labels, judge, bounds=bounds).rows[0]


def strata(draw: Draw) -> JudgedRow:
    """Return two strata with very different grades, of which equally many are graded; the mean of all is 0."""
    stratum = draw.integers(0, 2, N)
    y = draw.normal(2 * stratum - 1, 0.2)
    labelled = np.concatenate([draw.choice(np.flatnonzero(stratum == code), 100, replace=False) for code in (0, 1)])
    labels = np.where(np.isin(np.arange(N), labelled), y, np.nan)
    return howsure.correct_judge_scores(labels, y + draw.normal(size=N), strata=stratum).rows[0]


def clusters(each: int) -> Callable[[Draw], JudgedRow]:
    """Return a hundred documents with similar grades inside; `each` of ten answers of a document are graded. The mean
    is 0."""

    def made(draw: Draw) -> JudgedRow:
        units, y = np.repeat(np.arange(N // 10), 10), np.repeat(draw.normal(size=N // 10), 10)
        labels = np.where(np.arange(N) % 10 < each, y, np.nan)
        return howsure.correct_judge_scores(labels, y + draw.normal(size=N), clusters=units).rows[0]

    return made


def bent(draw: Draw) -> Graded:
    """Return grades for which the judge is most wrong where it is most lenient; the mean is 3.4."""
    f = draw.uniform(1, 5, N)
    return f + 0.3 * (f - 3) ** 2 + draw.normal(0, 0.5, N), f


def unequal(
    draw: Draw, graded: Graded, n: int, bounds: tuple[float, float] | None, times: float, *, kind: bool
) -> JudgedRow | None:
    """Return the mean estimated from human grades that were drawn with unequal probabilities, whose ratio is `times`.
    The answers with the most lenient grades of the judge have the largest probability, or the smallest. Return None if
    the drawn sample contradicts its probabilities."""
    y, f = graded
    step = np.where(f >= 4, 1.0, np.where(f >= 2, 0.5, 0.0))
    chance = times ** (step if kind else 1 - step)
    chance = np.minimum(chance * n / chance.sum(), 1.0)
    labels = np.where(draw.random(N) < chance, y, np.nan)
    try:
        return howsure.correct_judge_scores(labels, f, inclusion=chance, bounds=bounds).rows[0]
    except InputError:
        return None


def transported(draw: Draw, off: float, n: int) -> list[str]:
    """Return the verdicts on four models with 1,000 answers each, n of which have human grades. The judge's grades of
    the last model are too high by `off`, on average."""
    model = np.repeat(["a", "b", "c", "last"], N)
    y = (draw.random(4 * N) < 0.5) * 1.0
    f = np.where(draw.random(4 * N) < 0.95, y, 1 - y)
    f = np.where((model == "last") & (y == 0) & (draw.random(4 * N) < 2 * off), 1.0, f)
    labelled = np.concatenate([draw.choice(N, n, replace=False) + model_number * N for model_number in range(4)])
    people = np.where(np.isin(np.arange(4 * N), labelled), y, np.nan)
    return [row.verdict for row in howsure.judge_transport(people, f, model=model, margin=0.05)]


def transports(files: int) -> None:
    """Print how often the last model, and the other models, are rejected or undecided."""
    print(
        f"\n{'verdicts, margin .05':<56}", *(f"{verdict:>12}" for verdict in ("transports", "does not", "cannot tell"))
    )
    for off in (0.25, 0.0):
        for n in (50, 100, 300):
            draw = np.random.default_rng(n)
            verdicts = [transported(draw, off, n) for _ in range(files)]
            for name, of in (
                ("last", [row[-1] for row in verdicts]),
                ("others", [verdict for row in verdicts for verdict in row[:-1]]),
            ):
                shares = [of.count(verdict) / len(of) for verdict in ("transports", "does not", "cannot tell")]
                print(f"{f'off by {off:g}, {n} graded: {name}':<56}", *(f"{share:>12.3f}" for share in shares))


def biases(files: int) -> None:
    """Print how often the intervals of length bias, of family bias and over prompts contain the true value."""
    print(f"\n{'biases and prompts':<56} {'told':>8} {'held':>8}")
    for n, each in ((50, 1), (100, 1), (300, 1), (100, 4), (300, 4)):
        draw, ends = np.random.default_rng(n), list[tuple[Estimate, float]]()
        for _ in range(files):
            unit = np.arange(n) // each
            words, family = np.exp(draw.normal(5, 0.8, n)), draw.choice(["own", "other"], n)
            y = draw.choice(5, n) + 1.0
            f = (
                y
                + 0.3 * np.log2(words)
                + 0.4 * (family == "own")
                + draw.normal(0, 0.5, n)
                + draw.normal(0, 0.5, n)[unit]
            )
            bias = howsure.judge_bias(
                np.round(f), y_true=y, length=words, family=family, own="own", clusters=unit if each > 1 else None
            )
            ends += [(bias["length"].estimate, 0.3), (bias["family"].estimate, 0.4)]
        print(f"{f'bias, {n} answers in clusters of {each}':<56}", *coverage_texts(ends))
    for m, spread in ((3, 0.0), (3, 0.1), (5, 0.1), (10, 0.1), (5, 0.3)):
        draw, ends = np.random.default_rng(m), list[tuple[Estimate, float]]()
        alone = list[tuple[Estimate, float]]()
        for _ in range(files):
            x = draw.normal(size=(100, 1)) + draw.normal(0, spread, m) + draw.normal(0, 0.5, (100, m))
            item, prompt = np.divmod(np.arange(100 * m), m)
            made = howsure.prompt_sensitivity(x.ravel(), prompt=prompt, id=item)
            ends.append((made.mean, 0.0))
            alone.append((made.given, 0.0))
        print(
            f"{f'{m} prompts, standard deviation {spread:g}':<56}",
            *coverage_texts(ends),
            "  these prompts alone",
            coverage_texts(alone)[1],
        )
    for n, wrong in ((30, 0.02), (100, 0.02), (100, 0.3)):
        draw, ends, alone = np.random.default_rng(n), list[tuple[Estimate, float]](), list[tuple[Estimate, float]]()
        for _ in range(files):
            right = draw.random((n, 4)) < np.where(draw.random((n, 1)) < wrong, 0.02, 0.98)
            item, prompt = np.divmod(np.arange(4 * n), 4)
            made = howsure.prompt_sensitivity(right.ravel().astype(float), prompt=prompt, id=item)
            truth = 0.02 * wrong + 0.98 * (1 - wrong)
            ends.append((made.mean, truth))
            alone.append((made.given, truth))
        name = f"4 prompts, alike, {n} items, {wrong:g} of them hard"
        print(f"{name:<56}", *coverage_texts(ends), "  these prompts alone", coverage_texts(alone)[1])


def coverage_texts(ends: list[tuple[Estimate, float]]) -> tuple[str, str]:
    """Return the proportion of estimates with an interval, and the proportion of these intervals that cover."""
    of = [
        estimate.low <= truth <= estimate.high
        for estimate, truth in ends
        if estimate.low is not None and estimate.high is not None
    ]
    return f"{len(of) / len(ends):>8.3f}", f"{np.mean(of) if of else np.nan:>8.3f}"


def real_prompts(data: Path) -> None:
    """Print how much the proportion of correct answers differs between two prompts in each data set (Plaut et al.
    2024)."""
    print()
    for path in sorted((data / "llm_mcq_confidence").glob("*.tsv.gz")):
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file, delimiter="\t") if row["model"] == "Mistral"]
        made = howsure.prompt_sensitivity(
            [float(row["grade"] == "correct") for row in rows],
            prompt=[row["prompt"] for row in rows],
            id=[row["question"] for row in rows],
        )
        share, means = made["prompts"].of_estimate, [prompt_mean.value for prompt_mean in made.prompts.values()]
        ends = f"{min(means):.3f} to {max(means):.3f}"
        print(f"{path.name.removesuffix('.tsv.gz'):<14} prompts {share:.2f} of the variance, {ends}")


def tell(name: str, rows: list[JudgedRow], truth: float, more: str = "") -> None:
    """Print how many estimates have an interval, how often it covers, and its width relative to that from human grades
    alone."""
    both = [
        [(row.corrected.low, row.corrected.high), (row.people.low, row.people.high)]
        for row in rows
        if row.corrected.low is not None and row.people.low is not None
    ]
    if not both:
        print(f"{name:<56} {0:>5}{more}")
        return
    ends = np.array(both, dtype=np.float64)
    coverage = ((ends[..., 0] <= truth) & (truth <= ends[..., 1])).mean(axis=0)
    width = (ends[..., 1] - ends[..., 0]).mean(axis=0)
    figures = (*coverage, width[0], width[0] / width[1])
    print(f"{name:<56} {len(both):>5}", *(f"{figure:>8.3f}" for figure in figures), more)


# Agreement on a scale with a category that is rare, or that nobody gave: shares of the true grades, and how often each
# rater gives another grade at random.
SCALES_OF_GRADES: dict[str, tuple[tuple[float, ...], float]] = {
    "1 to 3, 1 never": ((0.0, 0.6, 0.4), 0.2),
    "1 to 3, 1 in one of 100": ((0.01, 0.6, 0.39), 0.2),
    "1 to 5, both ends never": ((0.0, 0.3, 0.4, 0.3, 0.0), 0.3),
    "1 to 5, 2 and 3 never": ((0.5, 0.0, 0.0, 0.3, 0.2), 0.2),
    "1 to 7, 1 to 3 never": ((0.0, 0.0, 0.0, 0.1, 0.4, 0.4, 0.1), 0.3),
    "1 to 3, all given": ((0.3, 0.4, 0.3), 0.3),
}


def agreement(files: int) -> None:
    """Print how often the interval of AC covers the AC of all items, with the named scale and with the grades that
    occur.

    n = 60 items and two raters. A grade by chance is one of the grades that occur.
    """
    named = "categories" in inspect.signature(howsure.rater_agreement).parameters
    print(f"\n{'AC of two raters, 60 items':<40} {'true':>6} {'mean':>7} {'covers':>15}")
    for name, (shares_of_grades, random) in SCALES_OF_GRADES.items():
        of = np.array(shares_of_grades)
        categories, occurring = np.arange(1, len(of) + 1), np.flatnonzero(of)
        confusion = (1 - random) * np.eye(len(of)) + random * (of > 0) / len(occurring)
        pairs = confusion.T @ np.diag(of) @ confusion
        for scale in ("nominal", "ordinal"):
            truth = true_ac(pairs, scale)
            for how in ({"categories": categories.tolist()}, {}) if named else ({},):
                draw, values, covered = np.random.default_rng(5), [], []
                for _ in range(files):
                    grade = draw.choice(len(of), 60, p=of)
                    both = [np.where(draw.random(60) < random, draw.choice(occurring, 60), grade) for _ in "ab"]
                    rows = {"rater": np.repeat(["a", "b"], 60), "id": np.tile(np.arange(60), 2)}
                    ac = howsure.rater_agreement(categories[np.concatenate(both)], scale=scale, **rows, **how)[0].ac
                    values.append(ac.value)
                    covered.append(ac.low is not None and ac.low <= truth <= ac.high)
                share = float(np.mean(covered))
                error = (share * (1 - share) / files) ** 0.5
                label = f"{name}, {scale}, {'scale named' if how else 'values that occur'}"
                print(f"{label:<48} {truth:>6.3f} {np.mean(values):>6.3f} {share:>6.3f} ({error:.3f})", flush=True)


def true_ac(pairs: Floats, scale: str) -> float:
    """Return Gwet's AC by its definition, for two raters who give the grades i and j with probability pairs[i, j]."""
    q = len(pairs)
    apart = np.abs(np.subtract.outer(np.arange(q), np.arange(q))) / (q - 1)
    agree = 1 - (apart if scale == "ordinal" else (apart > 0) * 1.0)
    mean = (pairs.sum(axis=0) + pairs.sum(axis=1)) / 2
    chance = agree.sum() / (q * (q - 1)) * (mean * (1 - mean)).sum()
    return float(((agree * pairs).sum() - chance) / (1 - chance))


def main() -> None:
    """Simulate, draw, estimate, count."""
    if "--agreement" in sys.argv:
        agreement(int(sys.argv[sys.argv.index("--files") + 1]) if "--files" in sys.argv else 500)
        return
    files = QUICK if "--quick" in sys.argv else FILES
    print(f"{'grades':<56} {'told':>5}", *(f"{heading:>8}" for heading in ("held", "alone", "width", "beside")))
    regimes: dict[str, tuple[Callable[[Draw], Graded], float, tuple[float, float] | None]] = {
        "98 % right, rate .05": (shares(0.05, 0.98), 0.05, None),
        "90 % right, rate .5": (shares(0.5, 0.9), 0.5, None),
        "1 to 5, 3 % rare errors": (rare_errors, 3.25, (1, 5)),
        "1 to 5, off by one in two of three": (near, 3.25, (1, 5)),
        "knows nothing": (nothing, 0.2, None),
        "without bounds: 3 % rare errors": (rare_errors, 3.25, None),
        "without bounds: off by one in two of three": (near, 3.25, None),
    }
    for name, (make, truth, bounds) in regimes.items():
        for n in (50, 100, 300):
            draw = np.random.default_rng(n)
            tell(f"{name}, {n}", [drawn(draw, *make(draw), n, bounds) for _ in range(files)], truth)
    designs = {"two strata": strata, "4 of 10 in each document": clusters(4), "all of each document": clusters(10)}
    for name, design in designs.items():
        draw = np.random.default_rng(3)
        tell(name, [design(draw) for _ in range(files)], 0.0)
    far: dict[str, tuple[Callable[[Draw], Graded], float, tuple[float, float] | None, bool]] = {
        "": (near, 3.25, (1.0, 5.0), True),
        "without bounds, ": (near, 3.25, None, True),
        "without bounds, kindest rarely, ": (near, 3.25, None, False),
        "kindest rarely and worst, ": (bent, 3.4, None, False),
    }
    for name, (make, truth, bounds, kind) in far.items():
        for times in (5, 20, 100):
            for n in (50, 100, 300):
                draw = np.random.default_rng(n)
                rows = [unequal(draw, make(draw), n, bounds, times, kind=kind) for _ in range(files)]
                tell(f"{name}{times} times apart, {n}", [row for row in rows if row is not None], truth)
    transports(files)
    biases(files)
    if not (folder := os.environ.get("HOWSURE_DATA")):
        return
    sets = {f"entailment, RoBERTa {seed}": entailment(Path(folder), seed) for seed in (0, 1)}
    real_prompts(Path(folder))
    sets |= {f"MMLU, {model}": right(Path(folder), model) for model in ("gpt-4-turbo", "Mistral")}
    for name, (people, judge) in sets.items():
        draw = np.random.default_rng(7)
        rows = [drawn(draw, people, judge, LABELS, None) for _ in range(files)]
        worth = np.mean([row.worth for row in rows if row.worth is not None])
        more = f"  people {people.mean():.3f}, judge {judge.mean():.3f}, worth {worth:.0f} of {LABELS}"
        tell(f"{name}, {len(people):,}", rows, float(people.mean()), more)


if __name__ == "__main__":
    main()
