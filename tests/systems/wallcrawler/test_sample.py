"""The sample tenants: something for every access pattern, and nothing that the service would not
have written.
"""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from sortkey import Store
from sortkey_systems.wallcrawler import sample
from sortkey_systems.wallcrawler.model import (
    LIFECYCLE,
    ApiKey,
    Context,
    Project,
    Session,
    api_key_hash,
    expired_sessions,
    model,
)
from sortkey_systems.wallcrawler.sample import load
from tests.systems.sample_patterns import everything, silent, silent_examples, with_sample

store = with_sample(model, load)


def test_every_access_pattern_shows_something(store: Store) -> None:
    # A newcomer who runs a pattern on the sample and finds nothing learns nothing. Nothing runs, so
    # nothing is overdue: a session without a browser would be a lie that the service corrects.
    tonight = datetime.now(UTC) + timedelta(hours=12)
    assert silent(store, model, now=tonight.isoformat()) == ["expired_sessions"]


def test_the_examples_of_the_model_are_of_the_sample(store: Store) -> None:
    # Who types what stands in the fields of a form sees the pattern at work. Nothing is running, or
    # overdue.
    assert silent_examples(store, model) == ["Session.by_status", "expired_sessions"]


def test_loading_it_again_changes_nothing(store: Store) -> None:
    # It is called at every start, and what somebody has changed by hand must stay.
    store.update(Project.key(project_id="project_e2e"), set={"concurrency": 11})
    before = everything(store, model)
    load(store)
    assert everything(store, model) == before


def test_nothing_is_overdue_so_that_the_sweep_leaves_it(store: Store) -> None:
    # TTL takes within seconds what has expired: the table would be empty before anybody looks.
    now = datetime.now(UTC)
    assert store.query(expired_sessions(now)) == []
    assert min(each.expires_at for each in store.scan(Session)) > now + timedelta(minutes=30)
    assert sum(each.expires_at > now + timedelta(days=7) for each in store.scan(Session)) >= 10


def test_sessions_have_ended_in_every_way_by_the_steps_of_their_history(store: Store) -> None:
    # The history is what an auditor reads: it must lead to the status, along the lifecycle.
    sessions = store.scan(Session)
    assert {each.status for each in sessions} == {"COMPLETED", "ERROR", "TIMED_OUT"}
    for each in sessions:
        steps = ["CREATING", *(event.detail["internalStatus"] for event in each.event_history)]
        assert all(after in LIFECYCLE.transitions[before] for before, after in pairwise(steps))
        assert steps[-1] == each.internal_status
        assert each.ended_at is not None
        assert each.updated_at is not None
        assert each.updated_at <= datetime.now(UTC)


def test_the_sample_takes_no_slot_of_a_project(store: Store) -> None:
    # A newcomer's first session must not be refused because of sessions that never were.
    assert {each.running_sessions for each in store.scan(Project)} == {0}


def test_the_active_keys_of_the_sample_open_nothing(store: Store) -> None:
    # A raw key that stands in a public repository would open every server that loaded the sample.
    assert store.get(ApiKey.key(api_key_hash=api_key_hash("wc_sample_laptop"))).status == "INACTIVE"
    source = Path(sample.__file__).read_text()
    known = {api_key_hash(text) for text in re.findall(r"wc_\w+", source)}
    active = {each.api_key_hash for each in store.scan(ApiKey) if each.status == "ACTIVE"}
    assert active
    assert not known & active


def test_sessions_keys_and_contexts_belong_together(store: Store) -> None:
    # What one opens from a session is there, and is of the same tenant.
    projects = {each.project_id for each in store.scan(Project)}
    assert all(set(each.allowed_projects) <= projects for each in store.scan(ApiKey))
    assert (
        store.get(ApiKey.key(api_key_hash=api_key_hash("wc_sample_laptop"))).project_id
        == "project_default"
    )
    for each in store.scan(Session):
        assert each.project_id in projects
        if each.context_id is not None:
            assert store.get(Context.key(context_id=each.context_id)).project_id == each.project_id
