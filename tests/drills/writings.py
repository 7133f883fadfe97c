"""Every command that writes files, with valid input. The drills are applied to each of these commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from tests.cli.running import howsure, printed
from tests.cli.walking import commands

from howsure_cli.terminal.commands import OutputFile, OutputFolder

JUDGE = "--target label --prob probability"
COMPARE = "two.csv --target y --against a --model b"
GONE_ON_WITH = (".duckdb", ".state", ".experiments")  # what is read and written, not replaced
HISTORY = "--experiments o.experiments --date 2026-11-22"
APPENDED = "summary.md"  # the summary of checks, appended to what the file holds
# By the words of the command: the rest of what is typed, and what it writes.
TYPED = {
    "calibration curve": (
        f"predictions.csv {JUDGE} --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "calibration summary": (f"predictions.csv {JUDGE} --group model --output o.summary", "o.summary"),
    "check calibration": (
        f"predictions.csv {JUDGE} --max-error 0.5 --output o.txt --junit o.xml --summary summary.md "
        f"--write-baseline o.json {HISTORY}",
        "o.txt o.xml summary.md o.json o.experiments",
    ),
    "check fields": (
        "values.csv --policy policy.json --output o.txt --junit o.xml --summary summary.md "
        f"--write-baseline o.json {HISTORY}",
        "o.txt o.xml summary.md o.json o.experiments",
    ),
    "check score": (
        "two.csv --score y --min-score 0.1 --output o.txt --junit o.xml --summary summary.md "
        f"--write-baseline o.json {HISTORY}",
        "o.txt o.xml summary.md o.json o.experiments",
    ),
    "check selective": (
        f"predictions.csv {JUDGE} --max-risk 0.9 --output o.txt --junit o.xml --summary summary.md "
        f"--write-baseline o.json {HISTORY}",
        "o.txt o.xml summary.md o.json o.experiments",
    ),
    "check all": (
        f"--config checks.toml --output o.txt --junit o.xml --summary summary.md --write-baseline o.json {HISTORY}",
        "o.txt o.xml summary.md o.json o.experiments",
    ),
    "check trend": ("nightly.experiments --output o.txt --figure o.svg", "o.txt o.svg"),
    "calibration find-groups": (
        f"predictions.csv {JUDGE} --features model --min-rows 20 --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "calibration logits": (
        "logits.npy --targets tokens.npy --save o.summary --output o.txt --figure o.svg --report o.html",
        "o.summary o.txt o.svg o.html",
    ),
    "calibration bin-size": (f"predictions.csv {JUDGE} --output o.txt", "o.txt"),
    "calibration local": (f"predictions.csv {JUDGE} --output o.txt --figure o.svg", "o.txt o.svg"),
    "calibration ordinal": (
        "levels.csv --target y --probs a,b,c --levels a,b,c --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "calibration structures": (
        "structures.jsonl --pairs o.csv --output o.txt --figure o.svg --report o.html",
        "o.csv o.txt o.svg o.html",
    ),
    "calibration compare": ("two.csv --target y --prob p --prob q --output o.txt --figure o.svg", "o.txt o.svg"),
    "significance compare": (f"{COMPARE} --output o.txt --figure o.pdf --report o.html", "o.txt o.pdf o.html"),
    "significance outcomes": (
        "outcomes.json --metric accuracy --output o.txt --figure o.png --report o.html",
        "o.txt o.png o.html",
    ),
    "significance power": ("--n 500 --disagreement 0.1 --output o.txt", "o.txt"),
    "sequences train": ("train.tsv --tagger hmm --output o.npz", "o.npz"),
    "sequences tag": ("tagger.npz train.tsv --output o.conllu", "o.conllu"),
    "sequences posterior": ("tagger.npz train.tsv --output o.parquet", "o.parquet"),
    "sequences recalibrate": ("tagger.npz dev.tsv --keep-answers --output o.npz --figure o.svg", "o.npz o.svg"),
    "sequences spans": ("bio.npz bio.tsv --pairs o.csv --output o.txt", "o.csv o.txt"),
    "sequences evaluate": ("tagger.npz train.tsv --output o.txt", "o.txt"),
    "coreference predict": ("news.conllu --output o.conllu", "o.conllu"),
    "coreference posterior": (
        "one.conllu --threshold 0.001 --output o.csv --figure o.svg --text o.html",
        "o.csv o.svg o.html",
    ),
    "coreference recalibrate": ("entities.conllu --weight-of-new 1 --output o.npz", "o.npz"),
    "coreference score": ("entities.conllu entities.conllu --output o.txt", "o.txt"),
    "coreference train": ("entities.conllu --passes 1 --output o.npz", "o.npz"),
    "events extract": ("news.conllu --lexicon actors.tsv --workers 1 --samples 5 --store o.duckdb", "o.duckdb"),
    "events merge": ("part-1.duckdb part-2.duckdb --store o.duckdb", "o.duckdb"),
    "events import": ("wide.csv --id id --date date --actors IRQ,USA --store o.duckdb", "o.duckdb"),
    "events recount": ("news.duckdb --rule attack-wide --workers 1 --store o.duckdb", "o.duckdb"),
    "events labels sheet": ("news.duckdb --output o.csv", "o.csv"),
    "events labels export": ("news.duckdb --output o.csv", "o.csv"),
    "events labels agreement": ("news.duckdb --output o.txt", "o.txt"),
    "events labels disagreements": ("news.duckdb --output o.txt", "o.txt"),
    "events check": ("news.duckdb --output o.txt", "o.txt"),
    "events series": ("news.duckdb --output o.txt --figure o.svg", "o.txt o.svg"),
    "events compare": ("news.duckdb SUDORIA NORLAND --output o.txt", "o.txt"),
    "events regress": (
        "news.duckdb --covariates actor --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "events doubtful": ("news.duckdb --output o.txt", "o.txt"),
    "events report": ("news.duckdb --output o.html", "o.html"),
    "look": ("predictions.csv --output o.txt", "o.txt"),
    "signature": ("howsure|estimate|n:1|v:0.2.0 --output o.txt", "o.txt"),
    "score table": (
        "predictions.csv --score label --model model --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "score agents": (
        "items.csv --score right --model model --id item --seed 0 --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "score items": (
        "items.csv --score right --model model --id item --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "score battles": (
        "battles.csv --a a --b b --winner winner --seed 0 --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "score order": ("counted.csv --id item --seed 0 --output o.txt", "o.txt"),
    "score race": ("raced.csv --score right --model model --id item --output o.txt", "o.txt"),
    "score plan": ("two.csv --score a --against b --items-total 90 --simulations 9 --seed 0 --output o.txt", "o.txt"),
    "judge scores": (
        "two.csv --score a --target b --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "judge sample": ("two.csv --score a --labels 9 --seed 0 --output o.csv --format csv", "o.csv"),
    "judge plan": ("two.csv --score a --correlation 0.5 --bounds 0,1 --width 1 --output o.txt", "o.txt"),
    "judge transport": (
        "two.csv --score a --target b --model y --margin 0.2 --output o.txt --report o.html",
        "o.txt o.html",
    ),
    "judge validate": (
        "two.csv --score a --target b --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "judge bias": ("two.csv --score a --swapped b --output o.txt --figure o.svg --report o.html", "o.txt o.svg o.html"),
    "judge prompts": (
        "grades.csv --score grade --prompt rater --id item --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "judge spans": (
        "spans.csv --document d --rater r --start s --end e --output o.txt --report o.html",
        "o.txt o.html",
    ),
    "judge agreement": (
        "grades.csv --rater rater --id item --score grade --output o.txt --report o.html",
        "o.txt o.html",
    ),
    "selective": (
        "predictions.csv --target label --prob probability --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "fields table": (
        "values.csv --max-risk 0.5 --write-policy o.json --output o.txt --figure o.svg --report o.html",
        "o.json o.txt o.svg o.html",
    ),
    "fields apply": ("values.csv --policy policy.json --output o.txt", "o.txt"),
    "monitor update": ("watched.state dated.csv --date date --target y --prob p", "watched.state"),
    "monitor status": ("watched.state --output o.txt", "o.txt"),
    "monitor series": ("watched.state --output o.txt --figure o.svg --report o.html", "o.txt o.svg o.html"),
    "monitor metrics": ("watched.state --output o.txt", "o.txt"),
    "recalibrate fit": ("two.csv --target y --prob q --method isotonic --output o.json --figure o.svg", "o.json o.svg"),
    "recalibrate evaluate": (
        "two.csv --target y --prob q --method isotonic --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "recalibrate apply": ("two.csv --map map.json --prob q --output o.csv", "o.csv"),
    "counts sample": ("two.csv --prob p --labels 20 --output o.csv", "o.csv"),
    "counts estimate": (
        "two.csv --prob p --target y --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "counts regress": (
        "two.csv --prediction p --target y --covariates q --output o.txt --figure o.svg --report o.html",
        "o.txt o.svg o.html",
    ),
    "counts plan": ("two.csv --prob p --width 9 --output o.txt", "o.txt"),
    "quantiles": ("two.csv --target y --draws p,q --output o.txt --figure o.svg", "o.txt o.svg"),
    "simulate": ("5000 --output o.csv", "o.csv"),
    "reproduce binning": ("--page o.md --figures o", "o.md"),
    "demo": ("--output o", ""),
}
# They write as `reproduce binning` does, after minutes; what comes over the network has tests of its own. `events
# parses` needs a spaCy pipeline, and writes as `calibration bin-size` does.
AS_OTHERS = {name for name in commands() if name.startswith("reproduce ")} - set(TYPED) | {"data get", "events parses"}


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    err: str


def writing() -> set[str]:
    """Return the commands that can write a file."""
    kinds = (OutputFile, OutputFolder)
    return {name for name, command in commands().items() if any(isinstance(p.type, kinds) for p in command.params)}


def writing_options(name: str) -> set[str]:
    """Return the options of a command that name a file or a folder to write, by their first names."""
    options = [parameter for parameter in commands()[name].params if isinstance(parameter, click.Option)]
    return {option.opts[0] for option in options if isinstance(option.type, OutputFile | OutputFolder)}


def make_place(folder: Path) -> Path:
    """Make a folder with the input of all commands."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        assert howsure("demo", "--output", ".").code == 0
        printed("events", "labels", "import", "news.duckdb", "labels.csv", "--coder", "second")
        for made in ("curve.png", "report.html", "events.html"):
            Path(made).unlink()
        rows = [f"{i % 2},{i % 10 / 10},{i % 7 / 7:.3f},{i % 3 % 2},{i % 5 % 2}" for i in range(400)]
        Path("two.csv").write_text("\n".join(["y,p,q,a,b", *rows, ""]))
        Path("counted.csv").write_text("\n".join(["item", *map(str, range(20)), ""]))
        raced = [f"{model},{item},{int(model == 'a')}" for model in "ab" for item in range(20)]
        right = [f"m{model},{item},{int((7 * item) % 11 < model + 3)}" for model in range(6) for item in range(20)]
        Path("items.csv").write_text("\n".join(["model,item,right", *right, ""]))
        Path("raced.csv").write_text("\n".join(["model,item,right", *raced, ""]))
        levels = [f"{'abc'[i % 3]},{0.2 + 0.1 * (i % 2)},0.3,{0.5 - 0.1 * (i % 2)}" for i in range(200)]
        Path("levels.csv").write_text("\n".join(["y,a,b,c", *levels, ""]))
        parsed = [{"samples": [["a", "b"], ["a"], ["b"][i % 2 :]], "gold": ["ab"[i % 3 % 2]]} for i in range(60)]
        Path("structures.jsonl").write_text("\n".join(map(json.dumps, parsed)))
        np.save("logits.npy", np.arange(4000.0).reshape(400, 10) % 7)
        np.save("tokens.npy", np.arange(400) % 10)
        fought = [f"{'xy'[i % 2]},{'yx'[i % 2]},{'ab'[i % 3 % 2]}" for i in range(60)]
        Path("battles.csv").write_text("\n".join(["a,b,winner", *fought, ""]))
        grades = [f"{'xyz'[i % 3]},{i // 3},{i % 4}" for i in range(60)]
        Path("grades.csv").write_text("\n".join(["rater,item,grade", *grades, ""]))
        marked = [f"{i // 4},{'xy'[i % 2]},{i % 4 * 10},{i % 4 * 10 + 3}" for i in range(80)]
        Path("spans.csv").write_text("\n".join(["d,r,s,e", *marked, ""]))
        months = [f"2026-{1 + i % 12:02}-{1 + i % 28:02},{i % 2},{i % 10 / 10}" for i in range(400)]
        Path("dated.csv").write_text("\n".join(["date,y,p", *months, ""]))
        watched = ("--date", "date", "--target", "y", "--prob", "p", "--tolerance", "0.45", "--until", "2026-06-30")
        printed("monitor", "update", "watched.state", "dated.csv", *watched)
        Path("checks.toml").write_text('[check.score]\nfiles = "two.csv"\nscore = "y"\nmin-score = 0.1\n')
        night = ("--experiments", "nightly.experiments", "--date", "2026-11-22")
        printed("check", "score", "two.csv", "--score", "y", "--min-score", "0.1", *night)
        printed("recalibrate fit two.csv --target y --prob q --method isotonic --output map.json")
        values = [f"d{i // 2},{'ab'[i % 2]},{i % 9 // 8},{0.5 + i % 9 / 20},0" for i in range(200)]
        Path("values.csv").write_text("\n".join(["document,field,value,confidence,gold", *values, ""]))
        filed = howsure("fields", "values.csv", "--max-risk", "0.5", "--write-policy", "policy.json")
        assert (filed.code, filed.err) == (0, "The policy was written to policy.json.\n")
        dated = [f"n{i},2001-{1 + i % 12:02}-01,{i % 10 / 10},{i % 7 / 7:.3f}" for i in range(400)]
        Path("wide.csv").write_text("\n".join(["id,date,IRQ,USA", *dated, ""]))
        runs = {
            "exp_idxs": ["0"],
            "preds": [[0, 1] * 20],
            "targs": [[0, 1] * 20],
            "idxs": [[*range(40)]],
            "epochs": [1],
        }
        Path("outcomes.json").write_text(json.dumps({"h0": {**runs, "h1": {"large": runs}}}))
        Path("train.tsv").write_text("the\tD\ndog\tN\nsings\tV\n\nthe\tD\ncat\tN\nruns\tV\n\n" * 20)
        printed("sequences", "train", "train.tsv", "--tagger", "hmm", "--output", "tagger.npz")
        noisy = [f"the\tD\ndog\t{'NNNV'[i % 4]}\nsings\t{'VVN'[i % 3]}\n" for i in range(60)]
        Path("dev.tsv").write_text("\n".join([*noisy, ""]))
        Path("bio.tsv").write_text("Ann\tB-PER\nLee\tI-PER\nsings\tO\n\nBo\tB-PER\nruns\tO\n\n" * 20)
        printed("sequences", "train", "bio.tsv", "--tagger", "hmm", "--output", "bio.npz")
        for part in ("1", "2"):
            options = ("--part", f"{part}/2", "--workers", "1", "--samples", "5", "--store", f"part-{part}.duckdb")
            printed("events", "extract", "news.conllu", "--lexicon", "actors.tsv", *options)
        printed("coreference", "predict", "news.conllu", "--output", "entities.conllu")
        parts = Path("news.conllu").read_text(encoding="utf-8").split("# newdoc")
        Path("one.conllu").write_text(f"# newdoc{parts[1]}", encoding="utf-8")
    finally:
        os.chdir(before)
    return folder


def start(name: str, folder: Path, *, shell: str = '"$@"') -> subprocess.Popen[bytes]:
    """Start a command in a folder, with a separate folder for scratch files. shell: a shell line that contains the
    command."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    words = [sys.executable, "-m", "howsure_cli", *name.split(), *TYPED[name][0].split()]
    environment = {**os.environ, "TMPDIR": str(scratch), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        ["bash", "-c", shell, "bash", *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def run(name: str, folder: Path, *, shell: str = '"$@"') -> Ended:
    """Run the same until it ends."""
    process = start(name, folder, shell=shell)
    _, errors = process.communicate()
    return Ended(process.returncode, errors.decode())
