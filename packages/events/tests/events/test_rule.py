"""Rules as data, and as files: what is given, what is filled in, and what is refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.events import sentences
from tests.events.made_up_store import make_store
from tests.events.sentences import parsed

from howsure.data.documents.document import Sentence
from howsure.errors import InputError, MissingExtraError
from howsure.inputs.periods import find_period
from howsure_events import rule as of
from howsure_events.examples import example_store
from howsure_events.extraction.recount import recount_events
from howsure_events.rule import SCHEMES, Deed, Rule, built_in_rule, check_relation, scheme_named
from howsure_events.rule_comparison import WHOLE, compare_rules
from howsure_events.rule_files import FIELDS, read_rule, rule_from_yaml
from howsure_events.store.event_store import EventStore
from howsure_text import grammar
from howsure_text.parses import parsed_sentence

FULL = """
name: bombing
labels: clear
verbs: [bomb, Shell]
forms: [bombed]
nouns: [Bombing]
agents: [nsubj, "agent>pobj"]
noun_agents: ["prep(By)>pobj"]
described_by: [amod, "prep>pobj"]
conjoined: true
shared_subjects: true
controlled_subjects: false
relative_clauses: true
"""


def test_a_full_file(tmp_path: Path) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_text(FULL, encoding="utf-8")
    expected = Rule(
        name="bombing",
        labels="clear",
        verbs=("bomb", "shell"),
        forms=("bombed",),
        nouns=("bombing",),
        agents=("nsubj", "agent>pobj"),
        noun_agents=("prep(By)>pobj",),
        described_by=("amod", "prep>pobj"),
        conjoined=True,
        shared_subjects=True,
        relative_clauses=True,
    )
    assert read_rule(path) == expected
    assert set(expected.to_dict()) == {*FIELDS, "function"}


def test_a_short_file_takes_the_rest_from_its_labels(tmp_path: Path) -> None:
    path = tmp_path / "raid.yaml"
    path.write_text("verbs: [raid]\nlabels: ud-2014\n", encoding="utf-8")
    rule = read_rule(path)
    assert (rule.name, rule.agents, rule.described_by) == (
        "raid",
        ("nsubj", "nmod:agent"),
        ("nmod", "nmod:poss", "amod"),
    )


def test_the_papers_rule_is_data() -> None:
    text = "name: attack\nverbs: [attack]\nforms: [attack, attacks, attacked, attacking]\nlanguages: [en]"
    assert rule_from_yaml(text) == built_in_rule("attack")
    assert built_in_rule("attack", labels="clear").described_by == ("amod", "nmod", "poss", "prep>pobj")
    assert "compound" in built_in_rule("attack-wide").described_by


@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_knows_its_own_labels(name: str) -> None:
    scheme = scheme_named(name)
    named = [*scheme.agents, *scheme.described_by, *scheme.compounds, "nmod:of"]
    named += [label for label in scheme.noun_agents if "(" not in label]
    assert [check_relation(relation, scheme, place="test") for relation in named] == named


@pytest.mark.parametrize(
    "meaning",
    ["PASSIVE_SUBJECTS", "PASSIVE_AUXILIARIES", "OBJECTS", "CONJUNCTS", "CONTROLLED", "RELATIVE_CLAUSES", "NEGATING"],
)
@pytest.mark.parametrize("name", SCHEMES)
def test_every_scheme_has_a_label_for_what_rules_ask_of(name: str, meaning: str) -> None:
    labels = getattr(grammar, meaning)
    assert any(label.partition(":")[0] in SCHEMES[name].labels for label in labels)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("verb: [attack]", r"no field 'verb' in a rule \(r.yaml\); .* Did you mean verbs\?"),
        ("verbs: attack", r"r.yaml: verbs of a rule must be a list, such as \[attack\]; it is 'attack'"),
        ("verbs: []", "names no event"),
        ("verbs: [1]", "an entry of verbs of a rule must be a string"),
        ("name: ''\nverbs: [attack]", "name of a rule must be a string that is not empty"),
        ("labels: udd\nverbs: [attack]", r"no scheme of labels 'udd' .* Did you mean ud\?"),
        ("labels: clear\nagents: ['obl:agents']\nverbs: [a]", r"no relation 'obl:agents' in agents \(labels: clear\)"),
        ("agents: [nsubjj]\nverbs: [attack]", r"Did you mean nsubj\?"),
        ("noun_agents: ['nmood(by)']\nnouns: [attack]", r"no relation 'nmood' in noun_agents .* Did you mean nmod\?"),
        ("noun_agents: ['nmod(by']\nnouns: [attack]", r"no relation 'nmod\(by' in noun_agents"),
        ("described_by: ['nmod(of)']\nnouns: [attack]", r"no relation 'nmod\(of\)' in described_by"),
        ("described_by: ['prep>pobj']\nverbs: [attack]", r"no relation 'prep' in described_by \(labels: ud\)"),
        ("conjoined: maybe\nverbs: [attack]", "conjoined of a rule must be true or false; it is 'maybe'"),
        ("verbs: [a]\nverbs: [b]", "the field 'verbs' occurs twice"),
        ("verbs: [a", "r.yaml is not YAML"),
        (
            "- attack",
            r"r.yaml, line 1: lists are not allowed here; a rule consists of fields such as 'verbs: \[attack\]'",
        ),
        ("attack", r"line 1: a rule must contain fields such as 'verbs: \[attack\]'; it contains 'attack'"),
        ("", "it contains nothing"),
        ("# a comment", "it contains nothing"),
        ("function: os.system\nverbs: [a]", "no field 'function'"),
        (
            "verbs: !!python/object/apply:os.getcwd []",
            r"tags such as tag:yaml\.org,2002:python/object/apply:os\.getcwd are",
        ),
        ("verbs: [2003-03-20]", "verbs of a rule must be a string; it is '2003-03-20', which YAML reads as timestamp"),
        ("verbs: [2003-02-31]", "an entry of verbs of a rule must be a string"),
        ("verbs: [no]", "it is 'no', which YAML reads as bool. Put it in quotation marks"),
        ("verbs:", "verbs of a rule must be a string; it is nothing"),
        ("verbs: [a]\nname: !!float x", "line 2: tags such as tag:yaml"),
        ("verbs: [a]\nname: 0x" + "f" * 10_000, "name of a rule must be a string; it is '0xfff"),
        ("name: " + "9" * 10_000 + "\nverbs: [a]", "name of a rule must be a string; it is '999"),
        ("? {a: b}\n: c", "nested fields are not allowed"),
        ("? [a, b]\n: c", "lists are not allowed here"),
        ("1: a", "a field must be a string; it is '1', which YAML reads as int"),
        ("verbs: {a: b}", "nested fields are not allowed"),
        ("verbs: [[a]]", "lists are not allowed here"),
        ("verbs: " + "[" * 1_000 + "]" * 1_000, "lists are not allowed here"),
        ("{verbs: " * 1_000 + "}" * 1_000, "nested fields are not allowed"),
        ("a: &x [a]\nb: &y [*x, *x]\nverbs: [*y, *y]", "line 1: anchors and aliases"),
        ("verbs: *a", "anchors and aliases"),
        ("<<: {verbs: [a]}", "a field must be a string; it is '<<', which YAML reads as merge"),
        ('name: "\\ud800"\nverbs: [a]', r"name of a rule must be a string of printable characters; it is '\\ud800'"),
        ('name: "\\U7fffffff"\nverbs: [a]', "is not YAML"),
        ('name: "a\\eb"\nverbs: [a]', "printable characters"),
        ("verbs: [a]\n---\nverbs: [b]", "line 2: a second rule begins"),
        ("verbs: [\x00]", "is not YAML"),
        ("%YAML 9.1\n---\nverbs: [a", "is not YAML"),
    ],
)
def test_a_broken_file_is_explained(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rule_from_yaml(text, place="r.yaml")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)  # what is not installed cannot be imported
    with pytest.raises(MissingExtraError, match=r"howsure\[events\]"):
        rule_from_yaml("verbs: [a]")


# Two rules side by side: every count again from the tables, by loops.


MET = Rule(name="met", forms=("met", "attacked", "protested"))


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[EventStore, EventStore]]:
    folder = tmp_path_factory.mktemp("rules")
    with example_store(folder / "first.duckdb") as first:
        recount_events(first, folder / "second.duckdb", rule=MET)
        with EventStore.open(folder / "second.duckdb") as second:
            yield first, second


@pytest.mark.parametrize("period", [None, "month"])
def test_counts_are_those_of_the_stores(stores: tuple[EventStore, EventStore], period: str | None) -> None:
    comparison = compare_rules(*stores, period=period)
    query = "SELECT actor, document, date, probability, best FROM events JOIN documents USING (document)"
    tables = [store.ask(query) for store in stores]
    cells = {}
    for side, table in enumerate(tables):
        for actor, document, date, probability, best in table:
            cell = cells.setdefault((actor, find_period(date, period=period) if period else WHOLE), ({}, {}))
            cell[side][document] = probability, best
    assert {(row.actor, row.period) for row in comparison.rows} == set(cells)
    for row in comparison.rows:
        first, second = cells[row.actor, row.period]
        assert row.first == pytest.approx(sum(p for p, _ in first.values()))
        assert row.second == pytest.approx(sum(p for p, _ in second.values()))
        assert (row.best_first, row.best_second) == tuple(
            sum(b for _, b in cells_of_store.values()) for cells_of_store in (first, second)
        )
        assert row.both == len(first.keys() & second.keys())
        assert (row.only_first, row.only_second) == (len(first.keys() - second), len(second.keys() - first))
    assert sum(row.only_second for row in comparison.rows) > 5


def test_other_documents_are_refused(stores: tuple[EventStore, EventStore], tmp_path: Path) -> None:
    with make_store(tmp_path / "a.duckdb") as other, pytest.raises(InputError, match="differ in input"):
        compare_rules(stores[0], other)
    with pytest.raises(InputError, match="no length of period 'years'"):
        compare_rules(*stores, period="years")


PAPER, WIDE = built_in_rule("attack"), built_in_rule("attack-wide")


def deeds_in(sentence: Sentence, *, rule: Rule) -> list[Deed]:
    return of.find_deeds(parsed_sentence(sentence), rule=rule)


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
    extended = Rule(name="attack", verbs=("attack",), **{option: True})
    assert len(agents(text, extended)) == len(agents(text, PAPER)) + 1
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


def test_verbs_by_lemma_or_by_form() -> None:
    by_form = Rule(name="attack", forms=("Attacked",))
    assert len(deeds_in(parsed(sentences.ACTIVE, lemmas=False), rule=by_form)) == 1
    assert len(deeds_in(parsed(sentences.ACTIVE, lemmas=False), rule=PAPER)) == 1
    assert deeds_in(parsed(sentences.ACTIVE), rule=Rule(name="bomb", verbs=("bomb",))) == []


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


def test_nouns_and_verbs_in_any_labels() -> None:
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


def test_a_function_as_rule() -> None:
    def before_attack(sentence: Sentence) -> Iterator[tuple[int, int]]:
        at = sentence.words.index("attacked")
        yield at - 1, at

    rule = Rule(name="mine", function=before_attack)
    assert agents(sentences.ACTIVE, rule) == ["forces"]
    assert rule.to_dict()["function"].endswith("before_attack")


@pytest.mark.parametrize(
    ("text", "paper"),
    [
        ("Iraq/NNP/4/nsubj did/VBD/4/aux not/RB/4/advmod attack/VB/0/root Kuwait/NNP/4/obj", ["Iraq"]),
        ("Iraq/NNP/4/nsubj has/VBZ/4/aux never/RB/4/advmod attacked/VBN/0/root Kuwait/NNP/4/obj", ["Iraq"]),
        ("Iraq/NNP/4/nsubj did/VBD/4/aux n't/RB/4/advmod want/VB/0/root to/TO/6/mark attack/VB/4/xcomp", []),
    ],
)
def test_negated_events_count_in_the_papers_rule_only(text: str, paper: list[str]) -> None:
    assert agents(text, PAPER) == paper
    assert agents(text, WIDE) == []
    assert agents(text, replace(WIDE, negated=True)) == ["Iraq"]
    assert agents(text.replace("not/", "soon/").replace("never/", "often/").replace("n't/", "soon/"), WIDE) == ["Iraq"]


def test_negation_in_other_labels() -> None:
    text = "They/PRP/4/nsubj did/VBD/4/aux not/RB/4/neg attack/VB/0/root"
    for labels in ("clear", "ud-2014"):
        assert agents(text, built_in_rule("attack", labels=labels)) == ["They"]
        assert agents(text, built_in_rule("attack-wide", labels=labels)) == []
