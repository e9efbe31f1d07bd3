"""Calls of Linux that Python does not offer: attributes of a process that die with it or survive
its parent."""

from __future__ import annotations

import ctypes
import os

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS, _PR_SET_CHILD_SUBREAPER = 1, 4, 38, 36
_CLONE_NEWUSER = 0x10000000
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


def enter_user_namespace() -> None:
    """Become root of a namespace of its own, as Chromium's sandbox does. Raises OSError."""
    if _libc.unshare(_CLONE_NEWUSER) != 0:
        raise _last_error()


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        raise _last_error()


def _last_error() -> OSError:
    error = ctypes.get_errno()
    return OSError(error, os.strerror(error))
