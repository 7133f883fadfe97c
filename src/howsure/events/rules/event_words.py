"""The words of a store's rule in its documents, whether the rule finds an event there or not."""

from __future__ import annotations

from howsure.events.store.reading import Columns, Store, columns_of

FIELDS = ("forms", "verbs", "nouns")  # of a rule


def event_words(store: Store) -> Columns | None:
    """How many words of the rule each `document` has, `n`, as forms or as lemmas; None if the rule has no words.

    Documents without one are left out. Where the parser gave no lemmas, words stand for them.
    """
    rule = store.settings.get("rule") or {}
    held = {name: [str(word).lower() for word in rule.get(name) or ()] for name in FIELDS}
    if not any(held.values()):
        return None
    return columns_of(
        store,
        "SELECT document, count(*)::DOUBLE AS n FROM (SELECT document, unnest(words) AS word, "
        "unnest(coalesce(lemmas, words)) AS lemma FROM sentences SEMI JOIN documents USING (document)) "
        "WHERE list_contains($forms, lower(word)) OR list_contains($lemmas, lower(lemma)) GROUP BY document",
        forms=[*held["forms"], *held["nouns"]],
        lemmas=[*held["verbs"], *held["nouns"]],
    )
