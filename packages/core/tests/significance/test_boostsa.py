"""BooStSa's interface: the paper's calls, its files, and what was broken in it."""

from __future__ import annotations

import json
import os
import re
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.significance.made_systems import distributions, labels

from howsure.errors import InputError
from howsure.significance.boostsa import Bootstrap
from howsure.significance.boostsa.runs import compare_outcomes
from howsure.significance.boostsa.storage import read_labels, read_outcomes, write_outcomes, write_results
from howsure.significance.comparison import compare
from howsure.significance.systems import Runs

QUIET = {"save_results": False, "save_outcomes": False, "rng": 1, "tell": lambda line: None}
HARD = "mean_epochs f1 d_f1 s_f1 acc d_acc s_acc prec d_prec s_prec rec d_rec s_rec"
OF_CLASS = "mean_epochs tf1 d_tf1 s_tf1 tprec d_tprec s_tprec trec d_trec s_trec"
SOFT = "mean_epochs jsd d_jsd s_jsd ce d_ce s_ce sim d_sim s_sim cor d_cor s_cor"


def test_figure_3_of_the_paper(real_data: Path) -> None:
    folder = real_data / "boostsa_test"
    lines: list[str] = []
    table, empty = Bootstrap(**QUIET | {"tell": lines.append}).test(
        targs=str(folder / "h0.0/targs.txt"),
        h0_preds=str(folder / "h0.0/preds.txt"),
        h1_preds=str(folder / "h1.0/preds.txt"),
        h0_name="baseline",
        h1_name="experiment",
        n_loops=1000,
        sample_size=0.2,
        verbose=True,
    )
    assert lines[:10] == [
        "data shape: (1000, 1)",
        "sample size: 200",
        "h0: baseline - h1: experiment",
        "targs count: ['class 0 freq 465 perc 46.50%', 'class 1 freq 535 perc 53.50%']",
        "h0 preds count: ['class 0 freq 339 perc 33.90%', 'class 1 freq 661 perc 66.10%']",
        "h1 preds count: ['class 0 freq 500 perc 50.00%', 'class 1 freq 500 perc 50.00%']",
        "F-measure..... - h0: 0.6776 - h1: 0.7407 - diff: 0.0631",
        "accuracy...... - h0: 0.6900 - h1: 0.7410 - diff: 0.0510",
        "precision..... - h0: 0.6994 - h1: 0.7410 - diff: 0.0416",
        "recall........ - h0: 0.6796 - h1: 0.7422 - diff: 0.0626",
    ]
    assert re.fullmatch(r"count sample diff f1 is twice tot diff f1\.{5} \d+ / 1000 +p < 0\.\d+( \*)?", lines[10])
    assert len(lines) == 14
    assert list(table.index) == ["baseline", "experiment"]
    assert " ".join(table.columns) == HARD
    assert table.loc["experiment", ["f1", "d_f1", "acc", "d_acc"]].tolist() == [0.7407, 0.0631, 0.741, 0.051]
    assert table.loc["baseline", ["d_f1", "s_f1"]].tolist() == ["", ""]
    assert empty.empty


def test_figure_4_of_the_paper() -> None:
    targets, a, b = distributions(100, 3, 1)
    lines: list[str] = []
    boot = Bootstrap(**QUIET | {"tell": lines.append})
    table, _ = boot.test(targets.tolist(), a.tolist(), b, verbose=True)
    assert " ".join(table.columns) == SOFT
    assert lines[0] == "data shape: (100, 3)"
    assert lines[3].startswith("targs distribution: [0.")
    assert lines[6].startswith("Jensen-Shannon divergence: - h0: 0.")
    assert boot.comparisons[0].recipe["method"] == "boostsa"


