"""The rules for the tables of a store, in SQL: references, ranges, lengths and keys."""

from __future__ import annotations

KNOWN_DATE = "isfinite(t.date) AND t.date BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'"
ABSENT, ORPHANS = "d.document IS NULL", "document must be one of the table documents"
PROBABILITY = "NOT t.probability BETWEEN 0 AND 1", "probability must lie in [0, 1]"
BITS = "octet_length(t.samples) <> (CAST($samples AS BIGINT) + 7) // 8", "samples must hold one bit per sample"

# By table: what is wrong with a row t of a document d (mentions: in a sentence s), and the rule that it breaks.
RULES: dict[str, tuple[tuple[str, str], ...]] = {
    "documents": (
        ("t.document < 0", "document must be 0 or more"),
        (f"NOT ({KNOWN_DATE})", "date must be a day of the years 1 to 9999"),
        ("t.words < 0", "words must be 0 or more"),
        ("t.mentions < 0", "mentions must be 0 or more"),
    ),
    "left_out": (
        ("t.document < 0", "document must be 0 or more"),
        (f"t.date IS NOT NULL AND NOT ({KNOWN_DATE})", "date must be a day of the years 1 to 9999"),
        ("d.document IS NOT NULL", "document must not be one of the table documents"),
    ),
    "stories": ((ABSENT, ORPHANS), ("t.story < 0", "story must be 0 or more")),
    "events": (
        (ABSENT, ORPHANS),
        PROBABILITY,
        BITS,
        ("octet_length(t.entities) <> CAST($samples AS BIGINT)", "entities must hold a byte a sample"),
        ("t.best_entities < 0", "best_entities must be 0 or more"),
        ("t.best <> (t.best_entities > 0)", "best must be true where best_entities is above 0, and only there"),
    ),
    "sentences": (
        (ABSENT, ORPHANS),
        ("len(t.words) <> len(t.spaces)", "words and spaces must have one length"),
        ("list_count(t.words) < len(t.words) OR list_count(t.spaces) < len(t.spaces)", "words and spaces have no gaps"),
        (
            " OR ".join(
                f"(t.{layer} IS NOT NULL AND len(t.{layer}) <> len(t.words))"
                for layer in ("lemmas", "tags", "universal_tags", "features", "heads", "relations")
            ),
            "each layer of the parse must have one value per word",
        ),
        ("list_min(t.heads) < -1 OR list_max(t.heads) >= len(t.words)", "heads must be words of the sentence, or -1"),
    ),
    "mentions": (
        (ABSENT, ORPHANS),
        ("s.document IS NULL", "sentence must be one of the document's"),
        (
            "NOT (0 <= t.start AND t.start <= t.head AND t.head < t.stop AND t.stop <= len(s.words))",
            "start, head and stop must be words of the sentence, in this order",
        ),
        ("NOT t.verb BETWEEN 0 AND len(s.words) - 1", "verb must be a word of the sentence"),
        ("list_count(t.actors) < len(t.actors)", "actors must be codes"),
    ),
    "antecedents": (
        (ABSENT, ORPHANS),
        (
            "NOT (0 <= t.antecedent AND t.antecedent <= t.mention AND t.mention < d.mentions)",
            "antecedent must be an earlier mention, or the mention itself",
        ),
        PROBABILITY,
    ),
    "clusterings": (
        (ABSENT, ORPHANS),
        ("d.mentions = 0", "its document must have mentions"),
        ("octet_length(t.best) <> 2::HUGEINT * d.mentions", "best must hold two bytes per mention"),
        (
            "octet_length(t.samples) <> 2::HUGEINT * d.mentions * CAST($samples AS BIGINT)",
            "samples must hold two bytes per mention and sample",
        ),
    ),
    "evidence": (
        (ABSENT, ORPHANS),
        (
            "NOT (t.named BETWEEN 0 AND d.mentions - 1 AND t.agent BETWEEN 0 AND d.mentions - 1)",
            "named and agent must be mentions of the document",
        ),
        PROBABILITY,
        BITS,
    ),
    "label_draw": (("t.draw < 1", "draw must be 1 or more"),),
    "label_strata": ((ABSENT, ORPHANS),),
    "label_sample": (
        (ABSENT, ORPHANS),
        ("t.draw NOT IN (SELECT draw FROM label_draw)", "draw must be one of the table label_draw"),
        ("t.position < 1", "position must be 1 or more"),
        ("NOT (t.inclusion > 0 AND t.inclusion <= 1)", "inclusion must lie above 0, and be at most 1"),
    ),
    "answers": (
        (ABSENT, ORPHANS),
        ("t.document NOT IN (SELECT document FROM label_sample)", "document must be one of the table label_sample"),
        ("t.entry < 1 OR t.revision < 1", "entry and revision must be 1 or more"),
        ("t.coder = ''", "coder must be a name"),
        ("list_count(t.acting) < len(t.acting)", "acting must be codes"),
        ("t.unclear AND coalesce(len(t.acting), 1) > 0", "acting must be empty where the text is unclear"),
        ("t.undoes >= t.entry", "undoes must be an earlier entry"),
    ),
}
KEYS = {
    "documents": "document",
    "left_out": "document",
    "stories": "document",
    "antecedents": "document, mention, antecedent",
    "clusterings": "document",
    "events": "document, actor",
    "label_draw": "draw",
    "label_strata": "document",
    "label_sample": "document",
}
# By table: which documents are wrong as a whole, and the rule that they break. {of} chooses among the documents.
WHOLES: dict[str, tuple[tuple[str, str], ...]] = {
    "documents": (
        (
            "SELECT any_value(document) AS document FROM documents {of} GROUP BY id HAVING count(*) > 1",
            "id must be unique",
        ),
    ),
    "stories": (
        (
            "SELECT document FROM (FROM stories {of}) WHERE story NOT IN (SELECT document FROM documents)",
            "story must be one of the table documents",
        ),
    ),
    "sentences": (
        (
            "SELECT document FROM sentences {of} GROUP BY document "
            "HAVING min(sentence) <> 0 OR max(sentence) >= count(*) OR count(DISTINCT sentence) < count(*)",
            "sentences must be numbered from 0",
        ),
    ),
    "mentions": (
        (
            "SELECT document FROM (FROM documents {of}) d LEFT JOIN (SELECT document, count(*) AS n, "
            "count(DISTINCT mention) AS k, max(mention) AS last, min(mention) AS first FROM mentions {of} "
            "GROUP BY document) USING (document) "
            "WHERE coalesce(n, 0) <> d.mentions OR k < n OR last >= n OR first <> 0",
            "mentions must be numbered from 0, as many as the table documents says",
        ),
    ),
    "antecedents": (
        (
            "SELECT document FROM antecedents {of} GROUP BY document, mention HAVING abs(sum(probability) - 1) > 1e-6",
            "the probabilities of a mention must sum to 1",
        ),
        (
            "SELECT document FROM (FROM clusterings {of}) JOIN documents d USING (document) LEFT JOIN "
            "(SELECT document, count(DISTINCT mention) AS n FROM antecedents {of} GROUP BY document) USING (document) "
            "WHERE coalesce(n, 0) <> d.mentions",
            "every mention of a document with clusterings must have antecedents",
        ),
    ),
    "clusterings": (
        (
            "SELECT DISTINCT document FROM events {of} EXCEPT SELECT document FROM clusterings {of}",
            "a document with an event must have clusterings",
        ),
    ),
    "label_strata": (
        (
            "SELECT document FROM (FROM documents {of}) WHERE document NOT IN (SELECT document FROM label_strata) "
            "AND EXISTS (FROM label_strata)",
            "every document must have a stratum, or none",
        ),
    ),
    "label_sample": (
        (
            "SELECT any_value(document) AS document FROM label_sample {of} GROUP BY position HAVING count(*) > 1",
            "position must be unique",
        ),
    ),
    "answers": (
        (
            "SELECT any_value(document) AS document FROM answers {of} GROUP BY entry HAVING count(*) > 1",
            "entry must be unique",
        ),
    ),
}
