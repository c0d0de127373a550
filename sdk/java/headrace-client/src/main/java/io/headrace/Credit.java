package io.headrace;

import io.headrace.v1.Replenish;
import io.headrace.v1.SubscribeRequest;
import org.jspecify.annotations.Nullable;

/**
 * How much the server may send: as much as the window has room for, which the server sees to by itself, or
 * where credit is given by hand, what is asked for and fits the window. Without I/O, threads or clocks; its
 * subscriber's loop owns it.
 *
 * <pre>
 * sequences of a session whose credit is given by hand
 * ├── received ──┼── asked for, and in the window ──┤ granted
 * </pre>
 */
final class Credit {
  /** What is asked for in addition is granted when it is more than this part of what the server may still send. */
  private static final int GRANT_SHARE = 4;

  private final boolean manual;

  /** The window bounds in messages, too, what is granted by hand. */
  private final boolean boundsRequests;

  /** What the window was when the server was last told on this stream. */
  private Window.Size told;

  /** How much more was asked for by hand than came. */
  private long demand;

  /** Credit may be worth a frame, however little it grew: some was used up, or is to be given anew. */
  private boolean grantDue;

  /** The last sequence that the server was granted in this session. */
  private long granted;

  /** How many bytes it was granted, and what was charged when that last grew; of this stream. */
  private long grantedBytes;

  private long raisedAt;

  /**
   * Nothing is granted yet.
   *
   * @param size of the window
   * @param manual credit is given by hand
   * @param boundsRequests whether the window then bounds messages, too, and not bytes alone
   */
  Credit(Window.Size size, boolean manual, boolean boundsRequests) {
    told = size;
    this.manual = manual;
    this.boundsRequests = boundsRequests;
  }

  /** Asks for more deliveries, for good; where they are not asked for by hand, that changes nothing. */
  void request(long more) {
    demand = demand + more < 0 ? Long.MAX_VALUE : demand + more;
  }

  /** So many deliveries came. */
  void came(int count) {
    demand -= Math.min(demand, count);
    grantDue = true; // The bytes that came make room for as many.
  }

  /** Says in the first frame of a stream how credit is given, in a window of that size. */
  void open(SubscribeRequest.Open.Builder open, Window.Size size) {
    told = size;
    if (manual) {
      open.setReplenish(Replenish.REPLENISH_MANUAL);
    } else {
      open.setWindow(windowFrame());
    }
  }

  /** A stream is open, whose session received so far: what was granted on another one is void. */
  void opened(long receivedThrough) {
    granted = receivedThrough;
    grantedBytes = 0;
    grantDue = true;
  }

  /**
   * What the server is to be told, or null.
   *
   * @param size of the window by now
   * @param receivedThrough the last sequence that came in this session
   * @param chargedBytes what was charged for all that came in it
   */
  @Nullable SubscribeRequest nextFrame(Window.Size size, long receivedThrough, long chargedBytes) {
    boolean resized = !size.is(told);
    told = size;
    if (!manual) {
      return resized ? SubscribeRequest.newBuilder().setWindow(windowFrame()).build() : null;
    }
    grantDue |= resized;
    return grant(receivedThrough, chargedBytes);
  }

  private SubscribeRequest.Window.Builder windowFrame() {
    return SubscribeRequest.Window.newBuilder().setMessages(told.messages).setBytes(told.bytes);
  }

  /**
   * Credit is cumulative from the session's start: what came, and what is still asked for and fits the window.
   * While the server has most of it, a little more is not worth a frame.
   */
  private @Nullable SubscribeRequest grant(long receivedThrough, long chargedBytes) {
    long ahead = boundsRequests ? Math.min(demand, told.messages) : demand;
    long through = receivedThrough + ahead < 0 ? Long.MAX_VALUE : receivedThrough + ahead;
    long left = granted - receivedThrough;
    boolean due = grantDue || through - granted > left / GRANT_SHARE;
    grantDue = false;
    if (!due || ahead == 0 && left <= 0) {
      return null;
    }
    granted = through;
    SubscribeRequest.Grant.Builder grant =
        SubscribeRequest.Grant.newBuilder().setThroughSequence(through).setThroughBytes(bytesToGrant(chargedBytes));
    return SubscribeRequest.newBuilder().setGrant(grant).build();
  }

  /**
   * A message that is larger than all bytes comes only while nothing was charged since they were raised. So where
   * a smaller window leaves nothing to raise, one byte is left for a grant that follows at once. The contract's
   * bytes have no sign: a window without a bound ends beyond the largest number that has one.
   */
  private long bytesToGrant(long chargedBytes) {
    long bytes = chargedBytes + told.bytes;
    if (Long.compareUnsigned(bytes, grantedBytes) <= 0 && raisedAt < chargedBytes) {
      bytes--;
      grantDue = true;
    }
    if (Long.compareUnsigned(bytes, grantedBytes) > 0) {
      raisedAt = chargedBytes;
    }
    grantedBytes = bytes;
    return bytes;
  }
}
