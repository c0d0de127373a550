"""Clients and forks. Each test forks in a process of its own, in which nothing used gRPC before."""

import os
import subprocess
import sys

import pytest
from headrace import _fork
from headrace.testing import Server

CHILDREN = 10
"""How often each process forks: what goes wrong by chance shows."""

BEGIN = """
import gc, multiprocessing, os, sys
import headrace

before = headrace.Client({address!r})
orders = None

def child():
    ended = look()
    globals().update(before=None, orders=None, deliveries=None)
    gc.collect()  # What is freed in a child waits for nobody either.
    return ended

def look():
    calls = [before.topics.list, before.flush, lambda: before.topic("orders"), lambda: before.subscribe("billing")]
    calls += [lambda: before.subscription("billing").pull()]
    calls += [lambda: orders.publish(b"x")] if orders else []
    for call in calls:
        try:
            call()
            return 3
        except headrace.ForkedError as error:
            assert "make one in the child" in str(error)
    before.close()  # There is nothing to close.
    try:
        with headrace.Client({address!r}) as after:
            after.topic("orders").publish(b"the child's").result()
    except headrace.ForkedError as error:
        assert "fork before, or spawn" in str(error)
        return 4
    return 5

def by_os_exit():
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os._exit(child())

def by_sys_exit():
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.exit(child())

def by_multiprocessing():
    process = multiprocessing.get_context("fork").Process(target=lambda: sys.exit(child()))
    process.start()
    process.join()
    return process.exitcode
"""

STATES = {
    "unused": "pass",
    "idle": """
orders = before.topic("orders")
orders.publish(b"x").result()
""",
    "amid a stream": """
orders = before.topic("orders")
deliveries = before.subscribe("billing").__enter__()
orders.publish(b"x").result()
next(deliveries).ack_confirmed()
""",
    "publishing": """
import threading
orders = before.topic("orders")
def publish():
    while True:
        orders.publish(b"x").result()
threading.Thread(target=publish, daemon=True).start()
orders.publish(b"x").result()
""",
    "closed": """
orders = before.topic("orders")
orders.publish(b"x").result()
before.close()
""",
}

END = """
print(*[{how}() for _ in range({children})], flush=True)
with headrace.Client({address!r}) as parents:
    parents.topic("orders").publish(b"the parent's, afterwards").result()
os._exit(0)
"""


@pytest.fixture(autouse=True)
def billing(server: Server) -> None:
    """The topic, with its subscription."""
    with server.client() as c:
        c.topics.create("orders")
        c.subscriptions.create("billing", "orders", order="none")


def play(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**variables, **environment},
        timeout=120,
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("how", ["by_os_exit", "by_sys_exit", "by_multiprocessing"])
@pytest.mark.parametrize("state", STATES)
def test_a_child_has_a_client_of_its_own_or_is_told_why_not(server: Server, state: str, how: str) -> None:
    script = (BEGIN + STATES[state] + END).format(address=server.address, how=how, children=CHILDREN)
    told = play(script)
    assert told.returncode == 0, told.stderr
    ended = 5 if state == "unused" else 4
    assert told.stdout.split() == [str(ended)] * CHILDREN, told.stderr


def test_leaving_a_block_in_a_child_is_told_too(server: Server) -> None:
    script = """
import os, headrace
with headrace.Client({address!r}) as c, c.subscribe("billing") as deliveries:
    c.topic("orders").publish(b"x").result()
    d = next(deliveries)
    if not (pid := os.fork()):
        try:
            for call in (d.ack, d.ack_confirmed, lambda: next(deliveries), deliveries.close):
                try:
                    call()
                    os._exit(3)
                except headrace.ForkedError:
                    pass
            deliveries.__exit__(None, None, None)
        except headrace.ForkedError:
            os._exit(4)
        os._exit(5)
    d.ack_confirmed()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 4
"""
    told = play(script.format(address=server.address))
    assert told.returncode == 0, told.stderr


@pytest.mark.parametrize(
    ("variables", "imported", "run"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"GRPC_ENABLE_FORK_SUPPORT": "False"}, True, False),
        ({"GRPC_ENABLE_FORK_SUPPORT": "1"}, False, True),
    ],
)
def test_the_handlers_of_grpc_run_where_somebody_wants_them_or_it_is_too_late(
    variables: dict[str, str], imported: bool, run: bool
) -> None:
    assert _fork._handlers_run(variables, imported=imported) == run


def test_what_the_environment_says_stays_and_a_fork_is_warned_of(server: Server) -> None:
    script = """
import os, headrace
print(os.environ.get("GRPC_ENABLE_FORK_SUPPORT"))
with headrace.Client({address!r}) as c:
    c.topic("orders").publish(b"x").result()
    if not (pid := os.fork()):
        os._exit(0)
    os.waitpid(pid, 0)
"""
    script = script.format(address=server.address)
    told = play(script, GRPC_ENABLE_FORK_SUPPORT="true")
    assert told.stdout == "true\n"
    assert "set GRPC_ENABLE_FORK_SUPPORT=false" in told.stderr
    told = play(script)
    assert told.stdout == "None\n"
    assert "set GRPC_ENABLE_FORK_SUPPORT" not in told.stderr
