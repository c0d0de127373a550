"""What the tests share: the real server, as the package's own fixtures start it."""

import headrace
import pytest
from headrace.testing import Server


@pytest.fixture
def server(headrace_server: Server) -> Server:
    """A server."""
    return headrace_server


@pytest.fixture
def client(headrace_client: headrace.Client) -> headrace.Client:
    """A client of the server."""
    return headrace_client


@pytest.fixture
def orders(client: headrace.Client) -> headrace.Topic:
    """A topic, with its subscription billing, which keeps no order of keys."""
    client.topics.create("orders")
    client.subscriptions.create("billing", "orders", order="none")
    return client.topic("orders")
