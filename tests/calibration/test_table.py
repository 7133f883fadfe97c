"""One row per group: each is what the group alone gives, and the p-values are adjusted for all."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.calibration.calibration_tests import calibration_test
from howsure.calibration.curve import calibration_curve
from howsure.calibration.table import calibration_table
from howsure.errors import InputError
from howsure.stats.p_values import adjust_p_values
from tests.calibration.samples import language_pairs

Y, Q = language_pairs(6_000, np.random.default_rng(70))
TAGS = np.random.default_rng(71).choice(["NN", "VB", "a10", "a9"], 6_000, p=[0.6, 0.3, 0.05, 0.05])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_every_row_is_the_group_alone(weighted: bool, clustered: bool) -> None:
    rng = np.random.default_rng(72)
    w = rng.exponential(size=6_000) if weighted else None
    clusters = np.arange(6_000) // 10 if clustered else None
    table = calibration_table(Y, Q, groups=TAGS, sample_weight=w, clusters=clusters)
    assert [row.name for row in table] == ["NN", "VB", "a9", "a10"]
    assert sum(row.n for row in table) == 6_000
    for row in table:
        rows = row.name == TAGS
        alone = calibration_curve(
            Y[rows],
            Q[rows],
            sample_weight=None if w is None else w[rows],
            clusters=None if clusters is None else clusters[rows],
        )
        assert row.n == alone.n == int(rows.sum())
        assert row.error == alone.error
        assert row.algorithm1_error == pytest.approx(alone.algorithm1_error.value, abs=1e-15)
        assert row.base_rate == pytest.approx(alone.base_rate, abs=1e-15)
        assert row.mean_prob == pytest.approx(np.average(Q[rows], weights=None if w is None else w[rows]), abs=1e-12)
        assert row.p_value == alone.p_value
        assert table[row.name] is row


@pytest.mark.parametrize("adjust", ["holm", "bh", None])
def test_p_values_are_those_of_the_binned_test_adjusted(adjust: str | None) -> None:
    table = calibration_table(Y, Q, groups=TAGS, adjust=adjust)
    expected = [calibration_test(Y[row.name == TAGS], Q[row.name == TAGS], method="binned").p_value for row in table]
    assert [row.p_value for row in table] == expected
    assert [row.p_adjusted for row in table] == adjust_p_values(expected, method=adjust).tolist()


def test_the_order_of_the_rows_changes_no_bit() -> None:
    order = np.random.default_rng(73).permutation(6_000)
    assert repr(calibration_table(Y, Q, groups=TAGS).to_dict()) == repr(
        calibration_table(Y[order], Q[order], groups=TAGS[order]).to_dict()
    )


def test_it_shows_itself_as_text_and_in_a_notebook() -> None:
    table = calibration_table(Y, Q**3, groups=np.where(np.arange(6_000) % 2, "<b>", "VB"))
    lines = repr(table).splitlines()
    assert lines[0].split("  ")[-1] == "p (adjusted)"
    assert all(line.endswith("< 0.0001") for line in lines[2:4])
    assert all("wrong: the log loss is infinite" in line for line in lines[5:])
    html = table._repr_html_()
    assert html.count("<tr>") == 3
    assert "&lt;b&gt;</td><td>3,000</td>" in html
    assert "<td>&lt; 0.0001</td>" in html


def test_thousands_of_groups() -> None:
    groups = np.arange(6_000) % 1_000
    table = calibration_table(Y, Q, groups=groups, bin_size=2)
    assert len(table) == 1_000
    assert {row.n for row in table} == {6}


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="groups must say what each pair belongs to"):
        calibration_table(Y, Q, groups=None)
    with pytest.raises(InputError, match="adjust must be"):
        calibration_table(Y, Q, groups=TAGS, adjust="bonferroni")


def test_what_must_be_said_of_a_group_is_said() -> None:
    """Notes that curves had, rows of the table lost: few clusters, labels that do not vary, pairs of weight 0."""
    y, weight = Y.copy(), np.ones(len(Y))
    y[TAGS == "VB"] = 1
    weight[np.flatnonzero(TAGS == "NN")[:3]] = 0.0
    clusters = np.arange(len(Y)) // 300
    table = calibration_table(y, Q, groups=TAGS, sample_weight=weight, clusters=clusters)
    for row in table:
        of_group = row.name == TAGS
        parts = {"sample_weight": weight[of_group], "clusters": clusters[of_group]}
        assert row.notes == calibration_curve(y[of_group], Q[of_group], **parts).notes
    assert "3 pairs of weight 0 are ignored" in table["NN"].notes
    note = "every label is 1: refinement carries no information about how well labels are separated"
    assert note in table["VB"].notes
    assert any(note.startswith("there are 20 clusters") for note in table["VB"].notes)
    assert table.to_dict()["groups"]["notes"] == [list(row.notes) for row in table]
    assert table.to_frame("pandas")["notes"].tolist() == ["; ".join(row.notes) for row in table]
    assert "NN: 3 pairs of weight 0 are ignored" in repr(table).splitlines()
    assert "<p>NN: 3 pairs of weight 0 are ignored</p>" in table._repr_html_()