def test_figure_5_of_the_paper(tmp_path: Path) -> None:
    """Feed, stop, load, feed on, run: with BooStSa itself the third step raises."""
    targets, a, b = labels(200, 2, 1)
    boot = Bootstrap(dir_out=str(tmp_path))
    boot.feed(h0="h0", exp_idx="h0.0", preds=a, targs=targets, epochs=3)
    boot.feed(h0="h0", h1="h1", exp_idx="h1.0", preds=b, targs=targets, epochs=4)
    next_boot = Bootstrap(dir_out=str(tmp_path))
    next_boot.loadjson(str(tmp_path / "outcomes.json"))
    order = np.random.default_rng(0).permutation(200)
    next_boot.feed(h0="h0", exp_idx="h0.1", preds=a[order], targs=targets[order], idxs=order, epochs=5)
    next_boot.feed(h0="h0", h1="h1", exp_idx="h1.1", preds=b, targs=targets, epochs=6)
    with pytest.warns(UserWarning, match="2 and 2 runs on the same items are concatenated"):
        table, empty = next_boot.run(n_loops=1000, sample_size=0.2)
    assert empty.empty
    expected = HARD.split()
    expected.insert(4, "std_f1")
    assert list(table.columns) == expected
    assert table["mean_epochs"].tolist() == [4.0, 5.0]
    assert table.loc["h0", "acc"] == pytest.approx(np.mean(a == targets))
    assert table.loc["h0", "std_f1"] == 0
    with pytest.warns(UserWarning, match="concatenated"):
        again, _ = next_boot.run(n_loops=1000, sample_size=0.2)  # with BooStSa the second run raises
    assert again["f1"].tolist() == table["f1"].tolist()
    written = pd.read_csv(tmp_path / "results.tsv", sep="\t", index_col=0)
    assert list(written.columns) == expected
    assert written["f1"].tolist() == table["f1"].tolist()
    outcomes = json.loads((tmp_path / "outcomes.json").read_text())
    assert set(outcomes["h0"]) == {"exp_idxs", "preds", "targs", "idxs", "epochs", "h1"}
    assert outcomes["h0"]["h1"]["h1"]["exp_idxs"] == ["h1.0", "h1.1"]
    assert outcomes["h0"]["preds"][0][:2] == [[int(a[0])], [int(a[1])]]


def test_a_target_class_is_named_by_its_label(tmp_path: Path) -> None:
    targets, a, b = (column + 1 for column in labels(600, 3, 2))
    boot = Bootstrap(dir_out=str(tmp_path), rng=0)
    overall, target = boot.test(targets, a, b, targetclass=3)
    assert list(target.columns) == OF_CLASS.split()
    assert target.loc["h1", "trec"] == round(np.mean(b[targets == 3] == 3), 4)
    boot.feed("h0", preds=a, targs=targets)
    boot.feed("h0", "h1", preds=b, targs=targets)
    tables = boot.run(targetclass=3)
    assert tables[1]["tf1"].tolist() == target["tf1"].tolist()
    assert tables[0]["f1"].tolist() == overall["f1"].tolist()
    kinds = ["", "_targetclass", "_overall"]
    assert {path.name for path in tmp_path.iterdir()} == {"outcomes.json", *(f"results{kind}.tsv" for kind in kinds)}
    written = [pd.read_csv(tmp_path / f"results{kind}.tsv", sep="\t", index_col=0) for kind in kinds]
    assert [list(table.columns) for table in written[:2]] == [list(table.columns) for table in tables]
    assert list(written[2].columns) == [*tables[0].columns, *tables[1].columns[1:]]


def test_the_spread_of_the_target_class_is_over_runs_that_have_it(tmp_path: Path) -> None:
    targets, a, b = labels(90, 3, 1)
    boot = Bootstrap(**QUIET)
    for rows in np.array_split(np.arange(90), 3):
        boot.feed("h0", preds=a[rows], targs=targets[rows], idxs=rows)
        boot.feed("h0", "h1", preds=b[rows], targs=targets[rows], idxs=rows)
    _, of_class = boot.run(targetclass=2)
    f1 = [
        2 * ((a[rows] == 2) & (targets[rows] == 2)).sum() / ((a[rows] == 2).sum() + (targets[rows] == 2).sum())
        for rows in np.array_split(np.arange(90), 3)
    ]
    assert of_class.loc["h0", "std_tf1"] == pytest.approx(np.std(f1), abs=6e-5)
    boot.feed("h0", preds=[0, 1], targs=[0, 1], idxs=[90, 91])
    boot.feed("h0", "h1", preds=[0, 1], targs=[0, 1], idxs=[90, 91])
    assert boot.run(targetclass=2)[1]["std_tf1"].tolist() == ["", ""]


