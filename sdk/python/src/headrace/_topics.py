"""Managing topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask

from headrace import _fields
from headrace._service import PAGE_SIZE, Listing, Service
from headrace.v1 import topic_pb2, topic_service_pb2_grpc
from headrace.v1 import topic_service_pb2 as pb


class Topics(Service):
    """The server's topics. A name is ``name`` or ``namespace/name``; every change is durable
    when its call returns."""

    @property
    def _topics(self) -> Any:
        return self._stub(topic_service_pb2_grpc.TopicServiceStub)

    async def create(self, topic: topic_pb2.Topic | str, **fields: Any) -> topic_pb2.Topic:
        """Creates a topic and gives it as stored, with every default filled in.

        :param topic: a message of the contract, or a name.
        :param fields: with a name: the fields of ``headrace.v1.Topic``, durations in
            seconds: ``partitions=8, durability="buffered", retention={"min_age": 3600}``.
        :raises AlreadyExistsError: TOPIC_EXISTS.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD, NOT_SERVED.
        :raises ResourceExhaustedError: LIMIT_REACHED, DISK_FULL.
        """
        if isinstance(topic, str):
            topic = _fields.build(topic_pb2.Topic, {"name": topic, **fields})
        request = pb.CreateTopicRequest(topic=topic)
        return (await self._call(self._topics.CreateTopic, request, pb.CreateTopicResponse)).topic

    async def get(self, name: str) -> topic_pb2.Topic:
        """A topic.

        :raises NotFoundError: TOPIC_NOT_FOUND.
        """
        request = pb.GetTopicRequest(topic=name)
        return (await self._call(self._topics.GetTopic, request, pb.GetTopicResponse)).topic

    def list(self, namespace: str = "") -> Listing[topic_pb2.Topic]:
        """The topics of a namespace in order of their names, to iterate over with ``async
        for``.

        :param namespace: which one; "-" means all of them. Default: "default".
        :raises InvalidArgumentError: INVALID_NAME.
        """

        async def fetch(token: str) -> tuple[Sequence[topic_pb2.Topic], str]:
            request = pb.ListTopicsRequest(namespace=namespace, page_size=PAGE_SIZE, page_token=token)
            page = await self._call(self._topics.ListTopics, request, pb.ListTopicsResponse)
            return page.topics, page.next_page_token

        return Listing(fetch)

    async def update(self, topic: topic_pb2.Topic | str, paths: Sequence[str] = (), **fields: Any) -> topic_pb2.Topic:
        """Changes a topic and gives it as stored.

        :param topic: a message of the contract, whose fields ``paths`` names, such as
            ``retention.min_age``; or a name, with the new values as fields, as for
            :meth:`create`. Parts of ``retention`` that are not given stay as they are.
        :raises NotFoundError: TOPIC_NOT_FOUND.
        :raises InvalidArgumentError: INVALID_NAME, INVALID_FIELD, NOT_SERVED.
        """
        if isinstance(topic, str):
            topic, paths = _fields.build(topic_pb2.Topic, {"name": topic, **fields}), [*_fields.paths(fields)]
        request = pb.UpdateTopicRequest(topic=topic, update_mask=FieldMask(paths=paths))
        return (await self._call(self._topics.UpdateTopic, request, pb.UpdateTopicResponse)).topic

    async def delete(self, name: str) -> None:
        """Deletes a topic, which has no subscriptions any more, and its messages.

        :raises NotFoundError: TOPIC_NOT_FOUND.
        :raises FailedPreconditionError: TOPIC_HAS_SUBSCRIPTIONS.
        """
        await self._call(self._topics.DeleteTopic, pb.DeleteTopicRequest(topic=name), pb.DeleteTopicResponse)

    async def stats(self, name: str) -> topic_pb2.TopicStats:
        """Figures of a topic at this moment.

        :raises NotFoundError: TOPIC_NOT_FOUND.
        """
        request = pb.GetTopicStatsRequest(topic=name)
        return (await self._call(self._topics.GetTopicStats, request, pb.GetTopicStatsResponse)).stats
