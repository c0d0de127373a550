package io.headrace;

import io.headrace.v1.StartOffsets;
import io.headrace.v1.StartPosition;
import java.time.Instant;

/** Where a new subscription may begin: for {@link Subscriptions#create}. */
public final class StartPositions {
  private StartPositions() {}

  /**
   * After the last message at the moment of creation: the default.
   *
   * @return the position
   */
  public static StartPosition latest() {
    return StartPosition.newBuilder().setLatest(true).build();
  }

  /**
   * At the first message that is retained.
   *
   * @return the position
   */
  public static StartPosition earliest() {
    return StartPosition.newBuilder().setEarliest(true).build();
  }

  /**
   * At the first message that the log took in at or after a time.
   *
   * @param time the time
   * @return the position
   */
  public static StartPosition time(Instant time) {
    return StartPosition.newBuilder().setTime(Durations.of(time)).build();
  }

  /**
   * At these positions; partitions that are not named begin at latest.
   *
   * @param positions one a partition
   * @return the position
   */
  public static StartPosition positions(Position... positions) {
    return StartPosition.newBuilder().setOffsets(offsets(positions)).build();
  }

  static StartOffsets offsets(Position... positions) {
    StartOffsets.Builder offsets = StartOffsets.newBuilder();
    for (Position position : positions) {
      offsets.addPositions(position.encoded());
    }
    return offsets.build();
  }
}
