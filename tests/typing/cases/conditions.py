"""Conditions and actions: comparisons and values of the wrong type that a type checker must
refuse.
"""

from journeys import Journey, Stage

from sortkey import attr

wrong_type = Stage.order == "x"  # error: reportUnnecessaryComparison
wrong_status = Stage.status == "paused"  # error: reportUnnecessaryComparison
no_order = Stage.order < "x"  # error: reportOperatorIssue
no_field = Stage.colour == "red"  # error: reportAttributeAccessIssue
no_member = Journey.totals.all_jobs == 1  # error: reportAttributeAccessIssue

less = attr(Stage.order) < "x"  # error: reportOperatorIssue
same = attr(Stage.order) == "x"  # error: reportDeprecated
other = attr(Stage.status) != "paused"  # error: reportDeprecated
attr(Stage.order).between(1, "x")  # error: reportArgumentType
attr(Stage.status).isin("pending", "paused")  # error: reportArgumentType
attr(Stage.status).has_type("text")  # error: reportArgumentType
attr(Stage.order).begins_with(1)  # error: reportArgumentType
larger = attr(Stage.order).size() > "x"  # error: reportOperatorIssue

attr(Stage.order).set("x")  # error: reportArgumentType
attr(Stage.status).set("paused")  # error: reportArgumentType
attr(Stage.order).set_if_missing("x")  # error: reportArgumentType
attr(Stage.order).set(attr(Stage.stage_id))  # error: reportArgumentType
attr(Journey.totals.total_jobs).set("x")  # error: reportArgumentType
attr(Stage.order).plus(1)  # error: reportAttributeAccessIssue
