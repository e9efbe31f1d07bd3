"""Small models and pictures, written by hand."""

from __future__ import annotations

import io
import json
import struct

from PIL import Image

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
TRIANGLES = [
    *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5)),
    *((0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6)),
    *((0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
]
"""A box of 1×2×3."""


def box_stl() -> bytes:
    """A binary STL."""
    data = [b"box".ljust(80), struct.pack("<I", len(TRIANGLES))]
    for triangle in TRIANGLES:
        points = [value for corner in triangle for value in CORNERS[corner]]
        data.append(struct.pack("<12fH", 0, 0, 0, *points, 0))
    return b"".join(data)


def box_obj() -> bytes:
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS]
    lines += ["f " + " ".join(str(corner + 1) for corner in each) for each in TRIANGLES]
    return "\n".join(lines).encode()


def box_ply() -> bytes:
    header = (
        f"ply\nformat ascii 1.0\nelement vertex {len(CORNERS)}\nproperty float x\n"
        f"property float y\nproperty float z\nelement face {len(TRIANGLES)}\n"
        "property list uchar int vertex_indices\nend_header\n"
    )
    lines = [f"{x} {y} {z}" for x, y, z in CORNERS]
    lines += ["3 " + " ".join(map(str, each)) for each in TRIANGLES]
    return (header + "\n".join(lines) + "\n").encode()


def box_glb() -> bytes:
    points = b"".join(struct.pack("<3f", *corner) for corner in CORNERS)
    indices = b"".join(struct.pack("<3H", *each) for each in TRIANGLES)
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": len(CORNERS),
                "type": "VEC3",
                "min": [0, 0, 0],
                "max": [1, 2, 3],
            },
            {
                "bufferView": 1,
                "componentType": 5123,
                "count": 3 * len(TRIANGLES),
                "type": "SCALAR",
            },
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(indices)},
        ],
        "buffers": [{"byteLength": len(points) + len(indices)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary = points + indices
    binary += b"\0" * (-len(binary) % 4)
    chunks = (
        struct.pack("<I4s", len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(binary), b"BIN\0")
        + binary
    )
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def photo(width: int = 640, height: int = 480, *, is_turned: bool = False) -> bytes:
    """A JPEG with EXIF: a camera, a time and a place."""
    picture = Image.new("RGB", (width, height), (200, 40, 40))
    exif = Image.Exif()
    exif[0x0110] = "PlantCam 3"
    exif[0x0112] = 6 if is_turned else 1
    exif.get_ifd(0x8769)[0x9003] = "2026:02:22 19:12:11"
    place = exif.get_ifd(0x8825)
    place[1], place[2] = "N", (51.0, 54.0, 36.0)
    place[3], place[4] = "W", (4.0, 28.0, 48.0)
    data = io.BytesIO()
    picture.save(data, "JPEG", exif=exif)
    return data.getvalue()
