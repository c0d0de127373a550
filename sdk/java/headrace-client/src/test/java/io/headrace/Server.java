package io.headrace;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The real server, which the system property headrace.binary names, on a directory of its own and one port. */
final class Server implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("\"address\":\"([^\"]+)\"");

  private final Path directory;
  private String address = "127.0.0.1:0";
  private Process process;

  Server(Path directory) {
    this.directory = directory;
    start();
  }

  String address() {
    return address;
  }

  void start() {
    String binary = Objects.requireNonNull(System.getProperty("headrace.binary"), "-Dheadrace.binary names the server");
    ProcessBuilder command =
        new ProcessBuilder(
            binary, "serve", "-o", "jsonl", "--dir", directory.resolve("data").toString(), "--listen", address,
            "--ops-listen", "127.0.0.1:0");
    command.redirectError(ProcessBuilder.Redirect.appendTo(new File(directory.toFile(), "log")));
    try {
      process = command.start();
      BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = out.readLine();
      Matcher found = ADDRESS.matcher(line == null ? "" : line);
      if (!found.find()) {
        throw new IllegalStateException("the server did not start: see " + directory.resolve("log"));
      }
      address = found.group(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** kill -9. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** SIGTERM, and waits: the server drains. */
  int terminate() throws InterruptedException {
    process.destroy();
    return process.waitFor(60, TimeUnit.SECONDS) ? process.exitValue() : -1;
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
