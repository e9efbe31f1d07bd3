"""Roles, user roles and constraints by requests, and what a change does to the next request."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey_systems.vams.access.callers import SYSTEM_USER
from sortkey_systems.vams.access.roles import Roles
from sortkey_systems.vams.model import AuthEntity, GroupConstraint, Role, UserRole
from tests.systems.vams.host import ADMIN, READER, Requests

GET = {"permission": "GET", "permissionType": "allow"}


def on_roles(name: str, group: str, value: str = ".*") -> dict[str, Any]:
    criterion = {"field": "roleName", "operator": "contains", "value": value}
    return {
        "identifier": name,
        "name": name,
        "description": "of a test",
        "objectType": "role",
        "criteriaAnd": [criterion],
        "groupPermissions": [{"groupId": group, **GET}],
    }


def on_routes(name: str, group: str, path: str) -> dict[str, Any]:
    criterion = {"field": "route__path", "operator": "starts_with", "value": path}
    return {
        **on_roles(name, group),
        "objectType": "api",
        "criteriaAnd": [criterion],
        "groupPermissions": [
            {"groupId": group, "permission": verb, "permissionType": "allow"}
            for verb in ("GET", "POST", "DELETE")
        ],
    }


def make_role(requests: Requests, name: str, **more: Any) -> None:
    body = {"roleName": name, "description": f"role {name}", **more}
    answer = requests("POST", "/roles", body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["operation"] == "create"


def names(requests: Requests, user: str) -> list[str]:
    answer = requests("GET", "/roles", user=user)
    assert answer.status_code == 200, answer.text
    return [role["roleName"] for role in answer.json()["message"]["Items"]]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/roles", None),
        ("POST", "/roles", {"roleName": "x", "description": "x"}),
        ("PUT", "/roles", {"roleName": "admin"}),
        ("DELETE", "/roles/admin", None),
        ("GET", "/user-roles", None),
        ("POST", "/user-roles", {"userId": READER, "roleName": ["admin"]}),
        ("PUT", "/user-roles", {"userId": READER, "roleName": ["admin"]}),
        ("DELETE", "/user-roles", {"userId": "admin@example.com"}),
        ("GET", "/auth/constraints", None),
        ("GET", "/auth/constraints/admin-api-all", None),
        ("POST", "/auth/constraints/mine", on_roles("mine", "basicReadOnly")),
        ("PUT", "/auth/constraints/mine", on_roles("mine", "basicReadOnly")),
        ("DELETE", "/auth/constraints/admin-api-all", None),
        ("POST", "/auth/constraintsTemplateImport", {"constraints": [{}]}),
        ("GET", "/auth/api-keys", None),
        ("POST", "/auth/api-keys", {"apiKeyName": "k", "userId": "admin@example.com"}),
        ("GET", "/auth/api-keys/k", None),
        ("PUT", "/auth/api-keys/k", {"isActive": "true"}),
        ("DELETE", "/auth/api-keys/k", None),
        ("GET", "/user/cognito", None),
        ("POST", "/user/cognito", {"userId": "eve", "email": "eve@example.com"}),
        ("PUT", "/user/cognito/eve", {"email": "eve@example.com"}),
        ("DELETE", "/user/cognito/eve", None),
        ("POST", "/user/cognito/admin@example.com/resetPassword", {"confirmReset": True}),
    ],
)
def test_nobody_administers_without_permission(
    requests: Requests, method: str, path: str, body: Any
) -> None:
    # Every route of this table could make its caller an administrator.
    refused = requests(method, path, body, user=READER)
    assert (refused.status_code, refused.json()) == (403, {"message": "Not Authorized"})
    assert requests.client.request(method, path, json=body).status_code == 401


def test_a_denial_is_in_the_audit_log_with_its_reason(requests: Requests) -> None:
    # Who tries to become administrator should be seen.
    requests("DELETE", "/roles/admin", user=READER)
    day = requests.service.now().strftime("%Y-%m-%d")
    record = requests.service.audit.of_day(day, "AUTHORIZATION")[0]
    assert (record.actor, record.outcome) == (READER, "denied")
    assert record.detail["roles"] == ["basicReadOnly"]
    assert record.detail["reason"] == "no constraint allows it"


def test_a_permission_counts_at_the_next_request_and_ends_with_its_constraint(
    requests: Requests,
) -> None:
    # The original waits for a minute. `seers` and `seers-too` begin alike, and only one goes.
    make_role(requests, "seers")
    requests.add_user("ada@example.com")
    answer = requests("POST", "/user-roles", {"userId": "ada@example.com", "roleName": ["seers"]})
    assert answer.status_code == 200
    assert requests("GET", "/roles", user="ada@example.com").status_code == 403
    for name in ("seers", "seers-too"):
        body = on_routes(name, "seers", "/roles")
        assert requests("POST", f"/auth/constraints/{name}", body).status_code == 200
    assert names(requests, "ada@example.com") == []
    body = on_roles("seers-see", "seers", "^seers$")
    assert requests("POST", "/auth/constraints/seers-see", body).status_code == 200
    assert names(requests, "ada@example.com") == ["seers"]
    assert requests("DELETE", "/auth/constraints/seers").status_code == 200
    assert names(requests, "ada@example.com") == ["seers"]
    assert requests("DELETE", "/auth/constraints/seers-too").status_code == 200
    assert requests("GET", "/roles", user="ada@example.com").status_code == 403
    assert requests("GET", "/auth/constraints/seers").status_code == 404


def test_tier_2_denies_what_tier_1_lets_through(requests: Requests) -> None:
    # The route is open to the role, the object is not.
    make_role(requests, "door")
    requests.add_user("bob@example.com")
    requests("POST", "/user-roles", {"userId": "bob@example.com", "roleName": ["door"]})
    requests("POST", "/auth/constraints/door", on_routes("door", "door", "/roles"))
    denied = requests("DELETE", "/roles/basicReadOnly", user="bob@example.com")
    assert (denied.status_code, denied.json()) == (403, {"message": "Not Authorized"})


def test_replacing_a_constraint_leaves_nothing_of_the_former_groups(requests: Requests) -> None:
    # A row that stays would show in the queries by group, and in an audit of who may what.
    make_role(requests, "former")
    requests("POST", "/auth/constraints/turn", on_roles("turn", "former"))
    requests("PUT", "/auth/constraints/turn", on_roles("turn", "seers"))
    rows = requests.service.store.query(GroupConstraint.of_group(group_id="former"))
    assert rows == []
    stored = requests("GET", "/auth/constraints/turn").json()["constraint"]
    assert [each["groupId"] for each in stored["groupPermissions"]] == ["seers"]


def test_a_change_of_a_role_keeps_what_is_not_given(requests: Requests) -> None:
    # The original wipes it.
    make_role(requests, "kept", source="ldap")
    answer = requests("PUT", "/roles", {"roleName": "kept", "description": "another"})
    assert answer.json()["operation"] == "update"
    listed = requests("GET", "/roles").json()["message"]["Items"]
    (role,) = [each for each in listed if each["roleName"] == "kept"]
    assert (role["description"], role["source"]) == ("another", "ldap")
    assert set(role) == {
        *("id", "roleName", "description", "createdOn", "source", "sourceIdentifier"),
        "mfaRequired",
    }


def test_a_role_that_requires_mfa_counts_only_in_a_session_with_it(requests: Requests) -> None:
    # A stolen password alone must not open what the role opens.
    make_role(requests, "vault", mfaRequired=True)
    requests.add_user("eva@example.com", "vault")
    access = requests.service.access
    assert access.caller("eva@example.com").roles == ()
    assert access.caller("eva@example.com", has_mfa=True).roles == ("vault",)


def test_deleting_a_role_takes_it_from_its_users(requests: Requests) -> None:
    # A later role of the same name must not come with users.
    make_role(requests, "gone")
    requests("POST", "/user-roles", {"userId": READER, "roleName": ["gone"]})
    assert requests("DELETE", "/roles/gone").json() == {"message": "success"}
    rows = requests("GET", "/user-roles").json()["message"]["Items"]
    (row,) = [each for each in rows if each["userId"] == READER]
    assert row["roleName"] == ["basicReadOnly"]
    assert requests("DELETE", "/roles/gone").status_code == 404


def test_lists_come_in_pages_of_the_size_that_was_asked_for(requests: Requests) -> None:
    # Clients follow NextToken until it is null.
    seen: list[str] = []
    path = "/auth/constraints?pageSize=4"
    while True:
        message = requests("GET", path).json()["message"]
        seen += [each["constraintId"] for each in message["Items"]]
        if message["NextToken"] is None:
            break
        assert len(message["Items"]) == 4
        path = f"/auth/constraints?pageSize=4&startingToken={message['NextToken']}"
    assert seen == sorted(set(seen))
    assert len(seen) >= 21  # those of a new installation
    wrong = requests("GET", "/auth/constraints?startingToken=nonsense")
    assert (wrong.status_code, wrong.json()) == (400, {"message": "Invalid pagination token"})


TEMPLATE: dict[str, Any] = {
    "metadata": {"name": "reader of a database"},
    "variables": [
        {"name": "ROLE_NAME", "required": True},
        {"name": "DATABASE", "required": True},
        {"name": "VERB", "default": "GET"},
    ],
    "constraints": [
        {
            "name": "{{ROLE_NAME}}-assets",
            "description": "Assets of {{DATABASE}}",
            "objectType": "asset",
            "criteriaAnd": [{"field": "databaseId", "operator": "equals", "value": "{{DATABASE}}"}],
            "groupPermissions": [{"action": "{{VERB}}", "type": "allow"}],
        }
    ],
}


def test_a_template_becomes_constraints_of_a_role(requests: Requests) -> None:
    # The permission templates of the original are imported as they are.
    values = {"ROLE_NAME": "seers", "DATABASE": "plant"}
    answer = requests(
        "POST", "/auth/constraintsTemplateImport", {**TEMPLATE, "variableValues": values}
    ).json()
    assert answer["constraintsCreated"] == 1
    stored = requests("GET", f"/auth/constraints/{answer['constraintIds'][0]}").json()
    assert stored["constraint"]["name"] == "seers-assets"
    assert stored["constraint"]["criteriaAnd"][0]["value"] == "plant"
    assert stored["constraint"]["groupPermissions"] == [{"groupId": "seers", **GET}]


def test_a_template_with_a_variable_left_over_is_refused_and_writes_nothing(
    requests: Requests,
) -> None:
    # A literal {{DATABASE}} would match nothing, or everything in a deny.
    before = requests("GET", "/auth/constraints").json()
    body = {**TEMPLATE, "variables": [], "variableValues": {"ROLE_NAME": "seers"}}
    assert requests("POST", "/auth/constraintsTemplateImport", body).status_code == 400
    assert requests("GET", "/auth/constraints").json() == before


def test_nobody_takes_their_role_away_by_requiring_mfa_for_it(requests: Requests) -> None:
    # With one administrator, nobody could have undone it.
    change = {"roleName": "admin", "mfaRequired": True}
    refused = requests("PUT", "/roles", change)
    assert refused.status_code == 400
    assert "sortkey vams mfa" in refused.json()["message"]
    assert requests("GET", "/roles").status_code == 200


def test_the_user_of_pipelines_keeps_a_role_that_requires_mfa(requests: Requests) -> None:
    # It has no session, so automatic workflows would stop.
    make_role(requests, "runner", mfaRequired=True)
    requests.add_user(SYSTEM_USER, "runner")
    requests("PUT", "/roles", {"roleName": "runner", "description": "seen by the next caller"})
    assert "runner" in requests.service.access.system_caller().roles


def test_a_role_whose_deletion_was_interrupted_can_be_deleted_again(requests: Requests) -> None:
    # Rows that stay would give a later role of that name to its former users.
    make_role(requests, "halfway")
    requests("POST", "/user-roles", {"userId": READER, "roleName": ["halfway"]})
    store = requests.service.store

    class Interrupted(Exception):
        pass

    class Halting:
        """The store, until the first write that is not a transaction."""

        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

        def batch_write(self, *_: Any, **__: Any) -> None:
            raise Interrupted

    caller = requests.service.access.caller(ADMIN)
    halting: Any = Halting()
    with pytest.raises(Interrupted):
        Roles(halting, requests.service.access).delete(caller, "halfway")
    assert requests("DELETE", "/roles/halfway").status_code == 200
    rows = store.query(UserRole.of_user(user_id=READER))
    assert [row.role_name for row in rows] == ["basicReadOnly"]


def test_the_roles_of_a_user_are_limited_in_total_and_any_number_can_be_taken(
    requests: Requests,
) -> None:
    # More than a transaction holds could never be taken away again.
    requests.add_user("max@example.com", *(f"many-{number}" for number in range(150)))
    more = {"userId": "max@example.com", "roleName": ["admin"]}
    assert requests("POST", "/user-roles", more).status_code == 400
    answer = requests("DELETE", "/user-roles", {"userId": "max@example.com"})
    assert answer.status_code == 200, answer.text
    assert requests.service.access.caller("max@example.com").roles == ()
    assert requests("POST", "/user-roles", more).status_code == 200


def test_replacing_roles_by_the_same_ones_asks_for_permission_too(requests: Requests) -> None:
    # The answer would say which roles somebody has.
    make_role(requests, "asker")
    requests.add_user("ben@example.com")
    requests("POST", "/user-roles", {"userId": "ben@example.com", "roleName": ["asker"]})
    body = on_routes("asker", "asker", "/user-roles")
    put = {"groupId": "asker", "permission": "PUT", "permissionType": "allow"}
    body["groupPermissions"].append(put)
    assert requests("POST", "/auth/constraints/asker", body).status_code == 200
    same = {"userId": READER, "roleName": ["basicReadOnly"]}
    assert requests("PUT", "/user-roles", same, user="ben@example.com").status_code == 403
    assert requests("PUT", "/user-roles", same).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        {"groupPermissions": ["GET"]},
        {"groupPermissions": 5},
        {"groupPermissions": "GET"},
        {"description": "of {{VAR-1}}"},
        {"description": "of {{}}"},
    ],
)
def test_a_template_that_cannot_be_read_is_refused(
    requests: Requests, change: dict[str, Any]
) -> None:
    # It is written by people.
    constraint = {**TEMPLATE["constraints"][0], **change}
    values = {"ROLE_NAME": "seers", "DATABASE": "plant"}
    body = {**TEMPLATE, "constraints": [constraint], "variableValues": values}
    assert requests("POST", "/auth/constraintsTemplateImport", body).status_code == 400


def test_a_stored_constraint_that_cannot_be_read_can_be_deleted(requests: Requests) -> None:
    # Its denies count, so an administrator must be able to end it.
    broken = {"constraintId": "broken", "groupPermissions": ["GET", {"groupId": "seers"}]}
    row = AuthEntity(entity_type="constraint", sk="constraint#broken", definition=broken)
    requests.service.store.put(row)
    assert requests("DELETE", "/auth/constraints/broken").status_code == 200
    assert requests("GET", "/auth/constraints/broken").status_code == 404


def test_a_change_of_a_role_leaves_what_others_change_at_the_same_time(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A new description must not take away the requirement of MFA that was just written.
    store = requests.service.store
    requests("POST", "/roles", {"roleName": "raced", "description": "of a test"})
    write = store.transact

    def raced(*writes: Any) -> Any:
        monkeypatch.setattr(store, "transact", write)
        body = {"roleName": "raced", "mfaRequired": True}
        assert requests("PUT", "/roles", body).status_code == 200
        return write(*writes)

    monkeypatch.setattr(store, "transact", raced)
    body = {"roleName": "raced", "description": "another"}
    assert requests("PUT", "/roles", body).status_code == 200
    stored = store.get(Role.key(role_name="raced"))
    assert (stored.description, stored.mfa_required) == ("another", True)
