"""Uncertain tags and parses in counts of attacks (Nguyen & O'Connor 2015, Appendix 3, holds them fixed)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from howsure.calibration.curve import binned_curve
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.structures import structure_pairs
from howsure.data.documents.document import Document
from howsure.data.documents.read_documents import first_documents
from howsure.figures.calibration import curve_figure
from howsure.show.table import ESTIMATE, Column, digits
from howsure_cli.datasets import find_data_set
from howsure_events.corpus import InputDocument
from howsure_events.extraction.parsers import SpacyParser
from howsure_events.extraction.uncertain_parses import ALL, ActorVariance, parse_variance
from howsure_events.lexicon import Lexicon
from howsure_papers.corpora.coreference import parser_for
from howsure_papers.corpora.news import read_reuters
from howsure_papers.intervals import estimate_text, opposite, verdict
from howsure_papers.reproduction import NAME, Advance, Drawing, ExperimentResult, Finding, experiment, ignore_progress
from howsure_papers.reproduction import numbers as table_of
from howsure_papers.stores import PAPER, event_words
from howsure_text.coreference.antecedent_model import AntecedentModel
from howsure_text.parse_posterior import ParsePosterior

TITLE = "Uncertain tags and parses in counts of attacks (Nguyen & O'Connor 2015, Appendix 3)"
EWT, TEST = "ud_english_ewt", "en_ewt-ud-test.conllu.gz"
RULES = (PAPER,)
SAMPLES, REPEATS = 20, 4  # parses of a document, clusterings of a parse
EDGE_SAMPLES, SENTENCES, BIN_SIZE = 20, 500, 500
SHOWN = 5  # actors with the largest variances
SURE = 0.9


@experiment(TITLE, steps=lambda: len(RULES) + 1)
def reproduce_parses(
    *,
    data: str | None = None,
    parser: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    advance: Advance = ignore_progress,
) -> ExperimentResult:
    """Estimate the part of the variance of counts of attacks in Reuters that is due to tags and parses, and the
    calibration of the probabilities of sampled dependency edges.

    `limit`: only the first items and sentences. `advance` is called after each rule and after the sentences.
    """
    name, counts, documents = parser_for(parser, data), list[tuple[str, ActorVariance]](), 0
    model, lexicon = AntecedentModel.pretrained(), Lexicon.countries()
    for rule in RULES:
        news = read_reuters(data, lexicon=lexicon, event=event_words(rule), limit=limit)
        texts = parsed_texts(SpacyParser(name), [(item.id, item.text) for item in news.items])
        variances = parse_variance(
            texts, parser=name, model=model, lexicon=lexicon, rule=rule, samples=SAMPLES, repeats=REPEATS, rng=seed
        )
        counts += [(rule.name, row) for row in variances.rows[: SHOWN + 1]]
        documents = max(documents, len(texts))
        advance(1)
    curve = edge_curve(data, name, limit, seed)
    advance(1)
    totals = [(rule, row) for rule, row in counts if row.actor == ALL]
    return ExperimentResult(
        findings=[*(share_finding(*total) for total in totals), calibration_finding(curve)],
        tables=[
            table_of(
                "Documents with an attack: one parse each, and sampled tags and parses",
                counts,
                Column("rule", NAME, get=lambda row: row[0]),
                Column("actor", NAME, get=lambda row: row[1].actor),
                Column("one parse", digits(1), get=lambda row: row[1].one_parse_mean),
                Column("sd", digits(2), get=lambda row: row[1].one_parse_sd),
                Column("sampled parses", digits(1), get=lambda row: row[1].sampled.mean.value),
                Column("sd of these", digits(2), get=lambda row: row[1].sampled_sd),
                Column("share of tags and parses", ESTIMATE, get=lambda row: row[1].sampled.share),
            )
        ],
        drawings=[
            Drawing(
                "edges",
                "Probabilities of labelled edges in sampled parses of web text, and how often the treebank has them.",
                lambda: curve_figure([curve]),
            )
        ],
        notes=[
            f"{documents:,} Reuters stories of 1987 that name a country and have a word of the rule. {SAMPLES} samples "
            f"of tags and parses a story, and {REPEATS} clusterings for each; the share is that of the variance of "
            "expected counts given the parse, with its Monte Carlo error. Tags and parses are sampled together.",
            "A parse is sampled by drawing each transition of spaCy's parser from its softmax, a tag from the "
            "tagger's. Words, sentences, lexicon and rule are taken as given.",
            f"Edges: {EDGE_SAMPLES} parses of each of {SENTENCES:,} test sentences of the English Web Treebank, on "
            "which the parser was not trained, in bins of 500; their punctuation counts, too.",
        ],
        recipe={"parser": Path(name).name, "model": "pretrained", "samples": SAMPLES, "repeats": REPEATS, "seed": seed},
    )


def parsed_texts(parser: SpacyParser, texts: list[tuple[str, str]]) -> list[Document]:
    """The documents of texts with their 1-best parses."""
    inputs = [InputDocument(at, name, None, None, None, text) for at, (name, text) in enumerate(texts)]
    return parser.parse([ready[0] for ready in map(parser.words, inputs) if ready is not None])


def edge_curve(data: str | None, parser: str, limit: int | None, seed: int) -> CalibrationCurve:
    """The calibration of labelled edges of sampled parses of the English Web Treebank."""
    path = find_data_set(EWT, data=data) / TEST
    sentences = [s for document in first_documents(path, limit) for s in document.sentences][: limit or SENTENCES]
    drawn = ParsePosterior(Document(EWT, tuple(sentences)), parser=parser).sample(EDGE_SAMPLES, rng=seed)
    samples = [[edges(document.sentences[i]) for document in drawn] for i in range(len(sentences))]
    return binned_curve(structure_pairs(samples, [edges(sentence) for sentence in sentences]), bin_size=BIN_SIZE)


def edges(sentence: Any) -> list[tuple[str, int, int]]:
    """The labelled edges of a parse; spaCy writes ROOT."""
    pairs = zip(sentence.relations, sentence.heads, strict=True)
    return [(relation.lower(), head, word) for word, (relation, head) in enumerate(pairs)]


def share_finding(rule: str, total: ActorVariance) -> Finding:
    """Return the finding on whether tags and parses cause less than half of the variance; the rest is coreference."""
    share, sd = total.sampled.share, total.sampled_sd
    assert share is not None
    ratio = sd / total.one_parse_sd if total.one_parse_sd else float("nan")
    return Finding(
        "",
        "do tags and parses, which Appendix 3 holds fixed, cause less than half of the variance of the counts?",
        f"their share is {estimate_text(share, 2)}; the standard deviation is {ratio:.2f} times that with one parse "
        f"({sd:.2f}, {total.one_parse_sd:.2f}), the mean {total.sampled.mean.value:.1f} instead of "
        f"{total.one_parse_mean:.1f}",
        opposite(verdict(share, above=0.5)),
        setting=f"rule {rule!r}",
    )


def calibration_finding(curve: CalibrationCurve) -> Finding:
    """Return the finding on whether probabilities of edges are calibrated as well as the paper's pairs of mentions."""
    sure = curve.bins.mean_prob > SURE
    columns = (curve.bins.mean_prob[sure], curve.bins.frequency[sure])
    probability, frequency = (float(np.average(column, weights=curve.bins.count[sure])) for column in columns)
    return Finding(
        "",
        "is the error of the probabilities of edges below 0.01, the paper's for pairs of mentions?",
        f"calibration error {estimate_text(curve.error, 4)}; edges with a probability above {SURE} (on average "
        f"{probability:.3f}) are in the treebank with a frequency of {frequency:.3f}",
        opposite(verdict(curve.error, above=0.01)),
        setting="edges of parses",
    )
