"""Calls of Linux that Python does not offer: attributes of a process that die with it or survive
its parent."""

from __future__ import annotations

import ctypes
import os

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS, _PR_SET_CHILD_SUBREAPER = 1, 4, 38, 36
_libc = ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that all of them can be waited
    for."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(signal: int) -> None:
    """Get `signal` when the parent ends. Changing the user id undoes it, so it comes after that."""
    _prctl(_PR_SET_PDEATHSIG, signal)


def gain_no_privileges() -> None:
    """Programs that are started from here on get no rights from setuid bits."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def hide_memory() -> None:
    """Let no other process of the same user read this one."""
    _prctl(_PR_SET_DUMPABLE, 0)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
