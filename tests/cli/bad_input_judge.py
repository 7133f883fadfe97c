"""Wrong inputs of `howsure judge` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import Wrong


def _file(**changed: object) -> dict[str, bytes]:
    """Answers of two models to twenty items, some cells of the second row changed."""
    rows = [{"item": k // 2, "model": "ab"[k % 2], "judge": k % 5 + 1, "person": k % 4 + 1} for k in range(40)]
    rows[1] |= changed
    return {
        "g.csv": "\n".join(["item,model,judge,person", *(",".join(map(str, one.values())) for one in rows)]).encode()
    }


def _few() -> dict[str, bytes]:
    rows = [f"{k // 2},{'ab'[k % 2]},1" for k in range(12)]
    return {"g.csv": "\n".join(["item,model,judge", *rows]).encode()}


_CONSTANT = {"g.csv": ("judge,person,one,item\n" + "".join(f"{k % 5},{k % 4},1,{k}\n" for k in range(60))).encode()}
BIAS = "judge bias g.csv --score judge --target person"
SCORES = "judge g.csv --score judge --target person"
MAP = "judge transport g.csv --score judge --target person"
RATERS = "judge agreement g.csv --rater reader --score judge"

JUDGED = [
    Wrong("a person's grade outside the scale", f"{SCORES} --bounds 1,5", _file(person=7)),
    Wrong("an answer without the judge's grade", SCORES, _file(judge="")),
    Wrong("a judge's grade in words", SCORES, _file(judge="good")),
    Wrong("no grade of a person", "judge g.csv --score judge --target none", {"g.csv": b"judge,none\n1,\n2,\n"}),
    Wrong("an item graded twice", f"{SCORES} --model model --id item", _file(model="a")),
    Wrong("a model to compare with that is not there", f"{SCORES} --model model --id item --against c", _file()),
    Wrong("an unknown adjustment", f"{SCORES} --adjust none-at-all", _file()),
    Wrong("a stratum with one grade", f"{SCORES} --stratum item", _file(person="")),
    Wrong("grades from 1 to 4 read twice", f"{SCORES} --second person", _file()),
    Wrong("a settled grade without a second one", f"{SCORES} --settled person", _file()),
    Wrong(
        "more items to grade than there are",
        "judge sample g.csv --score judge --model model --id item --labels 21",
        _file(),
    ),
    Wrong("too few draws for the strata", "judge sample g.csv --score judge --labels 3", _file()),
    Wrong("no width", f"judge plan{SCORES.removeprefix('judge')} --width 0", _file()),
    Wrong("grades and a correlation", f"judge plan{SCORES.removeprefix('judge')} --width 1 --correlation 0.5", _file()),
    Wrong("a correlation without bounds", "judge plan g.csv --score judge --width 1 --correlation 0.5", _file()),
    Wrong("a correlation of 1", "judge plan g.csv --score judge --width 1 --correlation 1 --bounds 1,5", _file()),
    Wrong("a margin of 0", f"{MAP} --model model --margin 0", _file()),
    Wrong("one model to audit", f"{MAP} --model one --margin 1", {"g.csv": b"judge,person,one\n1,1,a\n2,2,a\n"}),
    Wrong("a map of a model that is not there", f"{MAP} --model model --margin 1 --against c", _file()),
    Wrong("no bias asked for", "judge bias g.csv --score judge", _file()),
    Wrong("a length and no person", "judge bias g.csv --score judge --length item", _file()),
    Wrong("an empty answer", f"{BIAS} --length item", _file(item=0)),
    Wrong("a length that is constant", f"{BIAS} --length one", _CONSTANT),
    Wrong("a family without the judge's own", f"{BIAS} --family model", _file()),
    Wrong("a family that is not there", f"{BIAS} --family model --own c", _file()),
    Wrong("an earlier grade outside the scale", f"{BIAS} --earlier item --bounds 1,5", _file(item=1)),
    Wrong("one prompt", "judge prompts g.csv --score judge --prompt one --id item", _CONSTANT),
    Wrong("few items under every prompt", "judge prompts g.csv --score judge --prompt model --id item", _few()),
    Wrong(
        "an item twice under a prompt", "judge prompts g.csv --score judge --prompt model --id item", _file(model="a")
    ),
    Wrong("raters who share no item", f"{RATERS} --id alone", {"g.csv": b"reader,judge,alone\na,1,1\nb,2,2\n"}),
    Wrong("one rater", f"{RATERS} --id item", {"g.csv": b"reader,judge,item\na,1,1\na,2,2\n"}),
    Wrong(
        "a judge who gave no grade", "judge agreement g.csv --rater model --score judge --id item --judge c", _file()
    ),
]
