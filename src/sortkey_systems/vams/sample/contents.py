"""The files of the sample by name. Each is made when it is asked for, the same at every time."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from functools import cache
from math import cos, pi, sin

from sortkey_systems.vams.sample.documents import pdf
from sortkey_systems.vams.sample.meshes import (
    Color,
    Mesh,
    Point,
    box,
    cylinder,
    joined,
    lathe,
    ring,
)
from sortkey_systems.vams.sample.model_files import glb, mtl, obj, ply, ply_cloud, stl
from sortkey_systems.vams.sample.pictures import Canvas, picture_of, picture_of_cloud

BLUE: Color = (52, 104, 168)
GREEN: Color = (64, 140, 96)
RED: Color = (178, 64, 52)
SAND: Color = (206, 160, 110)
CLAY: Color = (176, 98, 58)
GREY: Color = (128, 132, 138)
PLASTER: Color = (226, 222, 212)
Cloud = list[tuple[Point, Color]]


def file_content(name: str) -> bytes:
    """The bytes of a file of the sample."""
    return FILES[name]()


@cache
def pump(state: int) -> tuple[Mesh, ...]:
    """The pump as designed (1), as built, with its flange moved (2), and after its repair (3)."""
    motor = cylinder(0.22, 0.7).turned("z", 90).moved(x=0.1, y=0.45).painted(BLUE)
    shaft = cylinder(0.05, 0.3, 12).turned("z", 90).moved(x=0.4, y=0.45)
    housing = ring(0.22, 0.1).turned("z", 90).moved(x=0.5, y=0.45).painted(GREEN)
    impeller = cylinder(0.19, 0.06, 12 if state == 3 else 8).turned("z", 90)
    flange = cylinder(0.17, 0.05).moved(x=0.5 - (0.04 if state > 1 else 0), y=0.78)
    return (
        box(1.5, 0.12, 0.6).painted(GREY),
        motor,
        shaft,
        housing,
        impeller.moved(x=0.53, y=0.45).painted(RED if state == 3 else SAND),
        flange.painted(GREEN),
        *(box(0.1, 0.2, 0.4).moved(x=x, y=0.12).painted(GREY) for x in (-0.45, -0.1)),
    )


@cache
def valve() -> tuple[Mesh, ...]:
    """A butterfly valve with its lever."""
    disc = cylinder(0.16, 0.02).turned("z", 75).moved(y=0.25)
    lever = box(0.4, 0.02, 0.05).moved(x=0.15, y=0.62)
    return (
        ring(0.2, 0.06).turned("x", 90).moved(y=0.25).painted(BLUE),
        disc.painted(GREY),
        cylinder(0.03, 0.3, 12).moved(y=0.42).painted(GREY),
        lever.painted(RED),
    )


@cache
def skid() -> tuple[Mesh, ...]:
    """Two barrels on a frame."""
    barrel = lathe([(0, 0), (0.28, 0), (0.3, 0.45), (0.28, 0.9), (0, 0.9)])
    return (
        box(1.6, 0.1, 0.8).painted(GREY),
        barrel.moved(x=-0.4, y=0.1).painted(BLUE),
        barrel.moved(x=0.35, y=0.1).painted(SAND),
    )


@cache
def nose_gear() -> tuple[Mesh, ...]:
    """A strut with two wheels."""
    wheel = ring(0.22, 0.09).turned("x", 90).moved(y=0.31).painted((40, 42, 46))
    return (
        wheel.moved(z=-0.16),
        wheel.moved(z=0.16),
        cylinder(0.04, 0.4, 12).turned("x", 90).moved(y=0.31, z=0.2).painted(GREY),
        cylinder(0.07, 1.1, 16).moved(y=0.31).painted(PLASTER),
        box(0.5, 0.05, 0.08).turned("z", 40).moved(x=0.15, y=0.9).painted(GREY),
    )


@cache
def amphora() -> tuple[Mesh, ...]:
    """A belly, a neck and two handles."""
    belly = [(0, 0), (0.05, 0.0), (0.07, 0.04), (0.15, 0.16), (0.17, 0.24), (0.13, 0.31)]
    neck = [(0.06, 0.34), (0.055, 0.38), (0.08, 0.41), (0.07, 0.41), (0.05, 0.37)]
    handle = ring(0.06, 0.012, 16).turned("x", 90)
    return (
        lathe([*belly, *neck], 36).painted(CLAY),
        handle.moved(x=0.11, y=0.33).painted(CLAY),
        handle.moved(x=-0.11, y=0.33).painted(CLAY),
    )


@cache
def foot() -> tuple[Mesh, ...]:
    """A plaster cast: heel, sole and five toes."""
    egg = lathe([(0.5 * sin(pi * n / 8), 0.5 - 0.5 * cos(pi * n / 8)) for n in range(9)], 16)
    toes = [egg.scaled(0.04, 0.04, 0.05).moved(x=0.13, z=-0.05 + 0.03 * n) for n in range(5)]
    sole = egg.scaled(0.26, 0.06, 0.11)
    heel = egg.scaled(0.12, 0.2, 0.1).moved(x=-0.08)
    return tuple(part.painted(PLASTER) for part in (sole, heel, *toes))


@cache
def hall() -> Cloud:
    """A scan of the pump hall: floor, walls and what stands in it."""
    dice = random.Random(101)
    points = [((dice.uniform(-6, 6), 0.0, dice.uniform(-4, 4)), GREY) for _ in range(1500)]
    points += [((dice.uniform(-6, 6), dice.uniform(0, 4), -4.0), PLASTER) for _ in range(900)]
    points += [((-6.0, dice.uniform(0, 4), dice.uniform(-4, 4)), PLASTER) for _ in range(700)]
    return [*points, *_scanned(pump(1), dice, 900), *_scanned(valve(), dice, 400, x=2.5)]


@cache
def hangar(is_clean: bool) -> Cloud:
    """A scan of the hangar with two aircraft; the raw one has people in it."""
    dice = random.Random(4)
    points: Cloud = []
    for _ in range(1600):
        angle = dice.uniform(0, pi)
        roof = (20 * cos(angle), 12 * sin(angle), dice.uniform(-25, 25))
        points.append((roof, GREY))
    points += [((dice.uniform(-20, 20), 0.0, dice.uniform(-25, 25)), SAND) for _ in range(1400)]
    for z in (-10.0, 10.0):
        hull = lathe([(0, 0), (1.6, 3), (1.8, 12), (0.6, 20), (0, 21)]).turned("x", 90)
        wings = box(24, 0.4, 3)
        aircraft = (hull.painted(PLASTER), wings.painted(BLUE))
        points += _scanned(aircraft, dice, 900, y=3.0, z=z)
    if not is_clean:
        people = tuple(cylinder(0.3, 1.8, 8).moved(x=x).painted(RED) for x in (-8.0, 5.0, 9.0))
        points += _scanned(people, dice, 200)
    return points


def _scanned(
    parts: Sequence[Mesh],
    dice: random.Random,
    count: int,
    *,
    x: float = 0,
    y: float = 0,
    z: float = 0,
) -> Cloud:
    """Points on the triangles of meshes."""
    triangles = [(corners, part.color) for part in parts for corners in part.triangles()]
    cloud: Cloud = []
    for _ in range(count):
        (a, b, c), color = dice.choice(triangles)
        u, v = dice.random(), dice.random()
        u, v = (1 - u, 1 - v) if u + v > 1 else (u, v)
        px, py, pz = (p + u * (q - p) + v * (r - p) for p, q, r in zip(a, b, c, strict=True))
        cloud.append(((px + x, py + y, pz + z), color))
    return cloud


def _texture() -> bytes:
    """Bands of a painted vase."""
    canvas = Canvas(128, 128, CLAY)
    for top in (16, 56, 96):
        for left in range(-16, 128, 16):
            corners = [(left, top + 16), (left + 8, top), (left + 16, top + 16)]
            canvas.fill(corners, (38, 26, 22))
    return canvas.png()


def _floor_plan() -> bytes:
    return (
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 260 180" width="520" height="360">\n'
        b'<rect x="10" y="10" width="240" height="160" fill="none" '
        b'stroke="#333" stroke-width="4"/>\n'
        b'<rect x="105" y="75" width="30" height="14" fill="#3468a8"/>\n'
        b'<circle cx="180" cy="82" r="7" fill="#b24034"/>\n'
        b'<text x="104" y="104" font-size="10">P-101</text>'
        b'<text x="170" y="104" font-size="10">V-22</text>\n</svg>\n'
    )


def _sheet() -> bytes:
    return pdf(
        "P-101, sheet 1",
        [
            "Centrifugal pump, 45 kW, 1480 rpm",
            "Flange DN 150, 40 mm left of the axis as built",
            "Shaft seal: cartridge, flushed from the pressure side",
            "Lubricant: see the plate on the motor",
        ],
    )


def _bolts() -> bytes:
    steps = [
        {"step": number, "bolt": bolt, "torque_nm": torque}
        for number, (bolt, torque) in enumerate(
            [("torque link, upper", 45), ("torque link, lower", 45), ("axle nut", 180)], 1
        )
    ]
    return json.dumps({"gear": "nose", "order": steps}, indent=1).encode()


READINGS = "time,temperature_c,vibration_mm_s\n" + "".join(
    f"2026-03-01T{hour:02}:00:00Z,{61 + hour % 5},{1.2 + 0.1 * (hour % 3):.1f}\n"
    for hour in range(24)
)
NOTES = """# Notes of the survey

