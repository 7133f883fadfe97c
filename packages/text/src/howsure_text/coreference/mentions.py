"""Mentions, and the linguistic attributes of each mention."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError, quote
from howsure_text import grammar
from howsure_text.parses import ParsedDocument, ParsedSentence

# Closed classes of English words: pronouns and what they imply about their referents, titles, and words for kin.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SINGULAR, PLURAL = "singular", "plural"
MASCULINE, FEMININE, NEUTER, PERSON = "masculine", "feminine", "neuter", "person"


# The forms of each canonical pronoun; `one` represents the indefinite pronouns.
PRONOUNS = {
    "I": "i me my mine myself",
    "you": "you your yours yourself yourselves ya u",
    "he": "he him his himself",
    "she": "she her hers herself",
    "it": "it its itself",
    "we": "we us our ours ourselves 's",
    "they": "they them their theirs themselves themself 'em",
    "this": "this these",
    "that": "that those",
    "who": "who whom whose which what whoever whatever",
    "one": "one ones someone somebody something anyone anybody anything everyone everybody everything nobody nothing "
    "none some all both each many others other another most any few several either neither",
}
CANONICAL = {form: pronoun for pronoun, forms in PRONOUNS.items() for form in forms.split()}
CANONICAL_PRONOUNS = tuple(PRONOUNS)
PRONOUN_NUMBER = {"I": SINGULAR, "he": SINGULAR, "she": SINGULAR, "it": SINGULAR, "we": PLURAL, "they": PLURAL}
WORD_NUMBER = {"this": SINGULAR, "that": SINGULAR, "these": PLURAL, "those": PLURAL, "yourselves": PLURAL}
PRONOUN_GENDER = {"I": PERSON, "you": PERSON, "we": PERSON, "he": MASCULINE, "she": FEMININE, "it": NEUTER}
PERSON_PRONOUNS = _words("who whom someone somebody anyone anybody everyone everybody nobody")
POSSESSIVES = _words("my your his her its our their mine yours hers ours theirs whose")
REFLEXIVES = _words("myself yourself himself herself itself ourselves yourselves themselves themself")
DEFINITE = frozenset({"the"})
DEMONSTRATIVE = _words("this that these those such")
INDEFINITE = _words("a an some any no every each another all both many several few most more either neither much")
PLACES_AND_TIMES = _words("here there now then today yesterday tomorrow")
MASCULINE_WORDS = _words(
    "mr mr. sir lord king prince duke emperor man men boy boys gentleman gentlemen guy guys father dad daddy son sons "
    "brother brothers husband uncle nephew grandfather grandpa grandson boyfriend widower actor waiter monk priest "
    "bishop pope congressman chairman businessman spokesman fisherman policeman fireman salesman"
)
FEMININE_WORDS = _words(
    "mrs mrs. ms ms. miss madam lady queen princess duchess empress woman women girl girls mother mom mommy mum "
    "daughter daughters sister sisters wife aunt niece grandmother grandma granddaughter girlfriend widow actress "
    "waitress nun congresswoman chairwoman businesswoman spokeswoman witch goddess"
)
PERSON_WORDS = _words(
    "person people child children baby kid kids friend friends dr dr. doctor prof prof. professor president minister "
    "senator judge justice mayor governor captain officer teacher student students author writer artist scientist "
    "player leader member members worker workers family parents parent cousin neighbor everyone guest host citizen "
    "nurse lawyer attorney editor journalist reporter user users participant participants candidate"
)
PERSON_ENDINGS = ("ist", "ian", "eer", "ologist")


# Speakers and addressees by sentence, and quotations.

QUOTATION_MARKS = {"“": 1, "”": -1, "``": 1, "''": -1}


def word_code(text: str) -> int:
    """Return a code for a word, which is the same on every machine; 0 for no word."""
    return zlib.crc32(text.encode("utf-8")) or 1 if text else 0


@dataclass(frozen=True, slots=True)
class Voices:
    """The speaker and the only addressee of a sentence (codes, 0 if unknown); named: all speakers by parts of names."""

    speaker: int
    addressee: int
    named: Mapping[str, int]

    def person(self, form: str, word: str) -> int:
        """Return the speaker denoted by "I", "you" or a name; 0 if the mention denotes no known speaker."""
        if form == "I":
            return self.speaker
        if form == "you":
            return self.addressee
        return self.named.get(word, 0) if form == "proper" else 0


@dataclass(frozen=True, slots=True)
class Speakers:
    """The speakers and addressees of all sentences of a document."""

    sentences: tuple[Voices, ...]

    @classmethod
    def of(cls, document: Document) -> Speakers:
        """Read `speaker` and `addressee` (several are separated by commas) from the metadata of the sentences."""
        speakers = [sentence.metadata.get("speaker", "").strip().lower() for sentence in document.sentences]
        addressees = [sentence.metadata.get("addressee", "").strip().lower() for sentence in document.sentences]
        people = {name for name in (*speakers, *addressees) if name and "," not in name}
        named = {part: word_code(name) for name in sorted(people) for part in (name, *name.replace("_", " ").split())}
        voices = [
            Voices(word_code(speaker), word_code(addressee) if "," not in addressee else 0, named)
            for speaker, addressee in zip(speakers, addressees, strict=True)
        ]
        return cls(tuple(voices))

    def at(self, sentence: int) -> Voices:
        """Return the speaker and addressee of a sentence."""
        return self.sentences[sentence]


def quotation_numbers(document: Document) -> list[int]:
    """Return for each word of a document the number of its quotation, from 1; 0 outside quotations."""
    numbers, inside, latest = [], False, 0
    for sentence in document.sentences:
        for word in sentence.words:
            turn = QUOTATION_MARKS.get(word, 0)
            if turn > 0 or (word == '"' and not inside):
                inside, latest = True, latest + 1
            elif turn < 0 or word == '"':
                inside = False
            numbers.append(latest if inside else 0)
    return numbers


# The attributes of a mention: type and form, number, gender, role, words and speaker.

PRONOMINAL, NOMINAL, PROPER = range(3)
NOMINAL_FORMS = ("definite", "demonstrative", "possessive", "indefinite", "bare", "number", "clause", "place or time")
FORMS = (*CANONICAL_PRONOUNS, "proper", *NOMINAL_FORMS)  # canonical pronoun, or type and definiteness
TYPE_OF_FORM = np.array(
    [PRONOMINAL] * len(CANONICAL_PRONOUNS) + [PROPER] + [NOMINAL] * len(NOMINAL_FORMS), dtype=np.int64
)
FORM_CODES = {form: code for code, form in enumerate(FORMS)}
NUMBERS = {"unknown": 0, SINGULAR: 1, PLURAL: 2}
GENDERS = {"unknown": 0, MASCULINE: 1, FEMININE: 2, NEUTER: 3, PERSON: 4}
ROLE_CODES = {role: code for code, role in enumerate(grammar.ROLES)}
PLAIN, POSSESSIVE, REFLEXIVE = range(3)
SKIPPED = DEFINITE | DEMONSTRATIVE | POSSESSIVES | {"a", "an", "'s", "’s", "'", "’"}


@dataclass(frozen=True, slots=True)
class MentionFacts:
    """The attributes of a mention: positions of words in the document (-1: none), and codes of words (0: none).

    words: the content words. modifiers: the content words except the head. numerals: numbers. names: capitalised words.
    governor, grand_governor: the word that governs the head in the parse, and the word that governs the governor.
    person: the speaker denoted by "I", by "you" if there is one addressee, or by a name; 0 if unknown. initials: the
    acronym.
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


