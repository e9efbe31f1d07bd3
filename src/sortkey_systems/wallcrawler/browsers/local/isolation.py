"""What separates browsers besides their users: Chromium's sandbox, and bubblewrap around it.

bubblewrap gives a browser a file system with the programs and its own folders only, and process
ids of its own; it works with and without root. A server without root and without bubblewrap shares
its user with all sessions, which can then read its files: `describe` says so.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass

from sortkey_systems.wallcrawler.browsers.local import kernel
from sortkey_systems.wallcrawler.browsers.local.home import READABLE, WRITABLE

INSIDE = "/session"
"""Where a browser in bubblewrap finds its home."""

_SYSTEM_PATHS = (
    "/etc/fonts",
    "/etc/ssl",
    "/etc/ca-certificates",
    "/etc/pki",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/localtime",
    "/etc/chromium",
    "/etc/opt/chrome",
    "/var/cache/fontconfig",
)
_NOBODY = 65534
_USR_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


class NotIsolated(Exception):
    """Chromium would run as root without its sandbox, which no setting has allowed."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """What separates a browser from the others besides its user."""

    bwrap: str | None
    """The path of bubblewrap, or None to do without."""
    is_sandboxed: bool = True
    """Chromium's own sandbox."""

    def home_for_chromium(self, home: str) -> str:
        """Where Chromium sees the folder `home`."""
        return INSIDE if self.bwrap else home

    def wrapped(self, command: list[str], home: str) -> list[str]:
        """The command that runs Chromium inside its walls."""
        if self.bwrap is None:
            return command
        return [*_bwrap_arguments(self.bwrap, command[0], home), *command]


def choose_isolation(*, allow_no_sandbox: bool = False, use_bwrap: bool = True) -> Isolation:
    """The best that this machine offers. Raises NotIsolated."""
    has_namespaces = has_user_namespaces()
    if not has_namespaces and not allow_no_sandbox:
        raise NotIsolated(
            "Chromium's sandbox needs user namespaces, and this system refuses them to ordinary "
            "users: enable them (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone "
            "or the container's seccomp profile), or allow browsers without sandbox in the settings"
        )
    bwrap = shutil.which("bwrap") if use_bwrap and has_namespaces else None
    return Isolation(bwrap, has_namespaces)


def describe(isolation: Isolation) -> list[str]:
    """Warnings for the log: what is missing, and what it means. Empty if nothing is."""
    warnings: list[str] = []
    if not isolation.is_sandboxed:
        warnings.append(
            "Chromium runs without its sandbox: a page that breaks out of it reaches this machine"
        )
    if isolation.bwrap is None and os.geteuid() != 0:
        warnings.append(
            "browsers of all sessions share the user of this server and can read its files and "
            "each other's: install bubblewrap (apt install bubblewrap)"
        )
    elif isolation.bwrap is None:
        warnings.append(
            "browsers can read what is readable by all on this machine: install bubblewrap"
        )
    return warnings


def describe_reach() -> str | None:
    """A warning for servers whose user is that of its browsers. None where they have users
    of their own."""
    if os.geteuid() == 0:
        return None
    return (
        "pages in browsers run as the user of this server and can reach its console and its "
        "DynamoDB port: run it as root, or give --password, so that both ask for credentials"
    )


def has_user_namespaces() -> bool:
    """Whether an ordinary user may make a user namespace, found out by trying."""
    pid = os.fork()
    if pid == 0:
        try:
            if os.geteuid() == 0:
                os.setresuid(_NOBODY, _NOBODY, _NOBODY)
            kernel.enter_user_namespace()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _bwrap_arguments(bwrap: str, program: str, home: str) -> list[str]:
    arguments = [
        bwrap,
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ]
    arguments += ["--die-with-parent", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    arguments += ["--ro-bind", "/usr", "/usr"]
    for name in _USR_LINKS:
        path = f"/{name}"
        if os.path.islink(path):
            arguments += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            arguments += ["--ro-bind", path, path]
    folder = os.path.dirname(os.path.realpath(program))
    paths = _SYSTEM_PATHS if folder.startswith("/usr/") else (*_SYSTEM_PATHS, folder)
    for path in paths:
        arguments += ["--ro-bind-try", path, path]
    for name in WRITABLE:
        arguments += ["--bind", os.path.join(home, name), f"{INSIDE}/{name}"]
    for name in READABLE:
        arguments += ["--ro-bind", os.path.join(home, name), f"{INSIDE}/{name}"]
    return [*arguments, "--chdir", INSIDE, "--"]
