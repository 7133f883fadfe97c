"""Differences by group: those of the group's items alone, by scipy and by loops; p is adjusted for all groups."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import howsure
from howsure.errors import InputError
from howsure.significance import Comparison, Difference, GroupDifference, GroupDifferences
from howsure.significance.comparison import compare
from howsure.significance.documents import object_array
from howsure.stats.p_values import adjust_p_values

RNG = np.random.default_rng(29)
KINDS = ["sums", "words", "days"]
N = 90
KIND = np.array([KINDS[i % 3] for i in range(N)])
RIGHT = {"base": RNG.random(N) < 0.5, "large": RNG.random(N) < np.where(KIND == "sums", 0.95, 0.5)}


def by_group(result: Comparison) -> GroupDifferences:
    assert result.groups is not None
    return result.groups


def mcnemar(baseline: Any, model: Any) -> float:
    """Two-sided, exact: the binomial test of the items that only one of the two has right."""
    better, worse = int((model & ~baseline).sum()), int((baseline & ~model).sum())
    return float(stats.binomtest(better, better + worse).pvalue) if better + worse else 1.0


def holm(p: list[float]) -> list[float]:
    adjusted, most = [0.0] * len(p), 0.0
    for rank, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        most = max(most, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = most
    return adjusted


def test_exact_tests_of_each_group() -> None:
    """p of 0/1 scores is McNemar's exact test of the group's items, adjusted by Holm over the groups; that of all
    items stays."""
    result = compare(score=RIGHT, against="base", groups=KIND)
    groups = by_group(result)
    assert [row.group for row in groups] == sorted(KINDS)
    expected = []
    for row in groups:
        base, large = (scores[row.group == KIND] for scores in (RIGHT["base"], RIGHT["large"]))
        expected.append(mcnemar(base, large))
        assert row.n == 30
        assert row.difference == pytest.approx(large.mean() - base.mean(), abs=1e-12)
        assert row.p_value == pytest.approx(expected[-1], abs=1e-10)
    assert [row.p_adjusted for row in groups] == pytest.approx(holm(expected), abs=1e-10)
    assert result.rows == compare(score=RIGHT, against="base").rows


def test_paired_t_of_each_group() -> None:
    """Scores without bounds: the difference and its standard error are those of scipy's paired t in the group."""
    scores = {name: np.exp(RNG.normal(size=N)) for name in ("base", "large")}
    for row in by_group(compare(score=scores, against="base", groups=KIND)):
        pairs = [scores[name][row.group == KIND] for name in ("large", "base")]
        tested = stats.ttest_rel(*pairs)
        assert row.difference / row.standard_error == pytest.approx(float(tested.statistic), rel=1e-10)
        assert row.degrees_of_freedom == tested.df


def test_any_metric_and_method_matches_the_rows_of_the_group() -> None:
    """A group alone gives the same figures, whatever is computed: rows of labels with strata and clusters, all
    methods."""
    gold = RNG.choice(["a", "b", "c"], N)
    base, large = (np.where(RNG.random(N) < right, gold, "b") for right in (0.5, 0.8))
    documents, strata = np.arange(N) // 3, np.array(["first", "second"])[np.arange(N) // 45]
    for method, extra in itertools.product(("permutation", "bootstrap"), ({}, {"clusters": documents})):
        how: dict[str, Any] = {"method": method, "n_resamples": 200, "rng": 3, "metrics": ["accuracy", "macro_f1"]}
        groups = by_group(compare(gold, base, large, groups=KIND, strata=strata, **extra, **how))
        for kind in KINDS:
            of = kind == KIND
            extra_of_group = {name: column[of] for name, column in extra.items()}
            alone = compare(gold[of], base[of], large[of], strata=strata[of], **extra_of_group, **how)
            for row in alone:
                group_row = groups[(kind, row.model, row.metric)]
                assert group_row.p_value == row.p_value
                assert (group_row.difference, group_row.low, group_row.high) == (row.difference, row.low, row.high)


