package io.headrace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import io.grpc.Drainable;
import io.headrace.v1.Heartbeat;
import io.headrace.v1.PublishStreamRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Frames and messages that write themselves, against the generated code. */
class PublishFrameTest {
  private final Room room = new Room(1 << 20, 1 << 30);

  /** What the other side reads. */
  static PublishStreamRequest parsed(PublishFrame frame) {
    try {
      InputStream wire = PublishFrame.MARSHALLER.stream(frame);
      int length = wire.available();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      assertEquals(length, ((Drainable) wire).drainTo(out));
      assertEquals(0, wire.available());
      assertEquals(length, out.size());
      assertArrayEquals(out.toByteArray(), PublishFrame.MARSHALLER.stream(frame).readAllBytes());
      return PublishStreamRequest.parseFrom(out.toByteArray());
    } catch (IOException malformed) {
      throw new UncheckedIOException(malformed);
    }
  }

  private PublishFrame batch(boolean oneWay, Message... messages) {
    Batch batch = new Batch(room, "orders", oneWay, 0);
    for (Message message : messages) {
      batch.add(new Entry("orders", message, new CompletableFuture<>()));
    }
    batch.first = 300;
    return PublishFrame.of(batch);
  }

  private static io.headrace.v1.Message generated(byte[] data) {
    return io.headrace.v1.Message.newBuilder().setData(ByteString.copyFrom(data)).build();
  }

  @Test
  void payloadsOfAnySizeAreAsTheGeneratedCodeHasThem() {
    for (int size : new int[] {0, 1, 120, 127, 128, 16_380, 16_384, 2_100_000}) {
      byte[] data = new byte[size];
      java.util.Arrays.fill(data, (byte) size);
      PublishStreamRequest.PublishBatch.Builder batch =
          PublishStreamRequest.PublishBatch.newBuilder().setTopic("orders").setFirstSequence(300);
      batch.addMessages(generated(data)).addMessages(generated(data));
      Message message = Message.of(data);
      assertEquals(generated(data).getSerializedSize(), message.bytes());
      assertEquals(batch.build(), parsed(batch(false, message, message)).getPublishBatch());
    }
  }

  @Test
  void everyFieldIsAsTheGeneratedCodeHasIt() {
    String odd = "\0 \u00e9\u20ac\ud83d\ude00";
    Message message =
        Message.builder()
            .data(new byte[] {1, 2, 3})
            .attribute("empty", "")
            .attributes(Map.of(odd, odd))
            .orderingKey("table 4" + odd)
            .dedupeId(odd)
            .contentType("text/plain")
            .build();
    io.headrace.v1.Message want =
        io.headrace.v1.Message.newBuilder()
            .setData(ByteString.copyFrom(new byte[] {1, 2, 3}))
            .putAttributes("empty", "")
            .putAttributes(odd, odd)
            .setOrderingKey("table 4" + odd)
            .setDedupeId(odd)
            .setContentType("text/plain")
            .build();
    assertEquals(want.getSerializedSize(), message.bytes());
    PublishStreamRequest.PublishBatch sent = parsed(batch(true, message)).getPublishBatch();
    assertEquals(List.of(want), sent.getMessagesList());
    assertEquals(List.of(true, "orders", 300L), List.of(sent.getOneWay(), sent.getTopic(), sent.getFirstSequence()));
    Message again = message.toBuilder().attribute("more", "1").build();
    io.headrace.v1.Message more = want.toBuilder().putAttributes("more", "1").build();
    assertEquals(List.of(more), parsed(batch(true, again)).getPublishBatch().getMessagesList());
  }

  @Test
  void aMessageIsWhatItWasMadeOf() {
    byte[] data = {1, 2, 3};
    Message.Builder builder = Message.builder().data(data).attribute("a", "1");
    Message alone = Message.of(data);
    data[0] = 9;
    Message message = builder.build();
    builder.attribute("b", "2");
    assertEquals(Map.of("a", "1"), message.attributes());
    for (Message made : List.of(alone, message)) {
      byte[] sent = parsed(batch(false, made)).getPublishBatch().getMessages(0).getData().toByteArray();
      assertArrayEquals(new byte[] {1, 2, 3}, sent);
    }
  }

  @Test
  void otherFramesAreTheGeneratedOnes() {
    PublishStreamRequest heartbeat = PublishStreamRequest.newBuilder().setHeartbeat(Heartbeat.getDefaultInstance()).build();
    assertEquals(heartbeat, parsed(PublishFrame.of(heartbeat)));
  }
}
