"""A program that runs a function for ever in a limited process, and prints that process's id. Tests
end the program.
"""

from __future__ import annotations

from sortkey import Sandbox
from tests.runtime.sandboxed import announce_and_run_forever

if __name__ == "__main__":
    sandbox = Sandbox(memory_bytes=300_000_000, seconds=600)
    sandbox.call(announce_and_run_forever, on_message=lambda pid: print(pid, flush=True))
