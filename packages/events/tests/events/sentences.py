"""Parsed sentences, written by hand, one word a line: word, tag, head (from 1, 0 the root), relation."""

from __future__ import annotations

from howsure.data.documents.document import Document, Sentence

LEMMAS = {"attacked": "attack", "attacking": "attack", "attacks": "attack"}


def parsed(text: str, *, lemmas: bool = True) -> Sentence:
    """A sentence from `word/tag/head/relation` words; tags of Penn Treebank."""
    rows = [word.split("/") for word in text.split()]
    words, tags, heads, relations = zip(*rows, strict=True)
    lemma_forms = tuple(LEMMAS.get(word, word).lower() for word in words) if lemmas else None
    return Sentence(words, lemma_forms, tags, heads=tuple(int(head) - 1 for head in heads), relations=relations)


def document(*texts: str) -> Document:
    """A document of such sentences."""
    return Document("made up", tuple(parsed(text) for text in texts))


ACTIVE = "American/JJ/2/amod forces/NNS/3/nsubj attacked/VBD/0/root Iraq/NNP/3/obj"
PASSIVE = (
    "Iraqi/JJ/2/amod forces/NNS/4/nsubj:pass were/VBD/4/aux:pass attacked/VBN/0/root by/IN/6/case them/PRP/4/obl:agent"
)
NOUN = "This/DT/4/nsubj was/VBD/4/cop an/DT/4/det attack/NN/0/root"
NOUN_BY = (
    "An/DT/2/det attack/NN/6/nsubj by/IN/5/case Israeli/JJ/5/amod forces/NNS/2/nmod failed/VBD/0/root on/IN/8/case "
    "Monday/NNP/6/obl"
)
NOUN_ON = "the/DT/2/det attacks/NNS/0/root on/IN/4/case Kuwait/NNP/2/nmod by/IN/6/case Iraq/NNP/2/nmod"
NOUN_BY_TWO = (
    "an/DT/2/det attack/NN/0/root By/IN/4/case troops/NNS/2/nmod and/CC/6/cc rebels/NNS/4/conj near/IN/8/case "
    "Basra/NNP/2/nmod"
)
POSSESSIVE = "Israel/NNP/3/nmod:poss 's/POS/1/case attack/NN/0/root on/IN/5/case Kuwait/NNP/3/nmod"
CLEAR_NOUN = "attacks/NNS/0/ROOT by/IN/1/prep troops/NNS/2/pobj on/IN/1/prep Kuwait/NNP/4/pobj"
CONJOINED = (
    "Iraqi/JJ/4/amod and/CC/3/cc Iranian/JJ/1/conj troops/NNS/7/nsubj and/CC/6/cc rebels/NNS/4/conj "
    "attacked/VBD/0/root Kuwait/NNP/7/obj"
)
SHARED = "They/PRP/2/nsubj came/VBD/0/root and/CC/4/cc attacked/VBD/2/conj"
SHARED_PASSIVE = "They/PRP/2/nsubj came/VBD/0/root and/CC/5/cc were/VBD/5/aux:pass attacked/VBN/2/conj"
PASSIVE_SHARED = "It/PRP/3/nsubj:pass was/VBD/3/aux:pass seized/VBN/0/root and/CC/5/cc attacked/VBN/3/conj"
CONTROLLED = "Iraq/NNP/2/nsubj wanted/VBD/0/root to/TO/4/mark attack/VB/2/xcomp Kuwait/NNP/4/obj"
OBJECT_CONTROLLED = "He/PRP/2/nsubj ordered/VBD/0/root troops/NNS/2/obj to/TO/5/mark attack/VB/2/xcomp"
PASSIVE_CONTROLLED = "Troops/NNS/3/nsubj:pass were/VBD/3/aux:pass ordered/VBN/0/root to/TO/5/mark attack/VB/3/xcomp"
RELATIVE = "troops/NNS/0/root that/WDT/3/nsubj attacked/VBD/1/acl:relcl Kuwait/NNP/3/obj"
CLEAR_PASSIVE = (
    "Kuwait/NNP/3/nsubjpass was/VBD/3/auxpass attacked/VBN/0/ROOT by/IN/3/agent troops/NNS/4/pobj from/IN/5/prep "
    "Iraq/NNP/6/pobj"
)
OLD_PASSIVE = "It/PRP/3/nsubjpass was/VBD/3/auxpass attacked/VBN/0/root by/IN/5/case Iraq/NNP/3/nmod:agent"
PRESIDENT = "President/NNP/0/root Saddam/NNP/1/flat Hussein/NNP/1/flat of/IN/5/case Iraq/NNP/1/nmod spoke/VBD/1/acl"
HUSSEIN = "Mr./NNP/2/compound Hussein/NNP/4/nsubj might/MD/4/aux attack/VB/0/root Kuwait/NNP/4/obj"
