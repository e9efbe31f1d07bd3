"""A run's life and what is left of it: status, artifacts, lists, and the walls between users."""

import json
from collections.abc import Callable
from hashlib import sha256
from urllib.request import urlopen

import pytest

from sortkey import ItemKey, Payload
from sortkey.errors import BadCursor, NotFound, PreconditionFailed, TransitionRefused
from sortkey_systems.applens.analysis import analyze_upload
from sortkey_systems.applens.model import Run
from sortkey_systems.applens.refusals import NotComplete
from sortkey_systems.applens.sarif import to_sarif
from sortkey_systems.applens.service import AppLens
from tests.systems.applens.uploading import OTHER, SHOP, SHOP_SAFER, USER, analyzed, zipped
from tests.systems.homes import Home


@pytest.mark.accepts(
    "AL-10", "AL-11", "AL-15", "AL-16", "AL-17", "AL-21", "AL-22", "AL-25", "AL-31"
)
def test_AL_15_an_analysed_run_points_at_its_artifacts(service: AppLens, home: Home) -> None:
    # Keys as the document has them, numbers on the item, nodes and edges only in S3.
    run = analyzed(service)
    assert run.status == "COMPLETE"
    item = run.to_item()
    assert item["graphS3Key"] == {"S": f"graphs/prod/12345/{run.run_id}/graph.json"}
    assert item["analysisS3Key"] == {"S": f"reports/prod/12345/{run.run_id}/risk.json"}
    assert item["iacS3Key"] == {"S": "uploads/prod/12345/main.tf"}
    assert (run.node_count, run.edge_count, run.internet_exposed_count, run.datastore_count) == (
        3,
        2,
        1,
        1,
    )
    assert not {"nodes", "edges", "graph", "findings"} & item.keys()
    graph = home.objects["applens"].read(f"graphs/prod/12345/{run.run_id}/graph.json")
    assert run.graph_hash == f"sha256:{sha256(graph).hexdigest()}"
    assert len(json.loads(graph)["nodes"]) == 3
    report = json.loads(home.objects["applens"].read(f"reports/prod/12345/{run.run_id}/risk.json"))
    assert report["graphHash"] == run.graph_hash


@pytest.mark.accepts("AL-17", "AL-18")
def test_AL_18_the_same_infrastructure_has_the_same_hash_however_it_is_written(
    service: AppLens,
) -> None:
    # Another order, other blanks, one file or three: a run says at a glance that nothing changed.
    blocks = SHOP.split(b"\nresource")
    table, function, url = (b"resource" + each for each in blocks[1:])
    split = zipped(
        {"z.tf": table, "a.tf": url.replace(b"  ", b"\t"), "m.tf": b"# a comment\n\n" + function}
    )
    hashes = {
        analyzed(service).graph_hash,
        analyzed(service, url + b"\n\n" + table + b"\n" + function).graph_hash,
        analyzed(service, split, "shop.zip").graph_hash,
    }
    assert len(hashes) == 1
    assert analyzed(service, SHOP_SAFER).graph_hash not in hashes


@pytest.mark.accepts("AL-26")
def test_AL_26_a_graph_is_written_once(service: AppLens, home: Home) -> None:
    # What was seen of a run must stay what it is.
    run = analyzed(service)
    before = service.graph(USER, run.run_id)
    with pytest.raises(PreconditionFailed, match="written once"):
        home.store.update(ItemKey.of_entity(run), set={"graph": Payload(b"{}")})
    assert run.graph is not None
    assert run.graph.key is not None
    with pytest.raises(PreconditionFailed):
        home.objects["applens"].put(run.graph.key, b"{}", if_absent=True)
    assert service.graph(USER, run.run_id) == before


@pytest.mark.parametrize(
    ("filename", "data", "reason"),
    [
        ("main.tf", b'resource "aws_s3_bucket" {{{', "main.tf:1"),
        (
            "plan.json",
            b'{"a": 1}',
            "neither a .tf.json file nor the output of `terraform show -json`",
        ),
        ("infra.zip", b"no archive", "cannot be read as an archive"),
        ("infra.zip", zipped({"README.md": b"hello"}), "there is no Terraform in the input"),
        ("infra.zip", zipped({"../main.tf": SHOP}), "points outside the archive"),
    ],
)
@pytest.mark.accepts("AL-10", "AL-11")
def test_AL_11_what_cannot_be_analysed_ends_failed_with_the_reason(
    service: AppLens, filename: str, data: bytes, reason: str
) -> None:
    # The user reads why, and what to do; another attempt is a new run.
    run = analyzed(service, data, filename)
    assert run.status == "FAILED"
    assert run.last_error is not None
    assert reason in run.last_error
    assert run.graph is None
    assert service.progress(USER, run.run_id).last_error == run.last_error
    service.analyze(USER, run.run_id)
    service.worker().run_once()
    assert service.get(USER, run.run_id) == run
    with pytest.raises(NotComplete, match="FAILED"):
        service.graph(USER, run.run_id)


