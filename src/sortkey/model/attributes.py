"""Fields in conditions and updates: `Stage.status == "pending"`, `attr(Stage.tags).contains("blue")`.

A field of an entity class is an `Attr` when the program runs. A type checker takes it for the field's own type, so
comparisons are checked as they stand, and `attr()` shows it the methods. Everything here is an immutable value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, LiteralString, NoReturn, TypeVar, cast, get_args, overload

from pydantic import BaseModel
from typing_extensions import deprecated

from sortkey.errors import ModelError
from sortkey.model.codec import encode
from sortkey.model.expressions import Names
from sortkey.values.attributes import AttributeValue

if TYPE_CHECKING:
    from sortkey.model.layout import Layout, Path, Place

T = TypeVar("T")
L = TypeVar("L", bound=LiteralString | None)
Render = Callable[[Names], str]
Section = Literal["SET", "REMOVE", "ADD", "DELETE"]


class Condition:
    """A test of an item. Combine with `&`, `|` and `~`."""

    __slots__ = ("_render", "attrs")

    def __init__(self, render: Render, attrs: Sequence[Attr[Any]]) -> None:
        self._render = render
        self.attrs = tuple(attrs)

    def render(self, names: Names) -> str:
        return self._render(names)

    def __and__(self, other: Condition | bool) -> Condition:
        return _joined("AND", self, condition(other))

    def __or__(self, other: Condition | bool) -> Condition:
        return _joined("OR", self, condition(other))

    def __invert__(self) -> Condition:
        return Condition(lambda names: f"NOT ({self.render(names)})", self.attrs)

    def __bool__(self) -> NoReturn:
        raise ModelError("a condition is tested by the store, not here: combine with & and |, negate with not_()")

    def __repr__(self) -> str:
        names = Names()
        return names.readable(self.render(names))


@dataclass(frozen=True, slots=True)
class Action:
    """One step of an update: what to do with the attribute at a path."""

    section: Section
    attr: Attr[Any]
    render: Render
    value: Any = None
    """What the field is set to, where that is known: keys are rebuilt from it."""
    is_plain_set: bool = False


class Attr(Generic[T]):
    """The attribute of a field, or of something inside it."""

    __slots__ = ("annotation", "layout", "path", "place")

    def __init__(self, layout: Layout, place: Place, path: Path, annotation: Any) -> None:
        self.layout, self.place, self.path, self.annotation = layout, place, path, annotation

    @property
    def is_whole_field(self) -> bool:
        return self.path == self.place.path

    # -- conditions

    # Without the second overloads a type checker would take object's own, and let every comparison pass.

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
        return Condition(
            lambda names: f"{self._at(names)} BETWEEN {self._value(low, names)} AND {self._value(high, names)}", [self]
        )

    def isin(self, *values: T) -> Condition:
        if not 1 <= len(values) <= 100:
            raise ModelError(f"isin takes 1 to 100 values, not {len(values)}")
        return Condition(
            lambda names: f"{self._at(names)} IN ({', '.join(self._value(each, names) for each in values)})", [self]
        )

    def exists(self) -> Condition:
        return Condition(lambda names: f"attribute_exists({self._at(names)})", [self])

    def missing(self) -> Condition:
        return Condition(lambda names: f"attribute_not_exists({self._at(names)})", [self])

    def begins_with(self, prefix: str) -> Condition:
        return self._function("begins_with", prefix)

    def contains(self, element: Any) -> Condition:
        """A text contains a text, a list or set an element."""
        return self._function("contains", element)

    def has_type(self, kind: Literal["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"]) -> Condition:
        return self._function("attribute_type", kind)

    def size(self) -> Size:
        """Characters of a text, bytes of binary data, elements of the rest; to be compared with a number."""
        return Size(self)

    # -- updates

    def set(self, value: T | Attr[T]) -> Action:
        if isinstance(value, Attr):
            other = cast(Attr[T], value)
            return Action("SET", self, lambda names: f"{self._at(names)} = {other._at(names)}")
        stored = self.stored(value)
        return Action(
            "SET", self, lambda names: f"{self._at(names)} = {names.value(encode(stored))}", stored, self.is_whole_field
        )

    def set_if_missing(self, value: T) -> Action:
        return self._set(lambda at, names: f"if_not_exists({at}, {self._value(value, names)})")

    def remove(self) -> Action:
        return Action("REMOVE", self, self._at)

    def add(self, amount: Any) -> Action:
        """Add to a number, which is 0 where it is missing; or elements to a set."""
        if isinstance(amount, (set, frozenset)):
            return Action("ADD", self, lambda names: f"{self._at(names)} {names.value(encode(amount))}")
        return self._set(lambda at, names: f"if_not_exists({at}, {names.value(encode(0))}) + {_number(amount, names)}")

    def subtract(self, amount: Any) -> Action:
        return self._set(lambda at, names: f"if_not_exists({at}, {names.value(encode(0))}) - {_number(amount, names)}")

    def append(self, *elements: Any) -> Action:
        """Add elements to the end of a list, which is empty where it is missing."""
        return self._set(lambda at, names: f"list_append({_list_or_empty(at, names)}, {_elements(elements, names)})")

    def prepend(self, *elements: Any) -> Action:
        return self._set(lambda at, names: f"list_append({_elements(elements, names)}, {_list_or_empty(at, names)})")

    def discard(self, *elements: Any) -> Action:
        """Take elements out of a set."""
        return Action("DELETE", self, lambda names: f"{self._at(names)} {names.value(encode(set(elements)))}")

    # -- paths

    def __getitem__(self, step: int | str) -> Attr[Any]:
        """An element of a list, or a member of a map."""
        return Attr(self.layout, self.place, (*self.path, step), None)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Attr[Any]:
            part = _part(self.annotation)
            if part is None or name not in part.model_fields:
                raise AttributeError(
                    f"{self!r} has no {name!r}: only fields of a Part have names; use [...] for others"
                )
            info = part.model_fields[name]
            return Attr(self.layout, self.place, (*self.path, info.alias or name), info.annotation)

    # -- rendering

    def stored(self, value: Any) -> Any:
        """A value as the item holds it."""
        if self.is_whole_field:
            return self.layout.stored(self.place.attribute, value)
        return value.model_dump(by_alias=True) if isinstance(value, BaseModel) else value

    def _at(self, names: Names) -> str:
        return names.path(self.path)

    def _value(self, value: Any, names: Names) -> str:
        if isinstance(value, Attr):
            return cast(Attr[Any], value)._at(names)
        return names.value(encode(self.stored(value)))

    def _compare(self, operator: str, other: Any) -> Condition:
        return Condition(lambda names: f"{self._at(names)} {operator} {self._value(other, names)}", [self])

    def _function(self, function: str, argument: Any) -> Condition:
        plain = argument.model_dump(by_alias=True) if isinstance(argument, BaseModel) else argument
        return Condition(lambda names: f"{function}({self._at(names)}, {names.value(encode(plain))})", [self])

    def _set(self, right: Callable[[str, Names], str]) -> Action:
        def render(names: Names) -> str:
            at = self._at(names)
            return f"{at} = {right(at, names)}"

        return Action("SET", self, render)

    def __hash__(self) -> int:
        return hash((id(self.layout), self.path))

    def __repr__(self) -> str:
        return f"{self.layout.entity.__name__}.{'.'.join(map(str, self.path))}"


class Size:
    """How large an attribute is, to be compared."""

    __slots__ = ("_attr",)

    def __init__(self, attribute: Attr[Any]) -> None:
        self._attr = attribute

    def __eq__(self, other: int) -> Condition:  # type: ignore[override]
        return self._compare("=", other)

    def __ne__(self, other: int) -> Condition:  # type: ignore[override]
        return self._compare("<>", other)

    def __lt__(self, other: int) -> Condition:
        return self._compare("<", other)

    def __le__(self, other: int) -> Condition:
        return self._compare("<=", other)

    def __gt__(self, other: int) -> Condition:
        return self._compare(">", other)

    def __ge__(self, other: int) -> Condition:
        return self._compare(">=", other)

    __hash__ = None  # type: ignore[assignment]

    def _compare(self, operator: str, other: int) -> Condition:
        path = self._attr.path
        return Condition(
            lambda names: f"size({names.path(path)}) {operator} {names.value(encode(other))}", [self._attr]
        )


@overload
def attr(field: L) -> Attr[L]: ...  # keeps the values of a Literal, which T would widen to str
@overload
def attr(field: T) -> Attr[T]: ...
def attr(field: Any) -> Any:
    """A field of an entity class, for a type checker that takes it for its value."""
    if not isinstance(field, Attr):
        raise ModelError(f"attr() takes a field of an entity class, as attr(Stage.status), not {field!r}")
    return cast(Any, field)


def condition(test: Condition | bool) -> Condition:
    """The condition behind what a type checker takes for a bool."""
    if isinstance(test, Condition):
        return test
    raise ModelError(f"{test!r} is no condition: compare a field of the class, as Stage.status == 'pending'")


def not_(test: Condition | bool) -> Condition:
    return ~condition(test)


def render_actions(actions: Sequence[Action], names: Names) -> str:
    """The update expression of all actions."""
    sections: dict[str, list[str]] = {}
    for action in actions:
        sections.setdefault(action.section, []).append(action.render(names))
    return " ".join(f"{section} {', '.join(rendered)}" for section, rendered in sections.items())


def _joined(word: str, left: Condition, right: Condition) -> Condition:
    return Condition(
        lambda names: f"({left.render(names)}) {word} ({right.render(names)})", [*left.attrs, *right.attrs]
    )


def _number(amount: Any, names: Names) -> str:
    value: AttributeValue = encode(amount)
    if "N" not in value:
        raise ModelError(f"{amount!r} is no number that could be added")
    return names.value(value)


def _elements(elements: Sequence[Any], names: Names) -> str:
    plain = [each.model_dump(by_alias=True) if isinstance(each, BaseModel) else each for each in elements]
    return names.value(encode(plain))


def _list_or_empty(at: str, names: Names) -> str:
    return f"if_not_exists({at}, {names.value(encode([]))})"


def _part(annotation: Any) -> type[BaseModel] | None:
    """The model behind `Source`, or behind `Source | None`."""
    for each in (annotation, *get_args(annotation)):
        if isinstance(each, type) and issubclass(each, BaseModel):
            return each
    return None
