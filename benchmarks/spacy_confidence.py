"""Are spaCy's confidences calibrated, and what does a recalibration map correct? `python
benchmarks/spacy_confidence.py`

Tags: the pipeline `../models/en_ud_small` next to HOWSURE_DATA, on the English Web Treebank. Entities: a spaCy
recogniser, trained here on 4,000 sentences of the treebank to find names (runs of PROPN). Maps are fitted to the
development part. Errors are of the test part, with 95% intervals that resample whole sentences. Prints the table of
docs/doors.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from howsure import calibration_error, recalibrate
from howsure.data.documents.conllu import read_conllu

DATA = Path(os.environ["HOWSURE_DATA"])
Rows = tuple[list[bool], list[float], list[int]]  # right or not, confidence, sentence


def part(name: str, nlp: spacy.Language) -> Iterator[Doc]:
    """Return the gold sentences of a part, with names as entities."""
    for document in read_conllu(DATA / "ud_english_ewt" / f"en_ewt-ud-{name}.conllu.gz"):
        for sentence in document.sentences:
            doc = Doc(nlp.vocab, words=list(sentence.words), tags=list(sentence.tags))
            runs = groupby(range(len(doc)), key=lambda at: doc[at].tag_ in ("NNP", "NNPS"))
            names = [list(run) for is_name, run in runs if is_name]
            doc.ents = [Span(doc, run[0], run[-1] + 1, label="NAME") for run in names]
            yield doc


def plain(gold: Doc) -> Doc:
    """Return the words without annotations."""
    return Doc(gold.vocab, words=[token.text for token in gold])


def trained(gold: Sequence[Doc]) -> spacy.Language:
    """Return a trained recogniser of names."""
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    spacy.util.fix_random_seed(0)
    examples = [Example(Doc(nlp.vocab, words=[token.text for token in doc]), doc) for doc in gold]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(3):
        for batch in spacy.util.minibatch(examples, 64):
            nlp.update(batch, sgd=optimizer, drop=0.1)
    return nlp


def rows(nlp: spacy.Language, gold: Sequence[Doc], what: str) -> Rows:
    """Return, for every predicted tag or entity, whether it is correct, its confidence, and its sentence."""
    columns: Rows = ([], [], [])
    for at, (true, doc) in enumerate(zip(gold, nlp.pipe(map(plain, gold)), strict=True)):
        entities = {(ent.start, ent.end) for ent in true.ents}
        answers = (
            [
                (gold_token.tag_ == token.tag_, token._.tag_confidence)
                for gold_token, token in zip(true, doc, strict=True)
            ]
            if what == "tags"
            else [((ent.start, ent.end) in entities, ent._.confidence) for ent in doc.ents]
        )
        for right, confidence in answers:
            for column, value in zip(columns, (right, confidence, at), strict=True):
                column.append(value)
    return columns


def main() -> None:
    """Print the error of both, before and after recalibration."""
    tagging = spacy.load(DATA.parent / "models" / "en_ud_small", exclude=["parser"])
    pipelines = {"tags": tagging, "entities": trained(list(part("train", tagging))[:4000])}
    print("| what | rows | right | confidence | error before | error after a map |\n|---|---|---|---|---|---|")
    for what, nlp in pipelines.items():
        component = nlp.add_pipe("howsure_confidence")
        right, confidence, sentence = rows(nlp, list(part("dev", nlp)), what)
        test = list(part("test", nlp))
        before = rows(nlp, test, what)
        map = recalibrate(right, confidence, clusters=sentence)
        setattr(component, "tag_map" if what == "tags" else "entity_map", map)
        n, mean = len(before[0]), sum(before[1]) / len(before[1])
        errors = [calibration_error(*table[:2], clusters=table[2]) for table in (before, rows(nlp, test, what))]
        shown = [f"{error.value:.4f} [{error.low:.4f}, {error.high:.4f}]" for error in errors]
        print(f"| {what} | {n:,} | {sum(before[0]) / n:.3f} | {mean:.3f} | {shown[0]} | {shown[1]}, {map.method} |")


if __name__ == "__main__":
    main()
