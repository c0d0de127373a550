"""A client of nothing but the generated stubs, against the real server."""

import queue
from collections.abc import Iterator

import grpc
from headrace.testing import Server
from headrace.v1 import (
    message_pb2,
    publisher_service_pb2_grpc,
    subscriber_service_pb2_grpc,
    subscription_pb2,
    subscription_service_pb2_grpc,
    topic_pb2,
    topic_service_pb2_grpc,
)
from headrace.v1 import publisher_service_pb2 as publishing
from headrace.v1 import subscriber_service_pb2 as subscribing
from headrace.v1 import subscription_service_pb2 as subscriptions
from headrace.v1 import topic_service_pb2 as topics

COUNT = 1_000


def publish(channel: grpc.Channel) -> None:
    """By one stream, in batches of 100, each sent without waiting for the one before."""
    Request = publishing.PublishStreamRequest  # noqa: N806

    def requests() -> Iterator[publishing.PublishStreamRequest]:
        yield Request(open=Request.Open(client_id="stubs"))
        for first in range(1, COUNT + 1, 100):
            messages = [message_pb2.Message(data=b"%d" % n) for n in range(first, first + 100)]
            yield Request(publish_batch=Request.PublishBatch(topic="orders", first_sequence=first, messages=messages))

    through = 0
    for answer in publisher_service_pb2_grpc.PublisherServiceStub(channel).PublishStream(requests()):
        if answer.WhichOneof("frame") == "publish_result":
            assert not answer.publish_result.failures
            through = answer.publish_result.through_sequence
    assert through == COUNT


def receive(channel: grpc.Channel) -> list[bytes]:
    """By one stream: each batch is acked as a range, and all acks are confirmed."""
    Request = subscribing.SubscribeRequest  # noqa: N806
    outgoing: queue.Queue[subscribing.SubscribeRequest | None] = queue.Queue()
    outgoing.put(Request(open=Request.Open(subscription="billing")))
    got: list[bytes] = []
    numbers = 0
    stream = subscriber_service_pb2_grpc.SubscriberServiceStub(channel).Subscribe(iter(outgoing.get, None))
    for frame in stream:
        if frame.WhichOneof("frame") == "batch":
            got += [m.data for m in frame.batch.messages]
            numbers += 1
            first = frame.batch.first_sequence
            done = message_pb2.SequenceRange(first=first, last=first + len(frame.batch.messages) - 1)
            settle = Request.Settle(number=numbers, ranges=[done], verdict=subscribing.VERDICT_ACK)
            outgoing.put(Request(settle=settle))
        if frame.WhichOneof("frame") == "settle_result":
            assert not frame.settle_result.failures
            if len(got) == COUNT and frame.settle_result.confirmed_through == numbers:
                outgoing.put(None)
    return got


def test_a_client_of_nothing_but_stubs_publishes_and_acks_1000_messages(server: Server) -> None:
    with grpc.insecure_channel(server.address) as channel:
        topic_service = topic_service_pb2_grpc.TopicServiceStub(channel)
        topic_service.CreateTopic(topics.CreateTopicRequest(topic=topic_pb2.Topic(name="orders")))
        service = subscription_service_pb2_grpc.SubscriptionServiceStub(channel)
        billing = subscription_pb2.Subscription(name="billing", topic="orders")
        service.CreateSubscription(subscriptions.CreateSubscriptionRequest(subscription=billing))
        publish(channel)
        assert receive(channel) == [b"%d" % n for n in range(1, COUNT + 1)]
        asked = subscriptions.GetSubscriptionStatsRequest(subscription="billing")
        stats = service.GetSubscriptionStats(asked).stats
    assert (stats.acked, stats.backlog.messages, stats.redelivered) == (COUNT, 0, 0)
