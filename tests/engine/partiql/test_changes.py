"""INSERT, UPDATE and DELETE. The expectations are what DynamoDB Local answered."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.errors import ConditionalCheckFailedException, DuplicateItemException
from tests.engine.statements import Run, refusal

KEY = "WHERE pk='u' AND sk=1"


def _item(engine: Engine, pk: str, sk: int) -> dict[str, Any] | None:
    key = {"pk": {"S": pk}, "sk": {"N": str(sk)}}
    return engine.call("GetItem", {"TableName": "things", "Key": key}).get("Item")


def test_an_insert_writes_an_item_and_never_replaces_one(run: Run, filled: Engine) -> None:
    # What sets INSERT apart from PutItem: the second is a DuplicateItemException, not an overwrite.
    statement = (
        "INSERT INTO things VALUE "
        "{'pk':'i','sk':1,'n':-5,'f':0.50,'e':1e3,'q':'it''s','s':<<2,1>>,'t':TRUE}"
    )
    assert run(statement) == {"Items": []}
    expected = {
        "pk": {"S": "i"},
        "sk": {"N": "1"},
        "n": {"N": "-5"},
        "f": {"N": "0.5"},
        "e": {"N": "1000"},
        "q": {"S": "it's"},
        "s": {"NS": ["1", "2"]},
        "t": {"BOOL": True},
    }
    assert _item(filled, "i", 1) == expected
    with pytest.raises(DuplicateItemException) as raised:
        run("INSERT INTO things VALUE {'pk':'i','sk':1}")
    assert raised.value.message == "Duplicate primary key exists in table"
    assert _item(filled, "i", 1) == expected


UPDATED = [
    ("SET v='new'", {"v": {"S": "new"}}),
    ("SET n=n+1", {"n": {"N": "6"}}),
    ("SET n=1+n-2", {"n": {"N": "4"}}),
    ("SET n=n+(n-1)", {"n": {"N": "9"}}),
    ("SET n=1+1", {"n": {"N": "2"}}),
    ("SET v='a', n=1 SET q=true", {"v": {"S": "a"}, "n": {"N": "1"}, "q": {"BOOL": True}}),
    ("SET q=n", {"q": {"N": "5"}}),
    ("SET q=if_not_exists(q, 3)", {"q": {"N": "3"}}),
    ("SET q=if_not_exists(n, 0)+1", {"q": {"N": "6"}}),
    (
        'SET q=list_append("list", [4])',
        {"q": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}, {"N": "4"}]}},
    ),
    ("SET q=list_append(if_not_exists(q, []), [1])", {"q": {"L": [{"N": "1"}]}}),
    ("SET s=set_add(s, <<'c'>>)", {"s": {"SS": ["a", "b", "c"]}}),
    ("SET q=SET_ADD(q, <<1>>)", {"q": {"NS": ["1"]}}),
    ("SET s=set_delete(s, <<'a'>>)", {"s": {"SS": ["b"]}}),
    ("SET s=set_delete(s, <<'a','b'>>)", {}),
    ("REMOVE v", {}),
    ("REMOVE v SET q=1", {"q": {"N": "1"}}),
    ('SET "list"[1]=9', {"list": {"L": [{"N": "9"}]}}),
    ("SET m.a=7", {"m": {"M": {"a": {"N": "7"}}}}),
    ("REMOVE m.a", {}),
    ("SET q={'a':[1,<<2>>]}", {"q": {"M": {"a": {"L": [{"N": "1"}, {"NS": ["2"]}]}}}}),
]


@pytest.mark.parametrize(("changes", "expected"), UPDATED, ids=[changes for changes, _ in UPDATED])
def test_an_update_changes_and_returns_what_it_modified(
    run: Run, changes: str, expected: dict[str, Any]
) -> None:
    # MODIFIED NEW shows the paths that changed, and nothing where nothing is left to show.
    answer = run(f"UPDATE things {changes} {KEY} RETURNING MODIFIED NEW *")
    assert answer["Items"] == ([expected] if expected else [])


def test_an_update_returns_the_side_that_it_was_asked_for(run: Run) -> None:
    # ALL is the whole item, MODIFIED the paths that changed; OLD and NEW are before and after.
    assert run(f"UPDATE things SET n=6 {KEY} RETURNING MODIFIED OLD *")["Items"] == [
        {"n": {"N": "5"}}
    ]
    assert run(f"UPDATE things SET n=7 {KEY} RETURNING ALL OLD *")["Items"][0]["n"] == {"N": "6"}
    assert run(f"UPDATE things SET n=8 {KEY} RETURNING ALL NEW *")["Items"][0]["n"] == {"N": "8"}
    assert run(f"UPDATE things SET m.a=9 {KEY} RETURNING MODIFIED OLD *")["Items"] == [
        {"m": {"M": {"a": {"N": "1"}}}}
    ]
    assert run(f"UPDATE things SET fresh=8 {KEY} RETURNING MODIFIED OLD *")["Items"] == []
    assert run(f"UPDATE things SET n=9 {KEY}")["Items"] == []


def test_an_update_makes_no_item(run: Run, filled: Engine) -> None:
    # UpdateItem would; SQL would not, and neither does PartiQL on DynamoDB.
    for statement in (
        "UPDATE things SET v=1 WHERE pk='new' AND sk=1",
        "UPDATE things REMOVE v WHERE pk='new' AND sk=1",
    ):
        with pytest.raises(ConditionalCheckFailedException):
            run(statement)
    assert _item(filled, "new", 1) is None


def test_a_condition_that_fails_changes_nothing_and_shows_the_item_when_asked(
    run: Run, filled: Engine
) -> None:
    # The rest of the WHERE clause is the condition of the write.
    before = _item(filled, "u", 1)
    for statement in (f"UPDATE things SET n=0 {KEY} AND n=6", f"DELETE FROM things {KEY} AND n=6"):
        with pytest.raises(ConditionalCheckFailedException) as raised:
            run(statement, ReturnValuesOnConditionCheckFailure="ALL_OLD")
        assert raised.value.extra["Item"] == before
    assert _item(filled, "u", 1) == before


def test_a_delete_returns_the_old_item_and_forgives_a_missing_one(run: Run, filled: Engine) -> None:
    # "If the item does not exist the statement succeeds with 0 items deleted", even with a
    # condition.
    before = _item(filled, "u", 1)
    assert run(f"DELETE FROM things {KEY} AND n=5 RETURNING ALL OLD *")["Items"] == [before]
    assert run(f"DELETE FROM things {KEY} RETURNING ALL OLD *")["Items"] == []
    assert run(f"DELETE FROM things {KEY} AND n=5")["Items"] == []


NO_KEY = "Where clause does not contain a mandatory equality on all key attributes"
WRONG_KEY = "Key attribute's data type should match its data type in table's schema: Key sk"
REFUSED = [
    ("INSERT INTO things VALUE {'pk':'z'}", "Key attribute should be present in the item: Key sk"),
    ("INSERT INTO things VALUE {'pk':'z','sk':'1'}", WRONG_KEY),
    (
        "INSERT INTO things VALUE {pk:'z'}",
        "Tuple keys must be of type String. Actual type: VariableReference under root at 1:27:2",
    ),
    (
        "INSERT INTO things VALUE {'a':1,'a':2}",
        "Duplicate keys in tuple. Key: a under root at 1:33:3",
    ),
    ("INSERT INTO things VALUE {'a':b}", "Unsupported data type: b under key root at 1:31:1"),
    ("INSERT INTO things VALUE {'a':1+2}", "Unsupported data type: + under key root at 1:32:1"),
    (
        "INSERT INTO things VALUE {'a':MISSING}",
        "Unsupported data type: MISSING under key root at 1:31:7",
    ),
    (
        "INSERT INTO things VALUE 'z'",
        "Unsupported format in item expression. Please use struct format {...} to express item "
        "values for insert "
        "statement. at 1:26:3",
    ),
    ("INSERT INTO things VALUE {'v':<<1,1>>}", "Input collection contains duplicates"),
    (
        "INSERT INTO things VALUE {'v':" + "9" * 39 + "}",
        "DynamoDB only supports precision up to 38 digits",
    ),
    (
        "INSERT INTO things VALUE {'pk':'z'} RETURNING ALL OLD *",
        "RETURNING is not supported in INSERT",
    ),
    (
        "INSERT INTO things.by_g VALUE {'pk':'z'}",
        "FROM clause may only contain a single table name in data manipulation statements",
    ),
    ("INSERT INTO nowhere VALUE {'pk':'z'}", "Requested resource not found"),
    ("INSERT INTO things <<{'pk':'z'}>>", "Unsupported operation: InsertOp"),
    ("UPDATE things SET v=1", NO_KEY),
    ("UPDATE things SET v=1 WHERE pk='u'", NO_KEY),
    ("UPDATE things SET v=1 WHERE pk='u' AND sk IN [1]", NO_KEY),
    ("UPDATE things SET v=1 WHERE pk='u' AND sk=1 OR v=1", NO_KEY),
    ("UPDATE things SET v=1 WHERE NOT (pk='u' AND sk=1)", NO_KEY),
    ("UPDATE things SET v=1 WHERE pk='u' AND sk='1'", WRONG_KEY),
    (
        "UPDATE things SET v=1 WHERE pk='u' AND sk=1 AND sk=2",
        "Multiple conditions on same key sk. Only single item Update/Insert/Delete are supported",
    ),
    (
        f"UPDATE things SET pk='q' {KEY}",
        "One or more parameter values were invalid: Cannot update attribute pk. This attribute is "
        "part of the key",
    ),
    (
        f"UPDATE things SET m.a=1, m=2 {KEY}",
        "Two document paths overlap with each other; must remove or rewrite one of these paths; "
        "path one: [m], "
        "path two: [m, a]",
    ),
    (
        f"UPDATE things SET n='x'+1, m.a=1, m=2 {KEY}",
        "Two document paths overlap with each other; must remove or rewrite one of these paths; "
        "path one: [m], "
        "path two: [n]",
    ),
    (f"UPDATE things SET n='x'+foo(1) {KEY}", "Unrecognized function: foo"),
    (f"UPDATE things SET n=v IS NULL {KEY}", "IS operator is not supported in update expressions"),
    (
        f"UPDATE things SET n=if_not_exists(n, nope) {KEY}",
        "The provided expression refers to an attribute that does not exist in the item",
    ),
    (
        f"UPDATE things SET n=if_not_exists(n, n) {KEY}",
        "The first operand must be distinct from the remaining operands for this operator or "
        "function; "
        "operator: if_not_exists, first operand: [n]",
    ),
    (f"UPDATE things SET n=n*2 {KEY}", "Unsupported operator in Update Expression. Operator: *"),
    (
        f"UPDATE things SET n=v+1 {KEY}",
        "An operand in the update expression has an incorrect data type",
    ),
    (
        f"UPDATE things SET n='x'+1 {KEY}",
        "Incorrect operand type for operator or function; operator or function: +, operand type: S",
    ),
    (
        f"UPDATE things SET n=nope {KEY}",
        "The provided expression refers to an attribute that does not exist in the item",
    ),
    (
        f"UPDATE things SET m.x.y=8 {KEY}",
        "The document path provided in the update expression is invalid for update",
    ),
    (
        f"UPDATE things SET g='' {KEY}",
        "One or more parameter values are not valid. The update expression attempted to update a "
        "secondary index key "
        "to a value that is not supported. The AttributeValue for a key attribute cannot contain "
        "an empty string "
        "value.",
    ),
    (
        f"UPDATE things SET g='{'x' * 2049}' {KEY}",
        "The update expression attempted to update the secondary index key beyond allowed size "
        "limits",
    ),
    (
        f"UPDATE things SET g=n {KEY}",
        "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S "
        "Actual: N "
        "IndexName: by_g",
    ),
    (f"UPDATE things SET n=foo(1) {KEY}", "Unrecognized function: foo"),
    (
        f"UPDATE things SET n=size(v) {KEY}",
        "The function is not allowed in an update expression; function: size",
    ),
    (
        f"UPDATE things SET s=set_add(v, <<'c'>>) {KEY}",
        "The first argument to SET_ADD must equal the assignment value",
    ),
    (
        f"UPDATE things SET s=set_add(s, 'c') {KEY}",
        "The second argument to SET_ADD must be a value with type SET at 1:29:1",
    ),
    (f"UPDATE things SET s=set_add(s) {KEY}", "SET_ADD must have exactly two arguments at 1:21:7"),
    (
        f"UPDATE things SET n=1 {KEY} RETURNING ALL OLD n",
        "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause",
    ),
    (
        "UPDATE things.by_g SET v=1 WHERE pk='u' AND sk=1",
        "This operation is not supported on an index",
    ),
    ("UPDATE things t SET v=1 WHERE pk='u' AND sk=1", "Aliasing is not supported"),
    ("DELETE FROM things", NO_KEY),
    (
        "DELETE FROM things WHERE pk='u' AND sk=1 AND v",
        "The arguments to AND/OR must be Expressions",
    ),
    (
        f"DELETE FROM things {KEY} RETURNING ALL NEW *",
        "Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed in "
        "DELETE statements.",
    ),
]


@pytest.mark.parametrize(
    ("statement", "message"), REFUSED, ids=[statement[:70] for statement, _ in REFUSED]
)
def test_a_write_is_refused_in_awss_words_and_leaves_no_trace(
    run: Run, filled: Engine, statement: str, message: str
) -> None:
    # A statement with several faults reports the one that AWS would.
    before = filled.call("Scan", {"TableName": "things"})["Items"]
    assert refusal(run, statement) == message
    assert filled.call("Scan", {"TableName": "things"})["Items"] == before


def test_writes_report_what_they_consumed(run: Run) -> None:
    # DynamoDB Local ignores ReturnConsumedCapacity here; AWS documents it.
    used = run(
        "INSERT INTO things VALUE {'pk':'c','sk':1,'g':'G'}", ReturnConsumedCapacity="INDEXES"
    )["ConsumedCapacity"]
    assert used["CapacityUnits"] == 2.0
    assert used["GlobalSecondaryIndexes"] == {"by_g": {"CapacityUnits": 1.0}}
