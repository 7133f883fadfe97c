"""Commands on real data sets, of which only digests are stored."""

from __future__ import annotations

import os
from pathlib import Path

from tests.goldens.running import Room


def data() -> None:
    """Return the real data, as the folder `data`."""
    Path("data").symlink_to(os.environ["HOWSURE_DATA"])


MMLU = "data/llm_mcq_confidence/mmlu.tsv.gz"
READ = f"{MMLU} --target grade --positive correct --prob confidence --missing unparseable --skip-missing"

ROOM = Room(
    f"""
    !data
    calibration {READ} --where "model = 'gpt-4-turbo'" --cluster question
    selective {READ} --where "model = 'gpt-4-turbo'" --format json
    check calibration {READ} --where "model = 'Yi-34b'" --max-error 0.2
    calibration data/nli_model_predictions/MNLI_dev_roberta-base_0.jsonl.gz --target true --probs-column probs
    significance {MMLU} --model model --id question --run prompt --score grade --positive correct --skip-missing
    data show ark_twitter_pos --format json
    """,
    steps={"data": data},
    long=True,
    wants="data",
)
