"""Managing topics and subscriptions: thin calls of the contract's services."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, TypeVar

import grpc
from google.protobuf.field_mask_pb2 import FieldMask

from headrace import errors
from headrace.v1 import (
    dead_letter_pb2,
    subscription_pb2,
    subscription_service_pb2_grpc,
    topic_pb2,
    topic_service_pb2_grpc,
)
from headrace.v1 import subscription_service_pb2 as spb
from headrace.v1 import topic_service_pb2 as tpb

ResponseT = TypeVar("ResponseT")
Channel = Callable[[], grpc.aio.Channel]


class _Service:
    def __init__(self, channel: Channel, timeout: float) -> None:
        self._channel = channel
        self._timeout = timeout

    async def _call(self, method: Callable[..., Awaitable[Any]], request: Any, answer: type[ResponseT]) -> ResponseT:
        try:
            response = await method(request, timeout=self._timeout, wait_for_ready=True)
        except grpc.aio.AioRpcError as error:
            raise errors.from_rpc_error(error) from error
        assert isinstance(response, answer)
        return response


class Topics(_Service):
    """The server's topics. A name is ``name`` or ``namespace/name``."""

    @property
    def _stub(self) -> Any:
        stub: Any = topic_service_pb2_grpc.TopicServiceStub
        return stub(self._channel())

    async def create(self, topic: topic_pb2.Topic | str, **fields: Any) -> topic_pb2.Topic:
        """Creates a topic: a message of the contract, or a name and its fields.

        :raises AlreadyExistsError: TOPIC_EXISTS.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD, NOT_SERVED.
        """
        if isinstance(topic, str):
            topic = topic_pb2.Topic(name=topic, **fields)
        response = await self._call(
            self._stub.CreateTopic, tpb.CreateTopicRequest(topic=topic), tpb.CreateTopicResponse
        )
        return response.topic

    async def get(self, name: str) -> topic_pb2.Topic:
        """A topic.

        :raises NotFoundError: TOPIC_NOT_FOUND.
        """
        return (await self._call(self._stub.GetTopic, tpb.GetTopicRequest(topic=name), tpb.GetTopicResponse)).topic

    async def list(self, namespace: str = "") -> AsyncIterator[topic_pb2.Topic]:
        """The topics of a namespace in order of their names; "-" means all of them."""
        token = ""
        while True:
            request = tpb.ListTopicsRequest(namespace=namespace, page_token=token)
            page = await self._call(self._stub.ListTopics, request, tpb.ListTopicsResponse)
            for topic in page.topics:
                yield topic
            token = page.next_page_token
            if not token:
                return

    async def update(self, topic: topic_pb2.Topic, paths: Sequence[str]) -> topic_pb2.Topic:
        """Changes the fields that the paths name, such as ``retention.min_age``."""
        request = tpb.UpdateTopicRequest(topic=topic, update_mask=FieldMask(paths=paths))
        return (await self._call(self._stub.UpdateTopic, request, tpb.UpdateTopicResponse)).topic

    async def delete(self, name: str) -> None:
        """Deletes a topic, which has no subscriptions any more.

        :raises FailedPreconditionError: TOPIC_HAS_SUBSCRIPTIONS.
        """
        await self._call(self._stub.DeleteTopic, tpb.DeleteTopicRequest(topic=name), tpb.DeleteTopicResponse)

    async def stats(self, name: str) -> topic_pb2.TopicStats:
        """Figures of a topic at this moment."""
        return (
            await self._call(self._stub.GetTopicStats, tpb.GetTopicStatsRequest(topic=name), tpb.GetTopicStatsResponse)
        ).stats


