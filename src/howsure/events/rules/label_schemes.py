"""The names of relations in each annotation scheme: how agents and modifiers are labelled.

A relation is a label (`nsubj`), or a path of labels from a word down to another (`agent>pobj`: the object of the
preposition that is the agent). A label may require a word (`nmod(by)`): its dependent is that word, or is introduced by
it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from howsure.errors import InputError
from howsure.inputs.naming import unknown_name

Relations = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scheme:
    """The labels of one annotation scheme.

    `agents` leads from a verb to its agent, `noun_agents` from a noun (`Iraq's attack`, `an attack by Iraq`),
    `described_by` from a noun to what modifies it as in the paper, `compounds` to the nouns before it (`NATO planes`).
    `known` are all labels of the scheme, without subtypes. The meaning of labels is defined in
    `howsure.data.parses.grammar`.
    """

    name: str
    agents: Relations
    noun_agents: Relations
    described_by: Relations
    compounds: Relations
    known: frozenset[str]


UNIVERSAL = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed
    flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp
"""
UNIVERSAL_2014 = """
    acl advcl advmod amod appos aux auxpass case cc ccomp compound conj cop csubj csubjpass dep det discourse
    dislocated dobj expl foreign goeswith iobj list mark mwe name neg nmod nsubj nsubjpass nummod parataxis punct
    remnant reparandum root vocative xcomp
"""
CLEAR = """
    ROOT acl acomp advcl advmod agent amod appos attr aux auxpass case cc ccomp compound conj csubj csubjpass dative
    dep det dobj expl hmod hyph infmod intj iobj mark meta neg nmod nn npadvmod nsubj nsubjpass num number nummod
    oprd parataxis partmod pcomp pobj poss possessive preconj predet prep prt punct quantmod rcmod relcl xcomp
"""

UD = Scheme(
    name="ud",
    agents=("nsubj", "obl:agent"),
    noun_agents=("nmod:poss", "nmod(by)"),
    described_by=("nmod", "nmod:poss", "amod"),
    compounds=("compound",),
    known=frozenset(UNIVERSAL.split()),
)
SCHEMES = {
    "ud": UD,
    "ud-2014": replace(
        UD,
        name="ud-2014",
        agents=("nsubj", "nmod:agent"),
        known=frozenset(UNIVERSAL_2014.split()),
    ),
    "clear": Scheme(
        name="clear",
        agents=("nsubj", "agent>pobj"),
        noun_agents=("poss", "prep(by)>pobj", "agent>pobj"),
        described_by=("amod", "nmod", "poss", "prep>pobj"),
        compounds=("compound", "nn"),
        known=frozenset(CLEAR.split()),
    ),
}


def scheme_named(name: str) -> Scheme:
    """The scheme with that name: "ud" (Universal Dependencies 2), "ud-2014" (version 1) or "clear" (spaCy's English).

    >>> scheme_named("clear").agents
    ('nsubj', 'agent>pobj')

    Raises InputError for another name.
    """
    if name not in SCHEMES:
        raise unknown_name("scheme of labels", name, list(SCHEMES), place="howsure")
    return SCHEMES[name]


def label_and_word(label: str) -> tuple[str, str]:
    """A label and the word that it requires, empty if none.

    >>> label_and_word("nmod(by)"), label_and_word("nmod:poss")
    (('nmod', 'by'), ('nmod:poss', ''))
    """
    name, _, word = label.partition("(")
    return (name, word[:-1].lower()) if word.endswith(")") else (label, "")


def check_relation(relation: str, scheme: Scheme, *, place: str, words: bool = False) -> str:
    """A relation whose labels the scheme contains; it may add its own subtype (`nmod:of`) and, if `words`, a word.

    >>> check_relation("nsubjj", scheme_named("ud"), place="agents")
    Traceback (most recent call last):
    howsure.errors.InputError: no relation 'nsubjj' in agents (labels: ud); it has acl, ... Did you mean nsubj?
    """
    for part in relation.split(">"):
        label = label_and_word(part)[0] if words else part
        if label.split(":")[0] not in scheme.known:
            raise unknown_name("relation", label, sorted(scheme.known), place=f"{place} (labels: {scheme.name})")
    return relation


def check_parse(relations: Iterable[str], scheme: Scheme) -> None:
    """Refuse labels that occur only in another scheme: the rule would silently find too little.

    >>> check_parse(["nsubj", "prep", "pobj"], scheme_named("ud"))
    Traceback (most recent call last):
    howsure.errors.InputError: the parser uses 'clear' labels (found 'pobj'), but the rule expects 'ud'; ...
    """
    for label in sorted({label.split(":")[0] for label in relations} - scheme.known):
        others = [other.name for other in SCHEMES.values() if label in other.known]
        if others and label.lower() != "root":
            raise InputError(
                f"the parser uses {' or '.join(map(repr, others))} labels (found {label!r}), but the rule expects "
                f"{scheme.name!r}; set labels: {others[0]}."
            )
