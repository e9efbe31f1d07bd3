"""What a browser inside bubblewrap sees of the machine: the programs, and its own folders."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sortkey_systems.wallcrawler.browsers.local import isolation
from sortkey_systems.wallcrawler.browsers.local.home import create_home
from sortkey_systems.wallcrawler.browsers.local.isolation import (
    Isolation,
    NotIsolated,
    choose_isolation,
    describe,
    describe_reach,
)


def test_a_browser_sees_programs_and_its_own_folders_only(tmp_path: Path) -> None:
    # A tenant that reads files through its browser finds none of the machine's, and no process.
    bwrap = shutil.which("bwrap")
    if bwrap is None or not isolation.has_user_namespaces():
        pytest.skip("bubblewrap is not installed, or there are no user namespaces")
    home = create_home(str(tmp_path), None)
    Path(home, "uploads", "cv.txt").write_text("mine")
    script = (
        "ls / /etc /session /session/uploads; ls /proc | grep -c '^[0-9]'; touch /session/uploads/x"
    )
    command = Isolation(bwrap).wrapped([_shell(), "-c", script], home)
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    words = run.stdout.split()
    assert "cv.txt" in words
    assert {"profile", "downloads", "uploads"} <= set(words)
    assert not {"root", "home", "passwd", "shadow", "work", "data"} & set(words)
    assert int(words[-1]) < 8
    assert "Read-only file system" in run.stderr


def test_without_namespaces_browsers_are_refused_unless_the_setting_allows_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Running tenants' pages as root without a sandbox must be somebody's decision.
    monkeypatch.setattr(isolation, "has_user_namespaces", lambda: False)
    with pytest.raises(NotIsolated, match="max_user_namespaces"):
        choose_isolation()
    allowed = choose_isolation(allow_no_sandbox=True)
    assert not allowed.is_sandboxed
    assert "without its sandbox" in describe(allowed)[0]


def test_a_machine_without_bubblewrap_is_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without root and bubblewrap all tenants share one user. Whoever runs that should know.
    assert describe(Isolation(bwrap="/usr/bin/bwrap")) == []
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "each other's: install bubblewrap" in describe(Isolation(bwrap=None))[0]


def test_a_server_without_root_is_warned_that_pages_reach_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Pages then have the user of the operator, to whom console and tables are open on loopback.
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    warning = describe_reach()
    assert warning is not None
    assert "console and its DynamoDB port: run it as root, or give --password" in warning
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert describe_reach() is None


def _shell() -> str:
    shell = shutil.which("sh")
    assert shell is not None
    return shell
