package io.headrace.testing;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds the server's binary. */
final class Binary {
  static final String PROPERTY = "headrace.binary";
  static final String VARIABLE = "HEADRACE_BINARY";

  private final Function<String, @Nullable String> properties;
  private final Function<String, @Nullable String> variables;

  Binary(Function<String, @Nullable String> properties, Function<String, @Nullable String> variables) {
    this.properties = properties;
    this.variables = variables;
  }

  static Path find() {
    return new Binary(System::getProperty, System::getenv).path();
  }

  Path path() {
    String named = properties.apply(PROPERTY);
    if (named != null && !named.isEmpty()) {
      return checked(named, "the system property " + PROPERTY);
    }
    named = variables.apply(VARIABLE);
    if (named != null && !named.isEmpty()) {
      return checked(named, "the environment variable " + VARIABLE);
    }
    return onPath()
        .orElseThrow(
            () -> new IllegalStateException(
                "no headrace binary: build one with `make build` and name it by -D" + PROPERTY + "=… or " + VARIABLE
                    + "=…, or put it on the PATH"));
  }

  private static Path checked(String named, String by) {
    Path path = Path.of(named);
    if (!Files.isExecutable(path)) {
      throw new IllegalStateException("no headrace binary: " + by + " names " + named + ", which is no program");
    }
    return path;
  }

  private Optional<Path> onPath() {
    String path = variables.apply("PATH");
    return Arrays.stream((path == null ? "" : path).split(File.pathSeparator))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "headrace"))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
