"""DynamoDB's protocol over HTTP: JSON 1.0 and Streams on one port, signatures, compression, group
commit.

The engine defines what operations mean. This package only carries requests to it and answers back.
"""
