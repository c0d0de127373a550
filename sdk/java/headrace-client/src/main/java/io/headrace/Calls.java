package io.headrace;

import io.grpc.CallOptions;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Makes the calls that are not streams: bounded in time, and with their failures translated. */
final class Calls {
  private final ManagedChannel channel;
  private final Duration connectTimeout;
  private final Duration callTimeout;
  private volatile boolean reached;
  private volatile boolean closed;

  Calls(ManagedChannel channel, Duration connectTimeout, Duration callTimeout) {
    this.channel = channel;
    this.connectTimeout = connectTimeout;
    this.callTimeout = callTimeout;
  }

  /** Makes a call and waits for its answer. */
  <Q, S> S call(MethodDescriptor<Q, S> method, Q request) {
    return call(method, request, Duration.ZERO);
  }

  /** Makes a call that may take so much longer than others. */
  <Q, S> S call(MethodDescriptor<Q, S> method, Q request, Duration longer) {
    reach();
    CallOptions options =
        CallOptions.DEFAULT
            .withWaitForReady()
            .withDeadlineAfter(callTimeout.plus(longer).toNanos(), TimeUnit.NANOSECONDS);
    try {
      return ClientCalls.blockingUnaryCall(channel, method, options, request);
    } catch (StatusRuntimeException failed) {
      throw translated(failed);
    }
  }

  private HeadraceException translated(StatusRuntimeException failed) {
    if (Thread.currentThread().isInterrupted()) {
      return new HeadraceException.Interrupted("interrupted while a call was under way");
    }
    HeadraceException e = Errors.of(failed);
    return closed && e.reason().isEmpty() ? new HeadraceException.Closed("the client is closed") : e;
  }

  /** Waits for the first connection, so that a server that is not there is told apart from a slow one. */
  private void reach() {
    if (reached) {
      return;
    }
    long until = System.nanoTime() + connectTimeout.toNanos();
    for (ConnectivityState state = channel.getState(true);
        state != ConnectivityState.READY && !closed;
        state = channel.getState(true)) {
      CountDownLatch changed = new CountDownLatch(1);
      channel.notifyWhenStateChanged(state, changed::countDown);
      await(changed, until - System.nanoTime());
    }
    reached = !closed;
  }

  private static void await(CountDownLatch changed, long nanos) {
    try {
      if (!changed.await(nanos, TimeUnit.NANOSECONDS)) {
        throw Errors.unreachable(null);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HeadraceException.Interrupted("interrupted while connecting");
    }
  }

  /** Fails calls that are under way, and later ones, with Closed. */
  void close() {
    closed = true;
  }
}
