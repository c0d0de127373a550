"""The real server for the tests: HEADRACE_BINARY names it."""

import collections.abc
import os
import pathlib
import subprocess

import headrace
import pytest
from headrace.v1 import subscription_pb2


class Server:
    """The server on a directory of its own and one port, which it keeps over restarts."""

    def __init__(self, directory: pathlib.Path) -> None:
        self._directory = directory
        self._process: subprocess.Popen[str] | None = None
        self.address = "127.0.0.1:0"

    def start(self) -> None:
        arguments = [os.environ["HEADRACE_BINARY"], "serve", "-o", "jsonl", "--dir", str(self._directory / "data")]
        arguments += ["--listen", self.address, "--ops-listen", "127.0.0.1:0"]
        log = (self._directory / "log").open("a")
        self._process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=log, text=True)
        line = self._process.stdout.readline()
        assert '"address":"' in line, (self._directory / "log").read_text()
        self.address = line.split('"address":"')[1].split('"')[0]

    def kill(self) -> None:
        """Kill -9."""
        self._process.kill()
        self._process.communicate()

    def terminate(self) -> None:
        """SIGTERM: the server drains, and ends when its clients are done."""
        self._process.terminate()

    def wait(self) -> None:
        """Until it has ended."""
        assert self._process.wait(60) == 0


@pytest.fixture
def server(tmp_path: pathlib.Path) -> collections.abc.Iterator[Server]:
    """A server."""
    s = Server(tmp_path)
    s.start()
    yield s
    s.kill()


@pytest.fixture
def client(server: Server) -> collections.abc.Iterator[headrace.Client]:
    """A client of the server."""
    with headrace.Client(server.address) as c:
        yield c


@pytest.fixture
def orders(client: headrace.Client) -> headrace.Topic:
    """A topic, with its subscription billing, which keeps no order of keys."""
    client.topics.create("orders")
    client.subscriptions.create("billing", "orders", order=subscription_pb2.DELIVERY_ORDER_NONE)
    return client.topic("orders")
