"""Small files for the viewer: a cube in each format of models, a picture, a document."""

import json
import struct
import zlib

CORNERS = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
TRIANGLES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip


def glb(size: float = 1.0) -> bytes:
    """A cube as binary glTF."""
    positions = b"".join(struct.pack("<3f", *(size * each for each in at)) for at in CORNERS)
    indices = b"".join(struct.pack("<3H", *each) for each in TRIANGLES)
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0.9, 0.5, 0.1, 1]}}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3",
             "min": [0, 0, 0], "max": [size] * 3},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(positions)},
            {"buffer": 0, "byteOffset": len(positions), "byteLength": len(indices)},
        ],
        "buffers": [{"byteLength": len(positions) + len(indices)}],
    }  # fmt: skip
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    data = positions + indices
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def gltf() -> bytes:
    """The same as text that names its bytes in a file beside it, `cube.bin`."""
    whole = glb()
    length = struct.unpack_from("<I", whole, 12)[0]
    document = json.loads(whole[20 : 20 + length])
    document["buffers"][0]["uri"] = "cube.bin"
    return json.dumps(document).encode()


def gltf_bytes() -> bytes:
    """The file beside it."""
    whole = glb()
    return whole[28 + struct.unpack_from("<I", whole, 12)[0] :]


def stl() -> bytes:
    """A cube as binary STL."""
    body = b"".join(
        struct.pack("<12fH", 0, 0, 0, *(value for at in each for value in CORNERS[at]), 0)
        for each in TRIANGLES
    )
    return bytes(80) + struct.pack("<I", len(TRIANGLES)) + body


def obj() -> bytes:
    """A cube as OBJ."""
    lines = ["v {} {} {}".format(*at) for at in CORNERS]
    lines += ["f {} {} {}".format(*(each + 1 for each in triangle)) for triangle in TRIANGLES]
    return "\n".join(lines).encode()


def ply(*, is_binary: bool) -> bytes:
    """A cube with a colour at each corner as PLY."""
    form = "binary_little_endian" if is_binary else "ascii"
    head = (
        f"ply\nformat {form} 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
        "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
        "element face 12\nproperty list uchar int vertex_indices\nend_header\n"
    )
    tints = [tuple(int(55 + 200 * each) for each in at) for at in CORNERS]
    if not is_binary:
        rows = [
            "{} {} {} {} {} {}".format(*at, *tint) for at, tint in zip(CORNERS, tints, strict=True)
        ]
        rows += ["3 {} {} {}".format(*each) for each in TRIANGLES]
        return (head + "\n".join(rows) + "\n").encode()
    body = b"".join(
        struct.pack("<3f3B", *at, *tint) for at, tint in zip(CORNERS, tints, strict=True)
    )
    return head.encode() + body + b"".join(struct.pack("<B3i", 3, *each) for each in TRIANGLES)


def pcd() -> bytes:
    """Eight points as binary PCD."""
    head = (
        "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 8\nHEIGHT 1\n"
        "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 8\nDATA binary\n"
    )
    return head.encode() + b"".join(struct.pack("<3f", *at) for at in CORNERS)


def xyz() -> bytes:
    """Eight points with colours, a line each."""
    return "\n".join("{} {} {} 200 80 40".format(*at) for at in CORNERS).encode()


def las() -> bytes:
    """Eight points as LAS 1.2, format 2, on a map."""
    head = bytearray(227)
    head[:4] = b"LASF"
    head[24:26] = bytes([1, 2])
    struct.pack_into("<HII", head, 94, 227, 227, 0)
    struct.pack_into("<BHI", head, 104, 2, 26, 8)
    struct.pack_into("<6d", head, 131, 0.01, 0.01, 0.01, 450000.0, 5700000.0, 0.0)
    rows = b"".join(
        struct.pack(
            "<3iHBBbBH3H", *(int(each * 100) for each in at), 0, 0, 0, 0, 0, 0, 65535, 9000, 0
        )
        for at in CORNERS
    )
    return bytes(head) + rows


def png(width: int = 64, height: int = 48) -> bytes:
    """A picture with a gradient."""
    rows = b"".join(
        b"\0" + b"".join(bytes((4 * x % 256, 5 * y % 256, 120)) for x in range(width))
        for y in range(height)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


MODELS: dict[str, bytes] = {
    "cube.glb": glb(),
    "cube.gltf": gltf(),
    "cube.stl": stl(),
    "cube.obj": obj(),
    "text.ply": ply(is_binary=False),
    "binary.ply": ply(is_binary=True),
    "points.pcd": pcd(),
    "points.xyz": xyz(),
    "map.las": las(),
}
TEXTS: dict[str, tuple[bytes, str]] = {
    "parts.csv": (b"part,price\nrotor,120\nseal,3.5\n", "rotor"),
    "read me.md": (b"# The pump\n\nTurn it **slowly**.\n", "slowly"),
    "facts.json": (b'{"mass": 12}', '"mass": 12'),
    "note.txt": (b"left is left", "left is left"),
}
"""Content, and what is seen of it."""
