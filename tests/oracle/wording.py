"""Messages for which DynamoDB Local has words of its own.

Left: what AWS answers, and so do we. Right: DynamoDB Local's. Both are regular expressions for the
whole message; what named groups of the same name match must be equal. So a message with another
meaning never passes.
"""

import re
from dataclasses import dataclass
from functools import cached_property

_INVALID = r"One or more parameter values were invalid: "
_NOT_VALID = r"One or more parameter values are not valid\. "
_NO_MATCH = r"The provided key element does not match the schema"
_TOO_LONG = _INVALID + r"(Size of hashkey|Aggregated size of all range keys) has exceeded .*"
_START = r"The provided starting key is invalid"
_BOUND = r"bound operand: AttributeValue: \{"
_BOUNDS = rf"(?P<fault>.*BETWEEN .*; )lower {_BOUND}(?P<low>[A-Z]+):.*\}}, upper {_BOUND}(?P<high>[A-Z]+):.*"
_IN = r"(?P<place>(ExpressionAttributeValues contains invalid value: )?)"
_FOR = r"(?P<key>( for key :\w+)?)"


@dataclass(frozen=True)
class Words:
    """Pairs of messages that mean the same, and what AWS's say that DynamoDB Local's do not."""

    why: str
    pairs: tuple[tuple[str, str], ...]

    @cached_property
    def compiled(self) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
        return tuple(
            (re.compile(ours, re.DOTALL), re.compile(oracle, re.DOTALL))
            for ours, oracle in self.pairs
        )


def same_meaning(ours: str, oracle: str) -> bool:
    """Whether the two messages are one, or AWS's words and DynamoDB Local's for the same fault."""
    return ours == oracle or any(
        _pair_matches(*pair, ours, oracle)
        for words in (*ITEM_WORDS, *TABLE_WORDS)
        for pair in words.compiled
    )


def both_about_tables(ours: str, oracle: str) -> bool:
    """Whether each is a refusal of a definition, though not the same one."""
    pairs = [pair for words in TABLE_WORDS for pair in words.compiled]
    return any(a.fullmatch(ours) for a, _ in pairs) and any(b.fullmatch(oracle) for _, b in pairs)


def _pair_matches(a: re.Pattern[str], b: re.Pattern[str], ours: str, oracle: str) -> bool:
    left, right = a.fullmatch(ours), b.fullmatch(oracle)
    if left is None or right is None:
        return False
    found, expected = left.groupdict(), right.groupdict()
    return all(found[name] == expected[name] for name in found.keys() & expected.keys())


