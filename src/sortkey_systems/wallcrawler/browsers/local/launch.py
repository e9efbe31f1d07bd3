"""What a holder is started with, as a file in its folder: the settings of the machine and the
session's spec."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sortkey_systems.wallcrawler.browsers.port import BrowserSpec, Viewport

FILE = "launch.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderSettings:
    """What holds for every browser of this machine."""

    chromium: str
    bwrap: str | None
    is_sandboxed: bool = True
    homes: str | None = None
    """Where the homes of browsers are created; None for the folder of temporary files."""
    memory_bytes_max: int = 2 * 1024**3
    start_seconds: float = 30.0
    orphan_seconds: float = 60.0
    """How long a browser runs on without a server."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A browser to hold. Without a spec it is kept warm until it is given one."""

    settings: HolderSettings
    spec: BrowserSpec | None

    def write(self, folder: Path) -> None:
        spec = None if self.spec is None else spec_to_json(self.spec)
        write_json(folder / FILE, {"settings": asdict(self.settings), "spec": spec})

    @classmethod
    def read(cls, folder: Path) -> Launch:
        content = json.loads((folder / FILE).read_text())
        spec = content["spec"]
        return cls(
            HolderSettings(**content["settings"]), None if spec is None else spec_from_json(spec)
        )


def spec_to_json(spec: BrowserSpec) -> dict[str, Any]:
    """A spec as JSON, paths as text."""
    content = asdict(spec)
    for name in ("profile_archive", "extension"):
        content[name] = None if content[name] is None else str(content[name])
    return content


def spec_from_json(content: dict[str, Any]) -> BrowserSpec:
    """The spec again."""
    members = dict(content)
    for name in ("allowed_domains", "proxies"):
        members[name] = tuple(content[name])
    if content["viewport"] is not None:
        members["viewport"] = Viewport(**content["viewport"])
    for name in ("profile_archive", "extension"):
        members[name] = None if content[name] is None else Path(content[name])
    return BrowserSpec(**members)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Replace a file that only its owner can read. A reader sees the old content or the new one."""
    partial = path.with_name(f".{path.name}.partial")
    fd = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with open(fd, "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.replace(partial, path)
