"""Contexts: their items, their names, and the archives of their profiles in a versioned bucket."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sortkey.errors import NotFound
from sortkey.systems import Resources
from sortkey.web import Refused
from sortkey_systems.wallcrawler.contexts.profiles import BUCKET, Contexts, NameTaken
from sortkey_systems.wallcrawler.model import Context, Session, model


@pytest.fixture
def contexts(sortkey_resources: Resources) -> Contexts:
    resources = sortkey_resources
    resources.store.ensure(model)
    return Contexts(resources.store, resources.buckets[BUCKET], b"secret", resources.clock)


def session(context_id: str, project_id: str = "project_a") -> Session:
    return Session(
        session_id="sess_1",
        project_id=project_id,
        expires_at=datetime.now(UTC) + timedelta(hours=1),
        signing_key="jwt",
        context_id=context_id,
        context_persist=True,
    )


def writer(resources: Resources, context_id: str) -> Session:
    """A session that persists into the context, as the table has it."""
    made = session(context_id)
    resources.store.update(
        Context.key(context_id=context_id), set={"writer_session_id": made.session_id}
    )
    return made


def archive(folder: Path, content: bytes) -> Path:
    path = folder / "left.tar.gz"
    path.write_bytes(b"\x1f\x8b" + content)
    return path


@pytest.mark.accepts("WC-37", "WC-38", "WC-39")
def test_a_profile_comes_back_as_it_was_left(
    contexts: Contexts, sortkey_resources: Resources, tmp_path: Path
) -> None:
    # The next session begins with what the last one left, under the key of the document.
    context = contexts.create("project_a")
    assert contexts.fetch(context, tmp_path / "none.tar.gz") is None
    left_by = writer(sortkey_resources, context.context_id)
    contexts.store_profile(left_by, archive(tmp_path, b"first"))
    contexts.store_profile(left_by, archive(tmp_path, b"second"))
    fetched = contexts.fetch(context, tmp_path / "profile.tar.gz")
    assert fetched is not None
    assert fetched.read_bytes() == b"\x1f\x8bsecond"
    bucket = sortkey_resources.buckets[BUCKET]
    assert bucket.name.startswith("wallcrawler-contexts-")
    [key] = {each.key for each in bucket.versions()}
    assert key == f"project_a/{context.context_id}/profile.tar.gz"
    assert len(list(bucket.versions())) == 2
    assert contexts.get(["project_a"], context.context_id).status == "AVAILABLE"


def test_a_name_is_taken_once_in_a_project_whatever_its_case(contexts: Contexts) -> None:
    # Whoever looks for a login by its name must find one.
    first = contexts.create("project_a", "Shop Login")
    with pytest.raises(NameTaken):
        contexts.create("project_a", "shop login")
    assert contexts.create("project_b", "Shop Login").context_id != first.context_id
    assert contexts.create("project_a").context_id != contexts.create("project_a").context_id
    contexts.delete(["project_a"], first.context_id)
    assert contexts.create("project_a", "shop login").name == "shop login"


@pytest.mark.accepts("WC-3")
def test_another_tenants_context_is_unknown(contexts: Contexts) -> None:
    # Its cookies are somebody's logins.
    context = contexts.create("project_a")
    for projects, context_id in (
        (["project_b"], context.context_id),
        (["project_a"], "ctx_none"),
        (["project_a"], "x"),
    ):
        with pytest.raises(NotFound):
            contexts.get(projects, context_id)
        with pytest.raises(NotFound):
            contexts.delete(projects, context_id)


@pytest.mark.parametrize("is_created_again", [False, True])
def test_a_profile_of_a_deleted_context_is_dropped(
    contexts: Contexts, sortkey_resources: Resources, tmp_path: Path, is_created_again: bool
) -> None:
    # A session that ends later must not bring back what its user has deleted, not into a context
    # of the same name either.
    context = contexts.create("project_a", "shop")
    left_by = writer(sortkey_resources, context.context_id)
    contexts.store_profile(left_by, archive(tmp_path, b"login"))
    contexts.delete(["project_a"], context.context_id)
    if is_created_again:
        assert contexts.create("project_a", "shop").context_id == context.context_id
    contexts.store_profile(left_by, archive(tmp_path, b"login"))
    assert contexts.fetch(context, tmp_path / "profile.tar.gz") is None


def test_what_is_not_an_archive_is_not_stored(contexts: Contexts, tmp_path: Path) -> None:
    # It would be found out when a browser starts with it, by somebody else.
    context, sent = contexts.create("project_a"), tmp_path / "sent"
    sent.write_text("<html>")
    with pytest.raises(Refused, match="gzip"):
        contexts.receive(context, sent)
    contexts.receive(context, archive(tmp_path, b"sent"))
    assert contexts.fetch(context, tmp_path / "profile.tar.gz") is not None
