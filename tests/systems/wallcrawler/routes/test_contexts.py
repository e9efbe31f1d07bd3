"""/v1/contexts over HTTP: the objects that clients read, and the link for an upload."""

from __future__ import annotations

import httpx
import pytest

from tests.systems.wallcrawler.routes.test_sessions import refused
from tests.systems.wallcrawler.served import ONE, Served


def test_a_context_is_created_read_and_deleted(without_browsers: Served) -> None:
    # Create answers with the upload, as the original does; the context itself comes with GET.
    one = without_browsers.one
    created = one.post("/v1/contexts", json={"projectId": ONE, "name": "  Login "})
    assert created.status_code == 201
    body = created.json()
    assert (body["publicKey"], body["cipherAlgorithm"]) == ("", "NONE")
    assert body["initializationVectorSize"] == 0
    context = one.get(f"/v1/contexts/{body['id']}").json()
    assert context.keys() == {"id", "createdAt", "updatedAt", "projectId", "name"}
    assert (context["name"], context["projectId"]) == ("Login", ONE)
    assert context["createdAt"].endswith("Z")
    refused(one.post("/v1/contexts", json={"name": "LOGIN"}), 409)
    refused(without_browsers.other.delete(f"/v1/contexts/{body['id']}"), 404)
    deleted = one.delete(f"/v1/contexts/{body['id']}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    refused(one.get(f"/v1/contexts/{body['id']}"), 404)


@pytest.mark.accepts("WC-38")
def test_a_profile_is_uploaded_through_its_link_alone(without_browsers: Served) -> None:
    # The link is the only right it gives: for one context, for fifteen minutes.
    one = without_browsers.one
    first, second = (one.post("/v1/contexts").json() for _ in range(2))
    link = one.put(f"/v1/contexts/{first['id']}").json()["uploadUrl"]
    path = httpx.URL(link).raw_path.decode()
    headers = {"X-BB-API-Key": ""}
    assert one.put(path, content=b"\x1f\x8bprofile", headers=headers).status_code == 200
    refused(one.put(path, content=b"plain text", headers=headers), 415)
    refused(one.put(path.replace(first["id"], second["id"]), content=b"\x1f\x8b"), 403)
    refused(one.put(path.partition("?")[0], content=b"\x1f\x8b"), 401)
