"""Writes src/sortkey/engine/shapes/model.json from the service models that botocore ships as data.

Kept: each operation's input and every shape that it reaches, with types, required members, lengths,
ranges, patterns and enums. A scalar without constraints is written as its type alone. `--check`
compares and writes nothing.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

from tools.generated import keep

MODEL = Path(__file__).parents[1] / "src/sortkey/engine/shapes/model.json"
SERVICES = ("dynamodb", "dynamodbstreams")
VERSION = "2012-08-10"
CONSTRAINTS = ("min", "max", "pattern", "enum")


def generate() -> str:
    """The text of model.json: a line for each operation and each shape, so that a new release is a
    small diff.
    """
    operations: dict[str, str] = {}
    shapes: dict[str, dict[str, Any]] = {}
    for service in SERVICES:
        source = _service_model(service)
        for name, operation in source["operations"].items():
            operations[name] = operation["input"]["shape"]
            _keep(operation["input"]["shape"], source["shapes"], shapes)
    return f'{{"operations": {_lines(operations)},\n"shapes": {_lines(shapes)}}}\n'


def main(arguments: list[str]) -> int:
    return keep(MODEL, generate(), arguments, "botocore's service model")


def _service_model(service: str) -> dict[str, Any]:
    import botocore

    path = Path(botocore.__file__).parent / "data" / service / VERSION / "service-2.json.gz"
    return json.loads(gzip.decompress(path.read_bytes()))


def _keep(name: str, source: dict[str, Any], shapes: dict[str, dict[str, Any]]) -> str:
    """Add the shape and all it reaches to `kept`; returns how others refer to it: its name, or its
    bare type.
    """
    shape = source[name]
    constraints = {key: shape[key] for key in CONSTRAINTS if key in shape}
    if shape["type"] not in ("structure", "list", "map") and not constraints:
        return shape["type"]
    entry: dict[str, Any] = {"type": shape["type"], **constraints}
    if name in shapes:
        # The two services share a few names; they must mean the same.
        assert all(shapes[name].get(key) == value for key, value in entry.items()), name
        return name
    shapes[name] = entry
    if shape["type"] == "structure":
        entry["members"] = {
            key: _keep(member["shape"], source, shapes) for key, member in shape["members"].items()
        }
        if shape.get("required"):
            entry["required"] = shape["required"]
    if shape["type"] == "map":
        entry["key"] = _keep(shape["key"]["shape"], source, shapes)
    if shape["type"] in ("list", "map"):
        entry["element"] = _keep(
            shape["member" if shape["type"] == "list" else "value"]["shape"], source, shapes
        )
    return name


def _lines(entries: dict[str, Any]) -> str:
    return (
        "{\n"
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(entries[name])}" for name in sorted(entries))
        + "\n}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
