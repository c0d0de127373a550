"""Managing subscriptions: their settings and their state as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask

from headrace import _fields
from headrace._dead_letters import DeadLetters
from headrace._explain import Explain
from headrace._parked_keys import ParkedKeys
from headrace._places import Start
from headrace._seek import Seek
from headrace._service import PAGE_SIZE, Listing
from headrace.v1 import session_pb2, subscription_pb2
from headrace.v1 import subscription_pause_pb2 as pause_pb
from headrace.v1 import subscription_service_pb2 as pb


class Subscriptions(Seek, Explain, DeadLetters, ParkedKeys):
    """The server's subscriptions. A name is ``name`` or ``namespace/name``; every change is
    durable when its call returns."""

    async def create(
        self,
        subscription: subscription_pb2.Subscription | str,
        topic: str = "",
        *,
        start: Start | subscription_pb2.StartPosition | None = None,
        **fields: Any,
    ) -> subscription_pb2.Subscription:
        """Creates a subscription and gives it as stored, with every default filled in. Every
        message published from then on will be delivered to it.

        :param subscription: a message of the contract, or a name.
        :param topic: with a name: the topic's.
        :param start: where it begins: :func:`headrace.from_earliest` and its like. Default:
            latest.
        :param fields: with a name: the fields of ``headrace.v1.Subscription``, durations
            in seconds: ``mode="exclusive", lease=60, retry={"max_attempts": 5},
            dispatch_cap={"messages_per_second": 100}``.
        :raises AlreadyExistsError: SUBSCRIPTION_EXISTS.
        :raises NotFoundError: TOPIC_NOT_FOUND.
        :raises FailedPreconditionError: TOPIC_DELETED.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD, NOT_SERVED.
        :raises ResourceExhaustedError: LIMIT_REACHED, DISK_FULL.
        """
        if isinstance(subscription, str):
            fields = {"name": subscription, "topic": topic, **fields}
            subscription = _fields.build(subscription_pb2.Subscription, fields)
        begin = start.position if isinstance(start, Start) else start
        request = pb.CreateSubscriptionRequest(subscription=subscription, start=begin)
        answer = await self._call(self._subscriptions.CreateSubscription, request, pb.CreateSubscriptionResponse)
        return answer.subscription

    async def get(self, name: str) -> subscription_pb2.Subscription:
        """A subscription.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        """
        request = pb.GetSubscriptionRequest(subscription=name)
        return (await self._call(self._subscriptions.GetSubscription, request, pb.GetSubscriptionResponse)).subscription

    def list(self, namespace: str = "", *, topic: str = "") -> Listing[subscription_pb2.Subscription]:
        """The subscriptions of a namespace, or of a topic, in order of their names, to
        iterate over with ``async for``.

        :param namespace: which one; "-" means all of them. Default: "default".
        :param topic: only those of this topic. Default: of all topics.
        :raises InvalidArgumentError: INVALID_NAME.
        """

        async def fetch(token: str) -> tuple[Sequence[subscription_pb2.Subscription], str]:
            request = pb.ListSubscriptionsRequest(
                namespace=namespace, topic=topic, page_size=PAGE_SIZE, page_token=token
            )
            page = await self._call(self._subscriptions.ListSubscriptions, request, pb.ListSubscriptionsResponse)
            return page.subscriptions, page.next_page_token

        return Listing(fetch)

    async def update(
        self, subscription: subscription_pb2.Subscription | str, paths: Sequence[str] = (), **fields: Any
    ) -> subscription_pb2.Subscription:
        """Changes a subscription and gives it as stored; its open sessions learn of it.

        :param subscription: a message of the contract, whose fields ``paths`` names, such
            as ``retry.max_attempts``; or a name, with the new values as fields, as for
            :meth:`create`. Parts of ``retry`` and ``dispatch_cap`` that are not given stay
            as they are.
        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD, NOT_SERVED.
        """
        if isinstance(subscription, str):
            paths = [*_fields.paths(fields)]
            subscription = _fields.build(subscription_pb2.Subscription, {"name": subscription, **fields})
        request = pb.UpdateSubscriptionRequest(subscription=subscription, update_mask=FieldMask(paths=paths))
        answer = await self._call(self._subscriptions.UpdateSubscription, request, pb.UpdateSubscriptionResponse)
        return answer.subscription

    async def delete(self, name: str) -> None:
        """Ends a subscription and its sessions.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        """
        request = pb.DeleteSubscriptionRequest(subscription=name)
        await self._call(self._subscriptions.DeleteSubscription, request, pb.DeleteSubscriptionResponse)

    async def stats(self, name: str) -> subscription_pb2.SubscriptionStats:
        """Figures of a subscription and its sessions at this moment.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        """
        request = pb.GetSubscriptionStatsRequest(subscription=name)
        answer = await self._call(self._subscriptions.GetSubscriptionStats, request, pb.GetSubscriptionStatsResponse)
        return answer.stats

    async def pause(self, name: str) -> subscription_pb2.Subscription:
        """Stops deliveries until :meth:`resume`, also over restarts of the server. What
        subscribers hold stays theirs.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        """
        request = pause_pb.PauseSubscriptionRequest(subscription=name)
        answer = await self._call(self._subscriptions.PauseSubscription, request, pause_pb.PauseSubscriptionResponse)
        return answer.subscription

    async def resume(self, name: str) -> subscription_pb2.Subscription:
        """Ends a pause; without one it does nothing.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        """
        request = pause_pb.ResumeSubscriptionRequest(subscription=name)
        answer = await self._call(self._subscriptions.ResumeSubscription, request, pause_pb.ResumeSubscriptionResponse)
        return answer.subscription

    async def move_sessions(self, name: str, session: str = "", *, grace: float = 30.0) -> int:
        """Asks a session, or all of a subscription, to leave their streams, and gives how
        many were asked. Clients that resume go on over another stream, with all that they
        hold; others work off what they hold. Nothing is charged.

        :param session: its name in the statistics. Default: all.
        :param grace: seconds that the streams stay open, at most 43,200.
        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND, SESSION_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD.
        """
        request = session_pb2.MoveSessionsRequest(subscription=name, session=session, grace=_fields.duration(grace))
        return (await self._call(self._subscriptions.MoveSessions, request, session_pb2.MoveSessionsResponse)).sessions
