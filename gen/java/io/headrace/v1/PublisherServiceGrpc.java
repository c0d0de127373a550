package io.headrace.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * PublisherService takes messages into topics.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class PublisherServiceGrpc {

  private PublisherServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "headrace.v1.PublisherService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.PublishRequest,
      io.headrace.v1.PublishResponse> getPublishMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Publish",
      requestType = io.headrace.v1.PublishRequest.class,
      responseType = io.headrace.v1.PublishResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.PublishRequest,
      io.headrace.v1.PublishResponse> getPublishMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.PublishRequest, io.headrace.v1.PublishResponse> getPublishMethod;
    if ((getPublishMethod = PublisherServiceGrpc.getPublishMethod) == null) {
      synchronized (PublisherServiceGrpc.class) {
        if ((getPublishMethod = PublisherServiceGrpc.getPublishMethod) == null) {
          PublisherServiceGrpc.getPublishMethod = getPublishMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.PublishRequest, io.headrace.v1.PublishResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Publish"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.PublishRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.PublishResponse.getDefaultInstance()))
              .setSchemaDescriptor(new PublisherServiceMethodDescriptorSupplier("Publish"))
              .build();
        }
      }
    }
    return getPublishMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.PublishStreamRequest,
      io.headrace.v1.PublishStreamResponse> getPublishStreamMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "PublishStream",
      requestType = io.headrace.v1.PublishStreamRequest.class,
      responseType = io.headrace.v1.PublishStreamResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<io.headrace.v1.PublishStreamRequest,
      io.headrace.v1.PublishStreamResponse> getPublishStreamMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.PublishStreamRequest, io.headrace.v1.PublishStreamResponse> getPublishStreamMethod;
    if ((getPublishStreamMethod = PublisherServiceGrpc.getPublishStreamMethod) == null) {
      synchronized (PublisherServiceGrpc.class) {
        if ((getPublishStreamMethod = PublisherServiceGrpc.getPublishStreamMethod) == null) {
          PublisherServiceGrpc.getPublishStreamMethod = getPublishStreamMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.PublishStreamRequest, io.headrace.v1.PublishStreamResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "PublishStream"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.PublishStreamRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.PublishStreamResponse.getDefaultInstance()))
              .setSchemaDescriptor(new PublisherServiceMethodDescriptorSupplier("PublishStream"))
              .build();
        }
      }
    }
    return getPublishStreamMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static PublisherServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PublisherServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PublisherServiceStub>() {
        @java.lang.Override
        public PublisherServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PublisherServiceStub(channel, callOptions);
        }
      };
    return PublisherServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static PublisherServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PublisherServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PublisherServiceBlockingV2Stub>() {
        @java.lang.Override
        public PublisherServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PublisherServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return PublisherServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static PublisherServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PublisherServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PublisherServiceBlockingStub>() {
        @java.lang.Override
        public PublisherServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PublisherServiceBlockingStub(channel, callOptions);
        }
      };
    return PublisherServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static PublisherServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PublisherServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PublisherServiceFutureStub>() {
        @java.lang.Override
        public PublisherServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PublisherServiceFutureStub(channel, callOptions);
        }
      };
    return PublisherServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * PublisherService takes messages into topics.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Publish stores one batch and answers when it is durable.
     * Messages of one ordering key, and all messages of a topic with one
     * partition, are stored in the order of the batch. Not idempotent: after an
     * error without a reason of ours the batch may be stored. A fault inside one
     * message fails that message alone. Reasons: INVALID_NAME, BATCH_SIZE,
     * MALFORMED_FRAME, TOPIC_NOT_FOUND, TOPIC_DELETED, DISK_FULL, DRAINING,
     * STORE_UNAVAILABLE, FENCED, UNKNOWN_OUTCOME, DATA_LOSS; per message
     * MALFORMED_MESSAGE, MESSAGE_TOO_LARGE, INVALID_FIELD, NOT_SERVED,
     * DEDUPE_CONFLICT.
     * </pre>
     */
    default void publish(io.headrace.v1.PublishRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.PublishResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getPublishMethod(), responseObserver);
    }

    /**
     * <pre>
     * PublishStream takes batches without waiting for the result of the one
     * before.
     * The first frame is Open. Results of a topic come in the order of its
     * batches. The client keeps within PublishWindow. The server ends the stream
     * with OK after the client half-closed and every result was sent. A stream
     * that breaks leaves the outcome of its open batches unknown, unless it has a
     * producer. Reasons that end the stream: FRAME_ORDER, MALFORMED_FRAME,
     * INVALID_FIELD, BATCH_SIZE, NOT_SERVED, PUBLISH_SEQUENCE_GAP,
     * PUBLISH_WINDOW_EXCEEDED, LIMIT_REACHED (too many topics, or producers),
     * STALE_PRODUCER, SLOW_READER, SESSION_SILENT, DRAINING, STORE_UNAVAILABLE,
     * FENCED, UNKNOWN_OUTCOME, and DISK_FULL, which refuses a producer's Open. Per
     * message also those of Publish, INVALID_NAME and TOPIC_NOT_FOUND among them, and of
     * a producer's PUBLISH_SEQUENCE_GAP, PUBLISH_BATCH_CHANGED and OUTCOME_FORGOTTEN.
     * A stream with a producer publishes without duplicates, over broken streams and
     * restarts of the server:
     * - Sequences are the producer's own, for each topic, and go on from stream to
     *   stream. Open fences the producer's older streams, and what they sent and is
     *   not stored by then never will be.
     * - A batch that is sent again, unchanged, is not stored again: its result is that
     *   of the first time, positions and failures. A producer's last 4,096 batches
     *   are remembered, over all its topics; of older ones the result is
     *   OUTCOME_FORGOTTEN.
     * - MALFORMED_MESSAGE, MESSAGE_TOO_LARGE, INVALID_FIELD, NOT_SERVED and
     *   DEDUPE_CONFLICT are a message's own: it uses up its sequence. Every other
     *   failure is the whole batch's: its sequences are not used up, and what the
     *   stream sent behind it to the topic fails too and is not stored, until the
     *   client begins again with the first of those sequences.
     * - Messages without ordering_key and dedupe_id go to one partition, the
     *   producer's own, so that they keep their order.
     * - A producer that was idle for 7 days is forgotten.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<io.headrace.v1.PublishStreamRequest> publishStream(
        io.grpc.stub.StreamObserver<io.headrace.v1.PublishStreamResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getPublishStreamMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service PublisherService.
   * <pre>
   * PublisherService takes messages into topics.
   * </pre>
   */
  public static abstract class PublisherServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return PublisherServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service PublisherService.
   * <pre>
   * PublisherService takes messages into topics.
   * </pre>
   */
  public static final class PublisherServiceStub
      extends io.grpc.stub.AbstractAsyncStub<PublisherServiceStub> {
    private PublisherServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PublisherServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PublisherServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Publish stores one batch and answers when it is durable.
     * Messages of one ordering key, and all messages of a topic with one
     * partition, are stored in the order of the batch. Not idempotent: after an
     * error without a reason of ours the batch may be stored. A fault inside one
     * message fails that message alone. Reasons: INVALID_NAME, BATCH_SIZE,
     * MALFORMED_FRAME, TOPIC_NOT_FOUND, TOPIC_DELETED, DISK_FULL, DRAINING,
     * STORE_UNAVAILABLE, FENCED, UNKNOWN_OUTCOME, DATA_LOSS; per message
     * MALFORMED_MESSAGE, MESSAGE_TOO_LARGE, INVALID_FIELD, NOT_SERVED,
     * DEDUPE_CONFLICT.
     * </pre>
     */
    public void publish(io.headrace.v1.PublishRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.PublishResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getPublishMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * PublishStream takes batches without waiting for the result of the one
     * before.
     * The first frame is Open. Results of a topic come in the order of its
     * batches. The client keeps within PublishWindow. The server ends the stream
     * with OK after the client half-closed and every result was sent. A stream
     * that breaks leaves the outcome of its open batches unknown, unless it has a
     * producer. Reasons that end the stream: FRAME_ORDER, MALFORMED_FRAME,
     * INVALID_FIELD, BATCH_SIZE, NOT_SERVED, PUBLISH_SEQUENCE_GAP,
     * PUBLISH_WINDOW_EXCEEDED, LIMIT_REACHED (too many topics, or producers),
     * STALE_PRODUCER, SLOW_READER, SESSION_SILENT, DRAINING, STORE_UNAVAILABLE,
     * FENCED, UNKNOWN_OUTCOME, and DISK_FULL, which refuses a producer's Open. Per
     * message also those of Publish, INVALID_NAME and TOPIC_NOT_FOUND among them, and of
     * a producer's PUBLISH_SEQUENCE_GAP, PUBLISH_BATCH_CHANGED and OUTCOME_FORGOTTEN.
     * A stream with a producer publishes without duplicates, over broken streams and
     * restarts of the server:
     * - Sequences are the producer's own, for each topic, and go on from stream to
     *   stream. Open fences the producer's older streams, and what they sent and is
     *   not stored by then never will be.
     * - A batch that is sent again, unchanged, is not stored again: its result is that
     *   of the first time, positions and failures. A producer's last 4,096 batches
     *   are remembered, over all its topics; of older ones the result is
     *   OUTCOME_FORGOTTEN.
     * - MALFORMED_MESSAGE, MESSAGE_TOO_LARGE, INVALID_FIELD, NOT_SERVED and
     *   DEDUPE_CONFLICT are a message's own: it uses up its sequence. Every other
     *   failure is the whole batch's: its sequences are not used up, and what the
     *   stream sent behind it to the topic fails too and is not stored, until the
     *   client begins again with the first of those sequences.
     * - Messages without ordering_key and dedupe_id go to one partition, the
     *   producer's own, so that they keep their order.
     * - A producer that was idle for 7 days is forgotten.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<io.headrace.v1.PublishStreamRequest> publishStream(
        io.grpc.stub.StreamObserver<io.headrace.v1.PublishStreamResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getPublishStreamMethod(), getCallOptions()), responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service PublisherService.
   * <pre>
   * PublisherService takes messages into topics.
   * </pre>
   */
  public static final class PublisherServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<PublisherServiceBlockingV2Stub> {
    private PublisherServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PublisherServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PublisherServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Publish stores one batch and answers when it is durable.
     * Messages of one ordering key, and all messages of a topic with one
     * partition, are stored in the order of the batch. Not idempotent: after an
     * error without a reason of ours the batch may be stored. A fault inside one
     * message fails that message alone. Reasons: INVALID_NAME, BATCH_SIZE,
     * MALFORMED_FRAME, TOPIC_NOT_FOUND, TOPIC_DELETED, DISK_FULL, DRAINING,
     * STORE_UNAVAILABLE, FENCED, UNKNOWN_OUTCOME, DATA_LOSS; per message
     * MALFORMED_MESSAGE, MESSAGE_TOO_LARGE, INVALID_FIELD, NOT_SERVED,
     * DEDUPE_CONFLICT.
     * </pre>
     */
    public io.headrace.v1.PublishResponse publish(io.headrace.v1.PublishRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getPublishMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * PublishStream takes batches without waiting for the result of the one
     * before.
     * The first frame is Open. Results of a topic come in the order of its
     * batches. The client keeps within PublishWindow. The server ends the stream
     * with OK after the client half-closed and every result was sent. A stream
     * that breaks leaves the outcome of its open batches unknown, unless it has a
     * producer. Reasons that end the stream: FRAME_ORDER, MALFORMED_FRAME,
     * INVALID_FIELD, BATCH_SIZE, NOT_SERVED, PUBLISH_SEQUENCE_GAP,
     * PUBLISH_WINDOW_EXCEEDED, LIMIT_REACHED (too many topics, or producers),
     * STALE_PRODUCER, SLOW_READER, SESSION_SILENT, DRAINING, STORE_UNAVAILABLE,
     * FENCED, UNKNOWN_OUTCOME, and DISK_FULL, which refuses a producer's Open. Per
     * message also those of Publish, INVALID_NAME and TOPIC_NOT_FOUND among them, and of
     * a producer's PUBLISH_SEQUENCE_GAP, PUBLISH_BATCH_CHANGED and OUTCOME_FORGOTTEN.
     * A stream with a producer publishes without duplicates, over broken streams and
     * restarts of the server:
     * - Sequences are the producer's own, for each topic, and go on from stream to
     *   stream. Open fences the producer's older streams, and what they sent and is
     *   not stored by then never will be.
     * - A batch that is sent again, unchanged, is not stored again: its result is that
     *   of the first time, positions and failures. A producer's last 4,096 batches
     *   are remembered, over all its topics; of older ones the result is
     *   OUTCOME_FORGOTTEN.
     * - MALFORMED_MESSAGE, MESSAGE_TOO_LARGE, INVALID_FIELD, NOT_SERVED and
     *   DEDUPE_CONFLICT are a message's own: it uses up its sequence. Every other
     *   failure is the whole batch's: its sequences are not used up, and what the
     *   stream sent behind it to the topic fails too and is not stored, until the
     *   client begins again with the first of those sequences.
     * - Messages without ordering_key and dedupe_id go to one partition, the
     *   producer's own, so that they keep their order.
     * - A producer that was idle for 7 days is forgotten.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<io.headrace.v1.PublishStreamRequest, io.headrace.v1.PublishStreamResponse>
        publishStream() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getPublishStreamMethod(), getCallOptions());
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service PublisherService.
   * <pre>
   * PublisherService takes messages into topics.
   * </pre>
   */
  public static final class PublisherServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<PublisherServiceBlockingStub> {
    private PublisherServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PublisherServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PublisherServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Publish stores one batch and answers when it is durable.
     * Messages of one ordering key, and all messages of a topic with one
     * partition, are stored in the order of the batch. Not idempotent: after an
     * error without a reason of ours the batch may be stored. A fault inside one
     * message fails that message alone. Reasons: INVALID_NAME, BATCH_SIZE,
     * MALFORMED_FRAME, TOPIC_NOT_FOUND, TOPIC_DELETED, DISK_FULL, DRAINING,
     * STORE_UNAVAILABLE, FENCED, UNKNOWN_OUTCOME, DATA_LOSS; per message
     * MALFORMED_MESSAGE, MESSAGE_TOO_LARGE, INVALID_FIELD, NOT_SERVED,
     * DEDUPE_CONFLICT.
     * </pre>
     */
    public io.headrace.v1.PublishResponse publish(io.headrace.v1.PublishRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getPublishMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service PublisherService.
   * <pre>
   * PublisherService takes messages into topics.
   * </pre>
   */
  public static final class PublisherServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<PublisherServiceFutureStub> {
    private PublisherServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PublisherServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PublisherServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Publish stores one batch and answers when it is durable.
     * Messages of one ordering key, and all messages of a topic with one
     * partition, are stored in the order of the batch. Not idempotent: after an
     * error without a reason of ours the batch may be stored. A fault inside one
     * message fails that message alone. Reasons: INVALID_NAME, BATCH_SIZE,
     * MALFORMED_FRAME, TOPIC_NOT_FOUND, TOPIC_DELETED, DISK_FULL, DRAINING,
     * STORE_UNAVAILABLE, FENCED, UNKNOWN_OUTCOME, DATA_LOSS; per message
     * MALFORMED_MESSAGE, MESSAGE_TOO_LARGE, INVALID_FIELD, NOT_SERVED,
     * DEDUPE_CONFLICT.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.PublishResponse> publish(
        io.headrace.v1.PublishRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getPublishMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_PUBLISH = 0;
  private static final int METHODID_PUBLISH_STREAM = 1;

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
        case METHODID_PUBLISH:
          serviceImpl.publish((io.headrace.v1.PublishRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.PublishResponse>) responseObserver);
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
        case METHODID_PUBLISH_STREAM:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.publishStream(
              (io.grpc.stub.StreamObserver<io.headrace.v1.PublishStreamResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getPublishMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.PublishRequest,
              io.headrace.v1.PublishResponse>(
                service, METHODID_PUBLISH)))
        .addMethod(
          getPublishStreamMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              io.headrace.v1.PublishStreamRequest,
              io.headrace.v1.PublishStreamResponse>(
                service, METHODID_PUBLISH_STREAM)))
        .build();
  }

  private static abstract class PublisherServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    PublisherServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.headrace.v1.PublisherServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("PublisherService");
    }
  }

  private static final class PublisherServiceFileDescriptorSupplier
      extends PublisherServiceBaseDescriptorSupplier {
    PublisherServiceFileDescriptorSupplier() {}
  }

  private static final class PublisherServiceMethodDescriptorSupplier
      extends PublisherServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    PublisherServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (PublisherServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new PublisherServiceFileDescriptorSupplier())
              .addMethod(getPublishMethod())
              .addMethod(getPublishStreamMethod())
              .build();
        }
      }
    }
    return result;
  }
}
