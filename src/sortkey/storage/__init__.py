"""Bytes on disk: SQLite through apsw, in one folder owned by one process. Knows keys and blobs,
nothing of DynamoDB.
"""
