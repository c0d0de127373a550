"""The gRPC connection of a client: made when it is first used, for one process."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path

import grpc

from headrace import _fork, errors

DEFAULT_TARGET = "localhost:7070"
_PING_SECONDS = 30
_LARGEST_FRAME_BYTES = 65 << 20
"""Above every frame that a server may send: 64 MiB and what the frame adds."""
_LONGEST_RECONNECT_SECONDS = 5
_YES = {"1", "true", "yes", "on"}
_NO = {"", "0", "false", "no", "off"}


@dataclasses.dataclass(frozen=True, slots=True)
class Tls:
    """How a connection is encrypted. Without fields: by the system's certificate
    authorities.

    :ivar ca: a file of the certificate authorities to trust, in PEM. Default: the system's.
    :ivar cert: a file of the client's own certificate chain, in PEM. Default: none.
    :ivar key: a file of that certificate's private key, in PEM.
    :ivar server_name: the name that the server's certificate is for. Default: the
        target's host.
    """

    ca: str = ""
    cert: str = ""
    key: str = ""
    server_name: str = ""

    def __post_init__(self) -> None:
        """Refuses half a pair."""
        if bool(self.cert) != bool(self.key):
            raise errors.InvalidArgumentError(
                "a client's certificate needs its key, and a key its certificate", reason="INVALID_FIELD", field="tls"
            )


@dataclasses.dataclass(frozen=True, slots=True)
class Address:
    """Where a server is, and what it takes to be let in."""

    target: str = ""
    token: str = ""
    tls: Tls | None = None

    @property
    def host(self) -> str:
        """The target without its port."""
        return self.target.rpartition("/")[2].rpartition(":")[0].strip("[]")

    def check(self) -> None:
        """Refuses to send a token where everyone on the way could read it."""
        local = self.target.startswith("unix:") or self.host in ("localhost", "::1") or self.host.startswith("127.")
        if self.token and self.tls is None and not local:
            raise errors.InvalidArgumentError(
                "a token is sent over TLS or to this machine alone", reason="INVALID_FIELD", field="token"
            )


def environment(variables: Mapping[str, str] | None = None) -> Address:
    """The address that HEADRACE_ADDR, HEADRACE_TOKEN and HEADRACE_TLS_* give."""
    v = os.environ if variables is None else variables
    tls = Tls(
        ca=v.get("HEADRACE_TLS_CA", ""),
        cert=v.get("HEADRACE_TLS_CERT", ""),
        key=v.get("HEADRACE_TLS_KEY", ""),
        server_name=v.get("HEADRACE_TLS_SERVER_NAME", ""),
    )
    wanted = v.get("HEADRACE_TLS", "").lower()
    if wanted not in _YES | _NO:
        raise errors.InvalidArgumentError(
            f"HEADRACE_TLS is true or false, not {wanted!r}", reason="INVALID_FIELD", field="HEADRACE_TLS"
        )
    encrypted = wanted in _YES or tls != Tls()
    return Address(v.get("HEADRACE_ADDR") or DEFAULT_TARGET, v.get("HEADRACE_TOKEN", ""), tls if encrypted else None)


class Connection:
    """A channel for one event loop and one process, and whether a server ever answered."""

    def __init__(self, address: Address, timeout: float) -> None:
        """:param timeout: seconds that the first use may take to reach the server."""
        address.check()
        self.address = address
        self.timeout = timeout
        self.reached = False
        self.metadata = (("authorization", f"Bearer {address.token}"),) if address.token else ()
        """What goes with every call."""
        self._process = os.getpid()
        self._made: grpc.aio.Channel | None = None
        self.closed = False

    def channel(self) -> grpc.aio.Channel:
        """The channel, made by its first user.

        :raises ForkedError: this is a child of the process that made the client.
        :raises ClosedError: the client is closed.
        """
        _fork.check_process(self._process)
        _fork.check_grpc()
        if self.closed:
            raise errors.ClosedError("the client is closed", reason="CLOSED")
        if self._made is None:
            self._made = self._make()
            _fork.note_channel(self._made)
        return self._made

    def _make(self) -> grpc.aio.Channel:
        options: list[tuple[str, int | str]] = [
            ("grpc.max_receive_message_length", _LARGEST_FRAME_BYTES),
            ("grpc.max_send_message_length", _LARGEST_FRAME_BYTES),
            ("grpc.keepalive_time_ms", _PING_SECONDS * 1_000),
            ("grpc.max_reconnect_backoff_ms", _LONGEST_RECONNECT_SECONDS * 1_000),
            ("grpc.use_local_subchannel_pool", 1),
        ]
        tls = self.address.tls
        if tls is None:
            return grpc.aio.insecure_channel(self.address.target, options=options)
        if tls.server_name:
            options.append(("grpc.ssl_target_name_override", tls.server_name))
        return grpc.aio.secure_channel(self.address.target, _credentials(tls), options=options)

    async def close(self) -> None:
        """Disconnects, for good."""
        self.closed = True
        made, self._made = self._made, None  # Freed now, not in a child that a fork made.
        if made is not None:
            await made.close(None)


def _credentials(tls: Tls) -> grpc.ChannelCredentials:
    return grpc.ssl_channel_credentials(_read(tls.ca), _read(tls.key), _read(tls.cert))


def _read(path: str) -> bytes | None:
    if not path:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise errors.InvalidArgumentError(
            f"{path} cannot be read: {error.strerror}", reason="INVALID_FIELD", field="tls"
        ) from error
