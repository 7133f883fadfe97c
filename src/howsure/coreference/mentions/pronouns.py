"""Closed classes of English words: pronouns with what they imply about their referent, titles, words for kin."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SINGULAR, PLURAL = "singular", "plural"
MASCULINE, FEMININE, NEUTER, PERSON = "masculine", "feminine", "neuter", "person"

# Canonical pronoun: its forms. `one` stands for the indefinite pronouns.
FORMS = {
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
CANONICAL = {form: pronoun for pronoun, forms in FORMS.items() for form in forms.split()}
CANONICAL_PRONOUNS = tuple(FORMS)

PRONOUN_NUMBER = {
    "I": SINGULAR, "he": SINGULAR, "she": SINGULAR, "it": SINGULAR, "we": PLURAL, "they": PLURAL,
}  # fmt: skip
WORD_NUMBER = {"this": SINGULAR, "that": SINGULAR, "these": PLURAL, "those": PLURAL, "yourselves": PLURAL}
PRONOUN_GENDER = {
    "I": PERSON, "you": PERSON, "we": PERSON, "he": MASCULINE, "she": FEMININE, "it": NEUTER,
}  # fmt: skip
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
