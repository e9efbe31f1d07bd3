"""Ways to break a request: its JSON tree, the text of its JSON, or the bytes of its HTTP."""

from __future__ import annotations

import copy
import gzip
import json
import random
import re
from collections.abc import Callable
from typing import Any

HOSTILE: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    2**31,
    2**63,
    -(2**63) - 1,
    1e308,
    "",
    " ",
    "null",
    "0",
    "-0",
    "1e126",
    "1E-131",
    "1e2147483648",
    "9" * 39,
    "NaN",
    "\x00",
    "\ud800",
    "\U0001f9d0\u202e\u0301\ufeff",
    "=",
    "YQ=",
    "../../etc/passwd",
    "%n%s{0}${x}",
    "x" * 256,
    "x" * 70_000,
    "é" * 40_000,
    [],
    {},
    [[]],
    [None],
    {"": ""},
    {"S": "a", "N": "1"},
    {"NULL": False},
    {"SS": []},
    {"NS": ["1", "1.0"]},
    {"BS": ["YQ==", "YQ=="]},
    {"N": "1e400"},
    {"B": "!"},
    {"M": {"": {"S": ""}}},
    {"L": [{"L": [{"L": []}]}]},
)
NESTING = (
    ("NOT ", ""),
    ("NOT (", ")"),
    ("(", ")"),
    ("size(", ")"),
    ("f(", ")"),
    ("if_not_exists(a, ", ")"),
    ("a = a AND (", ")"),
    ("[", "]"),
    ("{'a': ", "}"),
    ("- ", ""),
    ("a + ", ""),
    ("(a + ", ")"),
    ("a.", ""),
    ("CASE WHEN a = 1 THEN ", " END"),
    ("(SELECT * FROM ", ")"),
    ("EXISTS(", ")"),
)
_WORDS = re.compile(r"(?i)(where|and|or|set|=|<|from|value) ")
REPEATED = (
    "NOT ",
    "(",
    "((",
    "size(",
    "f(",
    "[",
    "[0]",
    ".a",
    "a.",
    "- ",
    "+1",
    "a AND (",
    "if_not_exists(a,",
    "{'a':",
    ":v",
)
PIECES = (
    "=",
    "<>",
    " AND ",
    " OR ",
    " NOT ",
    " IN (",
    " BETWEEN ",
    ")",
    ",",
    "#",
    ":",
    "'",
    '"',
    "\n",
    "\x00",
    "ß",
    "--",
    "/*",
    "`",
    ";",
)


def damage_tree(request: Any, source: random.Random) -> Any:
    """One to three members of a request replaced, removed, renamed, repeated, wrapped or garbled.
    It may be itself.
    """
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        places = _places(request)
        if not places:
            return _hostile(source)
        texts = [
            (node, name)
            for node, name in places
            if _is_language(name) and isinstance(node[name], str)
        ]
        if texts and source.random() < 0.3:
            container, key = source.choice(texts)
            container[key] = _nested(container[key], source)
        else:
            _damage_at(*source.choice(places), source)
    return request


def _damage_at(container: Any, key: Any, source: random.Random) -> None:
    content = container[key]
    kind = source.random()
    if kind < 0.35:
        container[key] = _hostile(source)
    elif kind < 0.45:
        del container[key]
    elif kind < 0.55:
        container[key] = _wrapped(content, source)
    elif kind < 0.65 and isinstance(container, dict):
        container[source.choice((str(key) + "x", "", "Unknown", "\x00", str(key).lower()))] = (
            content
        )
    elif kind < 0.75 and isinstance(content, list):
        container[key] = content * source.choice((2, 26, 101))
    elif isinstance(content, str):
        container[key] = _garbled(content, source)
    else:
        container[key] = _hostile(source)


def _hostile(source: random.Random) -> Any:
    return copy.deepcopy(source.choice(HOSTILE))  # which may be damaged in its turn


def _wrapped(content: Any, source: random.Random) -> Any:
    wrap: Callable[[Any], Any] = source.choice(
        (lambda x: [x], lambda x: {"L": [x]}, lambda x: {"M": {"a": x}}, lambda x: {"a": x})
    )
    for _ in range(source.choice((1, 2, 31, 33, 70))):
        content = wrap(content)
    return content


def _is_language(name: Any) -> bool:
    """Whether a member holds an expression, a statement or a policy."""
    return str(name).endswith(("Expression", "Statement", "Policy"))


