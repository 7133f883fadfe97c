"""The facts about each mention of a parsed document, independent of coreference: its descriptions, and whether it
acts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from howsure.data.documents.document import Document, Mention
from howsure.data.parses import grammar
from howsure.data.parses.parsed_document import ParsedDocument
from howsure.data.parses.parsed_sentence import ParsedSentence
from howsure.errors import InputError
from howsure.events.actors.lexicon import Lexicon
from howsure.events.rules.agents import deeds_in
from howsure.events.rules.rule import Rule

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, order=True)
class Description:
    """Mention number `mention` is described as `actor` by a word of its sentence: its head, or a modifier of it."""

    mention: int
    actor: str
    word: int


@dataclass(frozen=True, slots=True, order=True)
class Act:
    """Mention number `mention` acts: its head is the agent to the word `verb` of its sentence."""

    mention: int
    verb: int


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that a rule needs to know about a document with M mentions, except which of them corefer.

    actors: those that describe a mention, A of them. described (M, A): mention m is described as actor a. agent (M):
    mention m is an agent. descriptions, acts: the words behind them. A document without an agent cannot have an event:
    nothing else is computed, and A is 0.
    """

    actors: tuple[str, ...]
    described: Bools
    agent: Bools
    descriptions: tuple[Description, ...]
    acts: tuple[Act, ...]


def mention_facts(
    document: Document,
    mentions: Sequence[Mention],
    *,
    lexicon: Lexicon,
    rule: Rule,
    heads: Sequence[int] | None = None,
) -> Facts:
    """For each mention, the actors that it is described as, and whether it acts.

    A mention is described as an actor if its head word is in a name of the actor, or if a word in such a name has a
    relation of `rule.described_by` to the head. It acts if the rule finds its head as an agent. `heads` are those of
    `mention_heads`, if known.

    Raises InputError if a sentence with a mention lacks a dependency tree or tags, or a mention lies outside its text.
    """
    parsed = ParsedDocument.of(document)
    found = mention_heads(parsed, mentions) if heads is None else heads
    by_head: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, (mention, head) in enumerate(zip(mentions, found, strict=True)):
        by_head[mention.sentence, head].append(number)
    sentences = sorted({mention.sentence for mention in mentions})
    acts: list[Act] = []
    for at in sentences:
        for agent, verb in deeds_in(parsed.parse(at), rule=rule):
            acts.extend(Act(number, verb) for number in by_head.get((at, agent), ()))
    descriptions: list[Description] = []
    if acts:
        for at in sentences:
            for head, actor, word in descriptions_in(parsed.parse(at), lexicon=lexicon, rule=rule):
                descriptions.extend(Description(number, actor, word) for number in by_head.get((at, head), ()))
    return _facts(len(mentions), descriptions, acts)


def mention_heads(document: Document, mentions: Sequence[Mention]) -> list[int]:
    """The head word of each mention, as used by the antecedent model; see `ParsedSentence.head_of`."""
    parsed, heads = ParsedDocument.of(document), []
    for number, mention in enumerate(mentions):
        inside = 0 <= mention.sentence < len(document.sentences)
        if not inside or not 0 <= mention.start < mention.end <= len(document.sentences[mention.sentence]):
            raise InputError(f"mentions[{number}], {mention}, lies outside of document {document.name!r}.")
        heads.append(parsed.head_of(mention))
    return heads


def descriptions_in(parsed: ParsedSentence, *, lexicon: Lexicon, rule: Rule) -> list[tuple[int, str, int]]:
    """The (noun, actor, word of the actor's name) in a sentence, where the noun is the word itself or the one it
    modifies."""
    heads, relations = parsed.heads, parsed.relations
    conjuncts = grammar.CONJUNCTS if rule.conjoined else ()
    found = []
    for start, end, actor in lexicon.match(parsed.sentence.words):
        for word in range(start, end):
            found.append((word, actor, word))
            modifier = word
            while relations[modifier] in conjuncts and heads[modifier] >= 0:
                modifier = heads[modifier]
            noun = heads[modifier]
            if noun >= 0 and relations[modifier] in rule.described_by:
                found.append((noun, actor, word))
            elif noun >= 0 and heads[noun] >= 0 and f"{relations[noun]}>{relations[modifier]}" in rule.described_by:
                found.append((heads[noun], actor, word))
    return found


def _facts(n_mentions: int, descriptions: Sequence[Description], acts: Sequence[Act]) -> Facts:
    actors = tuple(sorted({one.actor for one in descriptions}))
    described = np.zeros((n_mentions, len(actors)), dtype=np.bool_)
    for one in descriptions:
        described[one.mention, actors.index(one.actor)] = True
    agent = np.zeros(n_mentions, dtype=np.bool_)
    agent[[act.mention for act in acts]] = True
    return Facts(actors, described, agent, tuple(sorted(set(descriptions))), tuple(sorted(set(acts))))
