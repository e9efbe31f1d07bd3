"""`sortkey.open_search(document, address)`: a search for an address.

`data/search`                                   tantivy, one folder per index
`https://user:password@host:9200/prefix-`       OpenSearch; the path, if any, comes before the names of indexes
`https://….es.amazonaws.com?region=eu-west-1`   the same on AWS, signed with the credentials of the environment
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from sortkey.errors import NotConfigured
from sortkey.model.documents import Document
from sortkey.runtime.search.port import SearchIndex
from sortkey.runtime.search.search import Search

T = TypeVar("T")
TIMEOUT_SECONDS = 30


def open_search(
    document: Document[T],
    address: str | os.PathLike[str] = "data/search",
    *,
    secret: bytes | None = None,
    tenant: str = "",
    **settings: Any,
) -> Search[T]:
    """A search for the documents of a declaration; call `ensure()` to create its index.

    `secret` and `tenant` are for cursors. The other settings are the adapter's: `commit_seconds` of
    TantivyIndex, `shards` of OpenSearchIndex.
    """
    text = os.fspath(address)
    try:
        index = (
            _opensearch(document, text, settings)
            if "://" in text
            else _tantivy(document, text, settings)
        )
    except ImportError as error:
        raise NotConfigured(
            f"{error}: install sortkey[search], and for AWS sortkey[aws]"
        ) from error
    return Search(document, index, secret=secret, tenant=tenant)


def _tantivy(document: Document[Any], folder: str, settings: dict[str, Any]) -> SearchIndex:
    from sortkey.connect.tantivy_index import TantivyIndex

    return TantivyIndex(document, Path(folder) / document.name, **settings)


def _opensearch(document: Document[Any], address: str, settings: dict[str, Any]) -> SearchIndex:
    from opensearchpy import OpenSearch

    from sortkey.connect.opensearch_index import OpenSearchIndex

    url = urlsplit(address)
    options = {name: values[-1] for name, values in parse_qs(url.query).items()}
    if (
        url.scheme not in ("http", "https")
        or not url.hostname
        or options.keys() - {"region", "service"}
    ):
        raise NotConfigured(
            "an address of OpenSearch is http(s)://<host>:<port>/<prefix>, with ?region= where it "
            "is on AWS"
        )
    place = {"host": url.hostname, "port": url.port or (443 if url.scheme == "https" else 9200)}
    client: Any = OpenSearch(
        hosts=[place],
        use_ssl=url.scheme == "https",
        http_auth=_credentials(url, options),
        timeout=TIMEOUT_SECONDS,
        http_compress=True,
    )
    return OpenSearchIndex(document, client, name=url.path.strip("/") + document.name, **settings)


def _credentials(url: SplitResult, options: dict[str, str]) -> Any:
    if "region" in options:
        import boto3  # pyright: ignore[reportMissingTypeStubs]
        from opensearchpy import Urllib3AWSV4SignerAuth

        session: Any = boto3.Session()
        credentials = session.get_credentials()
        if credentials is None:
            raise NotConfigured("there are no AWS credentials to sign requests to OpenSearch with")
        return Urllib3AWSV4SignerAuth(credentials, options["region"], options.get("service", "es"))
    return (unquote(url.username), unquote(url.password or "")) if url.username else None
