"""What goes wrong in an analysis: a refusal of the input ends it, a warning tells of a part that
was left out.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path


class AnalysisFailed(Exception):
    """The input cannot be analysed. The message says why and what to do."""


class SourceRefused(AnalysisFailed):
    """The input is none that AppLens reads: its kind, its size, or what an archive tries to do."""


class NothingParsed(AnalysisFailed):
    """Not one file could be read as Terraform. The message has the first reason."""


def own_fault(error: Exception) -> AnalysisFailed:
    """A fault of AppLens itself, by its place alone: the message of an exception may quote what is
    analysed.
    """
    at = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(at.filename).name}, line {at.lineno}"
    return AnalysisFailed(
        f"AppLens itself failed: {type(error).__name__} in {where}; please report it"
    )


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that was not understood, and where.

    `kind` is `parse` for a file, or a part of one, that was not read; `source` for a file that was
    left out on purpose; `unresolved` for what only a plan knows, and for modules that are not in
    the tree.
    """

    file: str
    line: int
    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.file else self.message

    def to_json(self) -> dict[str, object]:
        return {"file": self.file, "line": self.line, "kind": self.kind, "message": self.message}
