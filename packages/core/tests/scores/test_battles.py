"""Battles: strengths against another optimiser and choix, their errors against sums by hand, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime, minimize
from tests.cli.running import howsure as run_command

import howsure
from howsure.errors import InputError
from howsure.scores.battles import _Battles
from howsure.scores.strengths import FIRST, SECOND, Strengths, fit_strengths
from howsure.scores.unbounded_strengths import OneSidedBattles

CHOIX = [0.6956706090087375, -0.15772219187620823, -0.2543360481905317, -0.2836123689419976]
WINNERS = np.array(["model_a", "tie", "model_b"])


def battles(
    theta: list[float], n: int, *, tie: float = -np.inf, first: float = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The codes of both models, and the outcome of each battle."""
    draw, m = np.random.default_rng(seed), len(theta)
    a = draw.integers(0, m, n)
    b = (a + draw.integers(1, m, n)) % m
    chances = outcomes(np.asarray(theta)[a] - np.asarray(theta)[b] + first, tie)
    return a, b, (draw.random(n) > chances.cumsum(axis=0)[:2]).sum(axis=0)


def outcomes(d: np.ndarray, tie: float) -> np.ndarray:
    odds = np.exp(np.stack([d / 2, np.full_like(d, tie), -d / 2]))
    return odds / odds.sum(axis=0)


def named(codes: tuple[np.ndarray, np.ndarray, np.ndarray]) -> dict[str, np.ndarray]:
    names = np.array([f"m{i}" for i in range(99)])
    return {"a": names[codes[0]], "b": names[codes[1]], "winner": WINNERS[codes[2]]}


@pytest.mark.parametrize(("tie", "first"), [(-np.inf, 0.0), (-0.4, 0.0), (-np.inf, 0.5), (0.3, -0.4)])
def test_strengths_and_their_errors_match_a_likelihood_by_hand(tie: float, first: float) -> None:
    a, b, outcome = battles([0.8, 0.1, 0.0, -0.9], 400, tie=tie, first=first)
    units = np.random.default_rng(3).integers(0, 50, 400)
    free = [0, 1, 2, *([4] if np.isfinite(tie) else []), *([5] if first else [])]

    def losses(at: np.ndarray) -> np.ndarray:
        beta = np.array([0.0, 0.0, 0.0, 0.0, -np.inf, 0.0])
        beta[free] = at
        chances = outcomes(beta[a] - beta[b] + beta[5], beta[4])
        return -np.log(chances[outcome, np.arange(400)])

    best = minimize(lambda at: losses(at).sum(), np.zeros(len(free)), tol=1e-12).x
    scores = approx_fprime(best, losses, 1e-6)
    bread = np.linalg.inv(approx_fprime(best, lambda at: approx_fprime(at, lambda x: losses(x).sum(), 1e-5), 1e-5))
    sums = np.stack([np.bincount(units, column) for column in scores.T])
    for codes, contributions, count in ((None, scores.T, 400), (units, sums, 50)):
        fitted = fit_strengths(a, b, outcome, codes, m=4, position_effect=bool(first))
        theta = fitted.theta - fitted.theta[3]
        assert [*theta[:3], *([fitted.tie] if np.isfinite(tie) else []), *([fitted.first] if first else [])] == (
            pytest.approx(best, abs=1e-4)
        )
        to_last = np.eye(6)
        to_last[:4, 3] -= 1.0
        expected = bread @ (contributions @ contributions.T) @ bread * count / (count - 1)
        covariance = (to_last @ fitted.covariance @ to_last.T)[np.ix_(free, free)]
        assert covariance == pytest.approx(expected, rel=5e-3, abs=1e-5)


