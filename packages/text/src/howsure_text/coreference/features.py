"""The feature families of the antecedent model: for pairs of mentions, and for mentions that are new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from howsure_text import grammar
from howsure_text.coreference.mentions import GENDERS, NUMBERS, PRONOMINAL, ROLE_CODES, Codes, MentionColumns

# A feature family maps a mention, or a mention and a candidate antecedent, to a code: an integer from 0 to size - 1.

Matrix = NDArray[np.int64]
Truth = NDArray[np.bool_]


class Candidates:
    """All pairs of a document's mentions: row j is a mention, and column k a candidate antecedent (used if k < j)."""

    def __init__(self, attributes: MentionColumns) -> None:
        self.mentions = attributes
        self._shared: dict[str, Matrix] = {}

    def __len__(self) -> int:
        return len(self.mentions)

    def same(self, name: str) -> Truth:
        """Return for each pair whether both mentions have equal values in a column of `MentionColumns`."""
        column: Codes = getattr(self.mentions, name)
        equal: Truth = column[:, None] == column[None, :]
        return equal

    def both(self, name: str, size: int) -> Matrix:
        """Return for each pair one code that contains both mentions' values (0 … size - 1) in a column."""
        column: Codes = getattr(self.mentions, name)
        pair: Matrix = column[:, None] * size + column[None, :]
        return pair

    @cached_property
    def earlier(self) -> Truth:
        """Whether mention k (column) is earlier than mention j (row), so that k can be the antecedent of j."""
        return np.tri(len(self), k=-1, dtype=np.bool_)

    @cached_property
    def sentences_between(self) -> Matrix:
        """The number of sentence ends between both mentions."""
        sentence = self.mentions.sentence
        return sentence[:, None] - sentence[None, :]

    @cached_property
    def same_head(self) -> Truth:
        """Whether both mentions have the same word as head, and neither is a pronoun."""
        nominal = self.mentions.type != PRONOMINAL
        same: Truth = self.same("head_word") & nominal[:, None] & nominal[None, :]
        return same

    @cached_property
    def same_text(self) -> Truth:
        """Whether both mentions have the same words except articles and possessives, and neither is a pronoun."""
        nominal = self.mentions.type != PRONOMINAL
        same: Truth = self.same("text") & nominal[:, None] & nominal[None, :]
        return same

    def shared(self, name: str) -> Matrix:
        """Return the number of words in the intersection of both mentions' sets `name`, such as "words"."""
        if name not in self._shared:
            self._shared[name] = in_common(self.mentions.sets(name))
        return self._shared[name]


def in_common(sets: list[frozenset[int]]) -> Matrix:
    """Return the sizes of all intersections of sets, by a matrix product (integers below 2^24 are exact in float32)."""
    counts = Counter(word for words in sets for word in words)
    columns = {word: column for column, word in enumerate(word for word, count in counts.items() if count > 1)}
    cells = [(row, columns[word]) for row, words in enumerate(sets) for word in words if word in columns]
    members = np.zeros((len(sets), len(columns)), dtype=np.float32)
    if cells:
        members[tuple(np.array(cells).T)] = 1
    common = (members @ members.T).astype(np.int64)
    np.fill_diagonal(common, [len(words) for words in sets])
    common.flags.writeable = False
    return common


Conjunction = Literal["forms", "types", "none"]


@dataclass(frozen=True, slots=True)
class Family:
    """A family of features: codes 0 … size - 1, computed by `codes`, and the contexts with which a code is combined.

    For a family of pairs, `codes` returns an (M, M) matrix, with mentions as rows and antecedents as columns. For a
    family of "new", it returns one code per mention. conjunction: "none" means that each code is one feature. "types"
    adds a feature for each combination of a code with the types of the mentions (pronominal, nominal, proper). "forms"
    adds these, and a feature for each combination of a code with the forms of the mentions (canonical pronoun, or type
    and definiteness).
    """

    name: str
    size: int
    codes: Callable[[Candidates], Matrix]
    conjunction: Conjunction = "forms"


