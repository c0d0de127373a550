"""Clients and forks. Each test forks in a process of its own, in which nothing used gRPC before."""

import os
import subprocess
import sys

from headrace.testing import Server

WITHOUT_HANDLERS = {**os.environ, "GRPC_ENABLE_FORK_SUPPORT": "false"}
"""gRPC's own handlers of forks crash one child in five of a process that uses its asyncio face."""

AFTER_A_FORK = """
import os, sys
import headrace

before = headrace.Client({address!r})
if {used}:
    before.topic("orders").publish(b"the parent's").result()
if child := os.fork():
    _, status = os.waitpid(child, 0)
    before.topic("orders").publish(b"the parent's, afterwards").result()
    before.close()
    sys.exit(os.waitstatus_to_exitcode(status))

for call in (before.topics.list, before.flush, lambda: before.topic("orders"), lambda: before.subscribe("billing")):
    try:
        call()
        os._exit(3)
    except headrace.ForkedError as error:
        assert "make one in the child" in str(error)
before.close()  # There is nothing to close.
try:
    with headrace.Client({address!r}) as after:
        after.topic("orders").publish(b"the child's").result()
except headrace.ForkedError as error:
    assert "fork before, or spawn" in str(error)
    os._exit(4)
os._exit(5)
"""


def fork(server: Server, *, used: bool) -> int:
    with server.client() as c:
        c.topics.create("orders")
        script = AFTER_A_FORK.format(address=server.address, used=used)
        told = subprocess.run([sys.executable, "-c", script], env=WITHOUT_HANDLERS, timeout=120, check=False)
        published = c.topics.stats("orders").published.messages
    assert published == 2
    return told.returncode


def test_a_child_makes_a_client_of_its_own(server: Server) -> None:
    assert fork(server, used=False) == 5


def test_a_child_of_a_process_that_used_a_client_is_told_so_and_does_not_hang(server: Server) -> None:
    assert fork(server, used=True) == 4
