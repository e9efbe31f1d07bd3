"""Sensitive values of plans and states: marked by shape, by path or by the provider, or copies of a
marked value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from sortkey_systems.applens.parsing.provider_marks import SENSITIVE_ATTRIBUTES
from sortkey_systems.applens.resources import Resource, as_list
from sortkey_systems.applens.secrecy import decoded, sensitive
from sortkey_systems.applens.sensitive import HIDDEN, Sensitive

_INDEX = re.compile(r'\[(?:\d+|"(?:[^"\\]|\\.)*")\]')
_TELLING = re.compile(r"(?!arn:|https?:)(?=.{6})(?=.*[^a-z-])", re.DOTALL)
"""Minimum length of a text to be recognized elsewhere. `hunter2` is, but `postgres`, a sensitive
user name, is also an engine.
"""


class Redactor:
    """Removes the sensitive values from the resources of one document, and remembers them to find
    copies.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        root = object_at(object_at(document, "configuration"), "root_module")
        self._literals = frozenset(_literals(root, ""))
        self._changes: dict[str, list[Any]] = {}
        self._secrets: set[str] = set()
        for entry in objects_at(document, "resource_changes"):
            change = object_at(entry, "change")
            marks = [change.get("after_sensitive"), change.get("before_sensitive")]
            self._changes.setdefault(str(entry.get("address")), []).extend(marks)
        for value in _sensitive_values(document, root):
            self._remember(value)

    def planned(
        self, address: str, kind: str, values: dict[str, Any], marks: Any
    ) -> dict[str, Any]:
        """Values of `terraform show -json` without those whose marks, of the same shape, are
        true.
        """
        literal = _INDEX.sub("", address)
        for mark in (marks, *self._changes.get(address, ())):
            values = {
                name: self._marked(value, _member(mark, name), literal, name)
                for name, value in values.items()
            }
        return self._by_provider(kind, values, literal)

    def stored(self, kind: str, values: dict[str, Any], paths: Any) -> dict[str, Any]:
        """Values of a state file without those its paths lead to."""
        for path in as_list(paths):
            hidden = self._at(values, as_list(path))
            values = cast(dict[str, Any], hidden) if isinstance(hidden, dict) else self._all(values)
        return self._by_provider(kind, values)

    def remove_copies(self, resources: list[Resource]) -> None:
        """Hide values that equal or contain a sensitive value, where Terraform did not mark
        them.
        """
        if self._secrets:
            secrets = sorted(self._secrets, key=len, reverse=True)
            for resource in resources:
                resource.attributes = {
                    name: _without(value, name, secrets)
                    for name, value in resource.attributes.items()
                }

    def _marked(self, value: Any, marks: Any, literal: str, path: str) -> Any:
        if isinstance(marks, dict) and isinstance(value, dict):
            members = cast(dict[str, Any], value).items()
            return {
                n: self._marked(member, _member(marks, n), literal, f"{path}.{n}")
                for n, member in members
            }
        if isinstance(marks, list) and isinstance(value, list):
            beyond = [False] * len(cast(list[Any], value))
            pairs = zip(cast(list[Any], value), [*cast(list[Any], marks), *beyond], strict=False)
            return [self._marked(member, mark, literal, path) for member, mark in pairs]
        return self._hide(value, (literal, path) in self._literals) if _holds_true(marks) else value

    def _at(self, value: Any, steps: list[Any]) -> Any:
        """The value with the target of a path hidden. If a step is not understood, everything below
        it is hidden.
        """
        if not steps:
            return self._hide(value)
        key = _key(steps[0])
        if isinstance(value, dict) and isinstance(key, str):
            members = cast(dict[str, Any], value)
            return (
                {**members, key: self._at(members[key], steps[1:])} if key in members else members
            )
        if isinstance(value, list) and isinstance(key, int):
            items = cast(list[Any], value)
            return [
                self._at(item, steps[1:]) if at == key else item for at, item in enumerate(items)
            ]
        return self._hide(value)

    def _all(self, values: dict[str, Any]) -> dict[str, Any]:
        return {name: self._hide(value) for name, value in values.items()}

    def _by_provider(self, kind: str, values: dict[str, Any], literal: str = "") -> dict[str, Any]:
        marked = SENSITIVE_ATTRIBUTES.get(kind, ())
        hidden = {
            name: self._hide(values[name], (literal, name) in self._literals)
            for name in marked
            if name in values
        }
        return values | hidden

    def _hide(self, value: Any, is_written: bool = False) -> Any:
        if value in (None, "", [], {}) or isinstance(value, Sensitive):
            return value
        self._remember(value)
        return sensitive(value, is_written=is_written)

    def _remember(self, value: Any) -> None:
        for text in _texts(value):
            if _TELLING.match(text):
                self._secrets |= {
                    text,
                    json.dumps(text)[1:-1],
                }  # plain, and as it appears inside JSON