def test_a_table_by_model_gives_what_columns_give() -> None:
    """Rows in any order, items that are numbered anew in each group, groups that are numbers."""
    number = {"days": 10, "sums": 9, "words": 2}
    items_in_group: Counter[str] = Counter()
    rows = []
    for i in range(N):
        item = items_in_group[KIND[i]]
        items_in_group[KIND[i]] += 1
        rows += [{"m": name, "i": item, "k": number[KIND[i]], "s": RIGHT[name][i]} for name in RIGHT]
    frame = pd.DataFrame(rows).sample(frac=1, random_state=1)
    groups = by_group(compare(data=frame, model="m", id="i", groups="k", score="s", against="base"))
    expected = by_group(compare(score=RIGHT, against="base", groups=KIND))
    assert [row.group for row in groups] == ["2", "9", "10"]
    for row in groups:
        other = expected[(next(kind for kind in KINDS if str(number[kind]) == row.group), "large", "score")]
        assert (row.n, row.difference, row.p_value) == (other.n, pytest.approx(other.difference), other.p_value)
    both = by_group(compare(data=frame.assign(one="x"), model="m", id="i", groups=["one", "k"], score="s"))
    assert [row.group for row in both] == ["x / 2", "x / 9", "x / 10"]


def test_all_pairs_are_adjusted_together() -> None:
    three = {**RIGHT, "third": RNG.random(N) < 0.7}
    result = compare(score=three, groups=KIND, all_pairs=True)
    groups = by_group(result)
    assert len(groups) == 9
    assert [row.p_adjusted for row in groups] == pytest.approx(holm([row.p_value for row in groups]), abs=1e-12)
    best = by_group(compare(score=three, groups=KIND))
    assert {row.against for row in best} == {result.best}
    for row in best:
        assert row in groups.rows
    assert "In groups, p is adjusted for 9 comparisons (Holm)." in str(best)
    assert adjust_p_values([row.p_value for row in groups], method="bh").tolist() == pytest.approx(
        [row.p_adjusted for row in by_group(compare(score=three, groups=KIND, all_pairs=True, adjust="bh"))]
    )