def test_unequal_runs_are_drawn_by_item() -> None:
    targets, a, b = labels(200, 2, 1)
    boot = Bootstrap(**QUIET)
    for run in range(3):
        boot.feed("h0", preds=np.roll(a, run), targs=targets)
    boot.feed("h0", "h1", preds=b, targs=targets)
    with pytest.warns(UserWarning, match="drawn by item"):
        table, _ = boot.run()
    assert table.loc["h1", "std_f1"] == ""
    assert boot.comparisons[0].recipe["resampled"] == "items with all their runs"


CUTS = {"equal": [200, 400, 600, 800], "unequal": [100, 350, 380, 900]}


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("cuts", CUTS)
def test_folds_are_concatenated(cuts: str, named: bool, real_data: Path, tmp_path: Path) -> None:
    """BooStSa has .6776 and .7407 on its own files, in one piece or in five folds."""
    names = {"targs": "h0.0", "preds": "h0.0"}, {"targs": "h1.0", "preds": "h1.0"}
    h0, h1 = ({what: column_of(real_data, (name,), what) for what, name in files.items()} for files in names)
    folds = np.split(np.random.default_rng(2).permutation(1000) if named else np.arange(1000), CUTS[cuts])
    boot = Bootstrap(**QUIET | {"save_outcomes": True}, dir_out=str(tmp_path))
    for run, rows in enumerate(folds):
        idxs = {"idxs": rows} if named else {}
        boot.feed("h0", exp_idx=f"fold {run}", preds=h0["preds"][rows], targs=h0["targs"][rows], **idxs)
    for run, rows in reversed(list(enumerate(folds))):  # the order of the folds does not count, nor that of items
        rows = rows[::-1] if named else rows
        idxs = {"idxs": rows} if named else {}
        boot.feed("h0", "h1", f"fold {run}", preds=h1["preds"][rows], targs=h1["targs"][rows], **idxs)
    with nullcontext() if named else pytest.warns(UserWarning, match="5 folds, of 1,000 items, since their targets"):
        table, _ = boot.run()
    assert table["f1"].tolist() == [0.6776, 0.7407]
    assert table.loc["h0", "std_f1"] > 0
    outcomes = compare_outcomes(read_outcomes(tmp_path / "outcomes.json"), metrics="macro_f1", interval=None, rng=0)
    whole = compare(h0["targs"], {"h0": h0["preds"]}, {"h1": h1["preds"]}, metrics="macro_f1", interval=None, rng=0)
    assert outcomes.to_dict()["comparisons"] == whole.to_dict()["comparisons"]
    assert "The runs of h0 are 5 folds, of 1,000 items" in outcomes.notes[0]


@pytest.mark.parametrize("named", [False, True])
def test_repeated_folds_are_repetitions(named: bool) -> None:
    targets, a, b = labels(90, 3, 1)
    boot = Bootstrap(**QUIET)
    for repetition in range(2):
        for rows in np.array_split(np.arange(90), 4):
            idxs = {"idxs": rows} if named else {}
            boot.feed("h0", preds=np.roll(a, repetition)[rows], targs=targets[rows], **idxs)
            boot.feed("h0", "h1", preds=np.roll(b, repetition)[rows], targs=targets[rows], **idxs)
    result = compare_outcomes(boot.data, metrics="accuracy", rng=0)
    runs = [Runs([system, np.roll(system, 1)]) for system in (a, b)]
    expected = compare(targets, {"h0": runs[0]}, {"h1": runs[1]}, metrics="accuracy", rng=0)
    assert result.to_dict()["comparisons"] == expected.to_dict()["comparisons"]
    assert result[0].n == 90


