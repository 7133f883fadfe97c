"""Files in other encodings than UTF-8: the likely one is named, and read when the user names it."""

from __future__ import annotations

from pathlib import Path

import pytest

import howsure
from howsure.errors import InputError
from howsure.files.input_files import encoding_error, likely_encoding, own_encoding
from howsure_cli.look import look

TEXTS = {
    "windows-1252": "L’été à São Paulo – “señor Müller” fährt nach Köln",
    "mac-roman": "L’été à São Paulo – “señor Müller” fährt nach Köln",
    "cp850": "Präsident Müller fährt nach Köln, señor, el año",
    "windows-1250": "Prezydent Wałęsa mówił wczoraj, że żołnierze wrócą, a książę może zostać",
    "windows-1251": "Президент сказал, что война закончилась",
    "utf-16": "Präsident Müller",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_the_likely_encoding(encoding: str) -> None:
    assert likely_encoding(TEXTS[encoding].encode(encoding)) == encoding


@pytest.mark.parametrize("encoding", ["windows-1252", "mac-roman", "utf-16"])
def test_tables_are_read_in_the_encoding_that_is_proposed(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    rows = "".join(f"Köln,{at % 2}\nMünchen,1\n" for at in range(20))
    path.write_bytes(f"Stadt,score\n{rows}".encode(encoding))
    for reader in (lambda: look(path), lambda: howsure.mean_scores("score", groups="Stadt", data=howsure.read(path))):
        with pytest.raises(InputError, match=f"As {encoding} it reads .*Köln.* give encoding='{encoding}'"):
            reader()
    table = howsure.mean_scores("score", groups="Stadt", data=howsure.read(path, encoding=encoding))
    assert {row.group: row.mean.value for row in table} == {"overall": 0.75, "Köln": 0.5, "München": 1.0}
    assert next(iter(look(path, encoding=encoding))).examples[0] == "Köln"
    assert f"--encoding {encoding} --score score" in look(path, encoding=encoding).text()


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("Türkei;1\n".encode("cp1252"), "windows-1252"),
        ("Türkei;1\n".encode(), None),
        (b"Rome;1\n", None),
        ("Türkei;1\n".encode("utf-16"), "utf-16"),
    ],
)
def test_the_encoding_in_which_a_spreadsheet_saved_a_sheet(
    content: bytes, encoding: str | None, tmp_path: Path
) -> None:
    (tmp_path / "sheet.csv").write_bytes(content)
    assert own_encoding(tmp_path / "sheet.csv") == encoding
    assert own_encoding(tmp_path / "missing.csv") is None


def test_two_candidates_and_whole_lines_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes("a,b\n1,café\n".encode("mac-roman"))
    assert "As mac-roman it reads '1,café': if that is right" in str(encoding_error(path, "sheet.csv"))
    assert "(as windows-1251 it would be '1,cafЋ')" in str(encoding_error(path, "sheet.csv"))
    path.write_bytes("a,b\r\n1,Müller\r\n2,x\r\n".encode("utf-16"))
    assert "As utf-16 it reads '1,Müller': if" in str(encoding_error(path, "sheet.csv"))
