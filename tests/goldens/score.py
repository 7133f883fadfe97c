"""Scores of models."""

from __future__ import annotations

from tests.goldens.running import Room

READ = "score scores.csv --score bleu --model model --id uid --run run --seed 1"
PASSES = "score passes.csv --score right --model model --id uid --run run --pass-at 1,2 --pass-hat 2 --seed 1"
BATTLES = "score battles battles.csv --a left --b right --winner winner --seed 1"
RACE = "score race passes.csv --score right --model model --id uid"
PLAN = "score plan quality.csv --score new --against old --items-total 500 --bounds 0,1 --simulations 40 --seed 1"
AGENTS = "score agents trials.csv --score right --error error --cost dollars --model model --id uid --run run --seed 1"
ITEMS = "score items passes.csv --score right --model model --id uid --run run"
SPANS = "score north.conll south.conll --targets gold.conll"

ROOM = Room(
    f"""
    score quality.csv --score new
    score quality.csv --score new --bounds 0,1 --cluster doc --level 0.9
    score quality.csv --score new --group lang --macro
    score quality.csv --score new --group lang --macro --format json
    {READ}
    score scores.csv --score bleu --model model --id uid --group run --sampled groups --seed 1
    score passes.csv --score right --model model --id uid --group run --sampled both --seed 1
    {READ} --format json
    {READ} --format csv
    {READ} --format markdown
    {READ} --format latex
    {READ} --lower-is-better
    {READ} --pass-at 2
    score long.csv --score said --positive c0 --model model --id uid --run run --pass-at 1 --pass-hat 1 --seed 1
    score long.csv --score said --positive c0 --model model --id uid --run run --pass-at 3 --seed 1
    {READ} --figure scores.svg --width 3.3
    {PASSES} --figure passes.svg
    {READ} --report scores.html
    {READ} --columns model,mean
    {READ} --worst 3 --show uid,run
    {READ} --worst 3 --show uid --format json
    {READ} --worst 2 --show uid --lower-is-better --format csv
    {READ} --worst 2 --show uid --report worst.html
    score holes.csv --score p --missing-score 0 --worst 2 --format markdown
    score holes.csv --score p --missing-score 0 --show p
    score long.csv --score said --positive c0 --model model --id uid --seed 1
    score holes.csv --score p --missing-score 0
    score holes.csv --score p --missing NA --missing-score 0 --bounds 0,1
    score holes.csv --score p --skip-missing
    score holes.csv --score p
    score north.csv south.csv --score y
    {BATTLES}
    {BATTLES} --position-effect --cluster prompt --format json
    {BATTLES} --tie even
    {BATTLES} --where "winner != 'model_b'" --figure battles.svg
    {BATTLES} --level 0.9 --report battles.html
    {AGENTS}
    {AGENTS} --format json
    {AGENTS} --figure agents.svg --report agents.html
    score agents trials.csv --score right --error gone
    {ITEMS}
    {ITEMS} --format json
    {ITEMS} --figure items.svg --report items.html
    score items 'results/*/samples_*.jsonl' --show doc
    score order quality.csv --id id --seed 1
    score order quality.csv --id id --cluster doc --seed 1 --format json
    {RACE} --where "run = 0" --seed 1
    {RACE} --where "run = 0" --seed 1 --level 0.8 --format json
    {RACE} --seed 1
    {PLAN}
    check score quality.csv --score new --better-than old --sequential --bounds 0,1 --items-total 500
    check score quality.csv --score new --min-score 0.5 --sequential --bounds 0,1 --format json
    score north.txt south.txt --targets gold.txt --metric wer --seed 1 --format json
    {SPANS} --metric entity_f1 --metric entity_partial_f1 --seed 1 --figure f1.svg
    score north.txt --targets gold.txt --metric entity_f1
    score north.txt --targets gold.txt --metric bleu --metric wer
    score north.txt --metric bleu
    score 'results/*/samples_*.jsonl' --seed 1
    score 'results/*/samples_*.jsonl' --seed 1 --worst 2 --show doc,prediction --format latex
    score 'results/*/samples_*.jsonl' --seed 1 --format json
    score 'logs/helm/*' --seed 1
    score 'logs/inspect-zip/*' --seed 1
    """
)
