"""Whether values follow what schemas expect. The result of a write is checked, not the request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sortkey_systems.vams.metadata.expectations import Expectations, Expected
from sortkey_systems.vams.metadata.value_types import CONTROLLED_LIST, problem_of


class Value(NamedTuple):
    """A metadata value: its text, and the type of the text."""

    text: str
    value_type: str


Values = Mapping[str, Value]


def with_defaults(expected: Expectations, values: Values) -> dict[str, Value]:
    """Values with the defaults of fields that are missing. A field whose dependencies have no value
    stays missing.
    """
    filled = dict(values)
    missing = [field for field in expected.values() if field.default and field.key not in filled]
    for _ in range(len(missing)):  # a default can be what another one depends on
        added = [field for field in missing if not _lacking(field, filled)]
        missing = [field for field in missing if field not in added]
        filled.update({field.key: Value(field.default or "", field.value_type) for field in added})
        if not added:
            break
    return filled


def problems_of(
    expected: Expectations, result: Values, written: Sequence[str], *, is_restricted: bool
) -> list[str]:
    """What is wrong with the values as they would be stored. With `is_restricted`, the keys that
    are written must be those of schemas.
    """
    problems: list[str] = []
    for key in written:
        problem = problem_of(*result[key])
        if problem is not None:
            problems.append(f"the value of {key!r} {problem}")
    for field in expected.values():
        problems += _problems_of_field(field, result)
    if is_restricted and expected:
        problems += [
            f"{key!r} is not a field of a schema, and this database allows only those"
            for key in written
            if key not in expected
        ]
    return problems


def problems_of_deletion(
    expected: Expectations, remaining: Values, deleted: Iterable[str]
) -> list[str]:
    """Why keys cannot be deleted."""
    problems: list[str] = []
    for key in deleted:
        if key in expected and expected[key].is_required:
            problems.append(f"{key!r} is required and cannot be deleted")
        dependents = [
            field.key
            for field in expected.values()
            if key in field.depends_on and _has_value(remaining, field.key)
        ]
        if dependents:
            problems.append(f"{key!r} cannot be deleted: {', '.join(dependents)} depends on it")
    return problems


def _problems_of_field(field: Expected, result: Values) -> list[str]:
    value = result.get(field.key)
    if field.is_required and not _has_value(result, field.key):
        return [f"{field.key!r} is required and needs a value"]
    if value is None or field.has_conflict:
        return []
    if value.value_type != field.value_type:
        return [f"{field.key!r} has the type {value.value_type}, not {field.value_type}"]
    if not value.text:
        return []
    problems = [
        f"{field.key!r} depends on {name!r}, which has no value" for name in _lacking(field, result)
    ]
    choices = field.controlled_list if field.value_type == CONTROLLED_LIST else ()
    if choices and value.text not in choices:
        problems.append(f"{field.key!r} must be one of {', '.join(choices)}")
    return problems


def _lacking(field: Expected, values: Values) -> list[str]:
    return [name for name in field.depends_on if not _has_value(values, name)]


def _has_value(values: Values, key: str) -> bool:
    return key in values and values[key].text != ""
