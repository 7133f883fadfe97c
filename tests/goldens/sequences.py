"""Sequences: taggers trained, used, evaluated and recalibrated; entities."""

from __future__ import annotations

from tests.goldens.running import Room

LOGITS = "entities.npz --labels O,B-PER,I-PER,B-LOC,I-LOC"

ROOM = Room(
    f"""
    sequences train train.tsv --tagger hmm --dev dev.tsv --output hmm.npz
    ~1e-4 sequences train train.tsv --dev dev.tsv --c2 1 --max-iterations 30 --output crf.npz
    sequences tag hmm.npz short.tsv
    sequences tag hmm.npz short.tsv --top 2
    sequences tag hmm.npz short.tsv --k-best 2 --output tagged.txt
    sequences tag crf.npz short.tsv --method posterior
    sequences evaluate hmm.npz test.tsv
    sequences evaluate hmm.npz test.tsv --format json --bins 4
    sequences evaluate hmm.npz test.tsv --format csv
    sequences evaluate hmm.npz test.tsv --format markdown
    sequences evaluate hmm.npz test.tsv --format latex --bin-size 40
    sequences posterior hmm.npz short.tsv --output posterior.csv
    sequences posterior hmm.npz short.tsv --tag N --output nouns.csv
    sequences posterior hmm.npz short.tsv --tag-pairs 3 --output tag-pairs.csv
    calibration posterior.csv --target label --prob probability --cluster sentence
    ~1e-4 sequences recalibrate hmm.npz dev.tsv --output mended.npz --test test.tsv
    ~1e-4 sequences recalibrate hmm.npz dev.tsv --output kept.npz --keep-answers --format json --figure mended.svg
    sequences spans {LOGITS}
    sequences spans {LOGITS} --grammar bio --format json
    sequences spans {LOGITS} --grammar bio --min-probability 0.05 --format csv --pairs spans.csv
    sequences spans {LOGITS} --k-best 3 --format markdown
    sequences spans {LOGITS} --format latex
    sequences tag nothing.npz test.tsv
    sequences evaluate hmm.npz pairs.csv
    sequences train train.tsv --tagger hmm --output nowhere/hmm.npz
    sequences train train.tsv --features adavnced --output no.npz
    sequences posterior hmm.npz test.tsv --tag Z --output no.csv
    sequences spans entities.npz --labels O,B-PER
    sequences spans {LOGITS} --grammar bie
    """
)
