"""Streams: handlers of entities' changes, the worker that runs them, and the same as an AWS Lambda
function.
"""

from sortkey.model.changes import Change, ChangeKind
from sortkey.runtime.streams.async_once import apply_once_async
from sortkey.runtime.streams.dead_letters import DeadLetters, Replayed
from sortkey.runtime.streams.delivery import Retries
from sortkey.runtime.streams.handlers import Handler, on_change, on_changes
from sortkey.runtime.streams.lambda_entry import lambda_handler
from sortkey.runtime.streams.once import apply_once, once
from sortkey.runtime.streams.state import DeadLetter, streams_table
from sortkey.runtime.streams.worker import StreamWorker

__all__ = [
    "Change",
    "ChangeKind",
    "DeadLetter",
    "DeadLetters",
    "Handler",
    "Replayed",
    "Retries",
    "StreamWorker",
    "apply_once",
    "apply_once_async",
    "lambda_handler",
    "on_change",
    "on_changes",
    "once",
    "streams_table",
]
