"""A schema in another style than the sample's: CamelCase, a name with a space, text keys, blobs,
composite keys.
"""

from pathlib import Path

from sortkey_systems.jobengine.sources import open_source
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.registry import run_journey
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import AttributeMappings
from sortkey_systems.jobengine.stages.tmf_mapping.gap_identification import Gaps
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches
from sortkey_systems.jobengine.stages.work import MemoryContext, Work

TRADERS = """
CREATE TABLE Customers (CustomerID CHAR(5) NOT NULL PRIMARY KEY, CompanyName VARCHAR(40) NOT NULL, City VARCHAR(15));
CREATE TABLE Employees (EmployeeID INT NOT NULL PRIMARY KEY, LastName VARCHAR(20), HireDate DATETIME);
CREATE TABLE Products (ProductID INT NOT NULL PRIMARY KEY, ProductName VARCHAR(40), UnitsInStock INT, Picture BLOB);
CREATE TABLE Orders (OrderID INT NOT NULL PRIMARY KEY, CustomerID CHAR(5) REFERENCES Customers (CustomerID),
  EmployeeID INT REFERENCES Employees (EmployeeID), OrderDate DATETIME, RequiredDate DATETIME);
CREATE TABLE "Order Details" (OrderID INT NOT NULL REFERENCES Orders (OrderID),
  ProductID INT NOT NULL REFERENCES Products (ProductID), UnitPrice MONEY, Quantity INT,
  PRIMARY KEY (OrderID, ProductID));
INSERT INTO Customers VALUES ('ALFKI', 'Alfreds', 'Berlin'), ('BONAP', 'Bon app', 'Marseille');
INSERT INTO Employees VALUES (1, 'Davolio', '1992-05-01'), (2, 'Fuller', '1992-08-14');
INSERT INTO Products VALUES (1, 'Chai', 39, x'00ff'), (2, 'Chang', 17, NULL);
INSERT INTO Orders VALUES (10, 'ALFKI', 1, '1996-07-04', '1996-08-01'), (11, 'BONAP', 2, '1996-07-05', NULL);
INSERT INTO "Order Details" VALUES (10, 1, 14.5, 12), (10, 2, 9.8, 10), (11, 1, 34.8, 5);
"""


def test_a_schema_of_another_style_is_migrated_without_a_rule(tmp_path: Path) -> None:
    # What was written with one database in mind works on that one.
    (tmp_path / "traders.sql").write_text(TRADERS)
    work = Work(open_source(tmp_path / "traders.sql"), str(tmp_path / "out"))
    report = run_journey(work, MemoryContext())
    assert report.missing.tables[0].startswith("Employees, 2 rows: no resource is like it")
    assert report.exceeded == ["rows of the source not in the target: 2 of 11, allowed 0"]
    assert {
        each.table: each.resource for each in work.result("tmf_api_matching", ApiMatches).matches
    } == {
        "Customers": "Customer",
        "Order Details": "ProductOrderItem",
        "Orders": "ProductOrder",
        "Products": "ProductSpecification",
    }
    orders = work.result("attribute_mapping", AttributeMappings).of("Orders")
    assert orders is not None
    assert {each.column: each.path for each in orders.fields} == {
        "OrderDate": "orderDate",
        "RequiredDate": "requestedCompletionDate",
    }
    with Target(work.target) as target:
        order = next(document for _, document in target.documents("ProductOrder"))
        product = next(document for _, document in target.documents("ProductSpecification"))
    assert [each["id"] for each in order["productOrderItem"]] == ["10-1", "10-2"]
    assert order["relatedParty"][0]["id"] == "ALFKI"
    # Bytes pass through JSON, as characteristics do.
    assert {each["name"] for each in product["productSpecCharacteristic"]} == {
        "UnitsInStock",
        "Picture",
    }


def test_a_link_to_a_table_that_stays_behind_is_one_gap_and_not_two(tmp_path: Path) -> None:
    # A report that says everything twice is not read.
    (tmp_path / "traders.sql").write_text(TRADERS)
    work = Work(open_source(tmp_path / "traders.sql"), str(tmp_path / "out"))
    run_journey(work, MemoryContext())
    subjects = [gap.subject for gap in work.result("gap_identification", Gaps).gaps]
    assert subjects.count("Orders.EmployeeID") == 1
    assert "Employees" in subjects
