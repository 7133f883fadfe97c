"""The facts about one mention: type and form, number, gender, role, words, speaker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from howsure.coreference.mentions import pronouns
from howsure.coreference.mentions.speakers import Voices, code_of
from howsure.data.documents.document import Mention
from howsure.data.parses import grammar
from howsure.data.parses.parsed_sentence import ParsedSentence

PRONOMINAL, NOMINAL, PROPER = range(3)
NOMINAL_FORMS = ("definite", "demonstrative", "possessive", "indefinite", "bare", "number", "clause", "place or time")
FORMS = (*pronouns.CANONICAL_PRONOUNS, "proper", *NOMINAL_FORMS)  # canonical pronoun, or type and definiteness
TYPE_OF_FORM = np.array(
    [PRONOMINAL] * len(pronouns.CANONICAL_PRONOUNS) + [PROPER] + [NOMINAL] * len(NOMINAL_FORMS), dtype=np.int64
)
FORM_CODES = {form: code for code, form in enumerate(FORMS)}
NUMBERS = {"unknown": 0, pronouns.SINGULAR: 1, pronouns.PLURAL: 2}
GENDERS = {"unknown": 0, pronouns.MASCULINE: 1, pronouns.FEMININE: 2, pronouns.NEUTER: 3, pronouns.PERSON: 4}
ROLE_CODES = {role: code for code, role in enumerate(grammar.ROLES)}
PLAIN, POSSESSIVE, REFLEXIVE = range(3)
SKIPPED = pronouns.DEFINITE | pronouns.DEMONSTRATIVE | pronouns.POSSESSIVES | {"a", "an", "'s", "’s", "'", "’"}


@dataclass(frozen=True, slots=True)
class MentionFacts:
    """One mention. Positions count words from the start of the document, -1 means none; words are codes, 0 means none.

    `words`, `modifiers`, `numerals` and `names` are the content words of the mention, those beside the head, its
    numbers, and its capitalised words. `person` is the speaker denoted by I, by you with a single addressee, or by a
    name, 0 if unknown; `initials` is the acronym of the mention.
    """

    sentence: int
    start: int
    end: int
    head: int
    governor: int
    grand_governor: int
    form: int
    number: int
    gender: int
    role: int
    case: int
    head_word: int
    text: int
    first_word: int
    governor_word: int
    initials: int
    ending: int
    speaker: int
    person: int
    quotation: int
    words: frozenset[int]
    modifiers: frozenset[int]
    numerals: frozenset[int]
    names: frozenset[int]


def facts_of(mention: Mention, tree: ParsedSentence, *, place: int, voices: Voices, quotation: int) -> MentionFacts:
    """Read a mention from the tree of its sentence, whose first word is at position `place` in the document."""
    span = range(mention.start, mention.end)
    head = tree.head_of(mention.start, mention.end)
    word, governor = tree.words[head], tree.governors[head]
    grand = tree.governors[governor] if governor >= 0 else -1
    form = _form(tree, span, head)
    kept = [i for i in span if tree.words[i] not in SKIPPED]
    content = [i for i in kept if tree.kinds[i] not in (grammar.OTHER, grammar.DETERMINER)]
    lemmas = {i: code_of(lemma(tree, i)) for i in content}
    plain = " ".join(tree.words[i] for i in kept or span)
    return MentionFacts(
        sentence=mention.sentence,
        start=place + mention.start,
        end=place + mention.end,
        head=place + head,
        governor=place + governor if governor >= 0 else -1,
        grand_governor=place + grand if grand >= 0 else -1,
        form=FORM_CODES[form],
        number=NUMBERS[_number(tree, span, head, form)],
        gender=GENDERS[_gender(tree, content, head, form)],
        role=ROLE_CODES[tree.roles[head]],
        case=_case(tree, head),
        head_word=code_of(lemma(tree, head)),
        text=code_of(form if form in pronouns.CANONICAL_PRONOUNS else plain),
        first_word=code_of(tree.words[mention.start]),
        governor_word=code_of(lemma(tree, governor)) if governor >= 0 else 0,
        initials=_initials(tree, span),
        ending=code_of(lemma(tree, head)[-3:]),
        speaker=voices.speaker,
        person=voices.person(form, word),
        quotation=quotation,
        words=frozenset(lemmas.values()),
        modifiers=frozenset(code for i, code in lemmas.items() if i != head),
        numerals=frozenset(code for i, code in lemmas.items() if tree.kinds[i] == grammar.NUMBER),
        names=frozenset(code for i, code in lemmas.items() if tree.kinds[i] == grammar.NAME),
    )


def lemma(tree: ParsedSentence, word: int) -> str:
    """The word in lower case, a plural noun without its ending: the same rule whether or not the parser gives
    lemmas."""
    text = tree.words[word]
    if not tree.plural[word]:
        return text
    if text.endswith("ies") and len(text) > 4:
        return text[:-3] + "y"
    if text.endswith(("sses", "shes", "ches", "xes")):
        return text[:-2]
    return text[:-1] if text.endswith("s") and not text.endswith("ss") and len(text) > 2 else text


def _form(tree: ParsedSentence, span: range, head: int) -> str:
    kind, word, first = tree.kinds[head], tree.words[head], tree.words[span.start]
    if kind in (grammar.PRONOUN, grammar.DETERMINER) or (len(span) == 1 and word in pronouns.CANONICAL):
        return pronouns.CANONICAL.get(word, "one")
    if kind == grammar.NAME:
        return "proper"
    if kind == grammar.NUMBER and len(span) == 1:
        return "number"
    if first in pronouns.DEFINITE:
        return "definite"
    if first in pronouns.DEMONSTRATIVE:
        return "demonstrative"
    if any(tree.heads[i] == head and tree.roles[i] == grammar.POSSESSOR for i in span):
        return "possessive"
    if kind == grammar.VERB:
        return "clause"
    if word in pronouns.PLACES_AND_TIMES:
        return "place or time"
    if first in pronouns.INDEFINITE or tree.kinds[span.start] == grammar.NUMBER:
        return "indefinite"
    return "bare"


def _case(tree: ParsedSentence, head: int) -> int:
    if tree.words[head] in pronouns.REFLEXIVES:
        return REFLEXIVE
    owns = tree.words[head] in pronouns.POSSESSIVES and tree.roles[head] == grammar.POSSESSOR
    return POSSESSIVE if owns else PLAIN


def _number(tree: ParsedSentence, span: range, head: int, form: str) -> str:
    word = tree.words[head]
    if form in pronouns.CANONICAL_PRONOUNS:
        return pronouns.WORD_NUMBER.get(word) or pronouns.PRONOUN_NUMBER.get(form, "unknown")
    joined = any(tree.relations[child] == "conj" and child in span for child in tree.children[head])
    if joined or tree.plural[head] or word in ("people", "police"):
        return pronouns.PLURAL
    return pronouns.SINGULAR if tree.kinds[head] in (grammar.NOUN, grammar.NAME) else "unknown"


def _gender(tree: ParsedSentence, content: Iterable[int], head: int, form: str) -> str:
    word = tree.words[head]
    if form in pronouns.CANONICAL_PRONOUNS:
        known = pronouns.PERSON if word in pronouns.PERSON_PRONOUNS else "unknown"
        return pronouns.PRONOUN_GENDER.get(form, known)
    base = lemma(tree, head)
    near = {word, base} | {tree.words[i] for i in content if tree.kinds[i] == grammar.NAME}
    if near & pronouns.MASCULINE_WORDS:
        return pronouns.MASCULINE
    if near & pronouns.FEMININE_WORDS:
        return pronouns.FEMININE
    if near & pronouns.PERSON_WORDS or base.endswith(pronouns.PERSON_ENDINGS):
        return pronouns.PERSON
    return pronouns.NEUTER if form in ("number", "clause", "place or time") else "unknown"


def _initials(tree: ParsedSentence, span: range) -> int:
    """The code of an acronym: of a name in capitals, the name itself; of a longer name, its initial capitals."""
    cased = [tree.sentence.words[i] for i in span]
    letters = [word[0] for word in cased if word[:1].isupper()]
    if len(letters) >= 2:
        return code_of("".join(letters))
    single = [word.replace(".", "") for word in cased if word.replace(".", "").isupper() and len(word) > 1]
    return code_of(single[0]) if len(single) == 1 and len(single[0]) > 1 else 0
