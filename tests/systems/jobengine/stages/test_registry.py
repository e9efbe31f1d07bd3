"""The six stages on the sample shop, end to end: what is found, what is mapped, and what the report
says.
"""

import json
import sqlite3
import time
from pathlib import Path

import pytest

from sortkey_systems.jobengine.sample_shop import FLAWS, make_shop
from sortkey_systems.jobengine.sources import open_source
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.default_stages import default_stages
from sortkey_systems.jobengine.stages.raw_analysis import data_profiling
from sortkey_systems.jobengine.stages.raw_analysis.data_profiling import Profile
from sortkey_systems.jobengine.stages.raw_analysis.metadata_analysis import Metadata
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.registry import STEPS, run_journey, run_stage, step_ids
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import AttributeMappings
from sortkey_systems.jobengine.stages.tmf_mapping.gap_identification import Gaps
from sortkey_systems.jobengine.stages.tmf_mapping.relationship_mapping import RelationshipMappings
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches
from sortkey_systems.jobengine.stages.verification_validation.final_report import FinalReport
from sortkey_systems.jobengine.stages.work import MemoryContext, MissingResult, Work, to_json
from tests.systems.jobengine.stage_runs import ANY_LOSS, STAGES, rule, run_until, shop


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Work:
    """A shop that was migrated."""
    work = shop(tmp_path_factory.mktemp("shop"), customers=100)
    run_journey(work, MemoryContext())
    return work


@pytest.mark.accepts("JE-21", "JE-22")
def test_the_steps_that_run_are_those_of_the_default_stages() -> None:
    # What a journey announces and what a worker does must be the same list.
    announced = {
        stage.stage_id: [step.step_id for step in stage.steps]
        for stage in default_stages("JRN-ABC123456789")
    }
    assert {stage_id: step_ids(stage_id) for stage_id in STEPS} == announced


def test_the_sample_is_the_same_at_every_call(tmp_path: Path) -> None:
    # A demo that shows other figures each time cannot be talked about.
    dumps = []
    for name in ("a", "b"):
        with sqlite3.connect(make_shop(tmp_path / f"{name}.sqlite", customers=50)) as db:
            dumps.append(list(db.iterdump()))
    assert dumps[0] == dumps[1]


def test_raw_analysis_finds_the_flaws_that_were_put_in(done: Work) -> None:
    # An analysis that misses what we planted would miss what nobody knows of.
    metadata, profile = (
        done.result("metadata_analysis", Metadata),
        done.result("data_profiling", Profile),
    )
    assert len(done.result("schema_extraction", ExtractedSchema).tables) == 22
    keyless = {each.table: each.key for each in metadata.tables if each.key_origin != "declared"}
    assert keyless["order_items"] == ["order_id", "line_no"]
    assert keyless["product_attributes"] == ["product_id", "attribute_name"]
    assert keyless["reviews"] == ["product_id", "customer_id"]
    assert keyless["customer_contacts"] == []
    assert profile.table("customer_contacts").duplicate_rows == FLAWS.repeated_contacts
    assert profile.table("order_items").duplicate_rows == FLAWS.repeated_order_lines
    issues = " / ".join(profile.table("customers").issues)
    assert f"email is repeated in {FLAWS.repeated_customers} rows" in issues
    assert f"full_name is missing in {FLAWS.nameless_customers} rows" in issues
    assert "registered_on mixes dates" in issues


def test_more_values_than_are_counted_are_not_taken_for_repeated_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Counting ends somewhere, for the sake of memory; what was not counted was not seen twice.
    monkeypatch.setattr(data_profiling, "DISTINCT_MAX", 9)
    with sqlite3.connect(tmp_path / "people.sqlite") as db:
        db.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT)")
        db.executemany(
            "INSERT INTO people VALUES (?, ?)", [(n, f"a{n}@example.com") for n in range(10)]
        )
    work = Work(open_source(tmp_path / "people.sqlite"), str(tmp_path / "out.sqlite"))
    run_stage("raw_analysis", work, MemoryContext())
    assert work.result("data_profiling", Profile).table("people").issues == []


def test_relationships_that_nobody_declared_are_inferred(done: Work) -> None:
    # In old databases the foreign keys are in the heads of people who have left.
    found = {
        (each.table, each.column): each
        for each in done.result("metadata_analysis", Metadata).relationships
    }
    assert found["orders", "cust_id"].target == "customers"
    assert found["orders", "cust_id"].origin == "inferred"
    assert found["orders", "cust_id"].orphans == FLAWS.orders_of_lost_customers
    assert found["prices", "offer_id"].target == "product_offers"
    assert found["product_offers", "product_id"].origin == "declared"
    assert ("customers", "customer_id") not in found


