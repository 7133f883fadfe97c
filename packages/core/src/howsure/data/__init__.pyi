from howsure.data.documents.columns import (
    read_conll2012 as read_conll2012,
    read_sentence_index as read_sentence_index,
    read_three_columns as read_three_columns,
    write_conll2012 as write_conll2012,
)
from howsure.data.documents.conllu import read_conllu as read_conllu, write_conllu as write_conllu
from howsure.data.documents.document import Document as Document, Mention as Mention, Sentence as Sentence
from howsure.data.documents.read_documents import read_documents as read_documents
from howsure.data.documents.tagged_columns import read_tagged as read_tagged, write_tagged as write_tagged
from howsure.data.predictions.predictions import Predictions as Predictions
