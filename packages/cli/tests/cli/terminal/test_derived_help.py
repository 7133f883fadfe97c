"""The help of derived commands: whole sentences, also where a line of a docstring looks like an entry."""

from __future__ import annotations

import json
import re
from importlib import resources

import howsure
from howsure_cli.terminal.derived import parameter_help
from howsure_cli.terminal.option_help import TOPICS

ENDS = re.compile(r"""[.?)'"\d]\Z""")


def test_help_of_winner_is_complete() -> None:
    help_text = parameter_help(howsure.rank_battles)["winner"]
    assert help_text.endswith(
        "or a tie. As preferences, numbers from 1 to 2: 1.8 gives 0.8 of the battle to the second model, and 0.2 to "
        "the first."
    )


def test_no_help_of_an_option_ends_inside_a_sentence() -> None:
    recorded = json.loads((resources.files("howsure_cli.terminal") / "help.json").read_text())
    helps = {
        (command, option): re.sub(r"  \[[^\[]*\]\Z", "", text)
        for command, (_, calls) in recorded.items()
        for name, *rest in calls
        if name == "write_dl"
        for option, text in rest[0]
        if option not in TOPICS  # lists of options
    }
    cut = {option: text for option, text in helps.items() if not (ENDS.search(text) or text.startswith("[default"))}
    assert len(helps) > 600
    assert cut == {}
