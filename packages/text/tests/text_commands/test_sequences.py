"""`howsure sequences`: what it writes is what the library says, and what is wrong is one sentence and exit code 2."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pycrfsuite
import pytest
from tests.cli.pressing import pressed
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.data.files import piped_input
from tests.sequences.enumeration import Enumeration

from howsure.data import read_tagged, write_conllu, write_tagged
from howsure.data.documents.document import Document, Sentence
from howsure_text.sequences import CRFTagger, HMMTagger, load_tagger

WORDS = {"D": ["the", "a"], "N": ["dog", "cat", "run", "walk"], "V": ["run", "walk", "sees", "likes"], ",": [","]}
STARTS = ("D", "N", ",")
FOLLOWS = {"D": "NNN", "N": "VVN,", "V": "DDNV", ",": "DNV"}


def made_up(n: int, seed: int) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Sentences of an imaginary language in which nouns are often verbs."""
    rng = np.random.default_rng(seed)
    sentences, tags = [], []
    for _ in range(n):
        tag = STARTS[rng.integers(3)]
        row = [tag]
        for _ in range(rng.integers(8)):
            tag = FOLLOWS[tag][rng.integers(len(FOLLOWS[tag]))]
            row.append(tag)
        tags.append(tuple(row))
        sentences.append(tuple(WORDS[tag][rng.integers(len(WORDS[tag]))] for tag in row))
    return sentences, tags


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with train.tsv, dev.tsv, the same as dev.conllu and as text, and hmm.npz."""
    tmp_path = tmp_path_factory.mktemp("made")
    for name, n, seed in (("train", 80, 0), ("dev", 40, 1)):
        write_tagged(*made_up(n, seed), tmp_path / f"{name}.tsv")
    sentences, tags = made_up(40, 1)
    layers = [
        Sentence(words, tags=row, universal_tags=tuple(tag.lower() for tag in row), metadata={"sent_id": f"s{i}"})
        for i, (words, row) in enumerate(zip(sentences, tags, strict=True))
    ]
    write_conllu([Document("a", tuple(layers[:20])), Document("b", tuple(layers[20:]))], tmp_path / "dev.conllu")
    (tmp_path / "dev.txt").write_text("\n".join(" ".join(words) for words in sentences), encoding="utf-8")
    HMMTagger().fit(*made_up(80, 0)).save(tmp_path / "hmm.npz")
    return tmp_path


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, to work in."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def misc(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split("|"))


def rows_of(conllu: str) -> list[list[list[str]]]:
    """The columns of every word of every sentence."""
    return [
        [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
        for block in conllu.strip("\n").split("\n\n")
    ]


def test_train_makes_the_librarys_model(folder: Path) -> None:
    output = printed("sequences train train.tsv --dev dev.tsv --output crf.npz --features word,suffixes --c2 0.5")
    sentences, tags = read_tagged("train.tsv")
    model = CRFTagger(features=("word", "suffixes"), c2=0.5).fit(sentences, tags)
    loaded = load_tagger("crf.npz")
    dev, gold = read_tagged("dev.tsv")
    for a, b in zip(loaded.posterior(dev).marginals(), model.posterior(dev).marginals(), strict=True):
        np.testing.assert_array_equal(a, b)
    assert "CRFTagger(features=('word', 'suffixes'), c2=0.5)" in output
    assert f"{model.score(dev, gold):.4f} (most probable sequence)" in output
    assert f"{len(model.values_)} iterations, converged" in output
    assert "80 sentences" in output


def test_train_an_hmm_on_several_files_of_other_forms(folder: Path) -> None:
    with gzip.open("more.conllu.gz", "wb") as file:
        file.write(Path("dev.conllu").read_bytes())
    printed(
        "sequences train train.tsv more.conllu.gz --tagger hmm --pseudocount-transition 0.5 --unknown uniform "
        "--output both.npz"
    )
    (first, first_tags), (more, more_tags) = made_up(80, 0), made_up(40, 1)
    model = HMMTagger(pseudocount_transition=0.5, unknown="uniform").fit(first + more, first_tags + more_tags)
    loaded = load_tagger("both.npz")
    assert isinstance(loaded, HMMTagger)
    np.testing.assert_array_equal(loaded.emissions_, model.emissions_)
    np.testing.assert_array_equal(loaded.transitions_, model.transitions_)


def test_train_on_the_universal_tags(folder: Path) -> None:
    printed("sequences", "train", "dev.conllu", "--column", "upos", "--tagger", "hmm", "--output", "upos.npz")
    assert load_tagger("upos.npz").labels_ == (",", "d", "n", "v")
    tagged = printed("sequences", "tag", "upos.npz", "dev.txt", "--column", "upos")
    assert all(word[3] in "dnv," and word[4] == "_" for sentence in rows_of(tagged) for word in sentence)


def test_a_seed_without_samples_is_refused(folder: Path) -> None:
    refused = run("sequences posterior hmm.npz dev.conllu --seed 5 --output pairs.csv")
    assert (refused.code, refused.err) == (
        2,
        "howsure: --seed is only for --samples; give --samples, or leave --seed out.\n",
    )
    assert not Path("pairs.csv").exists()


def test_samples_have_the_probabilities_of_enumerated_sequences(folder: Path) -> None:
    """All tag sequences of short sentences, written out: each is drawn as often as it is probable."""
    Path("short.txt").write_text("the run\na walk likes\n", encoding="utf-8")
    output = printed("sequences posterior hmm.npz short.txt --samples 4000 --seed 5 --output samples.csv")
    assert output == "samples.csv: 4,000 samples of 2 sentences of short.txt\n"
    with open("samples.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4000 * 5
    tagger = load_tagger("hmm.npz")
    for number, words in enumerate((["the", "run"], ["a", "walk", "likes"]), 1):
        drawn: dict[str, list[str]] = {}
        for row in rows:
            if row["sentence"] == str(number):
                assert words[int(row["token"]) - 1] == row["word"]
                drawn.setdefault(row["sample"], []).append(row["tag"])
        assert len(drawn) == 4000
        counts = Counter(map(tuple, drawn.values()))
        every = Enumeration(
            tagger.emissions_[[tagger.words_.index(word) for word in words]],
            tagger.transitions_,
            tagger.start_,
            tagger.end_,
        )
        for sequence, probability in zip(every.sequences, every.probabilities, strict=True):
            count = counts[tuple(tagger.labels_[tag] for tag in sequence)]
            assert abs(count - 4000 * probability) <= 4.5 * np.sqrt(4000 * probability * (1 - probability)) + 1


RICH = """\
# newdoc id = letters
# text = the dog likes a cat
# text_en = the same
1-2\tthedog\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tthe\tthe\tDET\tDT\t_\t2\tdet\t2:det\tGloss=x|P=0.5|Top=DT:1
2\tdog\tdog\tNOUN\tNN\tNumber=Sing\t3\tnsubj\t3:nsubj\t_
2.1\tit\tit\tPRON\tPRP\t_\t_\t_\t3:obj\t_
3\tlikes\tlike\tVERB\tVBZ\t_\t0\troot\t0:root\tSpaceAfter=No|Entity=(1)


