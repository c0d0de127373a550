package io.headrace;

import com.google.protobuf.FieldMask;
import io.headrace.v1.CreateSnapshotRequest;
import io.headrace.v1.CreateSubscriptionRequest;
import io.headrace.v1.DeleteSnapshotRequest;
import io.headrace.v1.DeleteSubscriptionRequest;
import io.headrace.v1.ExplainKeyRequest;
import io.headrace.v1.ExplainMessageRequest;
import io.headrace.v1.ExplainSessionRequest;
import io.headrace.v1.ExplainSessionResponse;
import io.headrace.v1.ExplainSubscriptionRequest;
import io.headrace.v1.ExplainSubscriptionResponse;
import io.headrace.v1.GetSnapshotRequest;
import io.headrace.v1.GetSubscriptionRequest;
import io.headrace.v1.GetSubscriptionStatsRequest;
import io.headrace.v1.KeyExplanation;
import io.headrace.v1.ListSnapshotsRequest;
import io.headrace.v1.ListSnapshotsResponse;
import io.headrace.v1.ListSubscriptionsRequest;
import io.headrace.v1.ListSubscriptionsResponse;
import io.headrace.v1.MessageExplanation;
import io.headrace.v1.MoveSessionsRequest;
import io.headrace.v1.PauseSubscriptionRequest;
import io.headrace.v1.PeekSubscriptionRequest;
import io.headrace.v1.PeekSubscriptionResponse;
import io.headrace.v1.PeekedMessage;
import io.headrace.v1.ResumeSubscriptionRequest;
import io.headrace.v1.SeekSubscriptionRequest;
import io.headrace.v1.SeekSubscriptionResponse;
import io.headrace.v1.SeekTarget;
import io.headrace.v1.Snapshot;
import io.headrace.v1.StartPosition;
import io.headrace.v1.SubscriptionServiceGrpc;
import io.headrace.v1.SubscriptionStats;
import io.headrace.v1.UpdateSubscriptionRequest;
import java.time.Duration;
import java.util.List;

/**
 * Managing subscriptions. Every change is durable before its call returns. Each call throws {@link
 * HeadraceException}; {@code INVALID_NAME}, {@code INVALID_FIELD} and {@code SUBSCRIPTION_NOT_FOUND} go
 * without saying.
 */
public final class Subscriptions extends GivenUp {
  private static final String ALL_NAMESPACES = "-";

  Subscriptions(Calls calls) {
    super(calls);
  }

  /**
   * Creates a subscription. Every message published from then on will be delivered to it, and earlier ones
   * when the start says so. Reasons: NOT_SERVED, TOPIC_NOT_FOUND, TOPIC_DELETED, SUBSCRIPTION_EXISTS,
   * LIMIT_REACHED, DISK_FULL.
   *
   * @param subscription its name, its topic, and what is not to be the default
   * @param start where it begins, see {@link StartPositions}
   * @return the subscription as stored, with every default filled in
   */
  public io.headrace.v1.Subscription create(io.headrace.v1.Subscription subscription, StartPosition start) {
    CreateSubscriptionRequest request =
        CreateSubscriptionRequest.newBuilder().setSubscription(subscription).setStart(start).build();
    return calls.call(SubscriptionServiceGrpc.getCreateSubscriptionMethod(), request).getSubscription();
  }

  /**
   * Creates a subscription that begins at latest.
   *
   * @param subscription its name, its topic, and what is not to be the default
   * @return the subscription as stored
   */
  public io.headrace.v1.Subscription create(io.headrace.v1.Subscription subscription) {
    return create(subscription, StartPositions.latest());
  }

  /**
   * Creates a subscription with the defaults.
   *
   * @param name {@code name} or {@code namespace/name}
   * @param topic the topic's name
   * @return the subscription as stored
   */
  public io.headrace.v1.Subscription create(String name, String topic) {
    return create(io.headrace.v1.Subscription.newBuilder().setName(name).setTopic(topic).build());
  }

