"""The order in which AWS looks at a request. Of two faults it names the one that it meets first.

DynamoDB Local goes in another order in places: it looks for the table before it reads the values,
and at keys before expressions. Where a request has two faults both answers are right; ours must be
the one of the earlier stage.
"""

import re

# By dynalite's tests, which its author ran against AWS, and by DynamoDB Local within a stage.
_STAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "clauses of a statement",
        (r"Statement wasn't well formed", r"RETURNING clause is not supported"),
    ),
    ("parameters of a statement", (r"Number of parameters in request and statement",)),
    (
        "parameters that do not go together",
        (
            r"Can not use both expression and non-expression parameters",
            r"ExpressionAttribute(Names|Values) can only be specified when using expressions",
            r"ReturnValues can only be",
            r"Return values set to invalid value",
            r"ConditionalOperator cannot be used without",
            r"Invalid Request: TransactWriteRequest should contain",
            r"TransactItems can only contain one of",
            r"Either the KeyConditions or KeyConditionExpression parameter must be specified",
        ),
    ),
    (
        "values in keys and items",
        (
            r"Supplied AttributeValue",
            r"The parameter cannot be converted to a numeric value",
            r"A value provided cannot be converted into a number",
            r"Number (over|under)flow\.",
            r"Attempting to store more than 38 significant digits",
            r"DynamoDB only supports precision up to 38 digits",
            r"Input collection contains duplicates",
            r"Item size has exceeded",
            r"Nesting Levels have exceeded",
            r"One or more parameter values were invalid: (An? \w+ set|Binary sets|Null "
            r"attribute|Input collection)",
        ),
    ),
    (
        "keys of a batch",
        (
            r"Provided list of item keys contains duplicates",
            r"Read and write requests together in the same batch",
            r"ExecuteTransaction API does not support both read and write",
        ),
    ),
    (
        "older parameters",
        (
            r"ConditionalOperator can only",
            r"The BETWEEN condition was provided",
            r"One or more parameter values were invalid: (Only DELETE action|ADD action|DELETE "
            r"action)",
            r"One or more parameter values were invalid: (Value |Exists "
            r"and|AttributeValueList|AttributeValues)",
            r"One or more parameter values were invalid: (Invalid number of "
            r"arg|ComparisonOperator|Duplicate value in)",
            r"Cannot have two attributes with the same name",
            r"Conditions must be at least",
        ),
    ),
    (
        "expressions",
        (
            r"Invalid (Update|Condition|Filter|Projection|KeyCondition)Expression: ",
            r"ExpressionAttribute(Names|Values) (must not|contains invalid|exceeds)",
            r"Value provided in ExpressionAttribute(Names|Values) unused",
        ),
    ),
    (
        "what to read",
        (
            r"Cannot specify the (ProjectionExpression|AttributesToGet) when",
            r"Must specify the AttributesToGet or ProjectionExpression",
            r"ALL_PROJECTED_ATTRIBUTES can be used only",
            r"The (Total)?Segments? parameter is",
            r"If (total )?segments? is specified",
        ),
    ),
    (
        "the table",
        (r"Requested resource not found", r"Cannot do operations on a non-existent table"),
    ),
    (
        "the index",
        (
            r"The table does not have the specified index",
            r"Consistent reads are not supported",
            r"Cannot read from backfilling",
        ),
    ),
    (
        "the start key",
        (
            r"The provided starting key",
            r"Exclusive Start Key must have",
            r"The query can return at most one row",
        ),
    ),
    (
        "the key condition",
        (
            r"Query (condition missed|key condition not supported)",
            r"Attempted conditional constraint",
            r"Only scalar types can be used",
            r"One or more parameter values were invalid: Condition parameter type",
            r"(Invalid (operator used|condition) in )?KeyConditionExpressions? ",
            r"Conditions can be of length 1 or 2 only",
        ),
    ),
    (
        "keys",
        (
            r"The provided key element does not match the schema",
            r"The number of conditions on the keys is invalid",
            r"The list of keys in RequestItems for BatchGetItem may not contain",
            r"One of the required keys was not given a value",
            r"One or more parameter values were invalid: (Missing the key|Type mismatch for key)",
            r"One or more parameter values were invalid: (Size of hashkey|Aggregated size)",
            r"One or more parameter values are not valid\. The AttributeValue for a key",
            r"Hash primary key values must be",
        ),
    ),
    ("items of a transaction", (r"Transaction request cannot include multiple operations",)),
    ("keys in an update", (r"One or more parameter values were invalid: Cannot update attribute",)),
    (
        "keys of indexes",
        (
            r"One or more parameter values were invalid: (Type mismatch for Index Key|Size limit "
            r"exceeded)",
            r"Invalid attribute value type",
            r"One or more parameter values are not valid\. A value specified for a secondary",
        ),
    ),
    ("paths into keys", (r"Key attributes must be scalars",)),
    ("keys in a filter", (r"(Filter Expression|QueryFilter) can only contain",)),
    (
        "attributes that an index lacks",
        (r"One or more parameter values were invalid: Secondary index",),
    ),
    (
        "attributes to show that an index lacks",
        (r"One or more parameter values were invalid: (Global secondary|Select type)",),
    ),
    ("the condition", (r"The conditional request failed",)),
    (
        "the update",
        (
            r"The document path provided in the update expression is invalid",
            r"The provided expression refers to an attribute that does not exist",
            r"An operand in the update expression has an incorrect",
            r"The update expression attempted",
            r"One or more parameter values are not valid\. The update expression attempted",
            r"Type mismatch for attribute to update",
            r"Item size to update has exceeded",
        ),
    ),
    ("the name of a new table", (r"Cannot create preexisting table", r"Table already exists")),
)
_COMPUTED_TYPE = (
    "The update expression attempted to update the secondary index key to unsupported type"
)
_COMPUTED_EMPTY = (
    "One or more parameter values are not valid. The update expression attempted to update a "
    "secondary"
)
_PLACE = re.compile(r"^Validation failed in TransactStatements\[\d+\]: ")
_COMPILED = tuple(
    re.compile("|".join(f"(?:{each})" for each in messages)) for _, messages in _STAGES
)


def stage(message: str) -> int | None:
    """Where AWS would find this fault; None for a message that is in no stage."""
    fault = _PLACE.sub("", message)
    return next((number for number, pattern in enumerate(_COMPILED) if pattern.match(fault)), None)


def both_about_index_keys(ours: str, oracle: str) -> bool:
    """Whether both are faults of index keys, of which AWS names one."""
    if ours == _COMPUTED_TYPE and oracle.startswith(_COMPUTED_EMPTY):
        return True  # of one that has a wrong type and is empty
    names = [name for name, _ in _STAGES]
    stages = {names.index("keys of indexes"), names.index("paths into keys")}
    return stage(ours) in stages and stage(ours) == stage(oracle)


def earlier(ours: str, oracle: str) -> bool:
    """Whether our fault is one that AWS meets before DynamoDB Local's."""
    first, second = stage(ours), stage(oracle)
    return first is not None and second is not None and first < second
