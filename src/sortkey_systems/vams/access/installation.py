"""What a new installation has: roles, constraints, users, the feature switch and one bucket.

It is written once. What an administrator deletes or changes later stays as it is.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sortkey import Entity
from sortkey.errors import NotConfigured
from sortkey.systems import Resources
from sortkey_systems.vams.access.callers import SYSTEM_USER
from sortkey_systems.vams.access.control import change_mark
from sortkey_systems.vams.access.credentials import Credentials, new_password
from sortkey_systems.vams.access.definitions import (
    ConstraintDefinition,
    CriterionValue,
    GroupPermission,
)
from sortkey_systems.vams.access.objects import OBJECT_CLASSES, VERBS, Verb
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.model import (
    AppFeatureEnabled,
    AuthEntity,
    Role,
    S3AssetBucket,
    User,
    UserRole,
)

ADMIN_VARIABLE = "SORTKEY_VAMS_ADMIN"
ADMIN_DEFAULT = "admin@example.com"
ADMIN_ROLE = "admin"
READER_ROLE = "basicReadOnly"
BUCKET_NAME = "vams-assets"
FEATURE = "AUTHPROVIDER_COGNITO"
_USER_ID = re.compile(r"[\w\-.+@]{3,256}")
_MARK = AuthEntity.key(entity_type="installation", sk="seeds")

ADMIN_FIELDS = {
    "api": "route__path",
    "web": "route__path",
    "tag": "tagName",
    "tagType": "tagTypeName",
    "role": "roleName",
    "userRole": "roleName",
}
"""The field of the administrator's criterion; databaseId for the others."""
READER_PAGES = ("/assets", "/databases", "/pipelines", "/search", "/workflows")
READER_GETS = (
    "/secure-config",
    "/api/amplify-config",
    "/auth/routes",
    "/auth/loginProfile",
    "/asset-links",
    "/comments",
    "/database",
    "/assets",
    "/metadata",
    "/metadataschema",
    "/pipelines",
    "/search",
    "/subscriptions",
    "/check-subscription",
    "/tags",
    "/tag-types",
    "/workflows",
    "/buckets",
)
READER_POSTS = ("/auth/routes", "/search", "/check-subscription")
READER_OBJECTS = ("database", "asset", "pipeline", "workflow", "metadataSchema", "tag", "tagType")


@dataclass(frozen=True, slots=True)
class Pool:
    """The names of the login service in the configuration of clients."""

    pool_id: str
    client_id: str


class Installation:
    """The seeds of an installation on the resources of a host."""

    def __init__(self, resources: Resources, credentials: Credentials) -> None:
        self._store = resources.store
        self._credentials = credentials
        names = resources.derive_secret("pool names").hex()
        self.pool = Pool(f"us-east-1_{names[:9]}", names[9:35])
        self.admin = os.environ.get(ADMIN_VARIABLE, ADMIN_DEFAULT)
        if not _USER_ID.fullmatch(self.admin):
            raise NotConfigured(
                f"{ADMIN_VARIABLE} must be a user id: 3 to 256 letters, digits, - . + _ or @"
            )

    def ensure(self) -> None:
        """Write the seeds, unless they were written. The mark is written last, so that what was
        interrupted is done again.
        """
        if self._store.find(_MARK, consistent=True) is not None:
            return
        now = now_text()
        definitions = [*admin_constraints(), *reader_constraints()]
        rows: list[Entity] = [
            *_principals(self.admin, now),
            AppFeatureEnabled(feature_name=FEATURE),
        ]
        for definition in definitions:
            rows += [definition.head(), *definition.rows()]
        if not self._store.scan(S3AssetBucket):
            rows.append(S3AssetBucket(bucket_id=str(uuid.uuid4()), bucket_name=BUCKET_NAME))
        self._store.batch_write(rows)
        self._store.batch_write(
            [change_mark().entity, AuthEntity(entity_type="installation", sk="seeds")]
        )

    def offer_login(self) -> str:
        """How to sign in, with the administrator's password if it was just made: it is shown once
        and stored as a hash.
        """
        if self._credentials.find(self.admin) is not None:
            return f"sign in as {self.admin}; `sortkey vams password USER` sets another password"
        password = new_password()
        self._credentials.set(self.admin, password)
        return f"administrator {self.admin}, password {password} (shown only now)"


def _principals(admin: str, now: str) -> Iterator[Entity]:
    for name, description in (
        (ADMIN_ROLE, "System Administrator"),
        (READER_ROLE, "Read-only access to assets without downloads"),
    ):
        yield Role(
            role_name=name,
            id=str(uuid.uuid4()),
            description=description,
            created_on=now,
            source="INTERNAL_SYSTEM",
            mfa_required=False,
        )
    for user_id in (SYSTEM_USER, admin):
        yield User(
            user_id=user_id,
            email=user_id if "@" in user_id else None,
            user_status="CONFIRMED",
            enabled=True,
            user_create_date=now,
            user_last_modified_date=now,
        )
        yield UserRole(user_id=user_id, role_name=ADMIN_ROLE, created_on=now)


def admin_constraints() -> Iterator[ConstraintDefinition]:
    """Everything, for the role admin: one constraint per object type."""
    for object_type in OBJECT_CLASSES:
        name = ADMIN_FIELDS.get(object_type, "databaseId")
        yield _constraint(ADMIN_ROLE, object_type, "all", VERBS, [(name, "contains", ".*")])


def reader_constraints() -> Iterator[ConstraintDefinition]:
    """Reading, for the role basicReadOnly. It cannot download: that is a POST."""
    paths = "route__path"
    for object_type, suffix, verb, under in (
        ("web", "get", "GET", READER_PAGES),
        ("api", "get", "GET", READER_GETS),
        ("api", "post", "POST", READER_POSTS),
    ):
        criteria = [(paths, "starts_with", path) for path in under]
        yield _constraint(READER_ROLE, object_type, suffix, [verb], criteria)
    for object_type in READER_OBJECTS:
        name = ADMIN_FIELDS.get(object_type, "databaseId")
        yield _constraint(READER_ROLE, object_type, "get", ["GET"], [(name, "contains", ".*")])


def _constraint(
    role: str,
    object_type: str,
    suffix: str,
    verbs: Sequence[str],
    criteria: Sequence[tuple[str, str, str]],
) -> ConstraintDefinition:
    values = [CriterionValue.model_validate(_criterion(*each)) for each in criteria]
    return ConstraintDefinition(
        constraintId=f"{role}-{object_type}-{suffix}",
        name=f"{role}-{object_type}-{suffix}",
        description=f"{role}: {', '.join(verbs)} on {object_type}",
        objectType=object_type,
        criteriaAnd=values if len(values) == 1 else [],
        criteriaOr=values if len(values) > 1 else [],
        groupPermissions=[
            GroupPermission(groupId=role, permission=_verb(verb), permissionType="allow")
            for verb in verbs
        ],
    )


def _criterion(field: str, operator: str, value: str) -> dict[str, str]:
    return {"field": field, "operator": operator, "value": value}


def _verb(name: str) -> Verb:
    return next(verb for verb in VERBS if verb == name)
