"""How a command gives up: one line that says what is wrong and what to do, and an exit code."""

from __future__ import annotations

USAGE = 2
FAILED = 1


class CommandFailed(Exception):
    """Printed without a traceback. `exit_code` is 2 for wrong arguments, 1 for anything else."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code
