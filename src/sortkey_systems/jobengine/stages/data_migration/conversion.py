"""Converts source values to TMF values. Nothing is guessed: `NotConverted` is raised instead."""

from __future__ import annotations

import base64
import math
import re
from typing import Any

from sortkey_systems.jobengine.stages.dates import instant
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import FieldMapping
from sortkey_systems.jobengine.tmf import resources, words

_TRUE = {"1", "true", "t", "yes", "y", "on", "active"}
_FALSE = {"0", "false", "f", "no", "n", "off", "inactive"}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_SCIENTIFIC = re.compile(r"[+-]?\d+(?:\.\d+)?[eE][+-]?\d{1,3}")
_AMOUNT = re.compile(r"[^\d.,-]")
_SEVERAL = re.compile(r"\d\D*[^\d.,'\u2019\s-]\D*\d")
"""Digits with more than number separators between them: 12:30, 1/2, 12€50, 2 of 3."""


class NotConverted(Exception):
    """The value cannot be converted to the type of its attribute."""


def converted(value: Any, mapping: FieldMapping, resource: str) -> Any:
    """The converted value, or None if there is no value."""
    if mapping.values is not None and str(value) in mapping.values:
        value = mapping.values[str(value)]
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if mapping.convert == "string":
        return _string(value)
    if mapping.convert == "integer":
        return _integer(value)
    if mapping.convert == "decimal":
        return _decimal(value)
    if mapping.convert == "boolean":
        return _boolean(value)
    if mapping.convert == "dateTime":
        return _instant(value, mapping)
    attribute = resources()[resource].attribute(mapping.path)
    return _member(value, (attribute and attribute.of) or "")


def plain(value: Any) -> Any:
    """The value unchanged, in a form that JSON can hold."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def _string(value: Any) -> str:
    return plain(value) if isinstance(value, bytes) else str(value).strip()


def _integer(value: Any) -> int:
    number = _decimal(value)
    if number != int(number):
        raise NotConverted(f"{value!r} is not a whole number")
    return int(number)


def _decimal(value: Any) -> int | float:
    """Parse `1.234,50`, `1,234.50`, `12,50` and `€ 12.50`: the last point or comma is the decimal
    point.
    """
    if isinstance(value, str) and _SCIENTIFIC.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise NotConverted(f"{value!r} is not a number")
    if isinstance(value, int | float):
        return value
    if _SEVERAL.search(str(value)):
        raise NotConverted(f"{value!r} is not one number")
    text = _AMOUNT.sub("", re.sub(r"\b[A-Z]{3}\b", "", str(value)))
    if "," in text and text.rfind(",") > text.rfind("."):
        text = text.replace(".", "").replace(",", ".")
    text = text.replace(",", "")
    if not _NUMBER.fullmatch(text):
        raise NotConverted(f"{value!r} is not a number")
    return float(text) if "." in text else int(text)


def _boolean(value: Any) -> bool:
    word = str(value).strip().lower()
    if word not in _TRUE | _FALSE:
        raise NotConverted(f"{value!r} is neither true nor false")
    return word in _TRUE


def _instant(value: Any, mapping: FieldMapping) -> str:
    moment = instant(value, day_first=mapping.day_first is not False)
    if moment is None:
        raise NotConverted(f"{value!r} is not a date")
    return moment


def _member(value: Any, enumeration: str) -> str:
    word = re.sub(r"[_-]+", " ", str(value).strip().lower())
    member = words(enumeration).get(word)
    if member is None:
        raise NotConverted(f"{value!r} is none of the values of {enumeration}")
    return member
