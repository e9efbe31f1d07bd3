"""An open inner folder: tantivy's index with the columns of its documents' declaration."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tantivy import Index, Query

from sortkey.connect.tantivy_index import columns as at
from sortkey.connect.tantivy_index.columns import Columns, schema_of
from sortkey.connect.tantivy_index.keywords import encode
from sortkey.connect.tantivy_index.pages import Pages
from sortkey.connect.tantivy_index.queries import Translator
from sortkey.connect.tantivy_index.words import Words, analyzer
from sortkey.model.document_fields import DocumentFields

_META = "meta.json"
"""tantivy rewrites it with every commit."""


class Opened:
    """Reads what is committed. `reload` makes new commits visible."""

    def __init__(self, path: Path, fields: DocumentFields) -> None:
        self.path = path
        self.columns = Columns(fields)
        self.words = Words()
        self.index = Index.open(str(path))
        self.schema = self.index.schema  # its own: it may have been built for more fields
        self.index.register_tokenizer(at.WORDS, analyzer())
        self._stamp: tuple[int, int] | None = None
        self.reload()

    @classmethod
    def create(cls, path: Path, fields: DocumentFields) -> None:
        """Make an empty index in a new folder."""
        path.mkdir(mode=0o700)
        Index(schema_of(Columns(fields)), path=str(path))

    def reload(self) -> None:
        """Make commits of any process visible."""
        status = os.stat(self.path / _META)
        if (stamp := (status.st_mtime_ns, status.st_ino)) != self._stamp:
            self.index.reload()
            self._stamp = stamp

    def translator(self) -> Translator:
        return Translator(self.index, self.schema, self.columns, self.words, self.index.searcher())

    def pages(self) -> tuple[Translator, Pages]:
        """Both with the same searcher, so that they see the same snapshot."""
        searcher = self.index.searcher()
        translator = Translator(self.index, self.schema, self.columns, self.words, searcher)
        return translator, Pages(searcher, translator)

    def versions(self, ids: Sequence[str]) -> dict[str, int]:
        """The versions of some documents, of deleted ones too."""
        searcher = self.index.searcher()
        coded = [encode(id) for id in ids]
        result: Any = searcher.search(
            Query.term_set_query(self.schema, at.ID, coded), 1, count=True
        )
        if not result.count:  # the rule while an index is filled
            return {}
        versions: dict[str, int] = {}
        for id, code in zip(ids, coded, strict=True):
            hits = searcher.search(
                Query.term_query(self.schema, at.ID, code),
                1,
                count=False,
                order_by_field=at.VERSION,
            ).hits
            if hits:
                versions[id] = hits[0][0]
        return versions
