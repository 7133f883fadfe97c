"""Section 6.2 of Nguyen & O'Connor (2015), error analysis: the documents with a probability near one half, one by one.

The disagreement of samples is computed. The content of the texts was read by hand and is given here in our own words.
The texts themselves are printed by the command, but are not part of a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from howsure.show.table import Column, digits
from howsure_events.series.counts import count_from_probabilities
from howsure_events.series.files import HIGH, LOW, doubtful_documents
from howsure_events.store.documents import StoredDocument, stored_documents
from howsure_events.store.event_store import EventStore
from howsure_papers.intervals import estimate_text, share_estimate, verdict
from howsure_papers.reproduction import NAME, TEXT, ExperimentResult, Finding, Numbers, numbers

COREFERENCE, RULE, NAMES, PARSE = "coreference", "rule", "names", "parse"
PRONOUNS = frozenset(
    {"he", "she", "it", "they", "him", "her", "them", "his", "its", "their", "who", "which", "this", "that"}
)
# By document and actor: whether it attacks, which step is in doubt or wrong, and what the text says.
READINGS: Mapping[tuple[str, str], tuple[bool, str, str]] = {
    ("2004-08-22-002", "CHN"): (False, RULE, "What would follow if it attacked: a condition, taken for an event."),
    ("2006-11-27-003", "SOM"): (False, RULE, "A group says that it will attack; the pronoun goes to where it rules."),
    ("2007-12-01-003", "TUR"): (True, COREFERENCE, "A state claims an attack; the pronoun is that state."),
    ("2010-01-12-002", "IRN"): (True, COREFERENCE, "Hackers of two states attack each other; the two become one."),
    ("2011-03-16-001", "ISR"): (True, COREFERENCE, "An air force attacks a group; the two become one."),
    ("2011-05-12-004", "UGA"): (False, COREFERENCE, "A crowd attacks; the pronoun goes to the state in which it does."),
    ("2011-06-30-007", "SYR"): (True, COREFERENCE, "An army attacks; the pronoun is the army, not the uprising."),
    ("2014-01-26-002", "AFG"): (False, COREFERENCE, "A bomber attacks; taken for the capital in which he does."),
    ("2016-06-27-002", "SYR"): (False, COREFERENCE, "A bomber attacks; taken for the border near which he does."),
    ("2017-01-17-002", "NGA"): (True, PARSE, "A pilot attacks; the air force is cut off the name of his plane."),
    ("2020-01-29-014", "GBR"): (False, RULE, "A treaty attacks an identity: a figure of speech, and not by her."),
    ("2021-01-13-006", "CAF"): (False, COREFERENCE, "Rebels attack; taken for the army that drives them back."),
    ("2022-03-24-026", "SSD"): (True, PARSE, "Rebels say that the army attacked first; its first mention is too long."),
    ("2024-05-27-013", "YEM"): (True, COREFERENCE, "A militia says that it attacked; the pronoun is that militia."),
    ("8122", "ISR"): (True, COREFERENCE, "Planes attack; only other sentences say whose."),
    ("8440", "IRN"): (False, PARSE, "An oil terminal that was attacked is taken for what attacks."),
    ("8516", "IRQ"): (True, COREFERENCE, "A state's planes attack; only a later sentence names them by the state."),
    ("13749", "IRQ"): (True, COREFERENCE, "A state says that it attacked; the pronoun is that state."),
    ("17117", "IRQ"): (True, COREFERENCE, "A state's planes attack; only a later sentence names them by the state."),
    ("19797", "USA"): (False, NAMES, "A company criticises a law; its name holds the name of another state."),
    ("19996", "USA"): (True, COREFERENCE, "One state understands why another attacked; the two become one."),
    ("21277", "USA"): (False, RULE, "A minister criticises a rate of interest: a figure of speech."),
}
LICENCES = (
    "No text of a document in doubt is quoted here: Reuters' stories are free for research only, Wikipedia's are CC "
    "BY-SA, which would bind this page as well, and of the available news only Wikinews (CC BY), which no experiment "
    "reads, might be quoted. `howsure reproduce events` prints the sentences if you have the data. Each document was "
    "read by one reader, who saw its probability."
)


def doubtful_cases(path: Path, corpus: str) -> ExperimentResult:
    """The documents of a store whose event has a probability in [.2, .8], the most doubtful first."""
    with EventStore.open(path) as store:
        cases = doubtful_documents(store)
        documents = stored_documents(store, {case["document"] for case in cases})
    if not cases:
        return ExperimentResult(notes=[f"{corpus}: no document has a probability in [{LOW:g}, {HIGH:g}]."])
    return ExperimentResult(
        findings=doubtful_findings(cases, f"{corpus}, the documents in doubt"),
        tables=[cases_table(cases, corpus)],
        notes=[LICENCES],
        quoted=[quote_case(case, documents[case["document"]]) for case in cases],
    )


def disagreement(case: Mapping[str, Any]) -> str:
    """Describe how samples with and without the event differ, by the link between mentions that separates them best."""
    if not case["links"]:
        return "nothing that a link decides"
    link = case["links"][0]
    if link["with_event"] < link["without_event"]:
        return f"{NAMES}: a mention of another actor joins in"
    pronoun = not PRONOUNS.isdisjoint((link["mention_text"].lower(), link["with_text"].lower()))
    return f"{COREFERENCE}: whom a pronoun means" if pronoun else f"{COREFERENCE}: whether two nouns mean the same"


def find_reading(case: Mapping[str, Any]) -> tuple[bool, str, str] | None:
    """Return what a reader of the text found; None if nobody has read it."""
    return READINGS.get((case["id"], case["actor"]))


def cases_table(cases: Sequence[Mapping[str, Any]], corpus: str) -> Numbers:
    """A row for each document and actor."""

    def acts(case: Mapping[str, Any]) -> str:
        reading = find_reading(case)
        return "not read" if reading is None else "yes" if reading[0] else "no"

    return numbers(
        f"{corpus}: the documents with a probability in [.2, .8], most doubtful first",
        cases,
        Column("document", NAME, get=lambda case: case["id"]),
        Column("actor", NAME, get=lambda case: case["actor"]),
        Column("p", digits(2), get=lambda case: case["probability"]),
        Column("1-best", TEXT, get=lambda case: "yes" if case["best"] else "no"),
        Column("the samples disagree on", NAME, get=disagreement),
        Column("attacks, as read", TEXT, get=acts),
        Column("in doubt or wrong, as read", NAME, get=lambda case: (find_reading(case) or ("", None))[1]),
        Column("in our words", NAME, get=lambda case: (find_reading(case) or ("", "", None))[2]),
    )


def doubtful_findings(cases: Sequence[Mapping[str, Any]], setting: str) -> list[Finding]:
    """Return findings: are most cases due to coreference, and are as many cases true as their probabilities predict?"""
    readings = [(case, reading) for case in cases if (reading := find_reading(case)) is not None]
    if not readings:
        return []
    share = share_estimate(np.array([reading[1] == COREFERENCE for _, reading in readings]))
    count = count_from_probabilities(np.array([case["probability"] for case, _ in readings]))
    true = sum(reading[0] for _, reading in readings)
    wrong = sum(reading[0] != case["best"] for case, reading in readings)
    place, n = "section 6.2, cases", len(readings)
    return [
        Finding(
            place,
            "documents with a probability near one half are difficult cases of coreference",
            f"{round(share.value * n)} of {n} are, a share of {estimate_text(share, 2)}; the others are cases of rule, "
            "names or parse (holds if more than half are)",
            verdict(share, above=0.5),
            setting,
        ),
        Finding(
            place,
            "they are as often right as their probability says",
            f"{true} of {n} are; by their probabilities {count.mean:.1f} [{count.low:.0f}, {count.high:.0f}]; "
            f"the 1-best is wrong in {wrong}",
            bool(count.low <= true <= count.high),
            setting,
        ),
    ]


def quote_case(case: Mapping[str, Any], document: StoredDocument) -> str:
    """Return a case with the sentences of the decisive mentions; it is printed only for users who have the data."""
    mentions = {link[end] for link in case["links"] for end in ("mention", "with")}
    mentions |= {
        mention
        for evidence in document.evidence
        if evidence.actor == case["actor"]
        for mention in (evidence.named, evidence.agent)
    }
    lines = [f"{case['id']}, {case['actor']}, p = {case['probability']:.2f}: {disagreement(case)}"]
    for link in case["links"]:
        shares = f"{100 * link['with_event']:.0f} % of the samples with the event, {100 * link['without_event']:.0f} %"
        lines.append(f'  "{link["mention_text"]}" ~ "{link["with_text"]}" in {shares} of those without')
    for place in sorted({document.mentions[mention].sentence for mention in mentions}):
        words, spaces = document.sentences[place]
        lines.append("  " + "".join(word + " " * space for word, space in zip(words, spaces, strict=True)).strip())
    return "\n".join(lines)
