"""Our own commands against a server elsewhere, and beside it on its folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.systems.vams.clients.conftest import ADMIN, Served, program
from tests.systems.vams.clients.tool import Tool


@pytest.fixture(scope="module")
def key(tool: Tool) -> str:
    body = {"apiKeyName": "commands", "userId": ADMIN, "description": "for commands"}
    return tool.post("/auth/api-keys", body)["apiKey"]


def test_a_folder_is_synchronized_over_http_and_seen_beside_the_server(
    served: Served,
    database: str,
    key: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Over the network with a key, and on the folder of a running server without one.
    monkeypatch.setenv("SORTKEY_VAMS_TOKEN", key)
    monkeypatch.setenv("SORTKEY_VAMS_URL", served.url)
    (tmp_path / "a b.txt").write_text("over the network")
    words = ("vams", "sync", str(tmp_path), database, "from-afar", "--create", "--json")
    assert json.loads(program(*words))["copied"] == ["/a b.txt"]
    assert json.loads(program(*words))["copied"] == []
    monkeypatch.delenv("SORTKEY_VAMS_URL")
    beside = (
        "vams",
        "files",
        "list",
        database,
        "from-afar",
        "--json",
        "--data",
        str(served.folder),
    )
    (row,) = json.loads(program(*beside))
    assert (row["relativePath"], row["size"]) == ("/a b.txt", 16)
