import com.google.protobuf.ByteString;
import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.Message;
import io.headrace.MessageId;
import io.headrace.Subscriber;
import io.headrace.Topic;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** The party of the Java SDK: {@code go doc ./sdk/interop} says what it is told and what it writes. */
public final class Party {
  /** The messages are as large as a server allows. */
  private static final int MAX_FRAME_BYTES = 64 << 20;

  private static final long WINDOW_BYTES = 256 << 20;

  private Party() {}

  public static void main(String[] args) throws Exception {
    try (HeadraceClient client = HeadraceClient.connect(args[1])) {
      for (String line : Files.readAllLines(Path.of(args[2]))) {
        String[] words = line.split("\t");
        if (args[0].equals("publish")) {
          publish(client.topic(words[0]), Path.of(words[1]), Path.of(words[2]));
        } else {
          consume(client, words[0], Integer.parseInt(words[1]), Integer.parseInt(words[2]), Path.of(words[3]));
        }
      }
    }
  }

  private static void publish(Topic topic, Path corpus, Path ids) throws IOException {
    List<CompletableFuture<MessageId>> results = new ArrayList<>();
    try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(corpus)))) {
      while (true) {
        io.headrace.v1.Message m = io.headrace.v1.Message.parseFrom(in.readNBytes(in.readInt()));
        results.add(
            topic.publish(
                Message.builder()
                    .data(m.getData().toByteArray())
                    .attributes(m.getAttributesMap())
                    .orderingKey(m.getOrderingKey())
                    .contentType(m.getContentType())
                    .dedupeId(m.getDedupeId())
                    .build()));
      }
    } catch (EOFException end) {
      // All of it is read.
    }
    StringBuilder lines = new StringBuilder();
    results.forEach(result -> lines.append(result.join()).append('\n'));
    Files.writeString(ids, lines);
  }

  private static void consume(HeadraceClient client, String subscription, int count, int handlers, Path output)
      throws Exception {
    CountDownLatch left = new CountDownLatch(count);
    try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(output)))) {
      Subscriber subscriber =
          client
              .subscribe(subscription, d -> write(out, d, left))
              .concurrency(handlers)
              .settings(s -> s.maxFrameBytes(MAX_FRAME_BYTES).maxOutstandingBytes(WINDOW_BYTES))
              .start();
      subscriber.ended().whenComplete((done, failed) -> end(left));
      left.await();
      subscriber.close();
      subscriber.ended().join();
    }
  }

  /** Lets go who waits: nothing more comes. */
  private static void end(CountDownLatch left) {
    while (left.getCount() > 0) {
      left.countDown();
    }
  }

  /** Notes what the SDK shows of a delivery, with fields that it does not know. */
  private static void write(DataOutputStream out, Delivery<byte[]> d, CountDownLatch left) {
    byte[] encoded =
        io.headrace.v1.Message.newBuilder()
            .setMessageId(d.id())
            .setData(ByteString.copyFrom(d.data()))
            .putAllAttributes(d.attributes())
            .setOrderingKey(d.orderingKey())
            .setContentType(d.contentType())
            .setUnknownFields(d.message().getUnknownFields())
            .build()
            .toByteArray();
    synchronized (out) {
      try {
        out.writeInt(encoded.length);
        out.write(encoded);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    left.countDown();
  }
}
