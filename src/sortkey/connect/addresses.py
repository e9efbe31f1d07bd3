"""Addresses that are URLs: a scheme, where, and options behind the question mark."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import SplitResult, parse_qs, urlsplit

from sortkey.errors import ModelError


def address_parts(
    text: str, schemes: Collection[str], options: Collection[str], forms: str
) -> tuple[SplitResult, dict[str, str]]:
    """The parts of an address, and its options. Raises ModelError, with the `forms` that there are,
    for one that says anything else: what would be ignored was meant to do something."""
    try:
        url = urlsplit(text)
    except ValueError:  # brackets that do not close
        raise ModelError(f"{text!r} is no address{forms}") from None
    given = {name: values[-1] for name, values in parse_qs(url.query).items()}
    if (
        url.scheme not in schemes
        or url.path.strip("/")
        or url.fragment
        or given.keys() - set(options)
    ):
        raise ModelError(f"{text!r} is no address{forms}")
    return url, given
