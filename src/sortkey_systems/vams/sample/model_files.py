"""Meshes and point clouds as files: GLB (glTF 2.0), binary STL, OBJ with its materials, and PLY."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from math import sqrt
from typing import Any

from sortkey_systems.vams.sample.meshes import Color, Mesh, Point

FLOAT, UNSIGNED = 5126, 5125
VERTICES, INDICES = 34962, 34963


def glb(parts: Sequence[Mesh], name: str) -> bytes:
    """Parts as primitives of one glTF mesh, each with a material of its color."""
    binary = bytearray()
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "sortkey sample"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": name}],
        "meshes": [{"name": name, "primitives": []}],
        "materials": [],
        "accessors": [],
        "bufferViews": [],
    }
    for number, part in enumerate(parts):
        _add_primitive(document, binary, number, part)
    document["buffers"] = [{"byteLength": len(binary)}]
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", len(binary), 0x004E4942) + bytes(binary)
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def _add_primitive(document: dict[str, Any], binary: bytearray, number: int, part: Mesh) -> None:
    columns = list(zip(*part.points, strict=True))
    bounds = {"min": [min(column) for column in columns], "max": [max(c) for c in columns]}
    vertices = b"".join(struct.pack("<3f", *point) for point in part.points)
    indices = b"".join(struct.pack("<3I", *face) for face in part.faces)
    for data, target in ((vertices, VERTICES), (indices, INDICES)):
        view = {"buffer": 0, "byteOffset": len(binary), "byteLength": len(data), "target": target}
        document["bufferViews"].append(view)
        binary += data
    count, faces = len(part.points), 3 * len(part.faces)
    place = {"bufferView": 2 * number, "componentType": FLOAT, "type": "VEC3", "count": count}
    order = {"bufferView": 2 * number + 1, "componentType": UNSIGNED, "type": "SCALAR"}
    document["accessors"] += [place | bounds, order | {"count": faces}]
    color = [*(channel / 255 for channel in part.color), 1.0]
    surface = {"baseColorFactor": color, "metallicFactor": 0.2, "roughnessFactor": 0.7}
    document["materials"].append({"pbrMetallicRoughness": surface, "doubleSided": True})
    attributes = {"POSITION": 2 * number}
    primitive = {"attributes": attributes, "indices": 2 * number + 1, "material": number}
    document["meshes"][0]["primitives"].append(primitive)


def stl(mesh: Mesh) -> bytes:
    """Binary STL: triangles with their normals, without colors."""
    triangles = mesh.triangles()
    data = [b"sortkey sample".ljust(80, b" "), struct.pack("<I", len(triangles))]
    for a, b, c in triangles:
        data.append(struct.pack("<12fH", *normal(a, b, c), *a, *b, *c, 0))
    return b"".join(data)


def obj(parts: Sequence[Mesh], materials: str) -> bytes:
    """OBJ with one group per part, whose materials are in the file `materials`."""
    lines, begin = [f"mtllib {materials}"], 1
    for number, part in enumerate(parts):
        lines.append(f"g part{number}")
        lines += [f"v {x:.5f} {y:.5f} {z:.5f}" for x, y, z in part.points]
        lines.append(f"usemtl part{number}")
        lines += [f"f {a + begin} {b + begin} {c + begin}" for a, b, c in part.faces]
        begin += len(part.points)
    return ("\n".join(lines) + "\n").encode()


def mtl(parts: Sequence[Mesh]) -> bytes:
    """The materials of an OBJ file."""
    lines: list[str] = []
    for number, part in enumerate(parts):
        red, green, blue = (channel / 255 for channel in part.color)
        lines += [f"newmtl part{number}", f"Kd {red:.3f} {green:.3f} {blue:.3f}", ""]
    return "\n".join(lines).encode()


def ply(mesh: Mesh) -> bytes:
    """Binary PLY of a mesh."""
    header = _ply_header(len(mesh.points), len(mesh.faces))
    vertices = b"".join(struct.pack("<3f3B", *point, *mesh.color) for point in mesh.points)
    return header + vertices + b"".join(struct.pack("<B3i", 3, *face) for face in mesh.faces)


def ply_cloud(points: Sequence[tuple[Point, Color]]) -> bytes:
    """Binary PLY of points without faces: a scan."""
    data = b"".join(struct.pack("<3f3B", *point, *color) for point, color in points)
    return _ply_header(len(points), 0) + data


def normal(a: Point, b: Point, c: Point) -> Point:
    """The direction that a triangle faces. Zero for one without an area."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = sqrt(x * x + y * y + z * z) or 1.0
    return (x / length, y / length, z / length)


def _ply_header(vertices: int, faces: int) -> bytes:
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {vertices}"]
    lines += [f"property float {axis}" for axis in "xyz"]
    lines += [f"property uchar {color}" for color in ("red", "green", "blue")]
    if faces:
        lines += [f"element face {faces}", "property list uchar int vertex_indices"]
    return ("\n".join([*lines, "end_header"]) + "\n").encode()
