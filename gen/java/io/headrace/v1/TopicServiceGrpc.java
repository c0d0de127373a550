package io.headrace.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * TopicService manages topics. Every change is durable before its answer.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class TopicServiceGrpc {

  private TopicServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "headrace.v1.TopicService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.CreateTopicRequest,
      io.headrace.v1.CreateTopicResponse> getCreateTopicMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateTopic",
      requestType = io.headrace.v1.CreateTopicRequest.class,
      responseType = io.headrace.v1.CreateTopicResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.CreateTopicRequest,
      io.headrace.v1.CreateTopicResponse> getCreateTopicMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.CreateTopicRequest, io.headrace.v1.CreateTopicResponse> getCreateTopicMethod;
    if ((getCreateTopicMethod = TopicServiceGrpc.getCreateTopicMethod) == null) {
      synchronized (TopicServiceGrpc.class) {
        if ((getCreateTopicMethod = TopicServiceGrpc.getCreateTopicMethod) == null) {
          TopicServiceGrpc.getCreateTopicMethod = getCreateTopicMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.CreateTopicRequest, io.headrace.v1.CreateTopicResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateTopic"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.CreateTopicRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.CreateTopicResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TopicServiceMethodDescriptorSupplier("CreateTopic"))
              .build();
        }
      }
    }
    return getCreateTopicMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.GetTopicRequest,
      io.headrace.v1.GetTopicResponse> getGetTopicMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetTopic",
      requestType = io.headrace.v1.GetTopicRequest.class,
      responseType = io.headrace.v1.GetTopicResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.GetTopicRequest,
      io.headrace.v1.GetTopicResponse> getGetTopicMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.GetTopicRequest, io.headrace.v1.GetTopicResponse> getGetTopicMethod;
    if ((getGetTopicMethod = TopicServiceGrpc.getGetTopicMethod) == null) {
      synchronized (TopicServiceGrpc.class) {
        if ((getGetTopicMethod = TopicServiceGrpc.getGetTopicMethod) == null) {
          TopicServiceGrpc.getGetTopicMethod = getGetTopicMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.GetTopicRequest, io.headrace.v1.GetTopicResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetTopic"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.GetTopicRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.GetTopicResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TopicServiceMethodDescriptorSupplier("GetTopic"))
              .build();
        }
      }
    }
    return getGetTopicMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ListTopicsRequest,
      io.headrace.v1.ListTopicsResponse> getListTopicsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListTopics",
      requestType = io.headrace.v1.ListTopicsRequest.class,
      responseType = io.headrace.v1.ListTopicsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ListTopicsRequest,
      io.headrace.v1.ListTopicsResponse> getListTopicsMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ListTopicsRequest, io.headrace.v1.ListTopicsResponse> getListTopicsMethod;
    if ((getListTopicsMethod = TopicServiceGrpc.getListTopicsMethod) == null) {
      synchronized (TopicServiceGrpc.class) {
        if ((getListTopicsMethod = TopicServiceGrpc.getListTopicsMethod) == null) {
          TopicServiceGrpc.getListTopicsMethod = getListTopicsMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ListTopicsRequest, io.headrace.v1.ListTopicsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListTopics"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ListTopicsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ListTopicsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TopicServiceMethodDescriptorSupplier("ListTopics"))
              .build();
        }
      }
    }
    return getListTopicsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.UpdateTopicRequest,
      io.headrace.v1.UpdateTopicResponse> getUpdateTopicMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UpdateTopic",
      requestType = io.headrace.v1.UpdateTopicRequest.class,
      responseType = io.headrace.v1.UpdateTopicResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.UpdateTopicRequest,
      io.headrace.v1.UpdateTopicResponse> getUpdateTopicMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.UpdateTopicRequest, io.headrace.v1.UpdateTopicResponse> getUpdateTopicMethod;
    if ((getUpdateTopicMethod = TopicServiceGrpc.getUpdateTopicMethod) == null) {
      synchronized (TopicServiceGrpc.class) {
        if ((getUpdateTopicMethod = TopicServiceGrpc.getUpdateTopicMethod) == null) {
          TopicServiceGrpc.getUpdateTopicMethod = getUpdateTopicMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.UpdateTopicRequest, io.headrace.v1.UpdateTopicResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UpdateTopic"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.UpdateTopicRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.UpdateTopicResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TopicServiceMethodDescriptorSupplier("UpdateTopic"))
              .build();
        }
      }
    }
    return getUpdateTopicMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.DeleteTopicRequest,
      io.headrace.v1.DeleteTopicResponse> getDeleteTopicMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteTopic",
      requestType = io.headrace.v1.DeleteTopicRequest.class,
      responseType = io.headrace.v1.DeleteTopicResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.DeleteTopicRequest,
      io.headrace.v1.DeleteTopicResponse> getDeleteTopicMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.DeleteTopicRequest, io.headrace.v1.DeleteTopicResponse> getDeleteTopicMethod;
    if ((getDeleteTopicMethod = TopicServiceGrpc.getDeleteTopicMethod) == null) {
      synchronized (TopicServiceGrpc.class) {
        if ((getDeleteTopicMethod = TopicServiceGrpc.getDeleteTopicMethod) == null) {
          TopicServiceGrpc.getDeleteTopicMethod = getDeleteTopicMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.DeleteTopicRequest, io.headrace.v1.DeleteTopicResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteTopic"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.DeleteTopicRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.DeleteTopicResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TopicServiceMethodDescriptorSupplier("DeleteTopic"))
              .build();
        }
      }
    }
    return getDeleteTopicMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.GetTopicStatsRequest,
      io.headrace.v1.GetTopicStatsResponse> getGetTopicStatsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetTopicStats",
      requestType = io.headrace.v1.GetTopicStatsRequest.class,
      responseType = io.headrace.v1.GetTopicStatsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.GetTopicStatsRequest,
      io.headrace.v1.GetTopicStatsResponse> getGetTopicStatsMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.GetTopicStatsRequest, io.headrace.v1.GetTopicStatsResponse> getGetTopicStatsMethod;
    if ((getGetTopicStatsMethod = TopicServiceGrpc.getGetTopicStatsMethod) == null) {
      synchronized (TopicServiceGrpc.class) {
        if ((getGetTopicStatsMethod = TopicServiceGrpc.getGetTopicStatsMethod) == null) {
          TopicServiceGrpc.getGetTopicStatsMethod = getGetTopicStatsMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.GetTopicStatsRequest, io.headrace.v1.GetTopicStatsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetTopicStats"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.GetTopicStatsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.GetTopicStatsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TopicServiceMethodDescriptorSupplier("GetTopicStats"))
              .build();
        }
      }
    }
    return getGetTopicStatsMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static TopicServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TopicServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TopicServiceStub>() {
        @java.lang.Override
        public TopicServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TopicServiceStub(channel, callOptions);
        }
      };
    return TopicServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static TopicServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TopicServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TopicServiceBlockingV2Stub>() {
        @java.lang.Override
        public TopicServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TopicServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return TopicServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static TopicServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TopicServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TopicServiceBlockingStub>() {
        @java.lang.Override
        public TopicServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TopicServiceBlockingStub(channel, callOptions);
        }
      };
    return TopicServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static TopicServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TopicServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TopicServiceFutureStub>() {
        @java.lang.Override
        public TopicServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TopicServiceFutureStub(channel, callOptions);
        }
      };
    return TopicServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * TopicService manages topics. Every change is durable before its answer.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * CreateTopic creates a topic.
     * Not idempotent: a second call fails with TOPIC_EXISTS. Reasons:
     * INVALID_NAME, INVALID_FIELD, NOT_SERVED, TOPIC_EXISTS, LIMIT_REACHED,
     * DISK_FULL.
     * </pre>
     */
    default void createTopic(io.headrace.v1.CreateTopicRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.CreateTopicResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateTopicMethod(), responseObserver);
    }

    /**
     * <pre>
     * GetTopic returns a topic. Reasons: INVALID_NAME, TOPIC_NOT_FOUND.
     * </pre>
     */
    default void getTopic(io.headrace.v1.GetTopicRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.GetTopicResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetTopicMethod(), responseObserver);
    }

    /**
     * <pre>
     * ListTopics returns topics in order of their names, a page at a time.
     * Reasons: INVALID_FIELD.
     * </pre>
     */
    default void listTopics(io.headrace.v1.ListTopicsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ListTopicsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListTopicsMethod(), responseObserver);
    }

    /**
     * <pre>
     * UpdateTopic changes the fields that the mask names.
     * Idempotent. Reasons: INVALID_NAME, INVALID_FIELD (also for a field that is
     * fixed at creation), NOT_SERVED, TOPIC_NOT_FOUND.
     * </pre>
     */
    default void updateTopic(io.headrace.v1.UpdateTopicRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.UpdateTopicResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUpdateTopicMethod(), responseObserver);
    }

    /**
     * <pre>
     * DeleteTopic deletes a topic and its messages. When the call returns the
     * topic accepts nothing any more; its space comes back in the background.
     * Reasons: INVALID_NAME, TOPIC_NOT_FOUND, TOPIC_HAS_SUBSCRIPTIONS (also while it is a
     * subscription's dead_letter_topic).
     * </pre>
     */
    default void deleteTopic(io.headrace.v1.DeleteTopicRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.DeleteTopicResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteTopicMethod(), responseObserver);
    }

    /**
     * <pre>
     * GetTopicStats returns figures of a topic. Reasons: INVALID_NAME,
     * TOPIC_NOT_FOUND.
     * </pre>
     */
    default void getTopicStats(io.headrace.v1.GetTopicStatsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.GetTopicStatsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetTopicStatsMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service TopicService.
   * <pre>
   * TopicService manages topics. Every change is durable before its answer.
   * </pre>
   */
  public static abstract class TopicServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return TopicServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service TopicService.
   * <pre>
   * TopicService manages topics. Every change is durable before its answer.
   * </pre>
   */
  public static final class TopicServiceStub
      extends io.grpc.stub.AbstractAsyncStub<TopicServiceStub> {
    private TopicServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TopicServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TopicServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * CreateTopic creates a topic.
     * Not idempotent: a second call fails with TOPIC_EXISTS. Reasons:
     * INVALID_NAME, INVALID_FIELD, NOT_SERVED, TOPIC_EXISTS, LIMIT_REACHED,
     * DISK_FULL.
     * </pre>
     */
    public void createTopic(io.headrace.v1.CreateTopicRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.CreateTopicResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateTopicMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * GetTopic returns a topic. Reasons: INVALID_NAME, TOPIC_NOT_FOUND.
     * </pre>
     */
    public void getTopic(io.headrace.v1.GetTopicRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.GetTopicResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetTopicMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ListTopics returns topics in order of their names, a page at a time.
     * Reasons: INVALID_FIELD.
     * </pre>
     */
    public void listTopics(io.headrace.v1.ListTopicsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ListTopicsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListTopicsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * UpdateTopic changes the fields that the mask names.
     * Idempotent. Reasons: INVALID_NAME, INVALID_FIELD (also for a field that is
     * fixed at creation), NOT_SERVED, TOPIC_NOT_FOUND.
     * </pre>
     */
    public void updateTopic(io.headrace.v1.UpdateTopicRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.UpdateTopicResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUpdateTopicMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * DeleteTopic deletes a topic and its messages. When the call returns the
     * topic accepts nothing any more; its space comes back in the background.
     * Reasons: INVALID_NAME, TOPIC_NOT_FOUND, TOPIC_HAS_SUBSCRIPTIONS (also while it is a
     * subscription's dead_letter_topic).
     * </pre>
     */
    public void deleteTopic(io.headrace.v1.DeleteTopicRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.DeleteTopicResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteTopicMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * GetTopicStats returns figures of a topic. Reasons: INVALID_NAME,
     * TOPIC_NOT_FOUND.
     * </pre>
     */
    public void getTopicStats(io.headrace.v1.GetTopicStatsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.GetTopicStatsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetTopicStatsMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service TopicService.
   * <pre>
   * TopicService manages topics. Every change is durable before its answer.
   * </pre>
   */
  public static final class TopicServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<TopicServiceBlockingV2Stub> {
    private TopicServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TopicServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TopicServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * CreateTopic creates a topic.
     * Not idempotent: a second call fails with TOPIC_EXISTS. Reasons:
     * INVALID_NAME, INVALID_FIELD, NOT_SERVED, TOPIC_EXISTS, LIMIT_REACHED,
     * DISK_FULL.
     * </pre>
     */
    public io.headrace.v1.CreateTopicResponse createTopic(io.headrace.v1.CreateTopicRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateTopicMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetTopic returns a topic. Reasons: INVALID_NAME, TOPIC_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.GetTopicResponse getTopic(io.headrace.v1.GetTopicRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetTopicMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListTopics returns topics in order of their names, a page at a time.
     * Reasons: INVALID_FIELD.
     * </pre>
     */
    public io.headrace.v1.ListTopicsResponse listTopics(io.headrace.v1.ListTopicsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListTopicsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * UpdateTopic changes the fields that the mask names.
     * Idempotent. Reasons: INVALID_NAME, INVALID_FIELD (also for a field that is
     * fixed at creation), NOT_SERVED, TOPIC_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.UpdateTopicResponse updateTopic(io.headrace.v1.UpdateTopicRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUpdateTopicMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DeleteTopic deletes a topic and its messages. When the call returns the
     * topic accepts nothing any more; its space comes back in the background.
     * Reasons: INVALID_NAME, TOPIC_NOT_FOUND, TOPIC_HAS_SUBSCRIPTIONS (also while it is a
     * subscription's dead_letter_topic).
     * </pre>
     */
    public io.headrace.v1.DeleteTopicResponse deleteTopic(io.headrace.v1.DeleteTopicRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteTopicMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetTopicStats returns figures of a topic. Reasons: INVALID_NAME,
     * TOPIC_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.GetTopicStatsResponse getTopicStats(io.headrace.v1.GetTopicStatsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetTopicStatsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service TopicService.
   * <pre>
   * TopicService manages topics. Every change is durable before its answer.
   * </pre>
   */
  public static final class TopicServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<TopicServiceBlockingStub> {
    private TopicServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TopicServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TopicServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * CreateTopic creates a topic.
     * Not idempotent: a second call fails with TOPIC_EXISTS. Reasons:
     * INVALID_NAME, INVALID_FIELD, NOT_SERVED, TOPIC_EXISTS, LIMIT_REACHED,
     * DISK_FULL.
     * </pre>
     */
    public io.headrace.v1.CreateTopicResponse createTopic(io.headrace.v1.CreateTopicRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateTopicMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetTopic returns a topic. Reasons: INVALID_NAME, TOPIC_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.GetTopicResponse getTopic(io.headrace.v1.GetTopicRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetTopicMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListTopics returns topics in order of their names, a page at a time.
     * Reasons: INVALID_FIELD.
     * </pre>
     */
    public io.headrace.v1.ListTopicsResponse listTopics(io.headrace.v1.ListTopicsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListTopicsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * UpdateTopic changes the fields that the mask names.
     * Idempotent. Reasons: INVALID_NAME, INVALID_FIELD (also for a field that is
     * fixed at creation), NOT_SERVED, TOPIC_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.UpdateTopicResponse updateTopic(io.headrace.v1.UpdateTopicRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUpdateTopicMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DeleteTopic deletes a topic and its messages. When the call returns the
     * topic accepts nothing any more; its space comes back in the background.
     * Reasons: INVALID_NAME, TOPIC_NOT_FOUND, TOPIC_HAS_SUBSCRIPTIONS (also while it is a
     * subscription's dead_letter_topic).
     * </pre>
     */
    public io.headrace.v1.DeleteTopicResponse deleteTopic(io.headrace.v1.DeleteTopicRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteTopicMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetTopicStats returns figures of a topic. Reasons: INVALID_NAME,
     * TOPIC_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.GetTopicStatsResponse getTopicStats(io.headrace.v1.GetTopicStatsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetTopicStatsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service TopicService.
   * <pre>
   * TopicService manages topics. Every change is durable before its answer.
   * </pre>
   */
  public static final class TopicServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<TopicServiceFutureStub> {
    private TopicServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TopicServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TopicServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * CreateTopic creates a topic.
     * Not idempotent: a second call fails with TOPIC_EXISTS. Reasons:
     * INVALID_NAME, INVALID_FIELD, NOT_SERVED, TOPIC_EXISTS, LIMIT_REACHED,
     * DISK_FULL.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.CreateTopicResponse> createTopic(
        io.headrace.v1.CreateTopicRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateTopicMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * GetTopic returns a topic. Reasons: INVALID_NAME, TOPIC_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.GetTopicResponse> getTopic(
        io.headrace.v1.GetTopicRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetTopicMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ListTopics returns topics in order of their names, a page at a time.
     * Reasons: INVALID_FIELD.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ListTopicsResponse> listTopics(
        io.headrace.v1.ListTopicsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListTopicsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * UpdateTopic changes the fields that the mask names.
     * Idempotent. Reasons: INVALID_NAME, INVALID_FIELD (also for a field that is
     * fixed at creation), NOT_SERVED, TOPIC_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.UpdateTopicResponse> updateTopic(
        io.headrace.v1.UpdateTopicRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUpdateTopicMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * DeleteTopic deletes a topic and its messages. When the call returns the
     * topic accepts nothing any more; its space comes back in the background.
     * Reasons: INVALID_NAME, TOPIC_NOT_FOUND, TOPIC_HAS_SUBSCRIPTIONS (also while it is a
     * subscription's dead_letter_topic).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.DeleteTopicResponse> deleteTopic(
        io.headrace.v1.DeleteTopicRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteTopicMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * GetTopicStats returns figures of a topic. Reasons: INVALID_NAME,
     * TOPIC_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.GetTopicStatsResponse> getTopicStats(
        io.headrace.v1.GetTopicStatsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetTopicStatsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CREATE_TOPIC = 0;
  private static final int METHODID_GET_TOPIC = 1;
  private static final int METHODID_LIST_TOPICS = 2;
  private static final int METHODID_UPDATE_TOPIC = 3;
  private static final int METHODID_DELETE_TOPIC = 4;
  private static final int METHODID_GET_TOPIC_STATS = 5;

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
        case METHODID_CREATE_TOPIC:
          serviceImpl.createTopic((io.headrace.v1.CreateTopicRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.CreateTopicResponse>) responseObserver);
          break;
        case METHODID_GET_TOPIC:
          serviceImpl.getTopic((io.headrace.v1.GetTopicRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.GetTopicResponse>) responseObserver);
          break;
        case METHODID_LIST_TOPICS:
          serviceImpl.listTopics((io.headrace.v1.ListTopicsRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ListTopicsResponse>) responseObserver);
          break;
        case METHODID_UPDATE_TOPIC:
          serviceImpl.updateTopic((io.headrace.v1.UpdateTopicRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.UpdateTopicResponse>) responseObserver);
          break;
        case METHODID_DELETE_TOPIC:
          serviceImpl.deleteTopic((io.headrace.v1.DeleteTopicRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.DeleteTopicResponse>) responseObserver);
          break;
        case METHODID_GET_TOPIC_STATS:
          serviceImpl.getTopicStats((io.headrace.v1.GetTopicStatsRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.GetTopicStatsResponse>) responseObserver);
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
          getCreateTopicMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.CreateTopicRequest,
              io.headrace.v1.CreateTopicResponse>(
                service, METHODID_CREATE_TOPIC)))
        .addMethod(
          getGetTopicMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.GetTopicRequest,
              io.headrace.v1.GetTopicResponse>(
                service, METHODID_GET_TOPIC)))
        .addMethod(
          getListTopicsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ListTopicsRequest,
              io.headrace.v1.ListTopicsResponse>(
                service, METHODID_LIST_TOPICS)))
        .addMethod(
          getUpdateTopicMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.UpdateTopicRequest,
              io.headrace.v1.UpdateTopicResponse>(
                service, METHODID_UPDATE_TOPIC)))
        .addMethod(
          getDeleteTopicMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.DeleteTopicRequest,
              io.headrace.v1.DeleteTopicResponse>(
                service, METHODID_DELETE_TOPIC)))
        .addMethod(
          getGetTopicStatsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.GetTopicStatsRequest,
              io.headrace.v1.GetTopicStatsResponse>(
                service, METHODID_GET_TOPIC_STATS)))
        .build();
  }

  private static abstract class TopicServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    TopicServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.headrace.v1.TopicServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("TopicService");
    }
  }

  private static final class TopicServiceFileDescriptorSupplier
      extends TopicServiceBaseDescriptorSupplier {
    TopicServiceFileDescriptorSupplier() {}
  }

  private static final class TopicServiceMethodDescriptorSupplier
      extends TopicServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    TopicServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (TopicServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new TopicServiceFileDescriptorSupplier())
              .addMethod(getCreateTopicMethod())
              .addMethod(getGetTopicMethod())
              .addMethod(getListTopicsMethod())
              .addMethod(getUpdateTopicMethod())
              .addMethod(getDeleteTopicMethod())
              .addMethod(getGetTopicStatsMethod())
              .build();
        }
      }
    }
    return result;
  }
}
