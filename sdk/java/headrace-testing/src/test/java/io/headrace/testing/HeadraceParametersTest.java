package io.headrace.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headrace.HeadraceClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The server and the client as parameters, of one server for the class. */
@Timeout(120)
@ExtendWith(HeadraceExtension.class)
class HeadraceParametersTest {
  @Test
  void theClientIsOfTheServer(HeadraceServer server, HeadraceClient client) {
    client.topics().create("orders");
    try (HeadraceClient other = server.connect()) {
      assertEquals("default/orders", other.topics().get("orders").getName());
    }
  }
}
