package io.headrace;

import com.google.protobuf.FieldMask;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.headrace.v1.CreateSubscriptionRequest;
import io.headrace.v1.DeadLetter;
import io.headrace.v1.DeadLetterFilter;
import io.headrace.v1.DeleteSubscriptionRequest;
import io.headrace.v1.DiscardDeadLettersRequest;
import io.headrace.v1.GetSubscriptionRequest;
import io.headrace.v1.GetSubscriptionStatsRequest;
import io.headrace.v1.ListDeadLettersRequest;
import io.headrace.v1.ListDeadLettersResponse;
import io.headrace.v1.ListSubscriptionsRequest;
import io.headrace.v1.ListSubscriptionsResponse;
import io.headrace.v1.RedriveDeadLettersRequest;
import io.headrace.v1.StartPosition;
import io.headrace.v1.Subscription;
import io.headrace.v1.SubscriptionServiceGrpc;
import io.headrace.v1.SubscriptionStats;
import io.headrace.v1.UpdateSubscriptionRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Managing subscriptions: thin calls of the contract's service. Each throws {@link HeadraceException}. */
public final class Subscriptions {
  private final Channel channel;
  private final Duration timeout;

  Subscriptions(Channel channel, Duration timeout) {
    this.channel = channel;
    this.timeout = timeout;
  }

  private <R> R call(Function<SubscriptionServiceGrpc.SubscriptionServiceBlockingStub, R> call) {
    try {
      return call.apply(
          SubscriptionServiceGrpc.newBlockingStub(channel)
              .withWaitForReady()
              .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS));
    } catch (StatusRuntimeException failed) {
      throw Errors.of(failed);
    }
  }

  /**
   * Creates a subscription. Every message published from then on will be delivered to it, and earlier ones
   * when the start says so.
   *
   * @param subscription its name, its topic, and what is not to be the default
   * @param start where it begins; the default instance: at the latest message
   * @return the subscription as stored
   */
  public Subscription create(Subscription subscription, StartPosition start) {
    CreateSubscriptionRequest request =
        CreateSubscriptionRequest.newBuilder().setSubscription(subscription).setStart(start).build();
    return call(stub -> stub.createSubscription(request)).getSubscription();
  }

  /**
   * Creates a subscription with the defaults.
   *
   * @param name {@code name} or {@code namespace/name}
   * @param topic the topic's name
   * @return the subscription as stored
   */
  public Subscription create(String name, String topic) {
    return create(Subscription.newBuilder().setName(name).setTopic(topic).build(), StartPosition.getDefaultInstance());
  }

  /**
   * Gets a subscription.
   *
   * @param name its name
   * @return the subscription
   */
  public Subscription get(String name) {
    GetSubscriptionRequest request = GetSubscriptionRequest.newBuilder().setSubscription(name).build();
    return call(stub -> stub.getSubscription(request)).getSubscription();
  }

  /**
   * Lists the subscriptions of a namespace in order of their names.
   *
   * @param namespace empty: the default one; "-": all
   * @return the subscriptions
   */
  public List<Subscription> list(String namespace) {
    List<Subscription> all = new ArrayList<>();
    String token = "";
    do {
      ListSubscriptionsRequest request =
          ListSubscriptionsRequest.newBuilder().setNamespace(namespace).setPageToken(token).build();
      ListSubscriptionsResponse page = call(stub -> stub.listSubscriptions(request));
      all.addAll(page.getSubscriptionsList());
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return all;
  }

  /**
   * Changes a subscription.
   *
   * @param subscription its name and the new values
   * @param paths the fields to change, such as {@code retry.max_attempts}
   * @return the subscription as stored
   */
  public Subscription update(Subscription subscription, String... paths) {
    UpdateSubscriptionRequest request =
        UpdateSubscriptionRequest.newBuilder()
            .setSubscription(subscription)
            .setUpdateMask(FieldMask.newBuilder().addAllPaths(List.of(paths)))
            .build();
    return call(stub -> stub.updateSubscription(request)).getSubscription();
  }

  /**
   * Ends a subscription and its sessions.
   *
   * @param name its name
   */
  public void delete(String name) {
    call(stub -> stub.deleteSubscription(DeleteSubscriptionRequest.newBuilder().setSubscription(name).build()));
  }

  /**
   * Figures of a subscription and its sessions at this moment.
   *
   * @param name its name
   * @return the figures
   */
  public SubscriptionStats stats(String name) {
    GetSubscriptionStatsRequest request = GetSubscriptionStatsRequest.newBuilder().setSubscription(name).build();
    return call(stub -> stub.getSubscriptionStats(request)).getStats();
  }

  /**
   * What a subscription gave up, in order of their sequences; nothing is taken away.
   *
   * @param name its name
   * @param filter which ones; the default instance: all
   * @return the dead letters
   */
  public List<DeadLetter> deadLetters(String name, DeadLetterFilter filter) {
    List<DeadLetter> all = new ArrayList<>();
    String token = "";
    do {
      ListDeadLettersRequest request =
          ListDeadLettersRequest.newBuilder().setSubscription(name).setFilter(filter).setPageToken(token).build();
      ListDeadLettersResponse page = call(stub -> stub.listDeadLetters(request));
      all.addAll(page.getDeadLettersList());
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return all;
  }

  /**
   * Has dead letters delivered again, in this order.
   *
   * @param name the subscription's name
   * @param sequences 1 to 1,000 of them; what does not exist is passed over
   * @return those that were there
   */
  public List<Long> redriveDeadLetters(String name, List<Long> sequences) {
    RedriveDeadLettersRequest request =
        RedriveDeadLettersRequest.newBuilder().setSubscription(name).addAllSequences(sequences).build();
    return call(stub -> stub.redriveDeadLetters(request)).getSequencesList();
  }

  /**
   * Deletes dead letters for good.
   *
   * @param name the subscription's name
   * @param sequences 1 to 1,000 of them; what does not exist is passed over
   * @return those that were there
   */
  public List<Long> discardDeadLetters(String name, List<Long> sequences) {
    DiscardDeadLettersRequest request =
        DiscardDeadLettersRequest.newBuilder().setSubscription(name).addAllSequences(sequences).build();
    return call(stub -> stub.discardDeadLetters(request)).getSequencesList();
  }
}
