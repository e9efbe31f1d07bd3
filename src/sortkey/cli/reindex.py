"""`sortkey reindex`: rebuilds the search indexes of a model from its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.cli.search_documents import counting, kept_searches, listed
from sortkey.commands.failure import FAILED
from sortkey.commands.help import examples
from sortkey.commands.options import Buckets, Data, Documents, Index, Json, ModelName
from sortkey.commands.output import print_json

if TYPE_CHECKING:
    from sortkey.connect.searches import ManagedSearch

EXAMPLES = examples(
    "sortkey reindex shop                    all its documents, in data/searches/",
    "sortkey reindex shop products --json    one of them, for programs",
    "sortkey reindex shop --search https://user:password@host:9200",
    'sortkey reindex shop --data aws://eu-west-1 --objects "s3://acme-{bucket}" \\',
    '    --search "https://search-….es.amazonaws.com?region=eu-west-1"',
)


def run(
    model: ModelName,
    documents: Documents = None,
    data: Data = "data",
    objects: Buckets = None,
    search: Index = None,
    json: Json = False,
) -> int:
    """Rebuild the search indexes of a model from its tables, after a document's declaration has
    changed or an index was lost.

    A new index is filled next to the old one, which answers queries until the new one replaces it.
    You can stop it and start it again: it continues where it stopped. AWS charges for reading whole
    tables.

    Only one process can write an index in a folder, so stop `sortkey up` on that folder first. An
    OpenSearch index may be in use. The exit code is 1 when items could not be read.
    """
    with kept_searches(model, documents or [], data, objects, search) as searches:
        results = [_reindex(search) for search in searches]
    if json:
        print_json(results)
    else:
        print("\n".join(line for result in results for line in _lines(result)))
    return FAILED if any(result["unreadable"] for result in results) else 0


def _reindex(kept: ManagedSearch) -> dict[str, Any]:
    from sortkey.runtime.search import reindex

    with counting(f"indexing {kept.name}") as on_progress:
        kept.search.ensure()
        done = reindex(kept.search, kept.source, on_progress=on_progress)
    return {
        "document": kept.name,
        "count": kept.search.count(),
        "written": done.written,
        "changed_meanwhile": done.caught_up.count + done.final_check.count,
        "unreadable": done.final_check.unreadable,
    }


def _lines(done: dict[str, Any]) -> list[str]:
    rest = f", {done['changed_meanwhile']:,} changed meanwhile" if done["changed_meanwhile"] else ""
    documents = "1 document" if done["count"] == 1 else f"{done['count']:,} documents"
    return [
        *listed("unreadable", done["unreadable"]),
        f"{done['document']}: rebuilt, {documents} ({done['written']:,} written by this run{rest})",
    ]
