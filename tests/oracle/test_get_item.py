"""GetItem: keys, projections old and new, consistency, capacity."""

from tests.oracle.cases import Arena, B, Case, N, S, cases, wrong_types

GOOD = {"TableName": "@hash", "Key": {"pk": S("one")}}


def get(**members: object) -> Case:
    return GOOD | members


def project(text: str, **names: str) -> Case:
    return get(ProjectionExpression=text) | (
        {"ExpressionAttributeNames": {f"#{k}": v for k, v in names.items()}} if names else {}
    )


CASES: dict[str, Case] = {
    "nothing": {},
    "no key": {"TableName": "@hash"},
    "no table": {"Key": {"pk": S("one")}},
    "there": GOOD,
    "not there": get(Key={"pk": S("nobody")}),
    "not there with capacity": get(Key={"pk": S("nobody")}, ReturnConsumedCapacity="TOTAL"),
    "table is not there": get(TableName="@missing"),
    "table name short": get(TableName="ab"),
    "table name bad": get(TableName="a;b"),
    "key empty": get(Key={}),
    "key too many": get(Key={"pk": S("one"), "x": S("a")}),
    "key other name": get(Key={"x": S("one")}),
    "key wrong type": get(Key={"pk": N(1)}),
    "key is a list": get(Key={"pk": {"L": []}}),
    "key value empty": get(Key={"pk": S("")}),
    "key value no type": get(Key={"pk": {}}),
    "key value two types": get(Key={"pk": {"S": "a", "N": "1"}}),
    "key number bad": get(TableName="@range", Key={"pk": S("p"), "sk": N("x")}),
    "key number other spelling": get(TableName="@range", Key={"pk": S("p"), "sk": N("1.0")}),
    "key sort missing": get(TableName="@range", Key={"pk": S("p")}),
    "key hash missing": get(TableName="@range", Key={"sk": N(1)}),
    "key too long": get(Key={"pk": S("k" * 2049)}),
    "key binary": get(TableName="@binary", Key={"pk": B("YQ=="), "sk": B("AA==")}),
    "consistent": get(ConsistentRead=True, ReturnConsumedCapacity="TOTAL"),
    "eventually consistent": get(ConsistentRead=False, ReturnConsumedCapacity="TOTAL"),
    "capacity indexes": get(ReturnConsumedCapacity="INDEXES"),
    "capacity nonsense": get(ReturnConsumedCapacity="x"),
    "attributes to get": get(AttributesToGet=["s", "n"]),
    "attributes to get, one unknown": get(AttributesToGet=["s", "unknown"]),
    "attributes to get, none": get(AttributesToGet=[]),
    "attributes to get, twice": get(AttributesToGet=["s", "s"]),
    "attributes to get, empty name": get(AttributesToGet=[""]),
    "attributes to get with projection": get(AttributesToGet=["s"], ProjectionExpression="n"),
    "attributes to get with names": get(
        AttributesToGet=["s"], ExpressionAttributeNames={"#s": "s"}
    ),
    "projection empty": project(""),
    "projection blank": project(" "),
    "projection one": project("s"),
    "projection two": project("s, n"),
    "projection unknown": project("nothing"),
    "projection nested": project("m.x"),
    "projection deep": project("m.deep.er"),
    "projection list": project("l[0]"),
    "projection lists": project("l[3], l[0]"),
    "projection list in list": project("l[2][0]"),
    "projection map in list": project("l[3].x"),
    "projection list in map": project("m.l[1]"),
    "projection past the end": project("l[9]"),
    "projection of the wrong kind": project("s.x, n[0]"),
    "projection two of one map": project("m.x, m.n"),
    "projection same twice": project("s, s"),
    "projection overlap": project("m, m.x"),
    "projection overlap, reversed": project("m.x, m"),
    "projection overlap in list": project("l, l[0]"),
    "projection conflict": project("m.x, m[0]"),
    "projection comma last": project("s,"),
    "projection comma first": project(",s"),
    "projection no comma": project("s n"),
    "projection reserved": project("name"),
    "projection reserved nested": project("m.name"),
    "projection reserved, upper": project("NAME"),
    "projection placeholder": project("#a", a="s"),
    "projection placeholder with a dot": project("#a", a="m.x"),
    "projection placeholder nested": project("m.#a", a="x"),
    "projection placeholder unknown": project("#a"),
    "projection placeholder unused": project("s", a="s"),
    "projection placeholder unknown of some": project("#a, #b", a="s"),
    "projection negative index": project("l[-1]"),
    "projection index not a number": project("l[a]"),
    "projection index huge": project("l[99999999999]"),
    "projection value": project(":a"),
    "projection function": project("size(s)"),
    "projection number": project("1a"),
    "projection underscore": project("_a"),
    "projection dash": project("a-b"),
    "projection dot last": project("m."),
    "projection bracket open": project("l[0"),
    "names without projection": get(ExpressionAttributeNames={"#a": "s"}),
    "values, which no GetItem has": get(
        ProjectionExpression="s", ExpressionAttributeValues={":a": S("s")}
    ),
    "values without projection": get(ExpressionAttributeValues={":a": S("s")}),
    "names empty": get(ProjectionExpression="s", ExpressionAttributeNames={}),
    "name value empty": get(ProjectionExpression="#a", ExpressionAttributeNames={"#a": ""}),
    "name key bad": get(ProjectionExpression="#a", ExpressionAttributeNames={"#a": "s", "b": "n"}),
    "name key only hash": get(ProjectionExpression="#", ExpressionAttributeNames={"#": "s"}),
    "name key with a dash": get(
        ProjectionExpression="#a-b", ExpressionAttributeNames={"#a-b": "s"}
    ),
    "projection too long": project("a" * 4097),
    "projection 4096": project("a" * 255 + "," + "b" * 255),
    "name of 256": project("a" * 256),
}


@cases(CASES)
def test_get_item_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # The most called operation: its every answer must be the one that programs know.
    arena.same("GetItem", case)


@cases(
    wrong_types(
        {
            **GOOD,
            "ConsistentRead": True,
            "AttributesToGet": ["s"],
            "ReturnConsumedCapacity": "TOTAL",
        }
    )
)
def test_members_of_a_wrong_type_are_refused_as_the_oracle_does(arena: Arena, case: Case) -> None:
    # The body is read into a shape before anything is checked.
    arena.same("GetItem", case)
