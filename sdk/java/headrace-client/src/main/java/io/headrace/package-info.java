/**
 * The Java client of Headrace, a message service that pushes.
 *
 * <pre>{@code
 * try (HeadraceClient c = HeadraceClient.connect("localhost:7070")) {
 *   MessageId id = c.topic("orders").publish("two loaves".getBytes(UTF_8)).join();
 *   try (Subscriber s = c.subscribe("billing", d -> System.out.println(d.id())).start()) {
 *     Thread.sleep(1_000);
 *   }
 * }
 * }</pre>
 *
 * <p>A publish whose future is done is stored as its topic's durability says. The client sends a
 * message again by itself, and never stores one twice. A delivery is repeated until it is acked: at
 * least once, unless the subscription says otherwise.
 *
 * <p>No type of gRPC or Guava is in a public signature; the configuration messages of topics and
 * subscriptions are those of the contract, {@code io.headrace.v1}. Nothing is null unless it says so.
 */
@NullMarked
package io.headrace;

import org.jspecify.annotations.NullMarked;
