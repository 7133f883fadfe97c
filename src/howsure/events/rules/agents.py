"""The agents in a sentence: a rule applied to its dependency tree."""

from __future__ import annotations

from collections.abc import Iterator

from howsure.data.documents.document import Sentence
from howsure.data.parses import grammar
from howsure.data.parses.parsed_sentence import ParsedSentence
from howsure.errors import InputError
from howsure.events.rules.label_schemes import Relations, check_parse, label_and_word
from howsure.events.rules.rule import Deed, Rule

RELATIVE_PRONOUNS = {"who", "which", "that"}
NEGATIONS = {"not", "n't", "n’t", "never"}
SUBJECT = ("nsubj",)


def deeds_in(parsed: ParsedSentence, *, rule: Rule) -> list[Deed]:
    """The (agent, event) words that a rule finds in a sentence, ordered by event, then by agent.

    >>> words, tags = ("Americans", "attacked", "by", "them"), ("NNPS", "VBN", "IN", "PRP")
    >>> relations = ("nsubj:pass", "root", "case", "obl:agent")
    >>> from howsure.data.parses.parsed_sentence import parsed_sentence
    >>> sentence = Sentence(words, tags=tags, heads=(1, -1, 3, 1), relations=relations)
    >>> deeds_in(parsed_sentence(sentence), rule=Rule(name="attack", forms=("attacked",)))
    [(3, 1)]

    Raises InputError if the sentence lacks what the rule needs: its label scheme, or lemmas if the rule lists no forms.
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
    agents |= {noun: _at(parsed, noun, rule.noun_agents) for noun in nouns}
    return [(agent, event) for event in sorted(agents) for agent in _with_conjuncts(parsed, agents[event], rule)]


def _verbs(sentence: Sentence, rule: Rule) -> list[int]:
    if rule.verbs and not rule.forms and sentence.lemmas is None:
        raise InputError(f"rule {rule.name!r} lists verbs by lemma, but the parser gave none; list their forms too.")
    named = set[int]()
    if rule.forms:
        named.update(at for at, word in enumerate(sentence.words) if word.lower() in rule.forms)
    if rule.verbs and sentence.lemmas is not None:
        named.update(at for at, lemma in enumerate(sentence.lemmas) if lemma.lower() in rule.verbs)
    return [at for at in sorted(named) if _is(sentence, at, "VERB", "VB")]


def _nouns(sentence: Sentence, rule: Rule) -> list[int]:
    if not rule.nouns:
        return []
    named = zip(sentence.words, sentence.lemmas or sentence.words, strict=True)
    found = [at for at, forms in enumerate(named) if any(form.lower() in rule.nouns for form in forms)]
    return [at for at in found if _is(sentence, at, "NOUN", "NN")]


def _is(sentence: Sentence, at: int, universal: str, penn: str) -> bool:
    if sentence.universal_tags is not None:
        return sentence.universal_tags[at] == universal
    return (sentence.tags or ())[at].startswith(penn)  # a parsed sentence has either


def _at(parsed: ParsedSentence, word: int, relations: Relations) -> list[int]:
    """The words that have one of the relations (or paths) to a word, in order."""
    return sorted({end for relation in relations for end in _follow(parsed, word, relation.split(">"))})


def _follow(parsed: ParsedSentence, word: int, path: list[str]) -> Iterator[int]:
    label, asked = label_and_word(path[0])
    for child in parsed.dependents(word, (label,)):
        if not asked or _has(parsed, child, asked):
            yield from _follow(parsed, child, path[1:]) if len(path) > 1 else (child,)


def _has(parsed: ParsedSentence, word: int, asked: str) -> bool:
    """Whether a word is the required one, or is introduced by it."""
    return any(parsed.words[one] == asked for one in (word, *parsed.dependents(word, ("case",))))


def _with_conjuncts(parsed: ParsedSentence, agents: list[int], rule: Rule) -> list[int]:
    found = set(agents)
    if rule.conjoined:
        waiting = list(found)
        while waiting:
            conjuncts = parsed.dependents(waiting.pop(), grammar.CONJUNCTS)
            waiting.extend(conjuncts)
            found.update(conjuncts)
    return sorted(found)


def _is_negated(parsed: ParsedSentence, verb: int) -> bool:
    """Whether a verb, or one that controls it (`did not want to attack`), is negated."""
    if any(parsed.words[word] in NEGATIONS for word in parsed.dependents(verb, grammar.NEGATING)):
        return True
    return parsed.relations[verb] in grammar.CONTROLLED and _is_negated(parsed, parsed.heads[verb])


def _subjects(parsed: ParsedSentence, verb: int, rule: Rule, relations: Relations) -> list[int]:
    """The acting dependents of a verb, or else those of the verb whose subject it shares."""
    governor, relation = parsed.heads[verb], parsed.relations[verb]
    direct = _at(parsed, verb, relations)
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
                f"the function of rule {rule.name!r} must yield (word of the agent, word of the event), both below "
                f"{len(sentence)}, the length of its sentence; it yielded {deed!r}."
            )
    return deeds
