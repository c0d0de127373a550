package io.headrace;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import io.headrace.v1.Heartbeat;
import io.headrace.v1.PublishStreamRequest;
import io.headrace.v1.PublishStreamResponse;
import io.headrace.v1.PublisherServiceGrpc;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The publish stream of a client, and the way of messages from any thread onto its loop. */
final class PublishLoop extends StreamLoop<PublishFrame, PublishStreamResponse> {
  private static final PublishFrame HEARTBEAT =
      PublishFrame.of(PublishStreamRequest.newBuilder().setHeartbeat(Heartbeat.getDefaultInstance()).build());

  private static final MethodDescriptor<PublishFrame, PublishStreamResponse> METHOD =
      PublisherServiceGrpc.getPublishStreamMethod()
          .toBuilder(PublishFrame.MARSHALLER, PublisherServiceGrpc.getPublishStreamMethod().getResponseMarshaller())
          .build();

  private final Channel channel;
  private final PublishSettings settings;
  private final String clientId;
  private final @Nullable Tracing tracing;
  private final String producerId;
  private final Room room;
  private final Inbox inbox;
  private final CompletableFuture<Void> finished = new CompletableFuture<>();

  // The loop's.
  private final Outbox outbox;
  private boolean closing;
  private boolean leaving;

  /** The inbox wakes nobody for each message, since then. */
  private boolean dozing;

  private long dozingSince;
  private volatile @Nullable HeadraceException ended;

  PublishLoop(Loop loop, Channel channel, HeadraceClientBuilder how) {
    super(loop, how);
    this.channel = channel;
    settings = how.publish;
    clientId = how.clientId;
    tracing = how.tracing;
    producerId = settings.producerId().isEmpty() ? UUID.randomUUID().toString() : settings.producerId();
    inbox = new Inbox(settings.leastBytes());
    room = new Room(settings.maxPendingMessages(), settings.maxPendingBytes());
    outbox = new Outbox(room, settings, !settings.producerId().isEmpty());
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
    accept(new Entry(topic, message, result));
    return result;
  }

  /** Accepts a message of which nobody hears again. */
  void publishOneWay(String topic, Message message) {
    Tracing.Sending sending = tracing == null ? null : tracing.sending(topic, message);
    HeadraceException refused = null;
    try {
      accept(new Entry(topic, sending == null ? message : sending.message(), null));
    } catch (HeadraceException e) {
      refused = e;
      throw e;
    } finally {
      if (sending != null) {
        sending.done(null, refused);
      }
    }
  }

  private void accept(Entry entry) {
    HeadraceException cause = ended;
    if (cause != null) {
      throw cause;
    }
    boolean mayWait = !settings.overflowError() && !loop.isCurrent(); // The loop would wait for itself.
    if (!room.enter(entry.bytes, mayWait)) {
      throw Errors.bufferFull();
    }
    if (inbox.add(entry) && !soon(this::takeIn)) {
      refuse(closed());
    }
  }

  private void refuse(HeadraceException cause) {
    inbox.looked();
    inbox.watch();
    for (Entry entry = inbox.poll(); entry != null; entry = inbox.poll()) {
      room.leave(1, entry.bytes);
      entry.fail(cause);
    }
  }

  private void takeIn() {
    HeadraceException cause = ended;
    if (cause != null || closing) {
      refuse(cause != null ? cause : closed());
      return;
    }
    inbox.looked();
    empty(System.nanoTime());
    pump();
  }

  /** What came while nobody looked may have come at once then. */
  private void empty(long now) {
    inbox.watch();
    long since = dozing ? dozingSince : now;
    dozing = false;
    for (Entry entry = inbox.poll(); entry != null; entry = inbox.poll()) {
      outbox.accept(entry, since);
    }
  }

  /** Nothing is to be sent before a batch is due, or full. */
  private void doze(long now) {
    if (outbox.waitNanos() < Long.MAX_VALUE) {
      dozing = true;
      dozingSince = now;
      inbox.doze(outbox.missing());
    }
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
    refuse(closed());
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
  void start(ClientResponseObserver<PublishFrame, PublishStreamResponse> observer) {
    ClientCalls.asyncBidiStreamingCall(channel.newCall(METHOD, CallOptions.DEFAULT), observer);
  }

  @Override
  PublishFrame openFrame() {
    leaving = false;
    return PublishFrame.of(
        PublishStreamRequest.newBuilder()
            .setOpen(PublishStreamRequest.Open.newBuilder().setProducerId(producerId).setClientId(clientId))
            .build());
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
  @Nullable PublishFrame nextFrame(long now) {
    empty(now);
    PublishFrame frame = leaving ? null : outbox.take(now);
    if (frame != null) {
      return frame;
    }
    PublishStreamRequest question = outbox.question();
    if (question != null) {
      return PublishFrame.of(question);
    }
    if (!leaving) {
      doze(now);
    }
    return null;
  }

  @Override
  long waitNanos(long now) {
    return leaving ? Long.MAX_VALUE : outbox.waitNanos();
  }

  @Override
  PublishFrame heartbeat() {
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
      refuse(cause);
      finished.complete(null);
    }
    outbox.failAll(cause, forGood ? Errors.unknownOutcome("the stream ended: " + cause.getMessage()) : cause);
  }

  @Override
  void finished() {
    refuse(closed());
    finished.complete(null);
  }
}