def test_what_models_win_is_what_they_are_expected_to_win() -> None:
    """The equations of the maximum without ties, to the last digits."""
    a, b, outcome = battles(list(np.linspace(-2, 2, 12)), 3_000)
    fitted = fit_strengths(a, b, outcome, m=12)
    chance = 1 / (1 + np.exp(fitted.theta[b] - fitted.theta[a]))
    won = np.bincount(a, outcome == FIRST, minlength=12) + np.bincount(b, outcome == SECOND, minlength=12)
    expected = np.bincount(a, chance, minlength=12) + np.bincount(b, 1 - chance, minlength=12)
    assert expected == pytest.approx(won, abs=1e-9)
    assert fitted.theta.sum() == pytest.approx(0.0, abs=1e-12)


def test_strengths_match_choix() -> None:
    """`ilsr_pairwise(4, wins)` of choix 0.4.1 without regularisation, less its mean."""
    wins = [(0, 1), (0, 1), (1, 0), (1, 2), (2, 1), (1, 2), (2, 3), (3, 0), (0, 3), (2, 3), (0, 2), (0, 2), (3, 1)]
    first, second = np.array(wins).T
    fitted = fit_strengths(first, second, np.zeros(len(wins), dtype=int), m=4)
    assert fitted.theta == pytest.approx(CHOIX, abs=1e-10)


