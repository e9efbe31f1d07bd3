"""The engine over HTTP, one file per subject: what a route takes and returns. The service does the
work.
"""
