"""Recalibration: maps fitted, evaluated and applied."""

from __future__ import annotations

from tests.goldens.running import Room

READ = "pairs.csv --target y --prob q"
CLASSES = "classes.jsonl --target gold --logits z --classes cat,cow,dog"

ROOM = Room(
    f"""
    ~1e-5 recalibrate fit {READ} --output map.json
    ~1e-5 recalibrate fit {READ} --method platt --output platt.json --figure platt.svg --width 3.3
    ~1e-5 recalibrate fit {READ} --method temperature --output temperature.json
    ~1e-5 recalibrate fit {READ} --method beta --output beta.json
    recalibrate fit {READ} --method isotonic --output isotonic.json
    recalibrate fit {READ} --method histogram --bins 6 --output histogram.json
    recalibrate fit {READ} --method venn-abers --output venn.json
    recalibrate fit {READ} --method none --output none.json
    ~1e-5 recalibrate fit {READ} --method platt --group lang --cluster doc --output groups.json
    ~1e-5 recalibrate fit {CLASSES} --method temperature --output classes.json
    ~1e-5 recalibrate fit {CLASSES} --method vector --output vector.json
    ~1e-5 recalibrate fit {CLASSES} --method dirichlet --penalty 0.1 --output dirichlet.json
    ~1e-5 recalibrate fit {CLASSES} --method ordered --output ordered.json
    ~1e-5 recalibrate evaluate {CLASSES} --method ordered --repeats 1
    recalibrate apply few.csv --map histogram.json --prob q --output applied.csv
    ~1e-5 recalibrate apply few.parquet --map platt.json --prob q --new-name better --output applied.parquet
    ~1e-5 recalibrate apply few.jsonl --map groups.json --prob q --group lang --output applied.jsonl
    ~1e-5 recalibrate apply few-classes.jsonl --map classes.json --logits z --classes cat,cow,dog --output z.jsonl
    ~1e-5 recalibrate evaluate {READ}
    ~1e-5 recalibrate evaluate {READ} --method platt,isotonic
    ~1e-5 recalibrate evaluate {READ} --method platt --format json --repeats 1
    ~1e-5 recalibrate evaluate {READ} --method platt,beta --format csv --repeats 1
    recalibrate evaluate {READ} --method histogram --format markdown --repeats 1
    recalibrate evaluate {READ} --method histogram --format latex --repeats 1
    ~1e-5 recalibrate evaluate {READ} --method platt --group lang --repeats 1 --adjust bh
    ~1e-5 recalibrate evaluate {READ} --method platt --cluster doc --figure judged.svg --report judged.html
    ~1e-5 recalibrate evaluate {READ} --map platt.json
    ~1e-5 recalibrate evaluate {CLASSES} --method temperature,vector --repeats 1
    recalibrate fit {READ} --method plat --output no.json
    recalibrate fit {READ} --method vector --output no.json
    recalibrate fit {READ} --output nowhere/no.json
    recalibrate apply pairs.csv --map pairs.json --prob q --output no.csv
    recalibrate apply pairs.csv --map groups.json --prob q --output no.csv
    recalibrate evaluate {READ} --map none.toml
    recalibrate evaluate {READ} --folds 2
    """,
    long=True,
)
