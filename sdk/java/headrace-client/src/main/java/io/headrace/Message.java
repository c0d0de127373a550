package io.headrace;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.Map;

/** A message to publish. Immutable. */
public final class Message {
  private final io.headrace.v1.Message encoded;

  private Message(io.headrace.v1.Message encoded) {
    this.encoded = encoded;
  }

  /**
   * A message of a payload alone.
   *
   * @param data the payload, which is copied
   * @return the message
   */
  public static Message of(byte[] data) {
    return builder().data(data).build();
  }

  /**
   * Begins a message.
   *
   * @return an empty builder
   */
  public static Builder builder() {
    return new Builder(io.headrace.v1.Message.newBuilder());
  }

  /**
   * The free labels.
   *
   * @return not to be changed
   */
  public Map<String, String> attributes() {
    return encoded.getAttributesMap();
  }

  /**
   * Begins a message that is like this one.
   *
   * @return a builder with everything that this one has
   */
  public Builder toBuilder() {
    return new Builder(encoded.toBuilder());
  }

  io.headrace.v1.Message encoded() {
    return encoded;
  }

  /** Builds a message; every field is optional. What is out of bounds fails the publish with {@code INVALID_FIELD}. */
  public static final class Builder {
    private final io.headrace.v1.Message.Builder message;

    private Builder(io.headrace.v1.Message.Builder message) {
      this.message = message;
    }

    /**
     * Sets the payload. With everything else it has at most the topic's {@code max_message_bytes}.
     *
     * @param data is copied; default: empty
     * @return this builder
     */
    public Builder data(byte[] data) {
      message.setData(ByteString.copyFrom(data));
      return this;
    }

    /**
     * Sets the payload to an encoded Protobuf message.
     *
     * @param payload is encoded now
     * @return this builder
     */
    public Builder data(MessageLite payload) {
      message.setData(payload.toByteString());
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
      message.putAttributes(key, value);
      return this;
    }

    /**
     * Adds free labels.
     *
     * @param attributes as in {@link #attribute}
     * @return this builder
     */
    public Builder attributes(Map<String, String> attributes) {
      message.putAllAttributes(attributes);
      return this;
    }

    /**
     * Sets the ordering key: messages of one key keep their order.
     *
     * @param key at most 1,024 bytes of UTF-8; empty, the default: none
     * @return this builder
     */
    public Builder orderingKey(String key) {
      message.setOrderingKey(key);
      return this;
    }

    /**
     * Sets the dedupe id: two messages of one id within the topic's window are one.
     *
     * @param id at most 256 bytes of UTF-8; empty, the default: none
     * @return this builder
     */
    public Builder dedupeId(String id) {
      message.setDedupeId(id);
      return this;
    }

    /**
     * Sets the media type of the payload.
     *
     * @param type at most 256 bytes; empty, the default: not told
     * @return this builder
     */
    public Builder contentType(String type) {
      message.setContentType(type);
      return this;
    }

    /**
     * Builds the message.
     *
     * @return the message
     */
    public Message build() {
      return new Message(message.build());
    }
  }
}
