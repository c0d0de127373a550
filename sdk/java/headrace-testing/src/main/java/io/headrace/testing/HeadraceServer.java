package io.headrace.testing;

import io.headrace.HeadraceClient;
import io.headrace.HeadraceClientBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real server, in a process of its own: on a free port of this machine, with a directory of its own,
 * which is removed in the end. Not safe for use by several threads.
 */
public final class HeadraceServer implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("\"address\":\"([^\"]+)\"");
  private static final int STOP_SECONDS = 60;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int LOG_BYTES = 4_000;

  private final Path binary;
  private final Path directory;
  private final List<String> arguments;
  private String address = "127.0.0.1:0";
  private @Nullable Process process;
  private @Nullable Faults faults;

  private HeadraceServer(Path binary, Path directory, List<String> arguments) {
    this.binary = binary;
    this.directory = directory;
    this.arguments = arguments;
  }

  /**
   * Starts a server, and waits until it serves.
   *
   * @param arguments more of {@code headrace serve}, such as {@code --config}, {@code FILE}; default: none
   * @return the server, to be closed
   * @throws IllegalStateException there is no binary, or it did not start; the message says why
   */
  public static HeadraceServer start(String... arguments) {
    Path binary = Binary.find();
    try {
      HeadraceServer server =
          new HeadraceServer(binary, Files.createTempDirectory("headrace-test"), List.of(arguments));
      server.restart();
      return server;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /**
   * Where it serves.
   *
   * @return host and port, the same after a {@link #restart}
   */
  public String address() {
    return address;
  }

  /**
   * Where it keeps what it stores.
   *
   * @return the data directory
   */
  public Path dataDirectory() {
    return directory.resolve("data");
  }

  /**
   * A client of this server.
   *
   * @return the client, to be closed
   */
  public HeadraceClient connect() {
    return builder().build();
  }

  /**
   * Begins a client of this server, which is patient: a test's machine may have much to do.
   *
   * @return a builder with the defaults, but for times of a minute to connect and to call
   */
  public HeadraceClientBuilder builder() {
    return HeadraceClient.builder(address).connectTimeout(PATIENCE).callTimeout(PATIENCE);
  }

  /**
   * What the test may do to it; faults end with the process.
   *
   * @return the hooks, closed with the server
   */
  public Faults faults() {
    Faults hooks = faults;
    if (hooks == null) {
      hooks = new Faults(address);
      faults = hooks;
    }
    return hooks;
  }

  /**
   * Starts it again on what it has stored, on the same port.
   *
   * @throws IllegalStateException it runs already, or did not start; the message says why
   */
  public void restart() {
    if (process != null) {
      throw new IllegalStateException("the server runs already: kill or terminate it first");
    }
    List<String> command =
        new ArrayList<>(
            List.of(
                binary.toString(), "serve", "--testing", "-o", "jsonl", "--dir", dataDirectory().toString(), "--listen", address,
                "--ops-listen", "127.0.0.1:0"));
    command.addAll(arguments);
    try {
      Process started =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log().toFile())).start();
      address = addressOf(started);
      process = started;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private Path log() {
    return directory.resolve("log");
  }

  private String addressOf(Process started) throws IOException {
    BufferedReader out = new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    Matcher found = ADDRESS.matcher(line == null ? "" : line);
    if (found.find()) {
      return found.group(1);
    }
    started.destroyForcibly();
    throw new IllegalStateException("the server did not start: " + endOfLog());
  }

  private String endOfLog() throws IOException {
    byte[] all = Files.readAllBytes(log());
    int from = Math.max(0, all.length - LOG_BYTES);
    return new String(all, from, all.length - from, StandardCharsets.UTF_8);
  }

  /**
   * Kills it, as by {@code kill -9}, and waits for its end.
   *
   * @throws InterruptedException the thread was interrupted
   */
  public void kill() throws InterruptedException {
    Process running = process;
    process = null;
    if (running != null) {
      running.destroyForcibly().waitFor();
    }
  }

  /**
   * Asks it to stop, as by SIGTERM, and waits for its end: it drains.
   *
   * @return its exit code; 0 after a stop in order
   * @throws InterruptedException the thread was interrupted
   * @throws IllegalStateException it had not stopped after a minute; or it does not run
   */
  public int terminate() throws InterruptedException {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException("the server does not run");
    }
    running.destroy();
    if (!running.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the server had not stopped after " + STOP_SECONDS + " s");
    }
    process = null;
    return running.exitValue();
  }

  /** Kills it, and removes its directory. */
  @Override
  public void close() {
    if (faults != null) {
      faults.close();
    }
    try {
      kill();
      removeAll();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private void removeAll() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) all.sorted(Comparator.reverseOrder())::iterator) {
        Files.deleteIfExists(path);
      }
    }
  }
}
