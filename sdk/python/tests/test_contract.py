"""The generated package imports on the runtimes it promises, and says what the contract says."""

import importlib
import pathlib

import grpc
import pytest
from headrace.v1 import message_pb2, subscriber_service_pb2_grpc

GENERATED = pathlib.Path(message_pb2.__file__).parent
FIELD_OF_A_LATER_VERSION = 19_000_000


@pytest.mark.parametrize("module", sorted(path.stem for path in GENERATED.glob("*_pb2*.py")))
def test_every_generated_module_imports(module: str) -> None:
    importlib.import_module(f"headrace.v1.{module}")


@pytest.mark.parametrize(
    ("service", "methods"),
    [
        ("publisher", {"Publish", "PublishStream"}),
        ("subscriber", {"Subscribe"}),
        ("topic", {"CreateTopic", "GetTopic", "ListTopics", "UpdateTopic", "DeleteTopic", "GetTopicStats"}),
        (
            "subscription",
            {
                "CreateSubscription",
                "GetSubscription",
                "ListSubscriptions",
                "UpdateSubscription",
                "DeleteSubscription",
                "GetSubscriptionStats",
            },
        ),
    ],
)
def test_every_service_has_its_stub(service: str, methods: set[str]) -> None:
    module = importlib.import_module(f"headrace.v1.{service}_service_pb2_grpc")
    stub = getattr(module, f"{service.capitalize()}ServiceStub")
    with grpc.insecure_channel("localhost:1") as channel:
        assert methods <= set(vars(stub(channel)))


def test_subscribe_streams_both_ways() -> None:
    with grpc.insecure_channel("localhost:1") as channel:
        subscribe = subscriber_service_pb2_grpc.SubscriberServiceStub(channel).Subscribe
    assert isinstance(subscribe, grpc.StreamStreamMultiCallable)


def test_unknown_fields_survive_a_round_trip() -> None:
    later = encode_varint(FIELD_OF_A_LATER_VERSION << 3) + encode_varint(42)
    sent = message_pb2.Message(data=b"body").SerializeToString() + later
    assert message_pb2.Message.FromString(sent).SerializeToString() == sent


def encode_varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
