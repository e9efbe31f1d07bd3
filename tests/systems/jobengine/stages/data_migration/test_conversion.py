"""Values: dates of every kind, amounts, truth and words of enumerations; what is not understood is
refused.
"""

from typing import Any

import pytest

from sortkey_systems.jobengine.stages.data_migration.conversion import NotConverted, converted
from sortkey_systems.jobengine.stages.data_migration.documents import id_of
from sortkey_systems.jobengine.stages.dates import day_comes_first, instant
from sortkey_systems.jobengine.stages.migration_planning.etl_script import Dataset
from sortkey_systems.jobengine.stages.names import likeness, tokens
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import FieldMapping
from sortkey_systems.jobengine.tmf import APIS, resources, values, words


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-03-05", "2024-03-05T00:00:00Z"),
        ("2024-03-05 10:20:30", "2024-03-05T10:20:30Z"),
        ("2024-03-05T10:20:30.250Z", "2024-03-05T10:20:30.250000Z"),
        ("2024-03-05T10:20:30+02:00", "2024-03-05T08:20:30Z"),
        ("31/12/2023", "2023-12-31T00:00:00Z"),
        ("12/31/2023", "2023-12-31T00:00:00Z"),
        ("05/03/2024", "2024-03-05T00:00:00Z"),
        ("5.3.2024", "2024-03-05T00:00:00Z"),
        ("5 March 2024", "2024-03-05T00:00:00Z"),
        ("05-Mar-2024", "2024-03-05T00:00:00Z"),
        ("20240305", "2024-03-05T00:00:00Z"),
        (1709633730, "2024-03-05T10:15:30Z"),
        ("0000-00-00", None),
        ("30/02/2024", None),
        ("soon", None),
        (12, None),
    ],
)
def test_dates_of_every_kind_are_one_kind_afterwards(value: Any, expected: str | None) -> None:
    # Four programs wrote to one column, each as it liked.
    assert instant(value) == expected


def test_slashed_dates_are_read_as_the_column_proves() -> None:
    # 05/03/2024 alone says nothing; beside 31/12/2023 it does.
    assert day_comes_first(["05/03/2024", "31/12/2023"]) is True
    assert day_comes_first(["05/03/2024", "12/31/2023"]) is False
    assert day_comes_first(["05/03/2024", None, 7]) is None
    assert instant("05/03/2024", day_first=False) == "2024-05-03T00:00:00Z"


@pytest.mark.parametrize(
    ("convert", "value", "expected"),
    [
        ("decimal", "1.234,50", 1234.5),
        ("decimal", "1,234.50", 1234.5),
        ("decimal", "12,5", 12.5),
        ("decimal", "€ 12.50", 12.5),
        ("decimal", "EUR 7", 7),
        ("decimal", "1 234.50 kr", 1234.5),
        ("decimal", "1.5e3", 1500),
        ("integer", "1E+2", 100),
        ("integer", "42", 42),
        ("boolean", "Y", True),
        ("boolean", 0, False),
        ("string", 7, "7"),
        ("string", "  ", None),
        ("enum", "SHIPPED", "inProgress"),
        ("enum", "partially_shipped", "partial"),
    ],
)
def test_values_become_what_their_attribute_has(convert: Any, value: Any, expected: Any) -> None:
    # Each of these stands in some column of the world.
    assert converted(value, FieldMapping("c", "state", convert, 1.0), "ProductOrder") == expected


@pytest.mark.parametrize(
    ("convert", "value"),
    [
        ("decimal", "many"),
        ("decimal", "12:30"),
        ("decimal", "1/2"),
        ("decimal", "12€50"),
        ("decimal", "2 of 3"),
        ("decimal", float("nan")),
        ("decimal", "1e999"),
        ("integer", float("inf")),
        ("integer", "1.5"),
        ("boolean", "maybe"),
        ("dateTime", "soon"),
        ("enum", "lost at sea"),
    ],
)
def test_what_is_not_understood_is_refused_and_not_guessed(convert: Any, value: Any) -> None:
    # A wrong value is found years later, a missing one in the report.
    with pytest.raises(NotConverted):
        converted(value, FieldMapping("c", "state", convert, 1.0), "ProductOrder")


def test_a_rule_says_what_the_values_of_a_column_mean() -> None:
    # "X7" means shipped only to those who work there.
    mapping = FieldMapping("status", "state", "enum", 1.0, values={"X7": "completed"})
    assert converted("X7", mapping, "ProductOrder") == "completed"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tbl_CustAddr", ("customer", "address")),
        ("order_no", ("order", "number")),
        ("productCategories", ("product", "category")),
        ("SKU", ("sku",)),
        ("address_line_2", ("address", "line", "2")),
        ("status", ("status",)),
    ],
)
def test_names_are_words(name: str, expected: tuple[str, ...]) -> None:
    # The words carry the meaning, not the way of writing.
    assert tokens(name) == expected


def test_names_that_only_look_alike_are_not_alike() -> None:
    # "border" is no order.
    assert likeness(("border",), ("order",)) < 0.8
    assert likeness(("name", "product"), ("product", "name")) == 0.95


def test_the_tables_of_tmf_are_consistent() -> None:
    # They are data written by hand: every name that one uses must exist.
    found = resources()
    assert {each.api for each in found.values()} == set(APIS)
    wanted = (
        "Catalog Category ProductOffering ProductSpecification ProductOfferingPrice ProductOrder "
        "ProductOrderItem"
    )
    wanted += " Customer ServiceSpecification ServiceCandidate ServiceCatalog ServiceCategory"
    assert set(wanted.split()) <= set(found)
    for resource in found.values():
        heads = {each.path.split(".")[0] for each in resource.attributes}
        assert set(resource.lists) <= heads, resource.name
        assert resource.attribute("id") is not None
        assert resource.part_of is None or resource.part_of[0] in found
        for each in resource.attributes:
            assert each.ref is None or each.ref in found, each.path
            assert each.of is None or values(each.of), each.path
            assert not each.list or each.path.split(".")[0] in resource.lists, (
                resource.name,
                each.path,
            )
    assert words("order")["delivered"] == "completed"


def test_two_rows_of_a_key_with_several_columns_never_have_one_id():
    # The second would be refused as a duplicate, and its row be lost.
    dataset = Dataset("lines", "ProductOrder", ["order", "line"], "L", [], [], [], {})
    keys = [("a-b", "c"), ("a", "b-c"), ("a~1b", "c"), ("a", "b~1c"), (1, -2), ("1-", "2")]
    ids = [id_of({"order": order, "line": line}, dataset) for order, line in keys]
    assert len({*ids}) == len(keys)
    assert id_of({"order": 7, "line": 3}, dataset) == "L7-3"
