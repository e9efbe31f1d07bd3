"""ExecuteStatement, BatchExecuteStatement and ExecuteTransaction: statements well formed
and not.
"""

from typing import Any

import pytest

from tests.oracle.cases import Arena, Case, N, S, cases

STATEMENTS = """
SELECT * FROM "@hash"
SELECT * FROM "@hash" WHERE pk = 'one'
select * from "@hash" where pk = 'one'
SELECT n, s FROM "@hash" WHERE pk = 'one'
SELECT m.x FROM "@hash" WHERE pk = 'one'
SELECT l[0] FROM "@hash" WHERE pk = 'one'
SELECT pk FROM "@hash" WHERE n > 3
SELECT pk FROM "@hash" WHERE n BETWEEN 1 AND 9
SELECT pk FROM "@hash" WHERE pk IN ['one', 'two']
SELECT pk FROM "@hash" WHERE begins_with(s, 'te')
SELECT pk FROM "@hash" WHERE contains(s, 'ex')
SELECT pk FROM "@hash" WHERE attribute_type(s, 'S')
SELECT pk FROM "@hash" WHERE n IS MISSING
SELECT pk FROM "@hash" WHERE s IS NOT MISSING
SELECT pk FROM "@hash" WHERE size(s) > 2
SELECT pk FROM "@hash" WHERE NOT n = 5
SELECT pk FROM "@hash" WHERE n = 5 OR n = -1
SELECT * FROM "@range" WHERE pk = 'p' AND sk >= 3
SELECT * FROM "@range" WHERE pk = 'p' ORDER BY sk DESC
SELECT * FROM "@range" WHERE pk = 'p' ORDER BY a
SELECT * FROM "@indexed"."by_g" WHERE g = 'g'
SELECT * FROM "@indexed"."nope" WHERE g = 'g'
SELECT * FROM "@missing" WHERE pk = 'x'
SELECT * FROM @hash WHERE pk = 'x'
SELECT * FROM "@hash" WHERE
SELECT FROM "@hash"
SELECT *
SELECT * FROM "@hash" LIMIT 1
SELECT COUNT(*) FROM "@hash"
SELECT * FROM "@hash" WHERE pk = "one"
SELECT * FROM "@hash" WHERE nosuch(pk)
INSERT INTO "@hash" VALUE {'pk': 'i1', 'n': 1, 's': 'x', 'l': [1, 'a'], 'm': {'k': true}, 'z': null}
INSERT INTO "@hash" VALUE {'pk': 'one'}
INSERT INTO "@hash" VALUE {'n': 1}
INSERT INTO "@hash" VALUE {'pk': 1}
INSERT INTO "@hash" VALUE {'pk': 'i2', 'ss': <<'a', 'b'>>}
INSERT INTO "@hash" VALUE 'x'
INSERT INTO "@missing" VALUE {'pk': 'x'}
UPDATE "@hash" SET n = 9 WHERE pk = 'one'
UPDATE "@hash" SET n = n + 1 WHERE pk = 'one'
UPDATE "@hash" SET n = 1 SET s = 'y' WHERE pk = 'one' RETURNING ALL NEW *
UPDATE "@hash" SET n = 2 WHERE pk = 'one' RETURNING MODIFIED OLD *
UPDATE "@hash" SET n = 2 WHERE pk = 'nobody'
UPDATE "@hash" SET n = 2 WHERE pk = 'one' AND s = 'never'
UPDATE "@hash" SET n = 2
UPDATE "@hash" SET pk = 'x' WHERE pk = 'one'
UPDATE "@hash" REMOVE s WHERE pk = 'one'
UPDATE "@hash" SET l = list_append(l, [7]) WHERE pk = 'one' RETURNING ALL NEW *
UPDATE "@hash" SET n = if_not_exists(n, nothing) WHERE pk = 'one'
UPDATE "@hash" SET n = if_not_exists(n, n) WHERE pk = 'one'
UPDATE "@hash" SET n = s IS NULL WHERE pk = 'one'
UPDATE "@hash" SET n = 'x' + foo(1) WHERE pk = 'one'
UPDATE "@hash" SET n = 'x' + 1 SET s = foo(1) WHERE pk = 'one'
UPDATE "@hash" SET n = 'x' + 1 SET s = 1 SET s.x = 1 WHERE pk = 'one'
UPDATE "@hash" SET c = nothing SET s = t + 1 WHERE pk = 'one'
UPDATE "@hash" SET s = t + 1 SET c = nothing WHERE pk = 'one'
UPDATE "@hash" SET category = nothing SET user_id = t + 1 REMOVE created_at.x WHERE pk = 'one'
DELETE FROM "@hash" WHERE pk = 'i1'
DELETE FROM "@hash" WHERE pk = 'i1'
DELETE FROM "@hash" WHERE pk = 'two' RETURNING ALL OLD *
DELETE FROM "@hash" WHERE n = 5
DELETE FROM "@hash"
DROP TABLE "@hash"
nonsense
"""


