"""Significance: a row per item or per model and item, metrics, methods, runs, clusters; power; BooStSa."""

from __future__ import annotations

from pathlib import Path

from tests.goldens.running import Room

BY = "long.csv --model model --id uid --target gold --prediction said"
READ = "systems.csv --target gold --against base --model large --resamples 500"


def lines() -> None:
    """Return predictions as text files with one label per line."""
    for name in ("gold", "base", "large"):
        rows = Path("systems.csv").read_text().splitlines()
        place = rows[0].split(",").index(name)
        Path(f"{name}.txt").write_text("".join(f"{row.split(',')[place]}\n" for row in rows[1:]))


ROOM = Room(
    f"""
    significance {READ}
    significance compare {READ} --model huge
    significance {READ} --format json
    significance {READ} --model huge --format csv
    significance {READ} --model huge --format markdown
    significance {READ} --model huge --format latex
    significance {READ} --metric accuracy --method mcnemar
    significance {READ} --metric accuracy --method bootstrap --interval bca --cluster doc
    significance {READ} --metric f1 --metric precision --class c1
    significance {READ} --stratum kind --alternative better --adjust bh
    significance {READ} --model huge --figure pairs.svg --report pairs.html --width 3.3
    significance {READ} --model huge --group kind --figure kinds.svg --report kinds.html
    significance {READ} --group kind --format json
    significance {READ} --group kind --format csv
    significance {READ} --group kind --format latex
    significance {BY} --metric accuracy --group gold --resamples 500
    significance {READ} --method boostsa --sample-size 0.2
    significance --targets gold.conll --against north.conll --model south.conll --metric entity_f1 --resamples 500
    significance --targets gold.txt --against north.txt --model south.txt --metric wer --metric accuracy
    significance {READ} --level 0.9 --columns model,p
    significance {READ} --where "kind = 'a'" --output a.txt
    significance {BY} --resamples 500
    significance {BY} --against base --resamples 500 --format json
    significance {BY} --all-pairs --resamples 500 --figure all.svg --format csv
    significance scores.csv --model model --id uid --run run --score bleu
    significance scores.csv --model model --id uid --run run --score bleu --format json
    significance scores.csv --model model --id uid --run run --score bleu --bounds 0,100 --format csv
    significance scores.csv --model model --id uid --run run --score bleu --method bootstrap --two-way --resamples 300
    significance quality.csv --against old --model new --metric score --cluster doc
    significance quality.csv --against old --model new --metric score --method gaffke --bounds 0,1 --format json
    !lines
    significance --targets gold.txt --against base.txt --model large.txt --resamples 500
    significance outcomes outcomes.json --resamples 200
    significance outcomes outcomes.json --format json --method boostsa --resamples 200
    significance power --n 1000 --disagreement 0.1
    significance power --difference 0.01 --disagreement 0.1
    significance power --n 1000 --difference 0.03 --disagreement 0.1 --format json
    significance power --n 500 --disagreement 0.2 --method mcnemar --format csv
    significance power --n 500 --disagreement 0.2 --alternative better --format markdown
    significance power --n 500 --disagreement 0.2 --format latex
    significance systems.csv --target glod --against base --model large
    significance systems.csv --target gold --against base
    significance {READ} --metric f2
    significance systems.csv --target gold --against base --model large --resamples 0
    significance {READ} --method t
    significance long.csv --model model --target gold --prediction said
    significance scores.csv --model model --id uid --score bleu
    significance power --disagreement 0.1
    significance power --n 10 --disagreement 2
    significance outcomes no.json
    """,
    steps={"lines": lines},
    long=True,
)
