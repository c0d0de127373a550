"""Credit that is given by hand: one delivery for each that is asked for."""

from __future__ import annotations

from headrace.v1 import subscriber_service_pb2 as pb


class ManualCredit:
    """The grants of a MANUAL session. They are cumulative, and may go down."""

    def __init__(self, ahead: int, max_bytes: int) -> None:
        """:param ahead: deliveries that may wait in the client beyond those asked for.
        :param max_bytes: what they all may have together.
        """
        self._ahead = max(0, ahead)
        self._max_bytes = max_bytes
        self._granted = (0, 0)

    def opened(self, received_through: int, charged_bytes: int) -> None:
        """A stream is open: what was granted before is void."""
        self._granted = (received_through, charged_bytes)

    def grant(
        self, received_through: int, charged_bytes: int, *, asked: int, waiting: int
    ) -> pb.SubscribeRequest | None:
        """What to grant now, or None: nothing changed.

        :param asked: those who wait for a delivery.
        :param waiting: deliveries that wait for somebody.
        """
        wanted = max(0, asked + self._ahead - waiting)
        through_bytes = charged_bytes + self._max_bytes if wanted else self._granted[1]
        granted = (received_through + wanted, through_bytes)
        if granted == self._granted:
            return None
        self._granted = granted
        return pb.SubscribeRequest(
            grant=pb.SubscribeRequest.Grant(through_sequence=granted[0], through_bytes=through_bytes)
        )
