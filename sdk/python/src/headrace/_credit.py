"""Credit that is given by hand: one delivery for each that is asked for."""

from __future__ import annotations

from headrace.v1 import subscriber_service_pb2 as pb


class ManualCredit:
    """The grants of a MANUAL session. They are cumulative, and may go down.

    ::

        sequences of the session
        ├── taken ──┼── wait in the client ──┼── still to come ──┤
                    └── asked for, and so many ahead ────────────┘ granted
    """

    def __init__(self, ahead: int) -> None:
        """:param ahead: deliveries that may wait in the client beyond those asked for."""
        self._ahead = max(0, ahead)
        self._granted = (0, 0)
        self._size = 0
        """The bytes of the window at the last look."""

    def opened(self, received_through: int, charged_bytes: int) -> None:
        """A stream is open: what was granted before is void."""
        self._granted = (received_through, charged_bytes)

    def grant(
        self,
        received_through: int,
        charged_bytes: int,
        *,
        asked: int,
        waiting: int,
        waiting_bytes: int,
        window: tuple[int | None, int],
    ) -> pb.SubscribeRequest | None:
        """What to grant now, or None: nothing changed.

        :param asked: those who wait for a delivery.
        :param waiting: deliveries that wait for somebody.
        :param waiting_bytes: what those have.
        :param window: the most messages that may wait or be on their way, None: as many as are
            asked for and ahead; and the most bytes.
        """
        messages, size = window
        wanted = asked + self._ahead
        wanted = max(0, (wanted if messages is None else min(wanted, messages)) - waiting)
        shrunk, self._size = size < self._size, size
        granted = (received_through + wanted, self._through_bytes(wanted, charged_bytes, size - waiting_bytes, shrunk))
        if granted == self._granted:
            return None
        self._granted = granted
        return pb.SubscribeRequest(
            grant=pb.SubscribeRequest.Grant(through_sequence=granted[0], through_bytes=granted[1])
        )

    def _through_bytes(self, wanted: int, charged: int, room: int, shrunk: bool) -> int:
        """The bytes to grant: they are raised only when something is wanted. When they must
        fall, or stay where they are in a smaller window, one byte is left for the next grant:
        one that raises them lets a message through that is larger than all of them, others do
        not."""
        through, before = charged + max(0, room), self._granted[1]
        if through < before or (shrunk and through == before):
            return max(charged, through - 1)
        return through if wanted else before
