package io.headrace;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.headrace.v1.GoAwayReason;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one stream open: opens it, speaks and listens, and opens another when it breaks. Everything but
 * the callbacks of gRPC, which only hand over, runs on the client's loop.
 */
abstract class StreamLoop<Q, S> {
  /** How often each side speaks, at least; after three missed heartbeats the server is taken for dead. */
  static final long HEARTBEAT_NANOS = Duration.ofSeconds(10).toNanos();

  private static final long SILENCE_NANOS = 3 * HEARTBEAT_NANOS;

  private enum State {
    IDLE,
    OPENING,
    OPEN,
    PAUSED,
    ENDED
  }

  final Loop loop;
  private final Duration connectTimeout;
  private final Consumer<Event> events;
  private final Backoff backoff = new Backoff();
  private State state = State.IDLE;
  private @Nullable ClientCallStreamObserver<Q> requests;

  /** The stream before, which is left as soon as this one is open. */
  private @Nullable ClientCallStreamObserver<Q> predecessor;

  /** Rises with each stream, so that what a former one says late is dropped. */
  private int epoch;

  private boolean halfClosed;

  /** A pump is among the loop's tasks. */
  private boolean pumping;

  private boolean everOpened;
  private long openingSince;
  private long heardAt;
  private long spokeAt;
  private Loop.@Nullable Timer timer;

  StreamLoop(Loop loop, HeadraceClientBuilder how) {
    this.loop = loop;
    connectTimeout = how.connectTimeout;
    events = how.events;
  }

  /** Runs a task on the loop, soon and in order; false when the client is closed. */
  final boolean soon(Runnable task) {
    return loop.execute(() -> guarded(task));
  }

  final Loop.Timer later(long nanos, Runnable task) {
    return loop.after(nanos, () -> guarded(task));
  }