def test_loading_keeps_what_was_fed(tmp_path: Path) -> None:
    targets, a, b = labels(50, 2, 1)
    stored, boot = Bootstrap(dir_out=str(tmp_path)), Bootstrap(**QUIET)
    stored.feed("h0", exp_idx="first", preds=a, targs=targets, epochs=3)
    stored.feed("h0", "h1", "first", preds=b, targs=targets)
    boot.feed("other", preds=b, targs=targets)
    boot.feed("h0", exp_idx="second", preds=b, targs=targets, epochs=4)
    boot.feed("h0", "h2", "first", preds=b, targs=targets)
    for _ in range(2):  # what was loaded is not added again
        boot.loadjson(str(tmp_path / "outcomes.json"))
        assert list(boot.data) == ["other", "h0"]
        assert (boot.data["h0"]["exp_idxs"], boot.data["h0"]["epochs"]) == (["second", "first"], [4, 3])
        assert list(boot.data["h0"]["h1"]) == ["h2", "h1"]
    unnamed = json.loads((tmp_path / "outcomes.json").read_text())
    unnamed["h0"]["exp_idxs"] = [None]
    (tmp_path / "unnamed.json").write_text(json.dumps(unnamed))  # as BooStSa writes runs without exp_idx
    other = Bootstrap(**QUIET)
    for _ in range(2):
        other.loadjson(str(tmp_path / "unnamed.json"))
        assert other.data["h0"]["exp_idxs"] == [None]
    before = json.dumps(boot.data)
    stored.feed("h0", exp_idx="second", preds=a, targs=targets)
    with pytest.raises(InputError, match="run 'second' of 'h0' was already fed with other values"):
        boot.loadjson(str(tmp_path / "outcomes.json"))
    assert json.dumps(boot.data) == before


def test_run_prints_as_the_paper_says() -> None:
    targets, a, b = labels(200, 2, 1)
    printed: dict[bool, list[str]] = {False: [], True: []}
    for verbose, lines in printed.items():
        boot = Bootstrap(**QUIET | {"tell": lines.append})
        for run in range(2):
            boot.feed("h0", exp_idx=f"h0.{run}", preds=a, targs=targets)
            boot.feed("h0", "h1", f"h1.{run}", preds=b, targs=targets)
        with pytest.warns(UserWarning, match="2 and 2 runs on the same items"):
            table, _ = boot.run(verbose=verbose)
        assert lines[-3:] == table.to_string().splitlines()
        assert sum("is twice tot diff" in line for line in lines) == 4
        assert sum(line.startswith("F-measure") for line in lines) == 1
    scores = [line.split() for line in printed[True] if line.startswith("h") and " F1 " in line]
    f1 = table.loc["h0", "f1"], table.loc["h1", "f1"]
    assert scores == [[f"h{k}.{run}", "F1", f"{f1[k]:.4f}"] for k in (0, 1) for run in (0, 1)]
    assert not any(" F1 " in line for line in printed[False])


def test_two_baselines_may_have_a_treatment_of_one_name() -> None:
    """BooStSa drops the second comparison in silence."""
    targets, a, b = labels(200, 2, 1)
    boot = Bootstrap(**QUIET)
    for h0 in ("old", "new"):
        boot.feed(h0, preds=a, targs=targets)
        boot.feed(h0, "mtl", preds=b, targs=targets)
    assert list(boot.run()[0].index) == ["old", "mtl", "new", "mtl (new)"]


def test_a_treatment_that_is_also_a_control_keeps_its_row() -> None:
    targets, a, b = labels(200, 2, 1)
    boot = Bootstrap(**QUIET)
    for h0, h1 in (("a", "b"), ("b", "c")):
        boot.feed(h0, preds=a, targs=targets)
        boot.feed(h0, h1, preds=b, targs=targets)
    boot.feed("a", "d", preds=b, targs=targets)
    table, _ = boot.run()
    assert list(table.index) == ["a", "b", "d", "b (control)", "c"]
    assert table.loc["b", "d_f1"] == table.loc["c", "d_f1"] != ""


def test_labels_and_distributions_do_not_share_a_table() -> None:
    targets, a, _ = labels(50, 2, 1)
    true, p, _ = distributions(50, 3, 1)
    boot = Bootstrap(**QUIET)
    boot.feed("hard", preds=a, targs=targets)
    with pytest.raises(InputError, match="labels in all runs or distributions in all"):
        boot.feed("soft", preds=p, targs=true)
    assert list(boot.data) == ["hard"]


@pytest.mark.parametrize(
    ("epochs", "kept"), [(np.int64(3), [3]), (np.array([3, 4]), [3, 4]), ([5], [5]), ((), []), (None, [])]
)
def test_epochs_of_any_kind(epochs: object, kept: list[int]) -> None:
    boot = Bootstrap(**QUIET)
    with pytest.raises(InputError, match="epochs must be a number"):
        boot.feed("h0", preds=[0, 1], targs=[0, 1], epochs="three")
    assert boot.data == {}
    boot.feed("h0", preds=[0, 1], targs=[0, 1], epochs=epochs)
    assert boot.data["h0"]["epochs"] == kept


