"""Bytes on disk: SQLite through apsw, in one folder owned by one process. It knows keys and blobs,
but nothing about DynamoDB.
"""
