"""What a subscription gave up."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from headrace import errors
from headrace._seek import SubscriptionService
from headrace._service import PAGE_SIZE, Listing
from headrace.v1 import dead_letter_pb2, message_pb2
from headrace.v1 import subscription_service_pb2 as pb


class DeadLetters(SubscriptionService):
    """Dead letters: looked at, given back to delivery, deleted. They are named by their
    sequences, from 1."""

    def dead_letters(
        self,
        name: str,
        *,
        filter: pb.DeadLetterFilter | None = None,
        from_sequence: int = 0,
        without_messages: bool = False,
    ) -> Listing[dead_letter_pb2.DeadLetter]:
        """The dead letters of a subscription in order of their sequences, to iterate over with
        ``async for``; nothing is taken away. A message that is too large for a page is left
        out of its dead letter. Of a subscription with a ``dead_letter_topic``, ``forward`` of a
        letter says where its copy stands in that topic, or the ``failure`` why there is none;
        it is not set without one.

        :param filter: which ones; ``DeadLetterFilter(not_forwarded=True)``: those without the
            copy that they were to have. Default: all.
        :param from_sequence: the first one. Default: the first there is.
        :param without_messages: leave the messages out.
        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD.
        :raises DataLossError: DATA_LOSS: one is damaged; those before it came.
        """

        async def fetch(token: str) -> tuple[Sequence[dead_letter_pb2.DeadLetter], str]:
            request = pb.ListDeadLettersRequest(
                subscription=name,
                filter=filter,
                from_sequence=from_sequence,
                without_messages=without_messages,
                page_size=PAGE_SIZE,
                page_token=token,
            )
            page = await self._call(self._subscriptions.ListDeadLetters, request, pb.ListDeadLettersResponse)
            return page.dead_letters, page.next_page_token

        return Listing(fetch)

    async def peek_dead_letter(self, name: str, sequence: int) -> dead_letter_pb2.DeadLetter | None:
        """A dead letter with its message, its failures, and what became of forwarding it; None:
        there is none of this sequence.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        """
        request = pb.ListDeadLettersRequest(subscription=name, from_sequence=sequence, page_size=1)
        page = await self._call(self._subscriptions.ListDeadLetters, request, pb.ListDeadLettersResponse)
        return next((d for d in page.dead_letters if d.sequence == sequence), None)

    def export_dead_letters(self, name: str, *, filter: pb.DeadLetterFilter | None = None) -> Listing[str]:
        """The messages of dead letters as JSON lines, as ``headrace dlq export`` writes and
        ``headrace pub --input jsonl`` reads them, to iterate over with ``async for``; nothing
        is taken away.

        :param filter: which ones, as for :meth:`dead_letters`. Default: all.
        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises ResourceExhaustedError: MESSAGE_TOO_LARGE: a message is too large to be fetched.
        """
        letters = self.dead_letters(name, filter=filter)

        async def fetch(_: str) -> tuple[Sequence[str], str]:
            lines = [_line(d) for d in await letters.page()]
            return lines, "" if letters.ended else "more"

        return Listing(fetch)

    async def redrive_dead_letters(self, name: str, sequences: Sequence[int]) -> Sequence[int]:
        """Has dead letters delivered again, in this order, 1 to 1,000 of them; gives those
        that were there. Their attempts begin again.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD.
        :raises ResourceExhaustedError: DISK_FULL.
        """
        request = pb.RedriveDeadLettersRequest(subscription=name, sequences=sequences)
        answer = await self._call(self._subscriptions.RedriveDeadLetters, request, pb.RedriveDeadLettersResponse)
        return answer.sequences

    async def discard_dead_letters(self, name: str, sequences: Sequence[int]) -> Sequence[int]:
        """Deletes dead letters for good, 1 to 1,000 of them; gives those that were there.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD.
        """
        request = pb.DiscardDeadLettersRequest(subscription=name, sequences=sequences)
        answer = await self._call(self._subscriptions.DiscardDeadLetters, request, pb.DiscardDeadLettersResponse)
        return answer.sequences


def _line(letter: dead_letter_pb2.DeadLetter) -> str:
    if not letter.HasField("message"):
        raise errors.ResourceExhaustedError(
            f"dead letter {letter.sequence} is too large to be fetched", reason="MESSAGE_TOO_LARGE", field="message"
        )
    return json.dumps(_content(letter.message), ensure_ascii=False)


def _content(message: message_pb2.Message) -> dict[str, Any]:
    content: dict[str, Any] = {"message_id": message.message_id}
    if message.HasField("publish_time"):
        content["publish_time"] = message.publish_time.ToJsonString()
    content |= {"ordering_key": message.ordering_key, "attributes": dict(message.attributes)}
    content["content_type"] = message.content_type
    try:
        data = {"data": message.data.decode()}
    except UnicodeDecodeError:
        data = {"data_base64": base64.b64encode(message.data).decode()}
    return {key: value for key, value in content.items() if value} | data
