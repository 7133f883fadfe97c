"""Recalibration: maps fitted, evaluated and applied."""

from __future__ import annotations

from tests.goldens.running import Room

READ = "pairs.csv --target y --prob q"
CLASSES = "classes.jsonl --target gold --logits z --classes cat,cow,dog"

ROOM = Room(
    f"""
    ~1e-5 recalibrate fit {READ} --out map.json
    ~1e-5 recalibrate fit {READ} --method platt --out platt.json --figure platt.svg --width 3.3
    ~1e-5 recalibrate fit {READ} --method temperature --out temperature.json
    ~1e-5 recalibrate fit {READ} --method beta --out beta.json
    recalibrate fit {READ} --method isotonic --out isotonic.json
    recalibrate fit {READ} --method histogram --bins 6 --out histogram.json
    recalibrate fit {READ} --method venn-abers --out venn.json
    recalibrate fit {READ} --method none --out none.json
    ~1e-5 recalibrate fit {READ} --method platt --by lang --cluster doc --out groups.json
    ~1e-5 recalibrate fit {CLASSES} --method temperature --out classes.json
    ~1e-5 recalibrate fit {CLASSES} --method vector --out vector.json
    ~1e-5 recalibrate fit {CLASSES} --method dirichlet --penalty 0.1 --out dirichlet.json
    recalibrate apply few.csv --map histogram.json --prob q --out applied.csv
    ~1e-5 recalibrate apply few.parquet --map platt.json --prob q --new-name better --out applied.parquet
    ~1e-5 recalibrate apply few.jsonl --map groups.json --prob q --by lang --out applied.jsonl
    ~1e-5 recalibrate apply few-classes.jsonl --map classes.json --logits z --classes cat,cow,dog --out applied-z.jsonl
    ~1e-5 recalibrate evaluate {READ}
    ~1e-5 recalibrate evaluate {READ} --method platt,isotonic
    ~1e-5 recalibrate evaluate {READ} --method platt --format json --repeats 1
    ~1e-5 recalibrate evaluate {READ} --method platt,beta --format csv --repeats 1
    recalibrate evaluate {READ} --method histogram --format markdown --repeats 1
    recalibrate evaluate {READ} --method histogram --format latex --repeats 1
    ~1e-5 recalibrate evaluate {READ} --method platt --by lang --repeats 1 --adjust bh
    ~1e-5 recalibrate evaluate {READ} --method platt --cluster doc --figure judged.svg --report judged.html
    ~1e-5 recalibrate evaluate {READ} --map platt.json
    ~1e-5 recalibrate evaluate {CLASSES} --method temperature,vector --repeats 1
    recalibrate fit {READ} --method plat --out no.json
    recalibrate fit {READ} --method vector --out no.json
    recalibrate fit {READ} --out nowhere/no.json
    recalibrate apply pairs.csv --map pairs.json --prob q --out no.csv
    recalibrate apply pairs.csv --map groups.json --prob q --out no.csv
    recalibrate evaluate {READ} --map none.toml
    recalibrate evaluate {READ} --folds 2
    """
)
