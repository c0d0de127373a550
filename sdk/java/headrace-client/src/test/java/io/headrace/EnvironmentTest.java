package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the variables of the environment make of a client. */
class EnvironmentTest {
  private static HeadraceClientBuilder builder(Map<String, String> variables) {
    return new Environment(variables).builder();
  }

  @Test
  void withoutVariablesItIsThisMachineInPlaintext() {
    HeadraceClientBuilder none = builder(Map.of());
    assertEquals(List.of("localhost:7070", ""), List.of(none.target, none.token));
    assertNull(none.tls);
  }

  @Test
  void everyVariableCounts() {
    HeadraceClientBuilder all =
        builder(
            Map.of(
                "HEADRACE_ADDR", "example.test:443",
                "HEADRACE_TOKEN", "secret",
                "HEADRACE_TLS_CA", "/ca.pem",
                "HEADRACE_TLS_CERT", "/cert.pem",
                "HEADRACE_TLS_KEY", "/key.pem",
                "HEADRACE_TLS_SERVER_NAME", "other.test"));
    assertEquals(List.of("example.test:443", "secret"), List.of(all.target, all.token));
    assertNotNull(all.tls);
    assertEquals(List.of(Path.of("/ca.pem"), Path.of("/cert.pem"), Path.of("/key.pem")), List.of(all.tls.ca(), all.tls.certificate(), all.tls.key()));
    assertEquals("other.test", all.tls.serverName());
  }

  @Test
  void tlsAloneTrustsWhomJavaTrusts() {
    assertNotNull(builder(Map.of("HEADRACE_TLS", "TRUE")).tls);
    assertNull(builder(Map.of("HEADRACE_TLS", "off")).tls);
  }

  @Test
  void whatIsWrongNamesItsVariable() {
    assertEquals("HEADRACE_TLS", refused(Map.of("HEADRACE_TLS", "perhaps")).field());
    assertEquals("HEADRACE_TLS_CERT", refused(Map.of("HEADRACE_TLS_KEY", "/key.pem")).field());
  }

  private static HeadraceException refused(Map<String, String> variables) {
    return assertThrows(HeadraceException.InvalidArgument.class, () -> builder(variables));
  }
}
