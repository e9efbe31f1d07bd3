"""Random tables: keys of every type, local and global indexes with every projection, either billing
mode, streams.
"""

import random
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.random_values import scalar, value, wrong

# Attributes of items besides keys; `status` and `name` are reserved words.
PLAIN = ("a", "b", "c", "status", "name", "m", "l", "s")


@dataclass(frozen=True, slots=True)
class Index:
    """An index and the names of its key attributes; `sort` may be missing on a global one."""

    name: str
    hash: str
    sort: str | None
    projection: dict[str, Any]
    local: bool = False


@dataclass(slots=True)
class Table:
    """What the generator must know of a table to ask sensible questions of it."""

    name: str
    hash: str
    sort: str | None
    types: dict[str, str]
    indexes: list[Index] = field(default_factory=list[Index])
    stream: str | None = None
    provisioned: bool = False

    def key_names(self) -> list[str]:
        return [self.hash, self.sort] if self.sort else [self.hash]

    def key(self, source: random.Random) -> dict[str, Any]:
        return {name: scalar(source, self.types[name]) for name in self.key_names()}

    def item(self, source: random.Random) -> dict[str, Any]:
        """A key, most of the index keys (one in forty of a wrong type), and some other
        attributes.
        """
        made = self.key(source)
        for name, kind in self.types.items():
            if name not in made and source.random() < 0.75:
                made[name] = scalar(source, kind) if source.random() < 0.975 else value(source)
        for name in source.sample(PLAIN, source.randint(0, 5)):
            made[name] = value(source) if source.random() < 0.99 else wrong(source)
        return made

    def create_request(self) -> dict[str, Any]:
        request: dict[str, Any] = {
            "TableName": self.name,
            "AttributeDefinitions": [
                {"AttributeName": n, "AttributeType": t} for n, t in self.types.items()
            ],
            "KeySchema": key_schema(self.hash, self.sort),
        }
        for local, member in ((False, "GlobalSecondaryIndexes"), (True, "LocalSecondaryIndexes")):
            if chosen := [
                index_request(i, self.provisioned) for i in self.indexes if i.local == local
            ]:
                request[member] = chosen
        if self.provisioned:
            request["ProvisionedThroughput"] = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
        else:
            request["BillingMode"] = "PAY_PER_REQUEST"
        if self.stream:
            request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": self.stream}
        return request


def random_table(name: str, source: random.Random) -> Table:
    types = {"pk": source.choice("SSNB")}
    sort = "sk" if source.random() < 0.75 else None
    if sort:
        types["sk"] = source.choice("SSNB")
    indexes: list[Index] = []
    for number in range(source.randint(0, 2) if sort else 0):
        types[f"l{number}"] = source.choice("SNB")
        indexes.append(Index(f"local{number}", "pk", f"l{number}", _projection(source), local=True))
    for number in range(source.randint(0, 3)):
        indexes.append(random_global_index(number, types, source))
    stream = source.choice((None, "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"))
    return Table(name, "pk", sort, types, indexes, stream, provisioned=source.random() < 0.3)


def random_global_index(number: int, types: dict[str, str], source: random.Random) -> Index:
    """A global index on attributes of its own, or on a key of the table turned round. Adds what it
    needs to `types`.
    """
    hash_name, sort_name = f"g{number}", f"h{number}" if source.random() < 0.7 else None
    if "sk" in types and source.random() < 0.2:
        hash_name, sort_name = "sk", "pk"
    for name in filter(None, (hash_name, sort_name)):
        types.setdefault(name, source.choice("SSNB"))
    return Index(f"global{number}", hash_name, sort_name, _projection(source))


def index_request(index: Index, provisioned: bool) -> dict[str, Any]:
    request = {
        "IndexName": index.name,
        "KeySchema": key_schema(index.hash, index.sort),
        "Projection": index.projection,
    }
    if provisioned and not index.local:
        request["ProvisionedThroughput"] = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    return request


def key_schema(hash_name: str, sort_name: str | None) -> list[dict[str, str]]:
    schema = [{"AttributeName": hash_name, "KeyType": "HASH"}]
    return schema + ([{"AttributeName": sort_name, "KeyType": "RANGE"}] if sort_name else [])


def _projection(source: random.Random) -> dict[str, Any]:
    kind = source.choice(("ALL", "KEYS_ONLY", "INCLUDE"))
    if kind == "INCLUDE":
        return {
            "ProjectionType": kind,
            "NonKeyAttributes": sorted(source.sample(PLAIN, source.randint(1, 3))),
        }
    return {"ProjectionType": kind}
