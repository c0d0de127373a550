"""The calls and the defaults that all SDKs share are those of this one."""

import inspect
import pathlib
from typing import Any

import headrace
import pytest
from headrace import _settles, aio

SHARED = pathlib.Path(__file__).parents[2]


def table(file: str) -> list[list[str]]:
    """The rows of a file that all SDKs share, without its head."""
    lines = (SHARED / file).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")][1:]


@pytest.mark.parametrize("module", [aio, headrace])
def test_every_call_has_its_name(module: Any) -> None:
    for call, _, _, name in table("calls.tsv"):
        owner, method = name.split(".")
        assert hasattr(getattr(module, owner), method), f"{call}: there is no {name}"


@pytest.mark.parametrize("module", [aio, headrace])
def test_defaults_are_those_of_every_sdk(module: Any) -> None:
    subscribe, publish = headrace.SubscribeSettings(), headrace.PublishSettings()
    client = inspect.signature(module.Client).parameters
    own = {
        "concurrency": inspect.signature(module.Client.receive).parameters["concurrency"].default,
        "window_messages": subscribe.max_messages,
        "window_bytes": subscribe.max_bytes,
        "drain_timeout": subscribe.drain_timeout * 1_000,
        "connect_timeout": client["connect_timeout"].default * 1_000,
        "close_timeout": client["close_timeout"].default * 1_000,
        "batch_messages": publish.batch.messages,
        "batch_bytes": publish.batch.bytes,
        "batch_delay": publish.batch.delay * 1_000,
        "buffer_messages": publish.max_pending_messages,
        "buffer_bytes": publish.max_pending_bytes,
        "settle_messages": _settles.SETTLE_MESSAGES,
        "settle_delay": _settles.SETTLE_SECONDS * 1_000,
    }
    assert own == {name: float(default) for name, _, default, *_ in table("defaults.tsv")}