# sent_id = last
1\ta\t_\t_\t_\t_\t_\t_\t_\t_
"""


def test_tag_changes_nothing_but_the_tags_and_their_probabilities(folder: Path) -> None:
    Path("rich.conllu").write_text(RICH, encoding="utf-8")
    after = printed("sequences", "tag", "hmm.npz", "rich.conllu").split("\n")
    posterior = load_tagger("hmm.npz").posterior([("the", "dog", "likes"), ("a",)])
    best = iter(zip(np.concatenate(posterior.viterbi()), np.concatenate(posterior.marginals()), strict=True))
    for old, new in zip(RICH.split("\n"), after, strict=True):
        was, now = old.split("\t"), new.split("\t")
        if not was[0].isdecimal():
            assert new == old
            continue
        tag, marginals = next(best)
        assert now[:4] + now[5:9] == was[:4] + was[5:9]
        assert now[4] == posterior.labels[tag]
        kept = [feature for feature in was[9].split("|") if not feature.startswith(("P=", "Top=", "_"))]
        *others, probability = now[9].split("|")
        assert others == kept
        assert float(probability.removeprefix("P=")) == pytest.approx(marginals[tag], rel=1e-5)


def test_tag_again_is_the_same(folder: Path) -> None:
    for options in ([], ["--top", "2"], ["--method", "posterior"]):
        printed("sequences", "tag", "hmm.npz", "dev.conllu", "--top", "3", "--output", "once.conllu")
        printed("sequences", "tag", "hmm.npz", "once.conllu", *options, "--output", "twice.conllu")
        assert printed("sequences", "tag", "hmm.npz", "dev.conllu", *options) == Path("twice.conllu").read_text()


def test_tag_reads_standard_input(folder: Path) -> None:
    with piped_input(b"a dog\n"):
        output = printed("sequences", "tag", "hmm.npz", "-")
    assert [row[1] for row in rows_of(output)[0]] == ["a", "dog"]


def test_models_and_files_of_crfsuite(folder: Path) -> None:
    sentences, tags = made_up(80, 0)
    items = [[[f"w={word}", f"s:{word[-1]}"] for word in words] for words in sentences]
    trainer = pycrfsuite.Trainer(verbose=False)
    for sentence, row in zip(items, tags, strict=True):
        trainer.append(sentence, row)
    trainer.train("old.model")
    escaped = [["\t".join(a.replace(":", "\\:") for a in item) for item in sentence] for sentence in items]
    lines = [
        [f"{tag}\t{item}\n" for tag, item in zip(row, sentence, strict=True)]
        for row, sentence in zip(tags, escaped, strict=True)
    ]
    Path("items.txt").write_text("\n".join("".join(line) for line in lines), encoding="utf-8")
    tagger = pycrfsuite.Tagger()
    tagger.open("old.model")
    tagged = rows_of(printed("sequences", "tag", "old.model", "items.txt"))
    assert [[row[4] for row in rows] for rows in tagged] == [tagger.tag(item) for item in items]
    for rows, sentence in zip(tagged, items, strict=True):
        tagger.set(sentence)
        shown = [float(misc(row[9])["P"]) for row in rows]
        assert shown == pytest.approx([tagger.marginal(row[4], t) for t, row in enumerate(rows)], abs=1e-5)
    content = json.loads(printed("sequences", "evaluate", "old.model", "items.txt", "--format", "json"))
    assert content["tokens"] == sum(map(len, tags))
    printed("sequences", "posterior", "old.model", "items.txt", "--output", "pairs.parquet")
    assert Path("pairs.parquet").exists()
    for other in ("dev.txt", "dev.conllu", "dev.tsv"):
        done = run("sequences", "tag", "old.model", other)
        assert (done.code, done.out) == (2, "")
        assert f"the model has none of the attributes in {other}" in done.err
    printed("sequences", "train", "items.txt", "--from", "crfsuite", "--c2", 1, "--output", "again.npz")
    again = rows_of(printed("sequences", "tag", "again.npz", "items.txt"))
    np.testing.assert_allclose(
        [float(misc(row[9])["P"]) for rows in again for row in rows],
        [float(misc(row[9])["P"]) for rows in tagged for row in rows],
        atol=0.2,  # crfsuite's default has another penalty
    )


def damaged(folder: Path) -> None:
    """Files that are wrong in every way."""
    Path("empty.tsv").write_text("")
    Path("one-column.tsv").write_text("dog\ncat\n")
    Path("no-tag.tsv").write_text("dog\tN\ncat\n")
    Path("latin.tsv").write_bytes(b"dog\tN\ncaf\xe9\tN\n")
    Path("latin.txt").write_bytes(b"the caf\xe9\n")
    Path("other.tsv").write_text("dog\tNOUN\nruns\tV\n")
    Path("no-xpos.conllu").write_text("1\tdog\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n")
    Path("value.txt").write_text("N\tw=dog:x\n")
    whole = Path("hmm.npz").read_bytes()
    Path("short.npz").write_bytes(whole[: len(whole) // 2])
    middle = len(whole) // 2
    Path("changed.npz").write_bytes(whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :])
    with zipfile.ZipFile("other.npz", "w") as file:
        file.writestr("something.txt", "else")
    Path("short.model").write_bytes(b"lCRF" + b"\x01" * 30)


WRONG = [
    (["train", "empty.tsv"], "empty.tsv is empty"),
    (["train", "latin.tsv"], "line 2 of latin.tsv is not UTF-8 text"),
    (["train", "no-tag.tsv"], "line 2 of no-tag.tsv: a line must be a word, a tab and its tag"),
    (["train", "one-column.tsv"], "the format of one-column.tsv was not recognised"),
    (["train", "missing.tsv"], "missing.tsv"),
    (["train", "no-xpos.conllu"], "sentence 1 of no-xpos.conllu has no XPOS tags"),
    (["train", "train.tsv", "--dev", "empty.tsv"], "empty.tsv is empty"),
    (["train", "train.tsv", "--tagger", "hmm", "--c2", "1"], "--c2 is not an option of --tagger hmm"),
    (["train", "train.tsv", "--pseudocount-emission", "1"], "is not an option of --tagger crf"),
    (["train", "train.tsv", "--features", "sufixes"], "Did you mean suffixes?"),
    (["train", "train.tsv", "--c2", "-1"], "c2 must be"),
    (["train", "train.tsv", "--tagger", "hmm", "--pseudocount-emission", "nan"], "--pseudocount-emission must be"),
    (
        ["train", "value.txt", "--from", "crfsuite"],
        "line 1 of value.txt: an attribute's value, after the colon, must be a number",
    ),
    (["train", "value.txt", "--from", "crfsuite", "--features", "basic"], "is a file of attributes"),
    (["tag", "hmm.npz", "latin.txt"], "line 1 of latin.txt is not UTF-8 text"),
    (["tag", "missing.npz", "dev.txt"], "no file missing.npz."),
    (["tag", "short.npz", "dev.txt"], "short.npz"),
    (["tag", "changed.npz", "dev.txt"], "changed.npz"),
    (["tag", "other.npz", "dev.txt"], "other.npz"),
    (["tag", "dev.txt", "hmm.npz"], "dev.txt is not a model of howsure or crfsuite. MODEL comes first"),
    (["tag", "short.model", "dev.txt"], "short.model"),
    (
        ["tag", "hmm.npz", "dev.txt", "--k-best", "2", "--method", "posterior"],
        "cannot be combined with --method posterior",
    ),
    (["tag", "hmm.npz", "dev.txt", "--from", "crfsuite"], "this one reads words"),
    (["evaluate", "hmm.npz", "other.tsv"], "the gold tags of 1 token: NOUN (1)"),
    (["evaluate", "hmm.npz", "dev.txt"], "the format of dev.txt was not recognised"),
    (["posterior", "hmm.npz", "dev.tsv", "--tag", "v"], "no tag 'v' in the model"),
    (
        ["posterior", "hmm.npz", "dev.tsv", "--tag", "V", "--samples", "2"],
        "--tag, --tag-pairs and --samples cannot be combined",
    ),
    (["posterior", "hmm.npz", "dev.tsv", "--samples", "9000000000"], "--samples must be small enough for the memory"),
]


@pytest.mark.parametrize(("arguments", "complaint"), WRONG, ids=lambda x: " ".join(x) if isinstance(x, list) else "")
def test_errors_are_one_sentence(folder: Path, arguments: list[str], complaint: str) -> None:
    damaged(folder)
    before = sorted(os.listdir())
    suffix = {"train": "npz", "posterior": "parquet"}.get(arguments[0])
    out = ["--output", f"new.{suffix}"] if suffix else []
    done = run("sequences", *arguments, *out)
    assert done.code == 2
    assert complaint in done.err
    assert done.err.startswith("howsure: ")
    assert done.err.count("\n") == 1
    assert sorted(os.listdir()) == before, "something was left behind"


def test_unknown_gold_tags_can_be_kept(folder: Path) -> None:
    damaged(folder)
    content = json.loads(
        printed("sequences", "evaluate", "hmm.npz", "other.tsv", "--unknown-tags", "keep", "--format", "json")
    )
    assert (content["unknown_tags"], content["tokens"]) == (1, 2)
    assert content["all"]["base_rate"] == pytest.approx(1 / 8)


@pytest.mark.parametrize("command", ["tag", "evaluate"])
def test_sentences_that_cannot_be_are_counted_from_one(folder: Path, command: str) -> None:
    zero = ["--pseudocount-transition", 0, "--pseudocount-emission", 0]
    printed("sequences", "train", "train.tsv", "--tagger", "hmm", *zero, "--output", "zero.npz")
    Path("new.tsv").write_text("the\tD\ndog\tN\n\nthe\tD\nthe\tD\n", encoding="utf-8")
    done = run("sequences", command, "zero.npz", "new.tsv")
    assert (done.code, done.out) == (2, "")
    assert "howsure: no tag sequence is possible for sentence 2: " in done.err


def test_one_of_a_thing_is_no_plural(folder: Path) -> None:
    Path("one.tsv").write_text("dog\tN\n", encoding="utf-8")
    output = printed("sequences", "train", "one.tsv", "--dev", "one.tsv", "--max-iterations", 1, "--output", "one.npz")
    assert "one.tsv: 1 sentence, 1 token, 1 tag\n" in output
    assert "1 iteration, " in output
    assert "one.npz on one.tsv: 1 sentence, 1 token\n" in run("sequences", "evaluate", "one.npz", "one.tsv").out
    assert "1 pair of 1 tag, 1 sentence of" in printed(
        "sequences", "posterior", "one.npz", "one.tsv", "--output", "p.csv"
    )


@pytest.mark.long
def test_ctrl_c_keeps_the_best_weights_so_far(folder: Path) -> None:
    sentences, _ = made_up(80, 0)  # whose first letters are learned better with every pass, for long
    write_tagged(sentences, [[word[0] for word in words] for words in sentences], "letters.tsv")
    arguments = "sequences train letters.tsv --c2 0 --trainer adagrad --max-iterations 1000000 --output crf.npz"
    done = pressed(*arguments.split(), function="descend", moment='lambda held: len(held.get("values", ())) >= 2')
    assert done.returncode == 0, done.stderr
    assert "interrupted" in done.stdout
    assert "the best weights so far are kept" in done.stderr
    assert load_tagger("crf.npz").predict([("the", "dog")])


def test_adagrad_is_seeded_and_says_so(folder: Path) -> None:
    """It was not: two trainings of one file differed, and nothing said by what."""
    options = ("--trainer", "adagrad", "--max-iterations", 3, "--output")
    outputs = [printed("sequences", "train", folder / "train.tsv", *options, folder / name) for name in ("one", "two")]
    assert (folder / "one").read_bytes() == (folder / "two").read_bytes()
    assert "rng=0" in outputs[0]
    assert load_tagger(folder / "one").seed_ == 0  # type: ignore[attr-defined]


def test_evaluation_on_training_sentences_is_warned_of(folder: Path) -> None:
    printed("sequences", "train", "train.tsv", "--tagger", "hmm", "--output", "own.npz")
    warning = "the model was trained on all sentences of train.tsv"
    evaluated = run("sequences", "evaluate", "own.npz", "train.tsv", "--format", "json")
    assert warning in evaluated.err
    assert json.loads(evaluated.out)["recipe"]["training_sentences"] == 80
    assert warning in run("sequences", "recalibrate", "own.npz", "train.tsv", "--output", "better.npz").err
    assert warning in run("sequences", "evaluate", "better.npz", "train.tsv").err  # recalibrated models know it, too
    assert "trained on" not in run("sequences", "evaluate", "own.npz", "dev.tsv").err
    Path("own.tsv").write_text("Yes\tN\n.\tN\n\n" + "".join(f"{word}\tN\n" for word in "abcdef"))
    printed("sequences", "train", "own.tsv", "--tagger", "hmm", "--output", "short.npz")
    for rest, share in (("ghijk", "55%"), ("ghijklm", None)):  # 6 of 11 words in training sentences, and 6 of 13
        words = [*(["Yes", "."] for _ in range(9)), "abcdef", rest]
        Path("new.tsv").write_text("\n".join("".join(f"{word}\tN\n" for word in sentence) for sentence in words))
        printed_errors = run("sequences", "evaluate", "short.npz", "new.tsv", "--unknown-tags", "keep").err
        assert ("trained on" in printed_errors) == (share is not None)
        assert share is None or f"trained on sentences with {share} of the words of new.tsv" in printed_errors
    tagger = load_tagger("own.npz")
    tagger.training_ = None  # as in files of earlier versions
    tagger.save("older.npz")
    assert run("sequences", "evaluate", "older.npz", "train.tsv").err == ""
