"""News of the police whose every document was read by people: `india_police_events`, and three scores for each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from howsure.coreference.antecedent_model import AntecedentModel
from howsure.events.corpus import Fields, open_corpus
from howsure.events.extraction.extract_events import extract_events
from howsure.events.extraction.processes import Work
from howsure.events.extraction.recount import recount_events
from howsure.events.lexicon import Lexicon
from howsure.events.periods import period_of
from howsure.events.rule import Rule, built_in_rule
from howsure.events.store.event_store import EventStore
from howsure.events.store.reading import columns_of
from howsure.inputs.pairs import Floats
from howsure_papers.events.corpora import packed_rows

NAME = "india_police_events"
POLICE = "POLICE"
NAMES = (
    "police", "policeman", "policemen", "policewoman", "policewomen", "police force", "police personnel", "cop", "cops",
    "constable", "constables", "inspector", "inspectors", "sub-inspector", "police commissioner",
    "superintendent of police", "commissioner of police", "crime branch", "rapid action force", "special task force",
    "state reserve police", "crpf", "srp", "rpf",
)  # fmt: skip
ACTS = {
    "KILL": ("kill kills killed killing shoot shoots shot shooting gunned gun", "firing shooting killing killings"),
    "ARREST": (
        "arrest arrests arrested arresting detain detains detained detaining nab nabs nabbed nabbing apprehend "
        "apprehended round rounds rounded book books booked catch caught held take took taken",
        "arrest arrests detention detentions custody",
    ),
    "ANY_ACTION": (
        "fire fires fired firing open opened burst lob lobbed use used resort resorted disperse dispersed lathicharge "
        "lathicharged cane caned clamp clamped impose imposed deploy deployed patrol patrolled raid raided seize "
        "seized recover recovered register registered search searched investigate investigated rescue rescued stop "
        "stopped prevent prevented control controlled escort escorted guard guarded file filed question questioned",
        "action firing lathicharge raid raids search protection custody bandobast patrolling",
    ),
}  # forms of verbs, and nouns
WORDS = {
    "KILL": r"police firing|police bullets|shot dead|gunned down|killed by (?:the )?police|police (?:shot|killed)",
    "ARREST": r"arrest\w*|detain\w*|custody|nabbed|rounded up",
    "ANY_ACTION": r"police|curfew|cops?|arrest\w*|firing|lathi\w*|crpf",
}  # that a reader would search for


@dataclass(frozen=True, slots=True)
class PoliceNews:
    """The documents in their order: identifiers, days, texts, and the labels of each question (N,)."""

    ids: tuple[str, ...]
    dates: tuple[str, ...]
    texts: tuple[str, ...]
    labels: dict[str, Floats]

    def cells(self, by: str) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
        """The period of each document: its week or its day."""
        return np.array(self.dates if by == "day" else [period_of(date, period=by) for date in self.dates])


def read_police_news(data: str | None, *, limit: int | None = None) -> PoliceNews:
    """The documents of `india_police_events`."""
    rows = list(islice(packed_rows(data, NAME), limit))
    return PoliceNews(
        tuple(str(row["id"]) for row in rows),
        tuple(row["date"] for row in rows),
        tuple(row["text"] for row in rows),
        {name: np.array([float(row["labels"][name]) for row in rows]) for name in ACTS},
    )


def word_score(news: PoliceNews, question: str) -> Floats:
    """x / (1 + x) of the number x of words that a reader would search for (N,)."""
    pattern = re.compile(rf"\b(?:{WORDS[question]})\b", re.IGNORECASE)
    found = np.array([float(len(pattern.findall(text))) for text in news.texts])
    return np.asarray(found / (1.0 + found))


def rule_for(question: str) -> Rule:
    """The rule of a question: its verbs and nouns; those of ANY_ACTION include the others'."""
    asked = list(ACTS) if question == "ANY_ACTION" else [question]
    forms = tuple(dict.fromkeys(word for one in asked for word in ACTS[one][0].split()))
    nouns = tuple(dict.fromkeys(word for one in asked for word in ACTS[one][1].split()))
    wide = built_in_rule("attack-wide")
    return replace(
        wide,
        name=question.lower(),
        verbs=(),
        forms=forms,
        nouns=nouns,
        noun_agents=("nmod:poss", "nmod(by)", "compound"),
    )


def extract_police(news: PoliceNews, stores: Mapping[str, Path], *, parser: str, seed: int, workers: int) -> None:
    """Write the store of each question, or go on with it: parsed once, and other events found in the same parses."""
    first, *others = ACTS
    texts = stores[first].with_suffix(".jsonl")
    rows = (
        {"id": name, "date": date, "text": text}
        for name, date, text in zip(news.ids, news.dates, news.texts, strict=True)
    )
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    lexicon = Lexicon([(POLICE, name) for name in NAMES], titles={POLICE: "the police"}, name="police")
    work = Work(parser=parser, model=AntecedentModel.pretrained(), lexicon=lexicon, rule=rule_for(first), seed=seed)
    corpus = open_corpus([texts], fields=Fields(id="id", date="date", text="text"))
    extract_events(corpus, stores[first], work=work, workers=workers)
    with EventStore.open(stores[first]) as store:
        for name in others:
            recount_events(store, stores[name], rule=rule_for(name), model=work.model, workers=workers)


def event_score(news: PoliceNews, path: Path) -> Floats:
    """The probability that the police act, by a store (N,); 0 where the rule finds nothing."""
    with EventStore.open(path) as store:
        held = columns_of(store, "SELECT d.id, e.probability FROM events e JOIN documents d USING (document)")
    found = dict(zip(held["id"].tolist(), held["probability"].tolist(), strict=True))
    return np.array([float(found.get(name, 0.0)) for name in news.ids])
