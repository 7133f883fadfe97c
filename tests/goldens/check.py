"""Limits: pass, fail or cannot tell; baselines, configuration, files for other programs, trends."""

from __future__ import annotations

from pathlib import Path

from tests.goldens.running import Room

NEW = "check calibration pairs.csv --target y --prob p"
OLD = "check calibration pairs.csv --target y --prob q"


def configure() -> None:
    Path("howsure.toml").write_text(
        "[check]\nlevel = 0.9\nalarms-over = 30\n\n"
        '[check.calibration]\nfiles = ["pairs.csv"]\ntarget = "y"\nprob = "p"\ngroup = "lang"\nmax-error = 0.3\n\n'
        '[[check.score]]\nname = "quality"\nfiles = ["quality.csv"]\nscore = "new"\nmin-score = 0.5\n\n'
        '[[check.score]]\nname = "old quality"\nfiles = ["quality.csv"]\nscore = "old"\nbetter-than = "new"\n\n'
        '[check.selective]\nfiles = ["pairs.csv"]\ntarget = "y"\nprob = "p"\nmax-risk = 0.6\nmin-coverage = 0.3\n'
    )
    wrong = '[check.calibration]\nfiles = ["pairs.csv"]\ntarget = "y"\nprob = "p"\n'
    Path("wrong.toml").write_text(f"{wrong}max-eror = 0.3\n")
    Path("text.toml").write_text(f'{wrong}max-error = "low"\n')


ROOM = Room(
    f"""
    {NEW} --max-error 0.05
    {NEW} --max-error 0.3
    {OLD} --max-error 0.01
    {NEW} --max-error 0.3 --format json
    {NEW} --max-error 0.3 --group lang
    {NEW} --max-error 0.2 --group lang,year --format json
    {NEW} --max-error 0.3 --cluster doc --level 0.9
    {NEW} --max-error 0.3 --weight w
    {NEW} --better-than q
    {OLD} --better-than p
    {OLD} --not-worse-than 0.02 --against p
    {NEW} --better-than other.csv --id id
    {NEW} --not-worse-than 0.02 --against other.csv --id id --format json
    {NEW} --better-than q --max-error 0.2 --format json
    {NEW} --max-error 0.3 --junit check.xml --summary summary.md
    {NEW} --max-error 0.3 --output check.txt
    {NEW} --max-error 0.3 --name nightly --write-baseline baseline.json
    {OLD} --max-error 0.3 --name nightly --baseline baseline.json --not-worse-than 0.05
    {NEW} --max-error 0.3 --experiments nightly.experiments --date 2026-01-02
    {OLD} --max-error 0.3 --experiments nightly.experiments --date 2026-01-03
    {NEW} --max-error 0.25 --experiments nightly.experiments --date 2026-01-04
    check trend nightly.experiments
    check trend nightly.experiments --format json
    check trend nightly.experiments --format csv
    check trend nightly.experiments --format markdown
    check trend nightly.experiments --format latex --figure trend.svg
    check trend nightly.experiments --check calibration --columns date,verdict
    check trend nightly.experiments --check score
    check trend no.experiments
    {NEW} --max-error 0.05 --date 2026-11-22
    {NEW} --max-error 0.05 --experiments nightly.experiments --date 22.11.
    {NEW} --max-error 0.3 --format csv
    {NEW} --max-error 0.3 --format markdown
    check score quality.csv --score new --min-score 0.5
    check score quality.csv --score new --max-score 0.7 --lower-is-better
    check score quality.csv --score new --min-score 0.5 --group lang --format json
    check score quality.csv --score new --better-than old --cluster doc
    check score quality.csv --score old --not-worse-than 0.1 --against new --format json
    check score quality.csv --score new --min-score 0.5 --bounds 0,1 --level 0.9
    check score quality.csv --score new --min-score 0.5 --write-baseline score.json
    check score quality.csv --score old --not-worse-than 0.05 --baseline score.json
    check selective pairs.csv --target y --prob p --max-risk 0.4 --min-coverage 0.3
    check selective pairs.csv --target y --prob p --max-risk 0.05 --min-coverage 0.3 --group lang --format json
    check selective pairs.csv --target y --prob q --max-risk 0.3 --write-baseline kept.json
    check selective pairs.csv --target y --prob p --max-risk 0.3 --baseline kept.json --not-worse-than 0.1
    !configure
    check
    check --format json
    check all --junit all.xml --summary all.md
    check --config wrong.toml
    check --config text.toml
    check --config none.toml
    # refusals
    {NEW}
    {NEW} --max-error 2
    {NEW} --max-error 0.1 --better-than z
    {NEW} --better-than other.csv
    {NEW} --max-error 0.1 --group land
    {NEW} --max-error 0.1 --level 1
    check score quality.csv --score new
    check score quality.csv --score nw --min-score 0.2
    check selective pairs.csv --target y --prob p --max-risk 2
    {NEW} --max-error 0.3 --baseline pairs.csv
    """,
    steps={"configure": configure},
    long=True,
)
