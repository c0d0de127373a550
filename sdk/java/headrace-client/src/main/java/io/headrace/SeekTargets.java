package io.headrace;

import io.headrace.v1.SeekTarget;
import java.time.Instant;

/**
 * Where a subscription may be moved, for {@link Subscriptions#seek}: what is before it counts as acked,
 * what is at it and behind it as unacked.
 */
public final class SeekTargets {
  private SeekTargets() {}

  /**
   * Before the first message that is retained.
   *
   * @return the target
   */
  public static SeekTarget start() {
    return SeekTarget.newBuilder().setStart(true).build();
  }

  /**
   * Behind the last message.
   *
   * @return the target
   */
  public static SeekTarget end() {
    return SeekTarget.newBuilder().setEnd(true).build();
  }

  /**
   * Before the first message that the log took in at or after a time.
   *
   * @param time the time
   * @return the target
   */
  public static SeekTarget time(Instant time) {
    return SeekTarget.newBuilder().setTime(Durations.of(time)).build();
  }

  /**
   * Before these positions; partitions that are not named stay as they are.
   *
   * @param positions one a partition, at least one
   * @return the target
   */
  public static SeekTarget positions(Position... positions) {
    return SeekTarget.newBuilder().setOffsets(StartPositions.offsets(positions)).build();
  }

  /**
   * Where the snapshot's subscription stood when it was taken: what was acked then counts as acked, what
   * was not, and what came since, as unacked.
   *
   * @param name the snapshot's name
   * @return the target
   */
  public static SeekTarget snapshot(String name) {
    return SeekTarget.newBuilder().setSnapshot(name).build();
  }
}
