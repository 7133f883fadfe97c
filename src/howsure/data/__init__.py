"""Readers of text and predictions in all file formats. Dependencies of a reader are loaded on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from howsure.data.antecedent_files import read_antecedent_scores, write_antecedent_scores
    from howsure.data.antecedent_scores import AntecedentScores
    from howsure.data.datasets import data_set, data_set_path, data_sets, find_data_set, read_labelled_texts
    from howsure.data.documents.columns import (
        read_conll2012,
        read_sentence_index,
        read_tagged,
        read_three_columns,
        write_conll2012,
        write_tagged,
        write_three_columns,
    )
    from howsure.data.documents.conllu import read_conllu, write_conllu
    from howsure.data.documents.document import Document, Mention, Sentence
    from howsure.data.documents.read_documents import read_documents
    from howsure.data.downloads import fetch_data_set
    from howsure.data.predictions.open_predictions import open_predictions
    from howsure.data.predictions.predictions import Predictions
    from howsure.data.predictions.read_columns import read_columns

__all__ = [
    "AntecedentScores",
    "Document",
    "Mention",
    "Predictions",
    "Sentence",
    "data_set",
    "data_set_path",
    "data_sets",
    "fetch_data_set",
    "find_data_set",
    "open_predictions",
    "read_antecedent_scores",
    "read_columns",
    "read_conll2012",
    "read_conllu",
    "read_documents",
    "read_labelled_texts",
    "read_sentence_index",
    "read_tagged",
    "read_three_columns",
    "write_antecedent_scores",
    "write_conll2012",
    "write_conllu",
    "write_tagged",
    "write_three_columns",
]

_FILE_OF = {
    "AntecedentScores": "antecedent_scores",
    "Document": "documents.document",
    "Mention": "documents.document",
    "Predictions": "predictions.predictions",
    "Sentence": "documents.document",
    "data_set": "datasets",
    "data_sets": "datasets",
    "data_set_path": "datasets",
    "fetch_data_set": "downloads",
    "find_data_set": "datasets",
    "open_predictions": "predictions.open_predictions",
    "read_antecedent_scores": "antecedent_files",
    "read_columns": "predictions.read_columns",
    "read_conll2012": "documents.columns",
    "read_conllu": "documents.conllu",
    "read_documents": "documents.read_documents",
    "read_labelled_texts": "datasets",
    "read_sentence_index": "documents.columns",
    "read_tagged": "documents.columns",
    "read_three_columns": "documents.columns",
    "write_antecedent_scores": "antecedent_files",
    "write_conll2012": "documents.columns",
    "write_conllu": "documents.conllu",
    "write_tagged": "documents.columns",
    "write_three_columns": "documents.columns",
}


def __getattr__(name: str) -> Any:
    if name not in _FILE_OF:
        raise AttributeError(f"module 'howsure.data' has no attribute {name!r}")
    return getattr(importlib.import_module(f"howsure.data.{_FILE_OF[name]}"), name)
