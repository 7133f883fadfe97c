"""Counts of the relations inside the entities of actors."""

from __future__ import annotations

from collections import Counter

from howsure.data.documents.document import Mention
from howsure.events.extraction.dependencies import DependencyCounts, count_dependencies
from howsure.events.lexicon import Lexicon
from howsure.events.rule import built_in_rule
from tests.events import sentences
from tests.events.sentences import document

LEXICON = Lexicon([("IRQ", "Iraq"), ("IRQ", "Iraqi"), ("KWT", "Kuwait"), ("USA", "American"), ("KOR", "South Korean")])
RULE = built_in_rule("attack")


def test_relations_are_counted_where_names_are() -> None:
    mentions = [Mention(0, 0, 5), Mention(0, 4, 5), Mention(1, 0, 2), Mention(1, 4, 5)]
    counts = count_dependencies(
        document(sentences.PRESIDENT, sentences.HUSSEIN), mentions, ["h", "i", "h", "k"], lexicon=LEXICON, rule=RULE
    )
    assert counts.names == Counter({"nmod": 1, "(head)": 2})
    assert counts.governors == Counter(
        {("root", "(root)"): 1, ("nmod", "president"): 1, ("nsubj", "attack"): 1, ("obj", "attack"): 1}
    )


def test_entities_of_no_actor_do_not_count() -> None:
    mentions = [Mention(0, 0, 2), Mention(0, 4, 5)]
    counts = count_dependencies(document(sentences.HUSSEIN), mentions, [0, 1], lexicon=LEXICON, rule=RULE)
    assert counts.governors == Counter({("obj", "attack"): 1})


def test_paths_go_down_to_the_first_word_of_a_name() -> None:
    text = "crews/NNS/5/nsubj of/IN/4/case South/JJ/4/amod Korean/JJ/1/nmod attacked/VBD/0/root"
    counts = count_dependencies(document(text), [Mention(0, 0, 4)], [0], lexicon=LEXICON, rule=RULE)
    assert counts.names == Counter({"nmod": 1})


def test_counts_add() -> None:
    mentions = [Mention(0, 0, 2), Mention(0, 3, 4)]
    one = count_dependencies(document(sentences.ACTIVE), mentions, [0, 1], lexicon=LEXICON, rule=RULE)
    both = one + one + DependencyCounts()
    assert both.names == Counter({"amod": 2, "(head)": 2})
    assert both.to_dict()["governors"][0]["count"] == 2
    assert one.names == Counter({"amod": 1, "(head)": 1})
