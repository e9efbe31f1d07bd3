"""The shipped pipelines, from the record to the result."""

from __future__ import annotations

import pytest

from sortkey_systems.vams.runners.registry import SHIPPED
from sortkey_systems.vams.workflows.shipped_pipelines import PIPELINES, install
from tests.systems.vams.host import ADMIN
from tests.systems.vams.shipped import models
from tests.systems.vams.workflows.work import Work


def test_each_shipped_function_has_a_pipeline_and_installing_twice_adds_nothing(
    work: Work,
) -> None:
    # What an administrator has changed stays as it is.
    caller = work.service.access.caller(ADMIN)
    assert {row[0] for row in PIPELINES} == set(SHIPPED)
    assert set(SHIPPED) <= set(install(work.service, caller))
    assert install(work.service, caller) == []


@pytest.mark.slow
def test_a_model_gets_its_facts_its_picture_and_another_format(work: Work) -> None:
    # In processes of their own, with the limits that users' files need.
    install(work.service, work.service.access.caller(ADMIN))
    work.asset("box", box__stl=models.box_stl())
    for name in ("model-details", "model-to-glb"):
        execution_id = work.start("box", name, "/box.stl", workflowDatabaseId="GLOBAL")
        work.run_due()
        done = work.execution("box", name, execution_id)
        assert done["executionStatus"] == "SUCCEEDED", done
    assert work.paths("box") == ["/box.glb", "/box.stl", "/box.stl.previewFile.png"]
    asset = work.found("box")
    assert work.service.metadata.of_file(asset, "/box.stl")["Polygon_Count"] == "12"
    assert asset.preview_location is not None
    assert (work.read("box", "/box.glb") or b"")[:4] == b"glTF"


@pytest.mark.slow
def test_a_picture_gets_its_details(work: Work) -> None:
    # The second step has no files of the first to read, so it reads the picture.
    install(work.service, work.service.access.caller(ADMIN))
    work.asset("photo", p__jpg=models.photo())
    execution_id = work.start("photo", "picture-details", "/p.jpg", workflowDatabaseId="GLOBAL")
    work.run_due()
    done = work.execution("photo", "picture-details", execution_id)
    assert done["executionStatus"] == "SUCCEEDED", done
    assert work.paths("photo") == ["/p.jpg", "/p.jpg.previewFile.jpg"]
    metadata = work.service.metadata.of_file(work.found("photo"), "/p.jpg")
    assert metadata["exif_Model"] == "PlantCam 3"
