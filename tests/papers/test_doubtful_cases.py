"""Documents in doubt: what their samples disagree on, what was read in them, and where their texts are shown."""

from __future__ import annotations

from typing import Any

import pytest
from howsure_papers.doubtful_cases import COREFERENCE, READ, cases_table, disagreement, doubtful_cases, findings_of

from howsure.events.examples import example_store
from tests.papers.whole import rows_of


def link(mention: str, other: str, with_event: float, without_event: float) -> dict[str, Any]:
    return {"mention_text": mention, "with_text": other, "with_event": with_event, "without_event": without_event}


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ([link("They", "Norlandic troops", 1.0, 0.2)], "coreference: whom a pronoun means"),
        ([link("the planes", "Norlandic jets", 0.9, 0.2)], "coreference: whether two nouns mean the same"),
        ([link("they", "Sudorian troops", 0.0, 0.6)], "names: a mention of another actor joins in"),
        ([], "nothing that a link decides"),
    ],
)
def test_what_samples_disagree_on_follows_from_the_first_link(links: list[dict[str, Any]], said: str) -> None:
    assert disagreement({"links": links}) == said


def test_what_was_read_is_held_against_probabilities() -> None:
    cases = [
        {"id": name, "actor": actor, "probability": 0.5, "best": True, "links": []} for name, actor in list(READ)[:12]
    ]
    of_coreference, right = findings_of([*cases, cases[0] | {"id": "unknown"}], "made up")
    n = sum(READ[one["id"], one["actor"]][1] == COREFERENCE for one in cases)
    assert of_coreference.ours.startswith(f"{n} of 12 are")
    true = sum(READ[one["id"], one["actor"]][0] for one in cases)
    assert right.ours.startswith(
        f"{true} of 12 are; by their probabilities 6.0 [3, 9]; the 1-best is wrong in {12 - true}"
    )
    assert right.holds
    unlikely = [one | {"probability": 0.01} for one in cases]
    assert findings_of(unlikely, "made up")[1].holds is False
    assert findings_of([{"id": "unknown", "actor": "NOR"}], "made up") == []
    assert rows_of(cases_table([cases[0] | {"id": "unknown"}], "Made-up"))[0][-3:] == ["not read", "", ""]


def test_texts_are_printed_and_stand_in_no_table() -> None:
    """Of the news that we made up, whose documents in doubt nobody has read."""
    with example_store() as store:
        found = doubtful_cases(store.path, "Made-up")
    rows = rows_of(found.tables[0])
    assert {row[5] for row in rows} == {"not read"}
    assert rows[0][:3] == ["news-06", "NORLAND", "0.49"]
    assert len(found.quoted) == len(rows)
    assert "They attacked at dawn, witnesses said." in found.quoted[0]
    assert not any("attacked at dawn" in cell for row in rows for cell in row)
    assert not found.findings
