"""Payload fields: values that live in an object store, while the item holds the pointer to them.

    graph: Annotated[Payload[Graph] | None, StoredIn("artifacts", "graphs/{environment}/{runId}.json")] = None

The item has the key under the field's attribute, and beside it version id, size and SHA-256:
`graphS3Key` has `graphS3VersionId`, `graphS3Size`, `graphS3Sha256`. Who uploads and reads is
`runtime`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, BinaryIO, Generic, Protocol, TypeVar, cast, get_args

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from sortkey.errors import KeyValueError, ModelError
from sortkey.model.payload_contents import Content
from sortkey.model.templates import Template
from sortkey.values.attributes import Item

T_co = TypeVar("T_co", covariant=True)

INLINE_BYTES_MAX = 256 << 10
"""An item has 400 KB in all."""

SCHEME = "s3://"
ZSTD = "zstd"


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where a payload is. Of one that another program wrote maybe only the key is known.

    `owner` is the key of the item that it was read from: an object belongs to one item.
    """

    bucket: str
    key: str
    version_id: str | None = None
    size: int | None = None
    sha256: str | None = None
    encoding: str | None = None
    inline: bytes | None = field(default=None, repr=False)
    owner: Item | None = field(default=None, compare=False, repr=False)


class StoredObject(Protocol):
    """What is known of an object that is stored already: an `ObjectInfo`."""

    @property
    def key(self) -> str: ...
    @property
    def version_id(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def sha256(self) -> str | None: ...
    @property
    def content_encoding(self) -> str | None: ...


@dataclass(frozen=True)
class StoredIn:
    """Where the values of a payload field are stored. `key` is a template over the attributes of
    the entity.

    `once`: an item's payload is written once, and never replaced. `inline_below`: smaller values,
    in bytes, stay in the item. `compress`: with zstd, where that pays. `parameters`: slots of the
    key that are not fields, and come with each value: `Payload(data, filename="main.tf")`. `uri`: the
    item holds `s3://bucket/key` instead of the key.
    """

    bucket: str
    key: str
    once: bool = False
    inline_below: int = 0
    compress: bool = True
    content_type: str | None = None
    parameters: tuple[str, ...] = ()
    uri: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.inline_below <= INLINE_BYTES_MAX:
            raise ModelError(
                f"inline_below is {self.inline_below:,} bytes: 0 to {INLINE_BYTES_MAX:,} are "
                "allowed"
            )
        unknown = [name for name in self.parameters if name not in self.template.names]
        if unknown:
            raise ModelError(
                f"the parameters {', '.join(unknown)} do not occur in {self.key}: add them to "
                "the key, "
                "or remove them"
            )

    @cached_property
    def template(self) -> Template:
        return Template(self.key)

    def describe(self) -> str:
        """Where it is stored, for descriptions of the model."""
        return f"in {self.bucket}: {self.key}" + (", written once" if self.once else "")

    def object_key(self, values: Mapping[str, Any], parameters: Mapping[str, str]) -> str:
        """The key for an entity's stored values. No value leads out of its place in the path."""
        if set(parameters) != set(self.parameters):
            arguments = "".join(f", {name}=…" for name in self.parameters)
            raise ModelError(f"write a payload under {self.key} as Payload(value{arguments})")
        template, known = self.template, {**values, **parameters}
        for slot in template.slots:
            text = str(known.get(slot.name))
            if text in (".", "..") or ("/" in text and not slot.free) or "\\" in text:
                raise KeyValueError(
                    f"{slot.name}={text!r} cannot be used in {self.key}: the path would point "
                    "somewhere else"
                )
        rendered = template.render(known)
        if rendered is None:
            missing = ", ".join(name for name in template.names if known.get(name) is None)
            raise KeyValueError(
                f"a payload cannot be stored without {missing}: its key is {self.key}"
            )
        return rendered

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._bind, handler(source))

    def _bind(self, payload: Payload[Any] | None) -> Payload[Any] | None:
        return None if payload is None else payload.bound(self)


