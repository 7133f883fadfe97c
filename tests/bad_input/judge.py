"""The files of wrong inputs of `howsure judge`."""

from __future__ import annotations

from tests.bad_input.files import Files


def _file(**changed: object) -> dict[str, bytes]:
    """Write the answers of two models to twenty items, with some cells of the second row changed."""
    rows = [{"item": k // 2, "model": "ab"[k % 2], "judge": k % 5 + 1, "person": k % 4 + 1} for k in range(40)]
    rows[1] |= changed
    return {
        "g.csv": "\n".join(["item,model,judge,person", *(",".join(map(str, row.values())) for row in rows)]).encode()
    }


def _few() -> dict[str, bytes]:
    rows = [f"{k // 2},{'ab'[k % 2]},1" for k in range(12)]
    return {"g.csv": "\n".join(["item,model,judge", *rows]).encode()}


_CONSTANT = {"g.csv": ("judge,person,one,item\n" + "".join(f"{k % 5},{k % 4},1,{k}\n" for k in range(60))).encode()}

_SCORES = "".join(
    ["traceId,name,source,dataType,value\n"]
    + [f"t{k},correct,{'EVAL' if k % 2 else 'ANNOTATION'},NUMERIC,1\n" for k in range(240)]
).encode()

JUDGED = Files(
    _file(),
    {
        "a person's grade outside the scale": _file(person=7),
        "an answer without the judge's grade": _file(judge=""),
        "a judge's grade in words": _file(judge="good"),
        "no grade of a person": {"g.csv": b"judge,none\n1,\n2,\n"},
        "an item graded twice": _file(model="a"),
        "a stratum with one grade": _file(person=""),
        "one model to audit": {"g.csv": b"judge,person,one\n1,1,a\n2,2,a\n"},
        "a length that is constant": _CONSTANT,
        "one prompt": _CONSTANT,
        "few items under every prompt": _few(),
        "an item twice under a prompt": _file(model="a"),
        "raters who share no item": {"g.csv": b"reader,judge,alone\na,1,1\nb,2,2\n"},
        "grades by source that share no item": {"s.csv": _SCORES},
        "a pivot of two columns": {"s.csv": _SCORES},
        "a pivot of a column that is not there": {"s.csv": _SCORES},
        "the item as the rater": {"s.csv": _SCORES},
        "a pivot of rows that are exploded": {"s.csv": _SCORES},
        "one rater": {"g.csv": b"reader,judge,item\na,1,1\na,2,2\n"},
    },
)
