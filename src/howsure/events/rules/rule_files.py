"""Rules in files that users write: YAML with the fields of a rule."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

from howsure.errors import InputError
from howsure.events.rules.rule import Rule
from howsure.events.rules.rule_yaml import read_fields
from howsure.files.text import read_text
from howsure.inputs.naming import unknown_name

FIELDS = tuple(field.name for field in fields(Rule) if field.name != "function")


def read_rule(path: str | os.PathLike[str]) -> Rule:
    """The rule in a YAML file. Without a `name`, the file name is used.

    A file such as ::

        name: bombing
        labels: ud                # ud, ud-2014 or clear
        verbs: [bomb, shell]      # lemmas
        forms: [bombed, shelled]  # words, for parsers without lemmas
        nouns: [bombing]          # words or lemmas
        noun_agents: ["nmod:poss", "nmod(by)"]
        conjoined: true

    Raises InputError naming the file, the field, what it must be, and the field that was probably meant;
    MissingExtraError without the extra `events`.
    """
    text = read_text(path)
    return rule_from_yaml(text.content, name=Path(path).stem, place=text.name)


def rule_from_yaml(text: str, *, name: str = "rule", place: str = "the rule") -> Rule:
    """The rule in a YAML text; `place` is its location, for errors.

    >>> rule_from_yaml("verbs: [bomb]", name="bombing").agents
    ('nsubj', 'obl:agent')

    Raises InputError and MissingExtraError like `read_rule`.
    """
    held = read_fields(text, place=place)
    for field in held:
        if field not in FIELDS:
            raise unknown_name("field", field, FIELDS, place=f"a rule ({place})")
    try:
        return Rule(**{"name": name, **held})
    except InputError as error:
        raise InputError(f"{place}: {error}") from error
