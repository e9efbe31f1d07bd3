"""Draws a mesh without a graphics card: the faces from the farthest to the nearest, lit from the
side of the viewer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image, ImageDraw

FACES_MAX = 200_000
"""Of more faces every second, third, … is drawn: they are smaller than a pixel."""
SCALE = 2
"""The picture is drawn larger and then reduced, which smooths its edges."""
MARGIN = 0.06
COLOR = np.array([126, 158, 196], dtype=np.float64)
BACKGROUND = (244, 246, 248)
LIGHT = np.array([0.35, 0.6, 0.72])
AMBIENT = 0.3
_TURN, _TILT = np.radians(35.0), np.radians(25.0)

Array = Any


def draw(vertices: Array, faces: Array, size: int) -> Image.Image:
    """A picture of a mesh, as seen from the front, the right and above. Y is up, as in glTF."""
    points = np.asarray(vertices, dtype=np.float64) @ _view().T
    triangles = np.asarray(faces, dtype=np.int64)
    triangles = triangles[:: -(-len(triangles) // FACES_MAX) or 1]
    corners = points[triangles]
    corners = corners[np.isfinite(corners).all(axis=(1, 2))]
    picture = Image.new("RGB", (size * SCALE, size * SCALE), BACKGROUND)
    if len(corners):
        _paint(ImageDraw.Draw(picture), corners, size * SCALE)
    return picture.resize((size, size), Image.Resampling.LANCZOS)


def _paint(canvas: Any, corners: Array, side: int) -> None:
    shades = _shades(corners)
    flat = _on_canvas(corners[:, :, :2], side)
    order = np.argsort(corners[:, :, 2].mean(axis=1), kind="stable")  # the nearest last
    for triangle, shade in zip(flat[order].tolist(), shades[order].tolist(), strict=True):
        outline = [(x, y) for x, y in triangle]
        canvas.polygon(outline, fill=tuple(shade))


def _view() -> Array:
    """The rotation from the model to the viewer, who looks along -z."""
    turn = np.array(
        [
            [np.cos(_TURN), 0.0, -np.sin(_TURN)],
            [0.0, 1.0, 0.0],
            [np.sin(_TURN), 0.0, np.cos(_TURN)],
        ]
    )
    tilt = np.array(
        [
            [1.0, 0.0, 0.0],
            [0.0, np.cos(_TILT), -np.sin(_TILT)],
            [0.0, np.sin(_TILT), np.cos(_TILT)],
        ]
    )
    return tilt @ turn


def _shades(corners: Array) -> Array:
    """The colour of each face, by its angle to the light. Both sides are lit: many models have
    faces that are turned the wrong way.
    """
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(lengths == 0.0, 1.0, lengths)
    normals = np.where(normals[:, 2:] < 0.0, -normals, normals)
    light = LIGHT / np.linalg.norm(LIGHT)
    brightness = AMBIENT + (1.0 - AMBIENT) * np.clip(normals @ light, 0.0, 1.0)
    return np.clip(brightness[:, None] * COLOR * 1.25, 0, 255).astype(int)


def _on_canvas(flat: Array, side: int) -> Array:
    """Points of the view on the canvas: centred, as large as they fit, y downwards."""
    lower, upper = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    extent = float(max(upper - lower)) or 1.0
    scale = side * (1.0 - 2.0 * MARGIN) / extent
    centred = (flat - (lower + upper) / 2.0) * scale
    return np.stack([side / 2.0 + centred[..., 0], side / 2.0 - centred[..., 1]], axis=-1)
