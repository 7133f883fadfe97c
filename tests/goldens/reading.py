"""Reading: the same pairs from each file format, each way to give probabilities, and rows that are left out."""

from __future__ import annotations

from tests.goldens.running import Room

ROOM = Room(
    """
    # formats
    calibration pairs.tsv --target y --prob p
    calibration pairs.jsonl --target y --prob p
    calibration pairs.json --target y --prob p
    calibration pairs.csv.gz --target y --prob p
    calibration pairs.parquet --target y --prob p --group year --format json
    calibration pairs.npz --target y --prob p
    calibration pairs.csv --from csv --target y --prob p
    calibration north.csv south.csv --target y --prob p
    calibration north.csv south.csv --target y --prob p --by-file
    calibration north.csv south.csv --target y --prob p --by-file --group file,lang --format csv
    calibration '[ns]o*th.csv' --target y --prob p --cluster doc
    # labels
    calibration pairs.csv --target answer --positive yes --prob p
    calibration pairs.csv --target answer --prob p
    calibration pairs.csv --target answer --positive Yes --prob p
    # missing values
    calibration holes.csv --target y --prob p
    calibration holes.csv --target y --prob p --skip-missing
    calibration holes.csv --target y --prob p --skip-missing --missing NA
    calibration holes.csv --target y --prob p --group lang --skip-missing --missing NA
    selective holes.csv --target y --prob p --skip-missing
    check calibration holes.csv --target y --prob p --skip-missing --max-error 0.3
    recalibrate fit holes.csv --target y --prob p --skip-missing --output holes-map.json
    # conditions
    calibration pairs.csv --target y --prob p --where "lang = 'de' and p > 0.2"
    calibration pairs.csv --target y --prob p --where "year between 2020 and 2020 or lang in ('fr')"
    calibration pairs.csv --target y --prob p --where "langu = 'de'"
    # classes
    calibration classes.jsonl --target gold --probs-column probs
    calibration classes.jsonl --target gold --probs-column probs --reduce class-wise
    calibration classes.jsonl --target gold --probs-column probs --reduce dog
    calibration classes.jsonl --target gold --logits z --classes cat,cow,dog
    calibration classes.jsonl --target gold --logprobs logprobs --classes cat,cow,dog --reduce class-wise --format csv
    calibration classes.csv --target gold --probs cat,cow,dog
    calibration classes.csv --target gold --probs cat,cow,dog --reduce cats
    calibration stated.csv --target y --verbalised said
    selective classes.jsonl --target gold --probs-column probs
    selective stated.csv --target y --verbalised said --cluster doc
    check calibration classes.jsonl --target gold --probs-column probs --reduce class-wise --max-error 0.3
    recalibrate evaluate classes.jsonl --target gold --logits z --classes cat,cow,dog --method temperature
    # several files of one model, items in several files
    calibration compare pairs.csv --target y --prob p --prob q --id id
    calibration compare pairs.csv other.csv --target y --prob p --id id
    calibration pairs.csv --target y --prob p --cluster lang,doc
    # refusals by several commands
    selective pairs.csv --target z --prob p
    check calibration pairs.csv --target z --prob p --max-error 0.1
    recalibrate fit pairs.csv --target z --prob p --output no.json
    monitor update no.json pairs.csv --date day --target y --prob p
    calibration compare pairs.csv --target y --prob p --prob w
    selective pairs.csv --target y --prob w
    check calibration pairs.csv --target y --prob w --max-error 0.1
    recalibrate evaluate pairs.csv --target y --prob w
    check selective pairs.csv --target y --prob w --max-risk 0.2 --min-coverage 0.3
    check score pairs.csv --score lang --min-score 0.2
    counts sample pairs.csv --prob w --labels 10 --output no.csv
    """,
    long=True,
)
