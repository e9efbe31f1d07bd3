"""Whether keys, attribute definitions and projections of a new table or index are consistent, with
AWS's messages and order.

Shapes were checked before. CreateTable, ImportTable and UpdateTable's new indexes use this module.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sortkey.engine.shapes import java
from sortkey.engine.tables import IndexKind, KeySchema, Table
from sortkey.errors import ValidationException
from sortkey.values.attributes import INVALID

LSI_MAX = 5
GSI_MAX = 20
GSI_SIDE_MAX = 4  # attributes per side of an index key
NON_KEY_MAX = 100  # over all indexes of a table, counting an attribute of two indexes twice

SAME_NAME = "Both the Hash Key and the Range Key element in the KeySchema have the same name"
FIRST_NOT_HASH = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
SECOND_NOT_RANGE = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
WRONG_ORDER = INVALID + "All HASH key attributes must precede RANGE key attributes in the KeySchema"
SAME_NAMES = "The KeySchema contains multiple key attributes with the same name"
NO_DEFINITION = "Invalid KeySchema: Some index key attribute have no definition"
NO_TABLE_RANGE = (
    INVALID
    + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
)
NUMBER_MISMATCH = (
    INVALID
    + "Number of attributes in KeySchema does not exactly match number of attributes defined in "
    "AttributeDefinitions"
)

Elements = list[dict[str, str]]
Definitions = dict[str, str]


def check_table(request: dict[str, Any]) -> Definitions:
    """Check everything in CreateTable about keys and indexes. Returns the attributes' types."""
    definitions = read_definitions(request["AttributeDefinitions"])
    schema: Elements = request["KeySchema"]
    _check_table_keys(schema, definitions)
    local, wide = request.get("LocalSecondaryIndexes"), request.get("GlobalSecondaryIndexes")
    if local is None and wide is None and len(schema) != len(definitions):
        raise ValidationException(NUMBER_MISMATCH)
    _check_all_used(definitions, schema, [*(local or ()), *(wide or ())])
    names: set[str] = set()
    if local is not None:
        _check_local(local, schema, definitions, names)
    if wide is not None:
        _check_global(wide, definitions, names)
    check_non_key_total(index["Projection"] for index in (*(local or ()), *(wide or ())))
    return definitions


def read_definitions(definitions: list[dict[str, str]]) -> Definitions:
    types: Definitions = {}
    for definition in definitions:
        name = definition["AttributeName"]
        if name in types:
            raise ValidationException(f"Attribute Name is duplicated: {name}")
        types[name] = definition["AttributeType"]
    return types


def check_index(kind: IndexKind, index: dict[str, Any], definitions: Definitions) -> None:
    """Check one index: its keys are defined and in order, and it has a projection."""
    schema: Elements = index["KeySchema"]
    _check_defined(schema, definitions)
    if kind == "LSI" or (len(schema) <= 2 and schema[-1]["KeyType"] == "RANGE"):
        _check_pair(schema)
    else:
        _check_many(schema)
    if kind == "LSI" and len(schema) < 2:
        raise ValidationException(
            f"{INVALID}Index KeySchema does not have a range key for index: {index['IndexName']}"
        )


def check_projection(projection: dict[str, Any]) -> None:
    kind, attributes = projection.get("ProjectionType"), projection.get("NonKeyAttributes")
    if kind is None:
        raise ValidationException(INVALID + "Unknown ProjectionType: null")
    if kind != "INCLUDE":
        if attributes is not None:
            raise ValidationException(
                f"{INVALID}ProjectionType is {kind}, but NonKeyAttributes is specified"
            )
        return
    if attributes is None:
        raise ValidationException(
            INVALID + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"
        )
    if len(set(attributes)) < len(attributes):
        twice = next(name for place, name in enumerate(attributes) if name in attributes[:place])
        raise ValidationException(f"{INVALID}Duplicate element in NonKeyAttributes: {twice}")


def check_non_key_total(projections: Iterable[dict[str, Any]]) -> None:
    total = sum(len(projection.get("NonKeyAttributes") or ()) for projection in projections)
    if total > NON_KEY_MAX:
        raise ValidationException(
            f"{INVALID}Number of NonKeyAttributes across all secondary indexes exceeds per-table "
            f"limit of {NON_KEY_MAX}"
        )


def check_not_redefined(table: Table, new: KeySchema, definitions: Definitions) -> None:
    """Refuse another type for an attribute that is a key already, used here or not: items are
    checked against it.
    """
    for name in dict.fromkeys((*new.names, *definitions)):
        if table.types.get(name, definitions[name]) != definitions[name]:
            holder = next(
                key for key in (table.key, *(i.key for i in table.indexes)) if name in key.names
            )
            new = new if name in new.names else holder
            raise ValidationException(
                f"{INVALID}Attributes cannot be redefined. Please check that your attribute has "
                "the same type as "
                f"previously defined. Existing schema: {_schema_text(holder, table.types)} "
                f"New schema: {_schema_text(new, {**table.types, **definitions})}"
            )


