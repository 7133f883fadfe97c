"""Wrong inputs of `howsure sequences recalibrate`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from howsure.sequences import HMMTagger
from tests.cli.bad_input import Wrong

RIGHT = b"the\tD\ndog\tN\nsings\tV\n\nthe\tD\ncat\tN\nruns\tV\n"
CALL = "sequences recalibrate hmm.npz dev.tsv --output better.npz"
CANNOT = (
    "the likelihood hardly changes with it, as it does where the model is right almost everywhere or knows nothing. "
    "Give more sentences with gold tags, none of them from training"
)


@cache
def model() -> bytes:
    """An HMM of two sentences."""
    rows = [one.split("\n") for one in RIGHT.decode().strip().split("\n\n")]
    words, tags = ([[line.split("\t")[at] for line in one] for one in rows] for at in (0, 1))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "hmm.npz"
        HMMTagger().fit(words, tags).save(path)
        return path.read_bytes()


def files(dev: bytes, name: str = "dev.tsv") -> dict[str, bytes]:
    return {"hmm.npz": model(), name: dev}


UNTAGGED = b"1\tthe\t_\tDET\t_\t_\t_\t_\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n"
TEMPERED = [
    Wrong(
        "sentences without gold tags",
        "sequences recalibrate hmm.npz dev.conllu --output better.npz",
        files(UNTAGGED, "dev.conllu"),
    ),
    Wrong("gold tags of another tag set", CALL, files(b"the\tDET\ndog\tNOUN\n\na\tDET\n")),
    Wrong(
        "gold tags none of which the model knows",
        f"{CALL} --unknown-tags keep",
        files(b"the\tDET\ndog\tNOUN\n\na\tDET\n"),
    ),
    Wrong("no sentences", CALL, files(b"")),
    Wrong("sentences on which the model is always right", CALL, files(RIGHT)),
    Wrong("the same with one temperature", f"{CALL} --keep-answers", files(RIGHT)),
    Wrong(
        "a single sentence",
        f"{CALL} --keep-answers",
        files(b"the\tD\ndog\tN\nsings\tV\nthe\tD\ncat\tV\nsings\tV\n"),
    ),
    Wrong("one part", f"{CALL} --folds 1", files(RIGHT)),
    Wrong(
        "the model and the sentences in the wrong order",
        "sequences recalibrate dev.tsv hmm.npz --output better.npz",
        files(RIGHT),
    ),
    Wrong("a model that would replace itself", "sequences recalibrate hmm.npz dev.tsv --output hmm.npz", files(RIGHT)),
]
