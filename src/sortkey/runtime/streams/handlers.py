"""Handlers: sync or async functions that are called with changes of entities, singly or in
batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from sortkey.errors import ModelError
from sortkey.expressions import Placeholders
from sortkey.model.attributes import Condition
from sortkey.model.changes import Change, ChangeKind
from sortkey.model.entity import Entity
from sortkey.model.expressions import Names
from sortkey.model.tables import Table

E = TypeVar("E", bound=Entity)
A = TypeVar("A")
Test = Callable[[Change[E]], bool] | Condition | bool | None
"""A function of the change, or a condition on the latest image of the item. Type checkers see
`Session.status == "RUNNING"` as a bool.
"""

EVERY_KIND: frozenset[ChangeKind] = frozenset({"created", "changed", "deleted"})


@dataclass(frozen=True)
class Handler(Generic[E, A]):
    """A function and the changes it handles. Calling it calls the function, for example in
    tests.
    """

    name: str
    entities: tuple[type[E], ...]
    function: Callable[[A], object]
    kinds: frozenset[ChangeKind] = EVERY_KIND
    test: Callable[[Change[Any]], bool] | None = None
    in_batches: bool = False
    doc: str = field(default="", repr=False)

    def __call__(self, argument: A) -> object:
        return self.function(argument)

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(dict.fromkeys(entity.__layout__.table for entity in self.entities))

    def wants(self, change: Change[Any]) -> bool:
        return change.kind in self.kinds and (self.test is None or self.test(change))


AnyHandler = Handler[Any, Any]


def on_change(
    *entities: type[E],
    when: Test[E] = None,
    kinds: Sequence[ChangeKind] = (),
    name: str | None = None,
) -> Callable[[Callable[[Change[E]], object]], Handler[E, Change[E]]]:
    """Declare a handler of the changes of some entities, one by one, in order for each key.

    `kinds` are "created", "changed" and "deleted", by default all. `name` identifies the handler in
    dead letters and guards, by default the function's name.
    """
    return lambda function: _handler(function, entities, when, kinds, name, in_batches=False)


def on_changes(
    *entities: type[E],
    when: Test[E] = None,
    kinds: Sequence[ChangeKind] = (),
    name: str | None = None,
) -> Callable[[Callable[[Sequence[Change[E]]], object]], Handler[E, Sequence[Change[E]]]]:
    """The same in batches, for handlers whose cost is per call, such as those of a search index."""
    return lambda function: _handler(function, entities, when, kinds, name, in_batches=True)


def check_handlers(handlers: Sequence[AnyHandler]) -> tuple[AnyHandler, ...]:
    """Refuse handlers without distinct names."""
    names = [handler.name for handler in handlers]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ModelError(
            f"two handlers have the name {', '.join(twice)}: give one of them another, with name="
        )
    if not handlers:
        raise ModelError(
            "there are no handlers: decorate functions with on_change(Entity) and pass them"
        )
    return tuple(handlers)


def _handler(
    function: Callable[[A], object],
    entities: tuple[type[E], ...],
    when: Test[E],
    kinds: Sequence[ChangeKind],
    name: str | None,
    *,
    in_batches: bool,
) -> Handler[E, A]:
    name = name or getattr(function, "__name__", "")
    if not name or "#" in name:
        raise ModelError(f"{name!r} is not a valid name of a handler: pass name=, without a '#'")
    if not entities:
        raise ModelError(
            f"{name}: on_change() needs the entities whose changes it is for, as on_change(Session)"
        )
    unknown = set(kinds) - EVERY_KIND
    if unknown:
        raise ModelError(
            f"{name}: {', '.join(sorted(unknown))}: the kinds are {', '.join(sorted(EVERY_KIND))}"
        )
    chosen = frozenset(kinds) or EVERY_KIND
    return Handler(
        name, entities, function, chosen, _test(name, when), in_batches, function.__doc__ or ""
    )


def _test(name: str, when: Any) -> Callable[[Change[Any]], bool] | None:
    if isinstance(when, Condition):
        return _on_item(when)
    if when is not None and not callable(when):
        raise ModelError(
            f"{name}: when= takes a function of the change, or a condition on a field, not {when!r}"
        )
    return cast("Callable[[Change[Any]], bool] | None", when)


def _on_item(condition: Condition) -> Callable[[Change[Any]], bool]:
    """Test the condition as the service would, on the image in the record."""
    names = Names()
    text = condition.render(names)
    test = Placeholders(names.expression_names or None, names.expression_values or None).condition(
        text
    )

    def holds(change: Change[Any]) -> bool:
        if change.latest is None:
            raise ModelError(
                f"the stream of {change.entity.__name__} shows {change.view}: the condition has "
                "nothing to test here. "
                "Name the kinds= that have an image, or test with a function"
            )
        return test(change.record["dynamodb"]["OldImage" if change.new is None else "NewImage"])

    return holds
