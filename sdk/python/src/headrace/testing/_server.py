"""One server process, and what tests do to it."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import subprocess
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import grpc

from headrace import _client, _fields, aio, errors
from headrace.v1 import test_control_service_pb2 as pb
from headrace.v1 import test_control_service_pb2_grpc

_CALL_SECONDS = 60.0
_STOP_SECONDS = 60.0


class MissingBinaryError(Exception):
    """There is no ``headrace`` to start."""


class Server:
    """The real server in a process of its own, on a free port of the loopback interface.

    It is a context manager that starts it and in the end kills it.
    """

    def __init__(
        self, directory: str | os.PathLike[str], *, binary: str | None = None, flags: Sequence[str] = ()
    ) -> None:
        """:param directory: for what it stores, and its log.
        :param binary: the program. Default: what HEADRACE_BINARY names, else ``headrace`` in
            PATH.
        :param flags: more flags for ``headrace serve``.
        """
        self._directory = pathlib.Path(directory)
        self._binary = binary
        self._flags = [*flags]
        self._process: subprocess.Popen[str] | None = None
        self._channel: grpc.Channel | None = None
        self.address = "127.0.0.1:0"
        """Host and port, the same over restarts."""

    def __enter__(self) -> Server:
        """Starts."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kills."""
        self.kill()

    def start(self) -> None:
        """Starts, also again, with what is stored, and returns when it serves.

        :raises MissingBinaryError: there is nothing to start.
        :raises RuntimeError: it did not come up; the text has its log.
        """
        arguments = [self._find(), "serve", "--testing", "-o", "jsonl", "--dir", str(self._directory / "data")]
        arguments += ["--listen", self.address, "--ops-listen", "off", *self._flags]
        with self._log.open("a") as log:
            self._process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self.kill()
            raise RuntimeError(f"the server did not start:\n{self.log()}")
        self.address = json.loads(line)["address"]

    @property
    def _log(self) -> pathlib.Path:
        return self._directory / "log"

    def log(self) -> str:
        """What the server has logged."""
        return self._log.read_text() if self._log.exists() else ""

    def _find(self) -> str:
        binary = self._binary or os.environ.get("HEADRACE_BINARY")
        found = shutil.which(binary or "headrace")
        if found is None:
            raise MissingBinaryError(
                f"there is no program {binary!r}"
                if binary
                else "there is no headrace: put it into PATH, or set HEADRACE_BINARY to it"
            )
        return found

    def kill(self) -> None:
        """Kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
        self._forget_channel()

    def terminate(self) -> None:
        """SIGTERM: it lets its clients finish, and ends."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def wait(self) -> None:
        """Until it has ended.

        :raises RuntimeError: it ended with an error; the text has its log.
        """
        if self._process is not None and self._process.wait(_STOP_SECONDS) != 0:
            raise RuntimeError(f"the server failed:\n{self.log()}")
        self.kill()

    def client(self, **settings: Any) -> _client.Client:
        """A client of it, with the settings of :class:`headrace.Client`."""
        return _client.Client(self.address, **settings)

    def aio_client(self, **settings: Any) -> aio.Client:
        """A client of it, with the settings of :class:`headrace.aio.Client`."""
        return aio.Client(self.address, **settings)

    # What tests do to it.

    def advance(self, seconds: float) -> None:
        """Moves the server's clock forward, at most 30 days: leases end, retries are due,
        snapshots expire. Clients stay connected. It returns when every subscription has seen
        the new time."""
        self._do("AdvanceClock", pb.AdvanceClockRequest(by=_fields.duration(seconds)))

    def refuse(self, method: str, reason: str, *, times: int = 0) -> None:
        """Has calls fail from now on.

        :param method: such as ``PublisherService/PublishStream``; ``SubscriberService`` for
            all of a service; empty: all.
        :param reason: one of the contract that ends calls, such as ``STORE_UNAVAILABLE``.
        :param times: how many calls; 0: all until :meth:`clear_faults`.
        """
        refusal = pb.InjectFaultRequest.Refusal(reason=f"ERROR_REASON_{reason}")
        self._do("InjectFault", pb.InjectFaultRequest(method=method, times=times, refusal=refusal))

    def delay(self, method: str, seconds: float, *, times: int = 0, each_frame: bool = False) -> None:
        """Has calls wait before they begin, from now on.

        :param method: as for :meth:`refuse`.
        :param seconds: at most an hour.
        :param times: how many calls, or frames; 0: all until :meth:`clear_faults`.
        :param each_frame: delay each frame that the server sends on streams instead, also
            on those that are open.
        """
        delay = pb.InjectFaultRequest.Delay(by=_fields.duration(seconds), each_frame=each_frame)
        self._do("InjectFault", pb.InjectFaultRequest(method=method, times=times, delay=delay))

    def drop_streams(self, method: str = "") -> int:
        """Breaks open streams as a broken connection does, and gives how many.

        :param method: as for :meth:`refuse`. Default: all streams.
        """
        streams: int = self._do("DropStreams", pb.DropStreamsRequest(method=method)).streams
        return streams

    def clear_faults(self) -> None:
        """Takes back every refusal and delay."""
        self._do("ClearFaults", pb.ClearFaultsRequest())

    def _do(self, method: str, request: Any) -> Any:
        if self._channel is None:
            options = [("grpc.use_local_subchannel_pool", 1)]
            self._channel = grpc.insecure_channel(self.address, options=options)
        stub: Any = test_control_service_pb2_grpc.TestControlServiceStub
        try:
            return getattr(stub(self._channel), method)(request, timeout=_CALL_SECONDS, wait_for_ready=True)
        except grpc.RpcError as error:
            raise errors.from_rpc_error(error) from error

    def _forget_channel(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