  /**
   * Gets a subscription.
   *
   * @param name its name
   * @return the subscription
   */
  public io.headrace.v1.Subscription get(String name) {
    GetSubscriptionRequest request = GetSubscriptionRequest.newBuilder().setSubscription(name).build();
    return calls.call(SubscriptionServiceGrpc.getGetSubscriptionMethod(), request).getSubscription();
  }

  /**
   * Lists the subscriptions of the default namespace in order of their names.
   *
   * @return the subscriptions
   */
  public Pages<io.headrace.v1.Subscription> list() {
    return list("");
  }

  /**
   * Lists the subscriptions of a namespace in order of their names.
   *
   * @param namespace empty: the default one; "-": all
   * @return the subscriptions
   */
  public Pages<io.headrace.v1.Subscription> list(String namespace) {
    return list(ListSubscriptionsRequest.newBuilder().setNamespace(namespace));
  }

  /**
   * Lists the subscriptions of a topic in order of their names.
   *
   * @param topic the topic's name
   * @return the subscriptions
   */
  public Pages<io.headrace.v1.Subscription> listOfTopic(String topic) {
    return list(ListSubscriptionsRequest.newBuilder().setNamespace(ALL_NAMESPACES).setTopic(topic));
  }

  private Pages<io.headrace.v1.Subscription> list(ListSubscriptionsRequest.Builder which) {
    which.setPageSize(Pages.PAGE_SIZE);
    return Pages.byToken(token -> {
      ListSubscriptionsResponse page =
          calls.call(SubscriptionServiceGrpc.getListSubscriptionsMethod(), which.clone().setPageToken(token).build());
      return new Pages.Page<>(page.getSubscriptionsList(), page.getNextPageToken());
    });
  }

  /**
   * Changes a subscription; open sessions learn of it. Reasons: NOT_SERVED.
   *
   * @param subscription its name and the new values
   * @param paths the fields to change, such as {@code retry.max_attempts} or {@code dispatch_cap}; at least one
   * @return the subscription as stored
   */
  public io.headrace.v1.Subscription update(io.headrace.v1.Subscription subscription, String... paths) {
    UpdateSubscriptionRequest request =
        UpdateSubscriptionRequest.newBuilder()
            .setSubscription(subscription)
            .setUpdateMask(FieldMask.newBuilder().addAllPaths(List.of(paths)))
            .build();
    return calls.call(SubscriptionServiceGrpc.getUpdateSubscriptionMethod(), request).getSubscription();
  }

  /**
   * Ends a subscription and its sessions.
   *
   * @param name its name
   */
  public void delete(String name) {
    DeleteSubscriptionRequest request = DeleteSubscriptionRequest.newBuilder().setSubscription(name).build();
    calls.call(SubscriptionServiceGrpc.getDeleteSubscriptionMethod(), request);
  }

  /**
   * Figures of a subscription and its sessions at this moment.
   *
   * @param name its name
   * @return the figures
   */
  public SubscriptionStats stats(String name) {
    GetSubscriptionStatsRequest request = GetSubscriptionStatsRequest.newBuilder().setSubscription(name).build();
    return calls.call(SubscriptionServiceGrpc.getGetSubscriptionStatsMethod(), request).getStats();
  }

  /**
   * Stops deliveries until {@link #resume}, also over restarts of the server; what subscribers hold stays
   * theirs. A subscription that is paused already is left so.
   *
   * @param name its name
   * @return the subscription as stored
   */
  public io.headrace.v1.Subscription pause(String name) {
    PauseSubscriptionRequest request = PauseSubscriptionRequest.newBuilder().setSubscription(name).build();
    return calls.call(SubscriptionServiceGrpc.getPauseSubscriptionMethod(), request).getSubscription();
  }

  /**
   * Ends a pause; without one it does nothing.
   *
   * @param name the subscription's name
   * @return the subscription as stored
   */
  public io.headrace.v1.Subscription resume(String name) {
    ResumeSubscriptionRequest request = ResumeSubscriptionRequest.newBuilder().setSubscription(name).build();
    return calls.call(SubscriptionServiceGrpc.getResumeSubscriptionMethod(), request).getSubscription();
  }

