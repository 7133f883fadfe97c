"""What notebooks show of taggers and of coreference, against HTML written by hand."""

from __future__ import annotations

import re

import numpy as np
import pytest

from howsure.data.documents.document import Document, Mention, Sentence
from howsure.errors import InputError
from howsure_text.notebooks import MAX_SENTENCES, mentions_html
from howsure_text.sequences import TagPosterior


def test_tags_are_shaded_by_their_probability() -> None:
    posterior = TagPosterior([np.log([[3, 1], [1, 4]])] * 12, np.zeros((2, 2)), labels=["<N>", "V"])
    shown = posterior._repr_html_()
    assert shown.startswith("<p>TagPosterior(12 sentences, 24 tokens, 2 tags: &lt;N&gt;, V)</p>")
    shades = re.findall(r'rgba\(0,114,178,(.{4})\)[^"]*" title="(P\([^"]*)">', shown)
    assert shades == [("0.38", "P(&lt;N&gt;) = 0.7500"), ("0.40", "P(V) = 0.8000")] * MAX_SENTENCES
    assert shown.endswith("<p>… 2 more sentences</p>")
    assert "<b>&" not in (named := posterior.to_html([["<b>", "sings"]] * 12))
    assert named.count("&lt;b&gt; <sub") == named.count("sings <sub") == MAX_SENTENCES
    with pytest.raises(InputError, match="words must have a list for each sentence"):
        posterior.to_html([["Ada"]] * 12)


def test_mentions_have_the_colour_of_their_entity() -> None:
    document = Document("a", (Sentence(("the", "mother", "of", "Ada")), Sentence(("She", "sang"))))
    mentions = [Mention(0, 0, 4), Mention(0, 3, 4), Mention(0, 1, 4), Mention(0, 2, 4), Mention(1, 0, 1)]
    shown = mentions_html(document, mentions, [1, 2, 3, 3, 1], {4: 'the "mother": 0.9'})
    first, second = re.findall("<p>(.*?)</p>", shown)
    assert re.sub(r"<span[^>]*rgba\((\d+)[^>]*>", r"[\1 ", first).replace("</span>", "]") == (
        "[0 the [0 mother [0 of [230 Ada]]]]"
    )
    assert "rgba(0,114,178,0.30)" in second
    assert 'title="the &quot;mother&quot;: 0.9">She</span> sang' in second
    crossing = mentions_html(document, [Mention(0, 0, 2), Mention(0, 1, 3)], [1, 2], {})
    assert crossing.count("<span") == crossing.count("</span>") == 1
