package io.headrace;

import io.headrace.v1.Feature;
import io.headrace.v1.SubscribeRequest;
import java.util.List;

/** What a subscriber says of itself as it opens a stream: who it is, what it can do, and how it is to be served. */
final class Introduction {
  private static final List<Feature> FEATURES =
      List.of(
          Feature.FEATURE_KEY_BATCHES,
          Feature.FEATURE_RECALL,
          Feature.FEATURE_STARTED,
          Feature.FEATURE_RESUME,
          Feature.FEATURE_DEAD_LETTERS);

  private final String subscription;
  private final String clientId;
  private final SubscribeSettings settings;

  Introduction(String subscription, String clientId, SubscribeSettings settings) {
    this.subscription = subscription;
    this.clientId = clientId;
    this.settings = settings;
  }

  /**
   * The first frame of a stream, but for its credit and for what it takes up.
   *
   * @param again the subscriber had a stream before: whoever took its place since is not driven out again
   */
  SubscribeRequest.Open.Builder open(boolean again) {
    SubscribeRequest.Open.Builder open =
        SubscribeRequest.Open.newBuilder()
            .setSubscription(subscription)
            .setClientId(clientId)
            .putAllLabels(settings.labels())
            .addAllFeatures(FEATURES)
            .setMaxFrameBytes(settings.maxFrameBytes())
            .setTakeover(settings.takeover() && !again);
    if (settings.lease() != null) {
      open.setLease(Durations.of(settings.lease()));
    }
    return open;
  }
}
