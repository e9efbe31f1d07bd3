"""Started as a script with limits and a command: sets the limits on itself, then becomes the
command.

`python command_child.py MEMORY_BYTES CPU_SECONDS FILE_BYTES COMMAND ...`. A zero sets no limit. The
command ends with the server, even if that is killed.
"""

from __future__ import annotations

import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Set the limits and start the command in place of this process."""
    import resource

    memory, cpu, file_size = (int(text) for text in arguments[:3])
    for kind, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, file_size),
    ):
        if limit:
            hard = resource.getrlimit(kind)[1]
            least = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(kind, (least, least))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    end_with_parent()
    command = arguments[3:]
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]} cannot be started: {error}", file=sys.stderr)
        os._exit(127)


def end_with_parent() -> None:
    """Ask the kernel for SIGKILL when the parent ends. Only Linux offers it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
