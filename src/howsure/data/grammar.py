"""The meaning of parser labels: a small inventory of word kinds and roles, for UD and for CLEAR.

UD is Universal Dependencies, with its subtypes (`nsubj:pass`); CLEAR is the scheme of spaCy's English pipelines
(`nsubjpass`, `pobj`). Labels used by both have the same meaning, so one table serves both, and version 1 of UD.
"""

from __future__ import annotations

from functools import lru_cache

NOUN, NAME, PRONOUN, DETERMINER, NUMBER, ADJECTIVE, VERB, ADVERB, OTHER = (
    "noun",
    "name",
    "pronoun",
    "determiner",
    "number",
    "adjective",
    "verb",
    "adverb",
    "other",
)
PENN_KINDS = {
    "NN": NOUN,
    "NNS": NOUN,
    "NNP": NAME,
    "NNPS": NAME,
    "PRP": PRONOUN,
    "PRP$": PRONOUN,
    "WP": PRONOUN,
    "WP$": PRONOUN,
    "DT": DETERMINER,
    "PDT": DETERMINER,
    "CD": NUMBER,
    "JJ": ADJECTIVE,
    "JJR": ADJECTIVE,
    "JJS": ADJECTIVE,
    "VB": VERB,
    "VBD": VERB,
    "VBG": VERB,
    "VBN": VERB,
    "VBP": VERB,
    "VBZ": VERB,
    "MD": VERB,
    "RB": ADVERB,
    "RBR": ADVERB,
    "RBS": ADVERB,
    "WRB": ADVERB,
}
PENN_TAGS = PENN_KINDS.keys() | {
    "CC",
    "EX",
    "FW",
    "IN",
    "LS",
    "POS",
    "RP",
    "SYM",
    "TO",
    "UH",
    "WDT",
    "ADD",
    "AFX",
    "GW",
    "HYPH",
    "NFP",
    "XX",
}
UNIVERSAL_KINDS = {
    "NOUN": NOUN,
    "PROPN": NAME,
    "PRON": PRONOUN,
    "DET": DETERMINER,
    "NUM": NUMBER,
    "ADJ": ADJECTIVE,
    "VERB": VERB,
    "AUX": VERB,
    "ADV": ADVERB,
}
UNIVERSAL_TAGS = UNIVERSAL_KINDS.keys() | {"ADP", "CCONJ", "CONJ", "INTJ", "PART", "PUNCT", "SCONJ", "SYM", "X"}
PLURAL_TAGS = frozenset({"NNS", "NNPS"})
SUBJECT, PASSIVE_SUBJECT, OBJECT, INDIRECT_OBJECT, OBLIQUE, AGENT, MODIFIER = (
    "subject",
    "passive subject",
    "object",
    "indirect object",
    "oblique",
    "agent",
    "modifier",
)
POSSESSOR, APPOSITION, CONJUNCT, COMPOUND, PREDICATE, ROOT, CLAUSE, OTHER_ROLE = (
    "possessor",
    "apposition",
    "conjunct",
    "compound",
    "predicate",
    "root",
    "clause",
    "other",
)
ROLES = (
    OTHER_ROLE,
    SUBJECT,
    PASSIVE_SUBJECT,
    OBJECT,
    INDIRECT_OBJECT,
    OBLIQUE,
    AGENT,
    MODIFIER,
    POSSESSOR,
    APPOSITION,
    CONJUNCT,
    COMPOUND,
    PREDICATE,
    ROOT,
    CLAUSE,
)
RELATION_ROLES = {
    "nsubj": SUBJECT,
    "csubj": SUBJECT,
    "nsubj:pass": PASSIVE_SUBJECT,
    "csubj:pass": PASSIVE_SUBJECT,
    "nsubjpass": PASSIVE_SUBJECT,
    "csubjpass": PASSIVE_SUBJECT,
    "obj": OBJECT,
    "dobj": OBJECT,
    "iobj": INDIRECT_OBJECT,
    "dative": INDIRECT_OBJECT,
    "obl": OBLIQUE,
    "npadvmod": OBLIQUE,
    "obl:agent": AGENT,
    "nmod": MODIFIER,
    "nmod:poss": POSSESSOR,
    "poss": POSSESSOR,
    "appos": APPOSITION,
    "conj": CONJUNCT,
    "compound": COMPOUND,
    "flat": COMPOUND,
    "nn": COMPOUND,
    "attr": PREDICATE,
    "oprd": PREDICATE,
    "root": ROOT,
    "ROOT": ROOT,
    "advcl": CLAUSE,
    "ccomp": CLAUSE,
    "xcomp": CLAUSE,
    "acl": CLAUSE,
    "relcl": CLAUSE,
    "parataxis": CLAUSE,
}
PREPOSITIONAL_OBJECTS = frozenset({"pobj", "pcomp"})  # CLEAR: the preposition governs
PASSIVE_SUBJECTS = frozenset({"nsubj:pass", "nsubjpass"})
PASSIVE_AUXILIARIES = frozenset({"aux:pass", "auxpass"})
OBJECTS = frozenset({"obj", "dobj", "iobj", "dative"})
CONJUNCTS = frozenset({"conj"})
CONTROLLED = frozenset({"xcomp"})  # a verb whose subject or object is that of the verb above it
RELATIVE_CLAUSES = frozenset({"acl:relcl", "relcl"})
NEGATING = frozenset({"advmod", "neg"})  # relations in which "not" stands
COPULAS = frozenset({"cop"})
EXPLETIVES = frozenset({"expl"})


# What hangs on a noun without being a part of its phrase: what introduces it, what it is joined to, and, where the noun
# is a predicate, the rest of the clause.
OUTSIDE_PHRASE = frozenset(
    {
        "case",
        "cc",
        "cc:preconj",
        "preconj",
        "conj",
        "mark",
        "cop",
        "aux",
        "aux:pass",
        "auxpass",
        "nsubj",
        "nsubj:pass",
        "nsubj:outer",
        "nsubjpass",
        "csubj",
        "csubj:pass",
        "csubj:outer",
        "expl",
        "advcl",
        "ccomp",
        "parataxis",
        "discourse",
        "intj",
        "vocative",
        "dislocated",
        "reparandum",
        "orphan",
        "punct",
        "meta",
        "list",
        "dep",
        "advmod",
        "obl",
        "obl:unmarked",
        "neg",
        "appos",
        "xcomp",
        "obl:agent",
    }
)


# Relations in which a noun or name heads no phrase of its own.
INSIDE_NAME = frozenset(
    {
        "flat",
        "fixed",
        "goeswith",
        "det",
        "det:predet",
        "predet",
        "case",
        "discourse",
        "reparandum",
        "amod",
        "nmod:desc",
    }
)


@lru_cache(maxsize=512)  # above the labels of any scheme with its subtypes
def role_of(relation: str) -> str:
    """The role denoted by a label; a subtype not in the table has the role of its label."""
    return RELATION_ROLES.get(relation) or RELATION_ROLES.get(relation.partition(":")[0], OTHER_ROLE)
