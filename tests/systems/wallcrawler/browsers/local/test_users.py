"""User ids of sessions: unused ones, and none that belongs to anybody else."""

import os

import pytest

from sortkey_systems.wallcrawler.browsers.local.users import (
    free_uid,
    is_guest,
    is_session_uid,
    kill_user,
    uids_in_use,
)


def test_a_free_user_id_is_in_our_range_and_unused() -> None:
    # Two sessions with one user could read each other's profiles and kill each other.
    uids = {free_uid() for _ in range(100)}
    assert len(uids) > 90
    assert all(map(is_session_uid, uids))
    assert all(map(is_guest, uids))
    assert not is_guest(os.getuid())
    assert not uids & uids_in_use()
    assert os.getuid() in uids_in_use()


@pytest.mark.parametrize("uid", [0, 1, 1000, 65534, 2**31])
def test_processes_of_other_users_are_never_killed(
    uid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The id is read from a file after a crash. As root, a wrong one would end the whole machine.
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("it went on to kill"))
    with pytest.raises(ValueError, match="not the user id of a session"):
        kill_user(uid)
