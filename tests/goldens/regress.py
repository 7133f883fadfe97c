"""Regressions with predicted labels."""

from __future__ import annotations

import random
from pathlib import Path

from tests.goldens.running import Room


def posts() -> None:
    """Return posts of units by year: a model's score, human labels for some, a topic and a scale."""
    draw = random.Random(11)
    lines = ["unit,year,treated,late,age,party,score,label,said,topic,mood,grade,chance"]
    for k in range(400):
        unit, late = k % 20, k // 20 % 8 > 3
        age, party = 20 + draw.randrange(50), ("left", "right", "none")[draw.randrange(3)]
        y = draw.random() < 0.3 + 0.2 * (unit < 8 and late) + 0.004 * (age - 45)
        wrong = draw.random() < (0.3 if unit < 8 and late else 0.08)
        score, mood = round(0.7 * (y != wrong) + 0.3 * draw.random(), 3), round(y + draw.gauss(0, 1), 3)
        predicted, topic = ("war", "trade", "war")[draw.randrange(3)], ("war", "trade")[draw.randrange(2)]
        is_labelled = draw.random() < 0.3
        label_cells = [int(y), topic, round(mood + draw.gauss(0, 0.5), 3)] if is_labelled else ["", "", ""]
        row = [
            f"u{unit}",
            2015 + k // 20 % 8,
            int(unit < 8),
            int(late),
            age,
            party,
            score,
            label_cells[0],
            predicted,
            label_cells[1],
            mood,
        ]
        lines.append(",".join(map(str, [*row, label_cells[2], 0.3])))
    Path("posts.csv").write_text("\n".join([*lines, ""]))


REGRESS = "counts regress posts.csv --prediction score --target label"
ROOM = Room(
    f"""
    !posts
    {REGRESS} --covariates age,party
    {REGRESS} --covariates age,party --format json
    {REGRESS} --covariates age,party --format csv
    {REGRESS} --covariates age,party --format markdown
    {REGRESS} --covariates age,party --method logit --format latex
    {REGRESS} --treated treated --after late --fixed-effects unit --cluster unit --figure regress.svg
    {REGRESS} --treated treated --after late --fixed-effects unit,year --report regress.html
    {REGRESS} --after late --weight age --level 0.9
    {REGRESS} --covariates age --inclusion chance --where "year < 2022"
    counts regress posts.csv --prediction said --target topic --covariates age
    counts regress posts.csv --prediction said --target topic --covariates age --positive war
    counts regress posts.csv --prediction mood --target grade --covariates party
    {REGRESS} --covariates age --where "unit = 'u1'"
    {REGRESS} --covariates chance
    {REGRESS} --fixed-effects unit
    """,
    steps={"posts": posts},
)
