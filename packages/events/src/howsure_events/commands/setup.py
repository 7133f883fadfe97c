"""The corpus and the settings that the options of `howsure events` describe, and summaries of runs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted, unknown_name
from howsure.show.table import Table
from howsure_cli.terminal.output import say, table_text
from howsure_events.commands.options import antecedent_model
from howsure_events.commands.output import dates_read, empty_texts, next_steps
from howsure_events.corpus import REASONS, Corpus, Fields, Filter
from howsure_events.extraction.dependencies import DependencyCounts
from howsure_events.extraction.extract_events import ExtractionReport
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.parsers import ConlluParser, Parser, SpacyParser
from howsure_events.extraction.processes import Work
from howsure_events.lexicon import Lexicon
from howsure_events.rule import BUILT_IN, LANGUAGES, Rule, built_in_rule
from howsure_events.rule_comparison import RuleComparison
from howsure_events.rule_files import read_rule
from howsure_events.store.event_store import EventStore


def set_up(options: Mapping[str, Any], *, samples: int = 100, seed: int = 0) -> tuple[Corpus, Work]:
    """Return the corpus and the settings of its processing that the options describe."""
    fields = Fields(**{name: options[name] for name in Fields.__slots__})
    kept = Filter(**{name: options[name] for name in Filter.__slots__})
    if fields.category is None and (kept.keep or kept.drop):
        raise InputError("--keep and --drop need a category; name its column: --category COLUMN.")
    corpus = open_corpus(
        options["files"], fields=fields, bad_dates=options["bad_dates"], format=options["input_format"]
    )
    say_notes(corpus)
    parser = _parser(options["parser"], corpus)
    rule = rule_named(options["rule"], options["labels"], parser.scheme)
    path = options["lexicon"]
    lexicon = Lexicon.countries() if path is None else Lexicon.read(path, stemming=options["stemming"])
    model = antecedent_model(options["model"], options.get("coreference"), options.get("misplaced"))
    name = None if corpus.is_parsed else options["parser"]
    work = Work(parser=name, model=model, lexicon=lexicon, rule=rule, samples=samples, seed=seed, filter=kept)
    return corpus, work


def say_notes(corpus: Corpus) -> None:
    """Say which lines above the names of columns were left out."""
    for file in corpus.table.files:
        if file.note:
            say(f"{file.name}: {file.note}")


def _parser(name: str | None, corpus: Corpus) -> Parser:
    if corpus.is_parsed:
        if name is not None:
            raise InputError("CoNLL-U is parsed already; leave --parser out.")
        return ConlluParser()
    if name is None:
        raise InputError("texts must be parsed: name a spaCy pipeline, such as --parser en_core_web_sm for English.")
    return SpacyParser(name)


def rule_named(name: str, labels: str | None, scheme: str | None) -> Rule:
    """Return a built-in rule by its name, or the rule in a file. scheme: the parser's label scheme, if known."""
    if name in BUILT_IN:
        rule = built_in_rule(name, labels=labels or scheme or "ud")
    elif not os.path.exists(name) and not name.endswith((".yaml", ".yml")):
        raise unknown_name("rule", name, BUILT_IN, place="howsure, and no such file")
    elif labels is not None:
        raise InputError(
            f"--labels is for built-in rules. For the rule in {name}, write labels: {labels} in this file."
        )
    else:
        rule = read_rule(name)
    if scheme is not None and rule.scheme.name != scheme:
        raise InputError(
            f"the parser uses {scheme!r} labels, but the rule expects {rule.scheme.name!r}; set labels: {scheme}."
        )
    return rule


PAPER_RULE_NOTE = (
    "  note: the rule attack misses actors named by a noun before a noun (US forces); --rule attack-wide finds them"
)
ENGLISH_MODEL = (
    "  note: the parser reads {!r}, but the bundled coreference model was trained on English; name the scores of a "
    "model of that language with --coreference, or train one"
)
NOTHING = "nothing to explore: look at what was left out, at --lexicon and --rule, and at howsure events dependencies"


