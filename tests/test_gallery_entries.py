"""Entries for the galleries of other programs (docs/doors) and SKILL.md: their form, and what they claim."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

import howsure
from tests.data.logs.writers import inspect_sample, write_inspect
from tests.source import CORE, ROOT

ENTRIES = ROOT / "docs" / "doors"
LINK = re.compile(r"\[.+\]\(https://.+\)")


def test_the_entry_of_inspect_names_what_is_there(tmp_path: Path) -> None:
    (entry,) = yaml.safe_load((ENTRIES / "inspect.yml").read_text(encoding="utf-8"))
    assert set(entry) == {"name", "description", "author", "categories"}
    assert LINK.fullmatch(entry["name"])
    assert LINK.fullmatch(entry["author"])
    assert set(entry["categories"]) <= {"Sandboxes", "Analysis", "Frameworks", "Tooling"}
    module = ast.parse((CORE / "inspect.py").read_text(encoding="utf-8"))
    names_in_module = {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    names = re.findall(r"`(\w+)`", entry["description"])
    assert names
    assert set(names) <= names_in_module
    samples = [inspect_sample(str(item), "A", "AB"[item % 2], scores={"match": "CI"[item % 2]}) for item in range(8)]
    (row,) = howsure.mean_scores(data=howsure.read(write_inspect(tmp_path / "log.json", samples)))
    assert row.mean.value == 0.5


@pytest.mark.long
def test_the_code_of_the_entry_of_spacy_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import spacy
    from spacy.tokens import Doc, Span
    from spacy.training import Example

    entry = json.loads((ENTRIES / "spacy-universe.json").read_text(encoding="utf-8"))
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    nlp.add_pipe("ner")
    gold = Doc(
        nlp.vocab, words=["Ada", "Lovelace", "went", "to", "Paris", "."], tags=["NNP", "NNP", "VBD", "IN", "NNP", "."]
    )
    gold.ents = [Span(gold, 0, 2, label="PERSON"), Span(gold, 4, 5, label="GPE")]
    examples = [Example(Doc(nlp.vocab, words=[token.text for token in gold]), gold)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(tmp_path / "en_core_web_sm")  # a small pipeline in the place of the one that the entry loads
    monkeypatch.chdir(tmp_path)
    exec("\n".join(entry["code_example"]), {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(nlp("Ada Lovelace went to Paris .").ents) + 6
    assert all(0 < float(line.split()[-1]) <= 1 for line in lines)
    assert all(hasattr(howsure, name) for name in re.findall(r"`howsure\.(\w+)`", entry["description"]))


def test_the_entry_of_pytest_names_the_project_with_the_plugin() -> None:
    text = (ENTRIES / "pytest.txt").read_text(encoding="utf-8")
    (name,) = re.findall(r'^ +"([\w-]+)",$', text, re.MULTILINE)
    (project,) = (
        project
        for path in (ROOT / "packages").glob("*/pyproject.toml")
        if (project := tomllib.loads(path.read_text(encoding="utf-8"))["project"])["name"] == name
    )
    assert "pytest11" in project["entry-points"]
    assert "Framework :: Pytest" in project["classifiers"]


def test_the_skill_has_the_front_matter_that_registries_read() -> None:
    _, front, text = (ROOT / "SKILL.md").read_text(encoding="utf-8").split("---\n", 2)
    skill = yaml.safe_load(front)
    assert set(skill) == {"name", "description", "license"}
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", skill["name"])
    assert 0 < len(skill["description"]) <= 1024
    assert text.lstrip().startswith("# howsure")
