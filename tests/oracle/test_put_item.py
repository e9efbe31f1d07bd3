"""PutItem: what is refused, and with which words; what is accepted, and what comes back."""

from tests.oracle.cases import Arena, B, Case, N, S, cases, wrong_types

ITEM = {"pk": S("put"), "a": N(1)}
GOOD = {"TableName": "@hash", "Item": ITEM}


def put(**members: object) -> Case:
    return GOOD | members


def item(**attributes: object) -> Case:
    return {"TableName": "@hash", "Item": ITEM | attributes}


CASES: dict[str, Case] = {
    "nothing": {},
    "no table": {"Item": ITEM},
    "no item": {"TableName": "@hash"},
    "table is not there": put(TableName="@missing"),
    "table name empty": put(TableName=""),
    "table name of 1": put(TableName="a"),
    "table name of 2": put(TableName="ab"),
    "table name of 256": put(TableName="a" * 256),
    "table name with a space": put(TableName="a bc"),
    "table name with a star": put(TableName="abc*"),
    "table by ARN that is not there": put(
        TableName="arn:aws:dynamodb:us-east-1:000000000000:table/nope"
    ),
    "empty item": put(Item={}),
    "key missing": put(Item={"a": N(1)}),
    "key of wrong type": put(Item={"pk": N(1)}),
    "key is a set": put(Item={"pk": {"SS": ["a"]}}),
    "key is null": put(Item={"pk": {"NULL": True}}),
    "key is empty": put(Item={"pk": S("")}),
    "key of 2048 bytes": put(Item={"pk": S("k" * 2048)}),
    "key of 2049 bytes": put(Item={"pk": S("k" * 2049)}),
    "sort key missing": put(TableName="@range", Item={"pk": S("a")}),
    "sort key of wrong type": put(TableName="@range", Item={"pk": S("a"), "sk": S("1")}),
    "sort key of 1024 bytes": put(TableName="@indexed", Item={"pk": S("a"), "sk": S("s" * 1024)}),
    "sort key of 1025 bytes": put(TableName="@indexed", Item={"pk": S("a"), "sk": S("s" * 1025)}),
    "sort key empty": put(TableName="@indexed", Item={"pk": S("a"), "sk": S("")}),
    "binary keys": put(TableName="@binary", Item={"pk": B("YWE="), "sk": B("YmI=")}),
    "binary key empty": put(TableName="@binary", Item={"pk": B(""), "sk": B("YmI=")}),
    "binary key not base64": put(TableName="@binary", Item={"pk": B("%%%"), "sk": B("YmI=")}),
    "index key of wrong type": put(
        TableName="@indexed", Item={"pk": S("a"), "sk": S("b"), "g": N(1)}
    ),
    "index key empty": put(TableName="@indexed", Item={"pk": S("a"), "sk": S("b"), "g": S("")}),
    "index key null": put(
        TableName="@indexed", Item={"pk": S("a"), "sk": S("b"), "g": {"NULL": True}}
    ),
    "local index key of wrong type": put(
        TableName="@indexed", Item={"pk": S("a"), "sk": S("b"), "l": S("x")}
    ),
    "index key too long": put(
        TableName="@indexed", Item={"pk": S("a"), "sk": S("b"), "g": S("g" * 2049)}
    ),
    "all index keys": put(
        TableName="@indexed", Item={"pk": S("a"), "sk": S("b"), "g": S("x"), "h": N(1), "l": N(2)}
    ),
    "attribute name empty": item(**{"": S("x")}),
    "attribute name long": put(Item={"pk": S("long"), "n" * 65535: S("x")}),
    "attribute name too long": item(**{"n" * 65536: S("x")}),
    "item over 400 KB": item(big=S("x" * 410_000)),
    "item of nearly 400 KB": item(big=S("x" * 409_000)),
    "returns all old of nothing": put(Item={"pk": S("never-put-before")}, ReturnValues="ALL_OLD"),
    "returns all old": put(Item={"pk": S("one-old"), "a": N(1)}, ReturnValues="ALL_OLD"),
    "returns all new": put(ReturnValues="ALL_NEW"),
    "returns updated old": put(ReturnValues="UPDATED_OLD"),
    "returns nonsense": put(ReturnValues="EVERYTHING"),
    "returns none": put(ReturnValues="NONE"),
    "returns lower case": put(ReturnValues="all_old"),
    "capacity total": put(ReturnConsumedCapacity="TOTAL"),
    "capacity indexes": put(ReturnConsumedCapacity="INDEXES"),
    "capacity none": put(ReturnConsumedCapacity="NONE"),
    "capacity nonsense": put(ReturnConsumedCapacity="SOME"),
    "capacity of an item of 3 KB": put(
        Item={"pk": S("big"), "a": S("x" * 3000)}, ReturnConsumedCapacity="TOTAL"
    ),
    "capacity of making it small again": put(Item={"pk": S("big")}, ReturnConsumedCapacity="TOTAL"),
    "capacity with indexes": put(
        TableName="@indexed",
        Item={"pk": S("c"), "sk": S("b"), "g": S("x"), "h": N(1), "l": N(2)},
        ReturnConsumedCapacity="INDEXES",
    ),
    "capacity when index keys change": put(
        TableName="@indexed",
        Item={"pk": S("c"), "sk": S("b"), "g": S("y"), "h": N(1), "l": N(3)},
        ReturnConsumedCapacity="INDEXES",
    ),
    "capacity when index keys go": put(
        TableName="@indexed", Item={"pk": S("c"), "sk": S("b")}, ReturnConsumedCapacity="INDEXES"
    ),
    "metrics size": put(ReturnItemCollectionMetrics="SIZE"),
    "metrics size with a local index": put(
        TableName="@indexed", Item={"pk": S("c"), "sk": S("m")}, ReturnItemCollectionMetrics="SIZE"
    ),
    "metrics nonsense": put(ReturnItemCollectionMetrics="BIG"),
    "several enums wrong": put(
        ReturnValues="x", ReturnConsumedCapacity="y", ReturnItemCollectionMetrics="z"
    ),
    "condition holds": put(ConditionExpression="attribute_not_exists(nope)"),
    "condition fails": put(ConditionExpression="attribute_exists(nope)"),
    "condition fails and gives the item": put(
        Item={"pk": S("two")},
        ConditionExpression="attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    ),
    "condition fails on nothing and gives the item": put(
        Item={"pk": S("nobody")},
        ConditionExpression="attribute_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    ),
    "failure nonsense": put(
        ConditionExpression="a = a", ReturnValuesOnConditionCheckFailure="SOME"
    ),
    "condition empty": put(ConditionExpression=""),
    "names without expression": put(ExpressionAttributeNames={"#a": "a"}),
    "values without expression": put(ExpressionAttributeValues={":a": S("a")}),
    "names empty": put(ConditionExpression="attribute_exists(pk)", ExpressionAttributeNames={}),
    "values empty": put(ConditionExpression="attribute_exists(pk)", ExpressionAttributeValues={}),
    "name unused": put(
        ConditionExpression="attribute_exists(a)", ExpressionAttributeNames={"#b": "b"}
    ),
    "value unused": put(
        ConditionExpression="attribute_exists(a)", ExpressionAttributeValues={":b": S("b")}
    ),
    "name without hash sign": put(
        ConditionExpression="attribute_exists(b)", ExpressionAttributeNames={"b": "b"}
    ),
    "value without colon": put(
        ConditionExpression="a = b", ExpressionAttributeValues={"b": S("b")}
    ),
    "value wrong": put(ConditionExpression="a = :b", ExpressionAttributeValues={":b": {}}),
    "value of two types": put(
        ConditionExpression="a = :b", ExpressionAttributeValues={":b": {"S": "a", "N": "1"}}
    ),
    "expected fails": put(Expected={"pk": {"Exists": False}}, Item={"pk": S("two")}),
    "expected holds": put(Expected={"pk": {"Exists": False}}, Item={"pk": S("fresh")}),
    "expected and condition": put(
        Expected={"pk": {"Exists": False}}, ConditionExpression="attribute_exists(pk)"
    ),
    "expected with placeholders": put(
        Expected={"a": {"Exists": False}}, ExpressionAttributeNames={"#a": "a"}
    ),
    "conditional operator alone": put(ConditionalOperator="AND"),
    "conditional operator with empty expected": put(ConditionalOperator="AND", Expected={}),
    "unknown member": put(Sortkey="x"),
}

VALUES: dict[str, Case] = {
    "string empty": item(v=S("")),
    "string with a zero byte": item(v=S("a\x00b")),
    "string beyond the basic plane": item(v=S("𝄞")),
    "number not a number": item(v=N("abc")),
    "number empty": item(v=N("")),
    "number with spaces": item(v=N(" 1 ")),
    "number hex": item(v=N("0x1")),
    "number infinite": item(v=N("Infinity")),
    "number not-a-number": item(v=N("NaN")),
    "number with plus": item(v=N("+1")),
    "number with exponent": item(v=N("1.5e3")),
    "number with leading zeros": item(v=N("0001.1000")),
    "number minus zero": item(v=N("-0.0")),
    "number dot first": item(v=N(".5")),
    "number dot last": item(v=N("5.")),
    "number 38 digits": item(v=N("1" * 38)),
    "number 39 digits": item(v=N("1" * 39)),
    "number 39 digits with a zero": item(v=N("1" * 38 + "0")),
    "number largest": item(v=N("9.9999999999999999999999999999999999999E+125")),
    "number too large": item(v=N("1E+126")),
    "number smallest": item(v=N("1E-130")),
    "number too small": item(v=N("1E-131")),
    "number most negative": item(v=N("-9.9999999999999999999999999999999999999E+125")),
    "number too negative": item(v=N("-1E+126")),
    "number as a JSON number": item(v={"N": 1}),
    "number set with equal values": item(v={"NS": ["1", "1.0"]}),
    "number set with a bad one": item(v={"NS": ["1", "x"]}),
    "number set canonical": item(v={"NS": ["1.0", "2e1"]}),
    "set empty": item(v={"SS": []}),
    "number set empty": item(v={"NS": []}),
    "binary set empty": item(v={"BS": []}),
    "set with equal values": item(v={"SS": ["a", "a"]}),
    "set with an empty string": item(v={"SS": ["", "a"]}),
    "binary set with equal values": item(v={"BS": ["YQ==", "YQ=="]}),
    "binary empty": item(v=B("")),
    "binary not base64": item(v=B("a")),
    "binary with a bad character": item(v=B("YQ=$")),
    "binary without padding": item(v=B("YQ")),
    "null true": item(v={"NULL": True}),
    "null false": item(v={"NULL": False}),
    "null as text": item(v={"NULL": "true"}),
    "boolean as text": item(v={"BOOL": "true"}),
    "boolean as number": item(v={"BOOL": 1}),
    "list empty": item(v={"L": []}),
    "map empty": item(v={"M": {}}),
    "map with an empty name": item(v={"M": {"": S("x")}}),
    "list with an empty value": item(v={"L": [{}]}),
    "map with a wrong number": item(v={"M": {"a": N("x")}}),
    "list with an empty set": item(v={"L": [{"SS": []}]}),
    "no type": item(v={}),
    "two types": item(v={"S": "a", "N": "1"}),
    "unknown type": item(v={"X": "a"}),
    "unknown type beside a known one": item(v={"S": "a", "X": "a"}),
    "value is text": item(v="a"),
    "value is a list": item(v=["a"]),
    "value is null": item(v=None),
    "string is a number": item(v={"S": 1}),
    "string is null": item(v={"S": None}),
    "set is text": item(v={"SS": "a"}),
    "set of numbers": item(v={"SS": [1]}),
    "list is a map": item(v={"L": {}}),
    "map is a list": item(v={"M": []}),
}


def nested(depth: int) -> Case:
    value = S("x")
    for _ in range(depth):
        value = {"L": [value]}
    return item(v=value)


DEPTHS = {f"{depth} levels": nested(depth) for depth in (30, 31, 32, 33)}


@cases(CASES)
def test_put_item_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # SDKs and the programs on them branch on these types and show these messages.
    arena.same("PutItem", case)


@cases(VALUES | DEPTHS)
def test_values_are_taken_or_refused_as_the_oracle_does(arena: Arena, case: Case) -> None:
    # A value that slips in here can never be read by a client; one refused wrongly loses data.
    arena.same("PutItem", case)
    arena.same_afterwards("GetItem", {"TableName": "@hash", "Key": {"pk": S("put")}})


@cases(
    wrong_types({**GOOD, "ReturnValues": "NONE", "Expected": {}, "ExpressionAttributeNames": {}})
)
def test_members_of_a_wrong_type_are_refused_as_the_oracle_does(arena: Arena, case: Case) -> None:
    # The body is read into a shape before anything is checked; this decides which error a client
    # sees first.
    arena.same("PutItem", case)
