package io.headrace;

import com.google.protobuf.Parser;
import io.grpc.Channel;
import io.grpc.stub.ClientResponseObserver;
import io.headrace.v1.BlockedBy;
import io.headrace.v1.Feature;
import io.headrace.v1.GoAway;
import io.headrace.v1.GoAwayReason;
import io.headrace.v1.Heartbeat;
import io.headrace.v1.OrderedBy;
import io.headrace.v1.Replenish;
import io.headrace.v1.SubscribeRequest;
import io.headrace.v1.SubscribeResponse;
import io.headrace.v1.SubscriberServiceGrpc;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The stream of one subscriber. What comes goes to a {@link Sink}; what becomes of it comes back through
 * the {@link Delivery.Settler}, from any thread.
 *
 * @param <T> the type of payloads
 */
final class SubscriberLoop<T> extends StreamLoop<SubscribeRequest, SubscribeResponse> implements Delivery.Settler {
  private static final SubscribeRequest HEARTBEAT =
      SubscribeRequest.newBuilder().setHeartbeat(Heartbeat.getDefaultInstance()).build();
  private static final List<Feature> FEATURES =
      List.of(
          Feature.FEATURE_KEY_BATCHES,
          Feature.FEATURE_RECALL,
          Feature.FEATURE_STARTED,
          Feature.FEATURE_RESUME,
          Feature.FEATURE_DEAD_LETTERS);

  /** How much longer the server waits than the client after a stop: what is late is then given back by the client. */
  private static final long DRAIN_MARGIN_NANOS = Duration.ofSeconds(1).toNanos();

  private static final long LONGEST_DRAIN_NANOS = Duration.ofHours(12).toNanos() - DRAIN_MARGIN_NANOS;

  /** Why deliveries are lost whose session is over. */
  private static final String BROKEN = "SESSION_BROKEN";

  /** What is asked for in addition is granted when it is more than this part of what the server may still send. */
  private static final int GRANT_SHARE = 4;

  /** Where deliveries go. Called on the loop; must not block. */
  interface Sink<T> {
    void deliver(List<Delivery<T>> deliveries);

    /** Begin nothing from now on, for nobody knows whether the session goes on; or go on. */
    void hold(boolean held);

    /** Give back everything that was not begun. */
    void giveBack();

    /** Nothing comes any more; null: it was closed. */
    void ended(@Nullable HeadraceException cause);
  }

  private final Channel channel;
  private final String subscription;
  private final SubscribeSettings settings;
  private final String clientId;
  private final Window window;
  private final Runnable resized = () -> soon(this::pumpSoon);
  private final Session<T> session;
  private final boolean manual;
  private final CompletableFuture<Void> finished = new CompletableFuture<>();

  /** Null until it begins: before that no stream is opened, whatever is requested. */
  private @Nullable Sink<T> sink;

  private boolean stopping;
  private boolean drainAsked;
  private boolean drained;
  private boolean leaving;
  private boolean everOpened;

  /** How much more a MANUAL session was asked for than came. */
  private long demand;

  /** Credit may be worth a frame, however little it grew: some was used up, or is to be given anew. */
  private boolean grantDue;

  /** The last sequence that the server was granted in this session. */
  private long granted;

  /** How many bytes it was granted, and what was charged when that last grew; of this stream. */
  private long grantedBytes;

  private long raisedAt;

  /** What the window was when the server was last told on this stream. */
  private Window.Size told;

  /** While there is no stream: ends the session, when nobody can take it up any more. */
  private Loop.@Nullable Timer expiry;

  private OrderedBy orderedBy = OrderedBy.ORDERED_BY_UNSPECIFIED;
  private volatile List<String> blockedBy = List.of();

  SubscriberLoop(
      Loop loop,
      Channel channel,
      String subscription,
      SubscribeSettings settings,
      String clientId,
      HeadraceClientBuilder how,
      @Nullable Parser<?> parser,
      boolean manual) {
    super(loop, how);
    this.channel = channel;
    this.subscription = subscription;
    this.settings = settings;
    this.clientId = clientId;
    this.manual = manual;
    window = settings.window();
    told = window.size();
    session = new Session<>(this, parser, told.messages, settings.maxExtension());
  }

