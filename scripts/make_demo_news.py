"""Write the news of `howsure demo`: short invented items about invented states, with dependency trees written by hand.

Every sentence below contains its own parse, as `word/tag/head/relation`: heads are counted from 1 (0 is the root),
relations are those of Universal Dependencies, tags those of the Penn Treebank. Plots and a calendar combine the
sentences to items. In some items, it is clear who acts; in others, it is ambiguous: two armies and `They`, two
presidents and `he`.

    python scripts/make_demo_news.py packages/cli/src/howsure_cli/demo
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from howsure.data.documents.conllu import write_conllu
from howsure.data.documents.document import Document, Sentence
from howsure.files.atomic_write import write_atomically

# Slots: {a} a state, {A} its adjective, {Pa} its president; the same of a second state by b; {town}, {day}.
SENTENCES = {
    "attacked": "{A}/JJ/2/amod forces/NNS/3/nsubj attacked/VBD/0/root the/DT/5/det harbour/NN/3/obj of/IN/7/case "
    "{town}/NNP/5/nmod on/IN/9/case {day}/NNP/3/obl ././3/punct",
    "protested": "The/DT/2/det government/NN/5/nsubj of/IN/4/case {b}/NNP/2/nmod protested/VBD/0/root ././5/punct",
    "crossed": "{A}/JJ/2/amod soldiers/NNS/3/nsubj crossed/VBD/0/root the/DT/5/det river/NN/3/obj near/IN/7/case "
    "{town}/NNP/3/obl on/IN/9/case {day}/NNP/3/obl ././3/punct",
    "waited": "{B}/JJ/2/amod soldiers/NNS/3/nsubj waited/VBD/0/root on/IN/7/case the/DT/7/det other/JJ/7/amod "
    "side/NN/3/obl ././3/punct",
    "they attacked": "They/PRP/2/nsubj attacked/VBD/0/root the/DT/4/det bridge/NN/2/obj at/IN/6/case night/NN/2/obl "
    "././2/punct",
    "the soldiers attacked": "The/DT/2/det soldiers/NNS/3/nsubj attacked/VBD/0/root the/DT/5/det bridge/NN/3/obj "
    "at/IN/7/case night/NN/3/obl ././3/punct",
    "armies met": "{A}/JJ/2/amod troops/NNS/6/nsubj and/CC/5/cc {B}/JJ/5/amod troops/NNS/2/conj met/VBD/0/root "
    "near/IN/8/case {town}/NNP/6/obl ././6/punct",
    "they at dawn": "They/PRP/2/nsubj attacked/VBD/0/root at/IN/4/case dawn/NN/2/obl ,/,/7/punct witnesses/NNS/7/nsubj "
    "said/VBD/2/parataxis ././2/punct",
    "presidents met": "President/NNP/5/nsubj {Pa}/NNP/1/flat of/IN/4/case {a}/NNP/1/nmod met/VBD/0/root "
    "President/NNP/5/obj {Pb}/NNP/6/flat of/IN/9/case {b}/NNP/6/nmod in/IN/11/case {town}/NNP/5/obl on/IN/13/case "
    "{day}/NNP/5/obl ././5/punct",
    "feared mr": "Observers/NNS/2/nsubj feared/VBD/0/root that/IN/7/mark Mr./NNP/7/nsubj {Pa}/NNP/4/flat "
    "might/MD/7/aux attack/VB/2/ccomp the/DT/9/det islands/NNS/7/obj ././2/punct",
    "feared he": "Observers/NNS/2/nsubj feared/VBD/0/root that/IN/6/mark he/PRP/6/nsubj might/MD/6/aux "
    "attack/VB/2/ccomp the/DT/8/det islands/NNS/6/obj ././2/punct",
    "feared president": "Observers/NNS/2/nsubj feared/VBD/0/root that/IN/7/mark the/DT/5/det president/NN/7/nsubj "
    "might/MD/7/aux attack/VB/2/ccomp the/DT/9/det islands/NNS/7/obj ././2/punct",
    "navy left": "The/DT/2/det navy/NN/5/nsubj of/IN/4/case {a}/NNP/2/nmod left/VBD/0/root {town}/NNP/5/obj "
    "on/IN/8/case {day}/NNP/5/obl ././5/punct",
    "navy followed": "The/DT/2/det navy/NN/5/nsubj of/IN/4/case {b}/NNP/2/nmod followed/VBD/0/root it/PRP/5/obj "
    "././5/punct",
    "it attacked": "It/PRP/2/nsubj attacked/VBD/0/root two/CD/4/nummod freighters/NNS/2/obj ././2/punct",
    "the navy attacked": "The/DT/2/det navy/NN/3/nsubj attacked/VBD/0/root two/CD/5/nummod freighters/NNS/3/obj "
    "././3/punct",
    "rebels": "Rebels/NNS/4/nsubj from/IN/3/case {a}/NNP/1/nmod seized/VBD/0/root a/DT/6/det station/NN/4/obj "
    "near/IN/8/case {town}/NNP/4/obl ././4/punct",
    "the rebels attacked": "The/DT/2/det rebels/NNS/3/nsubj attacked/VBD/0/root the/DT/5/det police/NN/3/obj "
    "on/IN/7/case {day}/NNP/3/obl ././3/punct",
    "held": "{A}/JJ/2/amod forces/NNS/3/nsubj held/VBD/0/root the/DT/5/det valley/NN/3/obj of/IN/7/case "
    "{town}/NNP/5/nmod ././3/punct",
    "by them": "A/DT/2/det convoy/NN/4/nsubj:pass was/VBD/4/aux:pass attacked/VBN/0/root by/IN/6/case "
    "them/PRP/4/obl:agent on/IN/8/case {day}/NNP/4/obl ././4/punct",
    "by planes": "A/DT/2/det bridge/NN/6/nsubj:pass near/IN/4/case {town}/NNP/2/nmod was/VBD/6/aux:pass "
    "attacked/VBN/0/root by/IN/9/case {B}/JJ/9/amod planes/NNS/6/obl:agent ././6/punct",
    "alliance met": "The/DT/2/det Alliance/NNP/3/nsubj discussed/VBD/0/root the/DT/5/det conflict/NN/3/obj "
    "between/IN/7/case {a}/NNP/5/nmod and/CC/9/cc {b}/NNP/7/conj on/IN/11/case {day}/NNP/3/obl ././3/punct",
    "alliance attacked": "It/PRP/2/nsubj attacked/VBD/0/root an/DT/4/det airfield/NN/2/obj near/IN/6/case "
    "{town}/NNP/2/obl ././2/punct",
    "denied": "The/DT/2/det attack/NN/3/nsubj failed/VBD/0/root ,/,/7/punct the/DT/6/det ministry/NN/7/nsubj "
    "said/VBD/3/parataxis ././3/punct",
    "wheat": "{a}/NNP/2/nsubj sold/VBD/0/root wheat/NN/2/obj to/IN/5/case {b}/NNP/2/obl on/IN/7/case {day}/NNP/2/obl "
    "././2/punct",
    "prices": "Prices/NNS/2/nsubj rose/VBD/0/root in/IN/4/case {town}/NNP/2/obl ././2/punct",
    "talks": "Ministers/NNS/5/nsubj of/IN/3/case {a}/NNP/1/nmod will/MD/5/aux open/VB/0/root talks/NNS/5/obj "
    "in/IN/8/case {town}/NNP/5/obl ././5/punct",
    "election": "{A}/JJ/2/amod voters/NNS/3/nsubj elected/VBD/0/root a/DT/6/det new/JJ/6/amod parliament/NN/3/obj "
    "on/IN/8/case {day}/NNP/3/obl ././3/punct",
}
PLOTS = {  # title, then the sentences
    "raid": ("Raid on {town}", "attacked", "protested"),
    "river": ("Soldiers cross the river", "crossed", "they attacked", "protested"),
    "two banks": ("Armies face each other near {town}", "crossed", "waited", "the soldiers attacked"),
    "night": ("Night at the bridge of {town}", "crossed", "waited", "they attacked", "protested"),
    "clash": ("Clash near {town}", "armies met", "they at dawn", "protested"),
    "summit": ("Presidents meet in {town}", "presidents met", "feared mr"),
    "fear": ("A meeting in {town}", "presidents met", "feared he"),
    "warning": ("Observers warn after meeting", "presidents met", "feared president", "prices"),
    "sea": ("Freighters hit", "navy left", "it attacked", "protested"),
    "chase": ("Chase at sea", "navy left", "navy followed", "it attacked"),
    "fleet": ("Two fleets off {town}", "navy left", "navy followed", "the navy attacked"),
    "rebels": ("Rebels near {town}", "rebels", "the rebels attacked"),
    "convoy": ("Convoy hit in the valley", "held", "by them"),
    "planes": ("Bridge hit from the air", "held", "by planes"),
    "alliance": ("Alliance acts", "alliance met", "alliance attacked"),
    "failed": ("Ministry speaks of failure", "held", "denied", "protested"),
    "trade": ("Wheat for {b}", "wheat", "prices"),
    "talks": ("Talks in {town}", "talks", "prices"),
    "election": ("New parliament", "election", "prices"),
}
STATES = {
    "N": {"name": "Norland", "adjective": "Norlandic", "president": "Orlan"},
    "S": {"name": "Sudoria", "adjective": "Sudorian", "president": "Marek"},
    "V": {"name": "Vestmere", "adjective": "Vestmerian", "president": "Talvi"},
}
ALLIANCE = "Alliance"
TOWNS = ("Silverport", "Eastford", "Millbrook", "Greyhaven", "Oldbridge")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
CALENDAR = """
2001-01-15 trade N S; 2001-02-08 election V S; 2001-02-20 summit N S; 2001-03-12 talks N S;
2001-03-27 sea V N; 2001-04-05 clash N S; 2001-04-24 trade S V; 2001-05-09 river N S;
2001-05-30 rebels S N; 2001-06-18 election N S; 2001-07-03 two banks N S; 2001-07-16 raid N S;
2001-07-31 night N S; 2001-08-09 fear S N; 2001-08-22 fleet N S; 2001-09-04 clash S N;
2001-09-12 planes N S; 2001-09-25 chase S N; 2001-10-02 raid N S; 2001-10-11 alliance N S;
2001-10-19 night S N; 2001-10-30 convoy S N; 2001-11-08 two banks S N; 2001-11-14 raid S N;
2001-11-22 fleet S N; 2001-12-03 river S N; 2001-12-10 alliance N S; 2001-12-18 failed N S;
2002-01-08 convoy N S; 2002-01-17 clash N S; 2002-01-29 warning S N; 2002-02-12 chase N S;
2002-02-26 raid S N; 2002-03-07 alliance S N; 2002-03-21 night N S; 2002-04-04 talks N S;
2002-04-16 sea V S; 2002-05-07 fear N V; 2002-05-21 trade V N; 2002-06-11 rebels S V;
2002-07-09 election S N; 2002-08-01 river V S; 2002-08-20 failed S N; 2002-09-17 chase V S;
2002-10-08 talks S V; 2002-10-29 clash V S; 2002-11-19 trade N V; 2002-12-05 summit V S;
"""
NO_SPACE_BEFORE = (".", ",")


def stories() -> list[Document]:
    """Return the items of the calendar, in the order of time."""
    entries = [entry.split() for entry in CALENDAR.replace("\n", ";").split(";") if entry.strip()]
    return [
        story(number, date, " ".join(plot), STATES[a], STATES[b]) for number, (date, *plot, a, b) in enumerate(entries)
    ]


def story(number: int, date: str, plot: str, a: Mapping[str, str], b: Mapping[str, str]) -> Document:
    """Return one item: its plot with two states, in the next town, on the next day of the week."""
    slots = {
        "a": a["name"],
        "A": a["adjective"],
        "Pa": a["president"],
        "b": b["name"],
        "B": b["adjective"],
        "Pb": b["president"],
        "town": TOWNS[number % len(TOWNS)],
        "day": DAYS[number % len(DAYS)],
    }
    title, *sentences = (
        text.format(**slots) for text in (PLOTS[plot][0], *(SENTENCES[name] for name in PLOTS[plot][1:]))
    )
    metadata = {"date": date, "title": title}
    return Document(f"news-{number + 1:02}", tuple(sentence(text) for text in sentences), None, metadata)


def sentence(text: str) -> Sentence:
    """Return a sentence from its words with their tags, heads and relations."""
    words, tags, heads, relations = zip(*(word.rsplit("/", 3) for word in text.split()), strict=True)
    spaces = tuple(following not in NO_SPACE_BEFORE for following in (*words[1:], ""))
    governors = tuple(int(head) - 1 for head in heads)
    return Sentence(words, tags=tags, heads=governors, relations=relations, spaces=spaces)


def actors() -> str:
    """Return the lexicon, with one line for each name."""
    names = [(state["name"].upper(), state[key]) for state in STATES.values() for key in ("name", "adjective")]
    names.append((ALLIANCE.upper(), ALLIANCE))
    return "# The actors of the demo's news: code, name.\n" + "".join(f"{code}\t{name}\n" for code, name in names)


def main(folder: Path) -> None:
    """Write both files."""
    write_conllu(stories(), folder / "news.conllu")
    write_atomically(actors().encode(), folder / "actors.tsv")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
