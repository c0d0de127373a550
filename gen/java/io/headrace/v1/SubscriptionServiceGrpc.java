package io.headrace.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * SubscriptionService manages subscriptions. Every change is durable before its
 * answer.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class SubscriptionServiceGrpc {

  private SubscriptionServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "headrace.v1.SubscriptionService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.CreateSubscriptionRequest,
      io.headrace.v1.CreateSubscriptionResponse> getCreateSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateSubscription",
      requestType = io.headrace.v1.CreateSubscriptionRequest.class,
      responseType = io.headrace.v1.CreateSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.CreateSubscriptionRequest,
      io.headrace.v1.CreateSubscriptionResponse> getCreateSubscriptionMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.CreateSubscriptionRequest, io.headrace.v1.CreateSubscriptionResponse> getCreateSubscriptionMethod;
    if ((getCreateSubscriptionMethod = SubscriptionServiceGrpc.getCreateSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getCreateSubscriptionMethod = SubscriptionServiceGrpc.getCreateSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getCreateSubscriptionMethod = getCreateSubscriptionMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.CreateSubscriptionRequest, io.headrace.v1.CreateSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateSubscription"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.CreateSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.CreateSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("CreateSubscription"))
              .build();
        }
      }
    }
    return getCreateSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.GetSubscriptionRequest,
      io.headrace.v1.GetSubscriptionResponse> getGetSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetSubscription",
      requestType = io.headrace.v1.GetSubscriptionRequest.class,
      responseType = io.headrace.v1.GetSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.GetSubscriptionRequest,
      io.headrace.v1.GetSubscriptionResponse> getGetSubscriptionMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.GetSubscriptionRequest, io.headrace.v1.GetSubscriptionResponse> getGetSubscriptionMethod;
    if ((getGetSubscriptionMethod = SubscriptionServiceGrpc.getGetSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getGetSubscriptionMethod = SubscriptionServiceGrpc.getGetSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getGetSubscriptionMethod = getGetSubscriptionMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.GetSubscriptionRequest, io.headrace.v1.GetSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetSubscription"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.GetSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.GetSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("GetSubscription"))
              .build();
        }
      }
    }
    return getGetSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ListSubscriptionsRequest,
      io.headrace.v1.ListSubscriptionsResponse> getListSubscriptionsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListSubscriptions",
      requestType = io.headrace.v1.ListSubscriptionsRequest.class,
      responseType = io.headrace.v1.ListSubscriptionsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ListSubscriptionsRequest,
      io.headrace.v1.ListSubscriptionsResponse> getListSubscriptionsMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ListSubscriptionsRequest, io.headrace.v1.ListSubscriptionsResponse> getListSubscriptionsMethod;
    if ((getListSubscriptionsMethod = SubscriptionServiceGrpc.getListSubscriptionsMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getListSubscriptionsMethod = SubscriptionServiceGrpc.getListSubscriptionsMethod) == null) {
          SubscriptionServiceGrpc.getListSubscriptionsMethod = getListSubscriptionsMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ListSubscriptionsRequest, io.headrace.v1.ListSubscriptionsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListSubscriptions"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ListSubscriptionsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ListSubscriptionsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ListSubscriptions"))
              .build();
        }
      }
    }
    return getListSubscriptionsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.UpdateSubscriptionRequest,
      io.headrace.v1.UpdateSubscriptionResponse> getUpdateSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UpdateSubscription",
      requestType = io.headrace.v1.UpdateSubscriptionRequest.class,
      responseType = io.headrace.v1.UpdateSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.UpdateSubscriptionRequest,
      io.headrace.v1.UpdateSubscriptionResponse> getUpdateSubscriptionMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.UpdateSubscriptionRequest, io.headrace.v1.UpdateSubscriptionResponse> getUpdateSubscriptionMethod;
    if ((getUpdateSubscriptionMethod = SubscriptionServiceGrpc.getUpdateSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getUpdateSubscriptionMethod = SubscriptionServiceGrpc.getUpdateSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getUpdateSubscriptionMethod = getUpdateSubscriptionMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.UpdateSubscriptionRequest, io.headrace.v1.UpdateSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UpdateSubscription"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.UpdateSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.UpdateSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("UpdateSubscription"))
              .build();
        }
      }
    }
    return getUpdateSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.DeleteSubscriptionRequest,
      io.headrace.v1.DeleteSubscriptionResponse> getDeleteSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteSubscription",
      requestType = io.headrace.v1.DeleteSubscriptionRequest.class,
      responseType = io.headrace.v1.DeleteSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.DeleteSubscriptionRequest,
      io.headrace.v1.DeleteSubscriptionResponse> getDeleteSubscriptionMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.DeleteSubscriptionRequest, io.headrace.v1.DeleteSubscriptionResponse> getDeleteSubscriptionMethod;
    if ((getDeleteSubscriptionMethod = SubscriptionServiceGrpc.getDeleteSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getDeleteSubscriptionMethod = SubscriptionServiceGrpc.getDeleteSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getDeleteSubscriptionMethod = getDeleteSubscriptionMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.DeleteSubscriptionRequest, io.headrace.v1.DeleteSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteSubscription"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.DeleteSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.DeleteSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("DeleteSubscription"))
              .build();
        }
      }
    }
    return getDeleteSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.GetSubscriptionStatsRequest,
      io.headrace.v1.GetSubscriptionStatsResponse> getGetSubscriptionStatsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetSubscriptionStats",
      requestType = io.headrace.v1.GetSubscriptionStatsRequest.class,
      responseType = io.headrace.v1.GetSubscriptionStatsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.GetSubscriptionStatsRequest,
      io.headrace.v1.GetSubscriptionStatsResponse> getGetSubscriptionStatsMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.GetSubscriptionStatsRequest, io.headrace.v1.GetSubscriptionStatsResponse> getGetSubscriptionStatsMethod;
    if ((getGetSubscriptionStatsMethod = SubscriptionServiceGrpc.getGetSubscriptionStatsMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getGetSubscriptionStatsMethod = SubscriptionServiceGrpc.getGetSubscriptionStatsMethod) == null) {
          SubscriptionServiceGrpc.getGetSubscriptionStatsMethod = getGetSubscriptionStatsMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.GetSubscriptionStatsRequest, io.headrace.v1.GetSubscriptionStatsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetSubscriptionStats"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.GetSubscriptionStatsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.GetSubscriptionStatsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("GetSubscriptionStats"))
              .build();
        }
      }
    }
    return getGetSubscriptionStatsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ListDeadLettersRequest,
      io.headrace.v1.ListDeadLettersResponse> getListDeadLettersMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListDeadLetters",
      requestType = io.headrace.v1.ListDeadLettersRequest.class,
      responseType = io.headrace.v1.ListDeadLettersResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ListDeadLettersRequest,
      io.headrace.v1.ListDeadLettersResponse> getListDeadLettersMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ListDeadLettersRequest, io.headrace.v1.ListDeadLettersResponse> getListDeadLettersMethod;
    if ((getListDeadLettersMethod = SubscriptionServiceGrpc.getListDeadLettersMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getListDeadLettersMethod = SubscriptionServiceGrpc.getListDeadLettersMethod) == null) {
          SubscriptionServiceGrpc.getListDeadLettersMethod = getListDeadLettersMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ListDeadLettersRequest, io.headrace.v1.ListDeadLettersResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListDeadLetters"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ListDeadLettersRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ListDeadLettersResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ListDeadLetters"))
              .build();
        }
      }
    }
    return getListDeadLettersMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.DiscardDeadLettersRequest,
      io.headrace.v1.DiscardDeadLettersResponse> getDiscardDeadLettersMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DiscardDeadLetters",
      requestType = io.headrace.v1.DiscardDeadLettersRequest.class,
      responseType = io.headrace.v1.DiscardDeadLettersResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.DiscardDeadLettersRequest,
      io.headrace.v1.DiscardDeadLettersResponse> getDiscardDeadLettersMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.DiscardDeadLettersRequest, io.headrace.v1.DiscardDeadLettersResponse> getDiscardDeadLettersMethod;
    if ((getDiscardDeadLettersMethod = SubscriptionServiceGrpc.getDiscardDeadLettersMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getDiscardDeadLettersMethod = SubscriptionServiceGrpc.getDiscardDeadLettersMethod) == null) {
          SubscriptionServiceGrpc.getDiscardDeadLettersMethod = getDiscardDeadLettersMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.DiscardDeadLettersRequest, io.headrace.v1.DiscardDeadLettersResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DiscardDeadLetters"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.DiscardDeadLettersRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.DiscardDeadLettersResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("DiscardDeadLetters"))
              .build();
        }
      }
    }
    return getDiscardDeadLettersMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.RedriveDeadLettersRequest,
      io.headrace.v1.RedriveDeadLettersResponse> getRedriveDeadLettersMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RedriveDeadLetters",
      requestType = io.headrace.v1.RedriveDeadLettersRequest.class,
      responseType = io.headrace.v1.RedriveDeadLettersResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.RedriveDeadLettersRequest,
      io.headrace.v1.RedriveDeadLettersResponse> getRedriveDeadLettersMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.RedriveDeadLettersRequest, io.headrace.v1.RedriveDeadLettersResponse> getRedriveDeadLettersMethod;
    if ((getRedriveDeadLettersMethod = SubscriptionServiceGrpc.getRedriveDeadLettersMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getRedriveDeadLettersMethod = SubscriptionServiceGrpc.getRedriveDeadLettersMethod) == null) {
          SubscriptionServiceGrpc.getRedriveDeadLettersMethod = getRedriveDeadLettersMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.RedriveDeadLettersRequest, io.headrace.v1.RedriveDeadLettersResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RedriveDeadLetters"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.RedriveDeadLettersRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.RedriveDeadLettersResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("RedriveDeadLetters"))
              .build();
        }
      }
    }
    return getRedriveDeadLettersMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ListParkedKeysRequest,
      io.headrace.v1.ListParkedKeysResponse> getListParkedKeysMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListParkedKeys",
      requestType = io.headrace.v1.ListParkedKeysRequest.class,
      responseType = io.headrace.v1.ListParkedKeysResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ListParkedKeysRequest,
      io.headrace.v1.ListParkedKeysResponse> getListParkedKeysMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ListParkedKeysRequest, io.headrace.v1.ListParkedKeysResponse> getListParkedKeysMethod;
    if ((getListParkedKeysMethod = SubscriptionServiceGrpc.getListParkedKeysMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getListParkedKeysMethod = SubscriptionServiceGrpc.getListParkedKeysMethod) == null) {
          SubscriptionServiceGrpc.getListParkedKeysMethod = getListParkedKeysMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ListParkedKeysRequest, io.headrace.v1.ListParkedKeysResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListParkedKeys"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ListParkedKeysRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ListParkedKeysResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ListParkedKeys"))
              .build();
        }
      }
    }
    return getListParkedKeysMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ReleaseParkedKeysRequest,
      io.headrace.v1.ReleaseParkedKeysResponse> getReleaseParkedKeysMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ReleaseParkedKeys",
      requestType = io.headrace.v1.ReleaseParkedKeysRequest.class,
      responseType = io.headrace.v1.ReleaseParkedKeysResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ReleaseParkedKeysRequest,
      io.headrace.v1.ReleaseParkedKeysResponse> getReleaseParkedKeysMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ReleaseParkedKeysRequest, io.headrace.v1.ReleaseParkedKeysResponse> getReleaseParkedKeysMethod;
    if ((getReleaseParkedKeysMethod = SubscriptionServiceGrpc.getReleaseParkedKeysMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getReleaseParkedKeysMethod = SubscriptionServiceGrpc.getReleaseParkedKeysMethod) == null) {
          SubscriptionServiceGrpc.getReleaseParkedKeysMethod = getReleaseParkedKeysMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ReleaseParkedKeysRequest, io.headrace.v1.ReleaseParkedKeysResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ReleaseParkedKeys"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ReleaseParkedKeysRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ReleaseParkedKeysResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ReleaseParkedKeys"))
              .build();
        }
      }
    }
    return getReleaseParkedKeysMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.PauseSubscriptionRequest,
      io.headrace.v1.PauseSubscriptionResponse> getPauseSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "PauseSubscription",
      requestType = io.headrace.v1.PauseSubscriptionRequest.class,
      responseType = io.headrace.v1.PauseSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.PauseSubscriptionRequest,
      io.headrace.v1.PauseSubscriptionResponse> getPauseSubscriptionMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.PauseSubscriptionRequest, io.headrace.v1.PauseSubscriptionResponse> getPauseSubscriptionMethod;
    if ((getPauseSubscriptionMethod = SubscriptionServiceGrpc.getPauseSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getPauseSubscriptionMethod = SubscriptionServiceGrpc.getPauseSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getPauseSubscriptionMethod = getPauseSubscriptionMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.PauseSubscriptionRequest, io.headrace.v1.PauseSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "PauseSubscription"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.PauseSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.PauseSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("PauseSubscription"))
              .build();
        }
      }
    }
    return getPauseSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ResumeSubscriptionRequest,
      io.headrace.v1.ResumeSubscriptionResponse> getResumeSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ResumeSubscription",
      requestType = io.headrace.v1.ResumeSubscriptionRequest.class,
      responseType = io.headrace.v1.ResumeSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ResumeSubscriptionRequest,
      io.headrace.v1.ResumeSubscriptionResponse> getResumeSubscriptionMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ResumeSubscriptionRequest, io.headrace.v1.ResumeSubscriptionResponse> getResumeSubscriptionMethod;
    if ((getResumeSubscriptionMethod = SubscriptionServiceGrpc.getResumeSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getResumeSubscriptionMethod = SubscriptionServiceGrpc.getResumeSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getResumeSubscriptionMethod = getResumeSubscriptionMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ResumeSubscriptionRequest, io.headrace.v1.ResumeSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ResumeSubscription"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ResumeSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ResumeSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ResumeSubscription"))
              .build();
        }
      }
    }
    return getResumeSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ExplainSubscriptionRequest,
      io.headrace.v1.ExplainSubscriptionResponse> getExplainSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ExplainSubscription",
      requestType = io.headrace.v1.ExplainSubscriptionRequest.class,
      responseType = io.headrace.v1.ExplainSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ExplainSubscriptionRequest,
      io.headrace.v1.ExplainSubscriptionResponse> getExplainSubscriptionMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ExplainSubscriptionRequest, io.headrace.v1.ExplainSubscriptionResponse> getExplainSubscriptionMethod;
    if ((getExplainSubscriptionMethod = SubscriptionServiceGrpc.getExplainSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getExplainSubscriptionMethod = SubscriptionServiceGrpc.getExplainSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getExplainSubscriptionMethod = getExplainSubscriptionMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ExplainSubscriptionRequest, io.headrace.v1.ExplainSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ExplainSubscription"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ExplainSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ExplainSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ExplainSubscription"))
              .build();
        }
      }
    }
    return getExplainSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ExplainMessageRequest,
      io.headrace.v1.ExplainMessageResponse> getExplainMessageMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ExplainMessage",
      requestType = io.headrace.v1.ExplainMessageRequest.class,
      responseType = io.headrace.v1.ExplainMessageResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ExplainMessageRequest,
      io.headrace.v1.ExplainMessageResponse> getExplainMessageMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ExplainMessageRequest, io.headrace.v1.ExplainMessageResponse> getExplainMessageMethod;
    if ((getExplainMessageMethod = SubscriptionServiceGrpc.getExplainMessageMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getExplainMessageMethod = SubscriptionServiceGrpc.getExplainMessageMethod) == null) {
          SubscriptionServiceGrpc.getExplainMessageMethod = getExplainMessageMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ExplainMessageRequest, io.headrace.v1.ExplainMessageResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ExplainMessage"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ExplainMessageRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ExplainMessageResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ExplainMessage"))
              .build();
        }
      }
    }
    return getExplainMessageMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ExplainKeyRequest,
      io.headrace.v1.ExplainKeyResponse> getExplainKeyMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ExplainKey",
      requestType = io.headrace.v1.ExplainKeyRequest.class,
      responseType = io.headrace.v1.ExplainKeyResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ExplainKeyRequest,
      io.headrace.v1.ExplainKeyResponse> getExplainKeyMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ExplainKeyRequest, io.headrace.v1.ExplainKeyResponse> getExplainKeyMethod;
    if ((getExplainKeyMethod = SubscriptionServiceGrpc.getExplainKeyMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getExplainKeyMethod = SubscriptionServiceGrpc.getExplainKeyMethod) == null) {
          SubscriptionServiceGrpc.getExplainKeyMethod = getExplainKeyMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ExplainKeyRequest, io.headrace.v1.ExplainKeyResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ExplainKey"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ExplainKeyRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ExplainKeyResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ExplainKey"))
              .build();
        }
      }
    }
    return getExplainKeyMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ExplainSessionRequest,
      io.headrace.v1.ExplainSessionResponse> getExplainSessionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ExplainSession",
      requestType = io.headrace.v1.ExplainSessionRequest.class,
      responseType = io.headrace.v1.ExplainSessionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ExplainSessionRequest,
      io.headrace.v1.ExplainSessionResponse> getExplainSessionMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ExplainSessionRequest, io.headrace.v1.ExplainSessionResponse> getExplainSessionMethod;
    if ((getExplainSessionMethod = SubscriptionServiceGrpc.getExplainSessionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getExplainSessionMethod = SubscriptionServiceGrpc.getExplainSessionMethod) == null) {
          SubscriptionServiceGrpc.getExplainSessionMethod = getExplainSessionMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ExplainSessionRequest, io.headrace.v1.ExplainSessionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ExplainSession"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ExplainSessionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ExplainSessionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ExplainSession"))
              .build();
        }
      }
    }
    return getExplainSessionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.MoveSessionsRequest,
      io.headrace.v1.MoveSessionsResponse> getMoveSessionsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "MoveSessions",
      requestType = io.headrace.v1.MoveSessionsRequest.class,
      responseType = io.headrace.v1.MoveSessionsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.MoveSessionsRequest,
      io.headrace.v1.MoveSessionsResponse> getMoveSessionsMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.MoveSessionsRequest, io.headrace.v1.MoveSessionsResponse> getMoveSessionsMethod;
    if ((getMoveSessionsMethod = SubscriptionServiceGrpc.getMoveSessionsMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getMoveSessionsMethod = SubscriptionServiceGrpc.getMoveSessionsMethod) == null) {
          SubscriptionServiceGrpc.getMoveSessionsMethod = getMoveSessionsMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.MoveSessionsRequest, io.headrace.v1.MoveSessionsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "MoveSessions"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.MoveSessionsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.MoveSessionsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("MoveSessions"))
              .build();
        }
      }
    }
    return getMoveSessionsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.SeekSubscriptionRequest,
      io.headrace.v1.SeekSubscriptionResponse> getSeekSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SeekSubscription",
      requestType = io.headrace.v1.SeekSubscriptionRequest.class,
      responseType = io.headrace.v1.SeekSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.SeekSubscriptionRequest,
      io.headrace.v1.SeekSubscriptionResponse> getSeekSubscriptionMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.SeekSubscriptionRequest, io.headrace.v1.SeekSubscriptionResponse> getSeekSubscriptionMethod;
    if ((getSeekSubscriptionMethod = SubscriptionServiceGrpc.getSeekSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getSeekSubscriptionMethod = SubscriptionServiceGrpc.getSeekSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getSeekSubscriptionMethod = getSeekSubscriptionMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.SeekSubscriptionRequest, io.headrace.v1.SeekSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SeekSubscription"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.SeekSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.SeekSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("SeekSubscription"))
              .build();
        }
      }
    }
    return getSeekSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.PeekSubscriptionRequest,
      io.headrace.v1.PeekSubscriptionResponse> getPeekSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "PeekSubscription",
      requestType = io.headrace.v1.PeekSubscriptionRequest.class,
      responseType = io.headrace.v1.PeekSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.PeekSubscriptionRequest,
      io.headrace.v1.PeekSubscriptionResponse> getPeekSubscriptionMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.PeekSubscriptionRequest, io.headrace.v1.PeekSubscriptionResponse> getPeekSubscriptionMethod;
    if ((getPeekSubscriptionMethod = SubscriptionServiceGrpc.getPeekSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getPeekSubscriptionMethod = SubscriptionServiceGrpc.getPeekSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getPeekSubscriptionMethod = getPeekSubscriptionMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.PeekSubscriptionRequest, io.headrace.v1.PeekSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "PeekSubscription"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.PeekSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.PeekSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("PeekSubscription"))
              .build();
        }
      }
    }
    return getPeekSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.CreateSnapshotRequest,
      io.headrace.v1.CreateSnapshotResponse> getCreateSnapshotMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateSnapshot",
      requestType = io.headrace.v1.CreateSnapshotRequest.class,
      responseType = io.headrace.v1.CreateSnapshotResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.CreateSnapshotRequest,
      io.headrace.v1.CreateSnapshotResponse> getCreateSnapshotMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.CreateSnapshotRequest, io.headrace.v1.CreateSnapshotResponse> getCreateSnapshotMethod;
    if ((getCreateSnapshotMethod = SubscriptionServiceGrpc.getCreateSnapshotMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getCreateSnapshotMethod = SubscriptionServiceGrpc.getCreateSnapshotMethod) == null) {
          SubscriptionServiceGrpc.getCreateSnapshotMethod = getCreateSnapshotMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.CreateSnapshotRequest, io.headrace.v1.CreateSnapshotResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateSnapshot"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.CreateSnapshotRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.CreateSnapshotResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("CreateSnapshot"))
              .build();
        }
      }
    }
    return getCreateSnapshotMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.GetSnapshotRequest,
      io.headrace.v1.GetSnapshotResponse> getGetSnapshotMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetSnapshot",
      requestType = io.headrace.v1.GetSnapshotRequest.class,
      responseType = io.headrace.v1.GetSnapshotResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.GetSnapshotRequest,
      io.headrace.v1.GetSnapshotResponse> getGetSnapshotMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.GetSnapshotRequest, io.headrace.v1.GetSnapshotResponse> getGetSnapshotMethod;
    if ((getGetSnapshotMethod = SubscriptionServiceGrpc.getGetSnapshotMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getGetSnapshotMethod = SubscriptionServiceGrpc.getGetSnapshotMethod) == null) {
          SubscriptionServiceGrpc.getGetSnapshotMethod = getGetSnapshotMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.GetSnapshotRequest, io.headrace.v1.GetSnapshotResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetSnapshot"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.GetSnapshotRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.GetSnapshotResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("GetSnapshot"))
              .build();
        }
      }
    }
    return getGetSnapshotMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.ListSnapshotsRequest,
      io.headrace.v1.ListSnapshotsResponse> getListSnapshotsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListSnapshots",
      requestType = io.headrace.v1.ListSnapshotsRequest.class,
      responseType = io.headrace.v1.ListSnapshotsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.ListSnapshotsRequest,
      io.headrace.v1.ListSnapshotsResponse> getListSnapshotsMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.ListSnapshotsRequest, io.headrace.v1.ListSnapshotsResponse> getListSnapshotsMethod;
    if ((getListSnapshotsMethod = SubscriptionServiceGrpc.getListSnapshotsMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getListSnapshotsMethod = SubscriptionServiceGrpc.getListSnapshotsMethod) == null) {
          SubscriptionServiceGrpc.getListSnapshotsMethod = getListSnapshotsMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.ListSnapshotsRequest, io.headrace.v1.ListSnapshotsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListSnapshots"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ListSnapshotsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.ListSnapshotsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ListSnapshots"))
              .build();
        }
      }
    }
    return getListSnapshotsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.headrace.v1.DeleteSnapshotRequest,
      io.headrace.v1.DeleteSnapshotResponse> getDeleteSnapshotMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteSnapshot",
      requestType = io.headrace.v1.DeleteSnapshotRequest.class,
      responseType = io.headrace.v1.DeleteSnapshotResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.headrace.v1.DeleteSnapshotRequest,
      io.headrace.v1.DeleteSnapshotResponse> getDeleteSnapshotMethod() {
    io.grpc.MethodDescriptor<io.headrace.v1.DeleteSnapshotRequest, io.headrace.v1.DeleteSnapshotResponse> getDeleteSnapshotMethod;
    if ((getDeleteSnapshotMethod = SubscriptionServiceGrpc.getDeleteSnapshotMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getDeleteSnapshotMethod = SubscriptionServiceGrpc.getDeleteSnapshotMethod) == null) {
          SubscriptionServiceGrpc.getDeleteSnapshotMethod = getDeleteSnapshotMethod =
              io.grpc.MethodDescriptor.<io.headrace.v1.DeleteSnapshotRequest, io.headrace.v1.DeleteSnapshotResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteSnapshot"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.DeleteSnapshotRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.headrace.v1.DeleteSnapshotResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("DeleteSnapshot"))
              .build();
        }
      }
    }
    return getDeleteSnapshotMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static SubscriptionServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceStub>() {
        @java.lang.Override
        public SubscriptionServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriptionServiceStub(channel, callOptions);
        }
      };
    return SubscriptionServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static SubscriptionServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceBlockingV2Stub>() {
        @java.lang.Override
        public SubscriptionServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriptionServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return SubscriptionServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static SubscriptionServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceBlockingStub>() {
        @java.lang.Override
        public SubscriptionServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriptionServiceBlockingStub(channel, callOptions);
        }
      };
    return SubscriptionServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static SubscriptionServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceFutureStub>() {
        @java.lang.Override
        public SubscriptionServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriptionServiceFutureStub(channel, callOptions);
        }
      };
    return SubscriptionServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * SubscriptionService manages subscriptions. Every change is durable before its
   * answer.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * CreateSubscription creates a subscription. When the call returns, every
     * message published from then on will be delivered to it.
     * Not idempotent: a second call fails with SUBSCRIPTION_EXISTS. Reasons:
     * INVALID_NAME, INVALID_FIELD, NOT_SERVED, TOPIC_NOT_FOUND, TOPIC_DELETED,
     * SUBSCRIPTION_EXISTS, LIMIT_REACHED, DISK_FULL.
     * </pre>
     */
    default void createSubscription(io.headrace.v1.CreateSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.CreateSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * GetSubscription returns a subscription. Reasons: INVALID_NAME,
     * SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    default void getSubscription(io.headrace.v1.GetSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.GetSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * ListSubscriptions returns subscriptions in order of their names, a page at
     * a time. Reasons: INVALID_FIELD.
     * </pre>
     */
    default void listSubscriptions(io.headrace.v1.ListSubscriptionsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ListSubscriptionsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListSubscriptionsMethod(), responseObserver);
    }

    /**
     * <pre>
     * UpdateSubscription changes the fields that the mask names. Sessions that
     * are open learn of it.
     * Idempotent. Reasons: INVALID_NAME, INVALID_FIELD (also for a field that is
     * fixed at creation), NOT_SERVED, SUBSCRIPTION_NOT_FOUND, TOPIC_NOT_FOUND.
     * </pre>
     */
    default void updateSubscription(io.headrace.v1.UpdateSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.UpdateSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUpdateSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * DeleteSubscription ends a subscription and its sessions. Its delivery state
     * goes in the background.
     * Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    default void deleteSubscription(io.headrace.v1.DeleteSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.DeleteSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * GetSubscriptionStats returns figures of a subscription and of its sessions.
     * Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    default void getSubscriptionStats(io.headrace.v1.GetSubscriptionStatsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.GetSubscriptionStatsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetSubscriptionStatsMethod(), responseObserver);
    }

    /**
     * <pre>
     * ListDeadLetters returns dead letters of a subscription in order of their
     * sequences, a page at a time. It takes nothing away.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS with
     * the sequence of a dead letter that is damaged; the page before it ends there.
     * </pre>
     */
    default void listDeadLetters(io.headrace.v1.ListDeadLettersRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ListDeadLettersResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListDeadLettersMethod(), responseObserver);
    }

    /**
     * <pre>
     * DiscardDeadLetters deletes dead letters for good.
     * Idempotent: what is gone already is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    default void discardDeadLetters(io.headrace.v1.DiscardDeadLettersRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.DiscardDeadLettersResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDiscardDeadLettersMethod(), responseObserver);
    }

    /**
     * <pre>
     * RedriveDeadLetters gives dead letters back to their subscription: in one commit
     * each leaves the dead letters and stands in the subscription's own partition,
     * 65,535, under its first id, key and times. Its attempts begin again; its failures
     * go along. Topic, floor and seeks are not touched.
     * Idempotent: what is gone already is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DISK_FULL, DATA_LOSS.
     * </pre>
     */
    default void redriveDeadLetters(io.headrace.v1.RedriveDeadLettersRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.RedriveDeadLettersResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRedriveDeadLettersMethod(), responseObserver);
    }

    /**
     * <pre>
     * ListParkedKeys returns the ordering keys that wait to be released, in order of
     * their partitions and hashes, a page at a time. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    default void listParkedKeys(io.headrace.v1.ListParkedKeysRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ListParkedKeysResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListParkedKeysMethod(), responseObserver);
    }

    /**
     * <pre>
     * ReleaseParkedKeys lets parked keys go on with the message behind the one that
     * became a dead letter.
     * Idempotent: what is not parked is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    default void releaseParkedKeys(io.headrace.v1.ReleaseParkedKeysRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ReleaseParkedKeysResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getReleaseParkedKeysMethod(), responseObserver);
    }

    /**
     * <pre>
     * PauseSubscription stops deliveries, durably, until ResumeSubscription. Open
     * sessions learn of it at once by BLOCKED_BY_PAUSED; what they hold stays theirs and
     * can be settled and extended, and leases end as ever. The backlog goes on growing.
     * Idempotent. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    default void pauseSubscription(io.headrace.v1.PauseSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.PauseSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getPauseSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * ResumeSubscription ends a pause.
     * Idempotent. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    default void resumeSubscription(io.headrace.v1.ResumeSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ResumeSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getResumeSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * ExplainSubscription says why deliveries flow or do not, as of now. It changes and
     * holds up nothing. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    default void explainSubscription(io.headrace.v1.ExplainSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ExplainSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getExplainSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * ExplainMessage says where a message stands: who holds it since when, its attempt,
     * why it waits, and when it is due. Whether a settled one is a dead letter is looked
     * for among the first 10,000. Reasons: INVALID_NAME, INVALID_FIELD,
     * SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    default void explainMessage(io.headrace.v1.ExplainMessageRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ExplainMessageResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getExplainMessageMethod(), responseObserver);
    }

    /**
     * <pre>
     * ExplainKey says how an ordering key stands: who holds it, which message of it goes
     * next and when. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    default void explainKey(io.headrace.v1.ExplainKeyRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ExplainKeyResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getExplainKeyMethod(), responseObserver);
    }

    /**
     * <pre>
     * ExplainSession says what holds a session back and what it holds. Reasons:
     * INVALID_NAME, SUBSCRIPTION_NOT_FOUND, SESSION_NOT_FOUND.
     * </pre>
     */
    default void explainSession(io.headrace.v1.ExplainSessionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ExplainSessionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getExplainSessionMethod(), responseObserver);
    }

    /**
     * <pre>
     * MoveSessions asks one session, or all of a subscription, to leave their streams, each
     * by a GoAway: STREAM for one, REBALANCE for all. A client that resumes opens another
     * stream and takes everything along; others work off what they hold. A stream that is
     * not left ends, with OK, after the grace. Nothing is charged. Repeating it asks those
     * that are new since. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SESSION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    default void moveSessions(io.headrace.v1.MoveSessionsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.MoveSessionsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getMoveSessionsMethod(), responseObserver);
    }

    /**
     * <pre>
     * SeekSubscription moves a subscription back or forward in one commit. Its generation
     * rises; settles that were read before are committed before. Sessions stay open and
     * their sequences count on: what they hold is revoked with REVOKE_REASON_SEEK, uncharged,
     * and a settle that comes for it afterwards is STALE_DELIVERY. Attempts begin again,
     * parked keys go on; dead letters and what was redriven stay as they are.
     * Not idempotent: called again it moves the subscription again, so what was acked in
     * between is unacked. When the outcome is not known, Subscription.generation tells
     * whether the seek was made. A dry run changes nothing, and counts by what is
     * committed. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SNAPSHOT_NOT_FOUND, POSITION_OUT_OF_RANGE (before what is retained, or after the
     * end), NOTHING_KEPT, DISK_FULL, DATA_LOSS.
     * </pre>
     */
    default void seekSubscription(io.headrace.v1.SeekSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.SeekSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSeekSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * PeekSubscription shows messages of a partition in order of their offsets, as it is
     * committed. It takes nothing: what is shown is delivered as if it were not, no attempt
     * is counted, no session waits, and what sessions hold is shown, too.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND,
     * DATA_LOSS.
     * </pre>
     */
    default void peekSubscription(io.headrace.v1.PeekSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.PeekSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getPeekSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * CreateSnapshot keeps what a subscription has not acked at this moment, and all that
     * comes later, until the snapshot expires: neither retention nor acks remove it. There
     * are at most 1,000 snapshots.
     * Not idempotent: a second call fails with SNAPSHOT_EXISTS. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, SNAPSHOT_EXISTS, LIMIT_REACHED, DISK_FULL,
     * DATA_LOSS.
     * </pre>
     */
    default void createSnapshot(io.headrace.v1.CreateSnapshotRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.CreateSnapshotResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateSnapshotMethod(), responseObserver);
    }

    /**
     * <pre>
     * GetSnapshot returns a snapshot. Reasons: INVALID_NAME, SNAPSHOT_NOT_FOUND.
     * </pre>
     */
    default void getSnapshot(io.headrace.v1.GetSnapshotRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.GetSnapshotResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetSnapshotMethod(), responseObserver);
    }

    /**
     * <pre>
     * ListSnapshots returns snapshots in order of their names, a page at a time. Reasons:
     * INVALID_NAME, INVALID_FIELD.
     * </pre>
     */
    default void listSnapshots(io.headrace.v1.ListSnapshotsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ListSnapshotsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListSnapshotsMethod(), responseObserver);
    }

    /**
     * <pre>
     * DeleteSnapshot ends a snapshot. What only it kept is removed in the background.
     * Reasons: INVALID_NAME, SNAPSHOT_NOT_FOUND.
     * </pre>
     */
    default void deleteSnapshot(io.headrace.v1.DeleteSnapshotRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.DeleteSnapshotResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteSnapshotMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service SubscriptionService.
   * <pre>
   * SubscriptionService manages subscriptions. Every change is durable before its
   * answer.
   * </pre>
   */
  public static abstract class SubscriptionServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return SubscriptionServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service SubscriptionService.
   * <pre>
   * SubscriptionService manages subscriptions. Every change is durable before its
   * answer.
   * </pre>
   */
  public static final class SubscriptionServiceStub
      extends io.grpc.stub.AbstractAsyncStub<SubscriptionServiceStub> {
    private SubscriptionServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriptionServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriptionServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * CreateSubscription creates a subscription. When the call returns, every
     * message published from then on will be delivered to it.
     * Not idempotent: a second call fails with SUBSCRIPTION_EXISTS. Reasons:
     * INVALID_NAME, INVALID_FIELD, NOT_SERVED, TOPIC_NOT_FOUND, TOPIC_DELETED,
     * SUBSCRIPTION_EXISTS, LIMIT_REACHED, DISK_FULL.
     * </pre>
     */
    public void createSubscription(io.headrace.v1.CreateSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.CreateSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * GetSubscription returns a subscription. Reasons: INVALID_NAME,
     * SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public void getSubscription(io.headrace.v1.GetSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.GetSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ListSubscriptions returns subscriptions in order of their names, a page at
     * a time. Reasons: INVALID_FIELD.
     * </pre>
     */
    public void listSubscriptions(io.headrace.v1.ListSubscriptionsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ListSubscriptionsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListSubscriptionsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * UpdateSubscription changes the fields that the mask names. Sessions that
     * are open learn of it.
     * Idempotent. Reasons: INVALID_NAME, INVALID_FIELD (also for a field that is
     * fixed at creation), NOT_SERVED, SUBSCRIPTION_NOT_FOUND, TOPIC_NOT_FOUND.
     * </pre>
     */
    public void updateSubscription(io.headrace.v1.UpdateSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.UpdateSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUpdateSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * DeleteSubscription ends a subscription and its sessions. Its delivery state
     * goes in the background.
     * Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public void deleteSubscription(io.headrace.v1.DeleteSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.DeleteSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * GetSubscriptionStats returns figures of a subscription and of its sessions.
     * Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public void getSubscriptionStats(io.headrace.v1.GetSubscriptionStatsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.GetSubscriptionStatsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetSubscriptionStatsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ListDeadLetters returns dead letters of a subscription in order of their
     * sequences, a page at a time. It takes nothing away.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS with
     * the sequence of a dead letter that is damaged; the page before it ends there.
     * </pre>
     */
    public void listDeadLetters(io.headrace.v1.ListDeadLettersRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ListDeadLettersResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListDeadLettersMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * DiscardDeadLetters deletes dead letters for good.
     * Idempotent: what is gone already is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public void discardDeadLetters(io.headrace.v1.DiscardDeadLettersRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.DiscardDeadLettersResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDiscardDeadLettersMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * RedriveDeadLetters gives dead letters back to their subscription: in one commit
     * each leaves the dead letters and stands in the subscription's own partition,
     * 65,535, under its first id, key and times. Its attempts begin again; its failures
     * go along. Topic, floor and seeks are not touched.
     * Idempotent: what is gone already is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DISK_FULL, DATA_LOSS.
     * </pre>
     */
    public void redriveDeadLetters(io.headrace.v1.RedriveDeadLettersRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.RedriveDeadLettersResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRedriveDeadLettersMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ListParkedKeys returns the ordering keys that wait to be released, in order of
     * their partitions and hashes, a page at a time. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public void listParkedKeys(io.headrace.v1.ListParkedKeysRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ListParkedKeysResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListParkedKeysMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ReleaseParkedKeys lets parked keys go on with the message behind the one that
     * became a dead letter.
     * Idempotent: what is not parked is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public void releaseParkedKeys(io.headrace.v1.ReleaseParkedKeysRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ReleaseParkedKeysResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getReleaseParkedKeysMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * PauseSubscription stops deliveries, durably, until ResumeSubscription. Open
     * sessions learn of it at once by BLOCKED_BY_PAUSED; what they hold stays theirs and
     * can be settled and extended, and leases end as ever. The backlog goes on growing.
     * Idempotent. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public void pauseSubscription(io.headrace.v1.PauseSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.PauseSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getPauseSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ResumeSubscription ends a pause.
     * Idempotent. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public void resumeSubscription(io.headrace.v1.ResumeSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ResumeSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getResumeSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ExplainSubscription says why deliveries flow or do not, as of now. It changes and
     * holds up nothing. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public void explainSubscription(io.headrace.v1.ExplainSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ExplainSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getExplainSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ExplainMessage says where a message stands: who holds it since when, its attempt,
     * why it waits, and when it is due. Whether a settled one is a dead letter is looked
     * for among the first 10,000. Reasons: INVALID_NAME, INVALID_FIELD,
     * SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public void explainMessage(io.headrace.v1.ExplainMessageRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ExplainMessageResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getExplainMessageMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ExplainKey says how an ordering key stands: who holds it, which message of it goes
     * next and when. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public void explainKey(io.headrace.v1.ExplainKeyRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ExplainKeyResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getExplainKeyMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ExplainSession says what holds a session back and what it holds. Reasons:
     * INVALID_NAME, SUBSCRIPTION_NOT_FOUND, SESSION_NOT_FOUND.
     * </pre>
     */
    public void explainSession(io.headrace.v1.ExplainSessionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ExplainSessionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getExplainSessionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * MoveSessions asks one session, or all of a subscription, to leave their streams, each
     * by a GoAway: STREAM for one, REBALANCE for all. A client that resumes opens another
     * stream and takes everything along; others work off what they hold. A stream that is
     * not left ends, with OK, after the grace. Nothing is charged. Repeating it asks those
     * that are new since. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SESSION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public void moveSessions(io.headrace.v1.MoveSessionsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.MoveSessionsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getMoveSessionsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * SeekSubscription moves a subscription back or forward in one commit. Its generation
     * rises; settles that were read before are committed before. Sessions stay open and
     * their sequences count on: what they hold is revoked with REVOKE_REASON_SEEK, uncharged,
     * and a settle that comes for it afterwards is STALE_DELIVERY. Attempts begin again,
     * parked keys go on; dead letters and what was redriven stay as they are.
     * Not idempotent: called again it moves the subscription again, so what was acked in
     * between is unacked. When the outcome is not known, Subscription.generation tells
     * whether the seek was made. A dry run changes nothing, and counts by what is
     * committed. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SNAPSHOT_NOT_FOUND, POSITION_OUT_OF_RANGE (before what is retained, or after the
     * end), NOTHING_KEPT, DISK_FULL, DATA_LOSS.
     * </pre>
     */
    public void seekSubscription(io.headrace.v1.SeekSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.SeekSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSeekSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * PeekSubscription shows messages of a partition in order of their offsets, as it is
     * committed. It takes nothing: what is shown is delivered as if it were not, no attempt
     * is counted, no session waits, and what sessions hold is shown, too.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND,
     * DATA_LOSS.
     * </pre>
     */
    public void peekSubscription(io.headrace.v1.PeekSubscriptionRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.PeekSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getPeekSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * CreateSnapshot keeps what a subscription has not acked at this moment, and all that
     * comes later, until the snapshot expires: neither retention nor acks remove it. There
     * are at most 1,000 snapshots.
     * Not idempotent: a second call fails with SNAPSHOT_EXISTS. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, SNAPSHOT_EXISTS, LIMIT_REACHED, DISK_FULL,
     * DATA_LOSS.
     * </pre>
     */
    public void createSnapshot(io.headrace.v1.CreateSnapshotRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.CreateSnapshotResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateSnapshotMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * GetSnapshot returns a snapshot. Reasons: INVALID_NAME, SNAPSHOT_NOT_FOUND.
     * </pre>
     */
    public void getSnapshot(io.headrace.v1.GetSnapshotRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.GetSnapshotResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetSnapshotMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ListSnapshots returns snapshots in order of their names, a page at a time. Reasons:
     * INVALID_NAME, INVALID_FIELD.
     * </pre>
     */
    public void listSnapshots(io.headrace.v1.ListSnapshotsRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.ListSnapshotsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListSnapshotsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * DeleteSnapshot ends a snapshot. What only it kept is removed in the background.
     * Reasons: INVALID_NAME, SNAPSHOT_NOT_FOUND.
     * </pre>
     */
    public void deleteSnapshot(io.headrace.v1.DeleteSnapshotRequest request,
        io.grpc.stub.StreamObserver<io.headrace.v1.DeleteSnapshotResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteSnapshotMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service SubscriptionService.
   * <pre>
   * SubscriptionService manages subscriptions. Every change is durable before its
   * answer.
   * </pre>
   */
  public static final class SubscriptionServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<SubscriptionServiceBlockingV2Stub> {
    private SubscriptionServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriptionServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriptionServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * CreateSubscription creates a subscription. When the call returns, every
     * message published from then on will be delivered to it.
     * Not idempotent: a second call fails with SUBSCRIPTION_EXISTS. Reasons:
     * INVALID_NAME, INVALID_FIELD, NOT_SERVED, TOPIC_NOT_FOUND, TOPIC_DELETED,
     * SUBSCRIPTION_EXISTS, LIMIT_REACHED, DISK_FULL.
     * </pre>
     */
    public io.headrace.v1.CreateSubscriptionResponse createSubscription(io.headrace.v1.CreateSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetSubscription returns a subscription. Reasons: INVALID_NAME,
     * SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.GetSubscriptionResponse getSubscription(io.headrace.v1.GetSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListSubscriptions returns subscriptions in order of their names, a page at
     * a time. Reasons: INVALID_FIELD.
     * </pre>
     */
    public io.headrace.v1.ListSubscriptionsResponse listSubscriptions(io.headrace.v1.ListSubscriptionsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListSubscriptionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * UpdateSubscription changes the fields that the mask names. Sessions that
     * are open learn of it.
     * Idempotent. Reasons: INVALID_NAME, INVALID_FIELD (also for a field that is
     * fixed at creation), NOT_SERVED, SUBSCRIPTION_NOT_FOUND, TOPIC_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.UpdateSubscriptionResponse updateSubscription(io.headrace.v1.UpdateSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUpdateSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DeleteSubscription ends a subscription and its sessions. Its delivery state
     * goes in the background.
     * Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.DeleteSubscriptionResponse deleteSubscription(io.headrace.v1.DeleteSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetSubscriptionStats returns figures of a subscription and of its sessions.
     * Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.GetSubscriptionStatsResponse getSubscriptionStats(io.headrace.v1.GetSubscriptionStatsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetSubscriptionStatsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListDeadLetters returns dead letters of a subscription in order of their
     * sequences, a page at a time. It takes nothing away.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS with
     * the sequence of a dead letter that is damaged; the page before it ends there.
     * </pre>
     */
    public io.headrace.v1.ListDeadLettersResponse listDeadLetters(io.headrace.v1.ListDeadLettersRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListDeadLettersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DiscardDeadLetters deletes dead letters for good.
     * Idempotent: what is gone already is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.DiscardDeadLettersResponse discardDeadLetters(io.headrace.v1.DiscardDeadLettersRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDiscardDeadLettersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * RedriveDeadLetters gives dead letters back to their subscription: in one commit
     * each leaves the dead letters and stands in the subscription's own partition,
     * 65,535, under its first id, key and times. Its attempts begin again; its failures
     * go along. Topic, floor and seeks are not touched.
     * Idempotent: what is gone already is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DISK_FULL, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.RedriveDeadLettersResponse redriveDeadLetters(io.headrace.v1.RedriveDeadLettersRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRedriveDeadLettersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListParkedKeys returns the ordering keys that wait to be released, in order of
     * their partitions and hashes, a page at a time. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.ListParkedKeysResponse listParkedKeys(io.headrace.v1.ListParkedKeysRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListParkedKeysMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ReleaseParkedKeys lets parked keys go on with the message behind the one that
     * became a dead letter.
     * Idempotent: what is not parked is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.ReleaseParkedKeysResponse releaseParkedKeys(io.headrace.v1.ReleaseParkedKeysRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getReleaseParkedKeysMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * PauseSubscription stops deliveries, durably, until ResumeSubscription. Open
     * sessions learn of it at once by BLOCKED_BY_PAUSED; what they hold stays theirs and
     * can be settled and extended, and leases end as ever. The backlog goes on growing.
     * Idempotent. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.PauseSubscriptionResponse pauseSubscription(io.headrace.v1.PauseSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getPauseSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ResumeSubscription ends a pause.
     * Idempotent. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.ResumeSubscriptionResponse resumeSubscription(io.headrace.v1.ResumeSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getResumeSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ExplainSubscription says why deliveries flow or do not, as of now. It changes and
     * holds up nothing. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.ExplainSubscriptionResponse explainSubscription(io.headrace.v1.ExplainSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getExplainSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ExplainMessage says where a message stands: who holds it since when, its attempt,
     * why it waits, and when it is due. Whether a settled one is a dead letter is looked
     * for among the first 10,000. Reasons: INVALID_NAME, INVALID_FIELD,
     * SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.ExplainMessageResponse explainMessage(io.headrace.v1.ExplainMessageRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getExplainMessageMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ExplainKey says how an ordering key stands: who holds it, which message of it goes
     * next and when. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.ExplainKeyResponse explainKey(io.headrace.v1.ExplainKeyRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getExplainKeyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ExplainSession says what holds a session back and what it holds. Reasons:
     * INVALID_NAME, SUBSCRIPTION_NOT_FOUND, SESSION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.ExplainSessionResponse explainSession(io.headrace.v1.ExplainSessionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getExplainSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * MoveSessions asks one session, or all of a subscription, to leave their streams, each
     * by a GoAway: STREAM for one, REBALANCE for all. A client that resumes opens another
     * stream and takes everything along; others work off what they hold. A stream that is
     * not left ends, with OK, after the grace. Nothing is charged. Repeating it asks those
     * that are new since. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SESSION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.MoveSessionsResponse moveSessions(io.headrace.v1.MoveSessionsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getMoveSessionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SeekSubscription moves a subscription back or forward in one commit. Its generation
     * rises; settles that were read before are committed before. Sessions stay open and
     * their sequences count on: what they hold is revoked with REVOKE_REASON_SEEK, uncharged,
     * and a settle that comes for it afterwards is STALE_DELIVERY. Attempts begin again,
     * parked keys go on; dead letters and what was redriven stay as they are.
     * Not idempotent: called again it moves the subscription again, so what was acked in
     * between is unacked. When the outcome is not known, Subscription.generation tells
     * whether the seek was made. A dry run changes nothing, and counts by what is
     * committed. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SNAPSHOT_NOT_FOUND, POSITION_OUT_OF_RANGE (before what is retained, or after the
     * end), NOTHING_KEPT, DISK_FULL, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.SeekSubscriptionResponse seekSubscription(io.headrace.v1.SeekSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSeekSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * PeekSubscription shows messages of a partition in order of their offsets, as it is
     * committed. It takes nothing: what is shown is delivered as if it were not, no attempt
     * is counted, no session waits, and what sessions hold is shown, too.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND,
     * DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.PeekSubscriptionResponse peekSubscription(io.headrace.v1.PeekSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getPeekSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CreateSnapshot keeps what a subscription has not acked at this moment, and all that
     * comes later, until the snapshot expires: neither retention nor acks remove it. There
     * are at most 1,000 snapshots.
     * Not idempotent: a second call fails with SNAPSHOT_EXISTS. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, SNAPSHOT_EXISTS, LIMIT_REACHED, DISK_FULL,
     * DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.CreateSnapshotResponse createSnapshot(io.headrace.v1.CreateSnapshotRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateSnapshotMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetSnapshot returns a snapshot. Reasons: INVALID_NAME, SNAPSHOT_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.GetSnapshotResponse getSnapshot(io.headrace.v1.GetSnapshotRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetSnapshotMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListSnapshots returns snapshots in order of their names, a page at a time. Reasons:
     * INVALID_NAME, INVALID_FIELD.
     * </pre>
     */
    public io.headrace.v1.ListSnapshotsResponse listSnapshots(io.headrace.v1.ListSnapshotsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListSnapshotsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DeleteSnapshot ends a snapshot. What only it kept is removed in the background.
     * Reasons: INVALID_NAME, SNAPSHOT_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.DeleteSnapshotResponse deleteSnapshot(io.headrace.v1.DeleteSnapshotRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteSnapshotMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service SubscriptionService.
   * <pre>
   * SubscriptionService manages subscriptions. Every change is durable before its
   * answer.
   * </pre>
   */
  public static final class SubscriptionServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<SubscriptionServiceBlockingStub> {
    private SubscriptionServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriptionServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriptionServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * CreateSubscription creates a subscription. When the call returns, every
     * message published from then on will be delivered to it.
     * Not idempotent: a second call fails with SUBSCRIPTION_EXISTS. Reasons:
     * INVALID_NAME, INVALID_FIELD, NOT_SERVED, TOPIC_NOT_FOUND, TOPIC_DELETED,
     * SUBSCRIPTION_EXISTS, LIMIT_REACHED, DISK_FULL.
     * </pre>
     */
    public io.headrace.v1.CreateSubscriptionResponse createSubscription(io.headrace.v1.CreateSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetSubscription returns a subscription. Reasons: INVALID_NAME,
     * SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.GetSubscriptionResponse getSubscription(io.headrace.v1.GetSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListSubscriptions returns subscriptions in order of their names, a page at
     * a time. Reasons: INVALID_FIELD.
     * </pre>
     */
    public io.headrace.v1.ListSubscriptionsResponse listSubscriptions(io.headrace.v1.ListSubscriptionsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListSubscriptionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * UpdateSubscription changes the fields that the mask names. Sessions that
     * are open learn of it.
     * Idempotent. Reasons: INVALID_NAME, INVALID_FIELD (also for a field that is
     * fixed at creation), NOT_SERVED, SUBSCRIPTION_NOT_FOUND, TOPIC_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.UpdateSubscriptionResponse updateSubscription(io.headrace.v1.UpdateSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUpdateSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DeleteSubscription ends a subscription and its sessions. Its delivery state
     * goes in the background.
     * Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.DeleteSubscriptionResponse deleteSubscription(io.headrace.v1.DeleteSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetSubscriptionStats returns figures of a subscription and of its sessions.
     * Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.GetSubscriptionStatsResponse getSubscriptionStats(io.headrace.v1.GetSubscriptionStatsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetSubscriptionStatsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListDeadLetters returns dead letters of a subscription in order of their
     * sequences, a page at a time. It takes nothing away.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS with
     * the sequence of a dead letter that is damaged; the page before it ends there.
     * </pre>
     */
    public io.headrace.v1.ListDeadLettersResponse listDeadLetters(io.headrace.v1.ListDeadLettersRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListDeadLettersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DiscardDeadLetters deletes dead letters for good.
     * Idempotent: what is gone already is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.DiscardDeadLettersResponse discardDeadLetters(io.headrace.v1.DiscardDeadLettersRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDiscardDeadLettersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * RedriveDeadLetters gives dead letters back to their subscription: in one commit
     * each leaves the dead letters and stands in the subscription's own partition,
     * 65,535, under its first id, key and times. Its attempts begin again; its failures
     * go along. Topic, floor and seeks are not touched.
     * Idempotent: what is gone already is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DISK_FULL, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.RedriveDeadLettersResponse redriveDeadLetters(io.headrace.v1.RedriveDeadLettersRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRedriveDeadLettersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListParkedKeys returns the ordering keys that wait to be released, in order of
     * their partitions and hashes, a page at a time. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.ListParkedKeysResponse listParkedKeys(io.headrace.v1.ListParkedKeysRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListParkedKeysMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ReleaseParkedKeys lets parked keys go on with the message behind the one that
     * became a dead letter.
     * Idempotent: what is not parked is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.ReleaseParkedKeysResponse releaseParkedKeys(io.headrace.v1.ReleaseParkedKeysRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getReleaseParkedKeysMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * PauseSubscription stops deliveries, durably, until ResumeSubscription. Open
     * sessions learn of it at once by BLOCKED_BY_PAUSED; what they hold stays theirs and
     * can be settled and extended, and leases end as ever. The backlog goes on growing.
     * Idempotent. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.PauseSubscriptionResponse pauseSubscription(io.headrace.v1.PauseSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getPauseSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ResumeSubscription ends a pause.
     * Idempotent. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.ResumeSubscriptionResponse resumeSubscription(io.headrace.v1.ResumeSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getResumeSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ExplainSubscription says why deliveries flow or do not, as of now. It changes and
     * holds up nothing. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.ExplainSubscriptionResponse explainSubscription(io.headrace.v1.ExplainSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getExplainSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ExplainMessage says where a message stands: who holds it since when, its attempt,
     * why it waits, and when it is due. Whether a settled one is a dead letter is looked
     * for among the first 10,000. Reasons: INVALID_NAME, INVALID_FIELD,
     * SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.ExplainMessageResponse explainMessage(io.headrace.v1.ExplainMessageRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getExplainMessageMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ExplainKey says how an ordering key stands: who holds it, which message of it goes
     * next and when. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.ExplainKeyResponse explainKey(io.headrace.v1.ExplainKeyRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getExplainKeyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ExplainSession says what holds a session back and what it holds. Reasons:
     * INVALID_NAME, SUBSCRIPTION_NOT_FOUND, SESSION_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.ExplainSessionResponse explainSession(io.headrace.v1.ExplainSessionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getExplainSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * MoveSessions asks one session, or all of a subscription, to leave their streams, each
     * by a GoAway: STREAM for one, REBALANCE for all. A client that resumes opens another
     * stream and takes everything along; others work off what they hold. A stream that is
     * not left ends, with OK, after the grace. Nothing is charged. Repeating it asks those
     * that are new since. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SESSION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.MoveSessionsResponse moveSessions(io.headrace.v1.MoveSessionsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getMoveSessionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SeekSubscription moves a subscription back or forward in one commit. Its generation
     * rises; settles that were read before are committed before. Sessions stay open and
     * their sequences count on: what they hold is revoked with REVOKE_REASON_SEEK, uncharged,
     * and a settle that comes for it afterwards is STALE_DELIVERY. Attempts begin again,
     * parked keys go on; dead letters and what was redriven stay as they are.
     * Not idempotent: called again it moves the subscription again, so what was acked in
     * between is unacked. When the outcome is not known, Subscription.generation tells
     * whether the seek was made. A dry run changes nothing, and counts by what is
     * committed. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SNAPSHOT_NOT_FOUND, POSITION_OUT_OF_RANGE (before what is retained, or after the
     * end), NOTHING_KEPT, DISK_FULL, DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.SeekSubscriptionResponse seekSubscription(io.headrace.v1.SeekSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSeekSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * PeekSubscription shows messages of a partition in order of their offsets, as it is
     * committed. It takes nothing: what is shown is delivered as if it were not, no attempt
     * is counted, no session waits, and what sessions hold is shown, too.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND,
     * DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.PeekSubscriptionResponse peekSubscription(io.headrace.v1.PeekSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getPeekSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CreateSnapshot keeps what a subscription has not acked at this moment, and all that
     * comes later, until the snapshot expires: neither retention nor acks remove it. There
     * are at most 1,000 snapshots.
     * Not idempotent: a second call fails with SNAPSHOT_EXISTS. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, SNAPSHOT_EXISTS, LIMIT_REACHED, DISK_FULL,
     * DATA_LOSS.
     * </pre>
     */
    public io.headrace.v1.CreateSnapshotResponse createSnapshot(io.headrace.v1.CreateSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateSnapshotMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetSnapshot returns a snapshot. Reasons: INVALID_NAME, SNAPSHOT_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.GetSnapshotResponse getSnapshot(io.headrace.v1.GetSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetSnapshotMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListSnapshots returns snapshots in order of their names, a page at a time. Reasons:
     * INVALID_NAME, INVALID_FIELD.
     * </pre>
     */
    public io.headrace.v1.ListSnapshotsResponse listSnapshots(io.headrace.v1.ListSnapshotsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListSnapshotsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DeleteSnapshot ends a snapshot. What only it kept is removed in the background.
     * Reasons: INVALID_NAME, SNAPSHOT_NOT_FOUND.
     * </pre>
     */
    public io.headrace.v1.DeleteSnapshotResponse deleteSnapshot(io.headrace.v1.DeleteSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteSnapshotMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service SubscriptionService.
   * <pre>
   * SubscriptionService manages subscriptions. Every change is durable before its
   * answer.
   * </pre>
   */
  public static final class SubscriptionServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<SubscriptionServiceFutureStub> {
    private SubscriptionServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriptionServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriptionServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * CreateSubscription creates a subscription. When the call returns, every
     * message published from then on will be delivered to it.
     * Not idempotent: a second call fails with SUBSCRIPTION_EXISTS. Reasons:
     * INVALID_NAME, INVALID_FIELD, NOT_SERVED, TOPIC_NOT_FOUND, TOPIC_DELETED,
     * SUBSCRIPTION_EXISTS, LIMIT_REACHED, DISK_FULL.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.CreateSubscriptionResponse> createSubscription(
        io.headrace.v1.CreateSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateSubscriptionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * GetSubscription returns a subscription. Reasons: INVALID_NAME,
     * SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.GetSubscriptionResponse> getSubscription(
        io.headrace.v1.GetSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetSubscriptionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ListSubscriptions returns subscriptions in order of their names, a page at
     * a time. Reasons: INVALID_FIELD.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ListSubscriptionsResponse> listSubscriptions(
        io.headrace.v1.ListSubscriptionsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListSubscriptionsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * UpdateSubscription changes the fields that the mask names. Sessions that
     * are open learn of it.
     * Idempotent. Reasons: INVALID_NAME, INVALID_FIELD (also for a field that is
     * fixed at creation), NOT_SERVED, SUBSCRIPTION_NOT_FOUND, TOPIC_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.UpdateSubscriptionResponse> updateSubscription(
        io.headrace.v1.UpdateSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUpdateSubscriptionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * DeleteSubscription ends a subscription and its sessions. Its delivery state
     * goes in the background.
     * Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.DeleteSubscriptionResponse> deleteSubscription(
        io.headrace.v1.DeleteSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteSubscriptionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * GetSubscriptionStats returns figures of a subscription and of its sessions.
     * Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.GetSubscriptionStatsResponse> getSubscriptionStats(
        io.headrace.v1.GetSubscriptionStatsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetSubscriptionStatsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ListDeadLetters returns dead letters of a subscription in order of their
     * sequences, a page at a time. It takes nothing away.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS with
     * the sequence of a dead letter that is damaged; the page before it ends there.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ListDeadLettersResponse> listDeadLetters(
        io.headrace.v1.ListDeadLettersRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListDeadLettersMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * DiscardDeadLetters deletes dead letters for good.
     * Idempotent: what is gone already is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.DiscardDeadLettersResponse> discardDeadLetters(
        io.headrace.v1.DiscardDeadLettersRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDiscardDeadLettersMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * RedriveDeadLetters gives dead letters back to their subscription: in one commit
     * each leaves the dead letters and stands in the subscription's own partition,
     * 65,535, under its first id, key and times. Its attempts begin again; its failures
     * go along. Topic, floor and seeks are not touched.
     * Idempotent: what is gone already is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DISK_FULL, DATA_LOSS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.RedriveDeadLettersResponse> redriveDeadLetters(
        io.headrace.v1.RedriveDeadLettersRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRedriveDeadLettersMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ListParkedKeys returns the ordering keys that wait to be released, in order of
     * their partitions and hashes, a page at a time. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ListParkedKeysResponse> listParkedKeys(
        io.headrace.v1.ListParkedKeysRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListParkedKeysMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ReleaseParkedKeys lets parked keys go on with the message behind the one that
     * became a dead letter.
     * Idempotent: what is not parked is passed over. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ReleaseParkedKeysResponse> releaseParkedKeys(
        io.headrace.v1.ReleaseParkedKeysRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getReleaseParkedKeysMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * PauseSubscription stops deliveries, durably, until ResumeSubscription. Open
     * sessions learn of it at once by BLOCKED_BY_PAUSED; what they hold stays theirs and
     * can be settled and extended, and leases end as ever. The backlog goes on growing.
     * Idempotent. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.PauseSubscriptionResponse> pauseSubscription(
        io.headrace.v1.PauseSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getPauseSubscriptionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ResumeSubscription ends a pause.
     * Idempotent. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ResumeSubscriptionResponse> resumeSubscription(
        io.headrace.v1.ResumeSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getResumeSubscriptionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ExplainSubscription says why deliveries flow or do not, as of now. It changes and
     * holds up nothing. Reasons: INVALID_NAME, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ExplainSubscriptionResponse> explainSubscription(
        io.headrace.v1.ExplainSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getExplainSubscriptionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ExplainMessage says where a message stands: who holds it since when, its attempt,
     * why it waits, and when it is due. Whether a settled one is a dead letter is looked
     * for among the first 10,000. Reasons: INVALID_NAME, INVALID_FIELD,
     * SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ExplainMessageResponse> explainMessage(
        io.headrace.v1.ExplainMessageRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getExplainMessageMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ExplainKey says how an ordering key stands: who holds it, which message of it goes
     * next and when. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ExplainKeyResponse> explainKey(
        io.headrace.v1.ExplainKeyRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getExplainKeyMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ExplainSession says what holds a session back and what it holds. Reasons:
     * INVALID_NAME, SUBSCRIPTION_NOT_FOUND, SESSION_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ExplainSessionResponse> explainSession(
        io.headrace.v1.ExplainSessionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getExplainSessionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * MoveSessions asks one session, or all of a subscription, to leave their streams, each
     * by a GoAway: STREAM for one, REBALANCE for all. A client that resumes opens another
     * stream and takes everything along; others work off what they hold. A stream that is
     * not left ends, with OK, after the grace. Nothing is charged. Repeating it asks those
     * that are new since. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SESSION_NOT_FOUND, DATA_LOSS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.MoveSessionsResponse> moveSessions(
        io.headrace.v1.MoveSessionsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getMoveSessionsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * SeekSubscription moves a subscription back or forward in one commit. Its generation
     * rises; settles that were read before are committed before. Sessions stay open and
     * their sequences count on: what they hold is revoked with REVOKE_REASON_SEEK, uncharged,
     * and a settle that comes for it afterwards is STALE_DELIVERY. Attempts begin again,
     * parked keys go on; dead letters and what was redriven stay as they are.
     * Not idempotent: called again it moves the subscription again, so what was acked in
     * between is unacked. When the outcome is not known, Subscription.generation tells
     * whether the seek was made. A dry run changes nothing, and counts by what is
     * committed. Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND,
     * SNAPSHOT_NOT_FOUND, POSITION_OUT_OF_RANGE (before what is retained, or after the
     * end), NOTHING_KEPT, DISK_FULL, DATA_LOSS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.SeekSubscriptionResponse> seekSubscription(
        io.headrace.v1.SeekSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSeekSubscriptionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * PeekSubscription shows messages of a partition in order of their offsets, as it is
     * committed. It takes nothing: what is shown is delivered as if it were not, no attempt
     * is counted, no session waits, and what sessions hold is shown, too.
     * Reasons: INVALID_NAME, INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, PARTITION_NOT_FOUND,
     * DATA_LOSS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.PeekSubscriptionResponse> peekSubscription(
        io.headrace.v1.PeekSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getPeekSubscriptionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * CreateSnapshot keeps what a subscription has not acked at this moment, and all that
     * comes later, until the snapshot expires: neither retention nor acks remove it. There
     * are at most 1,000 snapshots.
     * Not idempotent: a second call fails with SNAPSHOT_EXISTS. Reasons: INVALID_NAME,
     * INVALID_FIELD, SUBSCRIPTION_NOT_FOUND, SNAPSHOT_EXISTS, LIMIT_REACHED, DISK_FULL,
     * DATA_LOSS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.CreateSnapshotResponse> createSnapshot(
        io.headrace.v1.CreateSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateSnapshotMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * GetSnapshot returns a snapshot. Reasons: INVALID_NAME, SNAPSHOT_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.GetSnapshotResponse> getSnapshot(
        io.headrace.v1.GetSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetSnapshotMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ListSnapshots returns snapshots in order of their names, a page at a time. Reasons:
     * INVALID_NAME, INVALID_FIELD.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.ListSnapshotsResponse> listSnapshots(
        io.headrace.v1.ListSnapshotsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListSnapshotsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * DeleteSnapshot ends a snapshot. What only it kept is removed in the background.
     * Reasons: INVALID_NAME, SNAPSHOT_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.headrace.v1.DeleteSnapshotResponse> deleteSnapshot(
        io.headrace.v1.DeleteSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteSnapshotMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CREATE_SUBSCRIPTION = 0;
  private static final int METHODID_GET_SUBSCRIPTION = 1;
  private static final int METHODID_LIST_SUBSCRIPTIONS = 2;
  private static final int METHODID_UPDATE_SUBSCRIPTION = 3;
  private static final int METHODID_DELETE_SUBSCRIPTION = 4;
  private static final int METHODID_GET_SUBSCRIPTION_STATS = 5;
  private static final int METHODID_LIST_DEAD_LETTERS = 6;
  private static final int METHODID_DISCARD_DEAD_LETTERS = 7;
  private static final int METHODID_REDRIVE_DEAD_LETTERS = 8;
  private static final int METHODID_LIST_PARKED_KEYS = 9;
  private static final int METHODID_RELEASE_PARKED_KEYS = 10;
  private static final int METHODID_PAUSE_SUBSCRIPTION = 11;
  private static final int METHODID_RESUME_SUBSCRIPTION = 12;
  private static final int METHODID_EXPLAIN_SUBSCRIPTION = 13;
  private static final int METHODID_EXPLAIN_MESSAGE = 14;
  private static final int METHODID_EXPLAIN_KEY = 15;
  private static final int METHODID_EXPLAIN_SESSION = 16;
  private static final int METHODID_MOVE_SESSIONS = 17;
  private static final int METHODID_SEEK_SUBSCRIPTION = 18;
  private static final int METHODID_PEEK_SUBSCRIPTION = 19;
  private static final int METHODID_CREATE_SNAPSHOT = 20;
  private static final int METHODID_GET_SNAPSHOT = 21;
  private static final int METHODID_LIST_SNAPSHOTS = 22;
  private static final int METHODID_DELETE_SNAPSHOT = 23;

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
        case METHODID_CREATE_SUBSCRIPTION:
          serviceImpl.createSubscription((io.headrace.v1.CreateSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.CreateSubscriptionResponse>) responseObserver);
          break;
        case METHODID_GET_SUBSCRIPTION:
          serviceImpl.getSubscription((io.headrace.v1.GetSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.GetSubscriptionResponse>) responseObserver);
          break;
        case METHODID_LIST_SUBSCRIPTIONS:
          serviceImpl.listSubscriptions((io.headrace.v1.ListSubscriptionsRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ListSubscriptionsResponse>) responseObserver);
          break;
        case METHODID_UPDATE_SUBSCRIPTION:
          serviceImpl.updateSubscription((io.headrace.v1.UpdateSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.UpdateSubscriptionResponse>) responseObserver);
          break;
        case METHODID_DELETE_SUBSCRIPTION:
          serviceImpl.deleteSubscription((io.headrace.v1.DeleteSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.DeleteSubscriptionResponse>) responseObserver);
          break;
        case METHODID_GET_SUBSCRIPTION_STATS:
          serviceImpl.getSubscriptionStats((io.headrace.v1.GetSubscriptionStatsRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.GetSubscriptionStatsResponse>) responseObserver);
          break;
        case METHODID_LIST_DEAD_LETTERS:
          serviceImpl.listDeadLetters((io.headrace.v1.ListDeadLettersRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ListDeadLettersResponse>) responseObserver);
          break;
        case METHODID_DISCARD_DEAD_LETTERS:
          serviceImpl.discardDeadLetters((io.headrace.v1.DiscardDeadLettersRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.DiscardDeadLettersResponse>) responseObserver);
          break;
        case METHODID_REDRIVE_DEAD_LETTERS:
          serviceImpl.redriveDeadLetters((io.headrace.v1.RedriveDeadLettersRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.RedriveDeadLettersResponse>) responseObserver);
          break;
        case METHODID_LIST_PARKED_KEYS:
          serviceImpl.listParkedKeys((io.headrace.v1.ListParkedKeysRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ListParkedKeysResponse>) responseObserver);
          break;
        case METHODID_RELEASE_PARKED_KEYS:
          serviceImpl.releaseParkedKeys((io.headrace.v1.ReleaseParkedKeysRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ReleaseParkedKeysResponse>) responseObserver);
          break;
        case METHODID_PAUSE_SUBSCRIPTION:
          serviceImpl.pauseSubscription((io.headrace.v1.PauseSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.PauseSubscriptionResponse>) responseObserver);
          break;
        case METHODID_RESUME_SUBSCRIPTION:
          serviceImpl.resumeSubscription((io.headrace.v1.ResumeSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ResumeSubscriptionResponse>) responseObserver);
          break;
        case METHODID_EXPLAIN_SUBSCRIPTION:
          serviceImpl.explainSubscription((io.headrace.v1.ExplainSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ExplainSubscriptionResponse>) responseObserver);
          break;
        case METHODID_EXPLAIN_MESSAGE:
          serviceImpl.explainMessage((io.headrace.v1.ExplainMessageRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ExplainMessageResponse>) responseObserver);
          break;
        case METHODID_EXPLAIN_KEY:
          serviceImpl.explainKey((io.headrace.v1.ExplainKeyRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ExplainKeyResponse>) responseObserver);
          break;
        case METHODID_EXPLAIN_SESSION:
          serviceImpl.explainSession((io.headrace.v1.ExplainSessionRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ExplainSessionResponse>) responseObserver);
          break;
        case METHODID_MOVE_SESSIONS:
          serviceImpl.moveSessions((io.headrace.v1.MoveSessionsRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.MoveSessionsResponse>) responseObserver);
          break;
        case METHODID_SEEK_SUBSCRIPTION:
          serviceImpl.seekSubscription((io.headrace.v1.SeekSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.SeekSubscriptionResponse>) responseObserver);
          break;
        case METHODID_PEEK_SUBSCRIPTION:
          serviceImpl.peekSubscription((io.headrace.v1.PeekSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.PeekSubscriptionResponse>) responseObserver);
          break;
        case METHODID_CREATE_SNAPSHOT:
          serviceImpl.createSnapshot((io.headrace.v1.CreateSnapshotRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.CreateSnapshotResponse>) responseObserver);
          break;
        case METHODID_GET_SNAPSHOT:
          serviceImpl.getSnapshot((io.headrace.v1.GetSnapshotRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.GetSnapshotResponse>) responseObserver);
          break;
        case METHODID_LIST_SNAPSHOTS:
          serviceImpl.listSnapshots((io.headrace.v1.ListSnapshotsRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.ListSnapshotsResponse>) responseObserver);
          break;
        case METHODID_DELETE_SNAPSHOT:
          serviceImpl.deleteSnapshot((io.headrace.v1.DeleteSnapshotRequest) request,
              (io.grpc.stub.StreamObserver<io.headrace.v1.DeleteSnapshotResponse>) responseObserver);
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
          getCreateSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.CreateSubscriptionRequest,
              io.headrace.v1.CreateSubscriptionResponse>(
                service, METHODID_CREATE_SUBSCRIPTION)))
        .addMethod(
          getGetSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.GetSubscriptionRequest,
              io.headrace.v1.GetSubscriptionResponse>(
                service, METHODID_GET_SUBSCRIPTION)))
        .addMethod(
          getListSubscriptionsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ListSubscriptionsRequest,
              io.headrace.v1.ListSubscriptionsResponse>(
                service, METHODID_LIST_SUBSCRIPTIONS)))
        .addMethod(
          getUpdateSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.UpdateSubscriptionRequest,
              io.headrace.v1.UpdateSubscriptionResponse>(
                service, METHODID_UPDATE_SUBSCRIPTION)))
        .addMethod(
          getDeleteSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.DeleteSubscriptionRequest,
              io.headrace.v1.DeleteSubscriptionResponse>(
                service, METHODID_DELETE_SUBSCRIPTION)))
        .addMethod(
          getGetSubscriptionStatsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.GetSubscriptionStatsRequest,
              io.headrace.v1.GetSubscriptionStatsResponse>(
                service, METHODID_GET_SUBSCRIPTION_STATS)))
        .addMethod(
          getListDeadLettersMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ListDeadLettersRequest,
              io.headrace.v1.ListDeadLettersResponse>(
                service, METHODID_LIST_DEAD_LETTERS)))
        .addMethod(
          getDiscardDeadLettersMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.DiscardDeadLettersRequest,
              io.headrace.v1.DiscardDeadLettersResponse>(
                service, METHODID_DISCARD_DEAD_LETTERS)))
        .addMethod(
          getRedriveDeadLettersMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.RedriveDeadLettersRequest,
              io.headrace.v1.RedriveDeadLettersResponse>(
                service, METHODID_REDRIVE_DEAD_LETTERS)))
        .addMethod(
          getListParkedKeysMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ListParkedKeysRequest,
              io.headrace.v1.ListParkedKeysResponse>(
                service, METHODID_LIST_PARKED_KEYS)))
        .addMethod(
          getReleaseParkedKeysMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ReleaseParkedKeysRequest,
              io.headrace.v1.ReleaseParkedKeysResponse>(
                service, METHODID_RELEASE_PARKED_KEYS)))
        .addMethod(
          getPauseSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.PauseSubscriptionRequest,
              io.headrace.v1.PauseSubscriptionResponse>(
                service, METHODID_PAUSE_SUBSCRIPTION)))
        .addMethod(
          getResumeSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ResumeSubscriptionRequest,
              io.headrace.v1.ResumeSubscriptionResponse>(
                service, METHODID_RESUME_SUBSCRIPTION)))
        .addMethod(
          getExplainSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ExplainSubscriptionRequest,
              io.headrace.v1.ExplainSubscriptionResponse>(
                service, METHODID_EXPLAIN_SUBSCRIPTION)))
        .addMethod(
          getExplainMessageMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ExplainMessageRequest,
              io.headrace.v1.ExplainMessageResponse>(
                service, METHODID_EXPLAIN_MESSAGE)))
        .addMethod(
          getExplainKeyMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ExplainKeyRequest,
              io.headrace.v1.ExplainKeyResponse>(
                service, METHODID_EXPLAIN_KEY)))
        .addMethod(
          getExplainSessionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ExplainSessionRequest,
              io.headrace.v1.ExplainSessionResponse>(
                service, METHODID_EXPLAIN_SESSION)))
        .addMethod(
          getMoveSessionsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.MoveSessionsRequest,
              io.headrace.v1.MoveSessionsResponse>(
                service, METHODID_MOVE_SESSIONS)))
        .addMethod(
          getSeekSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.SeekSubscriptionRequest,
              io.headrace.v1.SeekSubscriptionResponse>(
                service, METHODID_SEEK_SUBSCRIPTION)))
        .addMethod(
          getPeekSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.PeekSubscriptionRequest,
              io.headrace.v1.PeekSubscriptionResponse>(
                service, METHODID_PEEK_SUBSCRIPTION)))
        .addMethod(
          getCreateSnapshotMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.CreateSnapshotRequest,
              io.headrace.v1.CreateSnapshotResponse>(
                service, METHODID_CREATE_SNAPSHOT)))
        .addMethod(
          getGetSnapshotMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.GetSnapshotRequest,
              io.headrace.v1.GetSnapshotResponse>(
                service, METHODID_GET_SNAPSHOT)))
        .addMethod(
          getListSnapshotsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.ListSnapshotsRequest,
              io.headrace.v1.ListSnapshotsResponse>(
                service, METHODID_LIST_SNAPSHOTS)))
        .addMethod(
          getDeleteSnapshotMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.headrace.v1.DeleteSnapshotRequest,
              io.headrace.v1.DeleteSnapshotResponse>(
                service, METHODID_DELETE_SNAPSHOT)))
        .build();
  }

  private static abstract class SubscriptionServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    SubscriptionServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.headrace.v1.SubscriptionServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("SubscriptionService");
    }
  }

  private static final class SubscriptionServiceFileDescriptorSupplier
      extends SubscriptionServiceBaseDescriptorSupplier {
    SubscriptionServiceFileDescriptorSupplier() {}
  }

  private static final class SubscriptionServiceMethodDescriptorSupplier
      extends SubscriptionServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    SubscriptionServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (SubscriptionServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new SubscriptionServiceFileDescriptorSupplier())
              .addMethod(getCreateSubscriptionMethod())
              .addMethod(getGetSubscriptionMethod())
              .addMethod(getListSubscriptionsMethod())
              .addMethod(getUpdateSubscriptionMethod())
              .addMethod(getDeleteSubscriptionMethod())
              .addMethod(getGetSubscriptionStatsMethod())
              .addMethod(getListDeadLettersMethod())
              .addMethod(getDiscardDeadLettersMethod())
              .addMethod(getRedriveDeadLettersMethod())
              .addMethod(getListParkedKeysMethod())
              .addMethod(getReleaseParkedKeysMethod())
              .addMethod(getPauseSubscriptionMethod())
              .addMethod(getResumeSubscriptionMethod())
              .addMethod(getExplainSubscriptionMethod())
              .addMethod(getExplainMessageMethod())
              .addMethod(getExplainKeyMethod())
              .addMethod(getExplainSessionMethod())
              .addMethod(getMoveSessionsMethod())
              .addMethod(getSeekSubscriptionMethod())
              .addMethod(getPeekSubscriptionMethod())
              .addMethod(getCreateSnapshotMethod())
              .addMethod(getGetSnapshotMethod())
              .addMethod(getListSnapshotsMethod())
              .addMethod(getDeleteSnapshotMethod())
              .build();
        }
      }
    }
    return result;
  }
}
