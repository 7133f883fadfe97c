"""Who acts in a sentence: a rule followed over its dependency tree."""

from __future__ import annotations

from collections.abc import Iterator

from howsure.data.documents.document import Sentence, Strings
from howsure.errors import InputError
from howsure.events.rules.label_schemes import check_parse, label_and_word
from howsure.events.rules.rule import Deed, Rule

RELATIVE_PRONOUNS = {"who", "which", "that"}
NEGATIONS = {"not", "n't", "n’t", "never"}


class Tree:
    """A parsed sentence, for walks from a word to its dependents."""

    def __init__(self, sentence: Sentence) -> None:
        self.words = sentence.words
        self.heads, self.relations = parse_of(sentence)
        self.children: list[list[int]] = [[] for _ in self.words]
        for word, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(word)

    def at(self, word: int, *relations: str) -> list[int]:
        """The words that stand in one of the relations (or paths) to a word, in their order."""
        return sorted({end for relation in relations for end in self._follow(word, relation.split(">"))})

    def _follow(self, word: int, path: list[str]) -> Iterator[int]:
        label, asked = label_and_word(path[0])
        for child in self.children[word]:
            if self.relations[child] == label and (not asked or self._has(child, asked)):
                yield from self._follow(child, path[1:]) if len(path) > 1 else (child,)

    def _has(self, word: int, asked: str) -> bool:
        """Whether a word is the one asked for, or introduced by it."""
        marks = (child for child in self.children[word] if self.relations[child] == "case")
        return any(self.words[one].lower() == asked for one in (word, *marks))


def parse_of(sentence: Sentence) -> tuple[tuple[int, ...], Strings]:
    """The heads and relations of a sentence; an error if it has none."""
    if sentence.heads is None or sentence.relations is None:
        start = " ".join(sentence.words[:8])
        raise InputError(f"rules need dependency trees; the sentence {start!r} has none. Parse the text first.")
    return sentence.heads, sentence.relations


def deeds_in(sentence: Sentence, *, rule: Rule) -> list[Deed]:
    """The (agent, event) words of a sentence that a rule finds, in the order of the events, then the agents.

    >>> words, tags = ("Americans", "attacked", "by", "them"), ("NNPS", "VBN", "IN", "PRP")
    >>> relations = ("nsubj:pass", "root", "case", "obl:agent")
    >>> sentence = Sentence(words, tags=tags, heads=(1, -1, 3, 1), relations=relations)
    >>> deeds_in(sentence, rule=Rule(name="attack", forms=("attacked",)))
    [(3, 1)]

    Raises InputError if the sentence lacks what the rule needs: a tree, tags, or lemmas where it lists no forms.
    """
    if rule.function is not None:
        return _checked(list(rule.function(sentence)), sentence, rule)
    verbs, nouns = _verbs(sentence, rule), _nouns(sentence, rule)
    if not verbs and not nouns:
        return []
    tree = Tree(sentence)
    check_parse(tree.relations, rule.scheme)
    counted = [verb for verb in verbs if rule.negated or not _is_negated(tree, verb, rule)]
    agents = {verb: _subjects(tree, verb, rule, rule.agents) for verb in counted}
    agents |= {noun: tree.at(noun, *rule.noun_agents) for noun in nouns}
    return [(agent, event) for event in sorted(agents) for agent in _with_conjuncts(tree, agents[event], rule)]


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
    if sentence.tags is not None:
        return sentence.tags[at].startswith(penn)
    raise InputError(
        f"rules need tags to tell whether {sentence.words[at]!r} is a verb or a noun; the parser gave neither "
        "universal nor Penn Treebank tags."
    )


def _with_conjuncts(tree: Tree, agents: list[int], rule: Rule) -> list[int]:
    found = set(agents)
    if rule.conjoined:
        waiting = list(found)
        while waiting:
            conjuncts = tree.at(waiting.pop(), rule.scheme.conjunct)
            waiting.extend(conjuncts)
            found.update(conjuncts)
    return sorted(found)


def _is_negated(tree: Tree, verb: int, rule: Rule) -> bool:
    """Whether a verb, or one that controls it (`did not want to attack`), is denied."""
    if any(tree.words[word].lower() in NEGATIONS for word in tree.at(verb, rule.scheme.negation)):
        return True
    return tree.relations[verb] == rule.scheme.control and _is_negated(tree, tree.heads[verb], rule)


def _subjects(tree: Tree, verb: int, rule: Rule, relations: tuple[str, ...]) -> list[int]:
    """The dependents of a verb that act, or else those of the verb whose subject it shares."""
    scheme = rule.scheme
    governor, relation = tree.heads[verb], tree.relations[verb]
    direct = tree.at(verb, *relations)
    if direct:
        pronoun = any(tree.words[word].lower() in RELATIVE_PRONOUNS for word in direct)
        relative = rule.relative_clauses and relation == scheme.relative_clause and pronoun
        return [*direct, governor] if relative else direct
    if governor < 0 or tree.at(verb, scheme.passive_subject, scheme.passive_auxiliary):
        return []
    if rule.shared_subjects and relation == scheme.conjunct:
        return _subjects(tree, governor, rule, (scheme.subject,))
    if rule.controlled_subjects and relation == scheme.control:
        controllers = tree.at(governor, *scheme.objects) or _subjects(tree, governor, rule, (scheme.subject,))
        return controllers or tree.at(governor, scheme.passive_subject)
    return []


def _checked(deeds: list[Deed], sentence: Sentence, rule: Rule) -> list[Deed]:
    for deed in deeds:
        if len(deed) != 2 or not all(0 <= word < len(sentence) for word in deed):
            raise InputError(
                f"the function of rule {rule.name!r} must yield (word of the agent, word of the event), both below "
                f"{len(sentence)}, the length of its sentence; it yielded {deed!r}."
            )
    return deeds