def test_runs_and_documents() -> None:
    """Items of several runs, and metrics of documents, whose rows of an id are one."""
    runs = pd.DataFrame(
        [
            {"gold": i % 2, "a": (i + r) % 3 > 0, "b": (i * r) % 2, "run": r, "item": i, "kind": KIND[i]}
            for r in range(2)
            for i in range(N)
        ]
    ).astype({"a": int})
    columns: dict[str, Any] = {"y_true": "gold", "against": "a", "model": "b", "run": "run", "id": "item"}
    how: dict[str, Any] = {"metrics": "accuracy", "method": "student", "data": runs}
    for row in by_group(compare(**columns, **how, groups="kind")):
        runs_in_group = runs[runs.kind == row.group]
        assert row.difference == pytest.approx(
            (runs_in_group.b == runs_in_group.gold).mean() - (runs_in_group.a == runs_in_group.gold).mean()
        )
    texts = [["the cat sat"] * N, ["the cat", "the dog sat"] * (N // 2), ["the cat sat", "a cat sat"] * (N // 2)]
    gold, base, large = map(object_array, texts)
    for row in by_group(compare(gold, base, large, metrics="wer", groups=KIND, n_resamples=50)):
        of = row.group == KIND
        errors = [{"the cat": 1, "the dog sat": 1, "a cat sat": 1, "the cat sat": 0}[text] for text in large[of]]
        assert row.model_value == pytest.approx(sum(errors) / (3 * of.sum()))


def test_a_group_that_only_one_model_has_is_counted() -> None:
    rows = [{"m": m, "i": i, "k": "both", "s": (i + len(m)) % 2} for m in ("base", "large") for i in range(8)]
    rows += [{"m": "large", "i": i, "k": "one", "s": 1} for i in range(3)]
    result = compare(data=pd.DataFrame(rows), model="m", id="i", groups="k", score="s")
    assert [row.group for row in by_group(result)] == ["both"]
    assert result.notes[0] == "1 group left out, which only one model has: one (large, 3 rows)."
    assert result[0].n == 8
    alone = pd.DataFrame([{"m": m, "i": 1, "k": m, "s": 1} for m in ("base", "large")])
    with pytest.raises(InputError, match=r"each group must have two models .* only one: base \(base, 1 row\)"):
        compare(data=alone, model="m", id="i", groups="k", score="s")
    rows += [{"m": "base", "i": 0, "k": "one", "s": 1}]


@pytest.mark.parametrize("method", ["gaffke", "student", "permutation", "bootstrap"])
@pytest.mark.parametrize("clusters", [None, np.arange(16) // 2])
def test_groups_of_few_items_say_so(method: str, clusters: Any) -> None:
    """Five items that are all better have p = 2 · 2⁻⁵ > .05: too few."""
    groups = ["many"] * 10 + ["few"] * 5 + ["one"]
    scores = {"base": np.zeros(16), "large": np.array([1.0, 0.0, 1.0, 0.0] * 2 + [1.0] * 8)}
    how: dict[str, Any] = {"method": method, "bounds": (0, 1), "n_resamples": 100, "rng": 0}
    if clusters is not None:
        groups = [groups[i // 2 * 2] for i in range(16)]
    rows = {row.group: row for row in by_group(compare(score=scores, groups=groups, clusters=clusters, **how))}
    unit = "item" if clusters is None else "cluster"
    n = {"few": 5, "one": 1} if clusters is None else {"many": 5, "few": 3}
    for group, count in n.items():
        several = "s" if count > 1 else ""
        assert rows[group].notes == (f"{count} {unit}{several}: fewer than 6 are too few to show a difference",)
    assert clusters is not None or rows["many"].notes == ()
    assert not any(row.p_value < 0.05 for name, row in rows.items() if name in n and method != "bootstrap")


def test_strata_with_a_single_item_in_a_group_are_not_kept_apart() -> None:
    strata = ["a"] * 45 + ["b"] * 45
    kind = np.array(["x"] * 46 + ["y"] * 44)
    groups = by_group(compare(score=RIGHT, against="base", groups=kind, strata=strata))
    assert [row.notes for row in groups] == [("strata are ignored, because one stratum has a single item",), ()]
    alone = compare(score={name: scores[:46] for name, scores in RIGHT.items()}, against="base")
    assert groups[("x", "large", "score")].p_value == alone[0].p_value


def test_what_it_says() -> None:
    report = str(compare(score=RIGHT, against="base", groups=KIND))
    assert (
        "large compared with base in score, by group: better in sums; no difference detected in days, words." in report
    )
    assert "In groups, p is adjusted for 3 comparisons (Holm)." in report
    content = compare(score=RIGHT, against="base", groups=KIND).to_dict()
    assert [group_row["group"] for group_row in content["groups"]] == sorted(KINDS)
    assert content["recipe"].keys() == compare(score=RIGHT, against="base").to_dict()["recipe"].keys()
    assert "groups" not in compare(score=RIGHT, against="base").to_dict()
    frame = compare(score=RIGHT, against="base", groups=KIND)
    assert list(by_group(frame).to_frame()["group"]) == sorted(KINDS)
    assert frame.to_csv().splitlines()[1].startswith("days,base,large,score,")


def test_a_row_of_a_group_is_a_difference() -> None:
    row = compare(score=RIGHT, against="base")[0]
    of = GroupDifference.of("sums", row, ())
    assert isinstance(of, Difference)
    assert (of.where, of.p_value, math.isnan(of.run_share)) == (("sums", "large", "score"), row.p_value, True)


def test_true_labels_may_be_the_groups(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "model": np.repeat(["a", "b"], 40),
            "id": [*range(40)] * 2,
            "gold": [*"xy" * 20] * 2,
            "said": rng.choice([*"xy"], 80),
        }
    )
    table.to_csv(tmp_path / "long.csv", index=False)
    how: dict[str, Any] = {"prediction": "said", "model": "model", "id": "id", "groups": "gold", "metrics": "accuracy"}
    of_file, of_frame = (
        howsure.compare_models("gold", data=data, rng=0, **how).groups
        for data in (howsure.read(tmp_path / "long.csv"), table)
    )
    assert [(row.group, row.n, row.difference) for row in of_file] == [
        (row.group, row.n, row.difference) for row in of_frame
    ]
