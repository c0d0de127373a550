"""How much a subscriber may hold, which can change while it receives."""

from __future__ import annotations

from collections.abc import Callable

from headrace import errors


class Window:
    """A cap in messages and one in bytes that can be resized while subscribers use it.

    Give it as ``window=`` to :meth:`Client.subscribe`, :meth:`Client.receive` and what else
    takes subscriber settings, and resize it whenever you like, from any thread, also within a
    handler. What subscribers it is given to each have a window of that size: it is not one sum
    that they share.

    What is outstanding when a window shrinks stays; nothing more comes until it is below the
    new size.
    """

    def __init__(self, messages: int = 1_000, bytes: int = 64 << 20) -> None:
        """:param messages: held unsettled at most, at least 1; default 1,000.
        :param bytes: the same in bytes of encoded messages, at least 1; a larger message comes
            alone. Default: 64 MiB.
        :raises InvalidArgumentError: INVALID_FIELD: one of them is less than 1.
        """
        self._size = _checked(messages, bytes)
        self._listeners: set[Callable[[], None]] = set()

    def resize(self, messages: int, bytes: int) -> None:
        """Changes the size. Subscribers tell the server with what they send next; of several
        sizes the newest counts. One that drains tells it no more.

        :param messages: as when it was made.
        :param bytes: as when it was made.
        :raises InvalidArgumentError: INVALID_FIELD: one of them is less than 1; the window
            stays as it is.
        """
        self._size = _checked(messages, bytes)
        for resized in self._listeners.copy():
            resized()

    @property
    def messages(self) -> int:
        """Held unsettled at most, in messages."""
        return self._size[0]

    @property
    def bytes(self) -> int:
        """Held unsettled at most, in bytes of encoded messages."""
        return self._size[1]

    def __repr__(self) -> str:
        """Its size."""
        return "<Window of {} messages, {} bytes>".format(*self._size)

    # What subscribers ask.

    def _now(self) -> tuple[int, int]:
        """Both caps, as one resize set them."""
        return self._size

    def _listen(self, resized: Callable[[], None]) -> None:
        """Has a function called after each resize, in whatever thread that was; it must not
        block."""
        self._listeners.add(resized)

    def _leave(self, resized: Callable[[], None]) -> None:
        self._listeners.discard(resized)


def _checked(messages: int, size: int) -> tuple[int, int]:
    for name, value in (("messages", messages), ("bytes", size)):
        if value < 1:
            raise errors.InvalidArgumentError(
                f"a window has at least 1 of {name}, not {value}", reason="INVALID_FIELD", field=f"window.{name}"
            )
    return messages, size
