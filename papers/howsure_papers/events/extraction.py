"""From the texts of an experiment to a store of events."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

from howsure.coreference.antecedent_model import AntecedentModel
from howsure.events.corpus import Fields, open_corpus
from howsure.events.extraction.extract_events import ExtractionReport, extract_events
from howsure.events.extraction.processes import Work
from howsure.events.lexicon import Lexicon
from howsure.events.rule import Rule, built_in_rule
from howsure_papers.events.corpora import News
from howsure_papers.reproduction import Advance

SAMPLES = 100
PAPER = built_in_rule("attack")
VERBS = {
    "attack": "attack attacks attacked attacking", "assault": "assault assaults assaulted assaulting",
    "ambush": "ambush ambushes ambushed ambushing", "bomb": "bomb bombs bombed bombing",
    "shell": "shell shells shelled shelling", "raid": "raid raids raided raiding",
    "invade": "invade invades invaded invading", "assassinate": "assassinate assassinates assassinated assassinating",
    "murder": "murder murders murdered murdering", "kidnap": "kidnap kidnaps kidnapped kidnapping",
    "abduct": "abduct abducts abducted abducting",
}  # fmt: skip
ATTACK_WIDE = built_in_rule("attack-wide")
WIDE = replace(
    ATTACK_WIDE,
    name="violence",
    verbs=tuple(VERBS),
    forms=tuple(form for forms in VERBS.values() for form in forms.split()),
)
NOUNS = replace(
    WIDE,
    name="violence, nouns",
    nouns=(
        "attack", "attacks", "assault", "assaults", "ambush", "ambushes", "bombing", "bombings", "shelling",
        "shellings", "raid", "raids", "invasion", "invasions", "assassination", "assassinations", "murder", "murders",
        "kidnapping", "kidnappings", "abduction", "abductions",
    ),
)  # fmt: skip


def store_events(
    news: News, path: Path, *, parser: str, rule: Rule, lexicon: Lexicon, seed: int, workers: int, advance: Advance
) -> ExtractionReport:
    """Parse the items and write what the rule finds in S samples of each to a store; `advance` is told of items."""
    texts = path.with_suffix(".jsonl")
    rows = ({"id": one.id, "date": one.date, "title": one.title, "text": one.text} for one in news.items)
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    corpus = open_corpus([texts], fields=Fields(id="id", date="date", title="title", text="text"))
    work = Work(
        parser=parser, model=AntecedentModel.pretrained(), lexicon=lexicon, rule=rule, samples=SAMPLES, seed=seed
    )
    return extract_events(corpus, path, work=work, workers=workers, advance=advance)


def words_of(rule: Rule) -> re.Pattern[str]:
    """The words without which a text has no event of a rule."""
    return re.compile(rf"\b(?:{'|'.join((*rule.forms, *rule.nouns))})\b", re.IGNORECASE)
