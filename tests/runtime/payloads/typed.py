"""Payloads as a type checker sees them. A line that it must refuse ends with `# error: <rule>`;
others must pass.
"""
# pyright: strict

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import sortkey
from sortkey import AsyncStore, ObjectInfo, Payload, Put, Store, attr
from tests.runtime.payloads.runs import Asset, Graph, Report, Run, Summary

assert_type(sortkey.open("data"), Store)
assert_type(sortkey.open("data", objects="data/{bucket}"), Store)
assert_type(sortkey.open("data", objects={"artifacts": Path("data")}), Store)
assert_type(sortkey.open_async("data"), AsyncStore)
assert_type(sortkey.open_async("data", objects={"artifacts": "s3://b"}), AsyncStore)
sortkey.open(
    "data", secret=b"s", tenant="t", hide_expired=True, clock=lambda: 0.0, synchronous="full"
)
sortkey.open("data", colour="red")  # error: reportCallIssue
sortkey.open("data", secret="text")  # error: reportArgumentType


def writes(store: Store, info: ObjectInfo) -> None:
    run = store.create(Run(user_id="u", run_id="r", graph=Payload({"nodes": []})))
    assert_type(run.graph, Payload[Graph] | None)
    Run(user_id="u", run_id="r", iac=Payload.stream([b"x"], filename="f"))
    Run(user_id="u", run_id="r", iac=Payload(b"x", filename="f"))
    Run(user_id="u", run_id="r", iac=Payload.at(info))
    Run(user_id="u", run_id="r", iac=Payload("text"))  # error: reportArgumentType
    Run(user_id="u", run_id="r", graph={"nodes": []})  # error: reportArgumentType
    Report(job_id="j", report_id="r", content=Payload(Summary(title="t")))
    Report(job_id="j", report_id="r", content=Payload({"title": "t"}))  # error: reportArgumentType
    store.transact(Put(Asset(database_id="d", asset_id="a", note=Payload("text")), "create"))
    key = Asset.key(database_id="d", asset_id="a")
    store.update(key, attr(Asset.note).set(Payload("text")), when=attr(Asset.note).missing())


def reads(store: Store, report: Report, asset: Asset) -> None:
    if report.content is not None:
        assert_type(store.load(report.content), Summary)
        assert_type(report.content.version_id, str | None)
    if asset.note is not None:
        assert_type(store.load(asset.note), str)
        with store.open_payload(asset.note) as reader:
            assert_type(reader.read(), bytes)
    store.load(asset.note)  # error: reportArgumentType


async def awaited(store: AsyncStore, report: Report) -> None:
    if report.content is not None:
        assert_type(await store.load(report.content), Summary)
