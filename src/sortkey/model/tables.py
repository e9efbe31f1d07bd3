"""Tables and indexes as DynamoDB knows them, and the requests that make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from sortkey.errors import ModelError

if TYPE_CHECKING:
    from sortkey.model.entity import Entity

Projection = Literal["ALL", "KEYS_ONLY"] | tuple[str, ...]
Scalar = Literal["S", "N", "B"]
StreamView = Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]
Billing = Literal["PAY_PER_REQUEST", "PROVISIONED"]
PRIMARY = None
"""The name of a table's own key in places that name an index."""


@dataclass(frozen=True, slots=True)
class GSI:
    """A global secondary index: another key over the items that have its attributes."""

    name: str
    partition: str
    sort: str | None = None
    projection: Projection = "ALL"
    doc: str = ""


@dataclass(frozen=True, slots=True)
class LSI:
    """A local secondary index: another sort key under the table's own partition key."""

    name: str
    sort: str
    projection: Projection = "ALL"
    doc: str = ""


@dataclass(frozen=True, slots=True)
class KeyAttributes:
    """The names of the attributes that make a key."""

    partition: str
    sort: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.partition,) if self.sort is None else (self.partition, self.sort)


@dataclass(frozen=True, eq=False)
class Table:
    """One DynamoDB table. `types` names the key attributes that are not text; `entities` are those
    declared on it.

    `kms` is True for encryption with the AWS managed key, or the id or alias of a customer managed
    key.
    """

    name: str
    key: tuple[str] | tuple[str, str]
    indexes: Sequence[GSI | LSI] = ()
    types: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    ttl: str | None = None
    stream: StreamView | None = None
    pitr: bool = True
    deletion_protection: bool = False
    billing: Billing = "PAY_PER_REQUEST"
    kms: bool | str = False
    kind_attribute: str = "EntityType"
    doc: str = ""
    entities: list[type[Entity]] = field(default_factory=list["type[Entity]"], repr=False)

    def __post_init__(self) -> None:
        names = [index.name for index in self.indexes]
        if len(set(names)) < len(names):
            raise ModelError(f"table {self.name}: two indexes have the same name")

    def add(self, entity: type[Entity]) -> None:
        """Register an entity of the table. A class that is defined again replaces itself."""
        kind = entity.__layout__.kind
        for number, other in enumerate(self.entities):
            if (other.__module__, other.__qualname__) == (entity.__module__, entity.__qualname__):
                self.entities[number] = entity
                return
            if kind is not None and other.__layout__.kind == kind:
                raise ModelError(
                    f"{entity.__name__} and {other.__name__} are both of the kind {kind!r}: give "
                    "one kind="
                )
        self.entities.append(entity)

    def index(self, name: str) -> GSI | LSI:
        for index in self.indexes:
            if index.name == name:
                return index
        known = ", ".join(index.name for index in self.indexes) or "none"
        raise ModelError(f"table {self.name} has no index {name!r}; it has: {known}")

    def key_attributes(self, index: str | None = PRIMARY) -> KeyAttributes:
        """The key of the table, or of one of its indexes."""
        if index is None:
            return KeyAttributes(*self.key)
        declared = self.index(index)
        return KeyAttributes(
            self.key[0] if isinstance(declared, LSI) else declared.partition, declared.sort
        )

    def type_of(self, attribute: str) -> Scalar:
        return self.types.get(attribute, "S")

    def definition(self, kms: str | None = None) -> dict[str, Any]:
        """The CreateTable request. `kms` overrides the table's setting. TTL and point-in-time
        recovery need separate requests.
        """
        keys = [self.key_attributes(), *(self.key_attributes(index.name) for index in self.indexes)]
        names = dict.fromkeys(name for key in keys for name in key.names)
        request: dict[str, Any] = {
            "TableName": self.name,
            "AttributeDefinitions": [
                {"AttributeName": n, "AttributeType": self.type_of(n)} for n in names
            ],
            "KeySchema": _key_schema(self.key_attributes()),
            "BillingMode": self.billing,
        }
        for kind, member in ((GSI, "GlobalSecondaryIndexes"), (LSI, "LocalSecondaryIndexes")):
            described = [
                self.index_definition(index) for index in self.indexes if type(index) is kind
            ]
            if described:
                request[member] = described
        if self.billing == "PROVISIONED":
            request["ProvisionedThroughput"] = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
        if self.stream:
            request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": self.stream}
        if self.deletion_protection:
            request["DeletionProtectionEnabled"] = True
        if chosen := kms or self.kms:
            request["SSESpecification"] = {"Enabled": True, "SSEType": "KMS"}
            if isinstance(chosen, str):
                request["SSESpecification"]["KMSMasterKeyId"] = chosen
        return request

    def index_definition(self, index: GSI | LSI) -> dict[str, Any]:
        """One index, as CreateTable and UpdateTable describe it."""
        described: dict[str, Any] = {
            "IndexName": index.name,
            "KeySchema": _key_schema(self.key_attributes(index.name)),
            "Projection": _projection(index.projection),
        }
        if self.billing == "PROVISIONED" and isinstance(index, GSI):
            described["ProvisionedThroughput"] = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
        return described


def _key_schema(key: KeyAttributes) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": kind}
        for name, kind in zip(key.names, ("HASH", "RANGE"), strict=False)
    ]


def _projection(projection: Projection) -> dict[str, Any]:
    if isinstance(projection, tuple):
        return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(projection)}
    return {"ProjectionType": projection}
