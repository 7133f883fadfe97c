"""docs/bad-input.md, from the table of wrong inputs: `python -m tests.cli.bad_input_page` writes it again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.cli.bad_input import FILES, OPTIONS, PYTHON, VALUES
from tests.cli.bad_input_check import CHECKED
from tests.cli.bad_input_columns import NAMED
from tests.cli.bad_input_coreference import MENDED
from tests.cli.bad_input_corp import WITHOUT_BINS
from tests.cli.bad_input_counts import COUNTS
from tests.cli.bad_input_evaluate import EVALUATED
from tests.cli.bad_input_groups import GROUPS
from tests.cli.bad_input_import import SCORED
from tests.cli.bad_input_logits import OF_LOGITS
from tests.cli.bad_input_logs import LOGGED
from tests.cli.bad_input_monitor import MONITORED
from tests.cli.bad_input_parts import APART
from tests.cli.bad_input_print import PRINTED
from tests.cli.bad_input_recalibrate import RECALIBRATE
from tests.cli.bad_input_score import SCORE
from tests.cli.bad_input_scores import BY_MODEL
from tests.cli.bad_input_selective import SELECTIVE
from tests.cli.bad_input_summary import SUMMARISED
from tests.cli.bad_input_taggers import NEURAL
from tests.cli.bad_input_tempering import TEMPERED

PAGE = Path(__file__).parents[2] / "docs" / "bad-input.md"
TOPICS = {
    "Files": FILES,
    "Values": VALUES,
    "Columns, conditions and scales": NAMED,
    "Options": OPTIONS,
    "Curves without bins": WITHOUT_BINS,
    "Logs": LOGGED,
    "Summaries and clusters of machines": SUMMARISED,
    "Groups": GROUPS,
    "Scores of models": SCORE,
    "Selective answers": SELECTIVE,
    "Monitor": MONITORED,
    "Recalibration": [*RECALIBRATE, *EVALUATED],
    "Neural taggers and classifiers": NEURAL,
    "Logits of language models": OF_LOGITS,
    "Temperatures of taggers": TEMPERED,
    "Coreference": MENDED,
    "Checks": CHECKED,
    "Print": PRINTED,
    "Counts": COUNTS,
    "Models in rows": BY_MODEL,
    "Imported events": SCORED,
    "Events on many machines": APART,
}
INTRODUCTION = """# Bad input

Each error is reported in one sentence: the column or option, the rule, the value, the row, and the remedy. The exit
code is 2, and nothing is written. Nothing is guessed, dropped or clipped silently. A value of more than 80 characters
is shortened in the message. Files and arguments must be UTF-8, names included. The tests run this same table
(`tests/cli/bad_input*.py`); each message is preceded by `howsure:` or, for options, by a line of usage.
"""
IN_PYTHON = """In Python, the same checks raise `howsure.InputError`, a `ValueError`. There, rows are counted from 0, as
in `y_prob[1]`; `curve` stands for `howsure.calibration_curve`, `frame` for a data frame with the columns gold and prob.
"""


def page() -> str:
    """docs/bad-input.md."""
    parts = [INTRODUCTION]
    for topic, wrongs in TOPICS.items():
        rows = [(wrong.what, f"`howsure {wrong.typed}`", wrong.told.replace("\n", " ")) for wrong in wrongs]
        parts.append(f"## {topic}\n\n" + _markdown(("error", "command", "message"), rows))
    calls = [(f"`{call}`", told) for call, told in PYTHON]
    parts.append(f"## Python\n\n{IN_PYTHON}\n" + _markdown(("call", "message"), calls))
    return "\n".join(parts)


def _markdown(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, its cells as they are but for what Markdown would read as its own."""
    lines = [[cell if "`" in cell else cell.replace("[", r"\[") for cell in row] for row in rows]
    ruled = [list(headers), ["---"] * len(headers), *lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in ruled)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