class Payload(Generic[T_co]):
    """A value in an object store: one that will be stored, or a pointer to one that is stored.

    `store.load(run.graph)` returns the value of a pointer, `store.open_payload(run.graph)` reads it
    as a stream.
    """

    __slots__ = ("content", "declared", "parameters", "pointer", "source")

    def __init__(self, value: T_co, /, **parameters: str) -> None:
        self._set(value, parameters)

    @classmethod
    def stream(cls, source: BinaryIO | Iterable[bytes], /, **parameters: str) -> Payload[bytes]:
        """A payload whose bytes come from a file or in chunks, and are never all in memory."""
        payload: Payload[bytes] = object.__new__(cls)  # pyright: ignore[reportAssignmentType]
        payload._set(Stream(source), parameters)
        return payload

    @classmethod
    def at(cls, stored: StoredObject) -> Payload[Any]:
        """A payload that is already in its bucket, for example uploaded through a link."""
        payload: Payload[Any] = object.__new__(cls)
        payload._set(None, {})
        # Other encodings are left to the reader.
        encoding = ZSTD if stored.content_encoding == ZSTD else None
        payload.pointer = Pointer(
            "", stored.key, stored.version_id, stored.size, stored.sha256, encoding
        )
        return payload

    @property
    def key(self) -> str | None:
        return None if self.pointer is None else self.pointer.key

    @property
    def version_id(self) -> str | None:
        return None if self.pointer is None else self.pointer.version_id

    @property
    def size(self) -> int | None:
        """Bytes as they are stored, which may be compressed."""
        return None if self.pointer is None else self.pointer.size

    @property
    def sha256(self) -> str | None:
        """Of the bytes as they are stored."""
        return None if self.pointer is None else self.pointer.sha256

    # -- its state while it is written

    source: Any
    """The value, or a Stream; None where only the pointer is known."""
    parameters: Mapping[str, str]
    pointer: Pointer | None
    content: Content
    declared: StoredIn | None

    def bound(self, declared: StoredIn) -> Payload[T_co]:
        """A copy that knows where it is stored."""
        if self.declared is declared:
            return self
        pointer = None if self.pointer is None else replace(self.pointer, bucket=declared.bucket)
        if (
            pointer is not None
            and pointer.owner is None
            and not declared.template.matches(pointer.key)
        ):
            # The name came from outside: without this check it could be any object.
            raise ValueError(f"{pointer.key!r} does not match the key {declared.key}")
        return self._copy(pointer=pointer, declared=declared)

    def published(self, pointer: Pointer) -> Payload[T_co]:
        """The payload after its value is stored: only the pointer."""
        return self._copy(pointer=pointer, source=None, parameters={})

    def _copy(self, **changes: Any) -> Payload[T_co]:
        copy: Payload[T_co] = object.__new__(type(self))
        for name in Payload.__slots__:
            setattr(copy, name, changes.get(name, getattr(self, name)))
        return copy

    def _set(self, source: Any, parameters: Mapping[str, str]) -> None:
        self.source, self.parameters, self.pointer = source, parameters, None
        self.content, self.declared = Content(Any), None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Payload):
            return NotImplemented
        same = cast(Payload[Any], other)
        return self.pointer == same.pointer and (
            self.source is same.source or self.source == same.source
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Payload(…)" if self.pointer is None else f"Payload(at {self.pointer})"

    # -- pydantic

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        arguments = get_args(source)
        content = Content(arguments[0] if arguments else Any)
        as_json = core_schema.plain_serializer_function_ser_schema(_pointer_json, when_used="json")
        return core_schema.no_info_plain_validator_function(
            partial(_validated, content), serialization=as_json
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: Any, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        texts = {name: {"type": ["string", "null"]} for name in ("key", "versionId", "sha256")}
        return {"type": "object", "properties": {**texts, "size": {"type": ["integer", "null"]}}}


class Stream:
    """Bytes that are read once."""

    def __init__(self, source: BinaryIO | Iterable[bytes]) -> None:
        self.source = source


def _validated(content: Content, value: Any) -> Payload[Any]:
    if isinstance(value, Pointer):
        return Payload[Any](None)._copy(pointer=value, content=content)  # pyright: ignore[reportPrivateUsage]
    if not isinstance(value, Payload):
        raise ValueError("write a payload as Payload(value) or Payload.stream(file)")
    payload = cast(Payload[Any], value)
    if payload.content.type == content.type:
        return payload
    if payload.pointer is not None or isinstance(payload.source, Stream):
        if isinstance(payload.source, Stream) and content.type is not bytes:
            raise ValueError("a stream can only be stored in a field of Payload[bytes]")
        return payload._copy(content=content)  # pyright: ignore[reportPrivateUsage]
    checked = content.checked(payload.source)
    return payload._copy(content=content, source=checked)  # pyright: ignore[reportPrivateUsage]


def _pointer_json(payload: Payload[Any]) -> dict[str, Any]:
    """JSON has the pointer, never the value."""
    members = {
        "key": payload.key,
        "versionId": payload.version_id,
        "size": payload.size,
        "sha256": payload.sha256,
    }
    return {name: value for name, value in members.items() if value is not None}
