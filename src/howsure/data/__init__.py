"""Text and predictions as data: readers of every file format. What a reader needs is loaded when it is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from howsure.data.arrays import read_columns
    from howsure.data.conll2012 import read_conll2012, write_conll2012
    from howsure.data.conllu import read_conllu
    from howsure.data.conllu_writing import write_conllu
    from howsure.data.document_files import read_documents
    from howsure.data.documents import Document, Mention, Sentence
    from howsure.data.downloads import fetch_dataset
    from howsure.data.opening import open_predictions
    from howsure.data.predictions import Predictions
    from howsure.data.registry import data_set, data_sets, dataset_path, find_dataset
    from howsure.data.tagged import read_sentence_index, read_tagged, write_tagged
    from howsure.data.three_columns import read_three_columns, write_three_columns
    from howsure.data.tweets import read_labelled_texts

__all__ = [
    "Document",
    "Mention",
    "Predictions",
    "Sentence",
    "data_set",
    "data_sets",
    "dataset_path",
    "fetch_dataset",
    "find_dataset",
    "open_predictions",
    "read_columns",
    "read_conll2012",
    "read_conllu",
    "read_documents",
    "read_labelled_texts",
    "read_sentence_index",
    "read_tagged",
    "read_three_columns",
    "write_conll2012",
    "write_conllu",
    "write_tagged",
    "write_three_columns",
]

_FILE_OF = {
    "Document": "documents",
    "Mention": "documents",
    "Predictions": "predictions",
    "Sentence": "documents",
    "data_set": "registry",
    "data_sets": "registry",
    "dataset_path": "registry",
    "fetch_dataset": "downloads",
    "find_dataset": "registry",
    "open_predictions": "opening",
    "read_columns": "arrays",
    "read_conll2012": "conll2012",
    "read_conllu": "conllu",
    "read_documents": "document_files",
    "read_labelled_texts": "tweets",
    "read_sentence_index": "tagged",
    "read_tagged": "tagged",
    "read_three_columns": "three_columns",
    "write_conll2012": "conll2012",
    "write_conllu": "conllu_writing",
    "write_tagged": "tagged",
    "write_three_columns": "three_columns",
}


def __getattr__(name: str) -> Any:
    if name not in _FILE_OF:
        raise AttributeError(f"module 'howsure.data' has no attribute {name!r}")
    return getattr(importlib.import_module(f"howsure.data.{_FILE_OF[name]}"), name)
