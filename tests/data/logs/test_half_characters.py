"""Names with half a character as raw bytes (ED A0 80), which Python's JSON lets through: refused in every format."""

from __future__ import annotations

from pathlib import Path

import pytest

import howsure
from howsure.errors import InputError
from tests.data.logs.samples import LOGS
from tests.fuzz.envelopes import PLAIN, ZIP

NAMES = {
    "lm-eval": (b'"doc_id": 0', b'"doc_id": "\xed\xa0\x80"'),
    "inspect": (b'"id": "q1"', b'"id": "\xed\xa0\x80"'),
    "inspect zip": (b'"id": "q1"', b'"id": "\xed\xa0\x80"'),
    "helm": (b'"id": "id1"', b'"id": "\xed\xa0\x80"'),
    "helm stats": (b'"instance_id": "id1"', b'"instance_id": "\xed\xa0\x80"'),
    "openai": (b'"custom_id": "q1"', b'"custom_id": "\xed\xa0\x80"'),
    "hf": (b'"label": "a"', b'"label": "\xed\xa0\x80"'),
}


@pytest.mark.parametrize("name", NAMES)
def test_half_a_character_in_a_name(name: str, tmp_path: Path) -> None:
    content, write = LOGS[name]
    path = write(tmp_path, content)
    envelope = ZIP if path.suffix == ".eval" else PLAIN
    parts = envelope.unpack(path.read_bytes())
    path.write_bytes(envelope.pack({key: part.replace(*NAMES[name]) for key, part in parts.items()}))
    with pytest.raises(InputError, match=r"it is not UTF-8 text: byte [0-9,]+ is 0xed"):
        howsure.read(path, format=name.partition(" ")[0]).predictions()
