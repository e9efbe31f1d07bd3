"""DynamoDB's protocol over HTTP: JSON 1.0 and Streams on one port, signatures, compression, group
commit.

What an operation means is the engine's affair; this room only carries requests to it and answers
back.
"""
