"""The OpenAPI document of the app, where FastAPI's own does not say what is answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from fastapi import FastAPI

JSON = "application/json"


def use_own_document(app: FastAPI) -> None:
    """Errors are JSON, also of routes that answer with something else."""
    written = app.openapi

    def openapi() -> dict[str, Any]:
        is_new = app.openapi_schema is None
        document = written()
        if is_new:
            for answer in _errors(document):
                _as_json(answer)
        return document

    app.openapi = openapi


def methods_at(document: dict[str, Any], path: str) -> list[str]:
    """The methods of a path: of reports/make, and not of reports/{id}, where both could
    be meant.
    """
    fitting = [each for each in document["paths"] if _pattern(each).fullmatch(path)]
    named = min(fitting, key=lambda each: each.count("{"), default="")
    return [method.upper() for method in document["paths"].get(named, ())]


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile("[^/]+".join(re.escape(each) for each in re.split(r"\{[^}]*\}", template)))


def _errors(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, answer in operation.get("responses", {}).items():
                if status == "default" or status >= "400":
                    yield answer


def _as_json(answer: dict[str, Any]) -> None:
    """FastAPI gives an error the type of the route's success."""
    contents = answer.get("content", {})
    if contents and JSON not in contents:
        answer["content"] = {JSON: next(iter(contents.values()))}