@pytest.mark.accepts("AL-11", "AL-14")
def test_AL_11_a_run_that_has_ended_stays_as_it_is(service: AppLens, home: Home) -> None:
    # By a condition on the write, in whichever home.
    run = analyzed(service)
    assert run.created_at is not None
    assert run.updated_at is not None
    assert run.updated_at >= run.created_at
    for status in ("PROCESSING", "FAILED", "COMPLETE"):
        with pytest.raises(TransitionRefused):
            home.store.move(ItemKey.of_entity(run), Run.status, status)


@pytest.mark.accepts("AL-5", "AL-6", "AL-7", "AL-30")
def test_AL_30_runs_by_user_and_environment_the_newest_first(service: AppLens) -> None:
    # What a dashboard asks for.
    made = [
        service.upload(USER, environment, "main.tf", SHOP) for environment in ("dev", "prod", "dev")
    ]
    service.upload(OTHER, "dev", "main.tf", SHOP)
    order = [
        run.run_id for run in sorted(made, key=lambda run: run.to_item()["SK"]["S"], reverse=True)
    ]
    assert [run.run_id for run in service.runs(USER).items] == order
    assert service.latest(USER).run_id == order[0]
    dev = [run_id for run_id in order if run_id != made[1].run_id]
    assert [run.run_id for run in service.runs(USER, "dev").items] == dev
    assert service.latest(USER, "dev").run_id == dev[0]
    assert service.latest(USER, "prod") == made[1]
    with pytest.raises(NotFound):
        service.latest("nobody")
    with pytest.raises(NotFound):
        service.latest(OTHER, "prod")