  /** No fault is silent: it ends the stream for good, and is told to who uses it. */
  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error fault) {
      if (state == State.ENDED) {
        throw fault;
      }
      epoch++;
      state = State.ENDED;
      cancelTimer();
      cancelCall();
      leavePredecessor();
      ended(Errors.fault("a fault of the client", fault), true);
    }
  }

  /** The server took up a stream before, if not the latest. */
  final boolean everOpened() {
    return everOpened;
  }

  /** Tells the hook; what it throws is its own affair. */
  final void tell(Event.Kind kind, @Nullable HeadraceException error, Duration delay, int count, String detail) {
    try {
      events.accept(new Event(kind, subscription(), error, delay, count, detail));
    } catch (RuntimeException failed) {
      return; // A hook must not break a stream.
    }
  }

  static String nameOf(GoAwayReason reason) {
    return reason == GoAwayReason.UNRECOGNIZED ? "UNKNOWN" : reason.name().substring("GO_AWAY_REASON_".length());
  }

  final void tell(Event.Kind kind, int count, String detail) {
    tell(kind, null, Duration.ZERO, count, detail);
  }

  /** What events are about; empty for publishing. */
  abstract String subscription();

  /** The kind of event that says that the stream broke. */
  abstract Event.Kind broken();

  /** Starts the call. */
  abstract void start(ClientResponseObserver<Q, S> observer);

  /** The first frame to send. */
  abstract Q openFrame();

  /** Takes the first frame; false when it is not Opened. */
  abstract boolean opened(S frame);

  /** Takes another frame. */
  abstract void take(S frame);

  /** The next frame to send now, or null. */
  abstract @Nullable Q nextFrame(long now);

  /** After {@link #nextFrame} gave none: for how many nanoseconds there is none. */
  abstract long waitNanos(long now);

  abstract Q heartbeat();

  /** Everything is done, and no stream is needed any more. */
  abstract boolean done();

  /** This stream is done with; it is half-closed, and the server ends it. */
  abstract boolean leaves();

  /** There is reason to have a stream. */
  abstract boolean wanted();

  /** No stream can be had any more; for good, or until there is reason again. */
  abstract void ended(HeadraceException cause, boolean forGood);

  /** The stream ended after {@link #done}. */
  abstract void finished();

  /**
   * There is no stream until {@link #opened}, for it broke or another one is to go on with what it has.
   *
   * @param grace how long the server lets the former one stand, in nanoseconds
   */
  void away(long grace) {}

  /**
   * Looks at what is to be done once everything is taken in that waits on the loop by now: deliveries that
   * begin and settle one by one then share frames.
   */
  final void pumpSoon() {
    if (!pumping) {
      pumping = true;
      soon(() -> {
        pumping = false;
        pump();
      });
    }
  }

  /** Looks at what is to be done now. */
  final void pump() {
    long now = System.nanoTime();
    switch (state) {
      case IDLE:
        if (wanted()) {
          openingSince = now;
          open();
        } else if (done()) {
          finish();
        }
        return;
      case OPEN:
        speak(now);
        return;
      case PAUSED:
        if (done()) {
          finish();
        }
        return;
      default:
    }
  }

  private void finish() {
    state = State.ENDED;
    cancelTimer();
    finished();
  }

  private void open() {
    state = State.OPENING;
    halfClosed = false;
    int mine = ++epoch;
    start(new Ear(mine));
    send(openFrame());
    later(connectTimeout.toNanos(), () -> giveUpOpening(mine));
  }

  /**
   * Opens another stream at once, which goes on with what this one has; the server asked for that.
   *
   * @param grace how long it lets this one stand, in nanoseconds
   */
  final void succeed(long grace) {
    predecessor = requests;
    cancelTimer();
    away(grace);
    open();
  }

  /** Whoever was to go on with what a former stream had is too late: one that is being opened is given up. */
  final void startOver(HeadraceException cause) {
    if (state == State.OPENING) {
      cancelCall();
      broke(cause);
    } else {
      pump();
    }
  }

  private void leavePredecessor() {
    if (predecessor != null) {
      predecessor.cancel("another stream took its place", null);
      predecessor = null;
    }
  }

  private void giveUpOpening(int mine) {
    if (mine == epoch && state == State.OPENING) {
      cancelCall();
      broke(Errors.unavailable("no answer within " + connectTimeout.toMillis() + " ms"));
    }
  }

  private void send(Q frame) {
    spokeAt = System.nanoTime();
    try {
      if (requests != null) {
        requests.onNext(frame);
      }
    } catch (IllegalStateException over) {
      return; // The call has ended: its status is on its way.
    }
  }

  private void speak(long now) {
    if (now - heardAt > SILENCE_NANOS) {
      cancelCall();
      broke(Errors.unavailable("the server was silent for 30 s"));
      return;
    }
    for (Q frame = nextFrame(now); frame != null; frame = nextFrame(now)) {
      send(frame);
    }
    if (leaves() && !halfClosed) {
      halfClosed = true;
      if (requests != null) {
        requests.onCompleted();
      }
    }
    if (now - spokeAt >= HEARTBEAT_NANOS && !halfClosed) {
      send(heartbeat());
    }
    cancelTimer();
    long wait = Math.min(waitNanos(now), Math.min(HEARTBEAT_NANOS, spokeAt + HEARTBEAT_NANOS - now));
    timer = later(Math.max(0, wait), this::pump);
  }

  private void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private void cancelCall() {
    if (requests != null) {
      requests.cancel("the client is done with this stream", null);
    }
  }

  private void heard(int from, S frame) {
    if (from != epoch || state != State.OPENING && state != State.OPEN) {
      return;
    }
    heardAt = System.nanoTime();
    if (state == State.OPEN) {
      take(frame);
    } else if (opened(frame)) {
      state = State.OPEN;
      everOpened = true;
      backoff.reset();
      leavePredecessor();
    } else {
      cancelCall();
      broke(Errors.unavailable("the server's first frame is not Opened"));
      return;
    }
    if (from == epoch && requests != null) {
      requests.request(1);
    }
    pump();
  }

  private void over(int from, @Nullable Throwable error) {
    if (from != epoch || state != State.OPENING && state != State.OPEN) {
      return;
    }
    if (error == null && done()) {
      finish();
      return;
    }
    broke(error == null ? Errors.unavailable("the server ended the stream") : Errors.of(error));
  }

  private void broke(HeadraceException cause) {
    epoch++;
    requests = null;
    leavePredecessor();
    cancelTimer();
    if (done()) {
      finish();
    } else if (Errors.endsStream(cause)) {
      state = State.ENDED;
      ended(cause, true);
    } else if (!everOpened && System.nanoTime() - openingSince > connectTimeout.toNanos()) {
      state = State.IDLE;
      ended(Errors.unreachable(cause), false);
    } else {
      state = State.PAUSED;
      away(0);
      int mine = epoch;
      long wait = backoff.waitNanos(cause.retryAfter().orElse(Duration.ZERO));
      tell(broken(), cause, Duration.ofNanos(wait), 0, "");
      later(wait, () -> again(mine));
    }
  }

  private void again(int mine) {
    if (mine != epoch || state != State.PAUSED) {
      return;
    }
    state = State.IDLE;
    if (wanted()) {
      open();
    } else {
      pump();
    }
  }

  /** Ends the stream at once. */
  final void abandon() {
    if (state != State.ENDED) {
      epoch++;
      cancelCall();
      leavePredecessor();
      finish();
    }
  }

  /** Hands over to the loop what gRPC says. */
  private final class Ear implements ClientResponseObserver<Q, S> {
    private final int mine;

    Ear(int mine) {
      this.mine = mine;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> stream) {
      stream.disableAutoRequestWithInitial(1);
      requests = stream;
    }

    @Override
    public void onNext(S frame) {
      soon(() -> heard(mine, frame));
    }

    @Override
    public void onError(Throwable error) {
      soon(() -> over(mine, error));
    }

    @Override
    public void onCompleted() {
      soon(() -> over(mine, null));
    }
  }
}