RESOURCES = {
    "customers": "Customer",
    "customer_addresses": "ContactMedium",
    "customer_contacts": "ContactMedium",
    "catalogs": "Catalog",
    "categories": "Category",
    "products": "ProductSpecification",
    "product_attributes": "ProductSpecificationCharacteristic",
    "product_offers": "ProductOffering",
    "prices": "ProductOfferingPrice",
    "orders": "ProductOrder",
    "order_items": "ProductOrderItem",
    "services": "ServiceSpecification",
    "service_categories": "ServiceCategory",
    "service_plans": "ServiceCandidate",
}


def test_tables_are_matched_to_the_resources_that_a_person_would_choose(done: Work) -> None:
    # And five to none: a wrong resource is worse than a gap.
    found = done.result("tmf_api_matching", ApiMatches)
    assert {each.table: each.resource for each in found.matches} == RESOURCES
    assert found.junctions == ["product_categories"]
    assert {table for table, _ in found.unmatched} == {
        "payments",
        "reviews",
        "stock_levels",
        "suppliers",
        "warehouses",
    }


@pytest.mark.parametrize(
    ("column", "path"),
    [
        ("products.sku", "productNumber"),
        ("products.title", "name"),
        ("customers.registered_on", "validFor.startDateTime"),
        ("customers.email", "contactMedium.characteristic.emailAddress"),
        ("orders.order_no", "externalId"),
        ("orders.total_amount", "orderTotalPrice.price.taxIncludedAmount.value"),
        ("orders.status", "state"),
        ("order_items.qty", "quantity"),
        ("prices.amount", "price.value"),
        ("prices.currency", "price.unit"),
    ],
)
def test_columns_are_mapped_with_a_confidence(done: Work, column: str, path: str) -> None:
    # By names, synonyms, abbreviations and types, without a rule.
    table, name = column.split(".")
    mapping = done.result("attribute_mapping", AttributeMappings).of(table)
    assert mapping is not None
    (found,) = [each for each in mapping.fields if each.column == name]
    assert found.path == path
    assert 0.6 <= found.confidence < 1


def test_links_become_references_from_the_side_that_tmf_has_them_on(done: Work) -> None:
    # An offering lists its prices; in the source it is the price that names its offer.
    found = {
        (each.table, each.path): each.kind
        for each in done.result("relationship_mapping", RelationshipMappings).references
    }
    assert found["orders", "relatedParty.id"] == "own"
    assert found["product_offers", "productOfferingPrice.id"] == "listed"
    assert found["products", "category.id"] == "joined"
    assert found["categories", "parentId"] == "own"


def test_nothing_is_left_out_silently(done: Work) -> None:
    # Every column of the source is mapped, kept, removed with a reason, or a gap.
    gaps = {each.subject for each in done.result("gap_identification", Gaps).gaps}
    assert {"payments", "suppliers", "customers.loyalty_points", "products.weight_grams"} <= gaps
    assert "Customer.engagedParty.id" in gaps


def test_an_order_is_a_document_as_tmf622_has_it(done: Work) -> None:
    # Read by a person, one document says more than all counts.
    with (
        Target(done.target) as target,
        sqlite3.connect(f"file:{done.source.path}?mode=ro", uri=True) as db,
    ):  # type: ignore[attr-defined]
        order = next(
            document for _, document in target.documents("ProductOrder") if document["id"] == "7"
        )
        row = db.execute(
            "SELECT order_no, cust_id, total_amount FROM orders WHERE order_id = 7"
        ).fetchone()
        lines = db.execute("SELECT COUNT(*) FROM order_items WHERE order_id = 7").fetchone()[0]
    assert order["externalId"] == row[0]
    assert order["relatedParty"] == [
        {
            "id": str(row[1]),
            "href": f"/tmf-api/customerManagement/v4/customer/{row[1]}",
            "role": "customer",
            "@referredType": "Customer",
        }
    ]
    amount = float(row[2].replace("€", "").replace(",", "."))
    assert order["orderTotalPrice"][0]["price"]["taxIncludedAmount"] == {
        "value": amount,
        "unit": "EUR",
    }
    assert order["orderDate"].endswith("Z")
    assert [each["id"] for each in order["productOrderItem"]] == [
        f"7-{line}" for line in range(1, lines + 1)
    ]