def object_at(of: dict[str, Any], name: str) -> dict[str, Any]:
    """The object with a name, or an empty one."""
    member = of.get(name)
    return cast(dict[str, Any], member) if isinstance(member, dict) else {}


def objects_at(of: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects of the list with a name."""
    return [
        cast(dict[str, Any], member) for member in as_list(of.get(name)) if isinstance(member, dict)
    ]


def _sensitive_values(document: dict[str, Any], root: dict[str, Any]) -> Iterator[Any]:
    """The values of sensitive variables and outputs."""
    declared = object_at(root, "variables")
    for name, variable in object_at(document, "variables").items():
        if isinstance(variable, dict) and object_at(declared, name).get("sensitive"):
            yield cast(dict[str, Any], variable).get("value")
    places = (document, object_at(document, "planned_values"), object_at(document, "values"))
    before = object_at(object_at(document, "prior_state"), "values")
    for outputs in (object_at(place, "outputs") for place in (*places, before)):
        yield from (
            object_at(outputs, name).get("value")
            for name in outputs
            if object_at(outputs, name).get("sensitive")
        )
    changes = object_at(document, "output_changes")
    for change in (object_at(changes, name) for name in changes):
        for when in ("after", "before"):
            if _holds_true(change.get(f"{when}_sensitive")):
                yield change.get(when)


def _literals(module: dict[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    """Address and path of what the source states as a literal."""
    for resource in objects_at(module, "resources"):
        yield from (
            (f"{prefix}{resource.get('address')}", path)
            for path in _constants(object_at(resource, "expressions"), "")
        )
    for name, call in object_at(module, "module_calls").items():
        if isinstance(call, dict):
            yield from _literals(
                object_at(cast(dict[str, Any], call), "module"), f"{prefix}module.{name}."
            )


def _constants(expressions: dict[str, Any], path: str) -> Iterator[str]:
    for name, value in expressions.items():
        for part in as_list(value):
            if isinstance(part, dict):
                inner = cast(dict[str, Any], part)
                if "constant_value" in inner:
                    yield path + name
                else:
                    yield from _constants(inner, f"{path}{name}.")


def _member(marks: Any, name: str) -> Any:
    return cast(dict[str, Any], marks).get(name) if isinstance(marks, dict) else marks


def _holds_true(marks: Any) -> bool:
    """Whether anything is marked, at any depth."""
    inner: Iterable[Any] = cast(dict[str, Any], marks).values() if isinstance(marks, dict) else ()
    inner = cast(list[Any], marks) if isinstance(marks, list) else inner
    return any(map(_holds_true, inner)) if isinstance(marks, dict | list) else bool(marks)


def _key(step: Any) -> str | int | None:
    """The name or index of a step in a path, or None for an unknown form."""
    value = cast(dict[str, Any], step).get("value") if isinstance(step, dict) else None
    key = cast(dict[str, Any], value).get("value") if isinstance(value, dict) else value
    return key if isinstance(key, str | int) else None


def _without(value: Any, name: str, secrets: list[str]) -> Any:
    if isinstance(value, dict):
        return {
            key: _without(member, key, secrets)
            for key, member in cast(dict[str, Any], value).items()
        }
    if isinstance(value, list):
        return [_without(member, name, secrets) for member in cast(list[Any], value)]
    if not isinstance(value, str) or isinstance(value, Sensitive):
        return value
    script = decoded(value) if name.startswith("user_data") else value
    if value in secrets or (script != value and any(secret in script for secret in secrets)):
        return Sensitive()
    for secret in secrets:
        value = value.replace(secret, HIDDEN)
    return value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        inner = (
            cast(dict[str, Any], value).values()
            if isinstance(value, dict)
            else cast(list[Any], value)
        )
        for member in inner:
            yield from _texts(member)
