"""Rows of two models are matched by ids, or by documents where ids contradict these."""

from __future__ import annotations

import numpy as np

from howsure.inputs.matching import paired_by_documents, shared_rows


def test_hashes_of_two_kinds_contradict_nothing() -> None:
    ids = np.array(["1", "2", "3"])
    shared = shared_rows(ids, ids, names=("A", "B"))
    documents = np.array(["doc_hash:x", "doc_hash:y", "doc_hash:z"], dtype=object)
    of_content = np.array(["doc:p", "doc:q", "doc:r"], dtype=object)
    assert paired_by_documents(shared, documents, of_content, ids=ids) is shared
    turned = paired_by_documents(shared, documents, documents[::-1], ids=ids)
    assert turned.b.tolist() == [2, 1, 0]
