"""Whether a text is a resource policy, by the published part of IAM's grammar. Policies are not
evaluated.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, Final, cast

from sortkey.engine.not_offered import REASONS
from sortkey.engine.operations import OPERATIONS, STREAM_OPERATIONS
from sortkey.errors import ValidationException
from sortkey.values.attributes import INVALID
from sortkey.values.json_documents import read_document

POLICY_BYTES_MAX = 20 * 1024
VERSIONS = ("2008-10-17", "2012-10-17")
PRINCIPALS = ("AWS", "Service", "Federated", "CanonicalUser")
SERVICES = ("redshift.amazonaws.com", "glue.amazonaws.com", "replication.dynamodb.amazonaws.com")
"""The services that a table's policy can allow."""

OF_NO_TABLE: Final = frozenset(
    {
        *(
            "CreateTable",
            "ListTables",
            "ListStreams",
            "ListGlobalTables",
            "DescribeLimits",
            "DescribeEndpoints",
        ),
        *(
            "DescribeBackup",
            "DeleteBackup",
            "ListBackups",
            "ImportTable",
            "DescribeImport",
            "ListImports",
        ),
    }
)
"""Operations on an account, a backup or an import, which have no policies. Exports belong to their
table.
"""
WITHOUT_OPERATION: Final = frozenset(
    {
        *("ConditionCheckItem", "PartiQLDelete", "PartiQLInsert", "PartiQLSelect", "PartiQLUpdate"),
        *("CreateTableReplica", "DeleteTableReplica", "AssociateTableReplica", "ReplicateSettings"),
        *(
            "ReadDataForReplication",
            "WriteDataForReplication",
            "StartAwsBackupJob",
            "RestoreTableFromAwsBackup",
        ),
        *("InjectError", "GetAbacStatus", "UpdateAbacStatus"),
    }
)
"""Actions that IAM knows and the API does not."""


def check(policy: str, *, stream: bool = False) -> None:
    """Refuse an invalid policy of a table or a stream."""
    if len(policy.encode()) > POLICY_BYTES_MAX:
        raise ValidationException(
            f"{INVALID}Maximum policy size of {POLICY_BYTES_MAX} bytes exceeded"
        )
    try:
        document: Any = read_document(policy.encode())
    except ValueError:
        raise _malformed("This policy contains invalid Json") from None
    if document is None:
        raise _malformed("This text appears not to be a policy")
    if not isinstance(document, dict):
        raise _malformed("This policy contains invalid Json")
    members = cast("dict[str, Any]", document)
    if members.get("Version", VERSIONS[0]) not in VERSIONS:
        raise _malformed("The policy must contain a valid version string")
    statements = _statements(members)
    for statement in statements:
        _check_statement(statement)
    sids = [entry["Sid"] for entry in statements if "Sid" in entry]
    if len(set(sids)) < len(sids):
        raise _malformed("The Statement Ids in the policy are not unique")
    _check_actions(statements, _actions(stream))


def _statements(document: dict[str, Any]) -> list[dict[str, Any]]:
    if "Statement" not in document:
        raise _malformed("Syntax error at position (1,3)")
    content = document["Statement"]
    statements: list[Any] = cast("list[Any]", content) if isinstance(content, list) else [content]
    if not statements:
        raise _malformed("Could not parse the policy: Statement is empty!")
    for statement in statements:
        for name in ("Effect", "Principal", "Action", "Resource"):
            if not isinstance(statement, dict) or not (
                name in statement or f"Not{name}" in statement
            ):
                raise _malformed(f"Missing required field {name}")
    return statements


def _check_statement(statement: dict[str, Any]) -> None:
    """Check the types of a statement's values against IAM's grammar."""
    if statement.get("Effect") not in ("Allow", "Deny"):
        raise _malformed(f"Invalid effect: {statement.get('Effect')}")
    for name in ("Action", "NotAction", "Resource", "NotResource"):
        if name in statement and not _is_text(statement[name]):
            raise _malformed(f"Syntax error in {name}")
    for name in ("Principal", "NotPrincipal"):
        if name in statement and not _is_principal(statement[name]):
            raise _malformed("Invalid principal in policy")
    who: Any = statement.get("Principal")
    if isinstance(who, dict) and any(
        entry not in SERVICES for entry in _texts(cast("Any", who).get("Service", []))
    ):
        raise _malformed("Policy contains invalid service principal")
    if not isinstance(statement.get("Sid", ""), str) or not isinstance(
        statement.get("Condition", {}), dict
    ):
        raise _malformed("Syntax error in a statement")


def _is_principal(who: Any) -> bool:
    if not isinstance(who, dict):
        return who == "*"
    members = cast("dict[str, Any]", who)
    return bool(members) and all(kind in PRINCIPALS and _is_text(members[kind]) for kind in members)


def _is_text(value: Any) -> bool:
    """A text, or a list of texts."""
    texts = _texts(value)
    return bool(texts) and all(isinstance(text, str) and text for text in texts)


def _texts(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _check_actions(statements: list[dict[str, Any]], known: set[str]) -> None:
    """Refuse actions on other resources. A pattern may match any number of actions."""
    actions = [
        action
        for statement in statements
        for name in ("Action", "NotAction")
        for action in _texts(statement.get(name, []))
    ]
    wrong = [f'"{action}"' for action in dict.fromkeys(actions) if not _is_action(action, known)]
    if wrong:
        raise _malformed(f"The following action names are invalid: {', '.join(wrong)}")


def _is_action(name: str, known: set[str]) -> bool:
    service, _, action = name.lower().partition(":")
    return name == "*" or (
        service == "dynamodb" and any(fnmatchcase(name_known, action) for name_known in known)
    )


def _actions(stream: bool) -> set[str]:
    known = {*OPERATIONS, *REASONS, *WITHOUT_OPERATION} - OF_NO_TABLE
    return {name.lower() for name in (known if stream else known - STREAM_OPERATIONS)}


def _malformed(why: str) -> ValidationException:
    return ValidationException(f"{INVALID}Invalid policy document: {why}")
