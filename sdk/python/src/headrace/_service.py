"""Unary calls of the contract's services, and lists that come in pages."""

from __future__ import annotations

import asyncio
import collections
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

import grpc

from headrace import errors
from headrace._connection import Connection

ResponseT = TypeVar("ResponseT")
ItemT = TypeVar("ItemT")

PAGE_SIZE = 500
"""How many resources one call of a list asks for."""


class Service:
    """Calls of one service over a client's connection."""

    def __init__(self, connection: Connection) -> None:
        """Made by the client."""
        self._connection = connection

    def _stub(self, stub: Any) -> Any:
        return stub(self._connection.channel())

    async def _call(
        self, method: Callable[..., Awaitable[Any]], request: Any, answer: type[ResponseT], *, patience: float = 0.0
    ) -> ResponseT:
        """Makes a call. Patience are the seconds that the server may take beyond the usual."""
        connection = self._connection
        try:
            response = await method(
                request, timeout=connection.timeout + patience, wait_for_ready=True, metadata=connection.metadata
            )
        except grpc.aio.AioRpcError as error:
            translated = errors.from_rpc_error(error)
            if not connection.reached and errors.never_reached(translated):
                raise errors.unreachable(translated) from error
            raise translated from error
        except asyncio.CancelledError:
            if connection.closed:
                raise errors.ClosedError("the client was closed during the call", reason="CLOSED") from None
            raise
        connection.reached = True
        assert isinstance(response, answer)
        return response


Fetch = Callable[[str], Awaitable[tuple[Sequence[ItemT], str]]]
"""Gets the page that a token names, and the token of the page after it, empty on the last."""


class Listing(AsyncIterator[ItemT], Generic[ItemT]):
    """The elements of a list, asked for page by page as the iteration goes on."""

    def __init__(self, fetch: Fetch[ItemT]) -> None:
        """Made by the call that lists."""
        self._fetch = fetch
        self._token: str | None = ""
        self._items: collections.deque[ItemT] = collections.deque()

    async def page(self) -> Sequence[ItemT]:
        """The elements of the next page, and none when the list has ended. It raises what the
        call that lists says."""
        if self._token is None:
            return []
        items, after = await self._fetch(self._token)
        self._token = after or None
        return items

    @property
    def ended(self) -> bool:
        """The last page was asked for."""
        return self._token is None

    def __aiter__(self) -> Listing[ItemT]:
        """The iteration itself: it goes once through the list."""
        return self

    async def __anext__(self) -> ItemT:
        """The next element."""
        while not self._items:
            if self.ended:
                raise StopAsyncIteration
            self._items.extend(await self.page())
        return self._items.popleft()
