"""Sessions of the console: who is signed in, for how long, and what of it lies on disk."""

from pathlib import Path

import pytest

from sortkey.web.console.sessions import SECONDS, SESSIONS_MAX, Sessions

NOW = 1_700_000_000.0
SECRET = "s" * 64


def opened(
    folder: Path, password: str = "right", secret: str = SECRET, now: float = NOW
) -> Sessions:
    return Sessions(folder, secret, password, clock=lambda: now)


def test_a_session_lasts_over_a_restart(tmp_path: Path):
    # A server that is restarted must not ask everybody for the password again.
    token = opened(tmp_path).start()
    assert opened(tmp_path, now=NOW + 60).seconds_left(token) == SECONDS - 60


def test_no_two_sessions_have_one_token(tmp_path: Path):
    sessions = opened(tmp_path)
    assert len({sessions.start() for _ in range(10)}) == 10


@pytest.mark.parametrize("token", ["", "guessed"])
def test_a_token_that_was_not_given_out_opens_nothing(tmp_path: Path, token: str):
    sessions = opened(tmp_path)
    sessions.start()
    assert sessions.seconds_left(token) == 0


def test_another_password_ends_the_sessions_of_the_one_before(tmp_path: Path):
    # Whoever changes the password means to shut out those who knew the old one.
    token = opened(tmp_path).start()
    assert opened(tmp_path, password="another").seconds_left(token) == 0


def test_another_secret_ends_all_sessions(tmp_path: Path):
    token = opened(tmp_path).start()
    assert opened(tmp_path, secret="t" * 64).seconds_left(token) == 0


def test_a_session_that_was_ended_stays_ended_after_a_restart(tmp_path: Path):
    sessions = opened(tmp_path)
    mine, theirs = sessions.start(), sessions.start()
    sessions.end(mine)
    sessions.end(mine)  # from a second tab
    for each in (sessions, opened(tmp_path)):
        assert each.seconds_left(mine) == 0
        assert each.seconds_left(theirs) > 0


def test_a_session_ends_by_itself(tmp_path: Path):
    now = [NOW]
    sessions = Sessions(tmp_path, SECRET, "right", clock=lambda: now[0])
    token = sessions.start()
    now[0] += SECONDS
    assert sessions.seconds_left(token) == 0


def test_only_the_owner_can_read_the_sessions_and_no_token_is_among_them(tmp_path: Path):
    # What lies in a backup, or is read by another user of the machine, must not open the console.
    token = opened(tmp_path / "data" / "console").start()
    folder = tmp_path / "data" / "console"
    (file,) = folder.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mode & 0o777 == 0o600
    assert token not in file.read_text()
    assert "right" not in file.read_text()


def test_a_folder_that_others_could_read_is_closed_to_them(tmp_path: Path):
    tmp_path.chmod(0o755)
    (tmp_path / "sessions.json").write_text("{}")
    (tmp_path / "sessions.json").chmod(0o644)
    opened(tmp_path).start()
    assert tmp_path.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "sessions.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": "b"}', '{"a": null}'])
def test_a_file_that_cannot_be_read_signs_nobody_in_and_stops_nobody(tmp_path: Path, text: str):
    # A console that does not start over this could not be used to see what is wrong.
    (tmp_path / "sessions.json").write_text(text)
    sessions = opened(tmp_path)
    assert sessions.seconds_left(sessions.start()) == SECONDS


def test_there_is_a_limit_to_how_many_sessions_are_kept(tmp_path: Path):
    now = [NOW]
    sessions = Sessions(tmp_path, SECRET, "right", clock=lambda: now[0])
    first = last = sessions.start()
    for _ in range(SESSIONS_MAX):
        now[0] += 1
        last = sessions.start()
    assert sessions.seconds_left(first) == 0
    assert sessions.seconds_left(last) == SECONDS
