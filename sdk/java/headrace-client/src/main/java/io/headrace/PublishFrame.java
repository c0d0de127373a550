package io.headrace;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.headrace.v1.PublishStreamRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A frame of the publish stream as it goes over the wire. A batch has its messages as they were encoded when
 * they were made, once, by the threads that publish:
 *
 * <pre>
 *  head                                                      messages
 *  ├─ tag of publish_batch ─┼─ its length ─┼─ its other fields ─┼─ tag ─┼─ length ─┼─ message ─┼─ … ─┤
 * </pre>
 */
final class PublishFrame {
  /** How gRPC takes them. Nothing is ever parsed by it: the client only sends them. */
  static final MethodDescriptor.Marshaller<PublishFrame> MARSHALLER =
      new MethodDescriptor.Marshaller<PublishFrame>() {
        @Override
        public InputStream stream(PublishFrame frame) {
          return new Wire(frame);
        }

        @Override
        public PublishFrame parse(InputStream stream) {
          throw new UnsupportedOperationException("frames of the publish stream are sent alone");
        }
      };

  private final byte[] head;
  private final List<byte[]> messages;
  private final int bytes;

  private PublishFrame(byte[] head, List<byte[]> messages, int bytes) {
    this.head = head;
    this.messages = messages;
    this.bytes = bytes;
  }

  /** A frame without messages. */
  static PublishFrame of(PublishStreamRequest request) {
    byte[] encoded = request.toByteArray();
    return new PublishFrame(encoded, List.of(), encoded.length);
  }

  /** A batch, whose sequence is known. */
  static PublishFrame of(Batch batch) {
    byte[] head = headOf(batch);
    List<byte[]> messages = new ArrayList<>(batch.entries.size());
    batch.entries.forEach(entry -> messages.add(entry.message.wire()));
    return new PublishFrame(head, messages, Math.toIntExact(head.length + batch.bytes));
  }

  private static byte[] headOf(Batch batch) {
    PublishStreamRequest.PublishBatch fields =
        PublishStreamRequest.PublishBatch.newBuilder()
            .setTopic(batch.topic)
            .setFirstSequence(batch.first)
            .setOneWay(batch.oneWay)
            .build();
    int length = Math.toIntExact(fields.getSerializedSize() + batch.bytes);
    int tag = CodedOutputStream.computeTagSize(PublishStreamRequest.PUBLISH_BATCH_FIELD_NUMBER);
    byte[] head = new byte[tag + CodedOutputStream.computeUInt32SizeNoTag(length) + fields.getSerializedSize()];
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(head);
      out.writeTag(PublishStreamRequest.PUBLISH_BATCH_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
      out.writeUInt32NoTag(length);
      fields.writeTo(out);
      out.checkNoSpaceLeft();
    } catch (IOException never) {
      throw new UncheckedIOException(never);
    }
    return head;
  }

  /** One passage of the frame to the transport, which asks for its length and has it written. */
  private static final class Wire extends InputStream implements KnownLength, Drainable {
    private final PublishFrame frame;
    private int left;

    /** For a transport that reads instead; null: none does. */
    private @Nullable InputStream in;

    Wire(PublishFrame frame) {
      this.frame = frame;
      left = frame.bytes;
    }

    private InputStream in() {
      if (in == null) {
        List<InputStream> parts = new ArrayList<>();
        parts.add(new ByteArrayInputStream(frame.head));
        frame.messages.forEach(message -> parts.add(new ByteArrayInputStream(message)));
        in = new SequenceInputStream(Collections.enumeration(parts));
      }
      return in;
    }

    @Override
    public int available() {
      return left;
    }

    @Override
    public int drainTo(OutputStream out) throws IOException {
      out.write(frame.head);
      for (byte[] message : frame.messages) {
        out.write(message);
      }
      left = 0;
      return frame.bytes;
    }

    @Override
    public int read() throws IOException {
      int next = in().read();
      left -= next < 0 ? 0 : 1;
      return next;
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
      int read = in().read(to, from, length);
      left -= Math.max(0, read);
      return read;
    }
  }
}