  /** Has this run when it has ended. */
  void whenFinished(Runnable task) {
    finished.thenRun(task);
  }

  /** Begins to receive. */
  void begin(Sink<T> to) {
    window.use(resized);
    whenFinished(() -> window.leave(resized));
    soon(() -> {
      sink = to;
      pump();
    });
  }

  /** Asks for so many more deliveries of a MANUAL session. */
  void request(long more) {
    soon(() -> {
      demand = demand + more < 0 ? Long.MAX_VALUE : demand + more;
      pumpSoon();
    });
  }

  /** Says that work on a delivery begins; false: it is no longer to be worked on. */
  void start(Delivery<T> delivery) {
    soon(() -> {
      if (session.start(delivery, System.nanoTime())) {
        pumpSoon();
      }
    });
  }

  @Override
  @SuppressWarnings("unchecked") // A settler's deliveries are those that it made.
  public void settle(Delivery<?> delivery, Settlement settlement, @Nullable CompletableFuture<Void> confirmed) {
    boolean open = soon(() -> {
      session.settle((Delivery<T>) delivery, settlement, confirmed, System.nanoTime());
      pumpSoon();
    });
    if (!open && confirmed != null) {
      confirmed.completeExceptionally(Errors.stale("the client is closed, and what it held is lost"));
    }
  }

  /** The order to keep among deliveries held at the same time; the loop's. */
  OrderedBy orderedBy() {
    return orderedBy;
  }

  /** How long what is held may take to be settled after a stop. */
  long drainNanos() {
    return settings.releaseOnStop() ? 0 : Math.min(settings.drainTimeout().toNanos(), LONGEST_DRAIN_NANOS);
  }

  /** Why nothing comes, as the server last said. */
  List<String> blockedBy() {
    return blockedBy;
  }

  /** Drains; done when everything is settled and confirmed, or the drain's time is over. */
  CompletableFuture<Void> close() {
    soon(() -> {
      if (!stopping) {
        stopping = true;
        giveBack();
        hurryAfter(drainNanos());
        pump();
      }
    });
    return finished;
  }

  /** Has what is held then given back, and its handlers cancelled. */
  private void hurryAfter(long nanos) {
    if (nanos > 0) {
      later(nanos, () -> hurryAfter(0));
      return;
    }
    cancel(session.releaseAll(System.nanoTime()));
    pump();
  }

  /** Ends at once what {@link #close} did not; the loop's. */
  void abandonAll() {
    cancel(session.beginAnew());
    abandon();
  }

  private void lose(List<Delivery<T>> lost, String reason) {
    cancel(lost);
    if (!lost.isEmpty()) {
      tell(Event.Kind.DELIVERIES_LOST, lost.size(), reason);
    }
  }

  private void cancel(List<Delivery<T>> lost) {
    for (Delivery<T> delivery : lost) {
      Future<?> handler = delivery.handler;
      if (handler != null) {
        handler.cancel(true);
      }
    }
  }

  @Override
  String subscription() {
    return subscription;
  }

  @Override
  Event.Kind broken() {
    return Event.Kind.SESSION_BROKEN;
  }

  @Override
  void start(ClientResponseObserver<SubscribeRequest, SubscribeResponse> observer) {
    SubscriberServiceGrpc.newStub(channel).subscribe(observer);
  }

  @Override
  SubscribeRequest openFrame() {
    SubscribeRequest.Open.Builder open =
        SubscribeRequest.Open.newBuilder()
            .setSubscription(subscription)
            .setClientId(clientId)
            .putAllLabels(settings.labels())
            .addAllFeatures(FEATURES)
            .setMaxFrameBytes(settings.maxFrameBytes())
            .setTakeover(settings.takeover() && !everOpened);
    resize();
    if (manual) {
      open.setReplenish(Replenish.REPLENISH_MANUAL);
    } else {
      open.setWindow(windowFrame());
    }
    if (settings.lease() != null) {
      open.setLease(Durations.of(settings.lease()));
    }
    SubscribeRequest.Resume resume = session.resume();
    if (resume != null) {
      open.setResume(resume);
    }
    return SubscribeRequest.newBuilder().setOpen(open).build();
  }

