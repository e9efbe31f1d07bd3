"""The legacy parameters that came before expressions, converted to the same conditions, updates and
projections.
"""

from sortkey.expressions.legacy.attribute_updates import attribute_updates
from sortkey.expressions.legacy.attributes_to_get import attributes_to_get
from sortkey.expressions.legacy.conditions import check_operator, expected, legacy_filter
from sortkey.expressions.legacy.key_conditions import key_conditions
from sortkey.expressions.legacy.mixed_parameters import check_mixing

__all__ = [
    "attribute_updates",
    "attributes_to_get",
    "check_mixing",
    "check_operator",
    "expected",
    "key_conditions",
    "legacy_filter",
]
