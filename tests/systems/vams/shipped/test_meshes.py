"""Facts, conversions and pictures of models, in every format that is promised."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from sortkey_systems.vams.shipped.mesh_picture import BACKGROUND
from sortkey_systems.vams.shipped.meshes import convert, facts, load, mesh_facts, preview
from tests.systems.vams.runners.steps import Trial
from tests.systems.vams.shipped import models

BOXES = {
    "box.stl": models.box_stl(),
    "box.obj": models.box_obj(),
    "box.ply": models.box_ply(),
    "box.glb": models.box_glb(),
}


@pytest.mark.parametrize("name", BOXES)
def test_the_facts_of_a_box_are_its_own(tmp_path: Path, name: str) -> None:
    # Polygon_Count is a field of the schema that a new installation has.
    trial = Trial(tmp_path / "step")
    trial.add(f"model/{name}", BOXES[name])
    facts(trial.step, trial.report)
    document = json.loads(trial.made("metadata")[f"model/{name}.metadata.json"])
    values = {item["metadataKey"]: item["metadataValue"] for item in document["metadata"]}
    assert document["type"] == "metadata"
    assert values["Polygon_Count"] == "12"
    assert [values[f"Extent_{axis}"] for axis in "XYZ"] == ["1", "2", "3"]
    assert (values["Surface_Area"], values["Is_Watertight"], values["Volume"]) == (
        "22",
        "true",
        "6",
    )


@pytest.mark.parametrize("target", [".glb", ".stl", ".obj", ".ply"])
@pytest.mark.parametrize("name", ["box.stl", "box.glb"])
def test_a_converted_model_is_the_same_model(tmp_path: Path, name: str, target: str) -> None:
    # Read back, it has the same size and the same faces.
    if name.endswith(target):
        target = ".obj"
    trial = Trial(tmp_path / "step", inputParameters=json.dumps({"format": target}))
    trial.add(f"a/{name}", BOXES[name])
    convert(trial.step, trial.report)
    assert list(trial.made("files")) == [f"a/box{target}"]
    made = trial.step.place("files") / f"a/box{target}"
    values = mesh_facts(load(made, made.parent))
    assert (values["Polygon_Count"], values["Extent_Z"]) == ("12", "3")


def test_a_format_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    # The message says which can.
    trial = Trial(tmp_path / "step", outputType=".dwg")
    trial.add("box.stl", BOXES["box.stl"])
    with pytest.raises(ValueError, match=r"cannot be written as \.dwg: use \.glb"):
        convert(trial.step, trial.report)


@pytest.mark.parametrize("name", BOXES)
def test_a_preview_shows_the_model_with_lit_sides(tmp_path: Path, name: str) -> None:
    # Three sides of a box are seen from the corner, each in its own shade.
    trial = Trial(tmp_path / "step", inputParameters='{"size": 128}')
    trial.add(name, BOXES[name])
    preview(trial.step, trial.report)
    assert list(trial.made("files")) == [f"{name}.previewFile.png"]
    picture = Image.open(io.BytesIO(trial.made("previews")[f"{name}.png"])).convert("RGB")
    assert picture.size == (128, 128)
    colours = {colour: count for count, colour in picture.getcolors(1 << 16) or []}
    shades = [each for each, count in colours.items() if count > 200 and each != BACKGROUND]
    assert len(shades) == 3
    assert colours[BACKGROUND] > 1000


def test_a_model_cannot_read_files_outside_of_its_input(tmp_path: Path) -> None:
    # A glTF names its buffers by URI; a hostile one names files of the server.
    (tmp_path / "secret.bin").write_bytes(b"\0" * 36)
    trial = Trial(tmp_path / "step")
    document = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "../../secret.bin", "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
        "scene": 0,
    }
    trial.add("evil.gltf", json.dumps(document).encode())
    with pytest.raises(FileNotFoundError, match="which is not there"):
        facts(trial.step, trial.report)


@pytest.mark.parametrize("name", ["x.glb", "x.stl", "x.ply", "x.obj"])
def test_a_file_that_is_no_model_fails(tmp_path: Path, name: str) -> None:
    # Users rename files. A failure is better than facts about nothing.
    trial = Trial(tmp_path / "step")
    trial.add(name, b"\xff\xfe this is not a model" * 3)
    with pytest.raises(Exception):  # noqa: B017, PT011 - of the library, by format
        facts(trial.step, trial.report)
