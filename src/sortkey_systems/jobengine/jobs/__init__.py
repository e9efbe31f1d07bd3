"""Executions of stages on the runtime's workers: started, watched, retried, cancelled, taken up
again after a crash.
"""

from sortkey_systems.jobengine.jobs.executions import QUEUE, Executions
from sortkey_systems.jobengine.jobs.places import PlaceRefused, Places

__all__ = ["QUEUE", "Executions", "PlaceRefused", "Places"]
