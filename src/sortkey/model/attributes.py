"""Fields in conditions and updates: `Stage.status == "pending"`,
`attr(Stage.tags).contains("blue")`.

A field of an entity class is an `Attr` when the program runs. A type checker takes it for the
field's own type, so comparisons are checked as they stand, and `attr()` shows it the methods.
Everything here is an immutable value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, LiteralString, TypeVar, cast, overload

from typing_extensions import deprecated

from sortkey.errors import ModelError
from sortkey.model.actions import Action, render_actions
from sortkey.model.annotations import full_annotation
from sortkey.model.attribute_sizes import Size
from sortkey.model.codec import encode
from sortkey.model.conditions import Condition, Render, condition, not_
from sortkey.model.expressions import Names
from sortkey.model.insides import (
    default_of,
    element_of,
    highest,
    is_left_out,
    longest,
    lowest,
    member_of,
    part_of,
    stored_inside,
)
from sortkey.values.attributes import AttributeValue

if TYPE_CHECKING:
    from sortkey.model.layout import Layout, Path, Place

T = TypeVar("T")
L = TypeVar("L", bound=LiteralString | None)

__all__ = ["Action", "Attr", "Condition", "Size", "attr", "condition", "not_", "render_actions"]


class Attr(Generic[T]):
    """The attribute of a field, or of something inside it."""

    __slots__ = ("annotation", "keeps_null", "layout", "path", "place")

    def __init__(
        self,
        layout: Layout,
        place: Place,
        path: Path,
        annotation: Any,
        *,
        keeps_null: bool | None = None,
    ) -> None:
        self.layout, self.place, self.path, self.annotation = layout, place, path, annotation
        self.keeps_null = place.attribute in layout.kept_nulls if keeps_null is None else keeps_null
        """Whether None is stored as NULL, or left out."""

    @property
    def is_whole_field(self) -> bool:
        return self.path == self.place.path

    # -- conditions

    # Without the second overloads a type checker would take object's own, and let every comparison
    # pass.

    @overload
    def __eq__(self, other: T | Attr[T]) -> Condition: ...
    @overload
    @deprecated("a comparison with a value that the field cannot have")
    def __eq__(self, other: object) -> Condition: ...
    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return self._compare("=", other)

    @overload
    def __ne__(self, other: T | Attr[T]) -> Condition: ...
    @overload
    @deprecated("a comparison with a value that the field cannot have")
    def __ne__(self, other: object) -> Condition: ...
    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return self._compare("<>", other)

    def __lt__(self, other: T | Attr[T]) -> Condition:
        return self._compare("<", other)

    def __le__(self, other: T | Attr[T]) -> Condition:
        return self._compare("<=", other)

    def __gt__(self, other: T | Attr[T]) -> Condition:
        return self._compare(">", other)

    def __ge__(self, other: T | Attr[T]) -> Condition:
        return self._compare(">=", other)

    def between(self, low: T, high: T) -> Condition:
        ends = [self._operand(end) for end in (low, high)]
        return Condition(
            lambda names: f"{self._at(names)} BETWEEN {ends[0](names)} AND {ends[1](names)}",
            self._with(low, high),
        )

    def isin(self, *values: T) -> Condition:
        if not 1 <= len(values) <= 100:
            raise ModelError(f"isin takes 1 to 100 values, not {len(values)}")
        operands = [self._operand(value) for value in values]
        return Condition(
            lambda names: (
                f"{self._at(names)} IN ({', '.join(operand(names) for operand in operands)})"
            ),
            self._with(*values),
        )

    def exists(self) -> Condition:
        return Condition(lambda names: f"attribute_exists({self._at(names)})", [self])

    def missing(self) -> Condition:
        return Condition(lambda names: f"attribute_not_exists({self._at(names)})", [self])

    def begins_with(self, prefix: str) -> Condition:
        return self._function("begins_with", prefix)

    def contains(self, element: Any) -> Condition:
        """A text contains a text, a list or set an element."""
        return self._function("contains", self._element(element, limited=False))

    def has_type(
        self, kind: Literal["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"]
    ) -> Condition:
        return self._function("attribute_type", kind)

    def size(self) -> Size:
        """The size, to be compared with a number: characters of a text, bytes of binary data,
        elements of a list, map or set.
        """
        return Size(self)

    # -- updates

    def set(self, value: T | Attr[T]) -> Action:
        """Set the field to a value, or to that of another attribute. None removes it."""
        if isinstance(value, Attr):
            other = cast(Attr[T], value)
            self._check_source(other)
            return Action("SET", self, lambda names: f"{self._at(names)} = {other._at(names)}")
        stored = self.stored(value)
        payload = self.place.payload
        if payload is not None and self.is_whole_field:
            return (
                payload.remove_action(self) if stored is None else payload.set_action(self, stored)
            )
        if (stored is None and not self.keeps_null) or (
            self.is_whole_field and self.layout.is_left_out(self.place, stored)
        ):
            return Action("REMOVE", self, self._at)
        encoded = encode(stored)
        return Action(
            "SET",
            self,
            lambda names: f"{self._at(names)} = {names.value(encoded)}",
            stored,
            self.is_whole_field,
        )

    def set_if_missing(self, value: T) -> Action:
        encoded = encode(self.stored(value))
        return self._set(lambda at, names: f"if_not_exists({at}, {names.value(encoded)})")

    def remove(self) -> Action:
        """Remove the field. A field with a default is set to the default."""
        if not self.is_whole_field:
            return Action("REMOVE", self, self._at)
        if self.place.info.is_required():
            raise ModelError(
                f"{self!r} is required and cannot be removed: give it a default, or set a value"
            )
        return self.set(default_of(self.place.info))

    def add(self, amount: Any) -> Action:
        """Add to a number, or add elements to a set. A missing attribute counts as 0 or as an empty
        set.
        """
        if isinstance(amount, (set, frozenset)):
            elements = encode({self._element(element) for element in cast(frozenset[Any], amount)})
            return Action("ADD", self, lambda names: f"{self._at(names)} {names.value(elements)}")
        return self._added("+", amount, _number(amount))

    def subtract(self, amount: Any) -> Action:
        number = _number(amount)
        return self._added("-", -amount, number)

    def append(self, *elements: Any) -> Action:
        """Add elements to the end of a list. A missing list counts as empty."""
        added, base = self._elements(elements), self._base([])
        return self._set(
            lambda at, names: (
                f"list_append(if_not_exists({at}, {names.value(base)}), {names.value(added)})"
            ),
            self._room_for(len(elements)),
        )

    def prepend(self, *elements: Any) -> Action:
        added, base = self._elements(elements), self._base([])
        return self._set(
            lambda at, names: (
                f"list_append({names.value(added)}, if_not_exists({at}, {names.value(base)}))"
            ),
            self._room_for(len(elements)),
        )

    def discard(self, *elements: Any) -> Action:
        """Remove elements from a set. DynamoDB has no empty sets: with its last element the
        attribute is removed.
        """
        if self.is_whole_field and self.place.info.is_required():
            raise ModelError(
                f"{self!r} is required, and may lose its last element: give it the default set()"
            )
        gone = encode({self._element(element) for element in elements})
        return Action("DELETE", self, lambda names: f"{self._at(names)} {names.value(gone)}")

    # -- paths

    def __getitem__(self, step: int | str) -> Attr[Any]:
        """An element of a list, or a member of a map by the name of its attribute."""
        inside, is_kept = member_of(self.annotation, step), not is_left_out(self.annotation, step)
        return Attr(self.layout, self.place, (*self.path, step), inside, keeps_null=is_kept)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Attr[Any]:
            part = part_of(self.annotation)
            if part is None or name not in part.model_fields:
                raise AttributeError(
                    f"{self!r} has no {name!r}: only fields of a Part have names; use [...] for "
                    "others"
                )
            info, is_kept = part.model_fields[name], not is_left_out(self.annotation, name)
            path = (*self.path, info.alias or name)
            return Attr(self.layout, self.place, path, full_annotation(info), keeps_null=is_kept)

    # -- rendering

    def stored(self, value: Any) -> Any:
        """A value as it is stored in the item."""
        if self.is_whole_field:
            return self.layout.stored(self.place.attribute, value)
        return stored_inside(self.annotation, value, repr(self))

    def _at(self, names: Names) -> str:
        return names.path(self.path)

    def _check_source(self, other: Attr[Any]) -> None:
        """Refuse to copy a field of another entity, or one that is not an attribute."""
        if other.layout is not self.layout:
            raise ModelError(f"{other!r} is not a field of {self.layout.entity.__name__}")
        if other.place.key_only:
            raise ModelError(
                f"{other!r} exists only in keys and cannot be copied: set the value itself"
            )

    def _with(self, *others: Any) -> list[Attr[Any]]:
        return [self, *(cast(Attr[Any], other) for other in others if isinstance(other, Attr))]

    def _operand(self, value: Any) -> Render:
        """The right side of a comparison: a value, or another attribute."""
        if isinstance(value, Attr):
            return cast(Attr[Any], value)._at
        if value is None and not self.keeps_null:
            raise ModelError(f"{self!r} is never stored as None: test with .missing() or .exists()")
        if self.is_whole_field:
            encoded = encode(self.layout.compared(self.place.attribute, value))
        else:
            encoded = encode(stored_inside(self.annotation, value, repr(self), limited=False))
        return lambda names: names.value(encoded)

    def _compare(self, operator: str, other: Any) -> Condition:
        operand = self._operand(other)
        return Condition(
            lambda names: f"{self._at(names)} {operator} {operand(names)}", self._with(other)
        )

    def _function(self, function: str, argument: Any) -> Condition:
        encoded = encode(argument)
        return Condition(
            lambda names: f"{function}({self._at(names)}, {names.value(encoded)})", [self]
        )

    def _set(self, right: Callable[[str, Names], str], within: Condition | None = None) -> Action:
        def render(names: Names) -> str:
            at = self._at(names)
            return f"{at} = {right(at, names)}"

        return Action("SET", self, render, within=within)

    def _element(self, value: Any, *, limited: bool = True) -> Any:
        return stored_inside(
            element_of(self.annotation), value, f"an element of {self!r}", limited=limited
        )

    def _elements(self, values: Sequence[Any]) -> AttributeValue:
        return encode([self._element(value) for value in values])

    def _base(self, empty: Any) -> AttributeValue:
        """What a missing attribute counts as: the field's default."""
        default = default_of(self.place.info) if self.is_whole_field else None
        return encode(empty if default is None else self.stored(default))

    # -- limits: an update must not make an item that its entity can no longer read

    def _added(self, operator: str, change: Any, amount: AttributeValue) -> Action:
        base, annotation = self._base(0), self._annotation
        limit = highest(annotation) if change > 0 else lowest(annotation)
        test = None
        if limit is not None and not isinstance(limit, float):
            end = encode(limit - change)
            side = "<=" if change > 0 else ">="
            test = self._unless_missing(lambda at, names: f"{at} {side} {names.value(end)}")
        return self._set(
            lambda at, names: (
                f"if_not_exists({at}, {names.value(base)}) {operator} {names.value(amount)}"
            ),
            test,
        )

    def _room_for(self, count: int) -> Condition | None:
        most = longest(self._annotation)
        if most is None:
            return None
        left = encode(most - count)
        return self._unless_missing(lambda at, names: f"size({at}) <= {names.value(left)}")

    def _unless_missing(self, test: Callable[[str, Names], str]) -> Condition:
        def render(names: Names) -> str:
            at = self._at(names)
            return f"attribute_not_exists({at}) OR {test(at, names)}"

        return Condition(render, [self])

    @property
    def _annotation(self) -> Any:
        return full_annotation(self.place.info) if self.is_whole_field else self.annotation

    def __hash__(self) -> int:
        return hash((id(self.layout), self.path))

    def __repr__(self) -> str:
        return f"{self.layout.entity.__name__}.{'.'.join(map(str, self.path))}"


@overload
def attr(field: L) -> Attr[L]: ...  # keeps the values of a Literal, which T would widen to str
@overload
def attr(field: T) -> Attr[T]: ...
def attr(field: Any) -> Any:
    """A field of an entity class as an `Attr`, for type checkers that see the type of its value."""
    if not isinstance(field, Attr):
        raise ModelError(
            f"attr() takes a field of an entity class, as attr(Stage.status), not {field!r}"
        )
    return cast(Any, field)


def _number(amount: Any) -> AttributeValue:
    value = encode(amount)
    if "N" not in value:
        raise ModelError(f"{amount!r} cannot be added: use an int, a float or a Decimal")
    return value
