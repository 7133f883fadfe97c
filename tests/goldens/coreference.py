"""Coreference: posteriors, entities, scores, training and recalibration on two short documents."""

from __future__ import annotations

from pathlib import Path

from tests.goldens.running import Room


def damage() -> None:
    text = Path("gold.conllu").read_text()
    Path("parsed.conllu").write_text(
        "\n".join("\t".join([*line.split("\t")[:9], "_"]) if line[:1].isdigit() else line for line in text.splitlines())
        + "\n"
    )
    Path("broken.conllu").write_text(text.replace("Entity=(doctor\n", "Entity=(doctor(x\n", 1))


ROOM = Room(
    """
    !damage
    coreference posterior parsed.conllu
    coreference posterior parsed.conllu --document story --threshold 0.2 --output story.json
    coreference posterior parsed.conllu --document story --text story.html --figure story.svg
    coreference posterior parsed.conllu --threshold 0 --output all.csv
    coreference posterior gold.conllu --mentions gold --threshold 0 --output pairs-of-mentions.csv
    coreference predict parsed.conllu --output entities.conllu
    coreference predict parsed.conllu --no-singletons --decision minimum-risk --output risk.conll
    coreference predict gold.conllu --mentions gold --output gold-mentions.conll
    coreference score gold.conllu entities.conllu
    coreference score gold.conllu entities.conllu --no-singletons --format json
    coreference score gold.conllu entities.conllu --format csv
    coreference score gold.conllu entities.conllu --format markdown
    coreference score gold.conllu entities.conllu --format latex
    ~1e-5 coreference train gold.conllu --mentions gold --passes 3 --seed 3 --output own.npz
    coreference predict gold.conllu --model own.npz --output own.conllu
    ~1e-4 coreference recalibrate gold.conllu --model own.npz --output mended.npz
    coreference score gold.conllu broken.conllu
    coreference score gold.conllu broken.conllu --bad-brackets leave-out
    coreference score gold.conllu pairs.csv
    coreference posterior parsed.conllu --document nobody
    coreference posterior parsed.conllu --model pairs.npz
    coreference predict parsed.conllu --output entities.txt
    """,
    steps={"damage": damage},
)
