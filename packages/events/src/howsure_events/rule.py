"""Rules that find events: the words that denote them, the dependents that are agents, and the modifiers of nouns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from howsure.data.documents.document import Sentence
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import unknown_name
from howsure_text import grammar
from howsure_text.parses import ParsedSentence

# A relation is a dependency label (`nsubj`), or a path of labels from a word down to another (`agent>pobj`, the object
# of the preposition that introduces the agent). A label may require a word: the dependent by `nmod(by)` is "by", or is
# introduced by it.

Relations = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scheme:
    """The labels of one annotation scheme.

    agents: relations from a verb to its agent. noun_agents: relations from a noun to its agent (`Iraq's attack`, `an
    attack by Iraq`). described_by: relations from a noun to its modifiers, as in the paper. compounds: relations to the
    nouns before it (`NATO planes`). labels: all labels of the scheme, without subtypes; `howsure_text.grammar` defines
    their meaning.
    """

    name: str
    agents: Relations
    noun_agents: Relations
    described_by: Relations
    compounds: Relations
    labels: frozenset[str]


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
    labels=frozenset(UNIVERSAL.split()),
)
SCHEMES = {
    "ud": UD,
    "ud-2014": replace(UD, name="ud-2014", agents=("nsubj", "nmod:agent"), labels=frozenset(UNIVERSAL_2014.split())),
    "clear": Scheme(
        name="clear",
        agents=("nsubj", "agent>pobj"),
        noun_agents=("poss", "prep(by)>pobj", "agent>pobj"),
        described_by=("amod", "nmod", "poss", "prep>pobj"),
        compounds=("compound", "nn"),
        labels=frozenset(CLEAR.split()),
    ),
}


def scheme_named(name: str) -> Scheme:
    """Return a scheme by name: "ud" (Universal Dependencies 2), "ud-2014" (version 1) or "clear" (spaCy's English).

    >>> scheme_named("clear").agents
    ('nsubj', 'agent>pobj')
    """
    if name not in SCHEMES:
        raise unknown_name("scheme of labels", name, list(SCHEMES), place="howsure")
    return SCHEMES[name]


def label_and_word(label: str) -> tuple[str, str]:
    """Split a relation's label into the label and the word that it requires (empty if none).

    >>> label_and_word("nmod(by)"), label_and_word("nmod:poss")
    (('nmod', 'by'), ('nmod:poss', ''))
    """
    name, _, word = label.partition("(")
    return (name, word[:-1].lower()) if word.endswith(")") else (label, "")


def check_relation(relation: str, scheme: Scheme, *, place: str, words: bool = False) -> str:
    """Check that a scheme contains the labels of a relation, and return the relation.

    Labels may have subtypes (`nmod:of`) and, with `words`, required words (`nmod(by)`). place: the field of the rule,
    for the message.

    >>> check_relation("nsubjj", scheme_named("ud"), place="agents")
    Traceback (most recent call last):
    howsure.errors.InputError: no relation 'nsubjj' in agents (labels: ud); it has acl, ... Did you mean nsubj?
    """
    for part in relation.split(">"):
        label = label_and_word(part)[0] if words else part
        if label.split(":")[0] not in scheme.labels:
            raise unknown_name("relation", label, sorted(scheme.labels), place=f"{place} (labels: {scheme.name})")
    return relation


def check_parse(relations: Iterable[str], scheme: Scheme) -> None:
    """Raise InputError for labels that occur only in another scheme, with which the rule would miss events.

    >>> check_parse(["nsubj", "prep", "pobj"], scheme_named("ud"))
    Traceback (most recent call last):
    howsure.errors.InputError: the parser uses 'clear' labels (found 'pobj'), but the rule expects 'ud'; ...
    """
    for label in sorted({label.split(":")[0] for label in relations} - scheme.labels):
        others = [other.name for other in SCHEMES.values() if label in other.labels]
        if others and label.lower() != "root":
            raise InputError(
                f"the parser uses {' or '.join(map(repr, others))} labels (found {label!r}), but the rule expects "
                f"{scheme.name!r}; set labels: {others[0]}."
            )


Deed = tuple[int, int]
AgentFunction = Callable[[Sentence], Iterable[Deed]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule that finds the agents of an event in a sentence, and the modifiers that describe a noun.

    verbs: lemmas of the verbs that denote the event. forms: their word forms, for parsers without lemmas. labels: the
    scheme of the parser's relations, "ud", "ud-2014" or "clear". agents: the relations (or paths, `agent>pobj`) from
    a verb to its agent; by default those of the scheme, which exclude passive subjects. described_by: the relations
    from a noun to a modifier that may name an actor; by default the paper's (nmod and amod).

    nouns: nouns that also denote the event, as word forms or lemmas; none in the paper. noun_agents: the relations
    from such a noun to its agent; by default possessives and phrases with `by` (`Iraq's attack`, `an attack by Iraq`).

    negated: whether negated verbs count (`did not attack`), as in the paper; `no attack by Iraq` always counts.

    Extensions that are off by default: conjoined (conjuncts of an agent also act, and conjuncts of a modifier also
    describe its noun), shared_subjects (`they came and attacked`), controlled_subjects (`they wanted to attack`),
    relative_clauses (`the troops that attacked`).

    languages: languages of the rule's words, such as "de"; empty if the rule works with any parser. The built-in rules
    have "en".

    function: a Python function that takes a sentence and yields pairs of word indices (agent, event). It replaces
    verbs, nouns and their relations.

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
    languages: tuple[str, ...] = ()
    function: AgentFunction | None = None

    def __post_init__(self) -> None:
        _check_text(self.name, "name")
        _check_text(self.labels, "labels")
        scheme = scheme_named(self.labels)
        for field in ("verbs", "forms", "nouns", "languages"):
            words = tuple(word.lower() for word in _texts(getattr(self, field), field))
            object.__setattr__(self, field, words)
        for field in ("agents", "noun_agents", "described_by"):
            chosen = _texts(getattr(self, field), field) or getattr(scheme, field)
            for relation in chosen:
                check_relation(relation, scheme, place=field, words=field != "described_by")
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
        """Return the rule as plain values, for a recipe; a function is represented by its name."""
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        function = None if self.function is None else getattr(self.function, "__qualname__", repr(self.function))
        return {**content, "function": function}

    def _check_events(self) -> None:
        named = bool(self.verbs or self.forms or self.nouns)
        if self.function is None and not named:
            raise InputError(
                f"rule {self.name!r} names no event: give verbs (lemmas), forms (words), nouns or a function."
            )
        if self.function is not None and named:
            raise InputError(
                f"rule {self.name!r} has a function and verbs or nouns; a function finds the events without them."
            )


ATTACK_FORMS = ("attack", "attacks", "attacked", "attacking")
BUILT_IN = ("attack", "attack-wide")
LANGUAGES = ("en",)  # of the built-in rules, and of the names of countries


def built_in_rule(name: str, *, labels: str = "ud") -> Rule:
    """Return a built-in rule: "attack", the paper's rule, or "attack-wide", which covers more constructions.

    "attack-wide" also uses nouns before a noun (`NATO planes`), conjuncts, shared and controlled subjects and relative
    clauses, and excludes negated events (`did not attack`). labels: the scheme of the parser's relations.

    >>> built_in_rule("attack").described_by
    ('nmod', 'nmod:poss', 'amod')

    Raises InputError for another name. Source: Nguyen & O'Connor (2015), section 6.1.
    """
    if name not in BUILT_IN:
        raise unknown_name("rule", name, BUILT_IN, place="howsure")
    rule = Rule(name=name, verbs=("attack",), forms=ATTACK_FORMS, labels=labels, languages=LANGUAGES)
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
        raise InputError(f"{field} of a rule must be a string that is not empty; it is {value!r}.")


def _texts(values: object, field: str) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, (list, tuple)):
        raise InputError(f"{field} of a rule must be a list, such as [{values}]; it is {values!r}.")
    for value in values:
        _check_text(value, f"an entry of {field}")
    return tuple(dict.fromkeys(values))


RELATIVE_PRONOUNS = {"who", "which", "that"}
NEGATIONS = {"not", "n't", "n’t", "never"}
SUBJECT = ("nsubj",)


def find_deeds(parsed: ParsedSentence, *, rule: Rule) -> list[Deed]:
    """Return the pairs of word indices (agent, event) that a rule finds in a sentence, ordered by event and agent.

    >>> words, tags = ("Americans", "attacked", "by", "them"), ("NNPS", "VBN", "IN", "PRP")
    >>> relations = ("nsubj:pass", "root", "case", "obl:agent")
    >>> from howsure_text.parses import parsed_sentence
    >>> sentence = Sentence(words, tags=tags, heads=(1, -1, 3, 1), relations=relations)
    >>> find_deeds(parsed_sentence(sentence), rule=Rule(name="attack", forms=("attacked",)))
    [(3, 1)]
    """
    sentence = parsed.sentence
    if rule.function is not None:
        return _checked(list(rule.function(sentence)), sentence, rule)
    verbs, nouns = _verbs(sentence, rule), _nouns(sentence, rule)
    if not verbs and not nouns:
        return []
    check_parse(parsed.relations, rule.scheme)
    counted = [verb for verb in verbs if rule.negated or not _is_negated(parsed, verb)]
    agents = {verb: _subjects(parsed, verb, rule, rule.agents) for verb in counted}
    agents |= {noun: _related_words(parsed, noun, rule.noun_agents) for noun in nouns}
    return [(agent, event) for event in sorted(agents) for agent in _with_conjuncts(parsed, agents[event], rule)]


def names_event(sentence: Sentence, *, rule: Rule) -> bool:
    """Return whether a sentence has a word by which the rule names events, whatever its tag and parse.

    True for a rule that is a function, which may find events by other words.
    """
    words = {word.lower() for word in sentence.words}
    lemmas = {lemma.lower() for lemma in sentence.lemmas or ()}
    return (
        rule.function is not None
        or not words.isdisjoint({*rule.forms, *rule.nouns})
        or not lemmas.isdisjoint({*rule.verbs, *rule.nouns})
    )


def _verbs(sentence: Sentence, rule: Rule) -> list[int]:
    if rule.verbs and not rule.forms and sentence.lemmas is None:
        raise InputError(f"rule {rule.name!r} lists verbs by lemma, but the parser gave none; list their forms too.")
    named = set[int]()
    if rule.forms:
        named.update(at for at, word in enumerate(sentence.words) if word.lower() in rule.forms)
    if rule.verbs and sentence.lemmas is not None:
        named.update(at for at, lemma in enumerate(sentence.lemmas) if lemma.lower() in rule.verbs)
    return [at for at in sorted(named) if _has_tag(sentence, at, "VERB", "VB")]


def _nouns(sentence: Sentence, rule: Rule) -> list[int]:
    if not rule.nouns:
        return []
    named = zip(sentence.words, sentence.lemmas or sentence.words, strict=True)
    positions = [at for at, forms in enumerate(named) if any(form.lower() in rule.nouns for form in forms)]
    return [at for at in positions if _has_tag(sentence, at, "NOUN", "NN")]


def _has_tag(sentence: Sentence, at: int, universal: str, penn: str) -> bool:
    if sentence.universal_tags is not None:
        return sentence.universal_tags[at] == universal
    return (sentence.tags or ())[at].startswith(penn)  # a parsed sentence has one of the two kinds of tags


def _related_words(parsed: ParsedSentence, word: int, relations: Relations) -> list[int]:
    """Return the words that can be reached from a word by one of the relations (or paths), in order."""
    return sorted({end for relation in relations for end in _follow(parsed, word, relation.split(">"))})


def _follow(parsed: ParsedSentence, word: int, path: list[str]) -> Iterator[int]:
    label, word_form = label_and_word(path[0])
    for child in parsed.dependents(word, (label,)):
        if not word_form or _has_word(parsed, child, word_form):
            yield from _follow(parsed, child, path[1:]) if len(path) > 1 else (child,)


def _has_word(parsed: ParsedSentence, word: int, word_form: str) -> bool:
    """Return whether a word is the required word, or is introduced by it (relation `case`)."""
    return any(parsed.words[position] == word_form for position in (word, *parsed.dependents(word, ("case",))))


def _with_conjuncts(parsed: ParsedSentence, agents: list[int], rule: Rule) -> list[int]:
    acting = set(agents)
    if rule.conjoined:
        waiting = list(acting)
        while waiting:
            conjuncts = parsed.dependents(waiting.pop(), grammar.CONJUNCTS)
            waiting.extend(conjuncts)
            acting.update(conjuncts)
    return sorted(acting)


def _is_negated(parsed: ParsedSentence, verb: int) -> bool:
    """Return whether a verb is negated, or a verb that controls it is (`did not want to attack`)."""
    if any(parsed.words[word] in NEGATIONS for word in parsed.dependents(verb, grammar.NEGATING)):
        return True
    return parsed.relations[verb] in grammar.CONTROLLED and _is_negated(parsed, parsed.heads[verb])


def _subjects(parsed: ParsedSentence, verb: int, rule: Rule, relations: Relations) -> list[int]:
    """The agents of a verb: its own subjects, or those of the verb whose subject it shares or that controls it."""
    governor, relation = parsed.heads[verb], parsed.relations[verb]
    direct = _related_words(parsed, verb, relations)
    if direct:
        pronoun = any(parsed.words[word] in RELATIVE_PRONOUNS for word in direct)
        relative = rule.relative_clauses and relation in grammar.RELATIVE_CLAUSES and pronoun
        return [*direct, governor] if relative else direct
    if governor < 0 or parsed.dependents(verb, grammar.PASSIVE_SUBJECTS | grammar.PASSIVE_AUXILIARIES):
        return []
    if rule.shared_subjects and relation in grammar.CONJUNCTS:
        return _subjects(parsed, governor, rule, SUBJECT)
    if rule.controlled_subjects and relation in grammar.CONTROLLED:
        controllers = parsed.dependents(governor, grammar.OBJECTS) or _subjects(parsed, governor, rule, SUBJECT)
        return controllers or parsed.dependents(governor, grammar.PASSIVE_SUBJECTS)
    return []


def _checked(deeds: list[Deed], sentence: Sentence, rule: Rule) -> list[Deed]:
    for deed in deeds:
        if len(deed) != 2 or not all(0 <= word < len(sentence) for word in deed):
            raise InputError(
                f"the function of rule {rule.name!r} must yield pairs (index of the agent's word, index of the event's "
                f"word), both from 0 to below {len(sentence)}, the length of the sentence; it yielded {deed!r}."
            )
    return deeds
