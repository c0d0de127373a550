package io.headrace;

import com.google.protobuf.FieldMask;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.headrace.v1.CreateTopicRequest;
import io.headrace.v1.DeleteTopicRequest;
import io.headrace.v1.GetTopicRequest;
import io.headrace.v1.GetTopicStatsRequest;
import io.headrace.v1.ListTopicsRequest;
import io.headrace.v1.ListTopicsResponse;
import io.headrace.v1.TopicServiceGrpc;
import io.headrace.v1.TopicStats;
import io.headrace.v1.UpdateTopicRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Managing topics: thin calls of the contract's service. Each throws {@link HeadraceException}. */
public final class Topics {
  private final Channel channel;
  private final Duration timeout;

  Topics(Channel channel, Duration timeout) {
    this.channel = channel;
    this.timeout = timeout;
  }

  private <R> R call(Function<TopicServiceGrpc.TopicServiceBlockingStub, R> call) {
    try {
      return call.apply(
          TopicServiceGrpc.newBlockingStub(channel)
              .withWaitForReady()
              .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS));
    } catch (StatusRuntimeException failed) {
      throw Errors.of(failed);
    }
  }

  /**
   * Creates a topic.
   *
   * @param topic its name, and what is not to be the default
   * @return the topic as stored
   */
  public io.headrace.v1.Topic create(io.headrace.v1.Topic topic) {
    return call(stub -> stub.createTopic(CreateTopicRequest.newBuilder().setTopic(topic).build())).getTopic();
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
    return call(stub -> stub.getTopic(GetTopicRequest.newBuilder().setTopic(name).build())).getTopic();
  }

  /**
   * Lists the topics of a namespace in order of their names.
   *
   * @param namespace empty: the default one; "-": all
   * @return the topics
   */
  public List<io.headrace.v1.Topic> list(String namespace) {
    List<io.headrace.v1.Topic> all = new ArrayList<>();
    String token = "";
    do {
      ListTopicsRequest request = ListTopicsRequest.newBuilder().setNamespace(namespace).setPageToken(token).build();
      ListTopicsResponse page = call(stub -> stub.listTopics(request));
      all.addAll(page.getTopicsList());
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return all;
  }

  /**
   * Changes a topic.
   *
   * @param topic its name and the new values
   * @param paths the fields to change, such as {@code retention.min_age}
   * @return the topic as stored
   */
  public io.headrace.v1.Topic update(io.headrace.v1.Topic topic, String... paths) {
    UpdateTopicRequest request =
        UpdateTopicRequest.newBuilder()
            .setTopic(topic)
            .setUpdateMask(FieldMask.newBuilder().addAllPaths(List.of(paths)))
            .build();
    return call(stub -> stub.updateTopic(request)).getTopic();
  }

  /**
   * Deletes a topic, which has no subscriptions any more.
   *
   * @param name its name
   */
  public void delete(String name) {
    call(stub -> stub.deleteTopic(DeleteTopicRequest.newBuilder().setTopic(name).build()));
  }

  /**
   * Figures of a topic at this moment.
   *
   * @param name its name
   * @return the figures
   */
  public TopicStats stats(String name) {
    return call(stub -> stub.getTopicStats(GetTopicStatsRequest.newBuilder().setTopic(name).build())).getStats();
  }
}
