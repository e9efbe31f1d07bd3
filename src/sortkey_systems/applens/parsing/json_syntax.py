"""Parser of `.tf.json`, Terraform's JSON syntax, into the same tree as HCL. Its strings are
templates.
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from sortkey_systems.applens.json_depth import loads
from sortkey_systems.applens.parsing import syntax as s
from sortkey_systems.applens.parsing.hcl import parse_expression, parse_template
from sortkey_systems.applens.resources import as_list

_LABELS = {"resource": 2, "data": 2, "variable": 1, "output": 1, "module": 1, "provider": 1}
_LITERAL = {"variable"}  # their values are not templates


def parse_json(text: str, file: str = "") -> s.Body:
    """The body of a `.tf.json` file. Raises `HclError` with the line."""
    try:
        document = loads(text)
    except ValueError as error:
        raise s.HclError(str(error), getattr(error, "lineno", 1)) from None
    if not isinstance(document, dict):
        raise s.HclError("a .tf.json file holds one object", 1)
    body = s.Body()
    for kind, content in cast(dict[str, Any], document).items():
        if kind != "//":
            body.blocks += _blocks(kind, [], content, file)
    return body


def parse_json_values(text: str) -> dict[str, Any]:
    """The values of a `.tfvars.json` file."""
    try:
        values = loads(text)
    except ValueError as error:
        raise s.HclError(str(error), getattr(error, "lineno", 1)) from None
    if not isinstance(values, dict):
        raise s.HclError("a .tfvars.json file holds one object", 1)
    return cast(dict[str, Any], values)


def _blocks(kind: str, labels: list[str], content: Any, file: str) -> list[s.Block]:
    if len(labels) == _LABELS.get(kind, 0):
        bodies = [
            cast(dict[str, Any], entry) for entry in as_list(content) if isinstance(entry, dict)
        ]
        return [s.Block(kind, labels, _body(kind, body), 1, file) for body in bodies]
    blocks: list[s.Block] = []
    for entry in as_list(content):
        if not isinstance(entry, dict):
            raise s.HclError(f"{kind} {' '.join(labels)} should hold an object", 1)
        for label, inner in cast(dict[str, Any], entry).items():
            if label != "//":
                blocks += _blocks(kind, [*labels, label], inner, file)
    return blocks


def _body(kind: str, content: dict[str, Any]) -> s.Body:
    body = s.Body()
    for name, value in content.items():
        if name == "//":
            continue
        if name == "dynamic" and isinstance(value, dict):
            body.blocks += _dynamics(cast(dict[str, Any], value))
        elif name == "depends_on":
            names = [parse_expression(str(member)) for member in as_list(value)]
            body.arguments[name] = s.Argument(s.Tuple(names), 1)
        else:
            body.arguments[name] = s.Argument(
                s.Literal(value) if kind in _LITERAL else _expression(value), 1
            )
    return body


def _dynamics(content: dict[str, Any]) -> list[s.Block]:
    blocks: list[s.Block] = []
    for label, bodies in content.items():
        for body in map(partial(_object, label), as_list(bodies)):
            inner = s.Body()
            inner.arguments["for_each"] = s.Argument(_expression(body.get("for_each", [])), 1)
            content = _object(label, body.get("content", {}))
            inner.blocks = [s.Block("content", [], _body("", content), 1)]
            if "iterator" in body:
                inner.arguments["iterator"] = s.Argument(s.Name(str(body["iterator"])), 1)
            blocks.append(s.Block("dynamic", [label], inner, 1))
    return blocks


def _object(label: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise s.HclError(f"dynamic {label} should hold an object", 1)
    return cast(dict[str, Any], value)


def _expression(value: Any) -> s.Expression:
    if isinstance(value, str):
        return parse_template(value)
    if isinstance(value, list):
        return s.Tuple([_expression(member) for member in cast(list[Any], value)])
    if isinstance(value, dict):
        items = cast(dict[str, Any], value).items()
        return s.Object([(s.Literal(name), _expression(member)) for name, member in items])
    return s.Literal(value)
