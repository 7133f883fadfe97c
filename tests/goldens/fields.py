"""Fields of extracted documents."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.goldens.running import Room

READ = "fields values.csv"


def write_inputs() -> None:
    """Write a table with a row per value of 120 documents, and JSON lines with the true values."""
    rng = np.random.default_rng(52)
    rows, predicted, gold = ["document,field,value,confidence,gold"], [], []
    for i in range(120):
        p = rng.beta(25, 1, 2).round(4)
        total, vendor = np.where(rng.random(2) < p, [f"{i}.50", "Ann"], [f"{i}.75", "Bob"]).tolist()
        rows += [f"d{i},total,{total},{p[0]},{i}.50", f"d{i},vendor,{vendor},{p[1]},Ann"]
        predicted.append({"id": f"d{i}", "total": total, "vendor": vendor})
        gold.append({"id": f"d{i}", "total": f"{i}.50", "vendor": "Ann"})
    Path("values.csv").write_text("\n".join([*rows, ""]))
    answers = [{"ok": {"type": "noul", "noul": float(p)}} for p in rng.beta(0.1, 0.1, 200)]
    decisions = [
        {
            "id": f"q{i}",
            "questions": {"ok": "Is it right?"},
            "labels": {"ok": answer["ok"]["noul"] > 0.5},
            "response": {"model": "m-1" if i < 100 else "m-2", "answers": answer},
        }
        for i, answer in enumerate(answers)
    ]
    files = {"extracted": predicted, "gold": gold, "first": decisions[:100], "second": decisions[100:]}
    for name, records in ((f"{name}.jsonl", records) for name, records in files.items()):
        Path(name).write_text("".join(json.dumps(record) + "\n" for record in records))


ROOM = Room(
    f"""
    !write
    {READ}
    {READ} --format json
    {READ} --worst 3
    {READ} --compare total=number:1
    {READ} --max-risk 0.2 --write-policy policy.json
    {READ} --max-risk 0.2 --promise fields
    {READ} --recalibrate
    {READ} --max-risk 0.01 --write-policy none.json
    {READ} --figure fields.svg
    fields extracted.jsonl --gold gold.jsonl
    fields apply values.csv --policy policy.json --audit 3 --seed 0
    check fields values.csv --policy policy.json
    fields first.jsonl --max-risk 0.2 --write-policy decisions.json
    fields apply second.jsonl --policy decisions.json
    check fields second.jsonl --policy decisions.json
    {READ} --compare total=money
    {READ} --promise fields --max-risk 2
    """,
    steps={"write": write_inputs},
)
