"""Judges and raters."""

from __future__ import annotations

from tests.goldens.running import Room

GRADED = "judge graded.csv --score judge --target person --model model --id item"
BIAS = (
    "biased.csv --score judge --target person --swapped swapped --length words --prompt-length asked --family family "
    "--own us --bounds 1,5 --report bias.html"
)
RATERS = "judge agreement raters.csv --rater rater --id item --score grade"
SPANS = "judge spans spans.csv --rater rater --document doc --start start --end end"
VALIDATION = "judge validate judged.csv --score judge --target person"

ROOM = Room(
    f"""
    {GRADED} --bounds 1,5
    {GRADED} --bounds 1,5 --format json
    {GRADED} --bounds 1,5 --format csv
    {GRADED} --bounds 1,5 --format latex
    {GRADED}
    {GRADED} --bounds 1,5 --stratum half --against old --level 0.9
    {GRADED} --bounds 2,5
    {GRADED} --against gone
    {GRADED} --positive 5 --figure judged.svg
    judge graded.csv --score judge --target person --model model --report judged.html
    judge graded.csv --score judge --target person --id item
    {GRADED} --positive 5 --second again --flips alike
    {GRADED} --positive 5 --second person --flips alike
    {GRADED} --flips alike
    judge sample graded.csv --score judge --model model --id item --labels 20 --show half
    judge sample graded.csv --score judge --model model --id item --labels 20 --show half --format csv
    judge sample graded.csv --score judge --model model --labels 9 --length item
    judge sample graded.csv --score judge --model model --labels 9 --length judge
    judge sample graded.csv --score judge --labels 900
    judge plan graded.csv --score judge --target person --model model --width 2 --bounds 1,5
    judge plan graded.csv --score judge --correlation 0.6 --width 1.5 --bounds 1,5 --format json
    judge plan graded.csv --score judge --correlation 0.6 --width 0
    judge transport graded.csv --score judge --target person --model model --margin 0.5 --bounds 1,5 --against old
    judge transport graded.csv --score judge --target person --model half --margin 0.5 --bounds 1,5 --format json
    judge transport graded.csv --score judge --target person --model half --margin 0.5 --against gone
    judge transport graded.csv --score judge --target person --model model --margin 0
    {VALIDATION}
    {VALIDATION} --format json
    {VALIDATION} --min-rate 0.9 --show id --report validation.html
    {VALIDATION} --min-rate 0.99 --cluster doc --level 0.9
    judge validate graded.csv --score judge --target person --positive 5 --figure validated.svg
    judge validate raters.csv --pivot item,rater,grade --score z --target x
    judge bias {BIAS}
    judge bias {BIAS} --format json
    judge bias biased.csv --score judge --swapped swapped --cluster item
    judge bias biased.csv --score judge
    judge bias biased.csv --score judge --length words
    judge bias biased.csv --score judge --target person --family family --own gone
    judge prompts prompted.csv --score grade --prompt prompt --id item --figure prompts.svg
    judge prompts prompted.csv --score grade --prompt prompt --id item --run run --cluster document --format json
    judge prompts prompted.csv --score grade --prompt prompt --id item --run run --where "prompt != 'c'" --bounds 1,9
    judge prompts prompted.csv --score grade --prompt run --id item
    {RATERS}
    {RATERS} --scale ordinal --judge z
    {RATERS} --scale interval --format json
    {RATERS} --where "item < 10" --format markdown
    {RATERS} --judge gone
    {SPANS} --category label
    {SPANS} --format json
    judge agreement --spans spans.csv --rater rater --document doc --start start --end end --length size
    judge spans spans.csv --rater rater --document doc --start end --end start
    judge agreement graded.csv --rater model --id item --score judge --scale ratio
    judge agreement graded.csv --raters judge,person --scale interval
    judge agreement graded.csv --raters judge
    {RATERS} --categories 1,2,3,4,5,6
    """,
    long=True,
)
