"""Calibration: curves, tests, comparisons, groups, summaries, logits; every format, figures and reports."""

from __future__ import annotations

from tests.goldens.running import Room

READ = "pairs.csv --target y --prob p"

ROOM = Room(
    f"""
    calibration {READ}
    calibration curve {READ}
    calibration {READ} --format json
    calibration {READ} --format csv
    calibration {READ} --format markdown
    calibration {READ} --format latex
    calibration bin-size {READ}
    calibration bin-size {READ} --cluster doc --format csv
    calibration local {READ} --span 0.5 --figure local.svg
    calibration ordinal classes.jsonl --target gold --probs-column probs --levels cow,cat,dog --cluster doc
    calibration ordinal classes.csv --target gold --probs cat,cow,dog --levels cat,cow,dog --format json
    calibration ordinal classes.csv --target gold --probs cat,cow,dog
    calibration ordinal classes.jsonl --target gold --logits z --levels cat,cow,dog --figure levels.svg --format csv
    calibration {READ} --group lang
    calibration {READ} --group lang --format json
    calibration {READ} --group lang --format csv
    calibration {READ} --group lang --format markdown
    calibration {READ} --group lang --format latex --columns n,error
    calibration {READ} --group lang --columns nothing
    calibration {READ} --group year --format json --bins 4
    calibration {READ} --group lang,year --bins 4
    calibration {READ} --cluster doc --format json --bins 5
    calibration {READ} --weight w --bins 5 --format json
    calibration {READ} --bin-size 40
    calibration {READ} --bins 6 --binning uniform
    calibration {READ} --bins 6 --weight w --format csv
    calibration {READ} --method corp
    calibration {READ} --method corp --format json --where "year = 2020 and lang = 'de'"
    calibration {READ} --method corp --group lang --figure corp.svg
    calibration {READ} --method corp --group lang --cluster doc --format csv
    calibration {READ} --method corp --group lang --format latex --simulations 60 --seed 4
    calibration {READ} --method corp --cluster doc --report corp.html
    calibration {READ} --group lang --method corp --report corps.html --level 0.9
    calibration {READ} --level 0.9
    calibration {READ} --interval bootstrap --seed 1
    calibration {READ} --interval nguyen-oconnor --seed 5 --format json --bins 4
    calibration {READ} --test spiegelhalter
    calibration {READ} --test binned --format csv
    calibration {READ} --test cumulative
    calibration {READ} --test simulation --simulations 200 --seed 2
    calibration {READ} --test cox --group lang --adjust holm
    calibration {READ} --test cox --format json --bins 3
    calibration {READ} --figure curve.svg --width 3
    calibration {READ} --group lang --figure groups.svg --axis logit
    calibration {READ} --group lang --report report.html
    calibration {READ} --cluster doc --report clustered.html --test cox
    calibration {READ} --worst 3 --show doc,lang
    calibration {READ} --group lang --worst 3 --show doc --format json
    calibration {READ} --group lang --worst 3 --show doc --report worst.html
    calibration {READ} --worst 0
    calibration {READ} --show lang
    calibration {READ} --worst 3 --show nothing
    calibration {READ} --output curve.txt
    calibration {READ} --format json --output curve.json
    calibration {READ} --group lang --format csv --output curve.csv
    calibration {READ} --figure curve.bmp
    calibration {READ} --bins 0
    calibration {READ} --level 2
    calibration {READ} --method kernel
    calibration {READ} --test coxx
    calibration demo-predictions.csv --target label --prob probability --group model --cluster tweet
    calibration structures parses.jsonl --bins 3
    calibration structures parses.jsonl --by-label --bins 3 --format json --pairs parts.csv
    calibration structures pairs.csv
    # comparisons
    calibration compare pairs.csv --target y --prob p --prob q
    calibration compare pairs.csv --target y --prob p --prob q --names one,two --format json --bins 4
    calibration compare pairs.csv --target y --prob p --prob q --format csv
    calibration compare pairs.csv --target y --prob p --prob q --format latex --cluster doc
    calibration compare pairs.csv --target y --prob p --prob q --format markdown --weight w
    calibration compare pairs.csv --target y --prob p --prob q --bin-size 40 --level 0.9
    calibration compare pairs.csv --target y --prob p --prob q --figure both.svg
    calibration compare pairs.csv --target y --prob p
    # groups that are found
    calibration find-groups {READ} --features lang,year
    ~1e-5 calibration find-groups {READ} --features lang,year --format json --conditions 1
    calibration find-groups {READ} --features lang,year,w --format csv --cluster doc
    calibration find-groups {READ} --features lang --format markdown --min-rows 30
    calibration find-groups {READ} --features lang,year --format latex --figure found.svg --report found.html
    calibration find-groups pairs.csv --target y --prob q --features lang --against diagonal
    # summaries
    calibration summary {READ} --output one.summary
    calibration summary {READ} --group lang --output groups.summary
    calibration one.summary --format json --bins 4
    calibration groups.summary
    calibration groups.summary --format csv
    calibration summary north.csv --target y --prob p --output north.summary
    calibration summary south.csv --target y --prob p --output south.summary
    calibration north.summary south.summary
    check calibration north.summary south.summary --max-error 0.3
    # logits
    calibration logits logits.npy --targets tokens.npy
    calibration logits logits.npy --targets tokens.npy --format json --bins 4
    calibration logits logits.npy --targets tokens.npy --reduce top-label --format csv
    calibration logits logits.npy --targets tokens.npy --weight equal --save logits.summary --figure logits.svg
    # quantiles and simulation
    quantiles draws.npz --target truth --draws-column draws
    quantiles draws.npz --target truth --draws-column draws --test band --format json
    quantiles draws.npz --target truth --draws-column draws --format csv --figure quantiles.svg
    quantiles draws.npz --target truth --draws-column draws --format markdown --bins 5
    quantiles draws.npz --target truth --draws-column draws --format latex
    simulate 20
    simulate 30 --k 0.05 --seed 3 --decimals 3 --output simulated.csv
    simulate 0
    """,
    long=True,
)
