"""`sortkey.open_topics(address)`: the topics for an address, as `sortkey.open` gives the store.

`data/`                                  all processes that share the folder
`:memory:`                               this process
`aws://eu-west-1?profile=…&prefix=…`     SNS on AWS; without a region the one of the environment
`http://localhost:5000?region=…`         anything that speaks SNS and SQS
"""

from __future__ import annotations

import os

from sortkey.connect.addresses import address_parts
from sortkey.runtime.topics import Topics

LOCAL_REGION = "us-east-1"
LOCAL_KEYS = ("sortkey", "sortkey")


def open_topics(address: str | os.PathLike[str] = "data") -> Topics:
    """Open topics to publish to and to listen to. Close them at the end."""
    text = os.fspath(address)
    if "://" in text:
        return _sns(text)
    if text == ":memory:":
        from sortkey.runtime.topic_hub import MemoryTopics

        return MemoryTopics()
    from sortkey.connect.local_topics import LocalTopics

    return LocalTopics(text)


def _sns(text: str) -> Topics:
    from sortkey.connect.sns_topics import SnsTopics

    forms = ": a folder, :memory:, aws://<region>, or http(s)://<host>:<port>"
    url, options = address_parts(
        text, ("aws", "http", "https"), ("region", "profile", "prefix"), forms
    )
    is_aws = url.scheme == "aws"
    # A server on this machine or in a test network asks for no keys; real ones are looked up for
    # the rest.
    is_local = (
        url.scheme == "http" and "profile" not in options and "AWS_ACCESS_KEY_ID" not in os.environ
    )
    return SnsTopics(
        options.get("region")
        or (url.netloc if is_aws else "")
        or (LOCAL_REGION if is_local else None),
        endpoint=None if is_aws else f"{url.scheme}://{url.netloc}",
        profile=options.get("profile"),
        credentials=LOCAL_KEYS if is_local else None,
        prefix=options.get("prefix", ""),
    )
