"""What the options of `howsure events` ask for: a corpus, the work on it, and who does it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from howsure.cli.events.antecedents import antecedent_model
from howsure.errors import InputError
from howsure.events.actors.lexicon import Lexicon
from howsure.events.corpus.documents import Corpus, Fields
from howsure.events.corpus.filters import Filter
from howsure.events.corpus.open_corpus import open_corpus
from howsure.events.corpus.parsers import ConlluParser, Parser, SpacyParser
from howsure.events.extraction.extract_events import usable_processors
from howsure.events.extraction.worker import Work
from howsure.events.rules.rule import BUILT_IN, Rule, built_in_rule
from howsure.events.rules.rule_files import read_rule
from howsure.files.dask_client import dask_client
from howsure.inputs.naming import unknown_name


@dataclass(frozen=True, slots=True)
class Task:
    """A corpus, and the work on each document."""

    corpus: Corpus
    work: Work


def set_up(options: Mapping[str, Any], *, samples: int = 100, seed: int = 0) -> Task:
    """Open and load what is named.

    Raises InputError for anything that is missing, or does not go together.
    """
    fields = Fields(**{name: options[name] for name in Fields.__slots__})
    kept = Filter(**{name: options[name] for name in Filter.__slots__})
    if fields.category is None and (kept.keep or kept.drop):
        raise InputError("--keep and --drop look at a category; name its column: --category COLUMN.")
    corpus = open_corpus(
        options["files"], fields=fields, bad_dates=options["bad_dates"], format=options["input_format"]
    )
    parser = _parser(options["parser"], corpus)
    rule = rule_named(options["rule"], options["labels"], parser.scheme)
    lexicon = _lexicon(options["lexicon"], options["stemming"])
    model = antecedent_model(options["model"], options.get("coreference"), options.get("misplaced"))
    name = None if corpus.is_parsed else options["parser"]
    work = Work(parser=name, model=model, lexicon=lexicon, rule=rule, samples=samples, seed=seed, filter=kept)
    return Task(corpus, work)


def _parser(name: str | None, corpus: Corpus) -> Parser:
    if corpus.is_parsed:
        if name is not None:
            raise InputError("CoNLL-U is parsed already; leave --parser out.")
        return ConlluParser()
    if name is None:
        raise InputError("texts must be parsed: name a spaCy pipeline, such as --parser en_core_web_sm for English.")
    return SpacyParser(name)


@contextmanager
def done_by(engine: str, scheduler: str | None, workers: int | None) -> Iterator[dict[str, Any]]:
    """How `extract_events` is told of it; a cluster is left at the end of the `with` statement.

    Raises InputError for options that do not go together, and as `dask_client` does.
    """
    if engine != "dask":
        if scheduler is not None:
            raise InputError("--scheduler is for --engine dask.")
        yield {"workers": usable_processors() if workers is None else workers}
        return
    if scheduler is None:
        raise InputError("--engine dask needs the address of its scheduler: --scheduler tcp://10.0.0.1:8786.")
    if workers is not None:
        raise InputError("--workers is for processes of this machine; leave it out with --engine dask.")
    with dask_client(scheduler) as client:
        yield {"executor": client.get_executor(), "workers": sum(client.ncores().values())}


def rule_named(name: str, labels: str | None, scheme: str | None) -> Rule:
    """A rule by its name or file, in the labels of the parser."""
    if name in BUILT_IN:
        rule = built_in_rule(name, labels=labels or scheme or "ud")
    elif not os.path.exists(name) and not name.endswith((".yaml", ".yml")):
        raise unknown_name("rule", name, BUILT_IN, place="howsure, and no such file")
    elif labels is not None:
        raise InputError(f"--labels is for built-in rules; set labels: {labels} in {name}.")
    else:
        rule = read_rule(name)
    if scheme is not None and rule.scheme.name != scheme:
        raise InputError(
            f"the parser uses {scheme!r} labels, but the rule expects {rule.scheme.name!r}; set labels: {scheme}."
        )
    return rule


def _lexicon(path: str | None, stemming: str) -> Lexicon:
    return Lexicon.countries() if path is None else Lexicon.read(path, stemming=stemming)