def bucket(values: Matrix, *, ends: tuple[int, ...]) -> Matrix:
    """Return for non-negative integers the index of the first of `ends` that is not smaller; `len(ends)` if all are.

    >>> bucket(np.array([0, 1, 4, 9]), ends=(0, 2, 5)).tolist()
    [0, 1, 2, 3]
    """
    table = np.searchsorted(np.asarray(ends), np.arange(ends[-1] + 2), side="left")
    return table[np.clip(values, 0, ends[-1] + 1)]


def nearer(chosen: Truth) -> Matrix:
    """Return for each column the number of chosen columns to its right (nearer to the mention).

    >>> nearer(np.array([[True, False, True, True]])).tolist()
    [[2, 2, 1, 0]]
    """
    up_to: Matrix = np.cumsum(chosen, axis=1)
    return up_to[:, -1:] - up_to


def hashed(*codes: Matrix, size: int) -> Matrix:
    """Hash several codes to one code 0 … size - 1; of more than `size` combinations, some share a code."""
    mixed = np.zeros(1, dtype=np.uint64)
    for code in codes:
        mixed = (mixed ^ code.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = mixed ^ (mixed >> np.uint64(29))
    return (mixed % np.uint64(size)).astype(np.int64)


# Agreement: number, gender, and the number of agreeing mentions in between.

RANK_ENDS = (0, 1, 2, 3, 5, 9, 20)
UNKNOWN, MASCULINE, FEMININE, NEUTER, PERSON = range(len(GENDERS))
CLASHES = np.zeros((len(GENDERS),) * 2, dtype=np.bool_)


for first, other in ((MASCULINE, FEMININE), (MASCULINE, NEUTER), (FEMININE, NEUTER), (PERSON, NEUTER)):
    CLASHES[first, other] = CLASHES[other, first] = True


def number(pairs: Candidates) -> Matrix:
    """Grammatical number (singular, plural, unknown) of both mentions."""
    return pairs.both("number", len(NUMBERS))


def gender(pairs: Candidates) -> Matrix:
    """Gender of both mentions."""
    return pairs.both("gender", len(GENDERS))


def agree(pairs: Candidates) -> Truth:
    """Return whether both mentions are compatible in number and gender."""
    numbers, genders = pairs.mentions.number, pairs.mentions.gender
    opposed = numbers[:, None] + numbers[None, :] == NUMBERS["singular"] + NUMBERS["plural"]
    opposed &= (numbers[:, None] > 0) & (numbers[None, :] > 0)
    possible: Truth = ~opposed & ~CLASHES[genders[:, None], genders[None, :]]
    return possible


def rank(pairs: Candidates) -> Matrix:
    """If the antecedent agrees, 1 + the number (in steps) of agreeing mentions between both; otherwise 0."""
    agreeing = agree(pairs) & pairs.earlier
    return agreeing * (1 + bucket(nearer(agreeing), ends=RANK_ENDS))


def same_form_rank(pairs: Candidates) -> Matrix:
    """Like `rank`, but only mentions of the same form are counted, such as "he" before "he"."""
    alike = pairs.same("form") & agree(pairs) & pairs.earlier
    return alike * (1 + bucket(nearer(alike), ends=(0, 1, 2, 5)))


AGREEMENT = (
    Family("number", len(NUMBERS) ** 2, number),
    Family("gender", len(GENDERS) ** 2, gender),
    Family("rank", len(RANK_ENDS) + 2, rank),
    Family("rank in form", 6, same_form_rank),
)


# Who speaks.


def speakers(pairs: Candidates) -> Matrix:
    """Speakers of both mentions: one or both unknown, the same, or different."""
    speaker = pairs.mentions.speaker
    both_known = (speaker[:, None] > 0) & (speaker[None, :] > 0)
    return np.where(both_known, np.where(pairs.same("speaker"), 1, 2), 0)


def persons(pairs: Candidates) -> Matrix:
    """Whether the mentions denote known speakers: neither, one of them, both the same, or both different."""
    return _known(pairs, "person")


def quotations(pairs: Candidates) -> Matrix:
    """Both mentions outside quotations, both in the same quotation, in different ones, or only one in a quotation."""
    return _known(pairs, "quotation")


def _known(pairs: Candidates, column: str) -> Matrix:
    """Return 1 if both values are known and equal, 2 if known and different, 3 or 4 if one is known, otherwise 0."""
    codes = getattr(pairs.mentions, column)
    mine, other = codes[:, None] > 0, codes[None, :] > 0
    return np.select([mine & other & pairs.same(column), mine & other, mine, other], [1, 2, 3, 4], 0)


DISCOURSE = (Family("speakers", 3, speakers), Family("persons", 5, persons), Family("quotations", 5, quotations))


# The distance to the antecedent.

MENTION_ENDS = (1, 2, 3, 4, 6, 8, 12, 18, 30, 50, 90, 150)
SENTENCE_ENDS = (0, 1, 2, 3, 4, 6, 9, 14, 22, 40)


def mentions_between(pairs: Candidates) -> Matrix:
    """Distance in mentions, in steps of increasing size."""
    order = np.arange(len(pairs))
    return bucket(order[:, None] - order[None, :], ends=MENTION_ENDS)


def sentences_between(pairs: Candidates) -> Matrix:
    """Distance in sentences, in steps of increasing size."""
    return bucket(pairs.sentences_between, ends=SENTENCE_ENDS)


def place_in_document(pairs: Candidates) -> Matrix:
    """Sentence of the antecedent: the first, the second or third, or a later one."""
    return np.broadcast_to(bucket(pairs.mentions.sentence, ends=(0, 2)), (len(pairs),) * 2)


DISTANCE = (
    Family("mentions between", len(MENTION_ENDS) + 1, mentions_between),
    Family("sentences between", len(SENTENCE_ENDS) + 1, sentences_between),
    Family("antecedent's place", 3, place_in_document),
)


# The similarity of the words of two mentions.

NEAR_ENDS = (0, 1, 3, 8, 20)


def match_level(pairs: Candidates) -> Matrix:
    """Words in common: none, some, one set contains the other, the head, head and containment, all."""
    shared = pairs.shared("words")
    size = np.diag(shared)
    contained = (shared > 0) & ((shared == size[:, None]) | (shared == size[None, :]))
    level = np.where(contained, 2, np.minimum(shared, 1))
    level = np.where(pairs.same_head, 3 + contained, level)
    return np.where(pairs.same_text, 5, level)


def match(pairs: Candidates) -> Matrix:
    """The match level combined with the distance in sentences, because matching words also link distant mentions."""
    return match_level(pairs) * (len(NEAR_ENDS) + 1) + bucket(pairs.sentences_between, ends=NEAR_ENDS)


def containment(pairs: Candidates) -> Matrix:
    """Which mention contains all words of the other, and whether both have the same head."""
    shared = pairs.shared("words")
    size = np.diag(shared)
    within, around = (shared == size[:, None]) & (shared > 0), (shared == size[None, :]) & (shared > 0)
    code: Matrix = within * 1 + around * 2 + pairs.same_head * 4
    return code


def names(pairs: Candidates) -> Matrix:
    """Capitalised words in common: not both have any, none in common, one set contains the other, some, all."""
    shared = pairs.shared("names")
    size = np.diag(shared)
    comparable = (size[:, None] > 0) & (size[None, :] > 0)
    within, around = shared == size[:, None], shared == size[None, :]
    code: Matrix = comparable * np.select([within & around, within, around, shared > 0], [5, 2, 3, 4], 1)
    return code


def modifiers(pairs: Candidates) -> Matrix:
    """Features of the modifiers of matching heads: of neither, of one, same, contained, overlapping, or different."""
    shared = pairs.shared("modifiers")
    size = np.diag(shared)
    mine, other = size[:, None], size[None, :]
    kind = np.select(
        [
            (mine == 0) & (other == 0),
            mine == 0,
            other == 0,
            (shared == mine) & (shared == other),
            shared == mine,
            shared == other,
            shared > 0,
        ],
        [1, 2, 3, 4, 5, 6, 7],
        8,
    )
    code: Matrix = pairs.same_head * kind
    return code


def numerals(pairs: Candidates) -> Matrix:
    """Numerals: not in both mentions, at least one in common, or different."""
    shared = pairs.shared("numerals")
    size = np.diag(shared)
    return np.where((size[:, None] > 0) & (size[None, :] > 0), np.where(shared > 0, 1, 2), 0)


def acronym(pairs: Candidates) -> Matrix:
    """Whether the initials are the same but the words are not."""
    initials = pairs.mentions.initials
    return (pairs.same("initials") & (initials[:, None] > 0) & ~pairs.same_text).astype(np.int64)


def nearest_match(pairs: Candidates) -> Matrix:
    """If the heads match, 1 + the number (in steps) of mentions in between with the same head; otherwise 0."""
    return pairs.same_head * (1 + bucket(nearer(pairs.same_head & pairs.earlier), ends=(0, 1, 3)))


def head_mentions_before(pairs: Candidates) -> Matrix:
    """How often the head of the antecedent occurred before the antecedent, and whether the heads of both match."""
    before = bucket((pairs.same_head & pairs.earlier).sum(axis=1), ends=(0, 1, 3))
    return before[None, :] + 4 * pairs.same_head


MATCH = (
    Family("match", 6 * (len(NEAR_ENDS) + 1), match),
    Family("containment", 8, containment),
    Family("names", 6, names),
    Family("modifiers", 9, modifiers),
    Family("numerals", 3, numerals),
    Family("acronym", 2, acronym),
    Family("nearest match", 5, nearest_match),
    Family("seen before", 8, head_mentions_before),
)


# Syntax: roles, nested mentions, and the path between heads.

N_ROLES = len(ROLE_CODES)
APPOSITION, PREDICATE, CONJUNCT, POSSESSOR, MODIFIER = (
    ROLE_CODES[role]
    for role in (grammar.APPOSITION, grammar.PREDICATE, grammar.CONJUNCT, grammar.POSSESSOR, grammar.MODIFIER)
)
SUBJECTS = [ROLE_CODES[role] for role in (grammar.SUBJECT, grammar.PASSIVE_SUBJECT)]


def roles(pairs: Candidates) -> Matrix:
    """Syntactic roles of both mentions."""
    return pairs.both("role", N_ROLES)


def antecedent_role(pairs: Candidates) -> Matrix:
    """Role of the antecedent and its distance, because subjects of the last sentences are often topics."""
    role: Matrix = pairs.mentions.role[None, :] * 4
    return role + bucket(pairs.sentences_between, ends=(0, 1, 3))


def parallel(pairs: Candidates) -> Matrix:
    """Whether the roles are the same, whether the governors are the same word, and the distance in sentences."""
    governor = pairs.mentions.governor_word
    same_word = pairs.same("governor_word") & (governor[:, None] > 0) & ~pairs.same("governor")
    return pairs.same("role") + 2 * same_word + 4 * bucket(pairs.sentences_between, ends=(0, 2))


def nesting(pairs: Candidates) -> Matrix:
    """Nesting: none, or the mention inside the antecedent or around it, combined with the role of the inner mention."""
    a = pairs.mentions
    inside = (a.start[:, None] >= a.start[None, :]) & (a.end[:, None] <= a.end[None, :])
    around = (a.start[:, None] <= a.start[None, :]) & (a.end[:, None] >= a.end[None, :]) & ~inside
    role = np.where(inside, a.role[:, None], a.role[None, :])
    kind = np.select([role == APPOSITION, role == POSSESSOR, role == MODIFIER, role == CONJUNCT], [1, 2, 3, 4], 0)
    code: Matrix = np.where(inside, 1 + kind, np.where(around, 6 + kind, 0)) + 11 * pairs.same("head")
    return code


def path(pairs: Candidates) -> Matrix:
    """Return features of the syntactic path between heads: apposition, predicate, enumeration, same governor …"""
    a = pairs.mentions
    over = a.governor[:, None] == a.head[None, :]  # the antecedent's head governs the mention's
    under = a.head[:, None] == a.governor[None, :]
    sisters = pairs.same("governor") & (a.governor[:, None] >= 0) & ~pairs.same("head")
    mine, other = a.role[:, None], a.role[None, :]
    subject_of = np.isin(other, SUBJECTS)
    kind = np.select(
        [
            over & (mine == APPOSITION),
            over & (mine == CONJUNCT),
            over & (mine == POSSESSOR),
            over,
            under & (mine == PREDICATE) & subject_of,
            under & (other == POSSESSOR),
            under & (other == APPOSITION),
            under,
            sisters & (mine == PREDICATE) & subject_of,
            sisters & subject_of,
            sisters,
        ],
        [1, 2, 3, 4, 5, 6, 7, 8, 5, 9, 10],
        0,
    )
    owns_sister = (a.grand_governor[:, None] == a.governor[None, :]) & (a.governor[None, :] >= 0)
    own_phrase = owns_sister & (mine == POSSESSOR) & subject_of  # she lost her keys
    code: Matrix = np.where((kind == 0) & own_phrase, 11, kind) * 3 + a.case[:, None]
    return code


def lengths(pairs: Candidates) -> Matrix:
    """Lengths of both mentions, in words."""
    length = bucket(pairs.mentions.end - pairs.mentions.start, ends=(1, 2, 4))
    code: Matrix = length[:, None] * 4 + length[None, :]
    return code


SYNTAX = (
    Family("roles", N_ROLES**2, roles, conjunction="types"),
    Family("antecedent's role", N_ROLES * 4, antecedent_role),
    Family("parallel", 12, parallel),
    Family("nesting", 22, nesting),
    Family("path", 36, path),
    Family("lengths", 16, lengths),
)


# Lexical features, hashed to a limited number of cells: pairs of heads, and nouns with pronouns.

CELLS = 1 << 14


def heads(pairs: Candidates) -> Matrix:
    """Return the heads of both mentions; cell 0 if one is a pronoun."""
    a = pairs.mentions
    nominal = a.type != PRONOMINAL
    cells = 1 + hashed(a.head_word[:, None], a.head_word[None, :], size=CELLS - 1)
    return np.where(nominal[:, None] & nominal[None, :], cells, 0)


def head_and_pronoun(pairs: Candidates) -> Matrix:
    """The head of the antecedent with the pronoun that is the mention, to learn which nouns "he" can refer to."""
    return _with_pronoun(pairs, pairs.mentions.head_word)


def ending_and_pronoun(pairs: Candidates) -> Matrix:
    """The last letters of the antecedent's head, with the pronoun that is the mention."""
    return _with_pronoun(pairs, pairs.mentions.ending)


def _with_pronoun(pairs: Candidates, word: Matrix) -> Matrix:
    a = pairs.mentions
    cells = 1 + hashed(word[None, :], a.form[:, None], size=CELLS - 1)
    return np.where((a.type[:, None] == PRONOMINAL) & (a.type[None, :] != PRONOMINAL), cells, 0)


WORDS = (
    Family("heads", CELLS, heads, conjunction="none"),
    Family("head and pronoun", CELLS, head_and_pronoun, conjunction="none"),
    Family("ending and pronoun", CELLS, ending_and_pronoun, conjunction="none"),
)


# Whether a mention introduces a new entity: one code per mention.

NEW_CELLS = 1 << 13
ORDER_ENDS = (0, 1, 3, 7, 15, 30, 60, 120, 240)


def always(pairs: Candidates) -> Codes:
    """A constant; combined with the form of the mention, it shows how often each form introduces an entity."""
    return np.zeros(len(pairs), dtype=np.int64)


def order(pairs: Candidates) -> Codes:
    """The number of earlier mentions."""
    return bucket(np.arange(len(pairs)), ends=ORDER_ENDS)


def best_match(pairs: Candidates) -> Codes:
    """The best match level of any earlier mention, and how often the mention's head occurred before."""
    level = (match_level(pairs) * pairs.earlier).max(axis=1, initial=0)
    times = bucket((pairs.same_head & pairs.earlier).sum(axis=1), ends=(0, 1))
    best: Codes = level * 3 + times
    return best


def candidates_near(pairs: Candidates) -> Codes:
    """The number of agreeing earlier mentions in this and the two preceding sentences."""
    near = agree(pairs) & pairs.earlier & (pairs.sentences_between <= 2)
    return bucket(near.sum(axis=1), ends=(0, 1, 3, 8))


def same_form_before(pairs: Candidates) -> Codes:
    """Return whether an earlier mention denotes the same speaker or has the same words, and whether one is near."""
    person = pairs.mentions.person
    same_person_before = (pairs.same("person") & (person[:, None] > 0) & pairs.earlier).any(axis=1)
    alike = pairs.same("text") & pairs.earlier
    near = (alike & (pairs.sentences_between <= 2)).any(axis=1)
    return np.select([same_person_before, person > 0, near, alike.any(axis=1)], [1, 2, 3, 4], 0)


def length(pairs: Candidates) -> Codes:
    """The number of words, in steps."""
    return bucket(pairs.mentions.end - pairs.mentions.start, ends=(1, 2, 3, 4, 6, 10))


def role(pairs: Candidates) -> Codes:
    """The syntactic role, and whether the mention is a part of another mention."""
    a = pairs.mentions
    inside = (a.start[:, None] >= a.start[None, :]) & (a.end[:, None] <= a.end[None, :])
    nested = inside.sum(axis=1) > 1
    code: Codes = a.role * 2 + nested
    return code


def number_and_gender(pairs: Candidates) -> Codes:
    return pairs.mentions.number * len(GENDERS) + pairs.mentions.gender


def case_and_quotation(pairs: Candidates) -> Codes:
    """Possessive, reflexive or neither; in a quotation or outside."""
    return pairs.mentions.case * 2 + (pairs.mentions.quotation > 0)


def head(pairs: Candidates) -> Codes:
    return hashed(pairs.mentions.head_word, size=NEW_CELLS)


def first_word(pairs: Candidates) -> Codes:
    return hashed(pairs.mentions.first_word, size=NEW_CELLS)


NEW_FAMILIES: tuple[Family, ...] = (
    Family("new", 1, always),
    Family("new: order", len(ORDER_ENDS) + 1, order),
    Family("new: best match", 18, best_match),
    Family("new: candidates near", 5, candidates_near),
    Family("new: same form before", 5, same_form_before),
    Family("new: length", 7, length),
    Family("new: role", len(ROLE_CODES) * 2, role),
    Family("new: number and gender", len(NUMBERS) * len(GENDERS), number_and_gender),
    Family("new: case and quotation", 6, case_and_quotation),
    Family("new: head", NEW_CELLS, head, conjunction="none"),
    Family("new: first word", NEW_CELLS, first_word, conjunction="none"),
)


PAIR_FAMILIES: tuple[Family, ...] = (*DISTANCE, *MATCH, *AGREEMENT, *SYNTAX, *DISCOURSE, *WORDS)
