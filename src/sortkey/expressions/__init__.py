"""Expressions and their legacy equivalents: from a request's parameters to conditions, updates and
projections.

`Placeholders` compiles a request's expressions. `legacy` does the same for Expected and the other
legacy parameters.
"""

from sortkey.expressions.conditions import Condition
from sortkey.expressions.key_conditions import KeyCondition, check_filter
from sortkey.expressions.key_ranges import KeyRange, KeyTerm
from sortkey.expressions.paths import check_key_paths
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.projections import Projection
from sortkey.expressions.updates import Update

__all__ = [
    "Condition",
    "KeyCondition",
    "KeyRange",
    "KeyTerm",
    "Placeholders",
    "Projection",
    "Update",
    "check_filter",
    "check_key_paths",
]