  /**
   * Moves a subscription. Sessions stay; what they hold is revoked. A second call moves it again: what was
   * acked in between is unacked again. Reasons: SNAPSHOT_NOT_FOUND, POSITION_OUT_OF_RANGE, NOTHING_KEPT,
   * DISK_FULL, DATA_LOSS.
   *
   * @param name the subscription's name
   * @param to where to, see {@link SeekTargets}
   * @return what became of it
   */
  public SeekSubscriptionResponse seek(String name, SeekTarget to) {
    return seek(name, to, false);
  }

  /**
   * Tells what a seek would do, and does nothing. Reasons: those of {@link #seek}.
   *
   * @param name the subscription's name
   * @param to where to
   * @return what would become of it
   */
  public SeekSubscriptionResponse seekDryRun(String name, SeekTarget to) {
    return seek(name, to, true);
  }

  private SeekSubscriptionResponse seek(String name, SeekTarget to, boolean dryRun) {
    SeekSubscriptionRequest request =
        SeekSubscriptionRequest.newBuilder().setSubscription(name).setTarget(to).setDryRun(dryRun).build();
    return calls.call(SubscriptionServiceGrpc.getSeekSubscriptionMethod(), request);
  }

  /**
   * Shows the messages of a partition that are not acked, in order of their offsets. It takes nothing: no
   * attempt is counted and no session waits. A message that is too large for a page is left out of its
   * entry. Reasons: PARTITION_NOT_FOUND, DATA_LOSS.
   *
   * @param name the subscription's name
   * @param from the first position to look at
   * @param includeAcked show what is acked, too, as far as it is retained
   * @return the messages
   */
  public Pages<PeekedMessage> peek(String name, Position from, boolean includeAcked) {
    PeekSubscriptionRequest.Builder request =
        PeekSubscriptionRequest.newBuilder()
            .setSubscription(name)
            .setPartition(from.partition())
            .setIncludeAcked(includeAcked);
    return Pages.from(from.offset(), offset -> {
      PeekSubscriptionResponse page =
          calls.call(SubscriptionServiceGrpc.getPeekSubscriptionMethod(), request.clone().setFromOffset(offset).build());
      return new Pages.Page<>(page.getMessagesList(), page.hasNextOffset() ? page.getNextOffset() : null);
    });
  }

  /**
   * Keeps what a subscription has not acked, and what comes, under a name of its own. Reasons:
   * SNAPSHOT_EXISTS, LIMIT_REACHED, DISK_FULL, DATA_LOSS.
   *
   * @param name the snapshot's name
   * @param subscription the subscription's name
   * @param keep for how long, at most 7 days; zero: 7 days
   * @return the snapshot
   */
  public Snapshot createSnapshot(String name, String subscription, Duration keep) {
    CreateSnapshotRequest.Builder request =
        CreateSnapshotRequest.newBuilder().setSnapshot(name).setSubscription(subscription);
    if (!keep.isZero()) {
      request.setKeep(Durations.of(keep));
    }
    return calls.call(SubscriptionServiceGrpc.getCreateSnapshotMethod(), request.build()).getSnapshot();
  }

  /**
   * Gets a snapshot. Reasons: SNAPSHOT_NOT_FOUND.
   *
   * @param name its name
   * @return the snapshot
   */
  public Snapshot snapshot(String name) {
    GetSnapshotRequest request = GetSnapshotRequest.newBuilder().setSnapshot(name).build();
    return calls.call(SubscriptionServiceGrpc.getGetSnapshotMethod(), request).getSnapshot();
  }

  /**
   * Lists the snapshots of a namespace in order of their names.
   *
   * @param namespace empty: the default one; "-": all
   * @return the snapshots
   */
  public Pages<Snapshot> snapshots(String namespace) {
    return snapshots(ListSnapshotsRequest.newBuilder().setNamespace(namespace));
  }

  /**
   * Lists the snapshots of a topic's subscriptions in order of their names.
   *
   * @param topic the topic's name
   * @return the snapshots
   */
  public Pages<Snapshot> snapshotsOfTopic(String topic) {
    return snapshots(ListSnapshotsRequest.newBuilder().setNamespace(ALL_NAMESPACES).setTopic(topic));
  }

