"""A journal: what was written comes back, an incomplete end is left out, damage is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure import InputError
from howsure.files.whole import line_number, line_of, records_of

RECORDS = st.lists(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5)), max_size=5)


@settings(max_examples=25)
@given(RECORDS, st.integers(0, 30))
def test_what_was_written_comes_back_up_to_where_it_was_cut(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]], cut: int
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal"
    lines = [line_of(record) for record in records]
    whole = b"".join(lines)
    path.write_bytes(whole[: max(len(whole) - cut, 0)])
    found = [record for record, _ in records_of(path, 0, what="a journal")]
    ends = [sum(map(len, lines[: k + 1])) for k in range(len(lines))]
    assert found == records[: sum(end <= len(whole) - cut for end in ends)]


def test_damage_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    lines = [line_of({"a": k}) for k in range(3)]
    path.write_bytes(lines[0] + lines[1].replace(b"1}", b"7}") + lines[2])
    with pytest.raises(InputError, match="line 2 is damaged"):
        list(records_of(path, 0, what="a journal"))
    assert line_number(path, len(lines[0])) == 2
    path.write_bytes(b"something else\n")
    with pytest.raises(InputError, match="is not a journal: it begins with"):
        list(records_of(path, 0, what="a journal"))
    assert list(records_of(tmp_path / "none", 0, what="a journal")) == []
