package io.headrace.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.headrace.testing.HeadraceServer;
import io.headrace.v1.CreateSubscriptionRequest;
import io.headrace.v1.CreateTopicRequest;
import io.headrace.v1.GetSubscriptionStatsRequest;
import io.headrace.v1.Message;
import io.headrace.v1.PublishStreamRequest;
import io.headrace.v1.PublishStreamResponse;
import io.headrace.v1.PublisherServiceGrpc;
import io.headrace.v1.SequenceRange;
import io.headrace.v1.SubscribeRequest;
import io.headrace.v1.SubscribeResponse;
import io.headrace.v1.SubscriberServiceGrpc;
import io.headrace.v1.Subscription;
import io.headrace.v1.SubscriptionServiceGrpc;
import io.headrace.v1.SubscriptionStats;
import io.headrace.v1.Topic;
import io.headrace.v1.TopicServiceGrpc;
import io.headrace.v1.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract without the client: generated stubs alone publish and ack a thousand messages. */
@Timeout(120)
class StubsTest {
  private static final int MESSAGES = 1_000;
  private static final int BATCH = 100;

  private HeadraceServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() {
    server = HeadraceServer.start();
    channel = NettyChannelBuilder.forTarget(server.address()).usePlaintext().build();
    TopicServiceGrpc.newBlockingStub(channel)
        .createTopic(CreateTopicRequest.newBuilder().setTopic(Topic.newBuilder().setName("orders")).build());
    SubscriptionServiceGrpc.newBlockingStub(channel)
        .createSubscription(
            CreateSubscriptionRequest.newBuilder()
                .setSubscription(Subscription.newBuilder().setName("billing").setTopic("orders"))
                .build());
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.close();
  }

  /** What a stream says, to be taken in order; its end is an entry of its own. */
  private static final class Heard<S> implements StreamObserver<S> {
    private final BlockingQueue<Object> frames = new LinkedBlockingQueue<>();

    @Override
    public void onNext(S frame) {
      frames.add(frame);
    }

    @Override
    public void onError(Throwable error) {
      frames.add(error);
    }

    @Override
    public void onCompleted() {
      frames.add("completed");
    }

    /** The next frame of one kind; others are passed over. */
    @SuppressWarnings("unchecked")
    <F> F next(Function<S, F> kind) throws InterruptedException {
      while (true) {
        Object frame = frames.take();
        if (frame instanceof Throwable || frame.equals("completed")) {
          throw new AssertionError("the stream ended: " + frame);
        }
        F found = kind.apply((S) frame);
        if (found != null) {
          return found;
        }
      }
    }

    void awaitEnd() throws InterruptedException {
      Object frame = frames.take();
      while (!frame.equals("completed")) {
        if (frame instanceof Throwable) {
          throw new AssertionError("the stream broke: " + frame);
        }
        frame = frames.take();
      }
    }
  }

  @Test
  void aThousandMessagesArePublishedAndAcked() throws InterruptedException {
    publishAll();
    assertEquals(MESSAGES, receiveAll().size());
    SubscriptionStats stats =
        SubscriptionServiceGrpc.newBlockingStub(channel)
            .getSubscriptionStats(GetSubscriptionStatsRequest.newBuilder().setSubscription("billing").build())
            .getStats();
    assertEquals(List.of(0L, (long) MESSAGES, 0L), List.of(stats.getBacklog().getMessages(), stats.getAcked(), stats.getRedelivered()));
  }

  private void publishAll() throws InterruptedException {
    Heard<PublishStreamResponse> heard = new Heard<>();
    StreamObserver<PublishStreamRequest> stream = PublisherServiceGrpc.newStub(channel).publishStream(heard);
    stream.onNext(
        PublishStreamRequest.newBuilder().setOpen(PublishStreamRequest.Open.getDefaultInstance()).build());
    for (int first = 1; first <= MESSAGES; first += BATCH) {
      PublishStreamRequest.PublishBatch.Builder batch =
          PublishStreamRequest.PublishBatch.newBuilder().setTopic("orders").setFirstSequence(first);
      for (int n = first; n < first + BATCH; n++) {
        batch.addMessages(Message.newBuilder().setData(ByteString.copyFromUtf8("order " + n)));
      }
      stream.onNext(PublishStreamRequest.newBuilder().setPublishBatch(batch).build());
    }
    long through = 0;
    while (through < MESSAGES) {
      PublishStreamResponse.PublishResult result = heard.next(f -> f.hasPublishResult() ? f.getPublishResult() : null);
      assertEquals(0, result.getFailuresCount());
      through = result.getThroughSequence();
    }
    stream.onCompleted();
    heard.awaitEnd();
  }

  private List<String> receiveAll() throws InterruptedException {
    Heard<SubscribeResponse> heard = new Heard<>();
    StreamObserver<SubscribeRequest> stream = SubscriberServiceGrpc.newStub(channel).subscribe(heard);
    stream.onNext(
        SubscribeRequest.newBuilder()
            .setOpen(
                SubscribeRequest.Open.newBuilder()
                    .setSubscription("billing")
                    .setWindow(SubscribeRequest.Window.newBuilder().setMessages(BATCH).setBytes(1 << 20)))
            .build());
    List<String> received = new ArrayList<>();
    long number = 0;
    while (received.size() < MESSAGES) {
      SubscribeResponse.Batch batch = heard.next(f -> f.hasBatch() ? f.getBatch() : null);
      batch.getMessagesList().forEach(m -> received.add(m.getData().toStringUtf8()));
      stream.onNext(ack(++number, batch.getFirstSequence(), batch.getMessagesCount()));
    }
    long last = number;
    heard.next(f -> f.getSettleResult().getConfirmedThrough() == last ? f : null);
    stream.onCompleted();
    heard.awaitEnd();
    return received;
  }

  private static SubscribeRequest ack(long number, long first, int count) {
    return SubscribeRequest.newBuilder()
        .setSettle(
            SubscribeRequest.Settle.newBuilder()
                .setNumber(number)
                .setVerdict(Verdict.VERDICT_ACK)
                .addRanges(SequenceRange.newBuilder().setFirst(first).setLast(first + count - 1)))
        .build();
  }
}
