"""`howsure recalibrate`: fit, apply and evaluate write what the functions give, in the rows and columns they had."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.recalibration.test_recalibrate import binary, classes, softmax

from howsure import Probabilities, RecalibrationMap, recalibrate

N = 600


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same rows as CSV, JSON lines and Parquet, with text that is easily changed."""
    folder = tmp_path_factory.mktemp("recalibrate")
    y, q = binary(N)
    codes, logits = classes(N)
    table = pd.DataFrame(
        {
            "id": [f"{row:04}" for row in range(N)],
            "gold": y,
            "p": q,
            "z": np.log(q / (1 - q)),
            "lang": np.where(np.arange(N) % 3, "en", "de"),
            "doc": np.arange(N) // 3,
            "text": ['say "yes", or\nnot', " 1e5", "=1+1"] * (N // 3),
            "class": np.array(list("abc"))[codes],
            **{name: logits[:, place] for place, name in enumerate("abc")},
        }
    )
    table.to_csv(folder / "rows.csv", index=False)
    table.to_parquet(folder / "rows.parquet")
    with open(folder / "rows.jsonl", "w") as file:
        for row, p in zip(table.to_dict("records"), softmax(logits).tolist(), strict=True):
            row |= {"probs": {"c": p[2], "a": p[0], "b": p[1]}, "deep": {"x": [1, 2.50]}}
            file.write(json.dumps(row) + "\n")
    return folder


def fitted(folder: Path, *typed: str) -> RecalibrationMap:
    done = run("recalibrate", "fit", *typed, "--output", str(folder / "map.json"))
    assert (done.code, done.err) == (0, "")
    return RecalibrationMap.from_json((folder / "map.json").read_bytes())


def applied(folder: Path, name: str, *typed: str) -> Path:
    out = folder / f"out{Path(name).suffix}"
    done = run(
        "recalibrate", "apply", str(folder / name), "--map", str(folder / "map.json"), *typed, "--output", str(out)
    )
    assert (done.code, done.err) == (0, "")
    return out


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", pytest.param("rows.jsonl", marks=pytest.mark.long)])
def test_a_map_of_groups_in_every_format(folder: Path, name: str) -> None:
    y, q = binary(N)
    lang = np.where(np.arange(N) % 3, "en", "de")
    typed = (str(folder / name), "--target", "gold", "--prob", "p", "--group", "lang", "--cluster", "doc")
    fitted_map = fitted(folder, *typed, "--method", "beta")
    expected = recalibrate(y, q, groups=lang, method="beta").apply(q, groups=lang)
    assert fitted_map.apply(q, groups=lang) == pytest.approx(expected, abs=1e-12)
    out = applied(folder, name, "--prob", "p", "--group", "lang", "--new-name", "mended")
    if name.endswith("csv"):
        before, after = (pd.read_csv(path, dtype=str, keep_default_na=False) for path in (folder / name, out))
    elif name.endswith("parquet"):
        before, after = pd.read_parquet(folder / name), pd.read_parquet(out)
    else:
        before, after = (pd.DataFrame(map(json.loads, path.read_text().splitlines())) for path in (folder / name, out))
    assert list(after) == [*before, "mended"]
    pd.testing.assert_frame_equal(after[list(before)], before)
    assert (after["mended"].astype(float).to_numpy() == fitted_map.apply(q, groups=lang)).all()


@pytest.mark.long
def test_classes_are_matched_by_name_in_any_order(folder: Path) -> None:
    codes, logits = classes(N)
    fitted_map = fitted(folder, str(folder / "rows.jsonl"), "--target", "class", "--probs-column", "probs")
    assert fitted_map.classes == ("a", "b", "c")
    expected = recalibrate(
        np.array(list("abc"))[codes], Probabilities("probs", softmax(logits), classes=["a", "b", "c"])
    )
    assert fitted_map.method == expected.method
    new = [f"recalibrated_{name}" for name in "abc"]
    table = pd.DataFrame(
        map(json.loads, applied(folder, "rows.jsonl", "--probs-column", "probs").read_text().splitlines())
    )
    assert table[new].to_numpy() == pytest.approx(fitted_map.apply(logits=logits), abs=1e-12)
    out = applied(folder, "rows.csv", "--logits", "z,a,b", "--classes", "c,a,b")
    assert pd.read_csv(out)[new].to_numpy() == pytest.approx(
        fitted_map.apply(logits=np.column_stack([logits[:, :2], pd.read_csv(folder / "rows.csv")["z"]])), abs=1e-9
    )


def test_logits_of_one_number_and_the_top_label(folder: Path) -> None:
    y, q = binary(N)
    fitted_map = fitted(folder, str(folder / "rows.csv"), "--target", "gold", "--logits", "z", "--method", "platt")
    assert fitted_map.parameters == pytest.approx(recalibrate(y, q, method="platt").parameters, rel=1e-7)
    after = pd.read_csv(applied(folder, "rows.csv", "--logits", "z"))["recalibrated"]
    assert after.to_numpy() == pytest.approx(fitted_map.apply(q), abs=1e-9)
    codes, logits = classes(N)
    typed = ("--target", "class", "--logits", "a,b,c", "--reduce", "top-label", "--method", "platt")
    top = fitted(folder, str(folder / "rows.csv"), *typed)
    confidence = softmax(logits).max(axis=1)
    alone = recalibrate(codes == logits.argmax(axis=1), confidence, method="platt")
    assert top.apply(confidence) == pytest.approx(alone.apply(confidence), abs=1e-9)


def test_a_file_in_another_encoding_with_its_missing_values(folder: Path) -> None:
    fitted(folder, str(folder / "rows.csv"), "--target", "gold", "--prob", "p", "--method", "none")
    (folder / "latin.csv").write_bytes("text,p\nKäse,0.25\nBrot,k. A.\n".encode("latin-1"))
    how = ("--encoding", "latin-1", "--missing", "k. A.", "--skip-missing")
    assert applied(folder, "latin.csv", "--prob", "p", *how).read_text().split("\n") == [
        "text,p,recalibrated",
        "Käse,0.25,0.25",
        "Brot,k. A.,",
        "",
    ]


def test_rows_of_many_chunks_stay_in_order(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.data.added_columns.ROWS", 70)
    fitted_map = fitted(folder, str(folder / "rows.csv"), "--target", "gold", "--prob", "p", "--method", "isotonic")
    for name in ("rows.csv", "rows.parquet"):
        out = applied(folder, name, "--prob", "p")
        csv = name.endswith("csv")
        table = pd.read_csv(out, converters={"recalibrated": float}) if csv else pd.read_parquet(out)
        assert (table["recalibrated"].to_numpy() == fitted_map.apply(binary(N)[1])).all()


def test_rows_without_a_value_keep_their_place(folder: Path, tmp_path: Path) -> None:
    fitted_map = fitted(folder, str(folder / "rows.csv"), "--target", "gold", "--prob", "p", "--method", "platt")
    table = pd.read_csv(folder / "rows.csv", dtype=str)
    table.loc[[0, 7, 8], "p"] = None
    table.to_csv(tmp_path / "gaps.csv", index=False)
    typed = ("recalibrate", "apply", str(tmp_path / "gaps.csv"), "--map", str(folder / "map.json"), "--prob", "p")
    output = printed(*typed, "--skip-missing", "--output", str(tmp_path / "out.csv"))
    assert "600 rows, 3 of them without a value" in output
    after = pd.read_csv(tmp_path / "out.csv")["recalibrated"]
    assert list(np.flatnonzero(after.isna())) == [0, 7, 8]
    kept = after.notna()
    assert after[kept].to_numpy() == pytest.approx(fitted_map.apply(binary(N)[1][kept]), abs=1e-9)


def test_a_map_says_what_label_1_is_and_speaks_of_options(tmp_path: Path) -> None:
    y, q = binary(N)
    frame = pd.DataFrame({"gold": np.where(y == 1, "good", "bad"), "p": np.where(np.arange(N) == np.argmax(y), 0.0, q)})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    fitted_map = fitted(tmp_path, str(tmp_path / "rows.csv"), "--target", "gold", "--positive", "good", "--prob", "p")
    content = json.loads((tmp_path / "map.json").read_text())
    assert (fitted_map.positive, content["positive"]) == ("good", "good")
    assert "the probability of label 1 (good)" in content["description"]
    [note] = [note for note in fitted_map.notes if "not possible" in note]
    assert "--floor 1e-6" in note
    assert "--method isotonic" in note
    assert "floor=" not in note
    assert f"the first of them row {int(np.argmax(y)) + 1}: " in note
    assert "counted from 1 here, among those used" in note


def test_a_spreadsheet_comes_back_with_its_separator(tmp_path: Path) -> None:
    rows = "text;q;y\n" + "".join(f"a, b;{q};{y}\n" for q, y in [(0.2, 0), (0.3, 1), (0.7, 0), (0.9, 1)] * 20)
    (tmp_path / "sheet.csv").write_text(rows)
    sheet, fitted, out = (str(tmp_path / name) for name in ("sheet.csv", "map.json", "out.csv"))
    assert run("recalibrate", "fit", sheet, "--target", "y", "--prob", "q", "--method", "platt", "--output", fitted)
    assert run("recalibrate", "apply", sheet, "--prob", "q", "--map", fitted, "--output", out)
    heading, first, *_ = Path(out).read_text().splitlines()
    assert heading == "text;q;y;recalibrated"
    assert first.startswith("a, b;0.2;0;0.")


# `howsure recalibrate evaluate`: what it prints is what the functions give.


RNG = np.random.default_rng(4)
ROWS = 240
LOGITS = RNG.normal(0, 2, (ROWS, 3))
CODES = np.array([RNG.choice(3, p=p / p.sum()) for p in np.exp(LOGITS / 2)])
Q = 1 / (1 + np.exp(-LOGITS[:, 0]))
Y = (RNG.random(ROWS) < 1 / (1 + np.exp(-LOGITS[:, 0] / 2))).astype(int)
DOC, LANG = np.array([f"{row // 2:03}" for row in range(ROWS)]), np.where(np.arange(ROWS) % 4 < 2, "de", "en")
BINARY = ("--target", "y", "--prob", "q")
CLASSES = ("--target", "gold", "--logits", "a,b,c")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evaluate") / "rows.csv"
    logits = {name: LOGITS[:, place] for place, name in enumerate("abc")}
    pd.DataFrame({"y": Y, "q": Q, "doc": DOC, "lang": LANG, "gold": np.array(list("abc"))[CODES], **logits}).to_csv(
        path, index=False
    )
    return path


def evaluated(file: Path, *typed: str) -> str:
    done = run("recalibrate", "evaluate", str(file), *typed)
    assert (done.code, done.err) == (0, "")
    return done.out


def test_a_map_is_judged_as_it_is_whatever_the_order_of_the_classes(file: Path) -> None:
    fitted = recalibrate(CODES[:120], Probabilities("logits", LOGITS[:120], classes=["a", "b", "c"]), method="vector")
    turned = recalibrate(
        (2 - CODES)[:120], Probabilities("logits", LOGITS[:120, ::-1], classes=["c", "b", "a"]), method="vector"
    )
    expected = fitted.evaluate(CODES, logits=LOGITS)
    for class_map in (fitted, turned):
        path = file.parent / "map.json"
        path.write_text(class_map.to_json())
        evaluation = json.loads(evaluated(file, *CLASSES, "--map", str(path), "--format", "json"))["evaluations"][0]
        assert evaluation["recipe"]["folds"] is None
        assert evaluation["error_after"]["value"] == pytest.approx(expected.error_after.value, abs=1e-6)
        assert evaluation["multiclass_brier"]["after"] == pytest.approx(expected.multiclass_brier.after, abs=1e-9)  # type: ignore[union-attr]
    assert "240 rows that the map was not fitted to" in evaluated(file, *CLASSES, "--map", str(path))


def test_a_map_of_groups_is_judged_in_each(file: Path) -> None:
    fitted = recalibrate(Y, Q, groups=LANG, method="platt")
    path = file.parent / "groups.json"
    path.write_text(fitted.to_json())
    content = json.loads(evaluated(file, *BINARY, "--group", "lang", "--map", str(path), "--format", "json"))
    mine = LANG == "en"
    after = RecalibrationMap.from_json(path.read_text()).apply(Q[mine], groups=LANG[mine])
    en = content["evaluations"][1]
    assert (en["group"], en["n"]) == ("en", int(mine.sum()))
    assert en["brier"]["after"] == pytest.approx(np.mean((after - Y[mine]) ** 2))
