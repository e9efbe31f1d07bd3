"""Commands that run journeys: the demo, a migration, and workers for journeys started elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from sortkey.commands import USAGE, CommandFailed, Json, run_until_stopped
from sortkey_systems.jobengine.commands.losses import allow_losses, losses_of
from sortkey_systems.jobengine.commands.options import (
    Dangling,
    Data,
    LostRows,
    LostValues,
    Objects,
    Priority,
    Threads,
    Unread,
)
from sortkey_systems.jobengine.commands.runs import (
    check_stage,
    new_journey,
    open_engine,
    print_end,
    read_rules,
    run_all,
)
from sortkey_systems.jobengine.sample import LOSSES, RULES
from sortkey_systems.jobengine.sample_shop import make_shop


def demo(
    data: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Use this folder, and keep it.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the folder that is made where none is named.")
    ] = False,
    customers: Annotated[
        int, typer.Option(min=40, max=100_000, help="Size of the shop: 18 rows for each customer.")
    ] = 400,
    json: Json = False,
) -> int:
    """Migrate a sample shop of 22 tables, with its flaws, to TMF documents.

    Runs the six stages for real: analyses the shop's SQLite file, strips and maps its schema, plans
    the migration, moves every row and verifies it, then prints the final report.
    """
    folder = data or tempfile.mkdtemp(prefix="sortkey-jobengine-")
    began = time.perf_counter()
    try:
        with open_engine(folder, None, makes=True) as engine:
            shop = make_shop(os.path.join(folder, "shop.sqlite"), customers=customers)
            journey = new_journey(
                engine, str(shop), None, "The sample shop", "medium", RULES, folder=folder
            )
            allow_losses(engine, journey.journey_id, LOSSES.model_dump())
            done = run_all(
                engine, journey.journey_id, threads=2, data=folder if data or keep else None
            )
            seconds, is_kept = time.perf_counter() - began, bool(data or keep)
            code = print_end(engine, done, seconds, is_json=json, folder=folder, is_kept=is_kept)
        if not json and (data or keep):
            print(
                f"\nAll of it lies in {folder}: sortkey jobengine status --data {folder}",
                file=sys.stderr,
            )
        return code
    finally:
        if data is None and not keep:
            shutil.rmtree(folder, ignore_errors=True)


def run(
    source: Annotated[
        str | None,
        typer.Argument(
            help="What to migrate: a SQLite file, a SQL dump, or postgresql://user@host/name."
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="Where the documents go: a .sqlite file, or a folder for JSON Lines (default: ID.sqlite)."
        ),
    ] = None,
    journey: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on with this journey instead.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the journey (default: that of the source).")
    ] = None,
    priority: Priority = "medium",
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Second Brain rules: a JSON list.")
    ] = None,
    stage: Annotated[str | None, typer.Option(metavar="ID", help="Run this stage only.")] = None,
    allow_lost_rows: LostRows = None,
    allow_lost_values: LostValues = None,
    allow_dangling: Dangling = None,
    allow_unread: Unread = False,
    data: Data = "data",
    objects: Objects = None,
    threads: Threads = 2,
    json: Json = False,
) -> int:
    """Run a journey, show its progress, and print the final report. Ctrl-C stops it; it can
    continue later.
    """
    if (source is None) == (journey is None):
        raise CommandFailed(
            "name what to migrate, or with --journey a journey to go on with", USAGE
        )
    if stage is not None and journey is None:
        check_stage(stage)
    losses = losses_of(
        allow_lost_rows or [], allow_lost_values, allow_dangling, is_unread=allow_unread
    )
    began = time.perf_counter()
    with open_engine(data, objects, makes=journey is None, entity_id=journey) as engine:
        journey_id = journey
        if journey_id is None:
            drafts = read_rules(rules) if rules else ()
            journey_id = new_journey(
                engine, source or "", target, name, priority, drafts
            ).journey_id
            print(f"journey {journey_id}", file=sys.stderr)
        allow_losses(engine, journey_id, losses)
        done = run_all(engine, journey_id, threads=threads, data=data, stage_id=stage)
        return print_end(engine, done, time.perf_counter() - began, is_json=json, folder=data)


def work(data: Data = "data", objects: Objects = None, threads: Threads = 2) -> None:
    """Run the jobs of journeys until Ctrl-C. Start as many workers as you like, on any machine."""
    with open_engine(data, objects, makes=True) as engine:
        run_until_stopped(
            engine.worker(threads=threads),
            f"working on {data}, {threads} jobs at once; Ctrl-C stops",
        )
