"""Executions of stages: started, watched, retried, cancelled, and continued after a crash.

A `Job` is the item in the table. An execution is one run of a stage on the runtime's queue; both
have the same id.
"""

from sortkey_systems.jobengine.jobs.executions import QUEUE, Executions
from sortkey_systems.jobengine.jobs.places import PlaceRefused, Places

__all__ = ["QUEUE", "Executions", "PlaceRefused", "Places"]