def statement(text: str, *parameters: dict[str, Any]) -> dict[str, Any]:
    return {"Statement": text} | ({"Parameters": list(parameters)} if parameters else {})


MEMBERS: dict[str, Case] = {
    "nothing": {},
    "empty": statement(""),
    "parameter": statement('SELECT * FROM "@hash" WHERE pk = ?', S("one")),
    "too few parameters": statement('SELECT * FROM "@hash" WHERE pk = ? AND n = ?', S("one")),
    "too many parameters": statement('SELECT * FROM "@hash" WHERE pk = ?', S("one"), N(1)),
    "no parameters given": statement('SELECT * FROM "@hash" WHERE pk = ?'),
    "parameters empty": statement('SELECT * FROM "@hash"') | {"Parameters": []},
    "bad parameter": statement('SELECT * FROM "@hash" WHERE pk = ?', {}),
    "insert parameters": statement(
        "INSERT INTO \"@hash\" VALUE {'pk': ?, 'n': ?}", S("param"), N(3)
    ),
    "update parameters": statement('UPDATE "@hash" SET n = ? WHERE pk = ?', N(4), S("param")),
    "deep path": statement("SELECT m" + ".x" * 40 + " FROM \"@hash\" WHERE pk = 'one'"),
    "deep path to set": statement('UPDATE "@hash" SET m' + ".x" * 1000 + " = 1 WHERE pk = 'one'"),
    "too many sums": statement('UPDATE "@hash" SET n = ' + "n + " * 301 + "1 WHERE pk = 'one'"),
    "partition key too long": statement('SELECT * FROM "@hash" WHERE pk = ?', S("x" * 70_000)),
    "capacity": statement("SELECT * FROM \"@hash\" WHERE pk = 'one'")
    | {"ReturnConsumedCapacity": "TOTAL"},
    "consistent": statement("SELECT * FROM \"@hash\" WHERE pk = 'one'") | {"ConsistentRead": True},
    "bad next token": statement('SELECT * FROM "@hash"') | {"NextToken": "x"},
    "limit": statement("SELECT * FROM \"@range\" WHERE pk = 'p'") | {"Limit": 2},
    "limit zero": statement("SELECT * FROM \"@range\" WHERE pk = 'p'") | {"Limit": 0},
}
SELECT_ONE = statement("SELECT * FROM \"@hash\" WHERE pk = 'one'")
INSERT_B1 = statement("INSERT INTO \"@hash\" VALUE {'pk': 'b1'}")
MANY: dict[str, Case] = {
    "nothing": {},
    "none": {"Statements": []},
    "one": {"Statements": [SELECT_ONE]},
    "two": {"Statements": [SELECT_ONE, statement("SELECT * FROM \"@hash\" WHERE pk = 'nobody'")]},
    "insert": {"Statements": [INSERT_B1]},
    "insert again": {"Statements": [INSERT_B1]},
    "reads and writes": {"Statements": [SELECT_ONE, INSERT_B1]},
    "one bad": {"Statements": [SELECT_ONE, statement("nonsense")]},
    "not by key": {"Statements": [statement('SELECT * FROM "@hash" WHERE n = 5')]},
    "missing table": {"Statements": [statement("SELECT * FROM \"@missing\" WHERE pk = 'x'")]},
    "empty key": {"Statements": [statement("UPDATE \"@hash\" SET n = 1 WHERE pk = ''"), INSERT_B1]},
    "key of another type": {
        "Statements": [statement('DELETE FROM "@hash" WHERE pk = 1'), INSERT_B1]
    },
    "key too long": {
        "Statements": [statement('DELETE FROM "@hash" WHERE pk = ?', S("x" * 2049)), INSERT_B1]
    },
    "26": {"Statements": [SELECT_ONE] * 26},
}


@cases({line: statement(line) for line in STATEMENTS.strip().splitlines()})
def test_statements_do_as_the_oracle_does(arena: Arena, case: Case) -> None:
    # Order of a scan is open, so items are compared as a multiset.
    arena.same("ExecuteStatement", case)


@cases(MEMBERS)
def test_execute_statement_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # Parameters and options.
    arena.same("ExecuteStatement", case)


@pytest.mark.parametrize("operation", ["BatchExecuteStatement", "ExecuteTransaction"])
@cases(MANY)
def test_many_statements_answer_as_the_oracle(arena: Arena, case: Case, operation: str) -> None:
    # A batch reports each failure in its place; a transaction fails as a whole.
    assert isinstance(case, dict)
    name = "Statements" if operation == "BatchExecuteStatement" else "TransactStatements"
    arena.same(operation, {name: case["Statements"]} if case else {})
