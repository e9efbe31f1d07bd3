"""data_migration: rows become documents, once each, however often and wherever the transfer is
killed.
"""

import json
import sqlite3
from pathlib import Path

import pytest

from sortkey_systems.jobengine.stages.data_migration.documents import Built
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.data_migration.transfer import Transferred, transfer
from sortkey_systems.jobengine.stages.migration_planning.etl_script import EtlPlan
from sortkey_systems.jobengine.stages.registry import run_stage, run_step
from sortkey_systems.jobengine.stages.work import MemoryContext, Work
from tests.systems.jobengine.stage_runs import Killed, Stopping, run_until, shop


@pytest.fixture
def work(tmp_path: Path) -> Work:
    """Planned, and ready to be moved in small batches."""
    made = shop(tmp_path, batch_rows=40)
    run_until(made, "migration_planning")
    run_step("data_migration", "dataset_selection", made, MemoryContext())
    return made


def _everything(target: str) -> list[tuple[object, ...]]:
    with Target(target) as opened:
        names = opened.resources()
    path = Path(target)
    with sqlite3.connect(path if path.is_file() else path / ".migration.sqlite") as db:
        rows = [
            (name, *row)
            for name in names
            for row in db.execute(f'SELECT * FROM "{name}" ORDER BY id')
        ]
        return rows + [
            ("", *row) for row in db.execute("SELECT * FROM _findings ORDER BY origin, path")
        ]


@pytest.mark.parametrize(
    "keeps", [True, False], ids=["after the checkpoint", "between write and checkpoint"]
)
def test_a_transfer_killed_at_every_batch_ends_as_one_that_never_was(
    work: Work, tmp_path: Path, keeps: bool
) -> None:
    # A row lost or written twice is the one thing that a migration must not do.
    undisturbed = MemoryContext()
    work.target = str(tmp_path / "whole.sqlite")
    whole = transfer(work, undisturbed)
    expected = _everything(work.target)
    assert whole.written > 600
    assert whole.batches > 20

    work.target = str(tmp_path / "killed.sqlite")
    state, kills = None, 0
    while True:
        # Each attempt gets one batch further, or none: without its checkpoint, it does the same
        # batch again.
        ctx = Stopping(1 if keeps else 2, keeps=keeps, state=state)
        try:
            again = transfer(work, ctx)
        except Killed:
            state, kills = ctx.state, kills + 1
            continue
        break
    assert kills >= whole.batches
    assert _everything(work.target) == expected
    assert (again.counts, again.rows) == (whole.counts, whole.rows)


def test_a_transfer_whose_checkpoints_are_all_lost_changes_nothing_in_the_target(
    work: Work,
) -> None:
    # A new execution of the job starts without a state.
    transfer(work, MemoryContext())
    before = _everything(work.target)
    transfer(work, MemoryContext())
    assert _everything(work.target) == before


def test_the_state_of_another_plan_is_not_taken_up(work: Work) -> None:
    # After a rule has changed, half of the old and half of the new would be a mixture of both.
    ctx = Stopping(5, keeps=True)
    with pytest.raises(Killed):
        transfer(work, ctx)
    work.result("etl_script", EtlPlan).fingerprint = "another"
    found = transfer(work, MemoryContext(state=ctx.state))
    assert found.rows == sum(work.results["dataset_selection"].rows.values())


def test_a_transfer_can_be_cancelled_between_batches(work: Work) -> None:
    # The next safe point, not the end of an hour.
    class Cancelled(Exception):
        pass

    class Cancelling(MemoryContext):
        def check_cancelled(self) -> None:
            if self.state and self.state["batches"] >= 3:
                raise Cancelled

    ctx = Cancelling()
    with pytest.raises(Cancelled):
        transfer(work, ctx)
    assert ctx.state["batches"] == 3


def test_json_lines_and_sqlite_have_the_same_documents(work: Work, tmp_path: Path) -> None:
    # The form of the target is a choice; what is in it is not.
    run_stage("data_migration", work, MemoryContext())
    del work.results["transfer"], work.results["compliance_test"], work.results["mark_completion"]
    database, work.target = work.target, str(tmp_path / "lines")
    run_stage("data_migration", work, MemoryContext())
    with Target(database) as target:
        for name in target.resources():
            lines = (tmp_path / "lines" / f"{name}.jsonl").read_text().splitlines()
            assert [json.loads(line) for line in lines] == [
                document for _, document in target.documents(name)
            ]
    assert not list((tmp_path / "lines").glob("*.part"))


def test_what_came_from_a_table_can_be_taken_back(work: Work) -> None:
    # A mistake in one mapping must not cost the whole migration.
    found = transfer(work, MemoryContext())
    with Target(work.target) as target:
        removed = target.roll_back("ContactMedium", "customer_contacts")
        assert removed == found.counts["customer_contacts"].written > 0
        assert target.counts("ContactMedium", "customer_contacts").duplicates == 0
        assert target.counts("ContactMedium", "customer_addresses").written == 60


def test_progress_grows_and_comes_to_its_end(work: Work) -> None:
    # JE-40: somebody is watching the bar.
    ctx = MemoryContext()
    transfer(work, ctx)
    assert ctx.percents == sorted(ctx.percents)
    assert ctx.percents[-1] == 100


@pytest.mark.accepts("JE-41")
def test_JE_41_processed_is_succeeded_plus_failed(work: Work) -> None:
    # The figures of a job must add up, or nobody believes the others.
    run_stage("data_migration", work, MemoryContext())
    done, moved = work.results["mark_completion"], work.result("transfer", Transferred)
    assert done.records_processed == done.records_succeeded + done.records_failed == moved.rows


def test_a_full_disk_is_reported_as_one(tmp_path: Path) -> None:
    # SQLite rolls back by itself then; a second time is an error, which would hide the first.
    with Target(tmp_path / "out.sqlite") as target:
        target._db.execute("PRAGMA max_page_count = 12")  # pyright: ignore[reportPrivateUsage]
        rows = [
            Built(f"orders:[{n}]", f"{n}", {"id": f"{n}", "note": "x" * 4000}) for n in range(40)
        ]
        with pytest.raises(sqlite3.OperationalError, match="full"):
            target.write("ProductOrder", "orders", rows)
        assert target.counts("ProductOrder", "orders").written == 0