@pytest.mark.parametrize("soft", [False, True])
def test_identical_systems_and_the_old_counting(soft: bool) -> None:
    targets, a, _ = distributions(100, 3, 1) if soft else labels(100, 2, 1)
    new, _ = Bootstrap(**QUIET).test(targets, a, a)
    old, _ = Bootstrap(**QUIET, bug_compatible=True).test(targets, a, a)
    first = "jsd" if soft else "f1"
    assert new.loc["h1", f"s_{first}"] == "!!"  # p = 1: no better
    assert old.loc["h1", f"s_{first}"] == "**"


def test_the_old_side_of_cross_entropy() -> None:
    """As written, the tested gap is three times the difference: a difference by chance is called significant."""
    targets, a, b = distributions(400, 3, 2, weights=(0.6, 0.605))
    p = {}
    for old in (False, True):
        boot = Bootstrap(**QUIET, bug_compatible=old)
        boot.test(targets, a, b, sample_size=0.5)
        p[old] = boot.comparisons[0]["h1", "clipped_cross_entropy"].p_value
    assert p[True] < 0.05 < p[False]


@pytest.mark.parametrize(("suffix", "separator"), [("txt", None), ("csv", ","), ("tsv", "\t"), ("npy", None)])
def test_files_of_labels_and_of_rows(tmp_path: Path, suffix: str, separator: str | None) -> None:
    path = tmp_path / f"values.{suffix}"
    rows = np.array([[0.25, 0.75], [1.0, 0.0]])
    for values in ([1, 0, 2], ["a", "b", "a"], *([rows.tolist()] if suffix != "txt" else [])):
        if suffix == "npy":
            np.save(path, values)
        else:
            path.write_text(
                "\n".join((separator or "").join(map(str, v)) if isinstance(v, list) else str(v) for v in values) + "\n"
            )
        assert read_labels(path).tolist() == values


