"""Payload fields in the model: what stands in the item, what can be declared, what is refused."""

from __future__ import annotations

import copy
import pickle
from typing import Annotated, Any

import pytest
from pydantic import ValidationError

from sortkey import Entity, KeyOnly, Named, Outside, Payload, StoredIn, Table, camel, key
from sortkey.errors import InvalidItem, KeyValueError, ModelError
from sortkey.model.field_descriptions import fields_of
from tests.runtime.payloads.runs import Asset, Report, Run, Summary, run

ITEM = {
    "PK": {"S": "USER#12345"},
    "SK": {"S": "RUN#2026-02-22T19:12:11Z#c8a91e"},
    "runId": {"S": "c8a91e"},
    "status": {"S": "COMPLETE"},
    "environment": {"S": "prod"},
    "createdAt": {"S": "2026-02-22T19:12:11Z"},
    "graphS3Key": {"S": "graphs/prod/12345/c8a91e/graph.json"},
    "iacS3Key": {"S": "uploads/prod/12345/main.tf.json"},
}


def test_an_item_that_another_program_wrote_is_read_and_written_as_it_was() -> None:
    # The document's own example has keys and nothing else; a write must not lose or add anything.
    for more in ({}, {"graphHash": {"S": "sha256:0"}}):
        read = Run.from_item({**ITEM, **more})
        assert read.graph is not None
        assert (read.graph.key, read.graph.version_id) == (
            "graphs/prod/12345/c8a91e/graph.json",
            None,
        )
        assert read.to_item() == {**ITEM, **more}


def test_what_is_known_of_the_object_stands_beside_its_key() -> None:
    # Additive, and named after it: `iacS3VersionId` is what the document itself calls for.
    members = {
        "iacS3VersionId": {"S": "v1"},
        "iacS3Size": {"N": "17"},
        "iacS3Sha256": {"S": "ab"},
        "iacS3Encoding": {"S": "zstd"},
    }
    iac = Run.from_item({**ITEM, **members}).iac
    assert iac is not None
    assert (iac.version_id, iac.size, iac.sha256) == ("v1", 17, "ab")
    assert Run.from_item({**ITEM, **members}).to_item() == {**ITEM, **members}


def test_names_follow_the_style_of_the_key() -> None:
    # In a table with snake_case attributes a camelCase one would be a stranger.
    item = {"databaseId": {"S": "d"}, "assetId": {"S": "a"}, "note_key": {"S": "d/a/note.txt"}}
    more = {"note_version_id": {"S": "v"}, "note_size": {"N": "1"}, "note_sha256": {"S": "ab"}}
    assert Asset.from_item({**item, **more}).to_item() == {**item, **more}


def test_a_pointer_can_be_a_uri_and_lie_in_the_envelope() -> None:
    # As `s3Location` of the job engine.
    item: dict[str, Any] = {
        "PK": {"S": "JOB#j"},
        "SK": {"S": "REPORT#r"},
        "EntityType": {"S": "JobReport"},
        "Data": {
            "M": {
                "jobId": {"S": "j"},
                "reportId": {"S": "r"},
                "version": {"N": "1"},
                "s3Location": {"S": "s3://job-reports/jobs/j/reports/r.json"},
                "s3LocationVersionId": {"S": "v"},
            }
        },
    }
    read = Report.from_item(item)
    assert read.content is not None
    assert (read.content.key, read.content.version_id) == ("jobs/j/reports/r.json", "v")
    assert read.to_item() == item
    item["Data"]["M"]["s3Location"] = {"S": "s3://another/jobs/j/reports/r.json"}
    with pytest.raises(InvalidItem, match="s3://job-reports/"):
        Report.from_item(item)


def test_a_value_is_checked_when_the_entity_is_made() -> None:
    # Not after the upload, when somebody reads it.
    made = Report(job_id="j", report_id="r", content=Payload(Summary(title="t")))
    assert made.content is not None
    with pytest.raises(ValidationError, match="title"):
        Report(job_id="j", report_id="r", content=Payload({"rows": []}))  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match=r"Payload\(value\)"):
        run(graph={"nodes": []})
    with pytest.raises(ValidationError, match=r"Payload\[bytes\]"):
        run(graph=Payload.stream([b"{}"]))
    assert run(iac=Payload.stream([b""], filename="a")).iac is not None


def test_json_has_the_pointer_and_never_the_value() -> None:
    # What a REST answer shows. The value may have gigabytes, and may be secret.
    read = Run.from_item({**ITEM, "graphS3Size": {"N": "5"}})
    members = read.model_dump(mode="json", include={"graph"})
    assert members == {"graph": {"key": "graphs/prod/12345/c8a91e/graph.json", "size": 5}}
    assert "nodes" not in run(graph=Payload({"nodes": [1]})).model_dump_json()
    assert "nodes" not in repr(run(graph=Payload({"nodes": [1]})))
    assert "versionId" in str(Run.model_json_schema())


