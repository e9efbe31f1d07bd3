"""Corrections to FastAPI's OpenAPI document, where it does not match the responses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from fastapi import FastAPI

JSON = "application/json"


def use_own_document(app: FastAPI) -> None:
    """Document errors as JSON, even for routes with another response type."""
    original = app.openapi

    def openapi() -> dict[str, Any]:
        is_new = app.openapi_schema is None
        document = original()
        if is_new:
            for answer in _errors(document):
                _as_json(answer)
        return document

    app.openapi = openapi


def methods_at(document: dict[str, Any], path: str) -> list[str]:
    """The methods of a path. If reports/make and reports/{id} both match, the first is meant."""
    matches = [template for template in document["paths"] if _pattern(template).fullmatch(path)]
    template = min(matches, key=lambda match: match.count("{"), default="")
    return [method.upper() for method in document["paths"].get(template, ())]


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile("[^/]+".join(re.escape(part) for part in re.split(r"\{[^}]*\}", template)))


def _errors(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, answer in operation.get("responses", {}).items():
                if status == "default" or status >= "400":
                    yield answer


def _as_json(answer: dict[str, Any]) -> None:
    """FastAPI documents an error with the type of the route's success."""
    contents = answer.get("content", {})
    if contents and JSON not in contents:
        answer["content"] = {JSON: next(iter(contents.values()))}
