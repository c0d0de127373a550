package io.headrace.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * SubscriberService hands out messages of subscriptions: pushed over a stream, or pulled.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class SubscriberServiceGrpc {

  private SubscriberServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "headrace.v1.SubscriberService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.SubscribeRequest,
      io.headrace.v1.SubscribeResponse> getSubscribeMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Subscribe",
      requestType = io.headrace.v1.SubscribeRequest.class,
      responseType = io.headrace.v1.SubscribeResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<io.headrace.v1.SubscribeRequest,
      io.headrace.v1.SubscribeResponse> getSubscribeMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.SubscribeRequest, io.headrace.v1.SubscribeResponse> getSubscribeMethod;
    if ((getSubscribeMethod = SubscriberServiceGrpc.getSubscribeMethod) == null) {
      synchronized (SubscriberServiceGrpc.class) {
        if ((getSubscribeMethod = SubscriberServiceGrpc.getSubscribeMethod) == null) {
          SubscriberServiceGrpc.getSubscribeMethod = getSubscribeMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.SubscribeRequest, io.headrace.v1.SubscribeResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Subscribe"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.SubscribeRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.SubscribeResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriberServiceMethodDescriptorSupplier("Subscribe"))
              .build();
        }
      }
    }
    return getSubscribeMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.PullRequest,
      io.headrace.v1.PullResponse> getPullMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Pull",
      requestType = io.headrace.v1.PullRequest.class,
      responseType = io.headrace.v1.PullResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.PullRequest,
      io.headrace.v1.PullResponse> getPullMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.PullRequest, io.headrace.v1.PullResponse> getPullMethod;
    if ((getPullMethod = SubscriberServiceGrpc.getPullMethod) == null) {
      synchronized (SubscriberServiceGrpc.class) {
        if ((getPullMethod = SubscriberServiceGrpc.getPullMethod) == null) {
          SubscriberServiceGrpc.getPullMethod = getPullMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.PullRequest, io.headrace.v1.PullResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Pull"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.PullRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.PullResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriberServiceMethodDescriptorSupplier("Pull"))
              .build();
        }
      }
    }
    return getPullMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.SettleRequest,
      io.headrace.v1.SettleResponse> getSettleMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Settle",
      requestType = io.headrace.v1.SettleRequest.class,
      responseType = io.headrace.v1.SettleResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.SettleRequest,
      io.headrace.v1.SettleResponse> getSettleMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.SettleRequest, io.headrace.v1.SettleResponse> getSettleMethod;
    if ((getSettleMethod = SubscriberServiceGrpc.getSettleMethod) == null) {
      synchronized (SubscriberServiceGrpc.class) {
        if ((getSettleMethod = SubscriberServiceGrpc.getSettleMethod) == null) {
          SubscriberServiceGrpc.getSettleMethod = getSettleMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.SettleRequest, io.headrace.v1.SettleResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Settle"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.SettleRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.SettleResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriberServiceMethodDescriptorSupplier("Settle"))
              .build();
        }
      }
    }
    return getSettleMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ExtendRequest,
      io.headrace.v1.ExtendResponse> getExtendMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Extend",
      requestType = io.headrace.v1.ExtendRequest.class,
      responseType = io.headrace.v1.ExtendResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ExtendRequest,
      io.headrace.v1.ExtendResponse> getExtendMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ExtendRequest, io.headrace.v1.ExtendResponse> getExtendMethod;
    if ((getExtendMethod = SubscriberServiceGrpc.getExtendMethod) == null) {
      synchronized (SubscriberServiceGrpc.class) {
        if ((getExtendMethod = SubscriberServiceGrpc.getExtendMethod) == null) {
          SubscriberServiceGrpc.getExtendMethod = getExtendMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ExtendRequest, io.headrace.v1.ExtendResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Extend"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ExtendRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ExtendResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriberServiceMethodDescriptorSupplier("Extend"))
              .build();
        }
      }
    }
    return getExtendMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static SubscriberServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriberServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriberServiceStub>() {
        @java.lang.Override
        public SubscriberServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriberServiceStub(channel, callOptions);
        }
      };
    return SubscriberServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static SubscriberServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriberServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriberServiceBlockingV2Stub>() {
        @java.lang.Override
        public SubscriberServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriberServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return SubscriberServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static SubscriberServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriberServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriberServiceBlockingStub>() {
        @java.lang.Override
        public SubscriberServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriberServiceBlockingStub(channel, callOptions);
        }
      };
    return SubscriberServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static SubscriberServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriberServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriberServiceFutureStub>() {
        @java.lang.Override
        public SubscriberServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriberServiceFutureStub(channel, callOptions);
        }
      };
    return SubscriberServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * SubscriberService hands out messages of subscriptions: pushed over a stream, or pulled.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Subscribe opens a session on a subscription: the client grants credit, the
     * server pushes deliveries within it, the client settles them.
     * The first frame is Open; the first answer is Opened. Deliveries carry a
     * dense sequence of the session, from 1. Settles and extends carry dense
     * numbers, from 1, and are confirmed when they are durable. Half-closing ends
     * the session cleanly: what is unsettled is released without being charged,
     * and the stream ends with OK. A stream that breaks, or is silent for three
     * heartbeats, charges each unsettled delivery that was started as expired; if the
     * client announced FEATURE_RESUME, not before the session was not taken up again in
     * time.
     * Reasons that end the stream: FRAME_ORDER, MALFORMED_FRAME, INVALID_NAME,
     * INVALID_FIELD, NOT_SERVED, TOO_MANY_RANGES, SETTLE_NUMBER_GAP,
     * SUBSCRIPTION_NOT_FOUND, SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS,
     * TAKEN_OVER, SESSION_SUPERSEDED, SLOW_READER, RESULTS_UNREAD, SESSION_SILENT,
     * LIMIT_REACHED, DRAINING, STORE_UNAVAILABLE, FENCED, DATA_LOSS. A wrong sequence
     * never ends it.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<io.headrace.v1.SubscribeRequest> subscribe(
        io.grpc.stub.StreamObserver<io.headrace.v1.SubscribeResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getSubscribeMethod(), responseObserver);
    }

    /**
     * <pre>
     * Pull takes what is at hand, or waits for something, without a stream. Each message
     * comes with a delivery token, by which Settle and Extend name it. What was pulled is
     * the caller's until it is settled or its lease ends, which charges an attempt; a
     * restart of the server gives it back uncharged, but for a subscription that delivers
     * exactly once, where it stays the caller's, and its token goes on. One that delivers
     * at most once has settled what is pulled. A call that is cancelled before its answer
     * gives back what it took, uncharged.
     * Every pull is a session of its own while it waits and while something of it is
     * unsettled, and counts as one for ceilings. On an exclusive subscription pulls of
     * one non-empty client_id stand side by side; others, and streams, are refused as
     * long as something is held; a stream with the same client_id or a takeover ends
     * them. On a failover subscription a pull waits its turn. A pull gets one message of
     * an ordering key at a time.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS, TAKEN_OVER, LIMIT_REACHED, DRAINING,
     * STORE_UNAVAILABLE, FENCED, DATA_LOSS.
     * </pre>
     */
    default void pull(io.headrace.v1.PullRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.PullResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getPullMethod(), responseObserver);
    }

    /**
     * <pre>
     * Settle ends pulled deliveries with one verdict. What it did is durable when it
     * answers; a token that reaches nothing fails by itself.
     * Idempotent but for the failures: what is settled already is STALE_DELIVERY.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SUBSCRIPTION_DELETED, DRAINING, UNKNOWN_OUTCOME, STORE_UNAVAILABLE, FENCED,
     * DATA_LOSS.
     * </pre>
     */
    default void settle(io.headrace.v1.SettleRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.SettleResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSettleMethod(), responseObserver);
    }

    /**
     * <pre>
     * Extend moves the end of the leases of pulled deliveries. Reasons: those of Settle.
     * </pre>
     */
    default void extend(io.headrace.v1.ExtendRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ExtendResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getExtendMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service SubscriberService.
   * <pre>
   * SubscriberService hands out messages of subscriptions: pushed over a stream, or pulled.
   * </pre>
   */
  public static abstract class SubscriberServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return SubscriberServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service SubscriberService.
   * <pre>
   * SubscriberService hands out messages of subscriptions: pushed over a stream, or pulled.
   * </pre>
   */
  public static final class SubscriberServiceStub
      extends io.grpc.stub.AbstractAsyncStub<SubscriberServiceStub> {
    private SubscriberServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriberServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriberServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Subscribe opens a session on a subscription: the client grants credit, the
     * server pushes deliveries within it, the client settles them.
     * The first frame is Open; the first answer is Opened. Deliveries carry a
     * dense sequence of the session, from 1. Settles and extends carry dense
     * numbers, from 1, and are confirmed when they are durable. Half-closing ends
     * the session cleanly: what is unsettled is released without being charged,
     * and the stream ends with OK. A stream that breaks, or is silent for three
     * heartbeats, charges each unsettled delivery that was started as expired; if the
     * client announced FEATURE_RESUME, not before the session was not taken up again in
     * time.
     * Reasons that end the stream: FRAME_ORDER, MALFORMED_FRAME, INVALID_NAME,
     * INVALID_FIELD, NOT_SERVED, TOO_MANY_RANGES, SETTLE_NUMBER_GAP,
     * SUBSCRIPTION_NOT_FOUND, SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS,
     * TAKEN_OVER, SESSION_SUPERSEDED, SLOW_READER, RESULTS_UNREAD, SESSION_SILENT,
     * LIMIT_REACHED, DRAINING, STORE_UNAVAILABLE, FENCED, DATA_LOSS. A wrong sequence
     * never ends it.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<io.headrace.v1.SubscribeRequest> subscribe(
        io.grpc.stub.StreamObserver<io.headrace.v1.SubscribeResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getSubscribeMethod(), getCallOptions()), responseObserver);
    }

    /**
     * <pre>
     * Pull takes what is at hand, or waits for something, without a stream. Each message
     * comes with a delivery token, by which Settle and Extend name it. What was pulled is
     * the caller's until it is settled or its lease ends, which charges an attempt; a
     * restart of the server gives it back uncharged, but for a subscription that delivers
     * exactly once, where it stays the caller's, and its token goes on. One that delivers
     * at most once has settled what is pulled. A call that is cancelled before its answer
     * gives back what it took, uncharged.
     * Every pull is a session of its own while it waits and while something of it is
     * unsettled, and counts as one for ceilings. On an exclusive subscription pulls of
     * one non-empty client_id stand side by side; others, and streams, are refused as
     * long as something is held; a stream with the same client_id or a takeover ends
     * them. On a failover subscription a pull waits its turn. A pull gets one message of
     * an ordering key at a time.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS, TAKEN_OVER, LIMIT_REACHED, DRAINING,
     * STORE_UNAVAILABLE, FENCED, DATA_LOSS.
     * </pre>
     */
    public void pull(io.headrace.v1.PullRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.PullResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getPullMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Settle ends pulled deliveries with one verdict. What it did is durable when it
     * answers; a token that reaches nothing fails by itself.
     * Idempotent but for the failures: what is settled already is STALE_DELIVERY.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SUBSCRIPTION_DELETED, DRAINING, UNKNOWN_OUTCOME, STORE_UNAVAILABLE, FENCED,
     * DATA_LOSS.
     * </pre>
     */
    public void settle(io.headrace.v1.SettleRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.SettleResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSettleMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Extend moves the end of the leases of pulled deliveries. Reasons: those of Settle.
     * </pre>
     */
    public void extend(io.headrace.v1.ExtendRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ExtendResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getExtendMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service SubscriberService.
   * <pre>
   * SubscriberService hands out messages of subscriptions: pushed over a stream, or pulled.
   * </pre>
   */
  public static final class SubscriberServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<SubscriberServiceBlockingV2Stub> {
    private SubscriberServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriberServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriberServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Subscribe opens a session on a subscription: the client grants credit, the
     * server pushes deliveries within it, the client settles them.
     * The first frame is Open; the first answer is Opened. Deliveries carry a
     * dense sequence of the session, from 1. Settles and extends carry dense
     * numbers, from 1, and are confirmed when they are durable. Half-closing ends
     * the session cleanly: what is unsettled is released without being charged,
     * and the stream ends with OK. A stream that breaks, or is silent for three
     * heartbeats, charges each unsettled delivery that was started as expired; if the
     * client announced FEATURE_RESUME, not before the session was not taken up again in
     * time.
     * Reasons that end the stream: FRAME_ORDER, MALFORMED_FRAME, INVALID_NAME,
     * INVALID_FIELD, NOT_SERVED, TOO_MANY_RANGES, SETTLE_NUMBER_GAP,
     * SUBSCRIPTION_NOT_FOUND, SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS,
     * TAKEN_OVER, SESSION_SUPERSEDED, SLOW_READER, RESULTS_UNREAD, SESSION_SILENT,
     * LIMIT_REACHED, DRAINING, STORE_UNAVAILABLE, FENCED, DATA_LOSS. A wrong sequence
     * never ends it.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<io.headrace.v1.SubscribeRequest, io.headrace.v1.SubscribeResponse>
        subscribe() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getSubscribeMethod(), getCallOptions());
    }

    /**
     * <pre>
     * Pull takes what is at hand, or waits for something, without a stream. Each message
     * comes with a delivery token, by which Settle and Extend name it. What was pulled is
     * the caller's until it is settled or its lease ends, which charges an attempt; a
     * restart of the server gives it back uncharged, but for a subscription that delivers
     * exactly once, where it stays the caller's, and its token goes on. One that delivers
     * at most once has settled what is pulled. A call that is cancelled before its answer
     * gives back what it took, uncharged.
     * Every pull is a session of its own while it waits and while something of it is
     * unsettled, and counts as one for ceilings. On an exclusive subscription pulls of
     * one non-empty client_id stand side by side; others, and streams, are refused as
     * long as something is held; a stream with the same client_id or a takeover ends
     * them. On a failover subscription a pull waits its turn. A pull gets one message of
     * an ordering key at a time.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS, TAKEN_OVER, LIMIT_REACHED, DRAINING,
     * STORE_UNAVAILABLE, FENCED, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.PullResponse pull(io.headrace.v1.PullRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getPullMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Settle ends pulled deliveries with one verdict. What it did is durable when it
     * answers; a token that reaches nothing fails by itself.
     * Idempotent but for the failures: what is settled already is STALE_DELIVERY.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SUBSCRIPTION_DELETED, DRAINING, UNKNOWN_OUTCOME, STORE_UNAVAILABLE, FENCED,
     * DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.SettleResponse settle(io.headrace.v1.SettleRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSettleMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Extend moves the end of the leases of pulled deliveries. Reasons: those of Settle.
     * </pre>
     */
    public io.headrace.v1.ExtendResponse extend(io.headrace.v1.ExtendRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getExtendMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service SubscriberService.
   * <pre>
   * SubscriberService hands out messages of subscriptions: pushed over a stream, or pulled.
   * </pre>
   */
  public static final class SubscriberServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<SubscriberServiceBlockingStub> {
    private SubscriberServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriberServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriberServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Pull takes what is at hand, or waits for something, without a stream. Each message
     * comes with a delivery token, by which Settle and Extend name it. What was pulled is
     * the caller's until it is settled or its lease ends, which charges an attempt; a
     * restart of the server gives it back uncharged, but for a subscription that delivers
     * exactly once, where it stays the caller's, and its token goes on. One that delivers
     * at most once has settled what is pulled. A call that is cancelled before its answer
     * gives back what it took, uncharged.
     * Every pull is a session of its own while it waits and while something of it is
     * unsettled, and counts as one for ceilings. On an exclusive subscription pulls of
     * one non-empty client_id stand side by side; others, and streams, are refused as
     * long as something is held; a stream with the same client_id or a takeover ends
     * them. On a failover subscription a pull waits its turn. A pull gets one message of
     * an ordering key at a time.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS, TAKEN_OVER, LIMIT_REACHED, DRAINING,
     * STORE_UNAVAILABLE, FENCED, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.PullResponse pull(io.headrace.v1.PullRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getPullMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Settle ends pulled deliveries with one verdict. What it did is durable when it
     * answers; a token that reaches nothing fails by itself.
     * Idempotent but for the failures: what is settled already is STALE_DELIVERY.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SUBSCRIPTION_DELETED, DRAINING, UNKNOWN_OUTCOME, STORE_UNAVAILABLE, FENCED,
     * DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.SettleResponse settle(io.headrace.v1.SettleRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSettleMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Extend moves the end of the leases of pulled deliveries. Reasons: those of Settle.
     * </pre>
     */
    public io.headrace.v1.ExtendResponse extend(io.headrace.v1.ExtendRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getExtendMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service SubscriberService.
   * <pre>
   * SubscriberService hands out messages of subscriptions: pushed over a stream, or pulled.
   * </pre>
   */
  public static final class SubscriberServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<SubscriberServiceFutureStub> {
    private SubscriberServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriberServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriberServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Pull takes what is at hand, or waits for something, without a stream. Each message
     * comes with a delivery token, by which Settle and Extend name it. What was pulled is
     * the caller's until it is settled or its lease ends, which charges an attempt; a
     * restart of the server gives it back uncharged, but for a subscription that delivers
     * exactly once, where it stays the caller's, and its token goes on. One that delivers
     * at most once has settled what is pulled. A call that is cancelled before its answer
     * gives back what it took, uncharged.
     * Every pull is a session of its own while it waits and while something of it is
     * unsettled, and counts as one for ceilings. On an exclusive subscription pulls of
     * one non-empty client_id stand side by side; others, and streams, are refused as
     * long as something is held; a stream with the same client_id or a takeover ends
     * them. On a failover subscription a pull waits its turn. A pull gets one message of
     * an ordering key at a time.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS, TAKEN_OVER, LIMIT_REACHED, DRAINING,
     * STORE_UNAVAILABLE, FENCED, DATA_LOSS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.PullResponse> pull(
        io.headrace.v1.PullRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getPullMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Settle ends pulled deliveries with one verdict. What it did is durable when it
     * answers; a token that reaches nothing fails by itself.
     * Idempotent but for the failures: what is settled already is STALE_DELIVERY.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SUBSCRIPTION_DELETED, DRAINING, UNKNOWN_OUTCOME, STORE_UNAVAILABLE, FENCED,
     * DATA_LOSS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.SettleResponse> settle(
        io.headrace.v1.SettleRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSettleMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Extend moves the end of the leases of pulled deliveries. Reasons: those of Settle.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ExtendResponse> extend(
        io.headrace.v1.ExtendRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getExtendMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_PULL = 0;
  private static final int METHODID_SETTLE = 1;
  private static final int METHODID_EXTEND = 2;
  private static final int METHODID_SUBSCRIBE = 3;

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
        case METHODID_PULL:
          serviceImpl.pull((io.headrace.v1.PullRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.PullResponse>) responseObserver);
          break;
        case METHODID_SETTLE:
          serviceImpl.settle((io.headrace.v1.SettleRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.SettleResponse>) responseObserver);
          break;
        case METHODID_EXTEND:
          serviceImpl.extend((io.headrace.v1.ExtendRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ExtendResponse>) responseObserver);
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
        case METHODID_SUBSCRIBE:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.subscribe(
              (io.grpc.stub.StreamObserver<io.headrace.v1.SubscribeResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getSubscribeMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              io.headrace.v1.SubscribeRequest,
              io.headrace.v1.SubscribeResponse>(
                service, METHODID_SUBSCRIBE)))
        .addMethod(
          getPullMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.PullRequest,
              io.headrace.v1.PullResponse>(
                service, METHODID_PULL)))
        .addMethod(
          getSettleMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.SettleRequest,
              io.headrace.v1.SettleResponse>(
                service, METHODID_SETTLE)))
        .addMethod(
          getExtendMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ExtendRequest,
              io.headrace.v1.ExtendResponse>(
                service, METHODID_EXTEND)))
        .build();
  }

  private static abstract class SubscriberServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    SubscriberServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.headrace.v1.SubscriberServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("SubscriberService");
    }
  }

  private static final class SubscriberServiceFileDescriptorSupplier
      extends SubscriberServiceBaseDescriptorSupplier {
    SubscriberServiceFileDescriptorSupplier() {}
  }

  private static final class SubscriberServiceMethodDescriptorSupplier
      extends SubscriberServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    SubscriberServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (SubscriberServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new SubscriberServiceFileDescriptorSupplier())
              .addMethod(getSubscribeMethod())
              .addMethod(getPullMethod())
              .addMethod(getSettleMethod())
              .addMethod(getExtendMethod())
              .build();
        }
      }
    }
    return result;
  }
}
