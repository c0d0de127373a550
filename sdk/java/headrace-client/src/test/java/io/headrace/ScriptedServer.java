package io.headrace;

import com.google.protobuf.ByteString;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.headrace.v1.Feature;
import io.headrace.v1.GoAway;
import io.headrace.v1.GoAwayReason;
import io.headrace.v1.Message;
import io.headrace.v1.PositionRun;
import io.headrace.v1.RevokeReason;
import io.headrace.v1.SequenceRange;
import io.headrace.v1.SubscribeRequest;
import io.headrace.v1.SubscribeResponse;
import io.headrace.v1.SubscriberServiceGrpc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A server that says what a test tells it to, and hands over what subscribers say. */
final class ScriptedServer implements AutoCloseable {
  private final BlockingQueue<Stream> opening = new LinkedBlockingQueue<>();
  private final Queue<Stream> streams = new ConcurrentLinkedQueue<>();
  private final Server server;
  private volatile boolean refusing;

  ScriptedServer() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0)).addService(new Subscribing()).build().start();
  }

  HeadraceClientBuilder client() {
    return HeadraceClient.builder("127.0.0.1:" + server.getPort());
  }

  /** The next stream that a subscriber opens; its Open is to be read. */
  Stream stream() throws InterruptedException {
    return opening.take();
  }

  /** The next stream, opened as a new session that serves what the tests are about. */
  Stream opened(String session) throws InterruptedException {
    Stream stream = stream();
    stream.next();
    stream.say(stream.opened(session));
    return stream;
  }

  /** Ends every stream, now and later, with what no client tries again after. */
  void refuse() {
    refusing = true;
    streams.forEach(Stream::refuse);
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  private final class Subscribing extends SubscriberServiceGrpc.SubscriberServiceImplBase {
    @Override
    public StreamObserver<SubscribeRequest> subscribe(StreamObserver<SubscribeResponse> out) {
      Stream stream = new Stream(out);
      streams.add(stream);
      opening.add(stream);
      if (refusing) {
        stream.refuse();
      }
      return stream;
    }
  }

  /** One stream of a subscriber. */
  static final class Stream implements StreamObserver<SubscribeRequest> {
    /** What stands for the end of what the client says; no frame is empty. */
    private static final SubscribeRequest END = SubscribeRequest.getDefaultInstance();

    private final BlockingQueue<SubscribeRequest> heard = new LinkedBlockingQueue<>();
    private final StreamObserver<SubscribeResponse> out;
    private long charged;
    private boolean over;

    Stream(StreamObserver<SubscribeResponse> out) {
      this.out = out;
    }

    @Override
    public void onNext(SubscribeRequest frame) {
      heard.add(frame);
    }

    @Override
    public void onError(Throwable cancelled) {
      heard.add(END);
    }

    @Override
    public void onCompleted() {
      heard.add(END);
    }

    /** The next frame that is no heartbeat. */
    SubscribeRequest next() throws InterruptedException {
      SubscribeRequest frame = heard.take();
      return frame.hasHeartbeat() ? next() : frame;
    }

    /** The next frame in words, without those that say what was started. */
    String told() throws InterruptedException {
      SubscribeRequest frame = next();
      return frame.hasStarted() ? told() : describe(frame);
    }

    static String describe(SubscribeRequest frame) {
      switch (frame.getFrameCase()) {
        case SETTLE:
          String verdict = frame.getSettle().getVerdict().name().substring("VERDICT_".length());
          return verdict + " " + ranges(frame.getSettle().getRangesList());
        case WINDOW:
          return "WINDOW " + frame.getWindow().getMessages() + " " + frame.getWindow().getBytes();
        case GRANT:
          return "GRANT " + frame.getGrant().getThroughSequence() + " " + frame.getGrant().getThroughBytes();
        case STARTED:
          return "STARTED " + ranges(frame.getStarted().getRangesList());
        case FRAME_NOT_SET:
          return "END";
        default:
          return frame.getFrameCase().name();
      }
    }

    static String ranges(List<SequenceRange> ranges) {
      return ranges.stream().map(r -> r.getFirst() + "-" + r.getLast()).collect(Collectors.joining(","));
    }

    private static SequenceRange range(long first, long last) {
      return SequenceRange.newBuilder().setFirst(first).setLast(last).build();
    }

    synchronized void say(SubscribeResponse.Builder frame) {
      out.onNext(frame.build());
    }

    SubscribeResponse.Builder opened(String session) {
      SubscribeResponse.Builder frame = SubscribeResponse.newBuilder();
      frame.getOpenedBuilder()
          .setSessionId(session)
          .addAllFeatures(List.of(Feature.FEATURE_STARTED, Feature.FEATURE_RESUME, Feature.FEATURE_RECALL))
          .getLimitsBuilder()
          .getResumeWindowBuilder()
          .setSeconds(300);
      return frame;
    }

    /** Goes on with a session whose next delivery has a sequence, and which holds what is kept. */
    void resumed(String session, long next, long chargedBytes, SequenceRange... kept) {
      charged = chargedBytes;
      SubscribeResponse.Builder frame = opened(session);
      frame.getOpenedBuilder()
          .getResumedBuilder()
          .setNextSequence(next)
          .setChargedBytes(chargedBytes)
          .addAllKept(List.of(kept));
      say(frame);
    }

    void resumed(String session, long next, long chargedBytes, long firstKept, long lastKept) {
      resumed(session, next, chargedBytes, range(firstKept, lastKept));
    }

    /** Deliveries from a sequence on, each of which says its sequence and is charged with ten bytes. */
    void batch(long first, int count) {
      charged += 10L * count;
      List<Message> messages =
          IntStream.range(0, count)
              .mapToObj(i -> Message.newBuilder().setData(ByteString.copyFromUtf8("" + (first + i))).build())
              .collect(Collectors.toList());
      SubscribeResponse.Builder frame = SubscribeResponse.newBuilder();
      frame.getBatchBuilder()
          .setFirstSequence(first)
          .setChargedBytes(charged)
          .addAllMessages(messages)
          .addRuns(PositionRun.newBuilder().setFirstOffset(first - 1).setCount(count));
      say(frame);
    }

    void goAway(GoAwayReason reason) {
      GoAway.Builder goAway = GoAway.newBuilder().setReason(reason);
      goAway.getGraceBuilder().setSeconds(30);
      say(SubscribeResponse.newBuilder().setGoAway(goAway));
    }

    void confirm(long through) {
      SubscribeResponse.Builder frame = SubscribeResponse.newBuilder();
      frame.getSettleResultBuilder().setConfirmedThrough(through);
      say(frame);
    }

    void revoke(RevokeReason reason, long first, long last) {
      SubscribeResponse.Builder frame = SubscribeResponse.newBuilder();
      frame.getRevokedBuilder().setReason(reason).addRanges(range(first, last));
      say(frame);
    }

    void recall(long first, long last) {
      SubscribeResponse.Builder frame = SubscribeResponse.newBuilder();
      frame.getRecallBuilder().addRanges(range(first, last));
      say(frame);
    }

    void drained() {
      SubscribeResponse.Builder frame = SubscribeResponse.newBuilder();
      frame.getDrainedBuilder();
      say(frame);
    }

    /** Ends the stream in order. */
    synchronized void end() {
      if (!over) {
        over = true;
        out.onCompleted();
      }
    }

    /** Breaks the stream; it can be resumed. */
    void cut() {
      fail(Status.UNAVAILABLE);
    }

    void refuse() {
      fail(Status.PERMISSION_DENIED);
    }

    private synchronized void fail(Status status) {
      if (!over) {
        over = true;
        out.onError(status.asRuntimeException());
      }
    }
  }
}
