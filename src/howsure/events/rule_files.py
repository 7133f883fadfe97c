"""Rules in files that users write: YAML with the fields of a rule."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from howsure.data.texts import read_text
from howsure.errors import InputError, MissingExtraError
from howsure.events.rules import Rule
from howsure.stats.naming import unknown_name

FIELDS = tuple(field.name for field in fields(Rule) if field.name != "function")


def read_rule(path: str | os.PathLike[str]) -> Rule:
    """The rule in a YAML file. Without a `name` the file's own is taken.

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
    """The rule that a YAML text says; `place` is where it stands, for errors.

    >>> rule_from_yaml("verbs: [bomb]", name="bombing").agents
    ('nsubj', 'obl:agent')

    Raises InputError and MissingExtraError as `read_rule` does.
    """
    held = _mapping(text, place)
    for field in held:
        if field not in FIELDS:
            raise unknown_name("field", str(field), FIELDS, place=f"a rule ({place})")
    try:
        return Rule(**{"name": name, **{field: _tuple(value) for field, value in held.items()}})
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def _mapping(text: str, place: str) -> dict[Any, Any]:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError("a rule in a YAML file", "events") from error

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Plain YAML in which a field stands once."""

    def construct(loader: Loader, node: yaml.MappingNode) -> dict[Any, Any]:
        pairs = [(loader.construct_object(key), loader.construct_object(value, deep=True)) for key, value in node.value]
        twice = [key for at, (key, _) in enumerate(pairs) if key in [other for other, _ in pairs[:at]]]
        if twice:
            raise InputError(f"{place}: the field {twice[0]!r} stands twice.")
        return dict(pairs)

    Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, construct)
    try:
        held = yaml.load(text, Loader=Loader)
    except yaml.YAMLError as error:
        raise InputError(f"{place} is not YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(held, dict):
        raise InputError(f"{place} must hold fields such as 'verbs: [attack]'; it holds {held!r}.")
    return held


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
