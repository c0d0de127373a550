package io.headrace;

import java.util.Objects;

/** Where a message stands in its topic's log. */
public final class Position {
  private final int partition;
  private final long offset;

  /**
   * Makes a position.
   *
   * @param partition 0 to 255; 65,535 is a subscription's own, for what was redriven
   * @param offset within the partition, dense from 0
   */
  public Position(int partition, long offset) {
    this.partition = partition;
    this.offset = offset;
  }

  /**
   * The partition.
   *
   * @return 0 to 255; 65,535 is a subscription's own
   */
  public int partition() {
    return partition;
  }

  /**
   * The offset within the partition.
   *
   * @return dense from 0
   */
  public long offset() {
    return offset;
  }

  io.headrace.v1.Position encoded() {
    return io.headrace.v1.Position.newBuilder().setPartition(partition).setOffset(offset).build();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Position
        && ((Position) other).partition == partition
        && ((Position) other).offset == offset;
  }

  @Override
  public int hashCode() {
    return Objects.hash(partition, offset);
  }

  /** The id of a message that entered the log here: {@code partition-offset}. */
  @Override
  public String toString() {
    return partition + "-" + Long.toUnsignedString(offset);
  }
}
