"""Moving subscriptions, keeping where they stand, and looking at their messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace import _fields
from headrace._message import Position
from headrace._places import SeekResult, SeekTarget
from headrace._service import PAGE_SIZE, Listing, Service
from headrace.v1 import peek_pb2, seek_pb2, snapshot_pb2, subscription_service_pb2_grpc


class SubscriptionService(Service):
    """Calls of the contract's subscription service."""

    @property
    def _subscriptions(self) -> Any:
        return self._stub(subscription_service_pb2_grpc.SubscriptionServiceStub)


class Seek(SubscriptionService):
    """Seeks, snapshots and peeks."""

    async def seek(self, name: str, to: SeekTarget) -> SeekResult:
        """Moves a subscription. Sessions stay; what they hold is revoked, and is settled no
        more. A second call moves it again: what was acked in between is unacked again.

        :param to: :func:`headrace.to_time` and its like.
        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND, SNAPSHOT_NOT_FOUND.
        :raises OutOfRangeError: POSITION_OUT_OF_RANGE.
        :raises FailedPreconditionError: NOTHING_KEPT.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD.
        """
        return await self._seek(name, to, dry_run=False)

    async def seek_dry_run(self, name: str, to: SeekTarget) -> SeekResult:
        """What :meth:`seek` would do; nothing is done. It raises what that does."""
        return await self._seek(name, to, dry_run=True)

    async def _seek(self, name: str, to: SeekTarget, *, dry_run: bool) -> SeekResult:
        request = seek_pb2.SeekSubscriptionRequest(subscription=name, target=to.target, dry_run=dry_run)
        r = await self._call(self._subscriptions.SeekSubscription, request, seek_pb2.SeekSubscriptionResponse)
        return SeekResult(r.generation, r.unacked, r.acked)

    async def create_snapshot(
        self, name: str, subscription: str, *, keep: float | None = None
    ) -> snapshot_pb2.Snapshot:
        """Keeps what a subscription has not acked, and what comes, under a name of its own.

        :param keep: seconds, at most 7 days, which is the default.
        :raises AlreadyExistsError: SNAPSHOT_EXISTS.
        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD.
        :raises ResourceExhaustedError: LIMIT_REACHED, DISK_FULL.
        """
        request = snapshot_pb2.CreateSnapshotRequest(snapshot=name, subscription=subscription)
        if keep is not None:
            request.keep.CopyFrom(_fields.duration(keep))
        answer = await self._call(self._subscriptions.CreateSnapshot, request, snapshot_pb2.CreateSnapshotResponse)
        return answer.snapshot

    async def snapshot(self, name: str) -> snapshot_pb2.Snapshot:
        """A snapshot.

        :raises NotFoundError: SNAPSHOT_NOT_FOUND.
        """
        request = snapshot_pb2.GetSnapshotRequest(snapshot=name)
        return (await self._call(self._subscriptions.GetSnapshot, request, snapshot_pb2.GetSnapshotResponse)).snapshot

    def snapshots(self, namespace: str = "", *, topic: str = "") -> Listing[snapshot_pb2.Snapshot]:
        """The snapshots of a namespace, or of a topic, in order of their names, to iterate
        over with ``async for``.

        :param namespace: which one; "-" means all of them. Default: "default".
        :param topic: only those of this topic. Default: of all topics.
        :raises InvalidArgumentError: INVALID_NAME.
        """

        async def fetch(token: str) -> tuple[Sequence[snapshot_pb2.Snapshot], str]:
            request = snapshot_pb2.ListSnapshotsRequest(
                namespace=namespace, topic=topic, page_size=PAGE_SIZE, page_token=token
            )
            page = await self._call(self._subscriptions.ListSnapshots, request, snapshot_pb2.ListSnapshotsResponse)
            return page.snapshots, page.next_page_token

        return Listing(fetch)

    async def delete_snapshot(self, name: str) -> None:
        """Ends a snapshot.

        :raises NotFoundError: SNAPSHOT_NOT_FOUND.
        """
        request = snapshot_pb2.DeleteSnapshotRequest(snapshot=name)
        await self._call(self._subscriptions.DeleteSnapshot, request, snapshot_pb2.DeleteSnapshotResponse)

    def peek(
        self, name: str, at: Position | None = None, *, include_acked: bool = False
    ) -> Listing[peek_pb2.PeekedMessage]:
        """The messages of a partition that a subscription has not acked, in order of their
        offsets, to iterate over with ``async for``. It takes nothing: no attempt is counted
        and no session waits. A message that is too large for a page is left out of its entry.

        :param at: the partition, and the first offset to look at. Default: the first
            partition's first.
        :param include_acked: show what is acked, too, as far as it is retained.
        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD.
        """
        at = at or Position(0, 0)

        async def fetch(token: str) -> tuple[Sequence[peek_pb2.PeekedMessage], str]:
            request = peek_pb2.PeekSubscriptionRequest(
                subscription=name,
                partition=at.partition,
                from_offset=int(token) if token else at.offset,
                include_acked=include_acked,
            )
            page = await self._call(self._subscriptions.PeekSubscription, request, peek_pb2.PeekSubscriptionResponse)
            return page.messages, str(page.next_offset) if page.HasField("next_offset") else ""

        return Listing(fetch)
