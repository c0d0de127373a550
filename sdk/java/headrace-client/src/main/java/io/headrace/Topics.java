package io.headrace;

import com.google.protobuf.FieldMask;
import io.headrace.v1.CreateTopicRequest;
import io.headrace.v1.DeleteTopicRequest;
import io.headrace.v1.GetTopicRequest;
import io.headrace.v1.GetTopicStatsRequest;
import io.headrace.v1.ListTopicsRequest;
import io.headrace.v1.ListTopicsResponse;
import io.headrace.v1.TopicServiceGrpc;
import io.headrace.v1.TopicStats;
import io.headrace.v1.UpdateTopicRequest;
import java.util.List;

/**
 * Managing topics. Every change is durable before its call returns. Each call throws {@link
 * HeadraceException}; {@code INVALID_NAME} and {@code TOPIC_NOT_FOUND} go without saying.
 */
public final class Topics {
  private final Calls calls;

  Topics(Calls calls) {
    this.calls = calls;
  }

  /**
   * Creates a topic. Reasons: INVALID_FIELD, NOT_SERVED, TOPIC_EXISTS, LIMIT_REACHED, DISK_FULL.
   *
   * @param topic its name, and what is not to be the default
   * @return the topic as stored, with every default filled in
   */
  public io.headrace.v1.Topic create(io.headrace.v1.Topic topic) {
    CreateTopicRequest request = CreateTopicRequest.newBuilder().setTopic(topic).build();
    return calls.call(TopicServiceGrpc.getCreateTopicMethod(), request).getTopic();
  }

  /**
   * Creates a topic with the defaults.
   *
   * @param name {@code name} or {@code namespace/name}
   * @return the topic as stored
   */
  public io.headrace.v1.Topic create(String name) {
    return create(io.headrace.v1.Topic.newBuilder().setName(name).build());
  }

  /**
   * Gets a topic.
   *
   * @param name its name
   * @return the topic
   */
  public io.headrace.v1.Topic get(String name) {
    GetTopicRequest request = GetTopicRequest.newBuilder().setTopic(name).build();
    return calls.call(TopicServiceGrpc.getGetTopicMethod(), request).getTopic();
  }

  /**
   * Lists the topics of the default namespace in order of their names.
   *
   * @return the topics
   */
  public Pages<io.headrace.v1.Topic> list() {
    return list("");
  }

  /**
   * Lists the topics of a namespace in order of their names.
   *
   * @param namespace empty: the default one; "-": all
   * @return the topics
   */
  public Pages<io.headrace.v1.Topic> list(String namespace) {
    ListTopicsRequest.Builder request =
        ListTopicsRequest.newBuilder().setNamespace(namespace).setPageSize(Pages.PAGE_SIZE);
    return Pages.byToken(token -> {
      ListTopicsResponse page =
          calls.call(TopicServiceGrpc.getListTopicsMethod(), request.clone().setPageToken(token).build());
      return new Pages.Page<>(page.getTopicsList(), page.getNextPageToken());
    });
  }

  /**
   * Changes a topic. Reasons: INVALID_FIELD, NOT_SERVED.
   *
   * @param topic its name and the new values
   * @param paths the fields to change, such as {@code retention.min_age}; at least one
   * @return the topic as stored
   */
  public io.headrace.v1.Topic update(io.headrace.v1.Topic topic, String... paths) {
    UpdateTopicRequest request =
        UpdateTopicRequest.newBuilder()
            .setTopic(topic)
            .setUpdateMask(FieldMask.newBuilder().addAllPaths(List.of(paths)))
            .build();
    return calls.call(TopicServiceGrpc.getUpdateTopicMethod(), request).getTopic();
  }

  /**
   * Deletes a topic and its messages. Reasons: TOPIC_HAS_SUBSCRIPTIONS.
   *
   * @param name its name
   */
  public void delete(String name) {
    calls.call(TopicServiceGrpc.getDeleteTopicMethod(), DeleteTopicRequest.newBuilder().setTopic(name).build());
  }

  /**
   * Figures of a topic at this moment.
   *
   * @param name its name
   * @return the figures
   */
  public TopicStats stats(String name) {
    GetTopicStatsRequest request = GetTopicStatsRequest.newBuilder().setTopic(name).build();
    return calls.call(TopicServiceGrpc.getGetTopicStatsMethod(), request).getStats();
  }
}
