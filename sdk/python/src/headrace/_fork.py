"""What a fork leaves of gRPC, which is nothing that a child can use.

gRPC's threads are not in the child, so a call there would hang. gRPC has handlers of forks that are
to mend that; but its asyncio face always has a thread within gRPC, so that they pass over most forks,
and those that they do not pass over crash the child. So they are turned off, unless the environment
says otherwise. It is asked once, when gRPC is imported first.
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
import weakref
from collections.abc import Mapping

_VARIABLE = "GRPC_ENABLE_FORK_SUPPORT"
_NO = ("0", "false", "no", "off")


def _handlers_run(variables: Mapping[str, str], *, imported: bool) -> bool:
    """Whether gRPC's handlers of forks will run: they do unless it is told otherwise in time."""
    return variables.get(_VARIABLE, "true" if imported else "false").lower() not in _NO


HANDLERS = _handlers_run(os.environ, imported="grpc" in sys.modules)
"""gRPC's own handlers of forks run, and may crash a child."""

if HANDLERS or _VARIABLE in os.environ:
    import grpc as grpc
else:
    os.environ[_VARIABLE] = "false"
    try:
        import grpc as grpc
    finally:
        del os.environ[_VARIABLE]  # What this process starts decides for itself.

from headrace import errors  # noqa: E402  It imports gRPC.

_first_users: list[int] = []
"""The process in which a client used gRPC first: this one, or a parent."""


_channels: weakref.WeakSet[grpc.aio.Channel] = weakref.WeakSet()
"""The channels of this process, and of its parent."""


def note_channel(channel: grpc.aio.Channel) -> None:
    """Notes a channel that a fork may meet."""
    _channels.add(channel)


def check_grpc() -> None:
    """Notes that gRPC is used, and raises in a child of a process that used it."""
    if not _first_users:
        _first_users.append(os.getpid())
    if _first_users[0] != os.getpid():
        raise errors.ForkedError(
            "a client was used before the fork, which gRPC does not survive: fork before, or spawn", reason="FORKED"
        )


def check_process(process: int) -> None:
    """Raises in a child of the process that made a client."""
    if os.getpid() != process:
        raise errors.ForkedError("this client was made before a fork; make one in the child", reason="FORKED")


def _before_fork() -> None:
    if HANDLERS and _first_users:
        warnings.warn(
            f"gRPC's handlers of forks may crash this child: set {_VARIABLE}=false, or import headrace before grpc",
            RuntimeWarning,
            stacklevel=2,
        )


def _after_fork_in_child() -> None:
    """Keeps the parent's channels for ever: whoever frees one waits for threads that are not here."""
    for channel in [*_channels]:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(channel))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork_in_child)
