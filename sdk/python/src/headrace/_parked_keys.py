"""Ordering keys that wait to be released."""

from __future__ import annotations

from collections.abc import Sequence

from headrace._seek import SubscriptionService
from headrace._service import PAGE_SIZE, Listing
from headrace.v1 import parked_key_pb2 as pb


class ParkedKeys(SubscriptionService):
    """Keys of which a message became a dead letter under ``key_failure_policy="park_key"``."""

    def parked_keys(self, name: str) -> Listing[pb.ParkedKey]:
        """The ordering keys of a subscription that wait to be released, in order of their
        partitions and hashes, to iterate over with ``async for``.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        """

        async def fetch(token: str) -> tuple[Sequence[pb.ParkedKey], str]:
            request = pb.ListParkedKeysRequest(subscription=name, page_size=PAGE_SIZE, page_token=token)
            page = await self._call(self._subscriptions.ListParkedKeys, request, pb.ListParkedKeysResponse)
            return page.parked_keys, page.next_page_token

        return Listing(fetch)

    async def release_parked_keys(self, name: str, *keys: str) -> int:
        """Lets up to 1,000 parked ordering keys go on, and gives how many of them were parked.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD.
        """
        return await self._release(pb.ReleaseParkedKeysRequest(subscription=name, ordering_keys=keys))

    async def release_parked_partitions(self, name: str, *partitions: int) -> int:
        """:meth:`release_parked_keys` for all keys of some partitions."""
        return await self._release(pb.ReleaseParkedKeysRequest(subscription=name, partitions=partitions))

    async def release_all_parked_keys(self, name: str) -> int:
        """:meth:`release_parked_keys` for all keys."""
        return await self._release(pb.ReleaseParkedKeysRequest(subscription=name, all=True))

    async def _release(self, request: pb.ReleaseParkedKeysRequest) -> int:
        return (await self._call(self._subscriptions.ReleaseParkedKeys, request, pb.ReleaseParkedKeysResponse)).released