def _nested(text: str, source: random.Random) -> str:
    """An expression or statement, or the end of it, inside of many others of its kind."""
    opening, closing = source.choice(NESTING)
    levels = source.choice((2, 30, 60, 299, 650, 1300))
    if len(opening + closing) * levels > 7000 or source.random() < 0.5:
        levels = max(1, (4000 - len(text)) // len(opening + closing))
    at = source.choice([0, *(match.end() for match in _WORDS.finditer(text))])
    return text[:at] + opening * levels + text[at:] + closing * levels


def _garbled(text: str, source: random.Random) -> str:
    at = source.randint(0, len(text))
    kind = source.random()
    if kind < 0.1:
        return (text or "x") * (source.choice((1025, 2049, 66_000)) // max(1, len(text)) + 1)
    if kind < 0.3:
        return (
            text[:at] + source.choice(REPEATED) * source.choice((1, 2, 50, 400, 1300)) + text[at:]
        )
    if kind < 0.6:
        return text[:at] + source.choice(PIECES) + text[at:]
    if kind < 0.75:
        return text[:at]
    if kind < 0.9 and text:
        return (
            text[: at - 1] + chr(source.choice((0, 32, 65, 127, 233, 0x3042, 0x1F600))) + text[at:]
        )
    return text * source.choice((2, 3, 100))


def _places(node: Any, levels: int = 40) -> list[tuple[Any, Any]]:
    if not levels or not isinstance(node, dict | list):
        return []
    keys = list(node) if isinstance(node, dict) else range(len(node))
    return [place for key in keys for place in ((node, key), *_places(node[key], levels - 1))]


def as_body(request: Any) -> bytes:
    """JSON with escapes, so that lone surrogates can be sent too."""
    return json.dumps(request).encode()


def damage_body(body: bytes, source: random.Random) -> bytes:
    """The text of a body cut, doubled, garbled, or nested without end."""
    at = source.randint(0, len(body))
    match source.randrange(7):
        case 0:
            return body[:at]
        case 1:
            return body[:at] + bytes((source.randrange(256),)) + body[at + 1 :]
        case 2:
            return (
                body[:at]
                + source.choice((b"}", b"]", b'"', b"\\", b"\\u12", b",", b"\xff", b"\xed\xa0\x80"))
                + body[at:]
            )
        case 3:
            return body + body
        case 4:
            levels = source.choice((10, 250, 255, 500, 1023, 1025, 50_000))
            return b'{"TableName":' + b"[" * levels + b"]" * levels + b"}"
        case 5:
            levels = source.choice((100, 300, 500, 5_000))
            return body[:-1] + b',"Unknown":' + b'{"a":' * levels + b"1" + b"}" * (levels + 1)
        case _:
            return source.choice(
                (b"", b"null", b"[]", b"7", b'""', b"\xef\xbb\xbf{}", b"{}" + b" " * 5000, b"1e999")
            )


def damage_head(headers: dict[str, str], source: random.Random) -> dict[str, str]:
    """A header missing, doubled or wrong."""
    damaged = dict(headers)
    match source.randrange(6):
        case 0:
            damaged.pop(source.choice(list(damaged)))
        case 1:
            damaged["X-Amz-Target"] = source.choice(_TARGETS)
        case 2:
            damaged["Content-Type"] = source.choice(
                ("", "text/plain", "application/json; x", "application/x-amz-json-1.1")
            )
        case 3:
            damaged["Content-Encoding"] = source.choice(
                ("gzip", "deflate", "br", "gzip, gzip", "x" * 300, "")
            )
        case 4:
            damaged["Authorization"] = source.choice(_AUTHORIZATIONS)
        case _:
            damaged["X-Odd"] = source.choice(("\x01", "é", "x" * 9000, ",,,", ""))
    return damaged


def zipped(body: bytes, source: random.Random) -> bytes:
    """A gzip body, whole or cut short."""
    packed = gzip.compress(body, 1)
    return packed if source.random() < 0.5 else packed[: source.randint(0, len(packed))]


_TARGETS = (
    "",
    ".",
    "DynamoDB_20120810",
    "DynamoDB_20120810.",
    "DynamoDB_20120810.PutItem.x",
    "DynamoDB_20120810.putItem",
    "DynamoDB_20120810.__init__",
    "DynamoDB_20111205.PutItem",
    "DynamoDBStreams_20120810.PutItem",
    "DynamoDB_20120810." + "A" * 5000,
    "DynamoDB_20120810.Ünicode",
)
_AUTHORIZATIONS = (
    "",
    "Basic eDp5",
    "AWS4-HMAC-SHA256",
    "AWS4-HMAC-SHA256 Credential=",
    "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=0",
    "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=;;, "
    "Signature=\xff",
    "AWS4-HMAC-SHA256 " + "Credential=x," * 500,
    "AWS4-HMAC-SHA256 Credential==, SignedHeaders==, Signature==",
    "AWS4-ECDSA-P256-SHA256 Credential=key/x, SignedHeaders=host, Signature=0",
)
