"""What an import of labels added to a store."""

from __future__ import annotations

from dataclasses import dataclass

from howsure.inputs.naming import counted

NOT_TOLD = (
    "counted as read, with nobody acting; doccano writes texts that nobody has read in the same way: export only those "
    "that were read, or label them none"
)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was imported: the format, answers new in the store, those that it had already, documents, and coders.

    unlabelled: answers that choose nothing, not even that nobody acts.
    """

    format: str
    added: int
    known: int
    documents: int
    coders: tuple[str, ...]
    design: str
    unlabelled: int

    def __str__(self) -> str:
        said = f"{counted(self.added, 'answer')} to {counted(self.documents, 'document')} by {', '.join(self.coders)}"
        if self.known:
            said += f"; {self.known:,} were in the store already"
        if self.unlabelled and self.format == "doccano":
            said += f"; {counted(self.unlabelled, 'text')} without a label {NOT_TOLD}"
        return said
