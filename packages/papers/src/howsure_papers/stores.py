"""Shared parts of the experiments on events and counts: rules, event stores and their folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from howsure.inputs.numbers_and_names import unknown_name
from howsure_events.corpus import Fields
from howsure_events.extraction.extract_events import ExtractionReport, extract_events, usable_processors
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.processes import Work
from howsure_events.lexicon import Lexicon
from howsure_events.rule import Rule, built_in_rule
from howsure_papers.corpora.coreference import parser_for
from howsure_papers.corpora.news import Item
from howsure_papers.reproduction import Advance, ExperimentResult, ignore_progress
from howsure_text.coreference.antecedent_model import AntecedentModel

SAMPLES = 100
PAPER, ATTACK_WIDE = built_in_rule("attack"), built_in_rule("attack-wide")
VERBS = {
    "attack": "attack attacks attacked attacking",
    "assault": "assault assaults assaulted assaulting",
    "ambush": "ambush ambushes ambushed ambushing",
    "bomb": "bomb bombs bombed bombing",
    "shell": "shell shells shelled shelling",
    "raid": "raid raids raided raiding",
    "invade": "invade invades invaded invading",
    "assassinate": "assassinate assassinates assassinated assassinating",
    "murder": "murder murders murdered murdering",
    "kidnap": "kidnap kidnaps kidnapped kidnapping",
    "abduct": "abduct abducts abducted abducting",
}
FORMS = tuple(" ".join(VERBS.values()).split())
WIDE = replace(ATTACK_WIDE, name="violence", verbs=tuple(VERBS), forms=FORMS)
EVENT_NOUNS = (
    "attack attacks assault assaults ambush ambushes bombing bombings shelling shellings raid raids invasion invasions "
    "assassination assassinations murder murders kidnapping kidnappings abduction abductions"
)
NOUNS = replace(WIDE, name="violence, nouns", nouns=tuple(EVENT_NOUNS.split()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Common settings of the parts. folder: of the stores. samples: the number of samples of labels, if drawn."""

    data: str | None
    parser: str | None
    limit: int | None
    seed: int
    workers: int | None
    folder: Path
    advance: Advance
    samples: int = 0
    lexicon: Lexicon = field(default_factory=Lexicon.countries)

    def extract(
        self,
        rows: Iterable[Mapping[str, str]],
        path: Path,
        rule: Rule,
        *,
        lexicon: Lexicon | None = None,
        advance: Advance = ignore_progress,
    ) -> tuple[Work, ExtractionReport]:
        """Parse texts and write the events that a rule finds in S samples of each text to a store, or continue a store.

        rows: texts with their id and date, and perhaps a title. `advance` is called with the number of texts done.
        """
        texts, row_list = path.with_suffix(".jsonl"), list(rows)
        texts.write_text("".join(json.dumps(row) + "\n" for row in row_list), encoding="utf-8")
        corpus = open_corpus([texts], fields=Fields(**{name: name for name in row_list[0]}))
        work = Work(
            parser=parser_for(self.parser, self.data),
            model=AntecedentModel.pretrained(),
            lexicon=self.lexicon if lexicon is None else lexicon,
            rule=rule,
            samples=SAMPLES,
            seed=self.seed,
        )
        workers = self.workers or usable_processors()
        return work, extract_events(corpus, path, work=work, workers=workers, advance=advance)


def store_rows(items: Iterable[Item]) -> list[dict[str, str]]:
    """The items of a corpus, as they are stored."""
    return [{"id": item.id, "date": item.date, "title": item.title, "text": item.text} for item in items]


def event_words(rule: Rule) -> re.Pattern[str]:
    """The words of a rule; only a text that contains one of them can have an event."""
    return re.compile(rf"\b(?:{'|'.join((*rule.forms, *rule.nouns))})\b", re.IGNORECASE)


Parts = Mapping[str, Callable[[Setting], ExperimentResult]]


def check_parts(only: Sequence[str], parts: Parts, experiment: str) -> None:
    """Raise InputError for the name of a part that the experiment does not have."""
    for name in only:
        if name not in parts:
            raise unknown_name("experiment", name, tuple(parts), place=f"howsure reproduce {experiment}")


def run_parts(only: Sequence[str], parts: Parts, setting: Setting) -> ExperimentResult:
    """The combined results of some parts of an experiment."""
    return sum((parts[name](setting) for name in only), ExperimentResult())
