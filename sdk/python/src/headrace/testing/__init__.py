"""The real server for tests, with a clock that tests move and calls that they let fail.

With pytest installed there are the fixtures ``headrace_server`` and ``headrace_client``::

    def test_an_order_is_billed_again_when_billing_fails(headrace_server, headrace_client):
        headrace_client.topics.create("orders")
        headrace_client.subscriptions.create("billing", "orders")
        ...
        headrace_server.advance(60)  # Leases end, retries are due.

Each test has a server of its own on a free port and in a directory of its own, started in
some 0.2 s. The binary is the one that HEADRACE_BINARY names, else ``headrace`` in PATH; a
test without one fails. :class:`Server` is for those who want it otherwise, for instance one
for a whole session.
"""

from headrace.testing._server import MissingBinaryError, Server

__all__ = ["MissingBinaryError", "Server"]
