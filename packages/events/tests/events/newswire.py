"""A made-up newswire: dated documents, parsed by hand, in which it is not clear who attacks."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
from tests.events.sentences import parsed

from howsure.data.documents.conllu import write_conllu
from howsure.data.documents.document import Document, Mention
from howsure_events.lexicon import Lexicon
from howsure_events.rule import Rule, built_in_rule
from howsure_text.coreference.antecedent_model import AntecedentModel

SENTENCES = (
    "{adjective}/JJ/2/amod forces/NNS/3/nsubj attacked/VBD/0/root the/DT/5/det town/NN/3/obj ././3/punct",
    "They/PRP/2/nsubj attacked/VBD/0/root the/DT/4/det border/NN/2/obj ././2/punct",
    "The/DT/2/det president/NN/5/nsubj of/IN/4/case {country}/NNP/2/nmod spoke/VBD/0/root ././5/punct",
    "The/DT/2/det president/NN/4/nsubj may/MD/4/aux attack/VB/0/root ././4/punct",
    "Prices/NNS/2/nsubj rose/VBD/0/root in/IN/4/case {country}/NNP/2/obl ././2/punct",
    "The/DT/2/det forces/NNS/4/nsubj:pass were/VBD/4/aux:pass attacked/VBN/0/root by/IN/7/case {adjective}/JJ/7/amod "
    "rebels/NNS/4/obl:agent ././4/punct",
)
QUIET = (2, 4)  # sentences in which nobody attacks
ACTORS = (("IRQ", "Iraq", "Iraqi"), ("IRN", "Iran", "Iranian"), ("USA", "America", "American"))
FIRST_DAY = date(1990, 1, 1)
HOSTILE = "<script>alert(1)</script>"


def lexicon() -> Lexicon:
    """Three actors, each with a country and an adjective."""
    return Lexicon([(code, name) for code, *names in ACTORS for name in names])


def rule() -> Rule:
    """The paper's rule."""
    return built_in_rule("attack")


def story(number: int, *, sentences: int = 4) -> Document:
    """A document of some sentences, always the same for a number; in three of four nobody attacks."""
    rng = np.random.default_rng(number)
    parsed_sentences = []
    for chosen in rng.choice(QUIET if number % 4 else len(SENTENCES), size=sentences).tolist():
        _, country, adjective = ACTORS[rng.integers(len(ACTORS))]
        parsed_sentences.append(parsed(SENTENCES[chosen].format(country=country, adjective=adjective)))
    day = FIRST_DAY + timedelta(days=number % 700)
    title = HOSTILE if number % 50 == 3 else f"Story {number}"
    metadata = {"date": day.isoformat(), "title": title, "desk": ("World", "Sports")[number % 10 == 7]}
    return Document(f"story-{number}", tuple(parsed_sentences), None, metadata)


def write_corpus(path: Path, documents: int, *, sentences: int = 4) -> Path:
    """Stories 0, 1, … as CoNLL-U."""
    write_conllu([story(number, sentences=sentences) for number in range(documents)], path)
    return path


def write_model(path: Path) -> Path:
    """A model that has learned little, and so is not sure."""
    text = story(0, sentences=2)
    example = Document("example", text.sentences, (Mention(0, 0, 2, "a"), Mention(1, 0, 1, "a")))
    AntecedentModel(mentions="detected", passes=1, rng=0).fit([example]).save(path)
    return path
