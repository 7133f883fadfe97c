"""Rules in YAML files, read with the small subset of YAML that rules need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from howsure.errors import InputError
from howsure.files.input_files import read_text
from howsure.inputs.numbers_and_names import unknown_name
from howsure.inputs.source_names import source_name
from howsure.lazy_imports import require
from howsure_events.rule import Rule

Fields = dict[str, Any]
EXAMPLE = "fields such as 'verbs: [attack]'"


def read_fields(text: str, *, place: str) -> Fields:
    """Parse a YAML text whose fields are strings, True, False or lists of strings; lists are returned as tuples.

    All other YAML is refused before an object is built from it: numbers, dates, tags, anchors and aliases, nested
    fields, and nested lists. place: name of the text in messages.

    >>> read_fields("verbs: [attack, 'no']\\nconjoined: yes", place="a rule")
    {'verbs': ('attack', 'no'), 'conjoined': True}
    """
    require("A rule in a YAML file", "events", "yaml")
    import yaml

    try:
        return _fields(yaml, yaml.parse(text, Loader=yaml.SafeLoader), place)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{place} is not YAML: {' '.join(str(error).split())}.") from error


def _fields(yaml: Any, events: Iterator[Any], place: str) -> Fields:
    fields_: Fields = {}
    inside = False  # whether the mapping has begun
    field: str | None = None  # the field whose value is expected next
    items: list[str] | None = None  # entries of its list so far
    for event in events:
        where = f"{place}, line {event.start_mark.line + 1}"
        _check_plain(yaml, event, where)
        if isinstance(event, yaml.ScalarEvent):
            if not inside:
                raise InputError(f"{where}: a rule must contain {EXAMPLE}; it contains {event.value[:60]!r}.")
            if items is not None:
                items.append(_text(yaml, event, where, f"an entry of {field} of a rule"))
            elif field is None:
                field = _text(yaml, event, where, "a field")
                if field in fields_:
                    raise InputError(f"{where}: the field {field!r} occurs twice. Remove one of them.")
            else:
                fields_[field], field = _value(yaml, event, where, field), None
        elif isinstance(event, yaml.SequenceStartEvent):
            if not inside or field is None or items is not None:
                raise InputError(f"{where}: lists are not allowed here; a rule consists of {EXAMPLE}.")
            items = []
        elif isinstance(event, yaml.SequenceEndEvent):
            fields_[str(field)], field, items = tuple(items or ()), None, None
        elif isinstance(event, yaml.MappingStartEvent):
            if inside:
                raise InputError(f"{where}: nested fields are not allowed; a rule consists of {EXAMPLE}.")
            inside = True
        elif isinstance(event, yaml.DocumentEndEvent) and not inside:
            break
        elif isinstance(event, yaml.DocumentStartEvent) and inside:
            raise InputError(f"{where}: a second rule begins; write it to another file.")
    if not inside:
        raise InputError(f"{place} must contain {EXAMPLE}; it contains nothing.")
    return fields_


def _check_plain(yaml: Any, event: Any, where: str) -> None:
    """Raise InputError for aliases, anchors and tags, with which a short text can become a large object."""
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
        raise InputError(
            f"{where}: anchors and aliases (& and *) are not allowed in rules; write the words in quotation marks."
        )
    if getattr(event, "tag", None) is not None:
        raise InputError(f"{where}: tags such as {event.tag[:60]} are not allowed in rules; write only the words.")


def _value(yaml: Any, event: Any, where: str, field: str) -> str | bool:
    """Return the value of a field that is not a list: True, False or a string."""
    truths: dict[str, bool] = yaml.SafeLoader.bool_values
    if event.style is None and event.value.lower() in truths:
        return truths[event.value.lower()]
    return _text(yaml, event, where, f"{field} of a rule")


def _text(yaml: Any, event: Any, where: str, what: str) -> str:
    """Return a scalar that YAML reads as a string and that consists of printable characters; else raise InputError."""
    text = str(event.value)
    kind = yaml.resolver.Resolver().resolve(yaml.ScalarNode, text, (event.style is None, True))
    if kind != yaml.resolver.BaseResolver.DEFAULT_SCALAR_TAG:
        content = f"{text[:60]!r}, which YAML reads as {kind.rpartition(':')[2]}" if text else "nothing"
        raise InputError(f"{where}: {what} must be a string; it is {content}. Put it in quotation marks.")
    if not text.isprintable():
        raise InputError(f"{where}: {what} must be a string of printable characters; it is {text[:60]!a}.")
    return text


FIELDS = tuple(field.name for field in fields(Rule) if field.name != "function")


def read_rule(path: str | os.PathLike[str]) -> Rule:
    """Read a rule from a YAML file. Without a field `name`, the rule is named after the file.

    A file such as ::

        name: bombing
        labels: ud                # ud, ud-2014 or clear
        verbs: [bomb, shell]      # lemmas
        forms: [bombed, shelled]  # words, for parsers without lemmas
        nouns: [bombing]          # words or lemmas
        noun_agents: ["nmod:poss", "nmod(by)"]
        conjoined: true
        languages: [en]           # of its words; parsers of others are refused

    Raises InputError naming the file, the invalid field, and the allowed values or the most similar field name;
    MissingExtraError without the extra `events`.
    """
    text = read_text(path)
    return rule_from_yaml(text.content, name=source_name(os.fspath(path)), place=text.name)


def rule_from_yaml(text: str, *, name: str = "rule", place: str = "the rule") -> Rule:
    """Parse a rule from YAML. name: used if the YAML has no field `name`. place: name of the YAML text in messages.

    >>> rule_from_yaml("verbs: [bomb]", name="bombing").agents
    ('nsubj', 'obl:agent')
    """
    fields_ = read_fields(text, place=place)
    for field in fields_:
        if field not in FIELDS:
            raise unknown_name("field", field, FIELDS, place=f"a rule ({place})")
    try:
        return Rule(**{"name": name, **fields_})
    except InputError as error:
        raise error.inside(place) from error
