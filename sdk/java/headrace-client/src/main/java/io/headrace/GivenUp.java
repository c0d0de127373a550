package io.headrace;

import io.headrace.v1.DeadLetter;
import io.headrace.v1.DeadLetterFilter;
import io.headrace.v1.DiscardDeadLettersRequest;
import io.headrace.v1.ListDeadLettersRequest;
import io.headrace.v1.ListDeadLettersResponse;
import io.headrace.v1.ListParkedKeysRequest;
import io.headrace.v1.ListParkedKeysResponse;
import io.headrace.v1.ParkedKey;
import io.headrace.v1.RedriveDeadLettersRequest;
import io.headrace.v1.ReleaseParkedKeysRequest;
import io.headrace.v1.SubscriptionServiceGrpc;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What subscriptions gave up, and what waits for it: the dead letters and parked keys of {@link Subscriptions}. */
abstract class GivenUp {
  final Calls calls;

  GivenUp(Calls calls) {
    this.calls = calls;
  }

  /**
   * Lists the ordering keys that wait to be released, in order of their partitions and hashes.
   *
   * @param name the subscription's name
   * @return the keys
   */
  public Pages<ParkedKey> parkedKeys(String name) {
    ListParkedKeysRequest.Builder request =
        ListParkedKeysRequest.newBuilder().setSubscription(name).setPageSize(Pages.PAGE_SIZE);
    return Pages.byToken(token -> {
      ListParkedKeysResponse page =
          calls.call(SubscriptionServiceGrpc.getListParkedKeysMethod(), request.clone().setPageToken(token).build());
      return new Pages.Page<>(page.getParkedKeysList(), page.getNextPageToken());
    });
  }

  /**
   * Lets parked ordering keys go on with the message behind the one that became a dead letter.
   *
   * @param name the subscription's name
   * @param keys 1 to 1,000 ordering keys; what is not parked is passed over
   * @return how many of them were parked
   */
  public long releaseParkedKeys(String name, String... keys) {
    return release(ReleaseParkedKeysRequest.newBuilder().setSubscription(name).addAllOrderingKeys(Arrays.asList(keys)));
  }

  /**
   * Lets all parked keys of some partitions go on.
   *
   * @param name the subscription's name
   * @param partitions at least one; 65,535 is the subscription's own
   * @return how many were parked
   */
  public long releaseParkedPartitions(String name, int... partitions) {
    ReleaseParkedKeysRequest.Builder request = ReleaseParkedKeysRequest.newBuilder().setSubscription(name);
    Arrays.stream(partitions).forEach(request::addPartitions);
    return release(request);
  }

  /**
   * Lets all parked keys go on.
   *
   * @param name the subscription's name
   * @return how many were parked
   */
  public long releaseAllParkedKeys(String name) {
    return release(ReleaseParkedKeysRequest.newBuilder().setSubscription(name).setAll(true));
  }

  private long release(ReleaseParkedKeysRequest.Builder request) {
    return calls.call(SubscriptionServiceGrpc.getReleaseParkedKeysMethod(), request.build()).getReleased();
  }

  /**
   * What a subscription gave up, with its messages, in order of their sequences; nothing is taken away. A
   * message that is too large for a page is left out of its dead letter. Where the subscription has a
   * {@code dead_letter_topic}, {@code getForward()} of a letter says where its copy stands in that topic, or why
   * there is none. Reasons: DATA_LOSS.
   *
   * @param name the subscription's name
   * @param filter which ones; the default instance: all; {@code setNotForwarded(true)}: those without the copy
   *     that they were to have
   * @return the dead letters
   */
  public Pages<DeadLetter> deadLetters(String name, DeadLetterFilter filter) {
    ListDeadLettersRequest.Builder request =
        ListDeadLettersRequest.newBuilder().setSubscription(name).setFilter(filter).setPageSize(Pages.PAGE_SIZE);
    return Pages.byToken(token -> {
      ListDeadLettersResponse page =
          calls.call(SubscriptionServiceGrpc.getListDeadLettersMethod(), request.clone().setPageToken(token).build());
      return new Pages.Page<>(page.getDeadLettersList(), page.getNextPageToken());
    });
  }

  /**
   * Everything that a subscription gave up.
   *
   * @param name the subscription's name
   * @return as {@link #deadLetters(String, DeadLetterFilter)}
   */
  public Pages<DeadLetter> deadLetters(String name) {
    return deadLetters(name, DeadLetterFilter.getDefaultInstance());
  }

  /**
   * One dead letter, with its message, and what became of forwarding it as {@link #deadLetters(String,
   * DeadLetterFilter)} says. Reasons: DATA_LOSS.
   *
   * @param name the subscription's name
   * @param sequence its sequence
   * @return empty when there is none with that sequence
   */
  public Optional<DeadLetter> deadLetter(String name, long sequence) {
    ListDeadLettersRequest request =
        ListDeadLettersRequest.newBuilder().setSubscription(name).setFromSequence(sequence).setPageSize(1).build();
    return calls.call(SubscriptionServiceGrpc.getListDeadLettersMethod(), request).getDeadLettersList().stream()
        .filter(letter -> letter.getSequence() == sequence)
        .findFirst();
  }

  /**
   * Has dead letters delivered again, in this order; their attempts begin again. Reasons: DISK_FULL,
   * DATA_LOSS.
   *
   * @param name the subscription's name
   * @param sequences 1 to 1,000 of them; what does not exist is passed over
   * @return those that were there
   */
  public List<Long> redriveDeadLetters(String name, List<Long> sequences) {
    RedriveDeadLettersRequest request =
        RedriveDeadLettersRequest.newBuilder().setSubscription(name).addAllSequences(sequences).build();
    return calls.call(SubscriptionServiceGrpc.getRedriveDeadLettersMethod(), request).getSequencesList();
  }

  /**
   * Deletes dead letters for good. Reasons: DATA_LOSS.
   *
   * @param name the subscription's name
   * @param sequences 1 to 1,000 of them; what does not exist is passed over
   * @return those that were there
   */
  public List<Long> discardDeadLetters(String name, List<Long> sequences) {
    DiscardDeadLettersRequest request =
        DiscardDeadLettersRequest.newBuilder().setSubscription(name).addAllSequences(sequences).build();
    return calls.call(SubscriptionServiceGrpc.getDiscardDeadLettersMethod(), request).getSequencesList();
  }
}
