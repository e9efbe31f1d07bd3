"""A process that is the server of some browsers until it is killed: `python server_stub.py ROOT`.

It prints a line for each thing that it has done, so that a test knows when to kill it.
"""

import asyncio
import sys
import time
from pathlib import Path

from sortkey_systems.wallcrawler.browsers.local.adapter import LocalBrowsers
from sortkey_systems.wallcrawler.browsers.local.settings import LocalSettings
from sortkey_systems.wallcrawler.browsers.port import BrowserSpec


async def serve(root: Path) -> None:
    browsers = LocalBrowsers(root, LocalSettings(warm=0))
    opening_at = time.monotonic()
    await browsers.open()
    found = await browsers.running()
    if not found:
        spec = BrowserSpec(session_id="sess_a", project_id="p", expires_at=time.time() + 600)
        await browsers.start(spec)
    alive = [browser.session_id for browser in found if browser.is_alive]
    print("serving", *alive, f"{time.monotonic() - opening_at:.3f}", flush=True)
    await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
