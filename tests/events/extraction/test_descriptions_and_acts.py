"""What a document says of each mention: who describes it, whether it acts."""

from __future__ import annotations

import pytest

from howsure.data.documents.document import Document, Mention, Sentence
from howsure.errors import InputError
from howsure.events.extraction.one_document import Act, Description, Facts, mention_facts, mention_heads
from howsure.events.lexicon import Lexicon
from howsure.events.rule import Rule, built_in_rule
from tests.events import sentences
from tests.events.sentences import document

LEXICON = Lexicon(
    [("USA", "American"), ("IRQ", "Iraq"), ("IRQ", "Iraqi"), ("IRN", "Iranian"), ("KWT", "Kuwait"), ("NATO", "NATO"),
     ("KOR", "South Korean")], match_case=True
)  # fmt: skip
PAPER, WIDE = built_in_rule("attack"), built_in_rule("attack-wide")


def facts_of(text: str, mentions: list[tuple[int, int]], rule: Rule = PAPER) -> Facts:
    spans = [Mention(0, start, end) for start, end in mentions]
    return mention_facts(document(text), spans, lexicon=LEXICON, rule=rule)


def described(facts: Facts) -> list[set[str]]:
    return [{actor for actor, held in zip(facts.actors, row, strict=True) if held} for row in facts.described]


def test_a_modifier_and_a_head() -> None:
    facts = facts_of(sentences.ACTIVE, [(0, 2), (3, 4)])
    assert facts.actors == ("IRQ", "USA")
    assert described(facts) == [{"USA"}, {"IRQ"}]
    assert facts.agent.tolist() == [True, False]
    assert facts.descriptions == (Description(0, "USA", 0), Description(1, "IRQ", 3))
    assert facts.acts == (Act(0, 2),)


def test_no_agent_no_descriptions() -> None:
    facts = facts_of(sentences.NOUN, [(0, 1)])
    assert (facts.actors, facts.described.shape, facts.agent.tolist()) == ((), (1, 0), [False])


def test_no_mentions_at_all() -> None:
    facts = facts_of(sentences.ACTIVE, [])
    assert (facts.described.shape, facts.agent.shape, facts.acts) == ((0, 0), (0,), ())


def test_a_noun_after_of_describes() -> None:
    spans = [Mention(0, 0, 5), Mention(1, 0, 2)]
    held = mention_facts(document(sentences.PRESIDENT, sentences.HUSSEIN), spans, lexicon=LEXICON, rule=PAPER)
    assert described(held) == [{"IRQ"}, set()]
    assert held.agent.tolist() == [False, True]


def test_conjoined_modifiers_describe_if_conjuncts_count() -> None:
    assert described(facts_of(sentences.CONJOINED, [(0, 4), (5, 6)])) == [{"IRQ"}, set()]
    wide = facts_of(sentences.CONJOINED, [(0, 4), (5, 6)], WIDE)
    assert described(wide) == [{"IRQ", "IRN"}, set()]
    assert wide.agent.tolist() == [True, True]


def test_nouns_before_a_noun() -> None:
    text = "NATO/NNP/2/compound planes/NNS/3/nsubj attacked/VBD/0/root"
    assert described(facts_of(text, [(0, 2)])) == [set()]
    assert described(facts_of(text, [(0, 2)], WIDE)) == [{"NATO"}]


def test_a_path_of_two_relations() -> None:
    rule = built_in_rule("attack", labels="clear")
    facts = facts_of(sentences.CLEAR_PASSIVE, [(0, 1), (4, 7)], rule)
    assert described(facts) == [{"KWT"}, {"IRQ"}]
    assert facts.agent.tolist() == [False, True]


def test_any_word_of_a_long_name_describes() -> None:
    text = "South/JJ/2/amod Korean/JJ/3/amod ships/NNS/4/nsubj attacked/VBD/0/root"
    assert described(facts_of(text, [(0, 3)])) == [{"KOR"}]


def test_mentions_that_share_a_head_share_its_facts() -> None:
    facts = facts_of(sentences.ACTIVE, [(0, 2), (1, 2)])
    assert facts.agent.tolist() == [True, True]
    assert described(facts) == [{"USA"}, {"USA"}]


def test_heads() -> None:
    held = document(sentences.PRESIDENT)
    assert mention_heads(held, [Mention(0, 0, 5), Mention(0, 1, 3), Mention(0, 4, 5)]) == [0, 1, 4]


@pytest.mark.parametrize("mention", [Mention(0, 2, 2), Mention(1, 0, 1), Mention(0, 0, 99), Mention(0, -1, 1)])
def test_a_mention_lies_in_its_document(mention: Mention) -> None:
    with pytest.raises(InputError, match=r"mentions\[0\], .* lies outside of document 'made up'"):
        mention_facts(document(sentences.NOUN), [mention], lexicon=LEXICON, rule=PAPER)


def test_a_document_must_be_parsed() -> None:
    bare = Document("bare", (Sentence(("Iraq", "attacked")),))
    with pytest.raises(InputError, match=r"sentence 1 of document bare has no dependencies .* parse the document"):
        mention_facts(bare, [Mention(0, 0, 1)], lexicon=LEXICON, rule=PAPER)