ITEM_WORDS = (
    Words(
        "A missing table is a 'Requested resource not found'.",
        (
            (
                r"Requested resource not found(: Table: \S+ not found)?",
                r"Cannot do operations on a non-existent table",
            ),
        ),
    ),
    Words(
        "A Key that does not match the table has one message, whether attributes are "
        "missing, too many or of another type. So has a put in a batch.",
        (
            (_NO_MATCH, r"The number of conditions on the keys is invalid"),
            (_NO_MATCH, _INVALID + r"Type mismatch for key"),
            (_NO_MATCH, r"One of the required keys was not given a value"),
            (_NO_MATCH, r"Invalid attribute value type"),
            (_NO_MATCH, r"Item to put in PutItem cannot be null"),
            (
                _NO_MATCH,
                r"The list of keys in RequestItems for BatchGetItem may not contain null or empty "
                r"values: .*",
            ),
        ),
    ),
    Words(
        "The message about an item's invalid key has the attribute's name, the types and "
        "the index.",
        (
            (
                _INVALID + r"Missing the key \S+ in the item",
                r"One of the required keys was not given a value",
            ),
            (
                _INVALID + r"Missing the key \S+ in the item",
                r"Item to put in PutItem cannot be null",
            ),
            (
                _INVALID + r"Type mismatch for key \S+ expected: \w+ actual: \w+",
                _INVALID + r"Type mismatch for key",
            ),
            (
                _INVALID + r"Type mismatch for key \S+ expected: \w+ actual: \w+",
                r"Invalid attribute value type",
            ),
            (
                _INVALID + r"Type mismatch for Index Key .*",
                _INVALID + r"Type mismatch for Index Key",
            ),
            (_INVALID + r"Type mismatch for Index Key .*", r"Invalid attribute value type"),
        ),
    ),
    Words(
        "The message about a key that is too long has the limit.",
        (
            (
                _TOO_LONG,
                r"Hash primary key values must be under 2048 bytes, and range primary key values "
                r".*",
            ),
            (_TOO_LONG, _INVALID + r"Size limit exceeded"),
        ),
    ),
    Words(
        "PartiQL does not name a missing index.",
        (
            (
                r"The table does not have the specified index",
                r"The table does not have the specified index: .*",
            ),
        ),
    ),
    Words(
        "An update that computes an invalid index key has another message than one that "
        "sets it directly.",
        (
            (
                r"The update expression attempted to update the secondary index key to unsupported "
                r"type",
                rf"({_INVALID}Type mismatch for Index Key|Invalid attribute value type)",
            ),
            (
                r"The update expression attempted to update the secondary index key beyond allowed "
                r"size limits",
                _INVALID + r"Size limit exceeded",
            ),
        ),
    ),
    Words(
        "The message shows a text that is not a number, and the values of a set with duplicates.",
        (
            (
                _IN + r"The parameter cannot be converted to a numeric value(: .*?)?" + _FOR,
                _IN + r"A value provided cannot be converted into a number" + _FOR,
            ),
            (
                _IN + r"Attempting to store more than 38 significant digits in a Number" + _FOR,
                _IN + r"DynamoDB only supports precision up to 38 digits" + _FOR,
            ),
            # A sum that is both: AWS looks at the magnitude first.
            (r"Number overflow\..*", r"DynamoDB only supports precision up to 38 digits"),
            (
                _IN + _INVALID + r"Input collection (?P<set>\[.*\]) contains duplicates\." + _FOR,
                _IN + _INVALID + r"Input collection (?P<set>\[.*\]) contains duplicates" + _FOR,
            ),
            (
                _IN + _INVALID + r"Input collection \[.*\]of type BS contains duplicates\." + _FOR,
                _IN + _INVALID + r"Input collection of type BS contains duplicates\." + _FOR,
            ),
        ),
    ),
    Words(
        "Numbers in messages are in canonical form. Sets are in the order of a hash "
        "table, which is not guaranteed.",
        (
            (_BOUNDS, _BOUNDS),
            (
                r"(?P<before>.*operator or function: attribute_type, operand type: )\{[A-Z,]+\}",
                r"(?P<before>.*operator or function: attribute_type, operand type: )\{[A-Z,]+\}",
            ),
            (
                r"(?P<before>.*does not project (one or more filter attributes: )?)\[.*\]",
                r"(?P<before>.*does not project (one or more filter attributes: )?)\[.*\]",
            ),
        ),
    ),
    Words(
        "The message names the parameters that cannot be combined.",
        (
            (r"ReturnValues can only be ALL_OLD or NONE", r"Return values set to invalid value"),
            (
                _INVALID + r"Duplicate value in attribute name: .*",
                r"Cannot have two attributes with the same name",
            ),
            (
                r"(?P<before>Invalid \w+: Expression size has exceeded the maximum allowed size;) "
                r"expression size: \d+",
                r"(?P<before>Invalid \w+: Expression size has exceeded the maximum allowed size;)",
            ),
            (
                r"The requestItems parameter is required for (?P<operation>Batch\w+)",
                r"(?P<operation>Batch\w+) (must have some requests set|cannot have a null or no "
                r"requests set)",
            ),
        ),
    ),
    Words(
        "The reasons of a cancelled transaction, and of a reused token, are the messages "
        "of the single operations.",
        (
            (r"The conditional request failed", r"The conditional request failed\."),
            (r"The provided ClientRequestToken was used with different parameters", r""),
        ),
    ),
    Words(
        "The message about an unsupported key condition says which attribute is missing, "
        "or that keys do not support it.",
        (
            (
                r"Query condition missed key schema element: \S+",
                r"Query condition missed key schema element",
            ),
            (
                r"Attempted conditional constraint is not an indexable operation",
                r"Only scalar types can be used as Range Key values",
            ),
        ),
    ),
    Words(
        "An invalid start key is 'The provided starting key is invalid'. A scan of a "
        "table, and an invalid value, add the reason. A start key in another partition is"
        " outside the query.",
        (
            (
                rf"{_START}(: {_NO_MATCH})?",
                r"Exclusive Start Key must have same size as table's key schema",
            ),
            (rf"{_START}(: {_NO_MATCH})?", r"Type mismatch for attribute to update"),
            (rf"{_START}: {_NO_MATCH}", _START),
            (
                rf"{_START}: (?P<why>.*)",
                rf"(The query can return at most one row and cannot be restarted\. {_START}: )?(?P<why>.*)",
            ),
            (
                r"The provided starting key is outside query boundaries based on provided "
                r"conditions",
                r"The provided starting key does not match the range key predicate",
            ),
        ),
    ),
    Words(
        "Segment and TotalSegments are named as parameters.",
        (
            (
                r"The TotalSegments parameter is required but was not present .*",
                r"If segment is specified, total .*",
            ),
            (
                r"The Segment parameter is required but was not present .*",
                r"If total segments is specified, .*",
            ),
            (
                r"The Segment parameter is zero-based and must be less than .*: Segment: "
                r"(?P<segment>\d+) .*",
                r"1 validation error detected: Value '(?P<segment>\d+)' at 'segment' .*",
            ),
        ),
    ),
)

