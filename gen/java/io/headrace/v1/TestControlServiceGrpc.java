package io.headrace.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * TestControlService is for tests of programs that use Headrace: it moves the
 * server's clock and lets calls fail. A server has it only when it was started for
 * tests, and then it answers on the loopback interface alone.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class TestControlServiceGrpc {

  private TestControlServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "headrace.v1.TestControlService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.AdvanceClockRequest,
      io.headrace.v1.AdvanceClockResponse> getAdvanceClockMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AdvanceClock",
      requestType = io.headrace.v1.AdvanceClockRequest.class,
      responseType = io.headrace.v1.AdvanceClockResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.AdvanceClockRequest,
      io.headrace.v1.AdvanceClockResponse> getAdvanceClockMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.AdvanceClockRequest, io.headrace.v1.AdvanceClockResponse> getAdvanceClockMethod;
    if ((getAdvanceClockMethod = TestControlServiceGrpc.getAdvanceClockMethod) == null) {
      synchronized (TestControlServiceGrpc.class) {
        if ((getAdvanceClockMethod = TestControlServiceGrpc.getAdvanceClockMethod) == null) {
          TestControlServiceGrpc.getAdvanceClockMethod = getAdvanceClockMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.AdvanceClockRequest, io.headrace.v1.AdvanceClockResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AdvanceClock"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.AdvanceClockRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.AdvanceClockResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TestControlServiceMethodDescriptorSupplier("AdvanceClock"))
              .build();
        }
      }
    }
    return getAdvanceClockMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.InjectFaultRequest,
      io.headrace.v1.InjectFaultResponse> getInjectFaultMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "InjectFault",
      requestType = io.headrace.v1.InjectFaultRequest.class,
      responseType = io.headrace.v1.InjectFaultResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.InjectFaultRequest,
      io.headrace.v1.InjectFaultResponse> getInjectFaultMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.InjectFaultRequest, io.headrace.v1.InjectFaultResponse> getInjectFaultMethod;
    if ((getInjectFaultMethod = TestControlServiceGrpc.getInjectFaultMethod) == null) {
      synchronized (TestControlServiceGrpc.class) {
        if ((getInjectFaultMethod = TestControlServiceGrpc.getInjectFaultMethod) == null) {
          TestControlServiceGrpc.getInjectFaultMethod = getInjectFaultMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.InjectFaultRequest, io.headrace.v1.InjectFaultResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "InjectFault"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.InjectFaultRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.InjectFaultResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TestControlServiceMethodDescriptorSupplier("InjectFault"))
              .build();
        }
      }
    }
    return getInjectFaultMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ClearFaultsRequest,
      io.headrace.v1.ClearFaultsResponse> getClearFaultsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ClearFaults",
      requestType = io.headrace.v1.ClearFaultsRequest.class,
      responseType = io.headrace.v1.ClearFaultsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ClearFaultsRequest,
      io.headrace.v1.ClearFaultsResponse> getClearFaultsMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ClearFaultsRequest, io.headrace.v1.ClearFaultsResponse> getClearFaultsMethod;
    if ((getClearFaultsMethod = TestControlServiceGrpc.getClearFaultsMethod) == null) {
      synchronized (TestControlServiceGrpc.class) {
        if ((getClearFaultsMethod = TestControlServiceGrpc.getClearFaultsMethod) == null) {
          TestControlServiceGrpc.getClearFaultsMethod = getClearFaultsMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ClearFaultsRequest, io.headrace.v1.ClearFaultsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ClearFaults"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ClearFaultsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ClearFaultsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TestControlServiceMethodDescriptorSupplier("ClearFaults"))
              .build();
        }
      }
    }
    return getClearFaultsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.DropStreamsRequest,
      io.headrace.v1.DropStreamsResponse> getDropStreamsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DropStreams",
      requestType = io.headrace.v1.DropStreamsRequest.class,
      responseType = io.headrace.v1.DropStreamsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.DropStreamsRequest,
      io.headrace.v1.DropStreamsResponse> getDropStreamsMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.DropStreamsRequest, io.headrace.v1.DropStreamsResponse> getDropStreamsMethod;
    if ((getDropStreamsMethod = TestControlServiceGrpc.getDropStreamsMethod) == null) {
      synchronized (TestControlServiceGrpc.class) {
        if ((getDropStreamsMethod = TestControlServiceGrpc.getDropStreamsMethod) == null) {
          TestControlServiceGrpc.getDropStreamsMethod = getDropStreamsMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.DropStreamsRequest, io.headrace.v1.DropStreamsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DropStreams"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.DropStreamsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.DropStreamsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TestControlServiceMethodDescriptorSupplier("DropStreams"))
              .build();
        }
      }
    }
    return getDropStreamsMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static TestControlServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TestControlServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TestControlServiceStub>() {
        @java.lang.Override
        public TestControlServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TestControlServiceStub(channel, callOptions);
        }
      };
    return TestControlServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static TestControlServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TestControlServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TestControlServiceBlockingV2Stub>() {
        @java.lang.Override
        public TestControlServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TestControlServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return TestControlServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static TestControlServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TestControlServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TestControlServiceBlockingStub>() {
        @java.lang.Override
        public TestControlServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TestControlServiceBlockingStub(channel, callOptions);
        }
      };
    return TestControlServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static TestControlServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TestControlServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TestControlServiceFutureStub>() {
        @java.lang.Override
        public TestControlServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TestControlServiceFutureStub(channel, callOptions);
        }
      };
    return TestControlServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * TestControlService is for tests of programs that use Headrace: it moves the
   * server's clock and lets calls fail. A server has it only when it was started for
   * tests, and then it answers on the loopback interface alone.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * AdvanceClock moves the server's clock forward, the one that leases, retries
     * and resume windows run by, and the one of log times and ages. Clients that are
     * connected count as heard all the while, so that they stay connected. When it
     * returns every subscription has seen the new time; what is looked at now and
     * then, like retention, follows within a second or so. Reasons: INVALID_FIELD,
     * DRAINING.
     * </pre>
     */
    default void advanceClock(io.headrace.v1.AdvanceClockRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.AdvanceClockResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAdvanceClockMethod(), responseObserver);
    }

    /**
     * <pre>
     * InjectFault lets calls of clients be late or fail from now on. Calls to this
     * service and health checks are spared. Faults are met in the order in which
     * they were injected; each that fits delays a call, and the first refusal ends
     * it. Reasons: INVALID_FIELD.
     * </pre>
     */
    default void injectFault(io.headrace.v1.InjectFaultRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.InjectFaultResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getInjectFaultMethod(), responseObserver);
    }

    /**
     * <pre>
     * ClearFaults takes back every fault.
     * </pre>
     */
    default void clearFaults(io.headrace.v1.ClearFaultsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ClearFaultsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getClearFaultsMethod(), responseObserver);
    }

    /**
     * <pre>
     * DropStreams breaks open streams as a broken connection does: without a
     * GoAway. Clients get UNAVAILABLE without a reason. It returns when their
     * handlers have ended.
     * </pre>
     */
    default void dropStreams(io.headrace.v1.DropStreamsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.DropStreamsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDropStreamsMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service TestControlService.
   * <pre>
   * TestControlService is for tests of programs that use Headrace: it moves the
   * server's clock and lets calls fail. A server has it only when it was started for
   * tests, and then it answers on the loopback interface alone.
   * </pre>
   */
  public static abstract class TestControlServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return TestControlServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service TestControlService.
   * <pre>
   * TestControlService is for tests of programs that use Headrace: it moves the
   * server's clock and lets calls fail. A server has it only when it was started for
   * tests, and then it answers on the loopback interface alone.
   * </pre>
   */
  public static final class TestControlServiceStub
      extends io.grpc.stub.AbstractAsyncStub<TestControlServiceStub> {
    private TestControlServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TestControlServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TestControlServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * AdvanceClock moves the server's clock forward, the one that leases, retries
     * and resume windows run by, and the one of log times and ages. Clients that are
     * connected count as heard all the while, so that they stay connected. When it
     * returns every subscription has seen the new time; what is looked at now and
     * then, like retention, follows within a second or so. Reasons: INVALID_FIELD,
     * DRAINING.
     * </pre>
     */
    public void advanceClock(io.headrace.v1.AdvanceClockRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.AdvanceClockResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAdvanceClockMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * InjectFault lets calls of clients be late or fail from now on. Calls to this
     * service and health checks are spared. Faults are met in the order in which
     * they were injected; each that fits delays a call, and the first refusal ends
     * it. Reasons: INVALID_FIELD.
     * </pre>
     */
    public void injectFault(io.headrace.v1.InjectFaultRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.InjectFaultResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getInjectFaultMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ClearFaults takes back every fault.
     * </pre>
     */
    public void clearFaults(io.headrace.v1.ClearFaultsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ClearFaultsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getClearFaultsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * DropStreams breaks open streams as a broken connection does: without a
     * GoAway. Clients get UNAVAILABLE without a reason. It returns when their
     * handlers have ended.
     * </pre>
     */
    public void dropStreams(io.headrace.v1.DropStreamsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.DropStreamsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDropStreamsMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service TestControlService.
   * <pre>
   * TestControlService is for tests of programs that use Headrace: it moves the
   * server's clock and lets calls fail. A server has it only when it was started for
   * tests, and then it answers on the loopback interface alone.
   * </pre>
   */
  public static final class TestControlServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<TestControlServiceBlockingV2Stub> {
    private TestControlServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TestControlServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TestControlServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * AdvanceClock moves the server's clock forward, the one that leases, retries
     * and resume windows run by, and the one of log times and ages. Clients that are
     * connected count as heard all the while, so that they stay connected. When it
     * returns every subscription has seen the new time; what is looked at now and
     * then, like retention, follows within a second or so. Reasons: INVALID_FIELD,
     * DRAINING.
     * </pre>
     */
    public io.headrace.v1.AdvanceClockResponse advanceClock(io.headrace.v1.AdvanceClockRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAdvanceClockMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * InjectFault lets calls of clients be late or fail from now on. Calls to this
     * service and health checks are spared. Faults are met in the order in which
     * they were injected; each that fits delays a call, and the first refusal ends
     * it. Reasons: INVALID_FIELD.
     * </pre>
     */
    public io.headrace.v1.InjectFaultResponse injectFault(io.headrace.v1.InjectFaultRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getInjectFaultMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ClearFaults takes back every fault.
     * </pre>
     */
    public io.headrace.v1.ClearFaultsResponse clearFaults(io.headrace.v1.ClearFaultsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getClearFaultsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DropStreams breaks open streams as a broken connection does: without a
     * GoAway. Clients get UNAVAILABLE without a reason. It returns when their
     * handlers have ended.
     * </pre>
     */
    public io.headrace.v1.DropStreamsResponse dropStreams(io.headrace.v1.DropStreamsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDropStreamsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service TestControlService.
   * <pre>
   * TestControlService is for tests of programs that use Headrace: it moves the
   * server's clock and lets calls fail. A server has it only when it was started for
   * tests, and then it answers on the loopback interface alone.
   * </pre>
   */
  public static final class TestControlServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<TestControlServiceBlockingStub> {
    private TestControlServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TestControlServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TestControlServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * AdvanceClock moves the server's clock forward, the one that leases, retries
     * and resume windows run by, and the one of log times and ages. Clients that are
     * connected count as heard all the while, so that they stay connected. When it
     * returns every subscription has seen the new time; what is looked at now and
     * then, like retention, follows within a second or so. Reasons: INVALID_FIELD,
     * DRAINING.
     * </pre>
     */
    public io.headrace.v1.AdvanceClockResponse advanceClock(io.headrace.v1.AdvanceClockRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAdvanceClockMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * InjectFault lets calls of clients be late or fail from now on. Calls to this
     * service and health checks are spared. Faults are met in the order in which
     * they were injected; each that fits delays a call, and the first refusal ends
     * it. Reasons: INVALID_FIELD.
     * </pre>
     */
    public io.headrace.v1.InjectFaultResponse injectFault(io.headrace.v1.InjectFaultRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getInjectFaultMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ClearFaults takes back every fault.
     * </pre>
     */
    public io.headrace.v1.ClearFaultsResponse clearFaults(io.headrace.v1.ClearFaultsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getClearFaultsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DropStreams breaks open streams as a broken connection does: without a
     * GoAway. Clients get UNAVAILABLE without a reason. It returns when their
     * handlers have ended.
     * </pre>
     */
    public io.headrace.v1.DropStreamsResponse dropStreams(io.headrace.v1.DropStreamsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDropStreamsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service TestControlService.
   * <pre>
   * TestControlService is for tests of programs that use Headrace: it moves the
   * server's clock and lets calls fail. A server has it only when it was started for
   * tests, and then it answers on the loopback interface alone.
   * </pre>
   */
  public static final class TestControlServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<TestControlServiceFutureStub> {
    private TestControlServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TestControlServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TestControlServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * AdvanceClock moves the server's clock forward, the one that leases, retries
     * and resume windows run by, and the one of log times and ages. Clients that are
     * connected count as heard all the while, so that they stay connected. When it
     * returns every subscription has seen the new time; what is looked at now and
     * then, like retention, follows within a second or so. Reasons: INVALID_FIELD,
     * DRAINING.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.AdvanceClockResponse> advanceClock(
        io.headrace.v1.AdvanceClockRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAdvanceClockMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * InjectFault lets calls of clients be late or fail from now on. Calls to this
     * service and health checks are spared. Faults are met in the order in which
     * they were injected; each that fits delays a call, and the first refusal ends
     * it. Reasons: INVALID_FIELD.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.InjectFaultResponse> injectFault(
        io.headrace.v1.InjectFaultRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getInjectFaultMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ClearFaults takes back every fault.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ClearFaultsResponse> clearFaults(
        io.headrace.v1.ClearFaultsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getClearFaultsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * DropStreams breaks open streams as a broken connection does: without a
     * GoAway. Clients get UNAVAILABLE without a reason. It returns when their
     * handlers have ended.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.DropStreamsResponse> dropStreams(
        io.headrace.v1.DropStreamsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDropStreamsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_ADVANCE_CLOCK = 0;
  private static final int METHODID_INJECT_FAULT = 1;
  private static final int METHODID_CLEAR_FAULTS = 2;
  private static final int METHODID_DROP_STREAMS = 3;

  private static final class MethodHandlers<Req, Resp> implements
      io.grpc.stub.ServerCalls.UnaryMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ServerStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ClientStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.BidiStreamingMethod<Req, Resp> {
    private final AsyncService serviceImpl;
    private final int methodId;

    MethodHandlers(AsyncService serviceImpl, int methodId) {
      this.serviceImpl = serviceImpl;
      this.methodId = methodId;
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public void invoke(Req request, io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_ADVANCE_CLOCK:
          serviceImpl.advanceClock((io.headrace.v1.AdvanceClockRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.AdvanceClockResponse>) responseObserver);
          break;
        case METHODID_INJECT_FAULT:
          serviceImpl.injectFault((io.headrace.v1.InjectFaultRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.InjectFaultResponse>) responseObserver);
          break;
        case METHODID_CLEAR_FAULTS:
          serviceImpl.clearFaults((io.headrace.v1.ClearFaultsRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ClearFaultsResponse>) responseObserver);
          break;
        case METHODID_DROP_STREAMS:
          serviceImpl.dropStreams((io.headrace.v1.DropStreamsRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.DropStreamsResponse>) responseObserver);
          break;
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getAdvanceClockMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.AdvanceClockRequest,
              io.headrace.v1.AdvanceClockResponse>(
                service, METHODID_ADVANCE_CLOCK)))
        .addMethod(
          getInjectFaultMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.InjectFaultRequest,
              io.headrace.v1.InjectFaultResponse>(
                service, METHODID_INJECT_FAULT)))
        .addMethod(
          getClearFaultsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ClearFaultsRequest,
              io.headrace.v1.ClearFaultsResponse>(
                service, METHODID_CLEAR_FAULTS)))
        .addMethod(
          getDropStreamsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.DropStreamsRequest,
              io.headrace.v1.DropStreamsResponse>(
                service, METHODID_DROP_STREAMS)))
        .build();
  }

  private static abstract class TestControlServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    TestControlServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.headrace.v1.TestControlServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("TestControlService");
    }
  }

  private static final class TestControlServiceFileDescriptorSupplier
      extends TestControlServiceBaseDescriptorSupplier {
    TestControlServiceFileDescriptorSupplier() {}
  }

  private static final class TestControlServiceMethodDescriptorSupplier
      extends TestControlServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    TestControlServiceMethodDescriptorSupplier(java.lang.String methodName) {
      this.methodName = methodName;
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.MethodDescriptor getMethodDescriptor() {
      return getServiceDescriptor().findMethodByName(methodName);
    }
  }

  private static volatile io.grpc.ServiceDescriptor serviceDescriptor;

  public static io.grpc.ServiceDescriptor getServiceDescriptor() {
    io.grpc.ServiceDescriptor result = serviceDescriptor;
    if (result == null) {
      synchronized (TestControlServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new TestControlServiceFileDescriptorSupplier())
              .addMethod(getAdvanceClockMethod())
              .addMethod(getInjectFaultMethod())
              .addMethod(getClearFaultsMethod())
              .addMethod(getDropStreamsMethod())
              .build();
        }
      }
    }
    return result;
  }
}
