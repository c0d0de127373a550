package chatroom;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.Subscriber;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Runs three live instances of a program that all hear everything: each publishes to the room and gets what
 * any of them said. Each has an ephemeral subscription of its own, which goes with it.
 */
public final class ChatRoom {
  /** The conversation: who says what, in answer to what. */
  private static final List<String> NAMES = List.of("red", "green", "blue");

  private static final Map<String, Map<String, String>> ANSWERS =
      Map.of(
          "green", Map.of("red: is anybody here?", "I am"),
          "blue", Map.of("green: I am", "so am I"));

  public static void main(String[] args) {
    List<Instance> room = new ArrayList<>();
    try {
      for (String name : NAMES) {
        room.add(new Instance(name));
      }
      room.get(0).say("is anybody here?");
      for (Instance i : room) {
        // That its subscriber ended by itself is a failure.
        CompletableFuture.anyOf(i.everybodyHadASay, i.subscriber.ended()).join();
        System.out.println(i.name + " heard " + String.join(", ", i.heard));
      }
    } finally {
      room.forEach(Instance::close);
    }
  }

  /** One running copy of the program. */
  private static final class Instance implements AutoCloseable {
    private final String name;
    private final HeadraceClient client = HeadraceClient.fromEnv();
    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());
    private final CompletableFuture<Void> everybodyHadASay = new CompletableFuture<>();
    private final Subscriber subscriber;

    /** Creates the room if it is the first there, and hears all that is said from now on. */
    Instance(String name) {
      this.name = name;
      try {
        client.topics().create("room");
      } catch (HeadraceException.AlreadyExists e) {
        // As it should be.
      }
      subscriber = client.topic("room").broadcast(this::hear).start();
    }

    /** Tells everybody, the instance itself too. */
    void say(String text) {
      client.topic("room").publish((name + ": " + text).getBytes(UTF_8)).join();
    }

    private void hear(Delivery<byte[]> d) {
      String line = new String(d.data(), UTF_8);
      heard.add(line);
      String answer = ANSWERS.getOrDefault(name, Map.of()).get(line);
      if (answer != null) {
        say(answer);
      }
      if (heard.size() == NAMES.size()) {
        everybodyHadASay.complete(null);
      }
    }

    @Override
    public void close() {
      subscriber.close();
      client.close();
    }
  }
}
