"""Keys and queries: arguments that a type checker must refuse."""

from datetime import datetime

from journeys import Stage, everything, pending

Stage.key(journey_id="J", order=1)  # error: reportCallIssue
Stage.key(journey_id="J", order="1", stage_id="s")  # error: reportArgumentType
Stage.key("J", 1, "s")  # error: reportCallIssue
Stage.key(journey_id="J", order=1, stage_id="s", status="pending")  # error: reportCallIssue
Stage.of_journey()  # error: reportCallIssue
Stage.of_journey("J")  # error: reportCallIssue
Stage.of_journey(journey_id=1)  # error: reportArgumentType
Stage.of_journey(journey_id="J", stage_id="s")  # error: reportCallIssue
Stage.of_owner(owner="ada", created_at="2026-01-01")  # error: reportArgumentType
Stage.of_owner(created_at=datetime.max)  # error: reportCallIssue
Stage.of_nobody(owner="ada")  # error: reportAttributeAccessIssue
everything()  # error: reportCallIssue
everything(journey="J")  # error: reportCallIssue
pending(1)  # error: reportArgumentType
Stage.of_journey(journey_id="J").upwards()  # error: reportAttributeAccessIssue
Stage.of_journey(journey_id="J").limit("10")  # error: reportArgumentType
