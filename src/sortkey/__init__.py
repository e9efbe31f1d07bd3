"""Sortkey runs DynamoDB data models: an embedded engine that speaks the protocol, and the model on top of it."""

__version__ = "0.1.0"
