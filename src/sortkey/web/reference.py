"""The page /docs: every route of the app, generated from its OpenAPI document, without scripts or
resources of other sites.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from sortkey.web.reference_style import STYLE
from sortkey.web.reference_types import Schema, example, type_words

Document = dict[str, Any]

CONTINUED = " \\\n  "
"""Continues a shell command on the next line."""
METHODS = ("get", "post", "put", "patch", "delete")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src "
        f"'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'; "
        "frame-ancestors 'none'; base-uri 'none'"
    )
}


def add_reference(app: FastAPI) -> None:
    """Add the page."""

    @app.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:  # pyright: ignore[reportUnusedFunction]
        return HTMLResponse(reference_page(app.openapi()), headers=HEADERS)


def reference_page(document: Document) -> str:
    """The whole page."""
    about = document["info"]
    groups = list(_groups(document))
    menu = "".join(_menu(name, operations) for name, _, operations in groups)
    body = "".join(_group(document, *group) for group in groups)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(about["title"])} REST</title><style>{STYLE}</style></head>
<body><nav><h1>{escape(about["title"])}</h1><p>{escape(about["version"])}</p>{menu}
<h2><a href="#types">Types</a></h2></nav>
<main>{_introduction()}{body}{_types(document)}</main></body></html>"""


def _introduction() -> str:
    return """<section><h2>Requests</h2>
<p>Users send a token: <code>Authorization: Bearer …</code>, from <code>sortkey token</code>.
Programs send a key: <code>X-Api-Key: …</code>, from <code>sortkey keys create</code>.
Bodies are JSON. Lists have pages: send the <code>cursor</code> of one page to get the next.</p>
<p>Every error looks like this. The code is for programs, the message says what to do, and the
server's log has the request under its id.</p>
<pre>{"error": {"code": "NotFound", "message": "…", "details": {}, "requestId": "…"}}</pre>
<p>For programs: <a href="/openapi.json">/openapi.json</a>.</p></section>"""


Operation = tuple[str, str, dict[str, Any]]


def _groups(document: Document) -> Iterator[tuple[str, str, list[Operation]]]:
    """Systems with their descriptions and operations. Operations without a system come last."""
    known = {tag["name"]: tag.get("description", "") for tag in document.get("tags", ())}
    by_tag: dict[str, list[Operation]] = {name: [] for name in known}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if operation := methods.get(method):
                by_tag.setdefault((operation.get("tags") or [""])[0], []).append(
                    (method, path, operation)
                )
    for name, operations in by_tag.items():
        yield name, known.get(name, ""), operations


def _menu(name: str, operations: list[Operation]) -> str:
    lines = "".join(
        f'<li><a href="#{_anchor(method, path)}">{escape(operation.get("summary", path))}</a></li>'
        for method, path, operation in operations
    )
    return f'<h2><a href="#{escape(name)}">{escape(name)}</a></h2><ul>{lines}</ul>'


def _group(document: Document, name: str, about: str, operations: list[Operation]) -> str:
    entries = "".join(_operation(document, *operation) for operation in operations)
    return (
        "<section "
        f'id="{escape(name)}"><h2>{escape(name)}</h2><p>{escape(about)}</p>{entries}</section>'
    )


# The anchor is inside the details, so that a browser opens them when it jumps there.


def _operation(document: Document, method: str, path: str, operation: dict[str, Any]) -> str:
    parts = (
        _paragraphs(operation.get("description", "")),
        _needs(document, operation),
        _parameters(operation),
        _body(operation),
        _curl(document, method, path, operation),
        _responses(operation),
    )
    return (
        f'<details><summary><b class="{method}">{method.upper()}</b> '
        f"<code>{escape(path)}</code> <span>{escape(operation.get('summary', ''))}</span></summary>"
        f'<div id="{_anchor(method, path)}">{"".join(parts)}</div></details>'
    )