  @Override
  boolean opened(SubscribeResponse frame) {
    if (!frame.hasOpened()) {
      return false;
    }
    orderedBy = frame.getOpened().getOrderedBy();
    lose(session.opened(frame.getOpened()), BROKEN);
    if (frame.getOpened().hasResumed()) {
      tell(Event.Kind.SESSION_RESUMED, session.holding(), "");
    } else {
      tell(Event.Kind.SESSION_OPENED, 0, "");
    }
    everOpened = true;
    drainAsked = false;
    drained = false;
    leaving = false;
    granted = session.receivedThrough();
    grantedBytes = 0;
    grantDue = true;
    cancelExpiry();
    hold(false);
    return true;
  }

  /**
   * Begins nothing until the session is taken up again, which the server allows for a while. What is settled
   * before it is sent is nobody else's, whatever becomes of the session.
   */
  @Override
  void away(long grace) {
    if (session.settledWhenSent()) {
      return;
    }
    hold(true);
    cancelExpiry();
    long left = session.resumeNanos();
    if (left == 0) {
      lose(session.end(), BROKEN);
    } else {
      expiry = later(grace + left, this::expire);
    }
  }

  private void expire() {
    expiry = null;
    lose(session.end(), BROKEN);
    startOver(Errors.unavailable("the session was not taken up again in time"));
  }

  private void cancelExpiry() {
    if (expiry != null) {
      expiry.cancel();
      expiry = null;
    }
  }

  private void hold(boolean held) {
    if (sink != null) {
      sink.hold(held);
    }
  }

  @Override
  void take(SubscribeResponse frame) {
    long now = System.nanoTime();
    switch (frame.getFrameCase()) {
      case BATCH:
        deliver(session.batch(frame.getBatch(), now));
        return;
      case SETTLE_RESULT:
        int stale = session.result(frame.getSettleResult());
        if (stale > 0) {
          tell(Event.Kind.SETTLES_FAILED, stale, "");
        }
        return;
      case FLOW_STATE:
        flow(frame.getFlowState());
        return;
      case RECALL:
        int recalled = session.recall(frame.getRecall().getRangesList(), now);
        if (recalled > 0) {
          tell(Event.Kind.DELIVERIES_RECALLED, recalled, "");
        }
        return;
      case REVOKED:
        lose(session.revoked(frame.getRevoked()), Session.nameOf(frame.getRevoked().getReason()));
        return;
      case DRAINED:
        drained = true;
        return;
      case GO_AWAY:
        tell(Event.Kind.GO_AWAY_RECEIVED, 0, nameOf(frame.getGoAway().getReason()));
        leave(frame.getGoAway());
        return;
      default:
    }
  }

  /**
   * Goes on over another stream, or works off what is held, as nothing takes the server's place. The rest the
   * server revokes when its grace is over.
   */
  private void leave(GoAway goAway) {
    boolean shutdown = goAway.getReason() == GoAwayReason.GO_AWAY_REASON_SHUTDOWN;
    if (!shutdown && session.resume() != null && !stopping) {
      succeed(Durations.of(goAway.getGrace(), Duration.ZERO).toNanos());
      return;
    }
    leaving = true;
  }

  private void flow(SubscribeResponse.FlowState state) {
    List<String> now = state.getBlockedByList().stream().map(SubscriberLoop::name).collect(Collectors.toList());
    if (!now.equals(blockedBy)) {
      blockedBy = now;
      tell(Event.Kind.FLOW_CHANGED, 0, String.join(", ", now));
    }
  }

  private static String name(BlockedBy reason) {
    return reason == BlockedBy.UNRECOGNIZED ? "UNKNOWN" : reason.name().substring("BLOCKED_BY_".length());
  }

