package io.headrace.v1;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServiceDescriptor;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The generated classes load on the oldest runtime they promise, and say what the contract says. */
class ContractTest {
  private static final int FIELD_OF_A_LATER_VERSION = 19_000_000;

  @Test
  void everyServiceHasItsStub() {
    Set<String> names =
        List.of(
                PublisherServiceGrpc.getServiceDescriptor(),
                SubscriberServiceGrpc.getServiceDescriptor(),
                TopicServiceGrpc.getServiceDescriptor(),
                SubscriptionServiceGrpc.getServiceDescriptor())
            .stream()
            .map(ServiceDescriptor::getName)
            .collect(Collectors.toSet());
    assertEquals(
        Set.of(
            "headrace.v1.PublisherService",
            "headrace.v1.SubscriberService",
            "headrace.v1.TopicService",
            "headrace.v1.SubscriptionService"),
        names);
  }

  @Test
  void subscribeStreamsBothWays() {
    assertEquals(
        MethodType.BIDI_STREAMING, SubscriberServiceGrpc.getSubscribeMethod().getType());
  }

  @Test
  void unknownFieldsSurviveARoundTrip() throws Exception {
    UnknownFieldSet later =
        UnknownFieldSet.newBuilder()
            .addField(
                FIELD_OF_A_LATER_VERSION,
                UnknownFieldSet.Field.newBuilder().addVarint(42).build())
            .build();
    Message sent =
        Message.newBuilder()
            .setData(ByteString.copyFromUtf8("body"))
            .setUnknownFields(later)
            .build();
    assertEquals(sent, Message.parseFrom(sent.toByteString()));
    assertEquals(later, Message.parseFrom(sent.toByteString()).getUnknownFields());
  }
}