def mention_facts(
    mention: Mention, tree: ParsedSentence, *, place: int, voices: Voices, quotation: int
) -> MentionFacts:
    """Compute the attributes of a mention from a parse whose first word is at position `place` in the document."""
    span = range(mention.start, mention.end)
    head = tree.span_head(mention.start, mention.end)
    word, governor = tree.words[head], tree.governors[head]
    grand = tree.governors[governor] if governor >= 0 else -1
    form = _form(tree, span, head)
    kept = [i for i in span if tree.words[i] not in SKIPPED]
    content = [i for i in kept if tree.kinds[i] not in (grammar.OTHER, grammar.DETERMINER)]
    lemmas = {i: word_code(lemma(tree, i)) for i in content}
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
        head_word=word_code(lemma(tree, head)),
        text=word_code(form if form in CANONICAL_PRONOUNS else plain),
        first_word=word_code(tree.words[mention.start]),
        governor_word=word_code(lemma(tree, governor)) if governor >= 0 else 0,
        initials=_initials(tree, span),
        ending=word_code(lemma(tree, head)[-3:]),
        speaker=voices.speaker,
        person=voices.person(form, word),
        quotation=quotation,
        words=frozenset(lemmas.values()),
        modifiers=frozenset(code for i, code in lemmas.items() if i != head),
        numerals=frozenset(code for i, code in lemmas.items() if tree.kinds[i] == grammar.NUMBER),
        names=frozenset(code for i, code in lemmas.items() if tree.kinds[i] == grammar.NAME),
    )


def lemma(tree: ParsedSentence, word: int) -> str:
    """Return a word in lower case, a plural noun without its ending.

    The parser's lemmas are not used, so that the result does not depend on whether the parser returns lemmas.
    """
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
    if kind in (grammar.PRONOUN, grammar.DETERMINER) or (len(span) == 1 and word in CANONICAL):
        return CANONICAL.get(word, "one")
    if kind == grammar.NAME:
        return "proper"
    if kind == grammar.NUMBER and len(span) == 1:
        return "number"
    if first in DEFINITE:
        return "definite"
    if first in DEMONSTRATIVE:
        return "demonstrative"
    if any(tree.heads[i] == head and tree.roles[i] == grammar.POSSESSOR for i in span):
        return "possessive"
    if kind == grammar.VERB:
        return "clause"
    if word in PLACES_AND_TIMES:
        return "place or time"
    if first in INDEFINITE or tree.kinds[span.start] == grammar.NUMBER:
        return "indefinite"
    return "bare"