def _check_table_keys(schema: Elements, definitions: Definitions) -> None:
    if len(schema) > len(definitions):
        raise ValidationException(NO_DEFINITION)
    _check_defined(schema, definitions)
    _check_pair(schema)


def _check_local(
    indexes: list[dict[str, Any]], schema: Elements, definitions: Definitions, names: set[str]
) -> None:
    if not indexes:
        raise ValidationException(INVALID + "List of LocalSecondaryIndexes is empty")
    if len(schema) < 2:
        raise ValidationException(NO_TABLE_RANGE)
    for index in indexes:
        check_index("LSI", index, definitions)
        own, tables = index["KeySchema"][0]["AttributeName"], schema[0]["AttributeName"]
        if own != tables:
            raise ValidationException(
                f"{INVALID}Index KeySchema does not have the same leading hash key as table "
                "KeySchema for index: "
                f"{index['IndexName']}. index hash key: {own}, table hash key: {tables}"
            )
        check_projection(index["Projection"])
        _claim(index["IndexName"], names)
    if len(indexes) > LSI_MAX:
        raise ValidationException(
            f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of {LSI_MAX}"
        )


def _check_global(indexes: list[dict[str, Any]], definitions: Definitions, names: set[str]) -> None:
    if not indexes:
        raise ValidationException(INVALID + "List of GlobalSecondaryIndexes is empty")
    for index in indexes:
        check_index("GSI", index, definitions)
        check_projection(index["Projection"])
        _claim(index["IndexName"], names)
    if len(indexes) > GSI_MAX:
        raise ValidationException(
            f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of {GSI_MAX}"
        )


def _claim(name: str, names: set[str]) -> None:
    if name in names:
        raise ValidationException(f"{INVALID}Duplicate index name: {name}")
    names.add(name)


def _check_defined(schema: Elements, definitions: Definitions) -> None:
    names = [element["AttributeName"] for element in schema]
    if any(name not in definitions for name in names):
        raise ValidationException(
            f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(names)}], AttributeDefinitions: {_names_text(definitions)}"
        )


def _check_pair(schema: Elements) -> None:
    """A hash key, and optionally a range key after it."""
    if len(schema) > 1 and schema[0]["AttributeName"] == schema[1]["AttributeName"]:
        raise ValidationException(SAME_NAME)
    if schema[0]["KeyType"] != "HASH":
        raise ValidationException(FIRST_NOT_HASH)
    if len(schema) > 1 and schema[1]["KeyType"] != "RANGE":
        raise ValidationException(SECOND_NOT_RANGE)


def _check_many(schema: Elements) -> None:
    """The keys of a GSI: up to four hash attributes, then up to four range attributes."""
    names = [element["AttributeName"] for element in schema]
    if len(set(names)) < len(names):
        raise ValidationException(SAME_NAMES)
    if schema[0]["KeyType"] != "HASH":
        raise ValidationException(FIRST_NOT_HASH)
    types = [element["KeyType"] for element in schema]
    if types != sorted(types):  # HASH sorts before RANGE
        raise ValidationException(WRONG_ORDER)
    for side in ("HASH", "RANGE"):
        if types.count(side) > GSI_SIDE_MAX:
            raise ValidationException(
                f"{INVALID}The KeySchema exceeds the maximum allowed number of {side} key "
                "attributes"
            )


def _check_all_used(
    definitions: Definitions, schema: Elements, indexes: list[dict[str, Any]]
) -> None:
    """AWS checks this before anything else about the indexes, if their keys are defined at all."""
    schemas = [schema, *(index["KeySchema"] for index in indexes)]
    used = dict.fromkeys(element["AttributeName"] for elements in schemas for element in elements)
    if indexes and len(used) < len(definitions) and used.keys() <= definitions.keys():
        raise ValidationException(
            f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: "
            f"{_names_text(definitions)}, "
            f"keys used: [{', '.join(java.hashed(tuple(used), 16))}]"
        )


def _names_text(definitions: Definitions) -> str:
    """The names in the order of a Java set with that capacity."""
    count = len(definitions)
    return f"[{', '.join(java.hashed(tuple(definitions), count + 1 if count < 3 else int(count / 0.75 + 1)))}]"


def _schema_text(key: KeySchema, types: Definitions) -> str:
    sides = [(name, "HASH") for name in key.hash] + [(name, "RANGE") for name in key.range]
    elements = (f"SchemaElement: key{{{name}:{types[name]}:{side}}}" for name, side in sides)
    return f"Schema:[{', '.join(elements)}]"
