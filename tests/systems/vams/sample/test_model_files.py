"""Models of the sample are files that viewers of others can read."""

from __future__ import annotations

import json
import struct
import zlib

import pytest

from sortkey_systems.vams.sample.contents import FILES, amphora, file_content, pump, valve
from sortkey_systems.vams.sample.meshes import box, cylinder, joined


def test_every_file_is_small_and_the_same_at_every_time() -> None:
    # A hash that changed with every load would make versions of nothing.
    for name in FILES:
        data = file_content(name)
        assert data == file_content(name)
        assert 0 < len(data) < 300_000, name


def test_a_glb_has_a_header_a_document_and_its_buffer() -> None:
    # glTF 2.0, binary: the lengths in it must be true, and indices inside of their vertices.
    data = file_content("pump-1.glb")
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size, kind = struct.unpack_from("<I4s", data, 12)
    assert (kind, size % 4) == (b"JSON", 0)
    document = json.loads(data[20 : 20 + size])
    rest, binary_kind = struct.unpack_from("<I4s", data, 20 + size)
    assert (binary_kind, rest) == (b"BIN\0", document["buffers"][0]["byteLength"])
    binary = data[28 + size :]
    assert len(binary) == rest
    for primitive in document["meshes"][0]["primitives"]:
        vertices = document["accessors"][primitive["attributes"]["POSITION"]]
        indices = document["accessors"][primitive["indices"]]
        view = document["bufferViews"][indices["bufferView"]]
        used = struct.unpack_from(f"<{indices['count']}I", binary, view["byteOffset"])
        assert max(used) < vertices["count"]


def test_the_three_states_of_the_pump_are_three_models() -> None:
    # Otherwise comparing versions shows nothing.
    assert len({file_content(f"pump-{state}.glb") for state in (1, 2, 3)}) == 3


def test_an_stl_has_as_many_triangles_as_it_says() -> None:
    data = file_content("valve.stl")
    count = struct.unpack_from("<I", data, 80)[0]
    assert (len(data), count) == (84 + 50 * count, len(joined(valve()).faces))


def test_a_ply_has_the_vertices_and_faces_of_its_header() -> None:
    data = file_content("amphora.ply")
    header, _, body = data.partition(b"end_header\n")
    mesh = joined(amphora())
    assert f"element vertex {len(mesh.points)}".encode() in header
    assert f"element face {len(mesh.faces)}".encode() in header
    assert len(body) == 15 * len(mesh.points) + 13 * len(mesh.faces)


def test_an_obj_names_vertices_that_it_has() -> None:
    # Its indices begin with 1 and go on over all groups.
    lines = file_content("gear.obj").decode().splitlines()
    vertices = sum(line.startswith("v ") for line in lines)
    used = {int(word) for line in lines if line.startswith("f ") for word in line.split()[1:]}
    assert (min(used), max(used)) == (1, vertices)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".png")])
def test_a_picture_is_a_png_that_shows_something(name: str) -> None:
    data = file_content(name)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack_from(">II", data, 16)
    begin = data.index(b"IDAT") + 4
    size = struct.unpack_from(">I", data, begin - 8)[0]
    rows = zlib.decompress(data[begin : begin + size])
    assert len(rows) == height * (3 * width + 1)
    assert len({rows[n : n + 3] for n in range(1, len(rows) - 3, 97)}) > 3


def test_a_pdf_has_its_table_where_it_says() -> None:
    data = file_content("sheet.pdf")
    begin = int(data.rsplit(b"startxref\n", 1)[1].split()[0])
    assert data[begin:].startswith(b"xref\n0 6\n")
    first = int(data[begin:].splitlines()[3].split()[0])
    assert data[first:].startswith(b"1 0 obj")


def test_boxes_and_cylinders_are_closed() -> None:
    # Every edge belongs to two triangles, once in each direction: volumes can be computed.
    edges: dict[tuple[int, int], int] = {}
    for a, b, c in box(1, 2, 3).faces:
        for edge in ((a, b), (b, c), (c, a)):
            edges[edge] = edges.get(edge, 0) + 1
    assert set(edges.values()) == {1}
    assert all((b, a) in edges for a, b in edges)
    assert len(cylinder(1, 1, 8).faces) == 32


def test_the_attribute_of_the_pump_counts_its_triangles() -> None:
    # The sample says it in metadata; a viewer shows the same number.
    from sortkey_systems.vams.sample.rows import sample_document

    (row,) = [row for row in sample_document()["assets"] if row["id"] == "pump-p101"]
    said = row["file_attributes"]["/model/p101.glb"]["triangles"]
    assert int(said) == sum(len(part.faces) for part in pump(3))
