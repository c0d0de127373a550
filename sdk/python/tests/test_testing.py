"""What the package offers to the tests of programs: its fixtures, and the faults that they make."""

import pathlib
import subprocess
import sys

import headrace
import pytest
from headrace import errors
from headrace.testing import MissingBinaryError, Server


def test_the_clock_moves_and_a_lease_ends(headrace_server: Server, headrace_client: headrace.Client) -> None:
    headrace_client.topics.create("orders")
    headrace_client.subscriptions.create("billing", "orders", order="none")
    headrace_client.topic("orders").publish(b"x").result()
    billing = headrace_client.subscription("billing")
    (first,) = billing.pull(lease=3_600)
    headrace_server.advance(3_601)
    headrace_server.advance(60)
    (second,) = billing.pull()
    assert (first.attempt, second.attempt) == (1, 2)
    assert [f.error.reason for f in billing.ack_tokens(first.token)] == ["STALE_DELIVERY"]


def test_calls_are_refused_delayed_and_let_go(headrace_server: Server, headrace_client: headrace.Client) -> None:
    headrace_server.refuse("TopicService/CreateTopic", "DISK_FULL", times=1)
    with pytest.raises(errors.ResourceExhaustedError) as e:
        headrace_client.topics.create("orders")
    assert (e.value.reason, e.value.retryable) == ("DISK_FULL", True)
    headrace_client.topics.create("orders")
    headrace_server.refuse("TopicService", "DRAINING")
    with pytest.raises(errors.UnavailableError):
        headrace_client.topics.get("orders")
    headrace_server.delay("", 3_600)
    headrace_server.clear_faults()
    assert headrace_client.topics.get("orders").name == "default/orders"


def test_what_is_stored_outlives_a_kill(headrace_server: Server) -> None:
    with headrace_server.client() as c:
        c.topics.create("orders")
    headrace_server.kill()
    headrace_server.start()
    with headrace_server.client() as c:
        assert [t.name for t in c.topics.list()] == ["default/orders"]
    headrace_server.terminate()
    headrace_server.wait()


def test_a_server_that_does_not_start_says_why(tmp_path: pathlib.Path) -> None:
    with pytest.raises(RuntimeError, match="nonsense"):
        Server(tmp_path, flags=["--nonsense"]).start()


def test_a_missing_binary_is_named(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADRACE_BINARY", str(tmp_path / "nothing"))
    with pytest.raises(MissingBinaryError, match="nothing"):
        Server(tmp_path).start()


def test_a_test_without_a_binary_fails_and_is_not_skipped(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(headrace_server): pass\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path / "test_it.py")]
    told = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert "put it into PATH, or set HEADRACE_BINARY" in told.stdout
    assert told.returncode == 1
