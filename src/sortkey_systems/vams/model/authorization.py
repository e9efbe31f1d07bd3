"""Authorization tables: constraints, auth entities, roles, users and API keys."""

from typing import Annotated, Any

from pydantic import Field

from sortkey import GSI, Entity, KeyOnly, Table, camel, index, key, query
from sortkey_systems.vams.model.identifiers import Identifier, ObjectType, RoleName, UserId

constraints_storage = Table(
    "ConstraintsStorageTable",
    key=("constraintId",),
    indexes=[
        GSI("GroupPermissionsIndex", "groupId", "objectType", projection="ALL"),
        GSI("UserPermissionsIndex", "userId", "objectType", projection="ALL"),
        GSI("ObjectTypeIndex", "objectType", "constraintId", projection="ALL"),
    ],
    doc="Stores constraints: what a group or a user may do with objects of a type.",
)

auth_entities_storage = Table(
    "AuthEntitiesStorageTable",
    key=("entityType", "sk"),
    doc="Stores auth entities by their type.",
)

roles_storage = Table("RolesStorageTable", key=("roleName",), doc="Stores roles.")

user_roles_storage = Table(
    "UserRolesStorageTable", key=("userId", "roleName"), doc="Stores which user has which role."
)

user_storage = Table("UserStorageTable", key=("userId",), doc="Stores users.")

api_key_storage = Table(
    "ApiKeyStorageTable",
    key=("apiKeyId",),
    indexes=[
        GSI("apiKeyHashIndex", "apiKeyHash", projection="ALL"),
        GSI("userIdIndex", "userId", "apiKeyId", projection="ALL"),
    ],
    doc="Stores API keys: their hashes, never the keys.",
)


class Constraint(Entity, table=constraints_storage, names=camel):
    """A constraint as one group or one user has it.

    An index has one entry per item, so a constraint is stored as one item for each of its groups
    and users: `<id>#group#<groupId>`, `<id>#user#<userId>`. Readers merge items with the same
    `constraint_id`.
    """

    constraint_id: Annotated[KeyOnly[Identifier], Field(examples=["edit-plant"])]
    object_type: ObjectType
    name: str | None = None
    description: str | None = None
    criteria_and: list[dict[str, Any]] | None = None
    criteria_or: list[dict[str, Any]] | None = None
    permissions: list[dict[str, str]] | None = None
    """`permission` (a verb) and `permissionType`, of this group or user."""


class GroupConstraint(Constraint):
    """A constraint as a group has it."""

    group_id: RoleName

    @key("{constraintId}#group#{groupId}")
    def key(*, constraint_id: str, group_id: str):
        """A constraint of a group."""

    @index("GroupPermissionsIndex", "{groupId}", "{objectType}")
    def of_group(*, group_id: str, object_type: str | None = None):
        """Permissions of a group, on all types of objects or one."""

    @index("ObjectTypeIndex", "{objectType}", "{constraintId}#group#{groupId}")
    def of_object_type(*, object_type: str, constraint_id: str | None = None):
        """Constraints on a type of objects, of groups."""


class UserConstraint(Constraint):
    """A constraint as a user has it."""

    user_id: UserId

    @key("{constraintId}#user#{userId}")
    def key(*, constraint_id: str, user_id: str):
        """A constraint of a user."""

    @index("UserPermissionsIndex", "{userId}", "{objectType}")
    def of_user(*, user_id: str, object_type: str | None = None):
        """Permissions of a user, on all types of objects or one."""

    @index("ObjectTypeIndex", "{objectType}", "{constraintId}#user#{userId}")
    def of_object_type(*, object_type: str, constraint_id: str | None = None):
        """Constraints on a type of objects, of users."""


class AuthEntity(Entity, table=auth_entities_storage, names=camel):
    """An auth entity: the definition of a constraint, a login, the mark of the latest change."""

    entity_type: Annotated[str, Field(examples=["constraint"])]
    sk: Annotated[str, Field(examples=["constraint#edit-plant"])]
    definition: dict[str, Any] | None = None
    """What it is, by its type. Never a secret that could be used as it is stored."""

    @key("{entityType}", "{sk}")
    def key(*, entity_type: str, sk: str):
        """An auth entity."""

    @query(key)
    def of_type(*, entity_type: str):
        """Auth entities of a type."""


class Role(Entity, table=roles_storage, names=camel):
    """A role."""

    role_name: RoleName
    id: str | None = None
    description: str | None = None
    created_on: str | None = None
    source: str | None = None
    source_identifier: str | None = None
    mfa_required: bool | None = None

    @key("{roleName}")
    def key(*, role_name: str):
        """A role by its name."""


class UserRole(Entity, table=user_roles_storage, names=camel):
    """A role that a user has."""

    user_id: UserId
    role_name: RoleName
    created_on: str | None = None

    @key("{userId}", "{roleName}")
    def key(*, user_id: str, role_name: str):
        """Whether a user has a role."""

    @query(key)
    def of_user(*, user_id: str):
        """Roles of a user."""


class User(Entity, table=user_storage, names=camel):
    """A user."""

    user_id: UserId
    email: str | None = None
    phone: str | None = None
    user_status: str | None = None
    enabled: bool | None = None
    user_create_date: str | None = None
    user_last_modified_date: str | None = None
    mfa_enabled: bool | None = None

    @key("{userId}")
    def key(*, user_id: str):
        """A user."""


class ApiKey(Entity, table=api_key_storage, names=camel):
    """An API key that acts for a user. The key itself is shown once and never stored."""

    api_key_id: Annotated[Identifier, Field(examples=["key-notebook"])]
    api_key_hash: Annotated[
        str, Field(examples=["3a935bb411e3d0499f2e0badff25da50a5864cc831f85cc01db1f42bc7913809"])
    ]
    user_id: UserId
    api_key_name: str | None = None
    description: str | None = None
    created_by: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    expires_at: str | None = None
    is_active: str | None = None
    """"true" or "false", as clients send and read it."""

    @key("{apiKeyId}")
    def key(*, api_key_id: str):
        """An API key by its id."""

    @index("apiKeyHashIndex", "{apiKeyHash}")
    def by_hash(*, api_key_hash: str):
        """The API key with a hash: whom a caller acts for."""

    @index("userIdIndex", "{userId}", "{apiKeyId}")
    def of_user(*, user_id: str, api_key_id: str | None = None):
        """API keys of a user."""
