"""Rules: which words denote events, which dependents are agents, and what describes a noun."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from howsure.data.documents.document import Sentence
from howsure.errors import InputError
from howsure.events.rules.label_schemes import Relations, Scheme, check_relation, scheme_named
from howsure.inputs.naming import unknown_name

Deed = tuple[int, int]
AgentFunction = Callable[[Sentence], Iterable[Deed]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule: which words of a sentence are agents of an event, and which modifiers describe a noun.

    verbs: lemmas of the verbs that denote the event. forms: their word forms, for parsers without lemmas. labels: the
    scheme of the parser's relations, "ud", "ud-2014" or "clear". agents: the relations (or paths, `agent>pobj`) from
    the verb to its agent; by default those of the scheme, which exclude passive subjects. described_by: the relations
    from a noun to a modifier that may name an actor; by default the paper's (nmod and amod).

    nouns: nouns that also denote the event, as word forms (or lemmas); none in the paper. noun_agents: the relations
    from the noun to its agent; by default possessives and what `by` introduces (`Iraq's attack`, `an attack by Iraq`).

    negated: whether `did not attack` counts, as in the paper; `no attack by Iraq` always does.

    Off by default: conjoined (conjuncts of an agent also act, conjuncts of a modifier also describe),
    shared_subjects (`they came and attacked`), controlled_subjects (`they wanted to attack`), relative_clauses
    (`the troops that attacked`).

    function: a Python function of a sentence that yields (word of the agent, word of the event), and replaces all of
    the above.

    >>> rule = Rule(name="bombing", verbs=("bomb", "shell"), labels="clear")
    >>> rule.agents
    ('nsubj', 'agent>pobj')

    Raises InputError naming the field and what it must be.
    """

    name: str
    verbs: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    labels: str = "ud"
    agents: Relations = ()
    noun_agents: Relations = ()
    described_by: Relations = ()
    conjoined: bool = False
    shared_subjects: bool = False
    controlled_subjects: bool = False
    relative_clauses: bool = False
    negated: bool = True
    function: AgentFunction | None = None

    def __post_init__(self) -> None:
        _check_text(self.name, "name")
        _check_text(self.labels, "labels")
        scheme = scheme_named(self.labels)
        for field in ("verbs", "forms", "nouns"):
            words = tuple(word.lower() for word in _texts(getattr(self, field), field))
            object.__setattr__(self, field, words)
        for field in ("agents", "noun_agents", "described_by"):
            chosen = _texts(getattr(self, field), field) or getattr(scheme, field)
            for one in chosen:
                check_relation(one, scheme, place=field, words=field != "described_by")
            object.__setattr__(self, field, chosen)
        for field in ("conjoined", "shared_subjects", "controlled_subjects", "relative_clauses", "negated"):
            if not isinstance(getattr(self, field), bool):
                raise InputError(f"{field} of a rule must be true or false; it is {getattr(self, field)!r}.")
        self._check_events()

    @property
    def scheme(self) -> Scheme:
        """The scheme of the parser's relations."""
        return scheme_named(self.labels)

    def to_dict(self) -> dict[str, Any]:
        """The rule as plain values, for a recipe; a function by its name."""
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        function = None if self.function is None else getattr(self.function, "__qualname__", repr(self.function))
        return {**held, "function": function}

    def _check_events(self) -> None:
        named = bool(self.verbs or self.forms or self.nouns)
        if self.function is None and not named:
            raise InputError(
                f"rule {self.name!r} names no event: give verbs (lemmas), forms (words), nouns or a function."
            )
        if self.function is not None and named:
            raise InputError(
                f"rule {self.name!r} has a function and verbs or nouns; a function finds the events on its own."
            )


ATTACK_FORMS = ("attack", "attacks", "attacked", "attacking")
BUILT_IN = ("attack", "attack-wide")


def built_in_rule(name: str, *, labels: str = "ud") -> Rule:
    """The paper's rule, "attack", or its extension to more constructions, "attack-wide", in the labels of a parser.

    "attack-wide" adds nouns that stand before a noun (`NATO planes`), conjuncts, shared and controlled subjects and
    relative clauses, and excludes negated events (`did not attack`).

    >>> built_in_rule("attack").described_by
    ('nmod', 'nmod:poss', 'amod')

    Raises InputError for another name. Source: Nguyen & O'Connor (2015), section 6.1.
    """
    if name not in BUILT_IN:
        raise unknown_name("rule", name, BUILT_IN, place="howsure")
    rule = Rule(name=name, verbs=("attack",), forms=ATTACK_FORMS, labels=labels)
    if name == "attack":
        return rule
    return replace(
        rule,
        described_by=rule.described_by + rule.scheme.compounds,
        conjoined=True,
        shared_subjects=True,
        controlled_subjects=True,
        relative_clauses=True,
        negated=False,
    )


def _check_text(value: object, field: str) -> None:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{field} of a rule must be a text that is not empty; it is {value!r}.")


def _texts(values: object, field: str) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, (list, tuple)):
        raise InputError(f"{field} of a rule must be a list, such as [{values}]; it is {values!r}.")
    for value in values:
        _check_text(value, f"an entry of {field}")
    return tuple(dict.fromkeys(values))
