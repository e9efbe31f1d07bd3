"""Errors that the service raises for refused requests, with their HTTP status."""

from __future__ import annotations

from sortkey.web import Refused


class UploadRefused(Refused):
    """A file is not accepted because of its name, size or type. The message says what is."""

    status = 422


class NotUploaded(Refused):
    """A run was requested before its file was uploaded."""

    status = 409


class NotComplete(Refused):
    """A run has no graph and no report: it is not analysed yet, or it failed."""

    status = 409
