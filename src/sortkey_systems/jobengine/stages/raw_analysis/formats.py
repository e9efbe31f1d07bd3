"""Detects the format of a value: email, phone, number with a comma, some kind of date. Used to
profile and to score mappings.
"""

from __future__ import annotations

import re
from typing import Any

from sortkey_systems.jobengine.stages.dates import form_of

_CURRENCY = r"(?:[€$£]|EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|JPY|CAD|AUD)"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("integer", re.compile(r"-?\d{1,18}")),
    ("decimal", re.compile(r"-?\d+\.\d+")),
    ("decimal comma", re.compile(r"-?\d+(?:\.\d{3})*,\d+")),
    ("money", re.compile(rf"{_CURRENCY}\s?-?\d+(?:[.,]\d+)*|-?\d+(?:[.,]\d+)*\s?{_CURRENCY}")),
    ("email", re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    ("url", re.compile(r"https?://\S+")),
    ("uuid", re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")),
    ("phone", re.compile(r"\+?[\d][\d\s()/-]{6,18}\d")),
    ("boolean", re.compile(r"true|false|yes|no|[ynYN]", re.IGNORECASE)),
)


def format_of(value: Any) -> str:
    """The format of a value, in one or two words."""
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "decimal"
    if isinstance(value, bytes):
        return "binary"
    text = str(value).strip()
    if not text:
        return "empty"
    date = form_of(text)
    if date:
        return f"date, {date}"
    return next((name for name, pattern in _FORMS if pattern.fullmatch(text)), "text")
