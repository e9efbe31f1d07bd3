"""`sortkey wallcrawler doctor`: is there a Chromium, does it start, and what isolates it."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import typer

from sortkey.commands import FAILED, Json, console, examples, print_json
from sortkey_systems.wallcrawler.browsers.choice import local_settings
from sortkey_systems.wallcrawler.browsers.local.chromium import ChromiumMissing, find_chromium
from sortkey_systems.wallcrawler.browsers.local.isolation import (
    NotIsolated,
    choose_isolation,
    describe,
    describe_reach,
)
from sortkey_systems.wallcrawler.browsers.local.session_folder import State
from sortkey_systems.wallcrawler.browsers.port import BrowserDidNotStart, BrowserSpec
from sortkey_systems.wallcrawler.command_run import PROJECT, one_browser

EXAMPLES = examples("sortkey wallcrawler doctor", "sortkey wallcrawler doctor --json")
VERSION_SECONDS = 10
OPTIONAL = {
    "bwrap": ("hides the files of this machine from browsers", "apt install bubblewrap"),
    "chromedriver": ("Selenium", "apt install chromium-driver"),
    "ffmpeg": ("recordings as MP4 and HLS", "apt install ffmpeg"),
}
MARKS = {"ok": "✓", "missing": "–", "problem": "✗"}


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. Missing is what sessions run without; a problem stops them."""

    name: str
    state: Literal["ok", "missing", "problem"]
    text: str
    advice: str = ""


def doctor(
    quick: bool = typer.Option(False, "--quick", help="Start no browser to try it."),
    json: Json = False,
) -> int:
    """Check whether browsers can run here: Chromium, its sandbox, its user, what is optional.

    Starts one browser and looks at its processes. The exit code is 1 when no session could run.
    """
    checks = [*_chromium(), *_isolation(), *_optional()]
    is_startable = all(each.state != "problem" for each in checks)
    if is_startable and not quick:
        checks += asyncio.run(_trial())
    problems = [each for each in checks if each.state == "problem"]
    if json:
        print_json({"ok": not problems, "checks": [asdict(each) for each in checks]})
    else:
        _print(checks)
    return FAILED if problems else 0


def _chromium() -> Iterator[Check]:
    try:
        program = find_chromium(local_settings().chromium)
    except ChromiumMissing as missing:
        yield Check("Chromium", "problem", "not installed", str(missing))
        return
    command = [program, "--version"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=VERSION_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        yield Check("Chromium", "problem", f"{program} does not run: {error}", "install it again")
        return
    yield Check("Chromium", "ok", f"{done.stdout.strip()} ({program})")


def _isolation() -> Iterator[Check]:
    try:
        settings = local_settings()
        isolation = choose_isolation(
            allow_no_sandbox=settings.allow_no_sandbox, use_bwrap=settings.use_bwrap
        )
    except NotIsolated as refused:
        yield Check("sandbox", "problem", "not possible here", str(refused))
        return
    if isolation.is_sandboxed:
        yield Check("sandbox", "ok", "user namespaces are allowed")
    yield Check("user", *_user())
    for warning in filter(None, (*describe(isolation), describe_reach())):
        yield Check("isolation", "missing", warning)


def _user() -> tuple[Literal["ok", "missing"], str]:
    """Only root can give each session a user."""
    if os.geteuid() == 0:
        return "ok", "each session runs as a user of its own"
    return "missing", f"all sessions run as this server's user (uid {os.geteuid()})"


def _optional() -> Iterator[Check]:
    for program, (purpose, advice) in OPTIONAL.items():
        path = shutil.which(program)
        if path:
            yield Check(program, "ok", path)
        else:
            yield Check(program, "missing", f"not installed; it is for: {purpose}", advice)


async def _trial() -> list[Check]:
    """Start a browser, look at its processes, and end it."""
    with tempfile.TemporaryDirectory(prefix="wallcrawler-") as folder:
        browsers = one_browser(Path(folder))
        session_id, began = f"sess_{secrets.token_hex(6)}", time.perf_counter()
        await browsers.open()
        try:
            await browsers.start(
                BrowserSpec(
                    session_id=session_id,
                    project_id=PROJECT,
                    expires_at=time.time() + 60,
                    record=False,
                )
            )
            took = 1000 * (time.perf_counter() - began)
            state = State.read(browsers.folder(session_id))
            found = [Check("start", "ok", f"a browser was ready after {took:.0f} ms")]
            found += _renderers(state.holder_pid if state else 0)
            await browsers.end(session_id, "doctor")
        except BrowserDidNotStart as problem:
            return [Check("start", "problem", str(problem))]
        finally:
            await browsers.close()
        return found


def _renderers(holder_pid: int) -> Iterator[Check]:
    """Under which user, and behind which filter, the pages of a browser run."""
    for pid in _descendants(holder_pid):
        status = _status(pid)
        if b"--type=renderer" in _command_line(pid):
            uid = status.get("Uid", "? ").split()[0]
            is_filtered = status.get("Seccomp") == "2"
            text = f"runs as uid {uid}, {'with' if is_filtered else 'without'} a seccomp filter"
            yield Check("a page", "ok" if is_filtered else "missing", text)
            return


def _descendants(pid: int) -> list[int]:
    parents = {int(name): _status(int(name)) for name in os.listdir("/proc") if name.isdigit()}
    found = {pid}
    for _ in range(10):  # deeper than any browser's tree
        found |= {each for each, about in parents.items() if int(about.get("PPid", 0)) in found}
    return sorted(found)


def _status(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}  # it has ended
    pairs = (line.partition(":") for line in lines)
    return {name: value.strip() for name, _, value in pairs}


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _print(checks: list[Check]) -> None:
    screen = console(soft_wrap=True)
    for each in checks:
        screen.print(f"{MARKS[each.state]} {each.name:<14} {each.text}", markup=False)
        if each.advice and each.state != "ok":
            screen.print(f"{'':<17}{each.advice}", markup=False, style="dim")