def _case(tree: ParsedSentence, head: int) -> int:
    if tree.words[head] in REFLEXIVES:
        return REFLEXIVE
    owns = tree.words[head] in POSSESSIVES and tree.roles[head] == grammar.POSSESSOR
    return POSSESSIVE if owns else PLAIN


def _number(tree: ParsedSentence, span: range, head: int, form: str) -> str:
    word = tree.words[head]
    if form in CANONICAL_PRONOUNS:
        return WORD_NUMBER.get(word) or PRONOUN_NUMBER.get(form, "unknown")
    joined = any(tree.relations[child] == "conj" and child in span for child in tree.children[head])
    if joined or tree.plural[head] or word in ("people", "police"):
        return PLURAL
    return SINGULAR if tree.kinds[head] in (grammar.NOUN, grammar.NAME) else "unknown"


def _gender(tree: ParsedSentence, content: Iterable[int], head: int, form: str) -> str:
    word = tree.words[head]
    if form in CANONICAL_PRONOUNS:
        default = PERSON if word in PERSON_PRONOUNS else "unknown"
        return PRONOUN_GENDER.get(form, default)
    base = lemma(tree, head)
    near = {word, base} | {tree.words[i] for i in content if tree.kinds[i] == grammar.NAME}
    if near & MASCULINE_WORDS:
        return MASCULINE
    if near & FEMININE_WORDS:
        return FEMININE
    if near & PERSON_WORDS or base.endswith(PERSON_ENDINGS):
        return PERSON
    return NEUTER if form in ("number", "clause", "place or time") else "unknown"


def _initials(tree: ParsedSentence, span: range) -> int:
    """Return the code of the acronym: of the name itself if it is in capitals, otherwise of its initial capitals."""
    cased = [tree.sentence.words[i] for i in span]
    letters = [word[0] for word in cased if word[:1].isupper()]
    if len(letters) >= 2:
        return word_code("".join(letters))
    single = [word.replace(".", "") for word in cased if word.replace(".", "").isupper() and len(word) > 1]
    return word_code(single[0]) if len(single) == 1 and len(single[0]) > 1 else 0


# The mentions of a document as columns of numbers, one column per attribute.

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MentionColumns:
    """The attributes of M mentions in text order, as columns and as rows; see `MentionFacts` for each attribute."""

    rows: tuple[MentionFacts, ...]
    sentence: Codes
    start: Codes
    end: Codes
    head: Codes
    governor: Codes
    grand_governor: Codes
    form: Codes
    number: Codes
    gender: Codes
    role: Codes
    case: Codes
    head_word: Codes
    text: Codes
    first_word: Codes
    governor_word: Codes
    initials: Codes
    ending: Codes
    speaker: Codes
    person: Codes
    quotation: Codes

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def type(self) -> Codes:
        """The type of each mention: pronominal, nominal or proper."""
        return TYPE_OF_FORM[self.form]

    def sets(self, name: str) -> list[frozenset[int]]:
        """Return an attribute that is a set of words, such as "words", of each mention."""
        return [getattr(row, name) for row in self.rows]


COLUMNS = tuple(name for name in MentionColumns.__slots__ if name != "rows")


def mention_columns(document: Document, mentions: Sequence[Mention]) -> MentionColumns:
    """Compute the attributes of mentions of a parsed document."""
    check_mentions(document, mentions)
    offsets = [0, *accumulate(len(sentence) for sentence in document.sentences)]
    parsed = ParsedDocument.of(document)
    quotations, speakers = quotation_numbers(document), Speakers.of(document)
    rows = []
    for mention in mentions:
        number = mention.sentence
        place = offsets[number]
        quotation, voices = quotations[place + mention.start], speakers.at(number)
        rows.append(mention_facts(mention, parsed.parse(number), place=place, voices=voices, quotation=quotation))
    columns = {name: np.array([getattr(row, name) for row in rows], dtype=np.int64) for name in COLUMNS}
    return MentionColumns(tuple(rows), **columns)


def check_mentions(document: Document, mentions: Sequence[Mention]) -> None:
    """Raise InputError if mentions lie outside the document, or are out of order."""
    for row, mention in enumerate(mentions):
        if not isinstance(mention, Mention):
            raise InputError(f"mentions must be Mention(sentence, start, end); `matrix row {row}` is {quote(mention)}.")
        n = len(document.sentences)
        length = len(document.sentences[mention.sentence]) if 0 <= mention.sentence < n else 0
        if not 0 <= mention.start < mention.end <= length:
            raise InputError(
                f"mentions must be inside the sentences of document {document.name}; `matrix row {row}` spans words "
                f"{mention.start} to {mention.end} of sentence {mention.sentence}, which has {length} words."
            )
        if row and mentions[row] < mentions[row - 1]:
            raise InputError(
                f"mentions must be in text order (sentence, start, end); `matrix row {row}` of document "
                f"{document.name} begins before the mention of the row above it. Sort them."
            )


def check_document(document: object) -> None:
    """Raise InputError unless the argument is a Document."""
    if not isinstance(document, Document):
        raise InputError(
            "document must be one Document, such as those of howsure.data.read_documents(file); it is "
            f"{type(document).__name__}."
        )
