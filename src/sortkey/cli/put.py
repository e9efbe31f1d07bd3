"""`sortkey put`: stores items from JSON, validated by an entity of a model."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from sortkey.commands.completion import complete_entities
from sortkey.commands.failure import FAILED, USAGE, CommandFailed
from sortkey.commands.help import examples
from sortkey.commands.models import find_entity
from sortkey.commands.options import Data, Json, bucket_address, check_address, open_store
from sortkey.commands.output import print_json, progress

if TYPE_CHECKING:
    from sortkey.model.entity import Entity
    from sortkey.runtime.store import Store

EXAMPLES = examples(
    "sortkey put shop:Order order.json",
    "sortkey put shop:Order < order.json",
    "sortkey put shop.model:model:Order orders.jsonl --create",
    "sortkey put shop:Order order.json --dry-run",
)
_TYPES = frozenset(("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"))


def run(
    entity: Annotated[
        str,
        typer.Argument(
            metavar="MODEL:ENTITY",
            help="An entity of a model, such as shop:Order.",
            autocompletion=complete_entities,
        ),
    ],
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="JSON or JSON Lines; - is standard input.")
    ] = "-",
    data: Data = "data",
    create: Annotated[
        bool, typer.Option("--create", help="Fail if an item with the same key exists.")
    ] = False,
    ensure: Annotated[
        bool, typer.Option("--ensure", help="Create the table if it does not exist.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Validate the items; store nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Store items of one entity: a JSON object, a list of objects, or an object on each line.

    Items have the fields of the entity, or its stored attributes, plain or as DynamoDB JSON. All
    are validated before the first is stored. The entity computes keys and index keys.
    """
    kind = find_entity(entity)
    objects = enumerate(_objects(_text(file)), 1)
    entities = [_entity(kind, item, number) for number, item in objects]
    stored = entities if dry_run else _store(kind, entities, data, create=create, ensure=ensure)
    if json:
        print_json([item.model_dump(mode="json", exclude_none=True) for item in stored])
        return
    verb = "would store" if dry_run else "stored"
    for item in stored:
        print(f"{verb} {_key(item)}")


def _text(file: str) -> str:
    if file == "-":
        if sys.stdin.isatty():
            print("reading JSON from the keyboard: Ctrl-D ends it, Ctrl-C cancels", file=sys.stderr)
        return sys.stdin.read()
    try:
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except OSError as error:
        raise CommandFailed(f"cannot read {file}: {error.strerror}", USAGE) from None


def _objects(text: str) -> list[dict[str, Any]]:
    """JSON, or JSON Lines."""
    import json

    try:
        value: Any = json.loads(text)
        items: list[Any] = cast(list[Any], value) if isinstance(value, list) else [value]
    except ValueError as error:
        try:
            # Not splitlines(), which also splits at characters that JSON strings may contain.
            items = [json.loads(line) for line in text.split("\n") if line.strip()]
        except ValueError:
            raise CommandFailed(f"not valid JSON: {error}", FAILED) from None
    if not items:
        raise CommandFailed(
            "the input has no items: give a file, or JSON on standard input", FAILED
        )
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            raise CommandFailed(f"item {number} is not a JSON object: {item!r:.60}", FAILED)
    return items


def _entity(kind: type[Entity], fields: dict[str, Any], number: int) -> Entity:
    from pydantic import ValidationError

    from sortkey.errors import InvalidItem, SortkeyError
    from sortkey.model.codec import encode

    try:
        if _is_dynamodb_json(fields):
            return kind.from_item(fields)
        is_stored_form = (
            kind.__layout__.table.key[0] in fields.keys() - kind.__layout__.places.keys()
        )
        if is_stored_form:
            return kind.from_item({name: encode(value) for name, value in fields.items()})
        return kind.model_validate(fields)
    except ValidationError as error:
        raise CommandFailed(
            f"item {number} is not a valid {kind.__name__}: {_problems(error)}", FAILED
        ) from error
    except InvalidItem as error:
        inner = error.__cause__
        problems = _problems(inner) if isinstance(inner, ValidationError) else str(inner or error)
        raise CommandFailed(
            f"item {number} is not a valid {kind.__name__}: {problems}", FAILED
        ) from error
    except SortkeyError as error:
        raise CommandFailed(f"item {number}: {error}", FAILED) from error


def _problems(error: Any) -> str:
    """Every field that is wrong, in one line."""
    return "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'item'}: {problem['msg']}"
        for problem in error.errors()
    )


def _is_dynamodb_json(fields: Mapping[str, Any]) -> bool:
    typed = [cast(dict[str, Any], value) for value in fields.values() if isinstance(value, dict)]
    return (
        bool(fields)
        and len(typed) == len(fields)
        and all(len(value) == 1 and value.keys() <= _TYPES for value in typed)
    )


def _store(
    kind: type[Entity], entities: list[Entity], data: str, *, create: bool, ensure: bool
) -> list[Entity]:
    with _open(kind, data) as store, progress(f"storing {kind.__name__}", len(entities)) as advance:
        if ensure:
            store.ensure(kind.__layout__.table)
        stored: list[Entity] = []
        for entity in entities:
            stored.append(store.create(entity) if create else store.put(entity))
            advance(1)
        return stored


def _open(kind: type[Entity], data: str) -> Store:
    """Open the store, with the buckets of the folder if the entity has payloads."""
    if not kind.__layout__.payloads or "://" in data:
        return open_store(data)
    import sortkey

    check_address(data)
    return sortkey.open(data, objects=bucket_address(data, None))


def _key(entity: Entity) -> str:
    from sortkey.model.queries import ItemKey

    return str(ItemKey.of_entity(entity))
