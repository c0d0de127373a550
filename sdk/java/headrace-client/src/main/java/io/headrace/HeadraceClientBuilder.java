package io.headrace;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Prepares a {@link HeadraceClient}. */
public final class HeadraceClientBuilder {
  final String target;
  String clientId = "";
  PublishSettings publish = PublishSettings.defaults();
  Duration connectTimeout = Duration.ofSeconds(10);
  Duration callTimeout = Duration.ofSeconds(30);
  Duration closeTimeout = Duration.ofSeconds(30);
  @Nullable TlsSettings tls;
  String token = "";
  Consumer<Event> events = event -> {};
  @Nullable Tracing tracing;

  HeadraceClientBuilder(String target) {
    this.target = target;
  }

  /**
   * Sets a name for statistics and logs; an exclusive subscription's session takes the place of one with
   * the same id.
   *
   * @param id at most 255 bytes; default: a random one for each subscriber
   * @return this builder
   */
  public HeadraceClientBuilder clientId(String id) {
    clientId = id;
    return this;
  }

  /**
   * Sets how the client publishes.
   *
   * @param settings default {@link PublishSettings#defaults}
   * @return this builder
   */
  public HeadraceClientBuilder publish(PublishSettings settings) {
    publish = settings;
    return this;
  }

  /**
   * Sets how long the first use may take to reach the server. Once it was reached, a lost connection is
   * made again without end.
   *
   * @param timeout default 10 s
   * @return this builder
   */
  public HeadraceClientBuilder connectTimeout(Duration timeout) {
    connectTimeout = timeout;
    return this;
  }

  /**
   * Sets how long a call that is no stream may take: managing topics and subscriptions, and pulling beyond
   * its own wait.
   *
   * @param timeout default 30 s
   * @return this builder
   */
  public HeadraceClientBuilder callTimeout(Duration timeout) {
    callTimeout = timeout;
    return this;
  }

  /**
   * Sets how long {@link HeadraceClient#close} waits for results.
   *
   * @param timeout default 30 s
   * @return this builder
   */
  public HeadraceClientBuilder closeTimeout(Duration timeout) {
    closeTimeout = timeout;
    return this;
  }

  /**
   * Encrypts the connection; by default it is plaintext.
   *
   * @param settings whom to trust, and as whom to come
   * @return this builder
   */
  public HeadraceClientBuilder tls(TlsSettings settings) {
    tls = settings;
    return this;
  }

  /**
   * Sends a token along, as whose bearer the client comes. Without TLS it goes to this machine alone.
   *
   * @param secret the token; default: none
   * @return this builder
   */
  public HeadraceClientBuilder token(String secret) {
    token = secret;
    return this;
  }

  /**
   * Calls a hook when the state of a stream changes: opened, lost, opened again, out of credit. It is
   * called on the client's own thread and must not block; what it throws is passed over.
   *
   * @param hook default: none, the client is silent
   * @return this builder
   */
  public HeadraceClientBuilder events(Consumer<Event> hook) {
    events = hook;
    return this;
  }

  /**
   * Has messages traced that are published, and that handlers work on.
   *
   * @param tracer makes the spans; default: none
   * @return this builder
   */
  public HeadraceClientBuilder tracing(Tracing tracer) {
    tracing = tracer;
    return this;
  }

  /**
   * Makes the client, which connects when it is first used.
   *
   * @return the client
   * @throws HeadraceException.InvalidArgument the target is no address, TLS files cannot be used, or a token
   *     would be sent unencrypted to another machine
   */
  public HeadraceClient build() {
    return new HeadraceClient(this);
  }
}
