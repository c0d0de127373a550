"""The fixtures for pytest, which finds them by itself."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest

from headrace import _client
from headrace.testing._server import MissingBinaryError, Server


@pytest.fixture
def headrace_server(tmp_path: pathlib.Path) -> Iterator[Server]:
    """A real server, started with ``--testing``, for this test alone."""
    server = Server(tmp_path)
    try:
        server.start()
    except MissingBinaryError as error:
        pytest.fail(str(error), pytrace=False)
    yield server
    server.kill()


@pytest.fixture
def headrace_client(headrace_server: Server) -> Iterator[_client.Client]:
    """A client of ``headrace_server``."""
    with headrace_server.client() as client:
        yield client
