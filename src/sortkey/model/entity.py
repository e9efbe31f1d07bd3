"""Entities: pydantic models that know where and how their items are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
)
from pydantic._internal._model_construction import ModelMetaclass

from sortkey.errors import InvalidItem, ModelError
from sortkey.model.attributes import Attr
from sortkey.model.faults import invalid
from sortkey.model.fields import camel
from sortkey.model.insides import kept_nulls
from sortkey.model.keys import Declared, KeyDeclaration
from sortkey.model.layout import ItemOrigin, Layout, Upgrade
from sortkey.model.layout_compiler import compile_layout, declared_in
from sortkey.model.tables import Table
from sortkey.values.attributes import AttributeValue, Item

Names = Callable[[str], str]


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field,))
class EntityMeta(ModelMetaclass):
    """Compiles the layout. Fields of the class are `Attr` objects, for conditions and updates."""

    if TYPE_CHECKING:
        __layout__: Layout

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        table: Table | None = None,
        kind: str | None = None,
        envelope: str | None = None,
        names: Names | None = None,
        archive: str | None = None,
        unique: Sequence[str | tuple[str, ...]] | None = None,
        version: int | None = None,
        upgrades: Mapping[int, Upgrade] | None = None,
        **config: Any,
    ) -> Any:
        if names is not None:
            config["alias_generator"] = names
        cls: Any = super().__new__(mcs, name, bases, namespace, **config)
        arguments: dict[str, Any] = {
            "table": table,
            "kind": kind,
            "envelope": envelope,
            "archive": archive,
        }
        arguments |= {"unique": unique, "schema_version": version, "upgrades": upgrades}
        inherited: dict[str, Any] = getattr(cls, "__settings__", {})
        settings: dict[str, Any] = {
            n: inherited.get(n) if value is None else value for n, value in arguments.items()
        }
        cls.__settings__ = settings
        declared = declared_in(cls)
        if settings["table"] is not None and any(
            isinstance(declaration, KeyDeclaration) for declaration in declared.values()
        ):
            layout = Layout(cls, **_with_defaults(settings))
            compile_layout(layout, declared)
            cls.__layout__ = layout
            layout.table.add(cls)
        return cls

    if not TYPE_CHECKING:  # for a type checker a field of the class has the field's own type

        def __getattr__(cls, name: str) -> Any:
            layout = cls.__dict__.get("__layout__")
            if layout is not None and name in layout.places:
                place = layout.places[name]
                return Attr(layout, place, place.path, place.info.annotation)
            if name == "__layout__":
                raise ModelError(f"{cls.__name__} is not stored: give it a table= and a @key")
            if layout is not None and not name.startswith("_"):
                raise AttributeError(
                    f"{cls.__name__} has no field {name!r}; it has: {', '.join(layout.places)}"
                )
            return super().__getattr__(name)


class Entity(BaseModel, metaclass=EntityMeta):
    """One kind of item. Subclass it with typed fields, a `@key` and its table."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        validate_default=True,
        ignored_types=(Declared,),
    )
    __slots__ = ("_origin",)
    __layout__: ClassVar[Layout]

    def to_item(self) -> Item:
        """The item as it is stored, in DynamoDB JSON: with keys, kind and unknown attributes."""
        origin = self._read
        return type(self).__layout__.write(self, origin, origin is not None and origin.archived)

    @classmethod
    def from_item(cls, item: Mapping[str, AttributeValue]) -> Self:
        """The entity of a stored item. Raises InvalidItem if the item does not match."""
        try:
            return cls.__pydantic_validator__.validate_python(cls.__layout__.reader(item))
        except (KeyError, TypeError, ModelError, ValidationError):
            return cls._from_any_item(item)

    @classmethod
    def from_items(cls, items: Sequence[Mapping[str, AttributeValue]]) -> list[Self]:
        """The entities of many items, validated together if none is unusual."""
        layout = cls.__layout__
        try:
            return layout.validate_many(list(map(layout.reader, items)))
        except (KeyError, TypeError, ModelError, ValidationError):
            return [cls.from_item(item) for item in items]

    @classmethod
    def _from_any_item(cls, item: Mapping[str, AttributeValue]) -> Self:
        """The slow path: unknown attributes, other types, older versions, archived and invalid
        items.
        """
        try:
            values, origin = cls.__layout__.read(item)
            entity = cls.__pydantic_validator__.validate_python(values)
        except (ValidationError, ModelError, InvalidItem, KeyError) as error:
            raise invalid(cls.__layout__, item, error) from error
        if origin is not None:
            object.__setattr__(entity, "_origin", origin)
        return entity

    @property
    def in_archive(self) -> bool:
        """Whether the item was read from the archive."""
        origin = self._read
        return origin is not None and origin.archived

    def changed(self, **values: Any) -> Self:
        """A validated copy with other values. Unknown attributes are copied too."""
        for name in values:
            type(self).__layout__.place(name)
        present = {name: getattr(self, name) for name in type(self).model_fields}
        entity = type(self).model_validate({**present, **values}, by_name=True)
        object.__setattr__(entity, "_origin", self._read)
        return entity

    def moved_to_archive(self, archived: bool) -> Self:
        """A copy that will be stored in the archive, or outside of it."""
        copy = self.model_copy()
        origin = self._read or ItemOrigin({}, {}, archived)
        object.__setattr__(copy, "_origin", replace(origin, archived=archived))
        return copy

    # Unknown attributes go with every copy: model_copy(), copy, deepcopy and pickle.

    def __copy__(self) -> Self:
        return self._handed_to(super().__copy__())

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        return self._handed_to(super().__deepcopy__(memo))

    def __getstate__(self) -> dict[Any, Any]:
        return {**super().__getstate__(), "_origin": self._read}

    def __setstate__(self, state: dict[Any, Any]) -> None:
        super().__setstate__({name: value for name, value in state.items() if name != "_origin"})
        object.__setattr__(self, "_origin", state["_origin"])

    def _handed_to(self, copy: Self) -> Self:
        object.__setattr__(copy, "_origin", self._read)
        return copy

    @property
    def _read(self) -> ItemOrigin | None:
        try:
            return object.__getattribute__(self, "_origin")
        except AttributeError:
            return None


def _with_defaults(settings: dict[str, Any]) -> dict[str, Any]:
    unique = tuple(
        (group,) if isinstance(group, str) else tuple(group) for group in settings["unique"] or ()
    )
    defaults: dict[str, Any] = {
        "schema_version": settings["schema_version"] or 1,
        "upgrades": settings["upgrades"] or {},
    }
    return settings | defaults | {"unique": unique}


class Part(BaseModel):
    """A map inside an item. Unknown members are kept."""

    model_config = ConfigDict(extra="allow", populate_by_name=True, frozen=True)

    @model_serializer(mode="wrap")
    def _without_missing(
        self, handler: SerializerFunctionWrapHandler
    ):  # a return type would replace the fields in the JSON schema
        """Leave out fields that are None, unless they would then be read as their default. Unknown
        NULLs are kept.
        """
        kept_names = {*(self.__pydantic_extra__ or ()), *kept_nulls(type(self))}
        return {
            name: value
            for name, value in handler(self).items()
            if value is not None or name in kept_names
        }


class CamelPart(Part):
    """A map whose members have camelCase names."""

    model_config = ConfigDict(alias_generator=camel)
