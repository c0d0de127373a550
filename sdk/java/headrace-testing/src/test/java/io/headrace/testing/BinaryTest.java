package io.headrace.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the binary is looked for, and what is said when there is none. */
class BinaryTest {
  @TempDir Path directory;

  private Path program(String name) throws IOException {
    Path path = directory.resolve(name);
    Files.createDirectories(path.getParent());
    Files.createFile(path);
    assertTrue(path.toFile().setExecutable(true));
    return path;
  }

  private static Path find(Map<String, String> properties, Map<String, String> variables) {
    return new Binary(properties::get, variables::get).path();
  }

  @Test
  void thePropertyComesBeforeTheVariableAndThePath() throws IOException {
    Path first = program("first");
    Path second = program("second");
    Path third = program("bin/headrace");
    Map<String, String> variables = Map.of("HEADRACE_BINARY", second.toString(), "PATH", third.getParent().toString());
    assertEquals(first, find(Map.of("headrace.binary", first.toString()), variables));
    assertEquals(second, find(Map.of(), variables));
    assertEquals(third, find(Map.of(), Map.of("PATH", "/nowhere" + File.pathSeparator + third.getParent())));
  }

  @Test
  void aMissingBinaryIsToldWithWhatToDo() {
    IllegalStateException none = assertThrows(IllegalStateException.class, () -> find(Map.of(), Map.of("PATH", "")));
    assertTrue(none.getMessage().contains("make build"), none.getMessage());
    assertTrue(none.getMessage().contains("HEADRACE_BINARY"), none.getMessage());
    IllegalStateException wrong =
        assertThrows(IllegalStateException.class, () -> find(Map.of("headrace.binary", "/no/such"), Map.of()));
    assertTrue(wrong.getMessage().contains("headrace.binary names /no/such"), wrong.getMessage());
  }
}
