"""The marker that stands for a value which Terraform marks as sensitive. The parser drops the value
itself.

What is not there cannot be shown by code that is written later. Rules learn from the marker what
they need to know.
"""

from __future__ import annotations

from typing import Self

HIDDEN = "(sensitive)"


class Sensitive(str):
    """Reads as `(sensitive)`, in JSON and in text alike.

    `is_written` is true where the source itself states the value, so that whoever reads the source
    has it. `is_random` is true where the value looked like a password or a key, whatever its name
    says.
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
