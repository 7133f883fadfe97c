"""The meaning of parser labels: a small inventory of word kinds and roles, for UD and for CLEAR.

UD is Universal Dependencies, with its subtypes (`nsubj:pass`); CLEAR is the scheme of spaCy's English pipelines
(`nsubjpass`, `pobj`). Labels used by both have the same meaning, so one table serves both, and version 1 of UD.
"""

from __future__ import annotations

from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _table(**labels: str) -> dict[str, str]:
    """Return a table from labels to their meaning, given the labels of each meaning."""
    return {label: meaning.replace("_", " ") for meaning, of in labels.items() for label in of.split()}


NOUN, NAME, PRONOUN, DETERMINER, NUMBER = "noun", "name", "pronoun", "determiner", "number"
ADJECTIVE, VERB, ADVERB, OTHER = "adjective", "verb", "adverb", "other"
PENN_KINDS = _table(
    noun="NN NNS",
    name="NNP NNPS",
    pronoun="PRP PRP$ WP WP$",
    determiner="DT PDT",
    number="CD",
    adjective="JJ JJR JJS",
    verb="VB VBD VBG VBN VBP VBZ MD",
    adverb="RB RBR RBS WRB",
)
PENN_TAGS = PENN_KINDS.keys() | _words("CC EX FW IN LS POS RP SYM TO UH WDT ADD AFX GW HYPH NFP XX")
UNIVERSAL_KINDS = _table(
    noun="NOUN",
    name="PROPN",
    pronoun="PRON",
    determiner="DET",
    number="NUM",
    adjective="ADJ",
    verb="VERB AUX",
    adverb="ADV",
)
UNIVERSAL_TAGS = UNIVERSAL_KINDS.keys() | _words("ADP CCONJ CONJ INTJ PART PUNCT SCONJ SYM X")
PLURAL_TAGS = _words("NNS NNPS")
ROLES = (
    OTHER_ROLE := "other",
    SUBJECT := "subject",
    PASSIVE_SUBJECT := "passive subject",
    OBJECT := "object",
    INDIRECT_OBJECT := "indirect object",
    OBLIQUE := "oblique",
    AGENT := "agent",
    MODIFIER := "modifier",
    POSSESSOR := "possessor",
    APPOSITION := "apposition",
    CONJUNCT := "conjunct",
    COMPOUND := "compound",
    PREDICATE := "predicate",
    ROOT := "root",
    CLAUSE := "clause",
)
RELATION_ROLES = _table(
    subject="nsubj csubj",
    passive_subject="nsubj:pass csubj:pass nsubjpass csubjpass",
    object="obj dobj",
    indirect_object="iobj dative",
    oblique="obl npadvmod",
    agent="obl:agent",
    modifier="nmod",
    possessor="nmod:poss poss",
    apposition="appos",
    conjunct="conj",
    compound="compound flat nn",
    predicate="attr oprd",
    root="root ROOT",
    clause="advcl ccomp xcomp acl relcl parataxis",
)
PREPOSITIONAL_OBJECTS = _words("pobj pcomp")  # in CLEAR, the preposition governs its object
PASSIVE_SUBJECTS = _words("nsubj:pass nsubjpass")
PASSIVE_AUXILIARIES = _words("aux:pass auxpass")
OBJECTS = _words("obj dobj iobj dative")
CONJUNCTS = _words("conj")
CONTROLLED = _words("xcomp")  # a verb that has the subject or object of its governor
RELATIVE_CLAUSES = _words("acl:relcl relcl")
NEGATING = _words("advmod neg")  # relations of "not"
COPULAS = _words("cop")
EXPLETIVES = _words("expl")
# Relations of dependents of a noun that are not a part of its phrase: words that introduce the noun, conjuncts and, if
# the noun is a predicate, the rest of the clause.
OUTSIDE_PHRASE = _words(
    "case cc cc:preconj preconj conj mark cop aux aux:pass auxpass nsubj nsubj:pass nsubj:outer nsubjpass csubj "
    "csubj:pass csubj:outer expl advcl ccomp parataxis discourse intj vocative dislocated reparandum orphan punct "
    "meta list dep advmod obl obl:unmarked neg appos xcomp obl:agent"
)
# Relations of nouns and names that do not head a phrase of their own.
INSIDE_NAME = _words("flat fixed goeswith det det:predet predet case discourse reparandum amod nmod:desc")


@lru_cache(maxsize=512)  # more than the number of labels of any scheme
def relation_role(relation: str) -> str:
    """Return the role that a dependency label denotes; an unknown subtype has the role of its main label."""
    return RELATION_ROLES.get(relation) or RELATION_ROLES.get(relation.partition(":")[0], OTHER_ROLE)
