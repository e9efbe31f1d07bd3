"""Triangles in space, y up, in metres: boxes, and profiles that are turned around an axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, sin

Point = tuple[float, float, float]
Face = tuple[int, int, int]
Color = tuple[int, int, int]
STEEL: Color = (150, 160, 170)
SEGMENTS = 24


@dataclass(frozen=True, slots=True)
class Mesh:
    """Faces over points, counter-clockwise from outside, in one color."""

    points: tuple[Point, ...]
    faces: tuple[Face, ...]
    color: Color = STEEL

    def moved(self, x: float = 0, y: float = 0, z: float = 0) -> Mesh:
        return self._with(lambda p: (p[0] + x, p[1] + y, p[2] + z))

    def scaled(self, x: float, y: float, z: float) -> Mesh:
        return self._with(lambda p: (p[0] * x, p[1] * y, p[2] * z))

    def turned(self, axis: str, degrees: float) -> Mesh:
        """Turned around an axis through the origin."""
        c, s = cos(degrees * pi / 180), sin(degrees * pi / 180)
        turns: dict[str, Callable[[Point], Point]] = {
            "x": lambda p: (p[0], c * p[1] - s * p[2], s * p[1] + c * p[2]),
            "y": lambda p: (c * p[0] + s * p[2], p[1], c * p[2] - s * p[0]),
            "z": lambda p: (c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]),
        }
        return self._with(turns[axis])

    def painted(self, color: Color) -> Mesh:
        return replace(self, color=color)

    def triangles(self) -> list[tuple[Point, Point, Point]]:
        return [(self.points[a], self.points[b], self.points[c]) for a, b, c in self.faces]

    def _with(self, change: Callable[[Point], Point]) -> Mesh:
        return replace(self, points=tuple(change(point) for point in self.points))


def box(width: float, height: float, depth: float) -> Mesh:
    """A box on the ground, around the y axis."""
    x, z = width / 2, depth / 2
    points = tuple((sx * x, y, sz * z) for y in (0.0, height) for sx in (-1, 1) for sz in (-1, 1))
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = tuple(face for a, b, c, d in sides for face in ((a, c, b), (a, d, c)))
    return Mesh(points, faces)


def lathe(profile: Sequence[tuple[float, float]], segments: int = SEGMENTS) -> Mesh:
    """A profile of (radius, height), from bottom to top, turned around the y axis."""
    points: list[Point] = []
    for radius, height in profile:
        for number in range(segments):
            angle = 2 * pi * number / segments
            points.append((radius * cos(angle), height, radius * sin(angle)))
    faces: list[Face] = []
    for ring in range(len(profile) - 1):
        for number in range(segments):
            a = ring * segments + number
            b = ring * segments + (number + 1) % segments
            if profile[ring][0] > 0:  # at the axis both points are one
                faces.append((a, a + segments, b))
            if profile[ring + 1][0] > 0:
                faces.append((b, a + segments, b + segments))
    return Mesh(tuple(points), tuple(faces))


def cylinder(radius: float, height: float, segments: int = SEGMENTS) -> Mesh:
    """A closed cylinder on the ground."""
    return lathe([(0, 0), (radius, 0), (radius, height), (0, height)], segments)


def ring(radius: float, thickness: float, segments: int = SEGMENTS) -> Mesh:
    """A torus around the y axis."""
    profile = [
        (radius + thickness * cos(angle), thickness * sin(angle))
        for angle in (2 * pi * number / 12 - pi / 2 for number in range(13))
    ]
    return lathe(profile, segments)


def joined(parts: Iterable[Mesh]) -> Mesh:
    """Several meshes as one, in the color of the first."""
    points: list[Point] = []
    faces: list[Face] = []
    color: Color | None = None
    for part in parts:
        begin = len(points)
        points += part.points
        faces += [(a + begin, b + begin, c + begin) for a, b, c in part.faces]
        color = color or part.color
    return Mesh(tuple(points), tuple(faces), color or STEEL)