def test_arrays_frames_and_files_say_the_same(tmp_path: Path) -> None:
    frame = pd.DataFrame(named(battles([0.5, 0.0, -0.5], 300, tie=-1.0)) | {"prompt": np.arange(300) // 3})
    frame.to_csv(tmp_path / "votes.csv", index=False)
    arrays = howsure.rank_battles(frame["a"], frame["b"], frame["winner"], clusters=frame["prompt"], rng=1)
    for data in (frame, howsure.read(tmp_path / "votes.csv")):
        table = howsure.rank_battles("a", "b", "winner", clusters="prompt", rng=1, data=data)
        assert table.to_dict()["models"] == arrays.to_dict()["models"]
        assert table.to_dict()["ties"] == arrays.to_dict()["ties"]
    typed = ("--a", "a", "--b", "b", "--winner", "winner", "--cluster", "prompt", "--seed", "1", "--format", "csv")
    assert run_command("score", "battles", str(tmp_path / "votes.csv"), *typed).out == arrays.to_csv() + "\n"


@pytest.mark.parametrize(
    "spelled",
    [
        {"model_a": "a", "model_b": "b", "tie": "tie (bothbad)"},
        {"model_a": "a", "model_b": "b", "tie": "bothbad"},
        {"model_a": "A", "model_b": "B", "tie": "Tie"},
        {"model_a": "model_1", "model_b": "model_2", "tie": "TIE"},
        {"model_a": "Model A", "model_b": "model-b", "tie": "Both Bad"},
        {"model_a": 1, "model_b": 2, "tie": 0},
        {"model_a": 1.0, "model_b": 2.0, "tie": 1.5},
        {"model_a": "A > B", "model_b": "2", "tie": "even"},
    ],
)
def test_winners_are_spelled_in_several_ways(spelled: dict[str, object]) -> None:
    columns = named(battles([0.5, 0.0, -0.5], 200, tie=-1.0))
    winner = [spelled[outcome] for outcome in columns["winner"]]
    usual = howsure.rank_battles(**columns, rng=0)
    if "even" in winner:
        with pytest.raises(InputError, match=r"winner must name one of the two models.* is 'A > B'"):
            howsure.rank_battles(columns["a"], columns["b"], winner, tie=["even"], rng=0)
        return
    assert howsure.rank_battles(columns["a"], columns["b"], winner, rng=0).rows == usual.rows


def test_all_unknown_winners_are_named_with_the_ties_that_occur() -> None:
    winner = ["a", "b", "tie", "draw", "even", "a"]
    with pytest.raises(InputError, match=r"row 3 is 'draw'\. If it means a tie, set tie='tie,draw,even'\."):
        howsure.rank_battles(["x"] * 6, ["y"] * 6, winner, rng=0)
    usual = howsure.rank_battles(["x"] * 6, ["y"] * 6, ["a", "b", "tie", "tie", "tie", "a"], rng=0)
    named = howsure.rank_battles(["x"] * 6, ["y"] * 6, winner, tie=["tie", "draw", "even"], rng=0)
    assert named.rows == usual.rows


@pytest.mark.parametrize("word", ["Model A", "model-a", "model_a"])
def test_a_word_for_a_side_that_is_also_a_model_but_for_case_is_refused(word: str) -> None:
    """Model_A wins all four battles, once as the second model; as words for sides, the winners say something else."""
    first, second = ["Model_A"] * 3 + ["Model_B"], ["Model_B"] * 3 + ["Model_A"]
    with pytest.raises(InputError, match=r"row 3 is .* also the name of a model, but for case, blanks or hyphens"):
        howsure.rank_battles(first, second, [word] * 4, rng=0)
    assert howsure.rank_battles(first, second, ["Model_A"] * 4, rng=0)["Model_A"].wins == 4
    assert howsure.rank_battles(first[:3], second[:3], [word] * 3, rng=0)["Model_A"].wins == 3


def test_a_misspelt_winner_is_corrected_not_taken_for_a_tie() -> None:
    for word, winner in (("modl_a", "model_a"), ("large-2b", "large-2")):
        with pytest.raises(InputError, match=rf"row 1 is '{word}'\. Did you mean {winner}\?"):
            howsure.rank_battles(["large-2"] * 3, ["small"] * 3, ["a", word, "b"], rng=0)


def test_a_winner_may_be_named() -> None:
    columns = named(battles([0.5, 0.0, -0.5], 200))
    winner = np.where(columns["winner"] == "model_a", columns["a"], columns["b"])
    assert (
        howsure.rank_battles(columns["a"], columns["b"], winner, rng=0).rows
        == howsure.rank_battles(**columns, rng=0).rows
    )


def test_the_order_matters_only_with_a_position_effect() -> None:
    a, b, outcome = battles([0.6, 0.1, -0.7], 900, tie=-0.5, first=0.8, seed=2)
    turn = np.arange(900) % 2 == 1
    turned = np.where(turn, b, a), np.where(turn, a, b), np.where(turn, 2 - outcome, outcome)
    table, other = (howsure.rank_battles(**named(codes), rng=0) for codes in ((a, b, outcome), turned))
    assert [row.strength.value for row in table] == pytest.approx([row.strength.value for row in other])
    with_position = howsure.rank_battles(**named((a, b, outcome)), position_effect=True, rng=0)
    assert table.first is None
    chance = outcomes(np.array([0.8]), -0.5)
    assert with_position.first.low < chance[0, 0] + chance[1, 0] / 2 < with_position.first.high
    assert with_position.ties.low < chance[1, 0] < with_position.ties.high


@pytest.mark.long
def test_intervals_and_ranks_hold_where_prompts_decide() -> None:
    draw, ranked, covered = np.random.default_rng(4), 0, list[bool]()
    for seed in range(100):
        prompt = np.repeat(np.arange(40), 10)
        shift = draw.normal(size=(40, 4))
        a = draw.integers(0, 4, 400)
        b = (a + draw.integers(1, 4, 400)) % 4
        won = draw.random(400) < 1 / (1 + np.exp(shift[prompt, b] - shift[prompt, a]))
        columns = named((a, b, np.where(won, FIRST, SECOND)))
        table = howsure.rank_battles(**columns, clusters=prompt, rng=seed)
        covered += [row.strength.low <= 0.0 <= row.strength.high for row in table]
        ranked += all(row.ranks == "1–4" for row in table)
    assert np.mean(covered) >= 0.93
    assert ranked >= 90  # .95, less two standard errors


def test_preferences_of_0_and_1_are_wins_and_shares_lie_between(tmp_path: Path) -> None:
    a, b, outcome = battles([0.8, 0.0, -0.8], 300, seed=5)
    won = (outcome == FIRST).astype(float)
    for units in (None, np.arange(300) // 3):
        whole = fit_strengths(a, b, outcome, units, m=3, position_effect=True)
        shared = fit_strengths(a, b, outcome, units, m=3, position_effect=True, share=won)
        assert shared.theta == pytest.approx(whole.theta, rel=1e-9)
        assert shared.covariance == pytest.approx(whole.covariance, rel=1e-9)
    draw = np.random.default_rng(6)
    share = np.clip(won + np.where(won == 1, -1, 1) * draw.uniform(0.05, 0.45, 300), 0, 1)

    def loss(beta: np.ndarray) -> float:
        p = 1 / (1 + np.exp(beta[b] - beta[a]))
        return float(-(share * np.log(p) + (1 - share) * np.log(1 - p)).sum())

    best = minimize(loss, np.zeros(3), tol=1e-12).x
    names = {"a": np.array(["x", "y", "z"])[a], "b": np.array(["x", "y", "z"])[b]}
    table = howsure.rank_battles(**names, winner=2 - share, rng=0)
    by_model = {row.model: row.strength.value for row in table}
    assert [by_model[name] for name in "xyz"] == pytest.approx(best - best.mean(), abs=1e-5)
    assert sum(row.wins for row in table) == 300
    assert table.ties is None
    assert table.notes == (
        "winner is a preference from 1 (first model) to 2 (second model) that divides each battle between both",
    )
    pd.DataFrame(names | {"winner": 2 - share}).to_csv(tmp_path / "battles.csv", index=False)
    from_file = howsure.rank_battles("a", "b", "winner", data=howsure.read(tmp_path / "battles.csv"), rng=0)
    assert [row.strength for row in from_file] == [row.strength for row in table]


def test_numbers_that_are_not_preferences_are_refused_without_advising_ties() -> None:
    with pytest.raises(InputError, match=r"winner must be between 1 and 2; row 1 is '2\.5'"):
        howsure.rank_battles(["x", "x"], ["y", "y"], [1.3, 2.5])
    with pytest.raises(InputError, match="If the numbers are preferences, they must be between 1") as refused:
        howsure.rank_battles(["x", "x"], ["y", "y"], [0.3, 0.8])
    assert "tie=" not in str(refused.value)


CORE = [("x", "y", "a")] * 30 + [("x", "y", "b")] * 10 + [("y", "z", "a")] * 25 + [("y", "z", "b")] * 15


def rank(battles_of_models: list[tuple[str, str, str]], **options: object) -> howsure.BattleTable:
    a, b, winner = zip(*battles_of_models, strict=True)
    return howsure.rank_battles(a, b, winner, rng=0, **options)  # type: ignore[arg-type]


def test_a_model_that_won_everything_has_a_lower_bound_and_ranks() -> None:
    alone, table = rank(CORE), rank(CORE + [("top", "x", "a")] * 20 + [("z", "top", "b")] * 5)
    top = table["top"]
    assert str(top.strength).startswith("> ")
    assert (top.strength.value, top.strength.high, top.ranks, top.wins) == (np.inf, None, "1", 25)
    assert [row.strength for row in table][1:] == [row.strength for row in alone]
    assert top.points.value == top.points.high == 1.0
    assert table.to_dict()["models"][0]["strength"]["value"] is None
    assert "top won all battles with the models of finite strength" in table.notes[-1]
    few = rank([*CORE, ("top", "x", "a")])["top"]
    assert few.strength.low < top.strength.low
    assert few.ranks == "1–4"


def test_a_bound_is_exact_where_the_opponents_strength_is_known() -> None:
    """One opponent of strength 0: at the bound, n wins have the probability tail / 2."""
    opponents = Strengths(np.zeros(1), -np.inf, 0.0, np.zeros((3, 3)))
    for n in (3, 12, 40):
        won = OneSidedBattles(1, np.zeros(n, dtype=np.int64), np.ones(n, dtype=bool), np.ones(n))
        (bound,) = won.bounds(opponents, np.ones((1, 1)), tail=0.05, degrees=9.0)
        assert (1 + np.exp(-bound)) ** -n == pytest.approx(0.025)


def test_models_of_which_no_two_won_over_each_other_have_ranks_and_no_strengths() -> None:
    chain = [(a, b, "a") for a, b in ("xy", "xz", "yz") for _ in range(10)]
    table = rank(chain)
    assert [(row.model, row.ranks, row.tier, str(row.strength), str(row.points)) for row in table] == [
        ("x", "1", 1, "–", "–"),
        ("y", "2", 2, "–", "–"),
        ("z", "3", 3, "–", "–"),
    ]
    assert "no two of x, y, z won over each other" in table.notes[-1]
    assert str(table).startswith("x won the most, 20 of 20 battles.")
    for n in (4, 5, 6, 7):  # a sign test of both directions
        assert (rank([("x", "y", "a")] * n)["x"].ranks == "1") is (0.5**n < 0.025)


def test_models_that_beat_an_undefeated_one_rank_above_it() -> None:
    table = rank(CORE + [("A", "B", "a")] * 20 + [("B", "x", "a")] * 20)
    assert [(row.model, row.ranks, row.tier) for row in table][:3] == [("A", "1", 1), ("B", "2", 2), ("x", "3", 3)]


def test_models_with_ties_alone_are_equal_and_have_no_intervals() -> None:
    table = rank([("x", "p", "a")] * 12 + [("x", "q", "a")] * 12 + [("p", "q", "tie")] * 4)
    assert [str(table[name].strength) for name in "pq"] == ["0.0000", "0.0000"]
    assert (table["x"].ranks, table["p"].ranks, table.ties) == ("1", "2–3", None)
    assert len(rank([*CORE, ("p", "q", "tie")])) == 5


def test_a_position_effect_that_explains_all_wins_is_not_evidence() -> None:
    with pytest.raises(InputError, match="the outcome follows from the order"):
        rank([("x", "y", "a")] * 20, position_effect=True)
    draw = np.random.default_rng(0)
    equal = [
        (f"m{i}", f"m{j}", draw.choice(["a", "b"])) for _ in range(40) for i in range(4) for j in range(4) if i != j
    ]
    always_first = equal + [("top", "out", "a")] * 30 + [("top", "m0", "a")]
    both_orders = always_first + [("out", "top", "b")] * 30
    assert rank(always_first, position_effect=True)["out"].rank_low == 1
    assert rank(both_orders, position_effect=True)["out"].rank_low > 1


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_pairs_won_entirely_have_the_probability_of_their_wins(clustered: bool, shared: bool) -> None:
    draw = np.random.default_rng(3)
    a, b, outcome = battles([3.0, 1.0, 0.0, -1.0, -3.0], 60, seed=4)
    clusters = draw.integers(0, 8, 60) if clustered else None
    share = np.where(outcome == FIRST, 1.0, 0.0) if shared else None
    all_battles = _Battles(tuple("abcde"), a, b, outcome, clusters, share)
    log_p = all_battles.log_p_if_equal(position_effect=False)
    for i in range(5):
        for j in range(5):
            rows = [r for r in range(60) if {a[r], b[r]} == {i, j}] if i != j else []
            won = [(a[r] == i) == (outcome[r] == FIRST) for r in rows]
            n = len(rows) if clusters is None else len({clusters[r] for r in rows})
            assert log_p[i, j] == pytest.approx(n * np.log(0.5) if rows and all(won) else 0.0)


def test_a_model_that_lost_everything_is_the_mirror_image() -> None:
    turned = [(b, a, winner) for a, b, winner in CORE]
    won, lost = rank(CORE + [("top", "x", "a")] * 9)["top"], rank(turned + [("x", "bottom", "a")] * 9)["bottom"]
    assert lost.strength.high == pytest.approx(-won.strength.low)
    assert lost.strength.value == -np.inf
    assert lost.points.high == pytest.approx(1 - won.points.low)


def test_battles_of_a_cluster_count_once_for_a_bound() -> None:
    twenty = CORE + [("top", "x", "a")] * 20
    apart = rank(twenty, clusters=list(range(100)))
    together = rank(twenty, clusters=[*range(80), *[80] * 20])
    separate = rank([*CORE, ("top", "x", "a")], clusters=list(range(81)))
    assert together["top"].strength.low == pytest.approx(separate["top"].strength.low)
    assert apart["top"].strength.low > together["top"].strength.low + 2


def test_parts_without_a_battle_between_them_are_ranked_apart() -> None:
    other = [("p", "q", "a")] * 10 + [("q", "p", "a")] * 10
    table = rank(CORE + other)
    assert [(row.part, row.model) for row in table] == [(1, "x"), (1, "y"), (1, "z"), (2, "p"), (2, "q")]
    assert [row.strength for row in table][:3] == [row.strength for row in rank(CORE)]
    assert [row.ranks for row in table][3:] == ["1–2", "1–2"]
    assert "2 parts" in table.notes[-1]
    assert table.answer == "The battles fall into 2 parts that cannot be compared; strongest in each: x, p and q."


def test_other_spellings_of_models_are_named() -> None:
    a, b = ["x", "y"] * 6, ["y", "x"] * 6
    with pytest.raises(InputError, match=r"row 1 is 'X'\. It differs from the name of a model only in case or spaces"):
        howsure.rank_battles(a, b, ["x", "X", "y"] * 4)
    table = howsure.rank_battles([*a, "x", "X"], [*b, "X", "x"], ["a", "b", "tie", "b"] * 3 + ["a", "a"])
    assert "'X' (2) and 'x' (14) differ only in case or spaces, and count as different models." in table.notes


def test_what_had_no_battle_with_the_others_has_no_bound() -> None:
    table = rank(CORE + [("x", "low", "a")] * 9 + [("solo", "low", "a")] * 12)
    assert str(table["solo"].strength) == "–"
    assert (table["solo"].ranks, table["low"].strength.value) == ("1–4", -np.inf)
    assert any("solo had no battle with the models of finite strength" in note for note in table.notes)


def test_elo_points_are_log_odds_on_another_scale() -> None:
    log_odds, elo = rank(CORE + [("top", "x", "a")] * 9), rank(CORE + [("top", "x", "a")] * 9, scale="elo")
    for row, rescaled in zip(log_odds, elo, strict=True):
        assert rescaled.strength.low == pytest.approx(1000 + 400 / np.log(10) * row.strength.low)
        assert rescaled.strength.value == pytest.approx(1000 + 400 / np.log(10) * row.strength.value)
    with pytest.raises(InputError, match="scale"):
        rank(CORE, scale="chess")


@pytest.mark.long
def test_bounds_and_ranks_hold_where_the_best_model_hardly_loses() -> None:
    theta = np.array([3.5, 0.4, 0.0, 0.0, -3.5])
    lowest, highest = (theta > theta[:, None]).sum(axis=1) + 1, (theta >= theta[:, None]).sum(axis=1)
    covered, ranked, outside = list[bool](), 0, 0
    for seed in range(200):
        table = howsure.rank_battles(**named(battles(list(theta), 60, seed=seed)), rng=0)
        rows = [table[f"m{i}"] for i in range(5)]
        ranked += all(
            row.rank_low <= low and high <= row.rank_high for row, low, high in zip(rows, lowest, highest, strict=True)
        )
        core = [i for i, row in enumerate(rows) if np.isfinite(row.strength.value)]
        for i, row in enumerate(rows):
            truth = theta[i] - theta[core].mean()
            if row.strength.value == np.inf:
                covered.append(truth >= row.strength.low)
            elif row.strength.value == -np.inf:
                covered.append(truth <= row.strength.high)
        outside += len(core) < 5
    assert outside > 100  # the regime that this is about
    assert np.mean(covered) >= 0.95
    assert ranked >= 184  # .95, less two standard errors


def test_winners_of_a_judge_and_of_people_are_not_pooled(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("x,y,judge,people\n" + "p,q,1,2\n" * 9)
    with pytest.raises(InputError, match=r"would pool the winners of judge, people.*winner='judge'"):
        howsure.rank_battles("x", "y", "value", data=howsure.read(path, explode="judge,people"))