def summary(path: str, report: ExtractionReport | None = None, *, made: str = "") -> str:
    """Describe the contents of a store and, if they were extracted, the speed of the run. made: "extracted" or another
    word for how the store was made."""
    with EventStore.open(path, part=True) as store:
        counts = "count(*), coalesce(sum(words), 0), count(*) FILTER (words = 0)"
        kept, words, empty = store.ask(f"SELECT {counts} FROM documents")[0]
        left_out = Counter(dict(store.ask("SELECT reason, count(*) FROM left_out GROUP BY reason")))
        events = store.ask("SELECT count(DISTINCT document) FROM events")[0][0]
        actors = store.ask("SELECT actor, sum(probability) AS n FROM events GROUP BY 1 ORDER BY n DESC, 1 LIMIT 8")
        rule, part = store.settings["rule"], store.settings.get("part")
        dates, language = dates_read(store.settings), store.settings["parser"].get("language")
    which = "" if part is None else f"part {part['number']} of {part['of']} of the input, "
    lines = [
        f"{path}: {which}{counted(kept, 'document')} of {counted(words, 'word')}, {events:,} with an event in some "
        "sample"
    ]
    lines += [*dates, *empty_texts(empty)]
    lines += [f"  left out {count:,}: {REASONS.get(reason, reason)}" for reason, count in left_out.most_common()]
    if report is not None and report.mentions_left_out:
        named = counted(report.mentions_left_out, "mention")
        lines.append(f"  {named} of the scores left out: they cross sentences, or begin or end inside a word")
    if actors:
        lines.append("  expected documents: " + ", ".join(f"{actor} {count:.1f}" for actor, count in actors))
    if rule["name"] == "attack" and "compound" not in rule["described_by"]:
        lines.append(PAPER_RULE_NOTE)
    if language not in (None, *LANGUAGES) and "digest" in store.settings["model"]:
        lines.append(ENGLISH_MODEL.format(language))
    if report is not None and report.before:
        lines.append(f"  done before: {counted(report.before, 'document')}")
    if report is not None and report.kept:
        lines += _speed(report)
    lines += [f"  {made}"] if made else []
    if part is not None:
        after = f"next, when all {part['of']} parts are there: howsure events merge STORE... --store OUT"
    else:
        after = next_steps(path) if actors else NOTHING
    return "\n".join([*lines, after]) + "\n"


def interrupted(path: str, report: ExtractionReport) -> str:
    """Describe the progress of an interrupted run, and how to resume it."""
    done = report.before + report.read
    return f"{path} contains {done:,} of {report.total:,} documents; rerun the same command to resume."


def rules_text(compared: RuleComparison, *, top: int) -> str:
    """Format the counts of two rules side by side, for the `top` most frequent actors."""
    table = compared.table()
    actors = list(dict.fromkeys(row.actor for row in compared.rows))
    shown = [cells for cells, row in zip(table.rows, compared.rows, strict=True) if row.actor in actors[:top]]
    table = replace(table, rows=shown)
    left = f"\n{counted(len(actors) - top, 'more actor')}: --top shows them." if len(actors) > top else ""
    return f"first rule:  {compared.first}\nsecond rule: {compared.second}\n\n{table_text(table).rstrip()}{left}"


def dependencies_text(counts: DependencyCounts, *, top: int) -> str:
    """Format two tables: the relations of names within mentions, and the governors of actors' mentions."""
    names = [[relation, f"{count:,}"] for relation, count in counts.names.most_common(top)]
    governors = [[relation, word, f"{count:,}"] for (relation, word), count in counts.governors.most_common(top)]
    below = Table(
        ("from the head of a mention to a name in it", "count"),
        names,
        words=("from the head of a mention to a name in it",),
    )
    above = Table(("relation to", "governor", "count"), governors, words=("relation to", "governor"))
    return f"{table_text(below)}\n{table_text(above)}"


def _speed(report: ExtractionReport) -> list[str]:
    """Describe the duration and speed of the run, for all documents read and for those kept."""
    seconds, working = max(report.seconds, 1e-9), report.seconds_parsing + report.seconds_rest + report.seconds_storing
    share = 100 * report.seconds_parsing / max(working, 1e-9)
    return [
        f"  {seconds:,.1f} s for {counted(report.read, 'document')} read ({report.read / seconds:,.1f} per second), "
        f"{report.kept:,} of them kept ({report.kept / seconds:,.1f} per second)",
        f"    {share:.0f}% of the work was reading and parsing, the rest coreference, the rule and storing",
    ]
