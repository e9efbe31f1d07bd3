"""Messages where DynamoDB Local has words of its own. Left: what AWS answers, and so do we. Right: DynamoDB Local's.

Both sides are regular expressions for the whole message.
"""

import re

_ANY = r".*"
_INVALID = r"One or more parameter values were invalid: "
_NO_MATCH = r"The provided key element does not match the schema"

_PAIRS: tuple[tuple[str, str], ...] = (
    # Tables that are not there, or are already
    (r"Requested resource not found(: Table: \S+ not found)?", r"Cannot do operations on a non-existent table"),
    (r"Table already exists: \S+", r"Cannot create preexisting table"),
    (
        r"The parameter '\w+' is required but was not present in the request",
        r"(Value null at|Invalid table/index name).*",
    ),
    # Keys
    (_NO_MATCH, r"The number of conditions on the keys is invalid"),
    (_NO_MATCH, _INVALID + r"Type mismatch for key"),
    (_NO_MATCH, r"One of the required keys was not given a value"),
    (_NO_MATCH, r"Invalid attribute value type"),
    (_NO_MATCH, r"Item to put in PutItem cannot be null"),
    (_NO_MATCH, r"The list of keys in RequestItems for BatchGetItem may not contain null or empty values: .*"),
    (_INVALID + r"Missing the key \S+ in the item", r"One of the required keys was not given a value"),
    (_INVALID + r"Missing the key \S+ in the item", r"Item to put in PutItem cannot be null"),
    (_INVALID + r"Type mismatch for key \S+ expected: \w+ actual: \w+", _INVALID + r"Type mismatch for key"),
    (_INVALID + r"Type mismatch for key \S+ expected: \w+ actual: \w+", r"Invalid attribute value type"),
    (_INVALID + r"Type mismatch for Index Key .*", _INVALID + r"Type mismatch for Index Key"),
    (_INVALID + r"Type mismatch for Index Key .*", r"Invalid attribute value type"),
    (
        _INVALID + r"(Size of hashkey|Aggregated size of all range keys) has exceeded .*",
        r"Hash primary key values must be .*",
    ),
    (
        _INVALID + r"(Size of hashkey|Aggregated size of all range keys) has exceeded .*",
        _INVALID + r"Size limit exceeded",
    ),
    (
        r"One or more parameter values are not valid\. A value specified for a secondary index key is not supported.*",
        r"One or more parameter values are not valid\. The update expression attempted to update a secondary index.*",
    ),
    # Values
    (
        r"(ExpressionAttributeValues contains invalid value: )?The parameter cannot be converted to a numeric value.*",
        r"(ExpressionAttributeValues contains invalid value: )?A value provided cannot be converted into a number.*",
    ),
    (
        r"(.*: )?Attempting to store more than 38 significant digits in a Number(.*)",
        r"(.*: )?DynamoDB only supports precision up to 38 digits(.*)",
    ),
    (r"(.*)operand: AttributeValue: \{N:.*", r"(.*)operand: AttributeValue: \{N:.*"),  # the number as it was sent
    (r"(.*)Input collection .*contains duplicates\.?(.*)", r"(.*)Input collection .*contains duplicates\.?(.*)"),
    # Items
    (r"ReturnValues can only be ALL_OLD or NONE", r"Return values set to invalid value"),
    (r"The conditional request failed", r"The conditional request failed\."),
    (_INVALID + r"Duplicate value in attribute name: .*", r"Cannot have two attributes with the same name"),
    (
        r"(Invalid \w+: Expression size has exceeded the maximum allowed size;) expression size: \d+",
        r"Invalid \w+: .*size;",
    ),
    (
        r"The requestItems parameter is required for Batch\w+",
        r"Batch\w+ (must have some|cannot have a null or no) requests.*",
    ),
    (r"The provided ClientRequestToken was used with different parameters", r""),
    (
        r"(Invalid \w+: Two document paths (overlap|conflict)) .*",
        r"(Invalid \w+: Two document paths (overlap|conflict)) .*",
    ),
    # Queries and scans; attributes of a set come in the order of a hash table
    (r"(.*does not project (one or more filter attributes: )?)\[.*\]", r"(.*does not project (one .*: )?)\[.*\]"),
    (r"Query condition missed key schema element: \S+", r"Query condition missed key schema element"),
    (r"The provided starting key is invalid(: .*)?", r"Exclusive Start Key must have same size as table's key schema"),
    (
        r"The provided starting key is invalid(: .*)?",
        r"(Type mismatch for attribute to update|The provided starting key .*)",
    ),
    (
        r"The provided starting key is outside query boundaries .*",
        r"The provided starting key does not match the range key .*",
    ),
    (
        r"ExpressionAttributeValues can only be specified when using expressions: .* are null",
        r"ExpressionAttributeValues can only be specified when using expressions: .* are null",
    ),
    (
        r"Attempted conditional constraint is not an indexable operation",
        r"Only scalar types can be used as Range Key values",
    ),
    (r"The TotalSegments parameter is required but was not present .*", r"If segment is specified, total segment .*"),
    (r"The Segment parameter is required but was not present .*", r"If total segments is specified, a particular .*"),
    (
        r"The Segment parameter is zero-based and must be less than .*",
        r"1 validation error detected: Value '\d+' at 'segment' .*",
    ),
    # Definitions of tables
    (r"At least one of ProvisionedThroughput, BillingMode, .* is required", r"Nothing to update"),
    (
        r".*(ProvisionedThroughput must be specified|must both be specified) when BillingMode is .*",
        r"No provisioned throughput .*",
    ),
    (_INVALID + r"ProvisionedThroughput must be specified for index: \S+", r"No provisioned throughput .*"),
    (r"Given value \d+ for \w+ is out of bounds", r"Cannot increase provisioned throughput to more than .*"),
    (
        r"Invalid KeySchema: Some index key attribute have no definition",
        r"(No Attribute Schema Defined|Two keys can not .*)",
    ),
    (
        _INVALID + r"Some index key attributes are not defined .*",
        r"(Hash Key not specified .*|No Attribute .*|Attribute \S+ is not .*)",
    ),
    (
        _INVALID + r"Number of attributes in KeySchema does not .*",
        r"The number of attributes in key schema must match .*",
    ),
    (_INVALID + r"Some AttributeDefinitions are not used\..*", r"The number of attributes in key schema must match .*"),
    (
        _INVALID + r"Duplicate AttributeName in AttributeDefinitions: .*",
        r"Cannot have two attributes with the same name",
    ),
    (_INVALID + r"Duplicate attribute name in NonKeyAttributes: .*", r"Cannot have two attributes with the same name"),
    (
        r"Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
        r"(Invalid key order\.|No Hash Key specified).*",
    ),
    (r"Invalid KeySchema: The second KeySchemaElement is not a RANGE key type", r"Too many hash keys specified\..*"),
    (
        r"Both the Hash Key and the Range Key element in the KeySchema have the same name",
        r"Two keys can not have the same name",
    ),
    (_INVALID + r"Unknown ProjectionType: null", r"Indexes must have a projection specified"),
    (
        _INVALID + r"ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
        r"If Projection type INCLUDE is specified.*",
    ),
    (
        _INVALID + r"ProjectionType is (ALL|KEYS_ONLY), but NonKeyAttributes is specified",
        r"No attributes should be specified .*",
    ),
    (_INVALID + r"List of GlobalSecondaryIndexes is empty", r"GSI list is empty/invalid"),
    (
        _INVALID + r"Duplicate index name: \S+",
        r"(Two global secondary indices have|Local Secondary Indices AND Global).*",
    ),
    (
        _INVALID + r"GlobalSecondaryIndex count exceeds the per-table limit of 20",
        r"GlobalSecondaryIndex count exceeds .*",
    ),
    (_INVALID + r"(Index|Table) KeySchema does not have .*", r"Local [Ss]econdary indices .*"),
    (_INVALID + r"Number of LocalSecondaryIndexes exceeds per-table limit of 5", r"Cannot have more than 5 local .*"),
    (
        _INVALID + r"One of GlobalSecondaryIndexUpdate\.Update, .* must not be null",
        r"Update global secondary index action is null",
    ),
    (
        _INVALID + r"Index is not a global secondary index: \S+",
        r"Cannot delete an index that is not a GlobalSecondaryIndex",
    ),
    (r"Table has no stream to disable: TableName: \S+", r"Table has no stream to disable"),
    # Streams
    (_INVALID + r"Limit should be less than or equal to 1000", r"Invalid ShardIterator"),
)
_COMPILED = tuple((re.compile(ours, re.DOTALL), re.compile(oracle, re.DOTALL)) for ours, oracle in _PAIRS)


def same_meaning(ours: str, oracle: str) -> bool:
    """Whether the two messages are one, or AWS's words and DynamoDB Local's for the same fault."""
    return ours == oracle or any(a.fullmatch(ours) and b.fullmatch(oracle) for a, b in _COMPILED)
