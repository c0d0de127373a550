package io.headrace;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.WireFormat;
import io.headrace.v1.PublishStreamRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** A message to publish. Immutable. */
public final class Message {
  private static final byte[] EMPTY = {};

  // The fields of an entry of a map.
  private static final int ATTRIBUTE_KEY = 1;
  private static final int ATTRIBUTE_VALUE = 2;

  private final byte[] wire;
  private final int bytes;

  // The payload, within wire.
  private final int dataFrom;
  private final int dataLength;

  private final Map<String, String> attributes;
  private final String orderingKey;
  private final String dedupeId;
  private final String contentType;

  /** Encodes it. */
  private Message(byte[] data, Map<String, String> attributes, String orderingKey, String dedupeId, String contentType) {
    this.attributes = attributes;
    this.orderingKey = orderingKey;
    this.dedupeId = dedupeId;
    this.contentType = contentType;
    dataLength = data.length;
    bytes =
        (data.length == 0 ? 0 : CodedOutputStream.computeByteArraySize(io.headrace.v1.Message.DATA_FIELD_NUMBER, data))
            + sizeOfAttributes()
            + sizeOf(io.headrace.v1.Message.ORDERING_KEY_FIELD_NUMBER, orderingKey)
            + sizeOf(io.headrace.v1.Message.DEDUPE_ID_FIELD_NUMBER, dedupeId)
            + sizeOf(io.headrace.v1.Message.CONTENT_TYPE_FIELD_NUMBER, contentType);
    int tag = CodedOutputStream.computeTagSize(PublishStreamRequest.PublishBatch.MESSAGES_FIELD_NUMBER);
    wire = new byte[tag + CodedOutputStream.computeUInt32SizeNoTag(bytes) + bytes];
    try {
      dataFrom = write(CodedOutputStream.newInstance(wire), data);
    } catch (IOException never) {
      throw new UncheckedIOException(never);
    }
  }

  /** Gives where the payload begins. */
  private int write(CodedOutputStream out, byte[] data) throws IOException {
    out.writeTag(PublishStreamRequest.PublishBatch.MESSAGES_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    out.writeUInt32NoTag(bytes);
    if (data.length > 0) {
      out.writeByteArray(io.headrace.v1.Message.DATA_FIELD_NUMBER, data);
    }
    int from = out.getTotalBytesWritten() - data.length;
    for (Map.Entry<String, String> attribute : attributes.entrySet()) {
      out.writeTag(io.headrace.v1.Message.ATTRIBUTES_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
      out.writeUInt32NoTag(sizeOf(attribute));
      out.writeString(ATTRIBUTE_KEY, attribute.getKey());
      out.writeString(ATTRIBUTE_VALUE, attribute.getValue());
    }
    write(out, io.headrace.v1.Message.ORDERING_KEY_FIELD_NUMBER, orderingKey);
    write(out, io.headrace.v1.Message.DEDUPE_ID_FIELD_NUMBER, dedupeId);
    write(out, io.headrace.v1.Message.CONTENT_TYPE_FIELD_NUMBER, contentType);
    out.checkNoSpaceLeft();
    return from;
  }

  private static void write(CodedOutputStream out, int field, String value) throws IOException {
    if (!value.isEmpty()) {
      out.writeString(field, value);
    }
  }

  private static int sizeOf(int field, String value) {
    return value.isEmpty() ? 0 : CodedOutputStream.computeStringSize(field, value);
  }

  private int sizeOfAttributes() {
    int size = 0;
    for (Map.Entry<String, String> attribute : attributes.entrySet()) {
      int entry = sizeOf(attribute);
      size +=
          CodedOutputStream.computeTagSize(io.headrace.v1.Message.ATTRIBUTES_FIELD_NUMBER)
              + CodedOutputStream.computeUInt32SizeNoTag(entry)
              + entry;
    }
    return size;
  }

  private static int sizeOf(Map.Entry<String, String> attribute) {
    return CodedOutputStream.computeStringSize(ATTRIBUTE_KEY, attribute.getKey())
        + CodedOutputStream.computeStringSize(ATTRIBUTE_VALUE, attribute.getValue());
  }

  /**
   * A message of a payload alone.
   *
   * @param data the payload, which is copied
   * @return the message
   */
  public static Message of(byte[] data) {
    return new Message(data, Map.of(), "", "", "");
  }

  /**
   * Begins a message.
   *
   * @return an empty builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The free labels.
   *
   * @return not to be changed
   */
  public Map<String, String> attributes() {
    return attributes;
  }

  /**
   * Begins a message that is like this one.
   *
   * @return a builder with everything that this one has
   */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.data = Arrays.copyOfRange(wire, dataFrom, dataFrom + dataLength);
    builder.attributes.putAll(attributes);
    builder.orderingKey = orderingKey;
    builder.dedupeId = dedupeId;
    builder.contentType = contentType;
    return builder;
  }

  /** The message as a batch has it, with the tag of its field and its length. Not to be changed. */
  byte[] wire() {
    return wire;
  }

  /** What it takes alone. */
  int bytes() {
    return bytes;
  }

  /** Builds a message; every field is optional. What is out of bounds fails the publish with {@code INVALID_FIELD}. */
  public static final class Builder {
    private byte[] data = EMPTY;
    private final Map<String, String> attributes = new LinkedHashMap<>();
    private String orderingKey = "";
    private String dedupeId = "";
    private String contentType = "";

    private Builder() {}

    /**
     * Sets the payload. With everything else it has at most the topic's {@code max_message_bytes}.
     *
     * @param data is copied; default: empty
     * @return this builder
     */
    public Builder data(byte[] data) {
      this.data = data.clone();
      return this;
    }

    /**
     * Sets the payload to an encoded Protobuf message.
     *
     * @param payload is encoded now
     * @return this builder
     */
    public Builder data(MessageLite payload) {
      data = payload.toByteArray();
      return this;
    }

    /**
     * Adds a free label; a message has at most 100.
     *
     * @param key 1 to 256 bytes of UTF-8
     * @param value at most 1,024 bytes of UTF-8
     * @return this builder
     */
    public Builder attribute(String key, String value) {
      attributes.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Adds free labels.
     *
     * @param attributes as in {@link #attribute}
     * @return this builder
     */
    public Builder attributes(Map<String, String> attributes) {
      attributes.forEach(this::attribute);
      return this;
    }

    /**
     * Sets the ordering key: messages of one key keep their order.
     *
     * @param key at most 1,024 bytes of UTF-8; empty, the default: none
     * @return this builder
     */
    public Builder orderingKey(String key) {
      orderingKey = Objects.requireNonNull(key, "key");
      return this;
    }

    /**
     * Sets the dedupe id: two messages of one id within the topic's window are one.
     *
     * @param id at most 256 bytes of UTF-8; empty, the default: none
     * @return this builder
     */
    public Builder dedupeId(String id) {
      dedupeId = Objects.requireNonNull(id, "id");
      return this;
    }

    /**
     * Sets the media type of the payload.
     *
     * @param type at most 256 bytes; empty, the default: not told
     * @return this builder
     */
    public Builder contentType(String type) {
      contentType = Objects.requireNonNull(type, "type");
      return this;
    }

    /**
     * Builds the message.
     *
     * @return the message
     */
    public Message build() {
      Map<String, String> labels =
          attributes.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
      return new Message(data, labels, orderingKey, dedupeId, contentType);
    }
  }
}