def test_entities_with_payloads_are_copied_and_compared() -> None:
    # As all entities are.
    read = Run.from_item({**ITEM, "graphS3VersionId": {"S": "v"}})
    for other in (
        copy.copy(read),
        copy.deepcopy(read),
        pickle.loads(pickle.dumps(read)),
        read.changed(node_count=None),
    ):
        assert other == read
    assert read != Run.from_item({**ITEM, "graphS3VersionId": {"S": "w"}})
    assert (
        run(graph=Payload({"a": 1})) == run(graph=Payload({"a": 1})) != run(graph=Payload({"a": 2}))
    )


@pytest.mark.parametrize("name", ["..", ".", "a/../../b", "../x", "a/b", "a\\b"])
def test_a_name_from_outside_cannot_lead_to_another_place(name: str) -> None:
    # `uploads/prod/12345/{filename}`: with a slash it would be a file of somebody else.
    place = Run.__layout__.place("iac").payload
    assert place is not None
    values = {"environment": "prod", "userId": "12345"}
    with pytest.raises(KeyValueError, match="somewhere else"):
        place.declared.object_key(values, {"filename": name})
    assert place.declared.object_key(values, {"filename": "a..b"}) == "uploads/prod/12345/a..b"


def test_a_free_slot_holds_a_path_that_stays_inside() -> None:
    # `{assetId}/{path:free}` of the asset buckets; what leads out of it is refused by the bucket.
    declared = StoredIn("assets", "{assetId}/{path:free}", parameters=("path",))
    assert declared.object_key({"assetId": "a"}, {"path": "models/x.glb"}) == "a/models/x.glb"
    with pytest.raises(ModelError, match="path=…"):
        declared.object_key({"assetId": "a"}, {})
    with pytest.raises(KeyValueError, match="without assetId"):
        declared.object_key({}, {"path": "x"})


WHERE = StoredIn("b", "{id}.json")
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no place": ({"p": Payload[str]}, "StoredIn"),
    "no payload": ({"p": Annotated[str, WHERE]}, "its type must be Payload"),
    "no field": (
        {"p": Annotated[Payload[str], StoredIn("b", "{idd}.json")]},
        "{idd}.*neither a field nor one of its `parameters`",
    ),
    "taken": (
        {"p": Annotated[Payload[str], WHERE, Named("pKey")], "p_version_id": str},
        "pVersionId belongs",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_could_not_work_is_refused_with_the_class(case: str) -> None:
    # At import, not with the first upload.
    annotations, message = WRONG[case]

    def body(namespace: dict[str, Any]) -> None:
        namespace["__annotations__"] = {"id": KeyOnly[str], **annotations}
        namespace["__module__"] = __name__
        namespace["key"] = key("{id}")(_of_id)

    import types

    table = Table("wrong", key=("PK",), pitr=False)
    with pytest.raises(ModelError, match=message):
        types.new_class("Wrong", (Entity,), {"table": table, "names": camel}, body)


def _of_id(*, id: str) -> None:
    """By its id."""


def test_a_place_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ModelError, match="inline_below"):
        StoredIn("b", "{id}", inline_below=400_000)
    with pytest.raises(ModelError, match="name do not occur"):
        StoredIn("b", "{id}", parameters=("name",))


def test_a_payload_may_lie_beside_the_envelope() -> None:
    # Where a document puts it there.
    table = Table("beside", key=("PK",), pitr=False)

    class Beside(Entity, table=table, kind="Beside", envelope="Data", names=camel):
        id: KeyOnly[str]
        p: Annotated[Payload[str] | None, StoredIn("b", "{id}.txt"), Outside] = None

        @key("{id}")
        def key(*, id: str):
            """One."""

    item = {
        "PK": {"S": "1"},
        "EntityType": {"S": "Beside"},
        "Data": {"M": {}},
        "p": {"S": "1.txt"},
        "pVersionId": {"S": "v"},
    }
    assert Beside.from_item(item).to_item() == item


def test_a_model_tells_where_its_payloads_are() -> None:
    # `sortkey models` is what people read before they look into a bucket.
    members = {field["name"]: field["notes"] for field in fields_of(Run.__layout__)}
    assert members["graph"] == [
        "in artifacts: graphs/{environment}/{userId}/{runId}/graph.json, written once"
    ]
    assert members["iac"] == ["in artifacts: uploads/{environment}/{userId}/{filename}"]
