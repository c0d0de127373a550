package io.headrace;

import com.google.protobuf.Parser;
import io.grpc.Channel;
import io.grpc.stub.ClientResponseObserver;
import io.headrace.v1.GoAway;
import io.headrace.v1.GoAwayReason;
import io.headrace.v1.Heartbeat;
import io.headrace.v1.OrderedBy;
import io.headrace.v1.SubscribeRequest;
import io.headrace.v1.SubscribeResponse;
import io.headrace.v1.SubscriberServiceGrpc;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

  /** Why deliveries are lost whose session is over. */
  private static final String BROKEN = "SESSION_BROKEN";

  private final Channel channel;
  private final String subscription;
  private final Introduction introduction;
  private final Window window;
  private final Runnable resized = () -> soon(this::pumpSoon);
  private final Session<T> session;
  private final Credit credit;
  private final Drain drain;
  private final FlowState flow = new FlowState();
  private final CompletableFuture<Void> finished = new CompletableFuture<>();

  /** Null until it begins: before that no stream is opened, whatever is requested. */
  private @Nullable Sink<T> sink;

  /** While there is no stream: ends the session, when nobody can take it up any more. */
  private Loop.@Nullable Timer expiry;

  private OrderedBy orderedBy = OrderedBy.ORDERED_BY_UNSPECIFIED;

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
    introduction = new Introduction(subscription, clientId, settings);
    window = settings.window();
    Window.Size size = window.size();
    session = new Session<>(this, parser, size.messages, settings.maxExtension());
    credit = new Credit(size, manual, settings.boundsRequests());
    drain = new Drain(session, settings);
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
      credit.request(more);
      pumpSoon();
    });
  }

  /** Says that work on a delivery begins. */
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

  /** How long what is held may take to be settled after a stop, in nanoseconds. */
  long drainNanos() {
    return drain.nanos();
  }

  /** Why nothing comes, as the server last said. */
  List<String> blockedBy() {
    return flow.blockedBy();
  }

  /** Drains; done when everything is settled and confirmed, or the drain's time is over. */
  CompletableFuture<Void> close() {
    soon(() -> {
      if (drain.stop()) {
        giveBack();
        hurryAfter(drain.nanos());
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
    session.releaseAll(System.nanoTime()).forEach(Delivery::interrupt);
    pump();
  }

  /** Ends at once what {@link #close} did not; the loop's. */
  void abandonAll() {
    session.beginAnew().forEach(Delivery::interrupt);
    abandon();
  }

  private void lose(List<Delivery<T>> lost, String reason) {
    lost.forEach(Delivery::interrupt);
    if (!lost.isEmpty()) {
      tell(Event.Kind.DELIVERIES_LOST, lost.size(), reason);
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
    SubscribeRequest.Open.Builder open = introduction.open(everOpened());
    credit.open(open, windowSize());
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
    drain.opened();
    credit.opened(session.receivedThrough());
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
        if (flow.take(frame.getFlowState())) {
          tell(Event.Kind.FLOW_CHANGED, 0, String.join(", ", flow.blockedBy()));
        }
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
        drain.drained();
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
    if (!shutdown && session.resume() != null && !drain.stopped()) {
      succeed(Durations.of(goAway.getGrace(), Duration.ZERO).toNanos());
      return;
    }
    drain.serverLeaves();
  }

  private void deliver(List<Delivery<T>> deliveries) {
    credit.came(deliveries.size());
    if (drain.stopped() || sink == null) {
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
    SubscribeRequest frame = drain.nextFrame();
    if (frame == null && !drain.worksOff()) {
      frame = credit.nextFrame(windowSize(), session.receivedThrough(), session.chargedBytes());
    }
    return frame == null ? session.nextFrame(now, drain.hurries()) : frame;
  }

  /** The window's size of now; the session follows it. */
  private Window.Size windowSize() {
    Window.Size size = window.size();
    session.window(size.messages);
    return size;
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
    return drain.done();
  }

  @Override
  boolean leaves() {
    return drain.leaves();
  }

  @Override
  boolean wanted() {
    return sink != null && (!drain.stopped() || everOpened() && !done());
  }

  @Override
  void ended(HeadraceException cause, boolean forGood) {
    lose(session.beginAnew(), BROKEN);
    drain.stop();
    tellEnded(cause);
  }

  @Override
  void finished() {
    session.beginAnew().forEach(Delivery::interrupt);
    tell(Event.Kind.SESSION_DRAINED, 0, "");
    tellEnded(null);
  }
}