def test_the_report_accounts_for_every_row_and_names_what_stayed_behind(done: Work) -> None:
    # It is what the customer signs.
    report = done.result("final_report", FinalReport)
    assert report.outcome == "needs_review"
    assert len(report.tables) == 22
    for line in report.tables:
        went = ("documents", "references", "refused", "duplicates", "left_behind", "left_out")
        assert line["rows"] == sum(int(line[name]) for name in went), line
    customers = next(each for each in report.tables if each["table"] == "customers")
    assert customers["refused"] == FLAWS.nameless_customers
    assert (
        f"customers, {FLAWS.broken_dates} times: validFor.startDateTime: the value is not a date"
        in report.text
    )
    assert (
        f"orders, {FLAWS.orders_of_lost_customers} times: relatedParty.id: customers has no such "
        "row" in report.text
    )
    assert "audit_log, 99 rows: its name is that of something technical" in report.missing.tables
    assert "Decide what becomes of audit_log, payments" in report.text


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        ("DELETE FROM Category WHERE id = '3'", "rows that are neither documents nor refused: 1"),
        (
            "UPDATE Category SET document = json_set(document, '$.name', 'x') WHERE id = '3'",
            "documents that differ from their rows: 1",
        ),
    ],
)
def test_verification_notices_what_was_lost_or_changed(
    tmp_path: Path, harm: str, says: str
) -> None:
    # A verification that cannot fail proves nothing.
    work = shop(tmp_path, allowed=ANY_LOSS)
    run_until(work, "data_migration")
    with sqlite3.connect(work.target) as db:
        assert db.execute(harm).rowcount == 1
    db.close()
    run_stage("verification_validation", work, MemoryContext())
    report = work.result("final_report", FinalReport)
    assert report.outcome == "failed"
    assert says in report.verdict
    assert report.verdict.endswith("Do not use it.")


def test_a_rule_that_the_documents_break_fails_the_compliance(tmp_path: Path) -> None:
    # 0.9 is asked for; hardly a customer has an id of six digits.
    content = {"patterns": {"Customer.id": "^[0-9]{6}$"}}
    checks = rule(
        1, content, stage_id="verification_validation", type="compliance_check", title="Six digits"
    )
    report = run_journey(shop(tmp_path, rules=[checks], allowed=ANY_LOSS), MemoryContext())
    assert report.outcome == "needs_review"
    assert report.figures["compliance"] < report.figures["compliance_threshold"] == 0.9
    assert any(line.startswith("Six digits: not so in") for line in report.rules)


def test_a_dump_is_migrated_as_the_file_it_was_made_from(tmp_path: Path) -> None:
    # The same documents, whatever the data comes in.
    work = shop(tmp_path, target="file")
    run_journey(work, MemoryContext())
    with sqlite3.connect(tmp_path / "shop.sqlite") as db:
        (tmp_path / "shop.sql").write_text("\n".join(db.iterdump()))
    dumped = Work(open_source(tmp_path / "shop.sql"), str(tmp_path / "dump"))
    run_journey(dumped, MemoryContext())
    files = sorted(path.name for path in (tmp_path / "file").glob("*.jsonl"))
    assert len(files) == 13
    for name in files:
        assert (tmp_path / "dump" / name).read_bytes() == (tmp_path / "file" / name).read_bytes(), (
            name
        )


def test_a_journey_goes_on_from_results_that_were_stored_as_json(tmp_path: Path) -> None:
    # Each stage is a job of its own, in another process than the one before.
    straight, stored = shop(tmp_path, target="a"), shop(tmp_path, target="b")
    run_journey(straight, MemoryContext())
    for stage_id in STAGES:
        text = json.dumps({step: to_json(result) for step, result in stored.results.items()})
        stored.results = json.loads(text)
        run_stage(stage_id, stored, MemoryContext())
    ends = [work.result("final_report", FinalReport) for work in (straight, stored)]
    for each in ends:
        del each.figures["rows_per_second"]
    assert (ends[0].figures, ends[0].tables, ends[0].missing) == (
        ends[1].figures,
        ends[1].tables,
        ends[1].missing,
    )


@pytest.mark.accepts("JE-23")
def test_a_stage_without_those_before_it_says_what_is_missing(tmp_path: Path) -> None:
    # Stages run strictly in order.
    with pytest.raises(MissingResult, match="data_model_simplification"):
        run_stage("tmf_mapping", shop(tmp_path), MemoryContext())


def test_the_progress_of_a_stage_grows_over_its_steps(tmp_path: Path) -> None:
    # JE-40: 0 to 100 for the job, not for each step.
    ctx = MemoryContext()
    run_stage("raw_analysis", shop(tmp_path), ctx)
    assert ctx.percents == sorted(ctx.percents)
    assert (ctx.percents[0], ctx.percents[-1]) == (1, 100)


def test_the_whole_journey_of_the_sample_takes_seconds(tmp_path: Path) -> None:
    # A demo of a minute is watched, one of ten is not.
    work = shop(tmp_path, customers=400)
    began = time.perf_counter()
    run_journey(work, MemoryContext())
    assert time.perf_counter() - began < 30
