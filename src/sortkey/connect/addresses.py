"""Addresses that are URLs: a scheme, a place, and options after the question mark."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import SplitResult, parse_qs, urlsplit

from sortkey.errors import ModelError


def address_parts(
    text: str, schemes: Collection[str], options: Collection[str], forms: str
) -> tuple[SplitResult, dict[str, str]]:
    """Split an address into its URL parts and its options.

    Raises ModelError, listing the valid `forms`, for anything unexpected: a part that would be
    ignored was meant to do something.
    """
    try:
        url = urlsplit(text)
    except ValueError:  # brackets that do not close
        raise ModelError(f"{text!r} is not an address{forms}") from None
    pairs = {name: values[-1] for name, values in parse_qs(url.query).items()}
    if (
        url.scheme not in schemes
        or url.path.strip("/")
        or url.fragment
        or pairs.keys() - set(options)
    ):
        raise ModelError(f"{text!r} is not an address{forms}")
    return url, pairs
