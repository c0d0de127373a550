package io.headrace;

import io.headrace.v1.ExtendRequest;
import io.headrace.v1.PullRequest;
import io.headrace.v1.SettleRequest;
import io.headrace.v1.SubscriberServiceGrpc;
import io.headrace.v1.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A subscription to pull from, by name: for programs that are short, or cannot keep a stream. Where you
 * can, {@link HeadraceClient#subscribe} is cheaper, extends leases, and loses no attempt to an answer that
 * is lost. Safe for use by several threads.
 */
public final class Subscription {
  /** How many tokens one call of the server takes. */
  private static final int TOKENS_PER_CALL = 1_000;

  private final Calls calls;
  private final String name;
  private final String clientId;

  Subscription(Calls calls, String name, String clientId) {
    this.calls = calls;
    this.name = name;
    this.clientId = clientId;
  }

  /**
   * The subscription's name, as it was given.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Takes what is at hand, or waits up to 10 s for something.
   *
   * @return as {@link #pull(PullSettings)}
   */
  public List<Pulled> pull() {
    return pull(PullSettings.defaults());
  }

  /**
   * Takes what is at hand, or waits for something. The pulls of one client stand side by side on an
   * exclusive subscription when the client has an id. Interrupting the thread gives back what is under way.
   *
   * @param settings how much, and how long to wait
   * @return none when none came in time
   * @throws HeadraceException among others SUBSCRIPTION_NOT_FOUND, SUBSCRIPTION_DELETED,
   *     EXCLUSIVE_SESSION_EXISTS, TAKEN_OVER, LIMIT_REACHED, DRAINING, DATA_LOSS
   */
  public List<Pulled> pull(PullSettings settings) {
    PullRequest.Builder request =
        PullRequest.newBuilder()
            .setSubscription(name)
            .setClientId(clientId)
            .setMaxMessages(settings.maxMessages())
            .setMaxBytes(settings.maxBytes())
            .setWait(Durations.of(settings.maxWait()));
    if (settings.lease() != null) {
      request.setLease(Durations.of(settings.lease()));
    }
    return calls.call(SubscriberServiceGrpc.getPullMethod(), request.build(), settings.maxWait()).getMessagesList().stream()
        .map(Pulled::new)
        .collect(Collectors.toUnmodifiableList());
  }

  /**
   * Settles pulled deliveries as done, durably when it returns.
   *
   * @param tokens any number of {@link Pulled#token tokens}
   * @return those that reached nothing, which fail by themselves
   * @throws HeadraceException among others SUBSCRIPTION_NOT_FOUND, UNKNOWN_OUTCOME, DRAINING, DATA_LOSS;
   *     then some may be settled
   */
  public List<TokenFailure> ackTokens(List<String> tokens) {
    return settle(tokens, Verdict.VERDICT_ACK, null, "", "");
  }

  /**
   * Settles pulled deliveries as failed: they count as an attempt and come back after the subscription's
   * backoff.
   *
   * @param tokens any number of tokens
   * @return as {@link #ackTokens}
   */
  public List<TokenFailure> retryTokens(List<String> tokens) {
    return retryTokens(tokens, null, "", "");
  }

  /**
   * Settles pulled deliveries as failed.
   *
   * @param tokens any number of tokens
   * @param delay 0 to 12 h, below 100 ms counts as 100 ms; null: the subscription's backoff
   * @param code kept with the failure, at most 255 bytes
   * @param reason kept with the failure, at most 1,024 bytes
   * @return as {@link #ackTokens}
   */
  public List<TokenFailure> retryTokens(List<String> tokens, @Nullable Duration delay, String code, String reason) {
    return settle(tokens, Verdict.VERDICT_RETRY, delay, code, reason);
  }

  /**
   * Sends pulled deliveries to the dead letters.
   *
   * @param tokens any number of tokens
   * @param code kept with the failure, at most 255 bytes
   * @param reason kept with the failure, at most 1,024 bytes
   * @return as {@link #ackTokens}
   */
  public List<TokenFailure> rejectTokens(List<String> tokens, String code, String reason) {
    return settle(tokens, Verdict.VERDICT_REJECT, null, code, reason);
  }

  /**
   * Gives pulled deliveries back untouched.
   *
   * @param tokens any number of tokens
   * @return as {@link #ackTokens}
   */
  public List<TokenFailure> releaseTokens(List<String> tokens) {
    return settle(tokens, Verdict.VERDICT_RELEASE, null, "", "");
  }

  /**
   * Moves the end of the leases of pulled deliveries.
   *
   * @param tokens any number of tokens
   * @param lease from now on, 1 s to 12 h; null: the lease that they were pulled with
   * @return as {@link #ackTokens}
   */
  public List<TokenFailure> extendTokens(List<String> tokens, @Nullable Duration lease) {
    ExtendRequest.Builder request = ExtendRequest.newBuilder().setSubscription(name);
    if (lease != null) {
      request.setDuration(Durations.of(lease));
    }
    return forTokens(
        tokens,
        some -> calls.call(
                SubscriberServiceGrpc.getExtendMethod(),
                request.clone().addAllDeliveryTokens(some).build())
            .getFailuresList());
  }

  private List<TokenFailure> settle(
      List<String> tokens, Verdict verdict, @Nullable Duration delay, String code, String reason) {
    SettleRequest.Builder request =
        SettleRequest.newBuilder().setSubscription(name).setVerdict(verdict).setCode(code).setReason(reason);
    if (delay != null) {
      request.setDelay(Durations.of(delay));
    }
    return forTokens(
        tokens,
        some -> calls.call(
                SubscriberServiceGrpc.getSettleMethod(),
                request.clone().addAllDeliveryTokens(some).build())
            .getFailuresList());
  }

  /** Makes as many calls as the tokens need. */
  private static List<TokenFailure> forTokens(
      List<String> tokens, Function<List<String>, List<io.headrace.v1.TokenFailure>> call) {
    List<TokenFailure> all = new ArrayList<>();
    for (int from = 0; from < tokens.size(); from += TOKENS_PER_CALL) {
      List<String> some = tokens.subList(from, Math.min(tokens.size(), from + TOKENS_PER_CALL));
      call.apply(some).forEach(failure -> all.add(failureOf(failure)));
    }
    return all;
  }

  private static TokenFailure failureOf(io.headrace.v1.TokenFailure failure) {
    return new TokenFailure(
        failure.getDeliveryToken(),
        Errors.ofItem("the token reached nothing", failure.getReason(), failure.getReasonValue(), "", 0));
  }
}
