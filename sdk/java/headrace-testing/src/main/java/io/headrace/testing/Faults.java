package io.headrace.testing;

import com.google.protobuf.MessageLite;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.headrace.v1.AdvanceClockRequest;
import io.headrace.v1.ClearFaultsRequest;
import io.headrace.v1.DropStreamsRequest;
import io.headrace.v1.ErrorReason;
import io.headrace.v1.InjectFaultRequest;
import io.headrace.v1.TestControlServiceGrpc;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What a test may do to its server: move its clock, delay and refuse calls, break streams.
 *
 * <p>Methods are named as in the contract: {@code PublisherService/Publish}, or {@code SubscriberService} for all
 * of a service; empty: all. Faults are met in the order in which they were asked for. The server refuses what
 * makes no sense with an {@link IllegalArgumentException}.
 */
public final class Faults implements AutoCloseable {
  private static final int CALL_SECONDS = 60;

  private final ManagedChannel channel;

  Faults(String address) {
    channel = NettyChannelBuilder.forTarget(address).usePlaintext().build();
  }

  private <Q extends MessageLite, S> S call(MethodDescriptor<Q, S> method, Q request) {
    CallOptions options =
        CallOptions.DEFAULT.withWaitForReady().withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
    try {
      return ClientCalls.blockingUnaryCall(channel, method, options, request);
    } catch (StatusRuntimeException refused) {
      throw new IllegalArgumentException(refused.getMessage(), refused);
    }
  }

  /**
   * Moves the server's clock forward: the one of leases, retries, resume windows, log times and ages. Clients
   * that are connected stay so. When it returns every subscription has seen the new time.
   *
   * @param by more than 0, at most 30 days; clocks never go back
   * @return by how much the clock is ahead since the server's start, all calls together
   */
  public Duration advanceClock(Duration by) {
    AdvanceClockRequest request = AdvanceClockRequest.newBuilder().setBy(encoded(by)).build();
    com.google.protobuf.Duration ahead = call(TestControlServiceGrpc.getAdvanceClockMethod(), request).getAhead();
    return Duration.ofSeconds(ahead.getSeconds(), ahead.getNanos());
  }

  /**
   * Refuses calls, streams at their beginning.
   *
   * @param method which calls
   * @param reason with which reason; its status code is that of the contract
   * @param times how many calls; 0: all until {@link #clear}
   */
  public void refuse(String method, ErrorReason reason, int times) {
    inject(
        InjectFaultRequest.newBuilder()
            .setMethod(method)
            .setTimes(times)
            .setRefusal(InjectFaultRequest.Refusal.newBuilder().setReason(reason)));
  }

  /**
   * Lets calls be late, streams at their beginning.
   *
   * @param method which calls
   * @param by more than 0, at most an hour
   * @param times how many calls; 0: all until {@link #clear}
   */
  public void delay(String method, Duration by, int times) {
    inject(delay(method, times, InjectFaultRequest.Delay.newBuilder().setBy(encoded(by))));
  }

  /**
   * Lets frames be late that the server sends on streams, also on those that are open. They stay in order.
   *
   * @param method which streams
   * @param by more than 0, at most an hour
   * @param times how many frames; 0: all until {@link #clear}
   */
  public void delayFrames(String method, Duration by, int times) {
    inject(delay(method, times, InjectFaultRequest.Delay.newBuilder().setBy(encoded(by)).setEachFrame(true)));
  }

  private static InjectFaultRequest.Builder delay(String method, int times, InjectFaultRequest.Delay.Builder delay) {
    return InjectFaultRequest.newBuilder().setMethod(method).setTimes(times).setDelay(delay);
  }

  private void inject(InjectFaultRequest.Builder fault) {
    call(TestControlServiceGrpc.getInjectFaultMethod(), fault.build());
  }

  /**
   * Breaks open streams as a broken connection does.
   *
   * @param method which streams
   * @return how many were broken
   */
  public int dropStreams(String method) {
    DropStreamsRequest request = DropStreamsRequest.newBuilder().setMethod(method).build();
    return call(TestControlServiceGrpc.getDropStreamsMethod(), request).getStreams();
  }

  /** Takes back every fault; the clock stays where it is. */
  public void clear() {
    call(TestControlServiceGrpc.getClearFaultsMethod(), ClearFaultsRequest.getDefaultInstance());
  }

  private static com.google.protobuf.Duration encoded(Duration d) {
    return com.google.protobuf.Duration.newBuilder().setSeconds(d.getSeconds()).setNanos(d.getNano()).build();
  }

  /** Disconnects; the faults stay. Closing the server does it, too. */
  @Override
  public void close() {
    channel.shutdownNow();
  }
}