def test_a_list_comes_in_pages(service: AppLens) -> None:
    # A user may have thousands of runs.
    made = {service.upload(USER, "prod", "main.tf", SHOP).run_id for _ in range(5)}
    seen, cursor = [], None
    while True:
        page = service.runs(USER, cursor=cursor, size=2)
        seen += [run.run_id for run in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert len(seen) == 5
    assert set(seen) == made


@pytest.mark.accepts("AL-32", "AL-33")
def test_AL_32_lists_and_progress_need_no_objects(service: AppLens, home: Home) -> None:
    # The dashboard renders from the items alone: here there is nothing else left.
    run = analyzed(service)
    bucket = home.objects["applens"]
    for version in list(bucket.versions()):
        bucket.delete(version.key, version.version_id)
    (shown,) = service.runs(USER).items
    assert shown == run
    assert (shown.status, shown.node_count, shown.internet_exposed_count) == ("COMPLETE", 3, 1)
    assert service.progress(USER, run.run_id).percent == 100


@pytest.mark.accepts("AL-34")
def test_AL_34_what_a_newer_program_wrote_survives_an_analysis(
    service: AppLens, home: Home
) -> None:
    # Additive changes: programs of two ages share a table.
    run = service.upload(USER, "prod", "main.tf", SHOP)
    key = {name: run.to_item()[name] for name in ("PK", "SK")}
    home.store.backend.call(
        "UpdateItem",
        {
            "TableName": "applens-graph-metadata",
            "Key": key,
            "UpdateExpression": "SET team = :t",
            "ExpressionAttributeValues": {":t": {"M": {"name": {"S": "blue"}}}},
        },
    )
    service.analyze(USER, run.run_id)
    service.worker().run_once()
    assert service.get(USER, run.run_id).to_item()["team"] == {"M": {"name": {"S": "blue"}}}


@pytest.mark.accepts("AL-28", "AL-29")
def test_AL_28_a_run_is_found_by_its_id_alone_by_its_owner_only(
    service: AppLens, home: Home
) -> None:
    # A callback knows only the run. Users see only their own runs, by the key and not by a filter.
    run = analyzed(service)
    assert home.store.first(Run.by_id(run_id=run.run_id)) == run
    assert service.get(USER, run.run_id) == run
    explained = Run.by_id(run_id=run.run_id, user_id=OTHER)
    assert home.store.first(explained) is None
    assert explained.filter is None


ASKED: list[Callable[[AppLens, str], object]] = [
    lambda service, run_id: service.get(OTHER, run_id),
    lambda service, run_id: service.progress(OTHER, run_id),
    lambda service, run_id: service.artifacts(OTHER, run_id),
    lambda service, run_id: service.graph(OTHER, run_id),
    lambda service, run_id: service.report(OTHER, run_id),
    lambda service, run_id: service.sarif(OTHER, run_id),
    lambda service, run_id: service.inventory(OTHER, run_id),
    lambda service, run_id: service.analyze(OTHER, run_id),
    lambda service, run_id: service.compare(OTHER, run_id, analyzed(service, user_id=OTHER).run_id),
    lambda service, run_id: service.compare(OTHER, analyzed(service, user_id=OTHER).run_id, run_id),
]


@pytest.mark.parametrize("ask", ASKED)
def test_nobody_sees_anything_of_another_users_run(
    service: AppLens, ask: Callable[[AppLens, str], object]
) -> None:
    # Whoever guesses or overhears an id learns not even that there is such a run.
    run = analyzed(service)
    with pytest.raises(NotFound, match=f"there is no run {run.run_id}"):
        ask(service, run.run_id)


def test_a_cursor_of_one_user_is_none_for_another(service: AppLens) -> None:
    # It names keys of the first.
    for _ in range(2):
        service.upload(USER, "prod", "main.tf", SHOP)
    cursor = service.runs(USER, size=1).cursor
    assert cursor is not None
    with pytest.raises(BadCursor):
        service.runs(OTHER, cursor=cursor)
    with pytest.raises(BadCursor):
        service.runs(USER, "prod", cursor=cursor)


def test_artifacts_are_links_to_what_the_run_recorded(service: AppLens) -> None:
    # Also after the file was sent again: the link names the version.
    run = analyzed(service)
    service.upload(USER, "prod", "main.tf", SHOP_SAFER)
    links = service.artifacts(USER, run.run_id)
    assert links.iac is not None
    assert links.graph is not None
    assert links.report is not None
    with urlopen(links.iac) as answer:
        assert answer.read() == SHOP
    with urlopen(links.graph) as answer:
        assert answer.read() == service.graph(USER, run.run_id)
        assert answer.headers["Content-Type"] == "application/json"
    with urlopen(links.report) as answer:
        assert json.load(answer)["graphHash"] == run.graph_hash


def test_a_run_that_was_not_analysed_has_its_upload_only(service: AppLens) -> None:
    # Nothing is promised that is not there.
    run = service.upload(USER, "prod", "main.tf", SHOP)
    links = service.artifacts(USER, run.run_id)
    assert links.iac is not None
    assert (links.graph, links.report) == (None, None)
    with pytest.raises(NotComplete, match="UPLOADED"):
        service.report(USER, run.run_id)


def test_two_runs_side_by_side(service: AppLens) -> None:
    # What a reviewer asks of a change: what came, what went, what it did to the risks.
    before, after = analyzed(service), analyzed(service, SHOP_SAFER)
    found = service.compare(USER, before.run_id, after.run_id)
    assert not found.same_graph
    assert found.nodes.added == ["aws_s3_bucket.logs"]
    assert found.nodes.changed == ["aws_lambda_function_url.orders"]
    assert found.nodes.removed == []
    rules = {
        finding["id"]: finding["rule"]
        for finding in json.loads(service.report(USER, before.run_id))["findings"]
    }
    assert "API-01" in {rules[each] for each in found.findings.removed}
    assert found.score_after < found.score_before


def test_runs_of_one_hash_are_compared_without_their_graphs(service: AppLens, home: Home) -> None:
    # The hash says it all about the graph; here there are no graphs left to read.
    before, after = analyzed(service), analyzed(service, b"# moved\n" + SHOP)
    for run in (before, after):
        assert run.graph is not None
        assert run.graph.key is not None
        home.objects["applens"].delete(run.graph.key, run.graph.version_id)
    found = service.compare(USER, before.run_id, after.run_id)
    assert found.same_graph
    assert found.findings.added == found.findings.removed == found.findings.changed == []


def test_the_inventory_of_a_run_can_be_searched(service: AppLens) -> None:
    # By words, and by fields; with the number of findings of each.
    run = analyzed(service)
    assert len(service.inventory(USER, run.run_id)) == 3
    (table,) = service.inventory(USER, run.run_id, "type:dynamodb ORDERS")
    assert table["datastore"] is True
    assert table["findings"] > 0
    assert [row["id"] for row in service.inventory(USER, run.run_id, "exposed:true")] == [
        "aws_lambda_function_url.orders"
    ]
    assert service.inventory(USER, run.run_id, "nothing") == []


def test_sarif_of_a_run_is_that_of_its_analysis(service: AppLens) -> None:
    # From what was stored, without analysing again.
    import sortkey

    data = SHOP + b'module "vpc" {\n  source = "terraform-aws-modules/vpc/aws"\n}\n'
    run = analyzed(service, data)
    direct = to_sarif(analyze_upload("main.tf", data).report, sortkey.__version__)
    assert service.sarif(USER, run.run_id) == direct
