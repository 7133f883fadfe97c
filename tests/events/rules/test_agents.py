"""Who acts: active and passive, conjuncts, shared and controlled subjects, relative clauses, other labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from howsure.data.documents.document import Sentence
from howsure.data.parses import parsed_sentence
from howsure.errors import InputError
from howsure.events import rule as of
from howsure.events.rule import Deed, Rule, built_in_rule
from tests.events import sentences
from tests.events.sentences import parsed

PAPER, WIDE = built_in_rule("attack"), built_in_rule("attack-wide")


def deeds_in(sentence: Sentence, *, rule: Rule) -> list[Deed]:
    return of.deeds_in(parsed_sentence(sentence), rule=rule)


def agents(text: str, rule: Rule) -> list[str]:
    sentence = parsed(text)
    return [sentence.words[agent] for agent, _ in deeds_in(sentence, rule=rule)]


@pytest.mark.parametrize(
    ("text", "paper", "wide"),
    [
        (sentences.ACTIVE, ["forces"], ["forces"]),
        (sentences.PASSIVE, ["them"], ["them"]),
        (sentences.NOUN, [], []),
        (sentences.CONJOINED, ["troops"], ["troops", "rebels"]),
        (sentences.SHARED, [], ["They"]),
        (sentences.SHARED_PASSIVE, [], []),
        (sentences.PASSIVE_SHARED, [], []),
        (sentences.CONTROLLED, [], ["Iraq"]),
        (sentences.OBJECT_CONTROLLED, [], ["troops"]),
        (sentences.PASSIVE_CONTROLLED, [], ["Troops"]),
        (sentences.RELATIVE, ["that"], ["troops", "that"]),
        (sentences.HUSSEIN, ["Hussein"], ["Hussein"]),
    ],
)
def test_who_attacks(text: str, paper: list[str], wide: list[str]) -> None:
    assert agents(text, PAPER) == paper
    assert agents(text, WIDE) == wide


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("conjoined", sentences.CONJOINED),
        ("shared_subjects", sentences.SHARED),
        ("controlled_subjects", sentences.CONTROLLED),
        ("relative_clauses", sentences.RELATIVE),
    ],
)
def test_each_option_on_its_own(option: str, text: str) -> None:
    one = Rule(name="attack", verbs=("attack",), **{option: True})
    assert len(agents(text, one)) == len(agents(text, PAPER)) + 1
    others = {"conjoined", "shared_subjects", "controlled_subjects", "relative_clauses"} - {option}
    rest = Rule(name="attack", verbs=("attack",), **dict.fromkeys(others, True))
    assert agents(text, rest) == agents(text, PAPER)


def test_a_chain_of_control_and_sharing() -> None:
    text = (
        "troops/NNS/0/root who/WP/3/nsubj came/VBD/1/acl:relcl and/CC/5/cc tried/VBD/3/conj to/TO/7/mark "
        "attack/VB/5/xcomp"
    )
    assert agents(text, WIDE) == ["troops", "who"]


def test_labels_of_other_parsers() -> None:
    assert agents(sentences.CLEAR_PASSIVE, built_in_rule("attack", labels="clear")) == ["troops"]
    assert agents(sentences.OLD_PASSIVE, built_in_rule("attack", labels="ud-2014")) == ["Iraq"]
    assert agents(sentences.PASSIVE.replace("/root", "/ROOT"), PAPER) == ["them"]  # as spaCy writes it


@pytest.mark.parametrize(
    ("text", "rule", "message"),
    [
        (sentences.CLEAR_PASSIVE, "ud", r"labels \(found 'agent'\), but the rule expects 'ud'; set labels: clear"),
        (sentences.OLD_PASSIVE, "ud", "found 'auxpass'.* set labels: ud-2014"),
        (sentences.PASSIVE, "clear", "found 'obl'.* set labels: ud"),
        (sentences.ACTIVE, "ud-2014", "found 'obj'.* set labels: ud"),
    ],
)
def test_a_rule_for_another_parser_is_refused(text: str, rule: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        agents(text, built_in_rule("attack", labels=rule))


def test_verbs_by_lemma_or_by_form() -> None:
    by_form = Rule(name="attack", forms=("Attacked",))
    assert len(deeds_in(parsed(sentences.ACTIVE, lemmas=False), rule=by_form)) == 1
    assert len(deeds_in(parsed(sentences.ACTIVE, lemmas=False), rule=PAPER)) == 1
    assert deeds_in(parsed(sentences.ACTIVE), rule=Rule(name="bomb", verbs=("bomb",))) == []
    with pytest.raises(InputError, match="by lemma, but the parser gave none; list their forms"):
        deeds_in(parsed(sentences.ACTIVE, lemmas=False), rule=Rule(name="attack", verbs=("attack",)))


NOUNS = Rule(name="attack", nouns=("attack", "attacks"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (sentences.NOUN_BY, ["forces"]),
        (sentences.NOUN_ON, ["Iraq"]),
        (sentences.NOUN_BY_TWO, ["troops"]),
        (sentences.POSSESSIVE, ["Israel"]),
        (sentences.NOUN, []),
        (sentences.ACTIVE, []),
        (sentences.CONTROLLED, []),
    ],
)
def test_nouns_that_name_the_event(text: str, expected: list[str]) -> None:
    assert agents(text, PAPER) == (["forces"] if text == sentences.ACTIVE else [])
    assert agents(text, NOUNS) == expected


def test_nouns_beside_verbs_in_any_labels() -> None:
    both = replace(PAPER, nouns=("attack",), conjoined=True)
    assert agents(sentences.NOUN_BY_TWO, both) == ["troops", "rebels"]
    assert agents(sentences.ACTIVE, both) == ["forces"]
    text = sentences.PASSIVE + " in/IN/9/case their/PRP$/9/nmod:poss attack/NN/4/obl"
    assert deeds_in(parsed(text), rule=both) == [(5, 3), (7, 8)]
    clear = Rule(name="attack", nouns=("attack",), labels="clear")
    assert agents(sentences.CLEAR_NOUN, clear) == ["troops"]  # by its lemma
    anything = Rule(name="attack", nouns=("attack",), noun_agents=("nmod(by)", "nmod(On)"))
    assert agents(sentences.NOUN_ON, anything) == ["Kuwait", "Iraq"]


def test_universal_tags_come_first() -> None:
    words, heads, relations = ("They", "attacked"), (1, -1), ("nsubj", "root")
    as_noun = Sentence(words, universal_tags=("PRON", "NOUN"), heads=heads, relations=relations)
    as_verb = Sentence(words, tags=("PRP", "NN"), universal_tags=("PRON", "VERB"), heads=heads, relations=relations)
    rule = Rule(name="attack", forms=("attacked",))
    assert (deeds_in(as_noun, rule=rule), deeds_in(as_verb, rule=rule)) == ([], [(0, 1)])


def test_a_sentence_must_be_parsed_and_tagged() -> None:
    words = ("They", "attacked")
    with pytest.raises(InputError, match=r"no dependencies .* parse the document first"):
        deeds_in(Sentence(words, tags=("PRP", "VBD")), rule=PAPER)
    with pytest.raises(InputError, match="neither Penn Treebank nor universal tags"):
        deeds_in(Sentence(words, heads=(1, -1), relations=("nsubj", "root")), rule=PAPER)


def test_a_function_as_rule() -> None:
    def before_attack(sentence: Sentence) -> Iterator[tuple[int, int]]:
        at = sentence.words.index("attacked")
        yield at - 1, at

    rule = Rule(name="mine", function=before_attack)
    assert agents(sentences.ACTIVE, rule) == ["forces"]
    assert rule.to_dict()["function"].endswith("before_attack")
    with pytest.raises(InputError, match=r"must yield .* below 4, .* it yielded \(4, 0\)"):
        agents(sentences.ACTIVE, Rule(name="mine", function=lambda sentence: [(4, 0)]))


@pytest.mark.parametrize(
    ("text", "paper"),
    [
        ("Iraq/NNP/4/nsubj did/VBD/4/aux not/RB/4/advmod attack/VB/0/root Kuwait/NNP/4/obj", ["Iraq"]),
        ("Iraq/NNP/4/nsubj has/VBZ/4/aux never/RB/4/advmod attacked/VBN/0/root Kuwait/NNP/4/obj", ["Iraq"]),
        ("Iraq/NNP/4/nsubj did/VBD/4/aux n't/RB/4/advmod want/VB/0/root to/TO/6/mark attack/VB/4/xcomp", []),
    ],
)
def test_what_is_negated_counts_in_the_papers_rule_only(text: str, paper: list[str]) -> None:
    assert agents(text, PAPER) == paper
    assert agents(text, WIDE) == []
    assert agents(text, replace(WIDE, negated=True)) == ["Iraq"]
    assert agents(text.replace("not/", "soon/").replace("never/", "often/").replace("n't/", "soon/"), WIDE) == ["Iraq"]


def test_negation_in_other_labels() -> None:
    text = "They/PRP/4/nsubj did/VBD/4/aux not/RB/4/neg attack/VB/0/root"
    for labels in ("clear", "ud-2014"):
        assert agents(text, built_in_rule("attack", labels=labels)) == ["They"]
        assert agents(text, built_in_rule("attack-wide", labels=labels)) == []
