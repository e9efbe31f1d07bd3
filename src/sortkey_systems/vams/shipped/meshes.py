"""Facts, conversions and pictures of 3D models, by trimesh: GLB, glTF, STL, OBJ, PLY."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from sortkey_systems.vams.runners.pipeline_step import INPUT, PipelineStep, Report
from sortkey_systems.vams.shipped.mesh_picture import draw

EXTENSIONS = (".glb", ".gltf", ".stl", ".obj", ".ply")
TARGETS = (".glb", ".stl", ".obj", ".ply")
SIZE = 512


def facts(step: PipelineStep, report: Report) -> None:
    """What each model has becomes metadata: vertices, faces, extents, area, volume and whether it
    is closed.
    """
    for path, file in step.inputs(*EXTENSIONS):
        values = mesh_facts(load(file, step.place(INPUT)))
        step.describe(path, values)
        report.log(f"{path}: {values['Polygon_Count']} polygons")


def convert(step: PipelineStep, report: Report) -> None:
    """Each model in another format, beside it: the parameter `format` (".stl"), otherwise the
    output type of the pipeline, otherwise GLB.
    """
    target = target_of(step)
    for path, file in step.inputs(*EXTENSIONS):
        if file.suffix.lower() == target:
            continue
        scene = load(file, step.place(INPUT))
        data = scene.export(file_type=target.lstrip("."))
        made = step.output(str(Path(path).with_suffix(target)))
        made.write_bytes(data.encode() if isinstance(data, str) else data)
        report.log(f"{path}: written as {made.name}")


def preview(step: PipelineStep, report: Report) -> None:
    """A picture of each model: `name.previewFile.png`. The first one becomes the preview of the
    asset.
    """
    size = max(64, min(2048, int(step.parameters.get("size") or SIZE)))
    models = list(step.inputs(*EXTENSIONS))
    for number, (path, file) in enumerate(models, 1):
        mesh = joined(load(file, step.place(INPUT)))
        picture = draw(mesh.vertices, mesh.faces, size)
        picture.save(step.output(f"{path}.previewFile.png"))
        picture.save(step.preview(f"{path}.png"))
        report.log(f"{path}: drawn with {len(mesh.faces)} faces")
        report.progress(100 * number // len(models), path)


def target_of(step: PipelineStep) -> str:
    """The extension to convert to. Raises ValueError for one that cannot be written."""
    wanted = str(step.parameters.get("format") or step.body.get("outputType") or ".glb").lower()
    target = f".{wanted.lstrip('.')}"
    if target == ".all":
        return ".glb"
    if target not in TARGETS:
        raise ValueError(f"models cannot be written as {target}: use {', '.join(TARGETS)}")
    return target


def load(file: Path, root: Path) -> Any:
    """A model as a scene. Of the files that it names, those below `root` are read."""
    trimesh: Any = import_module("trimesh")
    kind = file.suffix.lower().lstrip(".")
    with file.open("rb") as data:
        scene = trimesh.load_scene(data, file_type=kind, resolver=InputResolver(file.parent, root))
    if not scene.geometry:
        raise ValueError(f"{file.name} has no geometry")
    return scene


class InputResolver:
    """Finds the files that a model names, within the input: it must not read others."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder, self._root = folder, root.resolve()

    def get(self, name: str) -> bytes:
        """The content of a file. Raises FileNotFoundError."""
        path = (self._folder / str(name)).resolve()
        if not (path.is_relative_to(self._root) and path.is_file()):
            raise FileNotFoundError(f"the model names {str(name)[:100]!r}, which is not there")
        return path.read_bytes()

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)

    def keys(self) -> list[str]:
        """The files beside the model."""
        return [path.name for path in self._folder.iterdir() if path.is_file()]

    def namespaced(self, namespace: str) -> InputResolver:
        """The same for a folder beside the model."""
        return InputResolver(self._folder / str(namespace), self._root)


def joined(scene: Any) -> Any:
    """All parts of a scene as one mesh, where they stand."""
    mesh = scene.to_mesh()
    if not len(mesh.faces):
        raise ValueError("the model has points only, and nothing to draw")
    return mesh


def mesh_facts(scene: Any) -> Mapping[str, str]:
    """Numbers about a model, as text."""
    values: dict[str, str] = {"Part_Count": str(len(scene.geometry))}
    lower, upper = scene.bounds
    for axis, name in enumerate("XYZ"):
        values[f"Extent_{name}"] = f"{float(upper[axis] - lower[axis]):.6g}"
    mesh = scene.to_mesh()
    values["Polygon_Count"] = str(len(mesh.faces))
    values["Vertex_Count"] = str(len(mesh.vertices))
    if len(mesh.faces):
        values["Surface_Area"] = f"{float(mesh.area):.6g}"
        values["Is_Watertight"] = str(bool(mesh.is_watertight)).lower()
        if mesh.is_watertight:
            values["Volume"] = f"{abs(float(mesh.volume)):.6g}"
    return values
