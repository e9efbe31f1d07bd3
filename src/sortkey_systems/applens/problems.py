"""Errors of an analysis: a refused input ends it, a warning describes a part that was left out."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path


class AnalysisFailed(Exception):
    """The input cannot be analysed. The message says why and what to do."""


class SourceRefused(AnalysisFailed):
    """Input that AppLens does not read: its kind, its size, or what an archive tries to do."""


class NothingParsed(AnalysisFailed):
    """No file could be read as Terraform. The message has the first reason."""


def own_fault(error: Exception) -> AnalysisFailed:
    """A bug in AppLens, named by its place only: the message of an exception may quote the
    input.
    """
    at = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(at.filename).name}, line {at.lineno}"
    return AnalysisFailed(
        f"AppLens itself failed: {type(error).__name__} in {where}; please report it"
    )


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Something that was not understood, and where.

    `kind` is `parse` for a file that was not read, or not completely, `source` for a file left out
    on purpose, and `unresolved` for values known only to a plan and for modules outside the tree.
    """

    file: str
    line: int
    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.file else self.message

    def to_json(self) -> dict[str, object]:
        return {"file": self.file, "line": self.line, "kind": self.kind, "message": self.message}
