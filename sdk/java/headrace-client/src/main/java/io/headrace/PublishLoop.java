package io.headrace;

import io.grpc.Channel;
import io.grpc.stub.ClientResponseObserver;
import io.headrace.v1.Heartbeat;
import io.headrace.v1.PublishStreamRequest;
import io.headrace.v1.PublishStreamResponse;
import io.headrace.v1.PublisherServiceGrpc;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The publish stream of a client, and the way of messages from any thread onto its loop. */
final class PublishLoop extends StreamLoop<PublishStreamRequest, PublishStreamResponse> {
  private static final PublishStreamRequest HEARTBEAT =
      PublishStreamRequest.newBuilder().setHeartbeat(Heartbeat.getDefaultInstance()).build();

  private static final class Handed {
    final String topic;
    final Entry entry;

    Handed(String topic, Entry entry) {
      this.topic = topic;
      this.entry = entry;
    }
  }

  private final Channel channel;
  private final PublishSettings settings;
  private final String clientId;
  private final @Nullable Tracing tracing;
  private final String producerId;
  private final Room room;
  private final Queue<Handed> inbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final CompletableFuture<Void> finished = new CompletableFuture<>();

  // The loop's.
  private final Outbox outbox;
  private boolean closing;
  private boolean leaving;
  private volatile @Nullable HeadraceException ended;

  PublishLoop(Loop loop, Channel channel, HeadraceClientBuilder how) {
    super(loop, how);
    this.channel = channel;
    settings = how.publish;
    clientId = how.clientId;
    tracing = how.tracing;
    producerId = settings.producerId().isEmpty() ? UUID.randomUUID().toString() : settings.producerId();
    outbox = new Outbox(settings, !settings.producerId().isEmpty());
    room = new Room(settings.maxPendingMessages(), settings.maxPendingBytes());
  }

  /** Accepts a message from any thread; waits for room, or fails without it. */
  CompletableFuture<MessageId> publish(String topic, Message message) {
    if (tracing == null) {
      return publishUntraced(topic, message);
    }
    Tracing.Sending sending = tracing.sending(topic, message);
    try {
      return publishUntraced(topic, sending.message()).whenComplete(sending::done);
    } catch (HeadraceException refused) {
      sending.done(null, refused);
      throw refused;
    }
  }

  private CompletableFuture<MessageId> publishUntraced(String topic, Message message) {
    CompletableFuture<MessageId> result = new CompletableFuture<>();
    accept(topic, new Entry(message.encoded(), room, result));
    return result;
  }

  /** Accepts a message of which nobody hears again. */
  void publishOneWay(String topic, Message message) {
    Tracing.Sending sending = tracing == null ? null : tracing.sending(topic, message);
    HeadraceException refused = null;
    try {
      accept(topic, new Entry((sending == null ? message : sending.message()).encoded(), room, null));
    } catch (HeadraceException e) {
      refused = e;
      throw e;
    } finally {
      if (sending != null) {
        sending.done(null, refused);
      }
    }
  }

  private void accept(String topic, Entry entry) {
    HeadraceException cause = ended;
    if (cause != null) {
      throw cause;
    }
    boolean mayWait = !settings.overflowError() && !loop.isCurrent(); // The loop would wait for itself.
    if (!room.enter(entry.bytes, mayWait)) {
      throw Errors.bufferFull();
    }
    inbox.add(new Handed(topic, entry));
    if (woken.compareAndSet(false, true) && !soon(this::takeIn)) {
      refuse(closed());
    }
  }

  private void refuse(HeadraceException cause) {
    woken.set(false);
    for (Handed handed = inbox.poll(); handed != null; handed = inbox.poll()) {
      handed.entry.fail(cause);
    }
  }

  private void takeIn() {
    HeadraceException cause = ended;
    if (cause != null || closing) {
      refuse(cause != null ? cause : closed());
      return;
    }
    woken.set(false);
    long now = System.nanoTime();
    for (Handed handed = inbox.poll(); handed != null; handed = inbox.poll()) {
      outbox.accept(handed.topic, handed.entry, now);
    }
    pump();
  }

  /** Done when everything accepted before has its result; null: of all topics. */
  CompletableFuture<Void> flush(@Nullable String topic) {
    CompletableFuture<Void> flushed = new CompletableFuture<>();
    boolean open = soon(() -> {
      takeIn();
      outbox.flush(topic, new Flush(flushed));
      pump();
    });
    if (!open) {
      flushed.complete(null); // What a closed client accepted has its result.
    }
    return flushed;
  }

  /** Flushes, and ends the stream; done when it has ended. */
  CompletableFuture<Void> close() {
    room.close();
    soon(() -> {
      takeIn();
      outbox.flush(null, new Flush(new CompletableFuture<>()));
      closing = true;
      pump();
    });
    return finished;
  }

  /** Ends at once what {@link #close} did not; the loop's. */
  void abandonAll() {
    outbox.failAll(closed(), Errors.unknownOutcome("the client was closed before the result came"));
    abandon();
  }

  private static HeadraceException closed() {
    return new HeadraceException.Closed("the client is closed");
  }

  @Override
  String subscription() {
    return "";
  }

  @Override
  Event.Kind broken() {
    return Event.Kind.PUBLISH_BROKEN;
  }

  @Override
  void start(ClientResponseObserver<PublishStreamRequest, PublishStreamResponse> observer) {
    PublisherServiceGrpc.newStub(channel).publishStream(observer);
  }

  @Override
  PublishStreamRequest openFrame() {
    leaving = false;
    return PublishStreamRequest.newBuilder()
        .setOpen(PublishStreamRequest.Open.newBuilder().setProducerId(producerId).setClientId(clientId))
        .build();
  }

  @Override
  boolean opened(PublishStreamResponse frame) {
    if (!frame.hasOpened()) {
      return false;
    }
    outbox.begin(frame.getOpened().getLimits());
    tell(Event.Kind.PUBLISH_OPENED, 0, "");
    return true;
  }

  @Override
  void take(PublishStreamResponse frame) {
    switch (frame.getFrameCase()) {
      case PUBLISH_RESULT:
        outbox.resolve(frame.getPublishResult());
        return;
      case PUBLISH_WINDOW:
        outbox.raise(frame.getPublishWindow());
        return;
      case LOOKED_UP:
        outbox.lookedUp(frame.getLookedUp());
        return;
      case GO_AWAY:
        leaving = true;
        tell(Event.Kind.GO_AWAY_RECEIVED, 0, nameOf(frame.getGoAway().getReason()));
        return;
      default:
    }
  }

  @Override
  @Nullable PublishStreamRequest nextFrame(long now) {
    PublishStreamRequest frame = leaving ? null : outbox.take(now);
    return frame != null ? frame : outbox.question();
  }

  @Override
  long waitNanos(long now) {
    return leaving ? Long.MAX_VALUE : outbox.waitNanos();
  }

  @Override
  PublishStreamRequest heartbeat() {
    return HEARTBEAT;
  }

  @Override
  boolean done() {
    return closing && outbox.isEmpty();
  }

  @Override
  boolean leaves() {
    return done() || leaving && outbox.landed();
  }

  @Override
  boolean wanted() {
    return !outbox.isEmpty();
  }

  @Override
  void ended(HeadraceException cause, boolean forGood) {
    if (forGood) {
      ended = cause;
      finished.complete(null);
    }
    outbox.failAll(cause, forGood ? Errors.unknownOutcome("the stream ended: " + cause.getMessage()) : cause);
  }

  @Override
  void finished() {
    finished.complete(null);
  }
}
