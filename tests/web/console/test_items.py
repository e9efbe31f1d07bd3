"""Which attributes a list of items shows, and which it does not."""

from datetime import UTC, datetime

import pytest

import sortkey
from sortkey.web.console.items import columns
from sortkey.web.console.request_log import RequestLog
from sortkey.web.console.workspace import Workspace
from sortkey_systems.applens.model import Run
from sortkey_systems.applens.model import model as applens
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.model import model as wallcrawler

AT = datetime(2026, 2, 22, tzinfo=UTC)


@pytest.fixture
def workspace():
    with sortkey.open(":memory:") as store:
        store.ensure(applens)
        store.ensure(wallcrawler)
        yield Workspace(store, [applens, wallcrawler], RequestLog())


@pytest.mark.accepts("WC-14")
def test_a_list_shows_the_status_and_never_a_signing_key(workspace: Workspace):
    # Who looks over a shoulder at a list must not read a token off it; and a status is worth more than a region.
    session = Session(session_id="sess_1", project_id="p", created_at=AT, expires_at=AT, signing_key="a.b.c")
    shown = columns(workspace, "wallcrawler-sessions", [session.to_item()])
    assert {"sessionId", "status", "projectId", "createdAt"} <= set(shown[:5])
    assert "signingKey" not in shown


def test_what_is_made_for_an_index_comes_behind_the_fields(workspace: Workspace):
    # GSI1PK says nothing that the fields do not say better.
    run = Run(user_id="1", run_id="r1", environment="dev", created_at=AT)
    shown = columns(workspace, "applens-graph-metadata", [run.to_item()])
    assert shown.index("status") < (shown.index("GSI1PK") if "GSI1PK" in shown else len(shown))
    assert shown[:2] == ["PK", "SK"]
