"""How long do the validation of a judge, and scores of repeated runs, take compared with the tables of pandas?

    make bench JOB=labels_and_runs

Goals: 3 × pandas' crosstab of the labels; for files with a row for each grade, 3 × the time to read, pivot and crosstab
them; 10 × the means by model and item.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
from growth import Job, print_growth, print_numpy_import

import howsure

MODELS, RUNS = 20, 3


def labels(n: int) -> tuple[Job, Job]:
    """Return two jobs: the validation of a judge with n human labels, and the crosstab of these labels."""
    rng = np.random.default_rng(0)
    positive = rng.random(n) < 0.4
    right = rng.random(n) < 0.9
    people, judge = (np.where(answers, "yes", "no") for answers in (positive, positive == right))
    return partial(howsure.validate_judge, people, judge, pos_label="yes"), partial(pd.crosstab, people, judge)


def long_grades(folder: Path, n: int, *, export: bool) -> tuple[Job, Job]:
    """Return two jobs: the validation of a judge from a file of n grades (a table or an export of Langfuse), half of
    them by a human annotator; and the crosstab of these grades."""
    rng = np.random.default_rng(0)
    positive = rng.random(n // 2) < 0.4
    judge = positive == (rng.random(n // 2) < 0.9)
    names = {"item": "traceId", "rater": "source", "grade": "value"} if export else {}
    people, judged = ("ANNOTATION", "EVAL") if export else ("person", "judge")
    columns = {
        "item": np.repeat([f"item {number}" for number in range(n // 2)], 2),
        "rater": np.tile([people, judged], n // 2),
        "grade": np.stack([positive, judge], axis=1).ravel().astype(int),
    }
    table = pd.DataFrame(columns).rename(columns=names)
    path = folder / f"{n}{'.jsonl' if export else '.csv'}"
    if export:
        table = table.assign(id=[f"score-{row}" for row in range(n)], name="correct", dataType="NUMERIC", comment="why")
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_csv(path, index=False)

    def crosstab() -> pd.DataFrame:
        if export:
            decode = msgspec.json.Decoder().decode
            frame = pd.DataFrame([decode(line) for line in path.read_bytes().splitlines()])
        else:
            frame = pd.read_csv(path)
        item, rater, grade = table.columns[:3]
        wide = frame.pivot(index=item, columns=rater, values=grade)
        return pd.crosstab(wide[people], wide[judged])

    def job() -> object:
        return howsure.validate_judge("person", "judge", data=howsure.read(path, pivot="item,rater,grade"))

    return job, crosstab


def runs(n: int) -> tuple[Job, Job]:
    """Return two jobs: means and ranks of models from n rows of repeated runs, and the means by model and item."""
    items, rng = n // MODELS // RUNS, np.random.default_rng(0)
    model, item, run = (codes.ravel() for codes in np.indices((MODELS, items, RUNS)))
    columns = {"model": np.char.add("model ", model.astype(str)), "item": np.char.add("item ", item.astype(str))}
    frame = pd.DataFrame(columns | {"run": run, "score": (rng.random(len(run)) < 0.7).astype(float)})
    job = partial(howsure.mean_scores, "score", model="model", id="item", run="run", data=frame, rng=0)
    return job, lambda: frame.groupby(["model", "item"])["score"].mean()


def main() -> None:
    """Print how the time grows with the labels, and with the rows."""
    print_numpy_import()
    labels(100)[0](), runs(600)[0]()  # imports
    print_growth("validate_judge", (25_000, 50_000, 100_000), labels, floor="pandas.crosstab", goal="3 ×")
    with tempfile.TemporaryDirectory() as folder:
        for name, export in (("a table", False), ("an export of Langfuse", True)):
            title, floor = f"validate_judge, {name} with a row for each grade", "pandas: read, pivot, crosstab"
            prepare = partial(long_grades, Path(folder), export=export)
            print_growth(title, (25_000, 50_000, 100_000), prepare, floor=floor, goal="3 ×")
    title, floor = f"mean_scores, {MODELS} models, {RUNS} runs", "pandas' groupby of model and item"
    print_growth(title, (150_000, 300_000, 600_000), runs, floor=floor, goal="10 ×")


if __name__ == "__main__":
    main()
