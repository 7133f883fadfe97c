"""The report of coreference: entities in brackets, doubtful mentions, crossing mentions, and everything escaped."""

from __future__ import annotations

import re
from html import unescape

import numpy as np

from howsure.data import Document, Mention, Sentence
from howsure_text.coreference import CorefPosterior, ResolvedDocument
from howsure_text.report import coreference_page


def page(rows: list[list[float]], spans: list[tuple[int, int]], words: str, *, spaces: list[bool] | None = None) -> str:
    sentence = Sentence(tuple(words.split()), spaces=None if spaces is None else tuple(spaces))
    mentions = tuple(Mention(0, start, end) for start, end in spans)
    posterior = CorefPosterior(np.array(rows), mentions=mentions)
    labels = posterior.labels(posterior.best_antecedent_clusters())
    options = {"decision": "best", "threshold": 0.0, "recalibration": None, "recipe": {}}
    return coreference_page([ResolvedDocument(Document("d", (sentence,)), mentions, posterior, labels, **options)])


def text_of(html: str) -> str:
    body = re.search(r'<p class="text">(.*?)</p>', html, re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "", body[1])).strip()


def test_entities_stand_in_numbered_brackets() -> None:
    html = page([[1, 0], [0.9, 0.1]], [(0, 2), (3, 4)], "Ann Bell saw herself .")
    assert text_of(html) == "[Ann Bell]1 saw [herself]1 ."
    assert "2 mentions; entities here: 1, expected 1.1, between 1 and 2" in html
    assert "entity 1, confidence 0.90" in html
    assert 'class="c0 doubt"' not in html


def test_a_doubtful_mention_is_marked_and_its_rival_named() -> None:
    html = page([[1, 0, 0], [0, 1, 0], [0.5, 0.4, 0.1]], [(0, 1), (2, 3), (4, 5)], "Ann saw Eve when she left")
    assert text_of(html) == "[Ann]1? saw [Eve]2? when [she]1? left"
    assert "entity 1, confidence 0.50; or the same as “Eve”: 0.40" in html
    assert "entity 2: alone, probability 0.60; or the same as “she”: 0.40" in html
    assert 'class="c0 doubt"' in html


def test_a_lone_mention_without_rival_is_plain_text() -> None:
    assert text_of(page([[1, 0], [0.1, 0.9]], [(0, 1), (2, 3)], "Ann saw Eve")) == "Ann saw Eve"


def test_nested_and_crossing_mentions() -> None:
    rows = [[1.0, 0, 0, 0], [0, 1, 0, 0], [0.9, 0, 0.1, 0], [0, 0.9, 0, 0.1]]
    html = page(rows, [(0, 3), (1, 2), (2, 4), (3, 4)], "a b c d e")
    assert text_of(html) == "[a [b]2 [c]1 [d]2]1 e"


def test_spaces_are_those_of_the_text() -> None:
    html = page([[1, 0], [0.9, 0.1]], [(0, 1), (2, 3)], "Ann 's she !", spaces=[False, True, False, False])
    assert text_of(html) == "[Ann]1's [she]1!"


def test_everything_is_escaped() -> None:
    html = page([[1, 0], [0.3, 0.7]], [(0, 1), (1, 2)], "<b>\"x'&amp; <i>")
    assert "<b>" not in html
    assert "<i>" not in html
    assert "&lt;b&gt;&#34;x&#39;&amp;amp;" in html


def test_an_answer_outside_the_interval_is_explained() -> None:
    n, why = 40, "The entities here are those of a single clustering, which rounds"
    rows = [[1.0 if j == i == 0 else 0.6 if j == i else 0.4 if j == i - 1 else 0.0 for j in range(n)] for i in range(n)]
    html = page(rows, [(i, i + 1) for i in range(n)], "he " * n)
    assert "40 mentions; entities here: 40, expected 24.4" in html
    assert why in html
    assert why not in page([[1, 0], [0.9, 0.1]], [(0, 2), (3, 4)], "Ann Bell saw herself .")
