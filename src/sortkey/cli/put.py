"""`sortkey put`: items from JSON, checked by the entity of a model, into its table."""

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
            help="An entity of a model, as shop:Order.",
            autocompletion=complete_entities,
        ),
    ],
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="JSON, or JSON Lines; - is the standard input.")
    ] = "-",
    data: Data = "data",
    create: Annotated[
        bool, typer.Option("--create", help="Refuse an item whose key is there already.")
    ] = False,
    ensure: Annotated[
        bool, typer.Option("--ensure", help="Create the table if it is not there.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the items, and store nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Store items of one kind: an object, a list of them, or one on each line.

    They are written with the fields of the entity, or with its stored attributes, plain or as
    DynamoDB JSON. All of them are checked before the first is stored; keys and index keys are made
    by the entity.
    """
    kind = find_entity(entity)
    entities = [_entity(kind, each, number) for number, each in enumerate(_objects(_text(file)), 1)]
    stored = entities if dry_run else _store(kind, entities, data, create=create, ensure=ensure)
    if json:
        print_json([each.model_dump(mode="json", exclude_none=True) for each in stored])
        return
    verb = "would store" if dry_run else "stored"
    for each in stored:
        print(f"{verb} {_key(each)}")


def _text(file: str) -> str:
    if file == "-":
        if sys.stdin.isatty():
            print(
                "reading JSON from the keyboard: Ctrl-D ends it, Ctrl-C gives up", file=sys.stderr
            )
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
        read: Any = json.loads(text)
        found: list[Any] = cast(list[Any], read) if isinstance(read, list) else [read]
    except ValueError as whole:
        try:
            # Not splitlines(), which also cuts at signs that JSON has in its texts.
            found = [json.loads(line) for line in text.split("\n") if line.strip()]
        except ValueError:
            raise CommandFailed(f"this is no JSON: {whole}", FAILED) from None
    if not found:
        raise CommandFailed(
            "there is no item in it: give a file, or JSON on the standard input", FAILED
        )
    for number, each in enumerate(found, 1):
        if not isinstance(each, dict):
            raise CommandFailed(f"item {number} is no JSON object: {each!r:.60}", FAILED)
    return found


def _entity(kind: type[Entity], given: dict[str, Any], number: int) -> Entity:
    from pydantic import ValidationError

    from sortkey.errors import InvalidItem, SortkeyError
    from sortkey.model.codec import encode

    try:
        if _is_dynamodb_json(given):
            return kind.from_item(given)
        if (
            kind.__layout__.table.key[0] in given.keys() - kind.__layout__.places.keys()
        ):  # a stored item, plain
            return kind.from_item({name: encode(value) for name, value in given.items()})
        return kind.model_validate(given)
    except ValidationError as error:
        raise CommandFailed(
            f"item {number} is no {kind.__name__}: {_problems(error)}", FAILED
        ) from error
    except InvalidItem as error:
        inner = error.__cause__
        told = _problems(inner) if isinstance(inner, ValidationError) else str(inner or error)
        raise CommandFailed(f"item {number} is no {kind.__name__}: {told}", FAILED) from error
    except SortkeyError as error:
        raise CommandFailed(f"item {number}: {error}", FAILED) from error


def _problems(error: Any) -> str:
    """Every field that is wrong, in one line."""
    each = (
        f"{'.'.join(map(str, problem['loc'])) or 'it'}: {problem['msg']}"
        for problem in error.errors()
    )
    return "; ".join(each)


def _is_dynamodb_json(given: Mapping[str, Any]) -> bool:
    typed = [cast(dict[str, Any], value) for value in given.values() if isinstance(value, dict)]
    return (
        bool(given)
        and len(typed) == len(given)
        and all(len(each) == 1 and each.keys() <= _TYPES for each in typed)
    )


def _store(
    kind: type[Entity], entities: list[Entity], data: str, *, create: bool, ensure: bool
) -> list[Entity]:
    with _open(kind, data) as store, progress(f"storing {kind.__name__}", len(entities)) as advance:
        if ensure:
            store.ensure(kind.__layout__.table)
        stored: list[Entity] = []
        for each in entities:
            stored.append(store.create(each) if create else store.put(each))
            advance(1)
        return stored


def _open(kind: type[Entity], data: str) -> Store:
    """With the buckets of the folder, where the entity has payloads."""
    if not kind.__layout__.payloads or "://" in data:
        return open_store(data)
    import sortkey

    check_address(data)
    return sortkey.open(data, objects=bucket_address(data, None))


def _key(entity: Entity) -> str:
    from sortkey.model.queries import ItemKey

    return str(ItemKey.of_entity(entity))
