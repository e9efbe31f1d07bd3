"""Pictures of the sample: meshes seen from above at an angle, drawn from back to front, as PNG."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from math import cos, pi, sin

from sortkey_systems.vams.sample.meshes import Color, Mesh, Point
from sortkey_systems.vams.sample.model_files import normal

WIDTH, HEIGHT = 320, 240
MARGIN = 16
SKY: Color = (236, 240, 244)
NIGHT: Color = (28, 33, 42)
TURN, TILT = 35 * pi / 180, 25 * pi / 180
LIGHT: Point = (0.45, 0.8, 0.4)
Flat = tuple[float, float]


class Canvas:
    """Pixels that triangles and points are drawn on."""

    def __init__(self, width: int = WIDTH, height: int = HEIGHT, color: Color = SKY) -> None:
        self.width, self.height = width, height
        self._rows = [bytearray(bytes(color) * width) for _ in range(height)]

    def fill(self, corners: Sequence[Flat], color: Color) -> None:
        """A triangle, a line of pixels at a time."""
        top = max(int(min(y for _, y in corners)), 0)
        bottom = min(int(max(y for _, y in corners)) + 1, self.height - 1)
        edges = list(zip(corners, [*corners[1:], corners[0]], strict=True))
        for y in range(top, bottom + 1):
            crossings = [_crossing(a, b, y + 0.5) for a, b in edges]
            xs = [x for x in crossings if x is not None]
            if len(xs) >= 2:
                left, right = max(round(min(xs)), 0), min(round(max(xs)), self.width)
                if left < right:
                    self._rows[y][3 * left : 3 * right] = bytes(color) * (right - left)

    def dot(self, x: float, y: float, color: Color) -> None:
        column, row = int(x), int(y)
        if 0 <= column < self.width - 1 and 0 <= row < self.height:
            self._rows[row][3 * column : 3 * column + 6] = bytes(color) * 2

    def png(self) -> bytes:
        """The picture as a file."""
        raw = b"".join(b"\0" + bytes(row) for row in self._rows)
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def picture_of(parts: Sequence[Mesh]) -> bytes:
    """Meshes as they look, shaded by the light from above."""
    fit = _Fit([point for part in parts for point in part.points])
    shown: list[tuple[float, list[Flat], Color]] = []
    for part in parts:
        for corners in part.triangles():
            seen = [_seen(point) for point in corners]
            depth = sum(point[2] for point in seen) / 3
            shown.append((depth, [fit.flat(p) for p in seen], _shade(part.color, corners)))
    canvas = Canvas()
    for _, corners, color in sorted(shown, key=lambda each: each[0]):
        canvas.fill(corners, color)
    return canvas.png()


def picture_of_cloud(points: Sequence[tuple[Point, Color]]) -> bytes:
    """A point cloud as it looks."""
    fit = _Fit([point for point, _ in points])
    canvas = Canvas(color=NIGHT)
    seen = sorted(((_seen(point), color) for point, color in points), key=lambda each: each[0][2])
    for point, color in seen:
        canvas.dot(*fit.flat(point), color)
    return canvas.png()


class _Fit:
    """Where seen points are on the canvas, so that all of them are on it."""

    def __init__(self, points: Sequence[Point]) -> None:
        seen = [_seen(point) for point in points]
        xs, ys = [p[0] for p in seen], [p[1] for p in seen]
        self._middle = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
        wide, high = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
        self._scale = min((WIDTH - 2 * MARGIN) / wide, (HEIGHT - 2 * MARGIN) / high)

    def flat(self, seen: Point) -> Flat:
        x, y = seen[0] - self._middle[0], seen[1] - self._middle[1]
        return WIDTH / 2 + x * self._scale, HEIGHT / 2 - y * self._scale


def _seen(point: Point) -> Point:
    """Right, up and towards the eye, for an eye that looks down at an angle."""
    x, y, z = point
    right, ahead = cos(TURN) * x - sin(TURN) * z, sin(TURN) * x + cos(TURN) * z
    return (right, cos(TILT) * y - sin(TILT) * ahead, sin(TILT) * y + cos(TILT) * ahead)


def _shade(color: Color, corners: tuple[Point, Point, Point]) -> Color:
    facing = normal(*corners)
    bright = 0.45 + 0.55 * abs(sum(a * b for a, b in zip(facing, LIGHT, strict=True)))
    red, green, blue = (min(255, round(channel * bright)) for channel in color)
    return red, green, blue


def _crossing(a: Flat, b: Flat, y: float) -> float | None:
    """Where an edge crosses a line of pixels."""
    if (a[1] <= y) == (b[1] <= y):
        return None
    return a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1])


def _chunk(kind: bytes, data: bytes) -> bytes:
    checked = kind + data
    return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))
