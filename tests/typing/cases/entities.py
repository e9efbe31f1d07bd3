"""Entities: constructors and copies that a type checker must refuse."""

from journeys import Journey, Stage, Totals

Stage(journey_id="J", order="1", stage_id="s")  # error: reportArgumentType
Stage(journey_id="J", order=1)  # error: reportCallIssue
Stage(journey_id="J", order=1, stage_id="s", colour="red")  # error: reportCallIssue
Stage(journey_id="J", order=1, stage_id="s", status="paused")  # error: reportArgumentType
Stage("J", 1, "s")  # error: reportCallIssue
Stage(journey_id="J", order=1, stage_id="s", expires_at=1767225600)  # error: reportArgumentType
Journey(journey_id="J", title="t", totals=Totals(total_jobs="many"))  # error: reportArgumentType
Journey(journey_id="J", title="t", totals={"totalJobs": 1})  # error: reportArgumentType
Journey(journeyId="J", title="t")  # error: reportCallIssue

stage = Stage(journey_id="J", order=1, stage_id="s")
colour = stage.colour  # error: reportAttributeAccessIssue
stage.status = "running"  # error: reportAttributeAccessIssue
name: str = stage.order  # error: reportAssignmentType
