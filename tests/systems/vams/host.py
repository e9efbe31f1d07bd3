"""A host with VAMS alone at its root, and requests in the name of users."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from httpx import Response

from sortkey.systems import Addresses, find_system, open_resources
from sortkey.web import Host
from sortkey_systems.vams.model import User, UserRole, model
from sortkey_systems.vams.service import Vams

URL = "http://testserver"
ADMIN = "admin@example.com"
READER = "reader@example.com"


class Requests:
    """A client of the routes, as several users."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.service: Vams = host.systems[0].service
        self.client = TestClient(host.app, base_url=URL)

    def header(self, user_id: str) -> dict[str, str]:
        token = self.host.tokens.issue(user_id, system="vams")
        return {"Authorization": f"Bearer {token}"}

    def __call__(self, method: str, path: str, body: Any = None, *, user: str = ADMIN) -> Response:
        headers = {**self.header(user), "Content-Type": "application/json"}
        content = {} if body is None else {"json": body}
        return self.client.request(method, path, headers=headers, **content)

    def add_user(self, user_id: str, *roles: str) -> None:
        """A user with roles, as the tables have them, before the first request in their name."""
        store = self.service.store
        store.put(User(user_id=user_id, email=user_id))
        for role in roles:
            store.put(UserRole(user_id=user_id, role_name=role))


@contextmanager
def hosted(folder: Path) -> Iterator[Requests]:
    """VAMS on a data folder, at the root, without workers."""
    with open_resources(Addresses(str(folder)), [model], url=URL) as shared:
        host = Host(shared, [find_system("vams")], at_root=True)
        requests = Requests(host)
        requests.add_user(READER, "basicReadOnly")
        yield requests