class Subscriptions(_Service):
    """The server's subscriptions. A name is ``name`` or ``namespace/name``."""

    @property
    def _stub(self) -> Any:
        stub: Any = subscription_service_pb2_grpc.SubscriptionServiceStub
        return stub(self._channel())

    async def create(
        self,
        subscription: subscription_pb2.Subscription | str,
        topic: str = "",
        *,
        start: subscription_pb2.StartPosition | None = None,
        **fields: Any,
    ) -> subscription_pb2.Subscription:
        """Creates a subscription: a message of the contract, or names and fields.

        Every message published from then on will be delivered to it, and earlier ones
        when start says so.

        :raises AlreadyExistsError: SUBSCRIPTION_EXISTS.
        :raises NotFoundError: TOPIC_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD, NOT_SERVED.
        """
        if isinstance(subscription, str):
            subscription = subscription_pb2.Subscription(name=subscription, topic=topic, **fields)
        request = spb.CreateSubscriptionRequest(subscription=subscription, start=start)
        return (await self._call(self._stub.CreateSubscription, request, spb.CreateSubscriptionResponse)).subscription

    async def get(self, name: str) -> subscription_pb2.Subscription:
        """A subscription.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        """
        request = spb.GetSubscriptionRequest(subscription=name)
        return (await self._call(self._stub.GetSubscription, request, spb.GetSubscriptionResponse)).subscription

    async def list(self, namespace: str = "", *, topic: str = "") -> AsyncIterator[subscription_pb2.Subscription]:
        """The subscriptions of a namespace, or of a topic, in order of their names."""
        token = ""
        while True:
            request = spb.ListSubscriptionsRequest(namespace=namespace, topic=topic, page_token=token)
            page = await self._call(self._stub.ListSubscriptions, request, spb.ListSubscriptionsResponse)
            for subscription in page.subscriptions:
                yield subscription
            token = page.next_page_token
            if not token:
                return

    async def update(
        self, subscription: subscription_pb2.Subscription, paths: Sequence[str]
    ) -> subscription_pb2.Subscription:
        """Changes the fields that the paths name, such as ``retry.max_attempts``."""
        request = spb.UpdateSubscriptionRequest(subscription=subscription, update_mask=FieldMask(paths=paths))
        return (await self._call(self._stub.UpdateSubscription, request, spb.UpdateSubscriptionResponse)).subscription

    async def delete(self, name: str) -> None:
        """Ends a subscription and its sessions."""
        await self._call(
            self._stub.DeleteSubscription,
            spb.DeleteSubscriptionRequest(subscription=name),
            spb.DeleteSubscriptionResponse,
        )

    async def stats(self, name: str) -> subscription_pb2.SubscriptionStats:
        """Figures of a subscription and its sessions at this moment."""
        request = spb.GetSubscriptionStatsRequest(subscription=name)
        return (await self._call(self._stub.GetSubscriptionStats, request, spb.GetSubscriptionStatsResponse)).stats

    async def dead_letters(
        self, name: str, *, filter: spb.DeadLetterFilter | None = None, without_messages: bool = False
    ) -> AsyncIterator[dead_letter_pb2.DeadLetter]:
        """What a subscription gave up, in order of their sequences; nothing is taken away."""
        token = ""
        while True:
            request = spb.ListDeadLettersRequest(
                subscription=name, filter=filter, page_token=token, without_messages=without_messages
            )
            page = await self._call(self._stub.ListDeadLetters, request, spb.ListDeadLettersResponse)
            for letter in page.dead_letters:
                yield letter
            token = page.next_page_token
            if not token:
                return

    async def redrive_dead_letters(self, name: str, sequences: Sequence[int]) -> Sequence[int]:
        """Has dead letters delivered again, in this order, 1 to 1,000 of them; gives those
        that were there."""
        request = spb.RedriveDeadLettersRequest(subscription=name, sequences=sequences)
        return (await self._call(self._stub.RedriveDeadLetters, request, spb.RedriveDeadLettersResponse)).sequences

    async def discard_dead_letters(self, name: str, sequences: Sequence[int]) -> Sequence[int]:
        """Deletes dead letters for good, 1 to 1,000 of them; gives those that were there."""
        request = spb.DiscardDeadLettersRequest(subscription=name, sequences=sequences)
        return (await self._call(self._stub.DiscardDeadLetters, request, spb.DiscardDeadLettersResponse)).sequences