  private Pages<Snapshot> snapshots(ListSnapshotsRequest.Builder which) {
    which.setPageSize(Pages.PAGE_SIZE);
    return Pages.byToken(token -> {
      ListSnapshotsResponse page =
          calls.call(SubscriptionServiceGrpc.getListSnapshotsMethod(), which.clone().setPageToken(token).build());
      return new Pages.Page<>(page.getSnapshotsList(), page.getNextPageToken());
    });
  }

  /**
   * Ends a snapshot. Reasons: SNAPSHOT_NOT_FOUND.
   *
   * @param name its name
   */
  public void deleteSnapshot(String name) {
    DeleteSnapshotRequest request = DeleteSnapshotRequest.newBuilder().setSnapshot(name).build();
    calls.call(SubscriptionServiceGrpc.getDeleteSnapshotMethod(), request);
  }

  /**
   * Says why deliveries flow or do not: what holds each session back, pauses and caps, the next retry, and
   * the oldest message that is not settled.
   *
   * @param name the subscription's name
   * @return the explanation
   */
  public ExplainSubscriptionResponse explain(String name) {
    ExplainSubscriptionRequest request = ExplainSubscriptionRequest.newBuilder().setSubscription(name).build();
    return calls.call(SubscriptionServiceGrpc.getExplainSubscriptionMethod(), request);
  }

  /**
   * Says where a message stands: who holds it since when, its attempt, why it waits, and when it is due.
   * Reasons: PARTITION_NOT_FOUND, DATA_LOSS.
   *
   * @param name the subscription's name
   * @param at the message's position
   * @return the explanation
   */
  public MessageExplanation explainMessage(String name, Position at) {
    return explain(ExplainMessageRequest.newBuilder().setSubscription(name).setPosition(at.encoded()));
  }

  /**
   * Says where a message stands, of one whose id names its position. Reasons: those of {@link #explainMessage}.
   *
   * @param name the subscription's name
   * @param id the message's id
   * @return the explanation
   */
  public MessageExplanation explainMessageId(String name, String id) {
    return explain(ExplainMessageRequest.newBuilder().setSubscription(name).setMessageId(id));
  }

  private MessageExplanation explain(ExplainMessageRequest.Builder request) {
    return calls.call(SubscriptionServiceGrpc.getExplainMessageMethod(), request.build()).getExplanation();
  }

  /**
   * Says how an ordering key stands: who holds it, which message of it goes next, and when.
   *
   * @param name the subscription's name
   * @param key the ordering key, 1 to 1,024 bytes
   * @return one entry a partition where it is busy
   */
  public List<KeyExplanation> explainKey(String name, String key) {
    ExplainKeyRequest request = ExplainKeyRequest.newBuilder().setSubscription(name).setOrderingKey(key).build();
    return calls.call(SubscriptionServiceGrpc.getExplainKeyMethod(), request).getExplanationsList();
  }

  /**
   * Says what a session holds and what holds it back. Reasons: SESSION_NOT_FOUND.
   *
   * @param name the subscription's name
   * @param session the session's name in the statistics
   * @return the explanation
   */
  public ExplainSessionResponse explainSession(String name, String session) {
    ExplainSessionRequest request = ExplainSessionRequest.newBuilder().setSubscription(name).setSession(session).build();
    return calls.call(SubscriptionServiceGrpc.getExplainSessionMethod(), request);
  }

  /**
   * Asks sessions to leave their streams. Clients that resume go on over another stream, with all that they
   * hold; others work off what they hold. Nothing is charged. Reasons: SESSION_NOT_FOUND.
   *
   * @param name the subscription's name
   * @param session the session's name in the statistics; empty: all of the subscription
   * @param grace how long the streams stay open, at most 12 h
   * @return how many sessions were asked
   */
  public long moveSessions(String name, String session, Duration grace) {
    MoveSessionsRequest request =
        MoveSessionsRequest.newBuilder()
            .setSubscription(name)
            .setSession(session)
            .setGrace(Durations.of(grace))
            .build();
    return calls.call(SubscriptionServiceGrpc.getMoveSessionsMethod(), request).getSessions();
  }
}
