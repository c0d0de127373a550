"""Why deliveries flow or do not, and where a message, a key or a session stands."""

from __future__ import annotations

from collections.abc import Sequence

from headrace._message import Position
from headrace._seek import SubscriptionService
from headrace.v1 import explanation_pb2 as pb
from headrace.v1 import message_pb2


class Explain(SubscriptionService):
    """Explanations, as of one moment. They change and hold up nothing."""

    async def explain(self, name: str) -> pb.ExplainSubscriptionResponse:
        """Why deliveries from a subscription flow or do not: what holds each session back,
        pauses and caps, the next retry, and the oldest message that is not settled.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        """
        request = pb.ExplainSubscriptionRequest(subscription=name)
        return await self._call(self._subscriptions.ExplainSubscription, request, pb.ExplainSubscriptionResponse)

    async def explain_message(self, name: str, at: Position) -> pb.MessageExplanation:
        """Where the message at a position stands: who holds it since when, its attempt, why
        it waits, and when it is due.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND.
        """
        where = message_pb2.Position(partition=at.partition, offset=at.offset)
        return await self._message(pb.ExplainMessageRequest(subscription=name, position=where))

    async def explain_message_id(self, name: str, message_id: str) -> pb.MessageExplanation:
        """Where the message with an id stands, of one whose id names its position.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_FIELD: the id names no position.
        """
        return await self._message(pb.ExplainMessageRequest(subscription=name, message_id=message_id))

    async def _message(self, request: pb.ExplainMessageRequest) -> pb.MessageExplanation:
        answer = await self._call(self._subscriptions.ExplainMessage, request, pb.ExplainMessageResponse)
        return answer.explanation

    async def explain_key(self, name: str, key: str) -> Sequence[pb.KeyExplanation]:
        """How an ordering key stands: who holds it, which message of it goes next, and when;
        one entry a partition.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD.
        """
        request = pb.ExplainKeyRequest(subscription=name, ordering_key=key)
        return (await self._call(self._subscriptions.ExplainKey, request, pb.ExplainKeyResponse)).explanations

    async def explain_session(self, name: str, session: str) -> pb.ExplainSessionResponse:
        """What a session holds and what holds it back.

        :param session: its name in the statistics.
        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND, SESSION_NOT_FOUND.
        """
        request = pb.ExplainSessionRequest(subscription=name, session=session)
        return await self._call(self._subscriptions.ExplainSession, request, pb.ExplainSessionResponse)
