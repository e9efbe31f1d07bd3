"""A host with VAMS alone at its root, and requests in the name of users."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from httpx import Response

from sortkey.systems import Addresses, find_system, open_resources
from sortkey.web import Host
from sortkey_systems.vams.model import Role, User, UserRole, model
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
        self._numbers = count()

    def header(self, user_id: str) -> dict[str, str]:
        token = self.host.tokens.issue(user_id, system="vams")
        return {"Authorization": f"Bearer {token}"}

    def __call__(self, method: str, path: str, body: Any = None, *, user: str = ADMIN) -> Response:
        headers = {**self.header(user), "Content-Type": "application/json"}
        content = {} if body is None else {"json": body}
        return self.client.request(method, path, headers=headers, **content)

    def make_database(self, database_id: str = "plant", **more: Any) -> str:
        """A database by a request of the administrator, in the first bucket; unless it exists."""
        bucket = self("GET", "/buckets").json()["Items"][0]["bucketId"]
        body = {"databaseId": database_id, "description": "of a test", "defaultBucketId": bucket}
        answer = self("POST", "/database", {**body, **more})
        assert answer.status_code == 200 or "already exists" in answer.text, answer.text
        return database_id

    def make_asset(self, database_id: str = "plant", **more: Any) -> str:
        """An asset by a request of the administrator, and its database if it is missing."""
        self.make_database(database_id)
        body = {"databaseId": database_id, "assetName": "Pump", "description": "of a test"}
        answer = self("POST", "/assets", {**body, "isDistributable": True, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()["assetId"]

    def put_file(self, database_id: str, asset_id: str, path: str, data: bytes = b"bytes") -> str:
        """An object of an asset, without an upload. Gives its key."""
        asset = self.service.assets.find(database_id, asset_id, archived=True)
        assert asset is not None
        place = self.service.assets.place_of(asset)
        place.objects.put(place.key(path), data)
        return place.key(path)

    def run_jobs(self) -> None:
        """Run what the worker of a server would. Every job must succeed."""
        for job in self.service.jobs.run_due():
            assert job.status == "completed", (job.name, job.error)

    def permit(self, role: str, object_type: str, verbs: str, **criteria: str) -> None:
        """Let a role use objects of a type: `permit("seers", "asset", "GET PUT", tags="pump")`.
        Values are expressions. The role is made if it is missing.
        """
        self.service.store.put(Role(role_name=role, description="of a test"))
        name = f"{role}-{next(self._numbers)}"
        body = {
            "name": name,
            "description": "of a test",
            "objectType": object_type,
            "criteriaAnd": [
                {"field": field, "operator": "contains", "value": value}
                for field, value in criteria.items()
            ],
            "groupPermissions": [
                {"groupId": role, "permission": verb, "permissionType": "allow"}
                for verb in verbs.split()
            ],
        }
        answer = self("POST", f"/auth/constraints/{name}", body)
        assert answer.status_code == 200, answer.text

    def add_user(self, user_id: str, *roles: str) -> None:
        """A user with roles, as the tables have them, before the first request in their name."""
        store = self.service.store
        store.put(User(user_id=user_id, email=user_id))
        for role in roles:
            store.put(UserRole(user_id=user_id, role_name=role))


@contextmanager
def hosted(folder: Path, **addresses: str) -> Iterator[Requests]:
    """VAMS on a data folder, at the root, without workers. `addresses` are of a store and buckets
    elsewhere.
    """
    with open_resources(Addresses(str(folder), **addresses), [model], url=URL) as shared:
        host = Host(shared, [find_system("vams")], at_root=True)
        requests = Requests(host)
        requests.add_user(READER, "basicReadOnly")
        yield requests
