package io.headrace;

import io.headrace.v1.PulledMessage;

/**
 * A message that was pulled: it is held until it is settled by its token, by whoever has it, or until its
 * lease ends, which charges an attempt. Nothing extends it by itself.
 */
public final class Pulled extends Received<byte[]> {
  private final String token;

  Pulled(PulledMessage pulled) {
    super(
        pulled.getMessage(),
        null,
        new Position(pulled.getPosition().getPartition(), pulled.getPosition().getOffset()),
        pulled.getAttempt());
    token = pulled.getDeliveryToken();
  }

  /**
   * Names the delivery: opaque, at most 170 bytes; good in another process, too.
   *
   * @return the token
   */
  public String token() {
    return token;
  }

  /** Its place and attempt, not its payload. */
  @Override
  public String toString() {
    return "Pulled " + id() + " attempt " + attempt();
  }
}