TABLE_WORDS = (
    Words(
        "The errors of CreateTable, UpdateTable and DeleteTable are AWS's.",
        (
            (r"Table already exists: \S+", r"Cannot create preexisting table"),
            (
                r"The parameter '(?P<name>\w+)' is required but was not present in the request",
                r"(Value null at '\w+' failed to satisfy constraint: Member must not.*|Invalid "
                r"table/index name.*)",
            ),
            (
                r"At least one of ProvisionedThroughput, BillingMode, .* is required",
                r"Nothing to update",
            ),
            (
                r".*(ProvisionedThroughput must be specified|must both be specified) when "
                r"BillingMode is .*",
                r"No provisioned throughput .*",
            ),
            (
                _INVALID + r"ProvisionedThroughput is not specified for index: \S+",
                r"No provisioned throughput .*",
            ),
            (
                _INVALID + r"AttributeDefinitions is not specified for index: \S+",
                r"No Attribute Schema Defined",
            ),
            (
                r"Requested resource not found: Index \S+ for table \S+",
                r"Requested resource not found",
            ),
            (
                r"Given value \d+ for \w+ is out of bounds",
                r"Cannot increase provisioned throughput to more than .*",
            ),
            (
                r"Invalid KeySchema: Some index key attribute have no definition",
                r"(No Attribute Schema Defined|Two keys can not .*)",
            ),
            (
                _INVALID + r"Some index key attributes are not defined .*",
                r"(.*[Kk]ey not specified in .*|No Attribute .*|Attribute .* is not defined in .*)",
            ),
            (
                _INVALID
                + r"(Number of attributes in KeySchema does not .*|Some AttributeDefinitions are not used\..*)",
                r"The number of attributes in key schema must match .*",
            ),
            (
                rf"({_INVALID}Duplicate element in NonKeyAttributes|Attribute Name is duplicated): .*",
                r"Cannot have two attributes with the same name",
            ),
            (
                _INVALID + r".* stream (is being )?enabled,? .*UpdateViewType is required",
                r"Invalid StreamViewType: Stream ViewType must not be null or empty when enabling "
                r"streams\.",
            ),
            (
                r"Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
                r"(Invalid key order\.|No Hash Key specified).*",
            ),
            (
                r"Invalid KeySchema: The second KeySchemaElement is not a RANGE key type",
                r"Too many hash keys specified\..*",
            ),
            (
                r"(Both the Hash Key and the Range Key element in the KeySchema have|"
                r"The KeySchema contains multiple key attributes with) the same name",
                r"Two keys can not have the same name",
            ),
            (
                _INVALID + r".* stream disabled, UpdateViewType should not be specified",
                r"Invalid StreamViewType: Stream StreamEnabled was false but a StreamViewType was "
                r"present\.",
            ),
            (
                _INVALID + r"Unknown ProjectionType: null",
                r"Indexes must have a projection specified",
            ),
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
                r"(Two (global|local) secondary indices have|Local Secondary Indices AND Global).*",
            ),
            (
                _INVALID + r"GlobalSecondaryIndex count exceeds the per-table limit of 20",
                r"GlobalSecondaryIndex count exceeds .*",
            ),
            (
                _INVALID + r"(Index|Table) KeySchema does not have .*",
                r"Local [Ss]econdary indices .*",
            ),
            (
                _INVALID + r"Number of LocalSecondaryIndexes exceeds per-table limit of 5",
                r"Cannot have more than 5 local .*",
            ),
            (
                _INVALID + r"One of GlobalSecondaryIndexUpdate\.Update, .* must not be null",
                r"Update global secondary index action is null",
            ),
            (
                r"Cannot delete an index that is not a GlobalSecondaryIndex: \S+",
                r"Cannot delete an index that is not a GlobalSecondaryIndex",
            ),
            (r"Table has no stream to disable: TableName: \S+", r"Table has no stream to disable"),
        ),
    ),
    Words(
        "GetRecords checks its Limit before its iterator.",
        ((_INVALID + r"Limit should be less than or equal to 1000", r"Invalid ShardIterator"),),
    ),
)
