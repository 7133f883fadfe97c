"""One parsed sentence: roles in either scheme, what hangs on a word, and the head of any span of any tree."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.coreference import parsed as hand

from howsure.data.documents.document import Document, Mention, Sentence
from howsure_text import grammar
from howsure_text.parses import ParsedDocument, ParsedSentence, is_tree, parsed_sentence

RANKS = (("NNP", "NNPS", "NN", "NNS"), ("PRP", "PRP$", "WP"), ("CD", "VB", "VBD", "MD"))  # of tags, as heads of spans
TAGS = ("NNP", "NN", "PRP", "CD", "VB", "DT", "IN", ",")


@pytest.mark.parametrize("sentence", [hand.UD, hand.CLEAR], ids=["UD", "CLEAR"])
def test_roles_are_those_of_either_scheme(sentence: Sentence) -> None:
    tree = parsed_sentence(sentence)
    assert (tree.roles[2], tree.roles[4], tree.roles[6]) == (grammar.POSSESSOR, grammar.SUBJECT, grammar.OBJECT)
    assert (tree.roles[9], tree.roles[11]) == (grammar.CONJUNCT, grammar.OBLIQUE)
    assert tree.governors[11] == 5  # Paris hangs on saw, in UD and through CLEAR's preposition


def test_a_predicate_in_either_scheme() -> None:
    ud, clear = parsed_sentence(hand.PREDICATE_UD), parsed_sentence(hand.PREDICATE_CLEAR)
    assert ud.roles[4] == clear.roles[4] == grammar.PREDICATE
    assert clear.roles[6] == ud.roles[6] == grammar.MODIFIER


def test_dependents_and_extent() -> None:
    tree = parsed_sentence(hand.UD)
    assert tree.dependents(4, ("nmod:poss", "det")) == [2]
    assert tree.dependents(5, {"nsubj", "obj"}) == [4, 6]
    assert (tree.subtree_extent(4), tree.subtree_extent(6), tree.subtree_extent(5)) == ((0, 4), (6, 9), (0, 12))


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("more|JJR|3|amod rational|JJ|3|amod process|NN|0|root", "process"),  # no word of three hangs on another
        ("11,200|CD|0|root speakers|NNS|0|root", "speakers"),
        ("you|PRP|2|nsubj buy|VB|0|root anything|NN|0|root", "anything"),
        (",|,|2|punct buy|VB|0|root", "buy"),
        ("of|IN|0|root ,|,|0|root", "of"),
    ],
)
def test_of_several_words_whose_heads_lie_outside_a_noun_is_the_head(text: str, head: str) -> None:
    tree = parsed_sentence(hand.parsed(text))
    assert tree.words[tree.span_head(0, len(tree))] == head


@st.composite
def trees(draw: st.DrawFn) -> ParsedSentence:
    """Any tree: each word but the first in some order hangs on one before it in that order."""
    order = draw(st.permutations(range(draw(st.integers(1, 8)))))
    heads = [-1] * len(order)
    for place in range(1, len(order)):
        heads[order[place]] = draw(st.sampled_from([-1, *order[:place]]))
    tags = draw(st.tuples(*[st.sampled_from(TAGS)] * len(order)))
    words = tuple(f"w{number}" for number in range(len(order)))
    return parsed_sentence(Sentence(words, tags=tags, heads=tuple(heads), relations=("dep",) * len(order)))


@given(trees())
def test_heads_of_spans_and_extents_as_they_are_defined(tree: ParsedSentence) -> None:
    tags = tree.sentence.tags or ()

    def above(word: int) -> list[int]:
        return [word] if tree.heads[word] < 0 else [word, *above(tree.heads[word])]

    for start in range(len(tree)):
        for end in range(start + 1, len(tree) + 1):
            tops = [word for word in range(start, end) if tree.heads[word] not in range(start, end)]
            rank = {word: next((at for at, some in enumerate(RANKS) if tags[word] in some), 3) for word in tops}
            assert tree.span_head(start, end) == min(tops, key=lambda word: (rank[word], word))
        below = [word for word in range(len(tree)) if start in above(word)]
        assert tree.subtree_extent(start) == (min(below), max(below))


# Parses are built when asked for, once, and follow a change of the sentences.


def test_a_document_that_keeps_its_parses() -> None:
    document = hand.story()
    kept = ParsedDocument.of(document)
    assert kept.parse(1) is kept.parse(1) is ParsedDocument.of(kept).parse(1)
    assert (kept.name, kept.sentences, kept.mentions) == (document.name, document.sentences, document.mentions)
    assert [kept.mention_head(mention) for mention in kept.mentions or ()] == [0, 4, 1, 3, 0, 3, 0, 3]
    assert pickle.loads(pickle.dumps(kept)) == kept


def test_other_sentences_have_other_parses() -> None:
    kept = ParsedDocument.of(hand.document(hand.UD))
    assert kept.parse(0).relations[4] == "nsubj"
    assert replace(kept, sentences=(hand.PREDICATE_UD,)).parse(0).relations[4] == "root"


def test_a_sentence_without_a_parse_is_refused_where_it_is_needed() -> None:
    kept = ParsedDocument.of(Document("half", (hand.UD, Sentence(("Hm",)))))
    assert kept.mention_head(Mention(0, 0, 4)) == 2


# Heads that form a cycle, against walking up from every word.


def ends_at_the_root(heads: list[int], word: int) -> bool:
    for _ in heads:
        word = heads[word]
        if word < 0:
            return True
    return False


@given(st.lists(st.integers(-1, 9), max_size=10))
@example([])
@example([0])
@example([-1, *range(9)])
@example([*range(1, 10), -1])
@example([*range(1, 10), 0])
def test_circles_are_found_by_walking_up(any_heads: list[int]) -> None:
    heads = [min(head, len(any_heads) - 1) for head in any_heads]
    assert is_tree(heads) == all(ends_at_the_root(heads, word) for word in range(len(heads)))