@pytest.mark.parametrize(("mask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o002, 0o664)])
def test_files_have_the_mode_that_the_user_wants(tmp_path: Path, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        write_outcomes({}, str(tmp_path))
        write_results("results.tsv", pd.DataFrame({"f1": [0.5]}, index=["large"]), str(tmp_path))
    finally:
        os.umask(before)
    assert {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {
        "outcomes.json": mode,
        "results.tsv": mode,
    }


METRICS = ["macro_f1", "macro_precision", "macro_recall", "accuracy"]

PRINTED = {
    (("h0.0",), ("h1.0",)): (".6776 .7407 .0631", ".6994 .7410 .0416", ".6796 .7422 .0626", ".6900 .7410 .0510"),
    (("h0.1",), ("h1.1",)): (".7259 .7299 .0040", ".7323 .7360 .0037", ".7308 .7347 .0039", ".7260 .7300 .0040"),
    (("h0.0",), ("h2.0",)): (".6776 .7132 .0356", ".6994 .7170 .0176", ".6796 .7124 .0328", ".6900 .7170 .0270"),
    (("h0.1",), ("h2.1",)): (".7259 .7120 -.0139", ".7323 .7126 -.0197", ".7308 .7116 -.0192", ".7260 .7140 -.0120"),
    (("h0.0", "h0.1"), ("h1.0", "h1.1")): (
        ".7057 .7355 .0298",
        ".7066 .7379 .0313",
        ".7052 .7385 .0333",
        ".7080 .7355 .0275",
    ),
    (("h0.0", "h0.1"), ("h2.0", "h2.1")): (
        ".7057 .7127 .0070",
        ".7066 .7146 .0080",
        ".7052 .7120 .0068",
        ".7080 .7155 .0075",
    ),
}

# p of macro-F1: the limit of BooStSa's rule by sub-sample share, exact permutation, exact McNemar. The permutation is
# of the difference over its standard error; 4,000 draws of a loop over rows have .00025, .735, .0255, .340.
TESTED = {
    ("h0.0", "h1.0"): ({0.1: 0.123, 0.2: 0.0496, 0.5: 0.0045}, 0.000223, 0.0030),
    ("h0.1", "h1.1"): ({0.1: 0.480, 0.2: 0.444, 0.5: 0.398}, 0.730, 0.793),
    ("h0.0", "h2.0"): ({0.1: 0.236, 0.2: 0.153, 0.5: 0.052}, 0.02174, 0.0814),
    ("h0.1", "h2.1"): ({0.1: 0.615, 0.2: 0.663, 0.5: 0.749}, 0.3384, 0.452),
}


def column_of(folder: Path, names: tuple[str, ...], what: str) -> np.ndarray:
    return np.concatenate([np.loadtxt(folder / "boostsa_test" / name / f"{what}.txt", dtype=int) for name in names])


@pytest.mark.parametrize("pair", PRINTED)
def test_the_figures_are_those_that_boostsa_prints(pair: tuple[tuple[str, ...], ...], real_data: Path) -> None:
    first, second = pair
    columns = (
        column_of(real_data, first, "targs"),
        column_of(real_data, first, "preds"),
        column_of(real_data, second, "preds"),
    )
    result = compare(*columns, metrics=METRICS, rng=0, n_resamples=10, interval=None)
    for row, printed in zip(result, PRINTED[pair], strict=True):
        a, b, d = (float(figure) for figure in printed.split())
        assert (round(row.against_value, 4), round(row.model_value, 4)) == (a, b)
        assert round(round(row.model_value, 4) - round(row.against_value, 4), 4) == d


@pytest.mark.parametrize("bug_compatible", [False, True])
@pytest.mark.parametrize(
    "pair", [pytest.param(pair, marks=pytest.mark.long if at else ()) for at, pair in enumerate(TESTED)]
)
def test_its_rule_has_its_p_values(pair: tuple[str, str], bug_compatible: bool, real_data: Path) -> None:
    """Ten seeds of 1,000 draws: each, and their mean, within 4 binomial standard deviations of the limit."""
    columns = (
        column_of(real_data, pair[:1], "targs"),
        column_of(real_data, pair[:1], "preds"),
        column_of(real_data, pair[1:], "preds"),
    )
    options = {"metrics": "macro_f1", "method": "boostsa", "n_resamples": 1000, "bug_compatible": bug_compatible}
    for share, limit in TESTED[pair][0].items():
        p_values = [
            compare(*columns, sample_size=share, rng=seed, interval=None, **options)[0].p_value for seed in range(10)
        ]
        deviation = np.sqrt(limit * (1 - limit) / 1000)
        assert np.abs(np.array(p_values) - limit).max() < 4 * deviation
        rounding = 0.0005  # of the limit
        assert abs(np.mean(p_values) - limit) < 4 * deviation / np.sqrt(10) + rounding


@pytest.mark.parametrize("pair", TESTED)
def test_the_exact_tests_have_theirs(pair: tuple[str, str], real_data: Path) -> None:
    columns = (
        column_of(real_data, pair[:1], "targs"),
        column_of(real_data, pair[:1], "preds"),
        column_of(real_data, pair[1:], "preds"),
    )
    _, permutation, mcnemar = TESTED[pair]
    f1, accuracy = compare(*columns, metrics=["macro_f1", "accuracy"], interval=None, adjust=None, rng=0)
    assert f1.exact
    assert f1.p_value == pytest.approx(permutation, rel=0.02)
    assert accuracy.p_value == pytest.approx(
        mcnemar, rel=0.02
    )  # the permutation test of accuracy is McNemar's exact one


def test_two_runs_on_the_same_items_are_not_twice_as_many_items(real_data: Path) -> None:
    """BooStSa concatenates its two runs; the exact p of that is .0033. By item it happens to be the same."""
    both = ("h0.0", "h0.1"), ("h1.0", "h1.1")
    columns = column_of(real_data, both[0], "targs"), *(column_of(real_data, names, "preds") for names in both)
    items, other = (column_of(real_data, (name,), "idxs") for name in both[0])
    assert (items == other).all()
    options = {"metrics": "macro_f1", "rng": 0, "interval": None}
    concatenated = compare(*columns, **options)[0]
    by_item = compare(*columns, run=np.repeat([0, 1], 1000), id=np.concatenate([items, other]), **options)[0]
    assert concatenated.p_value == pytest.approx(0.00334, rel=0.02)
    assert (concatenated.n, by_item.n) == (2000, 1000)
    assert by_item.difference == pytest.approx(concatenated.difference)
    assert not by_item.exact  # each item has 9 outcomes and more, so these are too many to enumerate
