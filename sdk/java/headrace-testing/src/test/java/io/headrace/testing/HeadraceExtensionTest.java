package io.headrace.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server for each test, a server for the class, and what becomes of them. */
@Timeout(120)
class HeadraceExtensionTest {
  @RegisterExtension static final HeadraceExtension ofTheClass = new HeadraceExtension().topic("orders");

  @RegisterExtension
  final HeadraceExtension ofTheTest = new HeadraceExtension().topic("orders").subscription("billing", "orders");

  @Test
  void eachTestHasWhatItPrepared() {
    assertEquals(1, ofTheTest.client().topics().stats("orders").getSubscriptions());
    assertEquals(0, ofTheClass.client().topics().stats("orders").getSubscriptions());
  }

  @Test
  void aServerIsKilledAndStartedAgainOnTheSamePort() throws InterruptedException {
    String address = ofTheTest.server().address();
    ofTheTest.client().topic("orders").publish(new byte[1]).join();
    ofTheTest.server().kill();
    ofTheTest.server().restart();
    assertEquals(address, ofTheTest.server().address());
    assertThrows(IllegalStateException.class, () -> ofTheTest.server().restart());
    assertEquals(1, ofTheTest.client().topics().stats("orders").getRetained().getMessages());
    assertEquals(0, ofTheTest.server().terminate());
  }

  @Test
  void aServerThatIsClosedLeavesNothing() {
    Path directory;
    try (HeadraceServer server = HeadraceServer.start()) {
      directory = server.dataDirectory();
      assertTrue(Files.exists(directory));
    }
    assertFalse(Files.exists(directory.getParent()));
  }

  @Test
  void aServerThatDoesNotStartSaysWhy() {
    IllegalStateException e = assertThrows(IllegalStateException.class, () -> HeadraceServer.start("--no-such-flag"));
    assertTrue(e.getMessage().contains("no-such-flag"), e.getMessage());
  }
}
