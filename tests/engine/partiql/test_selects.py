"""SELECT: what it finds and shows. The expectations are what DynamoDB Local answered, unless a
comment says why not.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.statements import Run, refusal
from tests.engine.tables import index, put, table

FOUND = [
    ("SELECT sk FROM things WHERE pk='a'", [0, 1, 2, 3, 4]),
    ('SELECT sk FROM "things" WHERE "pk"=\'a\' AND sk=1', [1]),
    ("select sk from things where pk='a' and sk=1;", [1]),
    ("SELECT sk FROM things WHERE pk='a' AND sk=99", []),
    ("SELECT sk FROM things WHERE 'a'=pk AND 1=sk", [1]),
    ("SELECT sk FROM things WHERE pk='a' AND sk>1 AND sk<4", [2, 3]),
    ("SELECT sk FROM things WHERE pk='a' AND sk>=1 AND sk<=2", [1, 2]),
    ("SELECT sk FROM things WHERE pk='a' AND sk BETWEEN 1 AND 2", [1, 2]),
    ("SELECT sk FROM things WHERE pk='a' AND sk NOT BETWEEN 1 AND 2", [0, 3, 4]),
    ("SELECT sk FROM things WHERE pk='a' AND sk IN [1,2]", [1, 2]),
    ("SELECT sk FROM things WHERE pk='a' AND sk IN (1,2)", [1, 2]),
    ("SELECT sk FROM things WHERE pk='a' AND sk IN (1)", [1]),
    ("SELECT sk FROM things WHERE pk='a' AND sk NOT IN [1,2]", [0, 3, 4]),
    ("SELECT sk FROM things WHERE pk='a' AND (sk=1 OR v='x3')", [1, 3]),
    ("SELECT sk FROM things WHERE pk='a' AND NOT sk>1", [0, 1]),
    ("SELECT sk FROM things WHERE pk='a' AND NOT v='x3' AND NOT (sk<3 OR sk=9)", [4]),
    ("SELECT sk FROM things WHERE pk='a' AND v!='x1'", [0, 2, 3, 4]),
    ("SELECT sk FROM things WHERE pk='a' AND v<>'x1'", [0, 2, 3, 4]),
    ("SELECT sk FROM things WHERE pk='a' AND pk='b'", []),
    ("SELECT sk FROM things WHERE pk='a' AND begins_with(v,'x1')", [1]),
    ("SELECT sk FROM things WHERE pk='a' AND BEGINS_WITH(\"v\",'x1')", [1]),
    ("SELECT sk FROM things WHERE pk='a' AND contains(v,'4')", [4]),
    ("SELECT sk FROM things WHERE pk='a' AND attribute_type(v,'N')", []),
    ("SELECT sk FROM things WHERE pk='a' AND size(v)=2", [0, 1, 2, 3, 4]),
    ("SELECT sk FROM things WHERE pk='a' AND sk=-1", []),
    ("SELECT sk FROM things WHERE pk='a' AND sk=+1.0e0", [1]),
    ("SELECT sk FROM things WHERE pk='b' AND n=9 -- a comment", [9]),
    ("SELECT sk FROM things WHERE pk='b' /* another */ AND nul IS NULL", [9]),
    ("SELECT sk FROM things WHERE pk='b' AND nul = NULL", [9]),
    ("SELECT sk FROM things WHERE pk='b' AND zzz IS NULL", []),
    ("SELECT sk FROM things WHERE pk='b' AND zzz IS MISSING", [9]),
    ("SELECT sk FROM things WHERE pk='b' AND n IS NOT MISSING", [9]),
    ("SELECT sk FROM things WHERE pk='b' AND n IS NUMERIC", [9]),
    ("SELECT sk FROM things WHERE pk='u' AND m.b.c='d' AND \"list\"[1]=2", [1]),
    ("SELECT sk FROM things WHERE pk='u' AND m['b'].\"c\"='d'", [1]),
    ("SELECT sk FROM things WHERE pk='u' AND s=<<'b','a'>>", [1]),
    ("SELECT sk FROM things WHERE pk='u' AND m={'a':1,'b':{'c':'d'}} AND \"list\"=[1,2,3]", [1]),
    ("SELECT sk FROM things WHERE PK='a'", []),
    ("SELECT sk FROM things WHERE n=9", [9]),
    ("SELECT sk FROM things WHERE (pk='a' AND sk=1) OR (pk='b' AND sk=9)", {1, 9}),
    ("SELECT sk FROM things WHERE pk IN ['b','a'] AND sk>3", [4, 9]),
    ("SELECT sk FROM things WHERE (pk='b' OR pk='a') AND sk>3", [4, 9]),
    ("SELECT sk FROM things WHERE pk IN ['b','a'] AND sk>3 ORDER BY pk DESC, sk ASC", [9, 4]),
    ("SELECT sk FROM things WHERE pk='a' ORDER BY sk DESC", [4, 3, 2, 1, 0]),
    ("SELECT sk FROM things WHERE pk='a' ORDER BY pk DESC", [0, 1, 2, 3, 4]),
    ("SELECT sk FROM things.by_g WHERE g='G' AND sk>2", [3, 4]),
    ('SELECT sk FROM "things"."by_g" WHERE g=\'G\' AND sk=2', [2]),
    ("SELECT sk FROM things.by_l WHERE pk='a' AND l='L'", [0, 1, 2, 3, 4]),
]


@pytest.mark.parametrize(
    ("statement", "expected"), FOUND, ids=[statement for statement, _ in FOUND]
)
def test_a_select_finds_what_its_where_clause_says(run: Run, statement: str, expected: Any) -> None:
    # Whichever way a statement is planned, by key, by partition or by scan, it means the same.
    found = [int(item["sk"]["N"]) for item in run(statement)["Items"]]
    assert (set(found) if isinstance(expected, set) else found) == expected


SHOWN = [
    ("v, n", {"v": {"S": "old"}, "n": {"N": "5"}}),
    ("m.a", {"a": {"N": "1"}}),
    ("m.a, m.b.c", {"a": {"N": "1"}, "c": {"S": "d"}}),
    ("list[0], list[1]", {"list[0]": {"N": "1"}, "list[1]": {"N": "2"}}),
    ("nope, m.neither, list[7]", {}),
    ("(v)", {"v": {"S": "old"}}),
    ("@v", {"v": {"S": "old"}}),
]


@pytest.mark.parametrize(
    ("projection", "expected"), SHOWN, ids=[projection for projection, _ in SHOWN]
)
def test_a_select_lifts_what_it_shows_to_the_top(
    run: Run, projection: str, expected: dict[str, Any]
) -> None:
    # PartiQL names a path by its last part, where a projection expression would keep the path.
    projection = projection.replace("list", '"list"')
    assert run(f"SELECT {projection} FROM things WHERE pk='u' AND sk=1")["Items"] == [expected]


def test_a_literal_on_the_left_compares_the_way_it_reads(run: Run) -> None:
    # DynamoDB Local turns "3 < sk" into "sk < 3"; SQL, and the PartiQL specification, do not.
    assert [
        item["sk"]["N"] for item in run("SELECT sk FROM things WHERE pk='a' AND 3<sk")["Items"]
    ] == ["4"]


def test_an_index_shows_what_it_projects_and_a_local_one_fetches_the_rest(run: Run) -> None:
    # A global index has no way to the table; a local one has.
    keys = {"pk": {"S": "a"}, "sk": {"N": "1"}, "g": {"S": "G"}}
    assert run("SELECT * FROM things.by_g WHERE g='G' AND sk=1")["Items"] == [keys]
    assert run("SELECT v FROM things.by_l WHERE pk='a' AND sk=1")["Items"] == [{"v": {"S": "x1"}}]
    assert (
        run("SELECT sk FROM things.by_g WHERE v='x1'")["Items"] == []
    )  # a scan finds it missing, as Scan does
    assert refusal(run, "SELECT v FROM things.by_g WHERE g='G'") == (
        "One or more parameter values were invalid: Global secondary index by_g does not project "
        "[v]"
    )


REFUSED = [
    # The guide: "at max 50 hash attribute values or at max 100 non-key attribute values".
    (
        f"SELECT sk FROM things WHERE pk IN {[str(n) for n in range(51)]}",
        "The IN operator is provided with too many operands; number of operands: 51",
    ),
    (
        "SELECT sk FROM things WHERE v='x' ORDER BY v",
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER "
        "BY clause.",
    ),
    (
        "SELECT sk FROM things WHERE pk=1",
        "Key attribute's data type should match its data type in table's schema: Key pk",
    ),
    (
        "SELECT sk FROM things WHERE pk='a' AND sk='1'",
        "Key attribute's data type should match its data type in table's schema: Key sk",
    ),
    (
        "SELECT sk FROM things WHERE pk=''",
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
        "contain an empty "
        "string value. Key: pk",
    ),
    (
        "SELECT sk FROM things WHERE sk='1'",
        "One or more parameter values were invalid: Condition parameter type does not match schema "
        "type",
    ),
    ("SELECT sk FROM things.nope WHERE g='G'", "The table does not have the specified index"),
    ("SELECT sk FROM nowhere", "Requested resource not found"),
    (
        "SELECT sk FROM things.by_g WHERE g='G' AND v='x1'",
        "One or more parameter values were invalid: Secondary index by_g does not project one or "
        "more filter "
        "attributes: [v]",
    ),
    ("SELECT sk FROM things.by_g.x", "A path may contain at most 2 components in the FROM clause"),
    ("SELECT sk FROM things[0]", "Invalid list expression in source."),
    ("SELECT sk FROM 'things'", "Unexpected from source"),
    ("SELECT sk FROM my-own-things", "Unexpected from source"),
    ("SELECT sk FROM things, things", "Only select from a single table or index is supported."),
    ("SELECT sk FROM things t", "Aliasing is not supported"),
    ("SELECT sk AS t FROM things", "Aliasing is not supported"),
    ("SELECT v, m.v FROM things", "Duplicate identifiers in select clause: v"),
    (
        "SELECT m, m.a FROM things",
        "Two document paths overlap with each other; must remove or rewrite one of these paths; "
        "path one: [m, a], "
        "path two: [m]",
    ),
    ("SELECT size(v) FROM things", "Unexpected path component at 1:8:4"),
    ("SELECT count(*) FROM things", "Unexpected path component at 1:8:5"),
    ("SELECT DISTINCT v FROM things", "Unsupported token in expression: DISTINCT"),
    ("SELECT VALUE v FROM things", "Select projection doesn't support value or pivot keywords"),
    ("SELECT m.* FROM things", "Changing item's hierarchy while reading isn't supported"),
    ("SELECT sk FROM things LIMIT 1", "Unsupported clause: LIMIT at 1:29:1"),
    ("SELECT sk FROM things GROUP BY sk", "Unsupported clause: GROUP BY"),
    (
        "SELECT sk FROM things ORDER BY sk",
        "Must have WHERE clause in the statement when using ORDER BY clause.",
    ),
    (
        "SELECT sk FROM things WHERE pk='a' ORDER BY v",
        "Variable reference v in ORDER BY clause must be part of the primary key",
    ),
    (
        "SELECT sk FROM things WHERE v='a' ORDER BY sk",
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER "
        "BY clause.",
    ),
    (
        "SELECT sk FROM things WHERE v",
        "WHERE clause must contain an expression that resolves to a boolean",
    ),
    ("SELECT sk FROM things WHERE pk='a' AND v", "The arguments to AND/OR must be Expressions"),
    ("SELECT sk FROM things WHERE NOT v", "The argument to NOT must be a Type or Expression"),
    ("SELECT sk FROM things WHERE v = MISSING", "MISSING must be compared using IS operator"),
    (
        "SELECT sk FROM things WHERE v LIKE 'x%'",
        "Unsupported operator in Condition Expression. Operator: like",
    ),
    (
        "SELECT sk FROM things WHERE sk+1=2",
        "Unsupported operator in Condition Expression. Operator: +",
    ),
    ("SELECT sk FROM things WHERE foo(v)", "Unrecognized function: foo"),
    (
        "SELECT sk FROM things WHERE begins_with(v,1)",
        "Incorrect operand type for operator or function; operator or function: begins_with, "
        "operand type: N",
    ),
    (
        "SELECT sk FROM things WHERE v IN 1",
        "IN operator must have a left hand argument of type Variable Reference and right hand "
        "argument of type Seq "
        "with at least one member",
    ),
    (
        "SELECT sk FROM things WHERE v IS INT",
        "Unsupported data type for IS operator: INTEGER. Supported data types are [MISSING, NULL, "
        "BOOLEAN, BLOB, "
        "STRING, NUMERIC, STRUCT, TUPLE, LIST] at 1:31:2",
    ),
    (
        "SELECT sk FROM things WHERE m.n[*]=1",
        "Wildcard path component like a[*].b are not supported at 1:33:1",
    ),
    (
        "SELECT sk FROM things WHERE m.*=1",
        "Unpivot path component like a.*.b are not supported at 1:31:1",
    ),
    ("SELECT sk FROM things WHERE v = <<>>", "Empty bags are not supported at 1:33:2"),
    (
        "SELECT sk FROM things WHERE v = <<1,'a'>>",
        "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags",
    ),
    (
        "SELECT sk FROM things WHERE v = [a]",
        "Unsupported data type: VariableReference under key root.0 at 1:34:1",
    ),
    (
        "SELECT sk FROM things WHERE CASE WHEN true THEN true END",
        "Unsupported token in expression: CASE at 1:29:4",
    ),
    (
        "SELECT sk FROM things WHERE EXISTS(SELECT * FROM things)",
        "Unsupported token in expression: SELECT at 1:36:6",
    ),
    (
        "SELECT pk.a FROM things WHERE pk='a'",
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
        "allowed: Key: pk",
    ),
    (
        "EXISTS(SELECT * FROM things)",
        "EXISTS can only be used in ExecuteTransaction write requests.",
    ),
    ("things", "Unsupported operation: VariableReference"),
    ("DROP TABLE things", "Unsupported operation: DropTable"),
]


@pytest.mark.parametrize(
    ("statement", "message"), REFUSED, ids=[statement for statement, _ in REFUSED]
)
def test_a_select_is_refused_in_awss_words(run: Run, statement: str, message: str) -> None:
    # Tools show these messages to people who wrote the statement by hand.
    assert refusal(run, statement) == message


MALFORMED = [
    "SELECT",
    "SELECT x",
    "SELECT * FROM",
    "SELECT * FROM things WHERE",
    "SELECT * FROM things WHERE pk = ",
    "SELECT *, v FROM things",
    "SELECT user FROM things",
    "SELECT string FROM things",
    "SELECT l[*] FROM things",
    "SELECT v FROM things WHERE v IN ()",
    "SELECT v FROM things WHERE v = 'a",
    "SELECT v FROM things WHERE v = #",
    "SELECT v FROM things WHERE v = 0x01",
    "SELECT v FROM things WHERE v IS FOO",
    "SELECT v FROM things OFFSET 1",
    "SELECT v FROM things RETURNING ALL OLD *",
    "INSERT INTO things",
    "INSERT INTO things VALUES {'pk':'z'}",
    "INSERT INTO things (pk,sk) VALUES ('z',3)",
    "UPDATE things WHERE pk='a'",
    "UPDATE things SET v WHERE pk='a'",
    "UPDATE things REMOVE v, n WHERE pk='a'",
    "UPDATE things SET v=1 WHERE pk='a' RETURNING OLD *",
    "DELETE things WHERE pk='a'",
]


@pytest.mark.parametrize("statement", MALFORMED)
def test_what_is_no_partiql_is_shown_back(run: Run, statement: str) -> None:
    # AWS says no more than this, so the statement itself is all that a reader has.
    assert (
        refusal(run, statement) == f"Statement wasn't well formed, can't be processed: {statement}"
    )


@pytest.mark.parametrize("of_index", ["two_hash", "two_range"])
def test_an_index_with_several_attributes_on_a_side_is_for_query_and_scan_only(
    engine: Engine, run: Run, of_index: str
) -> None:
    indexes = [
        index("two_hash", "a:H b:H"),
        index("two_range", "a:H b:R c:R"),
        index("plain", "a:H b:R"),
    ]
    engine.call("CreateTable", table("several", "pk", "pk a b c", GlobalSecondaryIndexes=indexes))
    put(engine, {name: {"S": name} for name in ("pk", "a", "b", "c")}, "several")
    message = (
        "PartiQL statements cannot be executed on tables with composite HASH keys or composite "
        "RANGE keys."
    )

    assert refusal(run, f"SELECT pk FROM several.{of_index} WHERE a='a' AND b='b'") == message
    assert refusal(run, f"SELECT pk FROM several.{of_index}") == message
    # The table itself and its other indexes are read as ever.
    for source in ("several", "several.plain"):
        assert run(f"SELECT pk FROM {source} WHERE a='a'")["Items"] == [{"pk": {"S": "pk"}}]