  private void deliver(List<Delivery<T>> deliveries) {
    if (manual) {
      demand -= Math.min(demand, deliveries.size());
      grantDue = true; // The bytes that came make room for as many.
    }
    if (stopping || sink == null) {
      deliveries.forEach(Delivery::release);
    } else {
      sink.deliver(deliveries);
    }
  }

  private void giveBack() {
    if (sink != null) {
      sink.giveBack();
    }
  }

  private void tellEnded(@Nullable HeadraceException cause) {
    cancelExpiry();
    if (sink != null) {
      sink.ended(cause);
    }
    finished.complete(null);
  }

  @Override
  @Nullable SubscribeRequest nextFrame(long now) {
    if (stopping && !drainAsked) {
      drainAsked = true;
      return SubscribeRequest.newBuilder()
          .setDrain(SubscribeRequest.Drain.newBuilder().setGrace(Durations.of(Duration.ofNanos(drainNanos() + DRAIN_MARGIN_NANOS))))
          .build();
    }
    SubscribeRequest credit = stopping || leaving ? null : credit();
    return credit == null ? session.nextFrame(now, drained || leaving) : credit;
  }

  /** What the server is to be told of credit, or null. */
  private @Nullable SubscribeRequest credit() {
    boolean changed = resize();
    if (!manual) {
      return changed ? SubscribeRequest.newBuilder().setWindow(windowFrame()).build() : null;
    }
    grantDue |= changed;
    return grant();
  }

  /** Takes the window's size of now, and says whether it is another one. */
  private boolean resize() {
    Window.Size now = window.size();
    boolean changed = !now.is(told);
    told = now;
    session.window(told.messages);
    return changed;
  }

  private SubscribeRequest.Window.Builder windowFrame() {
    return SubscribeRequest.Window.newBuilder().setMessages(told.messages).setBytes(told.bytes);
  }

  /**
   * Credit is cumulative from the session's start: what came, and what is still asked for and fits the window.
   * While the server has most of it, a little more is not worth a frame.
   */
  private @Nullable SubscribeRequest grant() {
    long ahead = settings.boundsRequests() ? Math.min(demand, told.messages) : demand;
    long through = session.receivedThrough() + ahead;
    through = through < 0 ? Long.MAX_VALUE : through;
    long left = granted - session.receivedThrough();
    boolean due = grantDue || through - granted > left / GRANT_SHARE;
    grantDue = false;
    if (!due || ahead == 0 && left <= 0) {
      return null;
    }
    granted = through;
    SubscribeRequest.Grant.Builder grant =
        SubscribeRequest.Grant.newBuilder().setThroughSequence(through).setThroughBytes(bytesToGrant());
    return SubscribeRequest.newBuilder().setGrant(grant).build();
  }

  /**
   * A message that is larger than all bytes comes only while nothing was charged since they were raised. So where
   * a smaller window leaves nothing to raise, one byte is left for a grant that follows at once.
   */
  private long bytesToGrant() {
    long bytes = session.chargedBytes() + told.bytes;
    if (bytes <= grantedBytes && raisedAt < session.chargedBytes()) {
      bytes--;
      grantDue = true;
    }
    if (bytes > grantedBytes) {
      raisedAt = session.chargedBytes();
    }
    grantedBytes = bytes;
    return bytes;
  }

  @Override
  long waitNanos(long now) {
    return session.waitNanos(now);
  }

  @Override
  SubscribeRequest heartbeat() {
    return HEARTBEAT;
  }

  @Override
  boolean done() {
    return stopping && !session.settling() && (drained || session.holdsNothing());
  }

  @Override
  boolean leaves() {
    return !session.settling() && (stopping && drained || leaving && session.holdsNothing());
  }

  @Override
  boolean wanted() {
    return sink != null && (!stopping || everOpened && !done());
  }

  @Override
  void ended(HeadraceException cause, boolean forGood) {
    lose(session.beginAnew(), BROKEN);
    stopping = true;
    tellEnded(cause);
  }

  @Override
  void finished() {
    cancel(session.beginAnew());
    tell(Event.Kind.SESSION_DRAINED, 0, "");
    tellEnded(null);
  }
}
