"""A resource during the analysis, whatever it was read from: HCL, JSON, a plan or a state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from sortkey_systems.applens.json_depth import loads
from sortkey_systems.applens.sensitive import Sensitive


class Link(NamedTuple):
    """A reference of a resource: from one of its attributes to an address."""

    path: str
    address: str
    attribute: str


@dataclass(slots=True)
class Resource:
    """`attributes` are plain values; unknown ones are texts with `${…}`. Nested blocks are lists of
    objects.

    Values that Terraform marks as sensitive are `Sensitive`: the value itself never gets here.
    `mode` is managed, data, module, or declaration: a variable, a local or a provider.
    """

    address: str
    type: str
    name: str
    attributes: dict[str, Any]
    links: list[Link] = field(default_factory=list[Link])
    mode: str = "managed"
    provider: str = "aws"
    module: str = ""
    file: str = ""
    line: int = 1
    written: str = field(default="", repr=False, compare=False)
    """The literal texts of its block, before variables are substituted."""

    def get(self, path: str, default: Any = None) -> Any:
        """The value at `a.b`; of a list of blocks, the first."""
        value: Any = self.attributes
        for name in path.split("."):
            if isinstance(value, list):
                value = cast(Any, value[0]) if value else None
            if not isinstance(value, dict) or name not in value:
                return default
            value = cast(Any, value[name])
        return default if value is None else value

    def blocks(self, path: str) -> list[dict[str, Any]]:
        """All nested blocks of a name, at any number of levels: `rule.apply`."""
        level: list[Any] = [self.attributes]
        for name in path.split("."):
            level = [
                inner
                for block in level
                if isinstance(block, dict)
                for inner in as_list(cast(Any, block).get(name))
            ]
        return [block for block in level if isinstance(block, dict)]

    def targets(self, path: str) -> list[str]:
        """Addresses that an attribute refers to, or anything under it."""
        return [
            link.address
            for link in self.links
            if link.path == path or link.path.startswith(f"{path}.")
        ]


def as_list(value: Any) -> list[Any]:
    """A value that may be one, none or many as a list, as in Terraform's JSON and IAM policies."""
    if value is None:
        return []
    return cast(list[Any], value) if isinstance(value, list) else [value]


def is_true(value: Any) -> bool:
    """Whether a value is known to be true."""
    return value is True or value == "true"


def is_false(value: Any) -> bool:
    """Whether a value is known to be false."""
    return value is False or value == "false"


def is_set(value: Any) -> bool:
    """Whether a value is anything but false, or unknown. Old sources write "false" as a text."""
    return bool(value) and value != "false"


def is_unknown(value: Any) -> bool:
    """Whether a value is sensitive or known only to a plan."""
    return isinstance(value, str) and ("${" in value or isinstance(value, Sensitive))


def json_of(text: Any) -> Any:
    """A text parsed as JSON, or None if it is not JSON."""
    try:
        return loads(text)
    except (ValueError, TypeError):
        return None
