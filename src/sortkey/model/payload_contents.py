"""The values of payloads as bytes: bytes as they are, texts as UTF-8, everything else as JSON."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pydantic import TypeAdapter


class Content:
    """Converts values of one type to bytes and back."""

    def __init__(self, type: Any) -> None:
        self.type = type

    @property
    def media_type(self) -> str:
        if self.type is bytes:
            return "application/octet-stream"
        return "text/plain; charset=utf-8" if self.type is str else "application/json"

    def checked(self, value: Any) -> Any:
        """The value, if it is of the type. Raises pydantic's ValidationError."""
        return self._adapter.validate_python(value)

    def dump(self, value: Any) -> bytes:
        if self.type is bytes:
            return bytes(value)
        return value.encode() if self.type is str else self._adapter.dump_json(value, by_alias=True)

    def load(self, data: bytes) -> Any:
        """The value of stored bytes. Raises ValueError if they are invalid."""
        if self.type is bytes:
            return data
        return data.decode() if self.type is str else self._adapter.validate_json(data)

    def __reduce__(self) -> tuple[Any, ...]:
        return Content, (self.type,)  # for copies: adapters cannot be pickled

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.type)
