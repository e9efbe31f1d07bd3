"""The page /docs: every route of the app, written from its OpenAPI document. No scripts, nothing
from elsewhere.
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
"""A command of several lines, as a shell takes it."""
METHODS = ("get", "post", "put", "patch", "delete")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src "
        f"'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'; "
        "frame-ancestors 'none'; base-uri 'none'"
    )
}


def add_reference(app: FastAPI) -> None:
    """The page, made when it is first asked for."""

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
    return """<section><h2>How to ask</h2>
<p>Users send a token: <code>Authorization: Bearer …</code>, from <code>sortkey token</code>.
Programs send a key: <code>X-Api-Key: …</code>, from <code>sortkey keys create</code>.
Bodies are JSON. Lists come in pages: give the <code>cursor</code> of one back for the next.</p>
<p>Every answer that is no success looks like this. The code is for programs, the message says what to do, and the
server's log has the request under its id.</p>
<pre>{"error": {"code": "NotFound", "message": "…", "details": {}, "requestId": "…"}}</pre>
<p>For programs: <a href="/openapi.json">/openapi.json</a>.</p></section>"""


Operation = tuple[str, str, dict[str, Any]]


def _groups(document: Document) -> Iterator[tuple[str, str, list[Operation]]]:
    """Systems with what they say of themselves, and their operations; what belongs to none comes
    last.
    """
    known = {each["name"]: each.get("description", "") for each in document.get("tags", ())}
    found: dict[str, list[Operation]] = {name: [] for name in known}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if operation := methods.get(method):
                found.setdefault((operation.get("tags") or [""])[0], []).append(
                    (method, path, operation)
                )
    for name, operations in found.items():
        yield name, known.get(name, ""), operations


def _menu(name: str, operations: list[Operation]) -> str:
    lines = "".join(
        f'<li><a href="#{_anchor(method, path)}">{escape(operation.get("summary", path))}</a></li>'
        for method, path, operation in operations
    )
    return f'<h2><a href="#{escape(name)}">{escape(name)}</a></h2><ul>{lines}</ul>'


def _group(document: Document, name: str, about: str, operations: list[Operation]) -> str:
    told = "".join(_operation(document, *each) for each in operations)
    return (
        "<section "
        f'id="{escape(name)}"><h2>{escape(name)}</h2><p>{escape(about)}</p>{told}</section>'
    )


# The anchor is inside of the details: a browser opens what it jumps into.


def _operation(document: Document, method: str, path: str, operation: dict[str, Any]) -> str:
    parts = (
        _paragraphs(operation.get("description", "")),
        _needs(document, operation),
        _parameters(operation),
        _body(operation),
        _curl(document, method, path, operation),
        _answers(operation),
    )
    return (
        f'<details><summary><b class="{method}">{method.upper()}</b> '
        f"<code>{escape(path)}</code> <span>{escape(operation.get('summary', ''))}</span></summary>"
        f'<div id="{_anchor(method, path)}">{"".join(parts)}</div></details>'
    )


def _needs(document: Document, operation: dict[str, Any]) -> str:
    schemes = document.get("components", {}).get("securitySchemes", {})
    names = [name for each in operation.get("security", ()) for name in each]
    told = " or ".join(
        escape(schemes[name].get("description", name)).lower() for name in names if name in schemes
    )
    return f"<p class=needs>Needs {told}.</p>" if told else ""


def _parameters(operation: dict[str, Any]) -> str:
    given = operation.get("parameters", ())
    rows = [
        (each["name"], each["in"], each.get("required", False), _described(each)) for each in given
    ]
    return _table(
        "Parameters", [(f"<code>{escape(n)}</code>", _place(i, r), d) for n, i, r, d in rows]
    )


def _place(where: str, required: bool) -> str:
    return f"{escape(where)}{'' if required else ', optional'}"


def _described(parameter: dict[str, Any]) -> str:
    said = parameter.get("description") or parameter["schema"].get("description", "")
    return (
        f"{type_words(parameter['schema'])}<br>{escape(said)}"
        if said
        else type_words(parameter["schema"])
    )


def _body(operation: dict[str, Any]) -> str:
    contents = operation.get("requestBody", {}).get("content", {})
    told = ", ".join(
        f"{type_words(each['schema'])} ({escape(kind)})" for kind, each in contents.items()
    )
    return f"<h4>Body</h4><p>{told}</p>" if told else ""


_CREDENTIALS = {"token": '-H "Authorization: Bearer $TOKEN"', "key": '-H "X-Api-Key: $KEY"'}


def _curl(document: Document, method: str, path: str, operation: dict[str, Any]) -> str:
    types: dict[str, Schema] = document.get("components", {}).get("schemas", {})
    lines = ["curl" if method == "get" else f"curl -X {method.upper()}"]
    schemes = [
        name for each in operation.get("security", ()) for name in each
    ]  # any one of them will do
    lines += [_CREDENTIALS[name] for name in schemes[:1]]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None:
        text = json.dumps(example(body["schema"], types), ensure_ascii=False)
        lines += ["-H 'Content-Type: application/json'", f"-d '{text}'"]
    lines.append(f"'http://127.0.0.1:8080{path}'")
    return f"<pre>{escape(CONTINUED.join(lines))}</pre>"


def _answers(operation: dict[str, Any]) -> str:
    rows: list[tuple[str, ...]] = []
    for status, answer in sorted(
        operation.get("responses", {}).items()
    ):  # "default" comes behind the numbers
        schema = next((each.get("schema", {}) for each in answer.get("content", {}).values()), None)
        rows.append(
            (
                escape(status),
                escape(answer.get("description", "")),
                type_words(schema) if schema else "",
            )
        )
    return _table("Answers", rows)


def _types(document: Document) -> str:
    types: dict[str, Schema] = document.get("components", {}).get("schemas", {})
    told = "".join(_type(name, schema) for name, schema in sorted(types.items()))
    return f'<section id="types"><h2>Types</h2>{told}</section>'


def _type(name: str, schema: Schema) -> str:
    needed = schema.get("required", ())
    rows = [
        (
            f"<code>{escape(field)}</code>",
            "" if field in needed else "optional",
            _described({"schema": each}),
        )
        for field, each in schema.get("properties", {}).items()
    ]
    return (
        f"<details><summary><code>{escape(schema.get('title', name))}</code></summary>"
        f'<div id="type-{escape(name)}">{_paragraphs(schema.get("description", ""))}'
        f"{_table('', rows) or f'<p>{type_words(schema)}</p>'}</div></details>"
    )


def _table(title: str, rows: list[tuple[str, ...]]) -> str:
    """The cells are HTML already."""
    if not rows:
        return ""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"{f'<h4>{title}</h4>' if title else ''}<table>{body}</table>"


def _paragraphs(text: str) -> str:
    """Text as in docstrings: empty lines between paragraphs, `code` in backticks."""
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return "".join(f"<p>{each}</p>" for each in coded.split("\n\n") if each.strip())


def _anchor(method: str, path: str) -> str:
    return escape(f"{method}-{path.strip('/').replace('/', '-').replace('{', '').replace('}', '')}")
