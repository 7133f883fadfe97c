"""Fields of JSON, and their positions in its text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.data.structured.json_values import field_values, unfenced, value_positions, value_text

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


@given(st.dictionaries(st.text(), JSON), st.sampled_from([None, 2]), st.booleans())
def test_the_positions_match_the_values(content: dict[str, object], indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(content, indent=indent, ensure_ascii=ascii_only)
    try:
        positions = value_positions(text)
    except ValueError:  # half a character, which no text in UTF-8 contains
        return
    values = field_values(content)
    if not content or any({"value", "confidence"} <= v.keys() for v in objects(content)):
        return
    assert positions.keys() == values.keys()
    for place, (start, end) in positions.items():
        assert value_text(json.loads(text[start:end])) == values[place].text


def objects(content: object) -> list[dict[str, object]]:
    """All objects in a JSON value."""
    parts = list(content.values()) if isinstance(content, dict) else content if isinstance(content, list) else []
    return [*([content] if isinstance(content, dict) else []), *(nested for part in parts for nested in objects(part))]


def test_objects_with_a_value_and_a_confidence_are_values() -> None:
    content = {"total": {"value": 3, "confidence": 0.9, "page": 1}, "items": {"value": [{"n": 1}], "confidence": 0.5}}
    values = [(value.path, value.text, value.confidence) for value in field_values(content).values()]
    assert values == [("total", "3", 0.9), ("items[0].n", "1", 0.5)]
    with pytest.raises(ValueError, match="the confidence of total must be between 0 and 1; it is 90"):
        field_values({"total": {"value": 3, "confidence": 90}})


def test_an_array_may_be_one_value() -> None:
    content = {"tags": ["b", "a"], "n": 1}
    assert [value.path for value in field_values(content, whole=["tags"]).values()] == ["tags", "n"]
    assert value_positions('{"tags": ["b", "a"], "n": 1}', whole=["tags"])[("tags",)] == (9, 19)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1', ""])
def test_what_is_not_valid_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"it|Expecting"):
        value_positions(text)


def test_a_fence_around_json_is_skipped() -> None:
    text = 'Here:\n```json\n{"a": 1}\n```'
    assert unfenced(text) == (text, 0)
    assert unfenced(text[6:]) == ('{"a": 1}', 8)
