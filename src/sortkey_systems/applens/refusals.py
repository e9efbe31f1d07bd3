"""What the service refuses, with the status that it has over HTTP."""

from __future__ import annotations

from sortkey.web import Refused


class UploadRefused(Refused):
    """A file that is not taken: its name, its size or its type. The message says what is."""

    status = 422


class NotUploaded(Refused):
    """A run was asked for before its file was sent."""

    status = 409


class NotComplete(Refused):
    """A run has no graph and no report: it is not analysed yet, or it failed."""

    status = 409
