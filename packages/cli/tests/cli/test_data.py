"""`howsure data`: list, show and get, with the files of a site on this machine."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.data.serving import serving

from howsure.errors import InputError
from howsure_cli.commands.data import command
from howsure_cli.datasets import DownloadError, data_set, data_sets, find_data_set


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def printed(*arguments: object) -> str:
    done = run(*arguments)
    assert (done.exit_code, done.exception) == (0, None)
    return done.output


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without data sets."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("HOWSURE_DATA", raising=False)
    return tmp_path


def test_list(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header, _, *rows = printed("list").splitlines()
    assert header.split() == ["name", "size", "found", "what", "licence"]
    assert [row.split()[0] for row in rows] == ["demo", *data_sets()]
    assert ["not here" in row for row in rows] == [False] + [True] * len(data_sets())
    (nowhere / "gum").mkdir()
    monkeypatch.setenv("HOWSURE_DATA", str(nowhere))
    places = {row["name"]: (row["found"], row["folder"]) for row in json.loads(printed("list", "--format", "json"))}
    assert places.pop("demo") == ("bundled", None)
    assert places.pop("gum") == ("HOWSURE_DATA", str(nowhere / "gum"))
    assert set(places.values()) == {("not here", None)}


def test_show(nowhere: Path) -> None:
    text = printed("show", "gum")
    for part in (data_set("gum").page, "texts: academic", "Zeldes", "splits.md", "gum_dev.conllu.gz", "621,944"):
        assert part in text
    assert "fetch    no; its files were made from others" in text
    assert "fetch    howsure data get gap_coref" in printed("show", "gap_coref")
    assert "fetch    howsure data get demo" in printed("show", "demo")
    shown = json.loads(printed("show", "gap_coref", "--format", "json"))
    assert (shown["can_be_fetched"], shown["licence"], len(shown["files"])) == (True, "Apache 2.0", 3)


@pytest.mark.long
def test_get(nowhere: Path, real_data: Path) -> None:
    served = {}
    for name in ("boostsa_test", "gap_coref"):
        dataset = data_set(name)
        for file in dataset.files:
            content = (real_data / name / file.name).read_bytes()
            path = dataset.address(file, host="http://x").removeprefix("http://x")
            served[path] = gzip.decompress(content) if file.is_packed else content
    with serving(served) as site:
        output = printed("get", "boostsa_test", "gap_coref", "--from", site.address)
        assert "boostsa_test: 18 of 18 files fetched into " in output
        assert "gap_coref: 3 of 3 files fetched into " in output
        assert find_data_set("gap_coref").is_relative_to(nowhere / "cache")
        assert "gap_coref: 0 of 3 files" in printed("get", "gap_coref", "--from", site.address)
        printed("get", "boostsa_test", "--from", site.address, "--to", nowhere / "mine")
    name = "h0.0/targs.txt"
    assert (nowhere / "mine" / "boostsa_test" / name).read_bytes() == (real_data / "boostsa_test" / name).read_bytes()
    places = {row["name"]: row["found"] for row in json.loads(printed("list", "--format", "json"))}
    assert {name for name, where in places.items() if where == "downloaded"} == {"boostsa_test", "gap_coref"}


def test_get_demo_writes_the_example_files(nowhere: Path) -> None:
    names = {
        "README.md",
        "actors.tsv",
        "grades.jsonl",
        "labels.csv",
        "news.conllu",
        "posts.csv",
        "predictions.csv",
        "trials.csv",
    }
    assert "demo: 30 of 30 files written into " in printed("get", "demo", "--to", nowhere)
    assert {path.name for path in (nowhere / "demo").iterdir() if path.is_file()} == names
    assert (nowhere / "demo" / "judge" / "answers.csv").read_text().startswith("item,model,judge,person\n0,large,")
    (nowhere / "demo" / "labels.csv").write_text("mine")
    assert "; 30 files existed and kept their content" in printed("get", "demo", "--to", nowhere)
    assert (nowhere / "demo" / "labels.csv").read_text() == "mine"


def test_get_copies_what_this_machine_has(nowhere: Path, real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOWSURE_DATA", str(real_data))
    assert "boostsa_test: 18 of 18 files copied into " in printed("get", "boostsa_test", "--to", nowhere / "mine")
    assert "boostsa_test: 0 of 18 files copied into " in printed("get", "boostsa_test", "--to", nowhere / "mine")
    source, copy = real_data / "boostsa_test", nowhere / "mine" / "boostsa_test"
    assert all(
        (copy / file.name).read_bytes() == (source / file.name).read_bytes() for file in data_set("boostsa_test").files
    )
    (copy / "h0.0/targs.txt").write_text("0\n")
    done = run("get", "boostsa_test", "--to", nowhere / "mine")
    assert isinstance(done.exception, DownloadError)
    assert "targs.txt does not match its checksum" in str(done.exception)


def test_what_goes_wrong(nowhere: Path) -> None:
    with serving({}) as site:
        done = run("get", "gap_coref", "--from", site.address)
    assert isinstance(done.exception, DownloadError)
    for arguments, message in (
        (("get", "gum"), "gum cannot be downloaded"),
        (("get", "gap_coref", "nothing"), "no data set 'nothing'"),
        (("show", "gapcoref"), "Did you mean gap_coref?"),
    ):
        done = run(*arguments)
        assert isinstance(done.exception, InputError)
        assert message in str(done.exception)
    assert list(nowhere.rglob("*.tsv*")) == []
