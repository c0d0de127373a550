package io.headrace;

import com.google.protobuf.Parser;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The ephemeral subscription of one live instance. */
final class Broadcast {
  private final HeadraceClient client;
  private final String topic;
  private final String subscription;

  Broadcast(HeadraceClient client, String topic) {
    this.client = client;
    this.topic = topic;
    int slash = topic.indexOf('/');
    subscription = topic.substring(0, slash + 1) + "broadcast-" + UUID.randomUUID();
  }

  <T> Subscriber start(@Nullable Parser<?> parser, SubscriberBuilder<T> how) {
    client
        .subscriptions()
        .create(
            io.headrace.v1.Subscription.newBuilder().setName(subscription).setTopic(topic).setEphemeral(true).build());
    return client.receivers().start(subscription, parser, how, this::remove);
  }

  /** Removes the subscription; the server does so by itself a minute later if this fails. */
  private void remove() {
    try {
      client.subscriptions().delete(subscription);
    } catch (HeadraceException gone) {
      return; // It is gone already, or soon will be.
    }
  }
}