- 22 positions, registered to 3 mm
- The gallery could not be entered: its floor is wet
- *P-101* is where the drawing says, its flange is not
"""
FILES: dict[str, Callable[[], bytes]] = {
    "pump-1.glb": lambda: glb(pump(1), "P-101"),
    "pump-2.glb": lambda: glb(pump(2), "P-101"),
    "pump-3.glb": lambda: glb(pump(3), "P-101"),
    "pump.png": lambda: picture_of(pump(3)),
    "impeller.stl": lambda: stl(pump(3)[4]),
    "sheet.pdf": _sheet,
    "readings.csv": lambda: READINGS.encode(),
    "hall.ply": lambda: ply_cloud(hall()),
    "hall.png": lambda: picture_of_cloud(hall()),
    "floor-plan.svg": _floor_plan,
    "notes.md": lambda: NOTES.encode(),
    "valve.stl": lambda: stl(joined(valve())),
    "valve.png": lambda: picture_of(valve()),
    "skid.glb": lambda: glb(skid(), "Dosing skid"),
    "hangar-raw.ply": lambda: ply_cloud(hangar(False)),
    "hangar-clean.ply": lambda: ply_cloud(hangar(True)),
    "hangar.png": lambda: picture_of_cloud(hangar(True)),
    "gear.obj": lambda: obj(nose_gear(), "gear.mtl"),
    "gear.mtl": lambda: mtl(nose_gear()),
    "gear.png": lambda: picture_of(nose_gear()),
    "bolts.json": _bolts,
    "amphora.ply": lambda: ply(joined(amphora())),
    "amphora.png": lambda: picture_of(amphora()),
    "albedo.png": _texture,
    "foot.stl": lambda: stl(joined(foot())),
}
