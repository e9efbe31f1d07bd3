"""The TMF resources that data is mapped to: TMF620, 622, 629 and 633, v4, read from the tables
beside this file.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

AttributeType = Literal["string", "integer", "decimal", "boolean", "dateTime", "enum"]
APIS = ("TMF620", "TMF622", "TMF629", "TMF633")


@dataclass(frozen=True, slots=True)
class Attribute:
    """One value of a resource, by its path: `price.value`."""

    path: str
    type: AttributeType
    required: bool = False
    names: tuple[str, ...] = ()
    """Other words for it, in plain English."""
    ref: str | None = None
    """The resource that an identifier points to."""
    list: bool = False
    role: str | None = None
    of: str | None = None
    """The name of its enumeration."""
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """A TMF resource, or a part of one that has its own rows in a source."""

    name: str
    api: str
    href: str
    names: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    characteristics: str | None = None
    """Where the resource stores values that no attribute has; None if it cannot."""
    part_of: tuple[str, str] | None = None
    lists: tuple[str, ...] = ()
    """First words of paths that are arrays."""

    def attribute(self, path: str) -> Attribute | None:
        return next((attribute for attribute in self.attributes if attribute.path == path), None)

    @property
    def required(self) -> list[Attribute]:
        return [attribute for attribute in self.attributes if attribute.required]


@cache
def resources() -> dict[str, Resource]:
    """All resources by name, in the order of the APIs."""
    resources_by_name: dict[str, Resource] = {}
    for api in APIS:
        table = _table(api.lower())
        for name, shape in table["resources"].items():
            resources_by_name[name] = _resource(name, api, table["base"], shape)
    return resources_by_name


@cache
def titles() -> dict[str, str]:
    """What each API is called."""
    return {api: _table(api.lower())["title"] for api in APIS}


@cache
def words(enumeration: str) -> dict[str, str]:
    """The meaning of each word that a source may use, for one enumeration: `shipped` →
    `inProgress`.
    """
    table: dict[str, list[str]] = _table("enums")[enumeration]
    return {word.lower(): value for value, synonyms in table.items() for word in (*synonyms, value)}


@cache
def values(enumeration: str) -> tuple[str, ...]:
    """The values that TMF allows."""
    return tuple(_table("enums")[enumeration])


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text("utf-8"))


def _resource(name: str, api: str, base: str, shape: dict[str, Any]) -> Resource:
    part = shape.get("part_of")
    return Resource(
        name,
        api,
        f"{base}/{shape['path']}",
        tuple(shape["names"]),
        tuple(_attribute(path, of) for path, of in shape["attributes"].items()),
        shape.get("characteristics"),
        (part["resource"], part["path"]) if part else None,
        tuple(shape.get("lists", ())),
    )


def _attribute(path: str, of: dict[str, Any]) -> Attribute:
    fields: dict[str, Any] = {**of, "names": tuple(of.get("names", ()))}
    return Attribute(path, **fields)
