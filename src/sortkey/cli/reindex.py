"""`sortkey reindex`: search indexes of a model, built anew from its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.cli.search_documents import counting, kept_searches, listed
from sortkey.commands.failure import FAILED
from sortkey.commands.help import examples
from sortkey.commands.options import Buckets, Data, Documents, Index, Json, ModelName
from sortkey.commands.output import print_json

if TYPE_CHECKING:
    from sortkey.connect.searches import KeptSearch

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
    """Build the search indexes of a model anew from its tables: because a document is declared in
    another way, or an index is lost.

    A new index is filled beside the old one, which answers until the new one takes its place. It
    may be stopped and started again: it goes on where it was. Reading whole tables is paid for on
    AWS.

    One process writes an index in a folder, so stop a `sortkey up` of that folder before; an
    OpenSearch may be in use. The exit code is 1 when items could not be read.
    """
    with kept_searches(model, documents or [], data, objects, search) as kept:
        done = [_reindexed(each) for each in kept]
    if json:
        print_json(done)
    else:
        print("\n".join(line for each in done for line in _lines(each)))
    return FAILED if any(each["unreadable"] for each in done) else 0


def _reindexed(kept: KeptSearch) -> dict[str, Any]:
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
    found = "1 document" if done["count"] == 1 else f"{done['count']:,} documents"
    return [
        *listed("unreadable", done["unreadable"]),
        f"{done['document']}: built anew, {found} ({done['written']:,} written by this run{rest})",
    ]
