"""The installation of the corpus, on each kind of index."""

from collections.abc import Iterator

import pytest

from tests.contract.search_adapters import ADAPTERS, forget, port, unused_prefix
from tests.systems.vams.host import Requests
from tests.systems.vams.search.corpus import searched


@pytest.fixture(scope="package", params=ADAPTERS)
def requests(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Requests]:
    folder = tmp_path_factory.mktemp("searched")
    if request.param == "tantivy":
        with searched(folder) as opened:
            yield opened
        return
    address = f"http://127.0.0.1:{port()}/{unused_prefix()}"
    with searched(folder, address) as opened:
        yield opened
    forget(address)
