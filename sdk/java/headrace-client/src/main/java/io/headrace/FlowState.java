package io.headrace;

import io.headrace.v1.BlockedBy;
import io.headrace.v1.SubscribeResponse;
import java.util.List;
import java.util.stream.Collectors;

/** Why nothing comes, as the server last said. Its subscriber's loop writes it, any thread may read it. */
final class FlowState {
  private volatile List<String> blockedBy = List.of();

  /** The names of the reasons; empty while deliveries can flow. */
  List<String> blockedBy() {
    return blockedBy;
  }

  /** Takes what the server says now, and tells whether that is something else. */
  boolean take(SubscribeResponse.FlowState frame) {
    List<String> now = frame.getBlockedByList().stream().map(FlowState::name).collect(Collectors.toList());
    boolean changed = !now.equals(blockedBy);
    blockedBy = now;
    return changed;
  }

  private static String name(BlockedBy reason) {
    return reason == BlockedBy.UNRECOGNIZED ? "UNKNOWN" : reason.name().substring("BLOCKED_BY_".length());
  }
}