def _needs(document: Document, operation: dict[str, Any]) -> str:
    schemes = document.get("components", {}).get("securitySchemes", {})
    names = [name for scheme in operation.get("security", ()) for name in scheme]
    credentials = " or ".join(
        escape(schemes[name].get("description", name)).lower() for name in names if name in schemes
    )
    return f"<p class=needs>Needs {credentials}.</p>" if credentials else ""


def _parameters(operation: dict[str, Any]) -> str:
    rows: list[tuple[str, ...]] = [
        (f"<code>{escape(parameter['name'])}</code>", _place(parameter), _described(parameter))
        for parameter in operation.get("parameters", ())
    ]
    return _table("Parameters", rows)


def _place(parameter: dict[str, Any]) -> str:
    return escape(parameter["in"]) + ("" if parameter.get("required", False) else ", optional")


def _described(parameter: dict[str, Any]) -> str:
    text = parameter.get("description") or parameter["schema"].get("description", "")
    return (
        f"{type_words(parameter['schema'])}<br>{escape(text)}"
        if text
        else type_words(parameter["schema"])
    )


def _body(operation: dict[str, Any]) -> str:
    contents = operation.get("requestBody", {}).get("content", {})
    types = ", ".join(
        f"{type_words(content['schema'])} ({escape(kind)})" for kind, content in contents.items()
    )
    return f"<h4>Body</h4><p>{types}</p>" if types else ""


_CREDENTIALS = {"token": '-H "Authorization: Bearer $TOKEN"', "key": '-H "X-Api-Key: $KEY"'}


def _curl(document: Document, method: str, path: str, operation: dict[str, Any]) -> str:
    types: dict[str, Schema] = document.get("components", {}).get("schemas", {})
    lines = ["curl" if method == "get" else f"curl -X {method.upper()}"]
    names = [name for scheme in operation.get("security", ()) for name in scheme]
    lines += [_CREDENTIALS[name] for name in names[:1]]  # one of them is enough
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None:
        text = json.dumps(example(body["schema"], types), ensure_ascii=False)
        lines += ["-H 'Content-Type: application/json'", f"-d '{text}'"]
    lines.append(f"'http://127.0.0.1:8080{path}'")
    return f"<pre>{escape(CONTINUED.join(lines))}</pre>"


def _responses(operation: dict[str, Any]) -> str:
    rows: list[tuple[str, ...]] = []
    # "default" comes after the numbers.
    for status, answer in sorted(operation.get("responses", {}).items()):
        contents = answer.get("content", {}).values()
        schema = next((content.get("schema", {}) for content in contents), None)
        rows.append(
            (
                escape(status),
                escape(answer.get("description", "")),
                type_words(schema) if schema else "",
            )
        )
    return _table("Responses", rows)


def _types(document: Document) -> str:
    types: dict[str, Schema] = document.get("components", {}).get("schemas", {})
    entries = "".join(_type(name, schema) for name, schema in sorted(types.items()))
    return f'<section id="types"><h2>Types</h2>{entries}</section>'


def _type(name: str, schema: Schema) -> str:
    needed = schema.get("required", ())
    rows = [
        (
            f"<code>{escape(field)}</code>",
            "" if field in needed else "optional",
            _described({"schema": inner}),
        )
        for field, inner in schema.get("properties", {}).items()
    ]
    return (
        f"<details><summary><code>{escape(schema.get('title', name))}</code></summary>"
        f'<div id="type-{escape(name)}">{_paragraphs(schema.get("description", ""))}'
        f"{_table('', rows) or f'<p>{type_words(schema)}</p>'}</div></details>"
    )


def _table(title: str, rows: list[tuple[str, ...]]) -> str:
    """A table. The cells are HTML."""
    if not rows:
        return ""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"{f'<h4>{title}</h4>' if title else ''}<table>{body}</table>"


def _paragraphs(text: str) -> str:
    """Text of a docstring: empty lines between paragraphs, `code` in backticks."""
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return "".join(f"<p>{text}</p>" for text in coded.split("\n\n") if text.strip())


def _anchor(method: str, path: str) -> str:
    return escape(f"{method}-{path.strip('/').replace('/', '-').replace('{', '').replace('}', '')}")
