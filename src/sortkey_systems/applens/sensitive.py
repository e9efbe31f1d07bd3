"""The placeholder for a value that Terraform marks as sensitive. The parser drops the value itself.

A dropped value cannot leak through code that is written later. Rules learn from the placeholder
what they need to know.
"""

from __future__ import annotations

from typing import Self

HIDDEN = "(sensitive)"


class Sensitive(str):
    """Reads as `(sensitive)`, in JSON and in text.

    `is_written` is true if the source itself states the value, so that everyone who reads the
    source has it. `is_random` is true if the value looked like a password or a key, whatever its
    name.
    """

    __slots__ = ("is_random", "is_written")

    is_written: bool
    is_random: bool

    def __new__(cls, *, is_written: bool = False, is_random: bool = False) -> Self:
        marker = super().__new__(cls, HIDDEN)
        marker.is_written, marker.is_random = is_written, is_random
        return marker

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.is_written, self.is_random)


def _restored(is_written: bool, is_random: bool) -> Sensitive:
    return Sensitive(is_written=is_written, is_random=is_random)
