package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.stub.StreamObserver;
import io.headrace.v1.GetTopicRequest;
import io.headrace.v1.GetTopicResponse;
import io.headrace.v1.TopicServiceGrpc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS both ways and tokens, against a server of gRPC's own. */
@Timeout(120)
class ConnectionTest {
  @TempDir Path directory;
  private final BlockingQueue<String> authorizations = new LinkedBlockingQueue<>();

  /** A key and its certificate for a name, made by the JDK's keytool and written as PEM. */
  private final class Identity {
    final Path certificate = directory.resolve("certificate.pem");
    final Path key = directory.resolve("key.pem");

    Identity(String name) throws Exception {
      Path store = directory.resolve("store");
      Process keytool =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair", "-alias", "one", "-keyalg", "EC", "-storetype", "PKCS12", "-keystore", store.toString(),
                  "-storepass", "password", "-dname", "CN=" + name, "-ext", "san=dns:" + name)
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("keytool").toFile())
              .start();
      assertEquals(0, keytool.waitFor());
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(Files.newInputStream(store), "password".toCharArray());
      write(certificate, "CERTIFICATE", keys.getCertificate("one").getEncoded());
      write(key, "PRIVATE KEY", keys.getKey("one", "password".toCharArray()).getEncoded());
    }

    private void write(Path file, String what, byte[] encoded) throws IOException {
      String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
      Files.writeString(file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
    }
  }

  private Server server(Identity identity) throws IOException {
    return NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
        .sslContext(
            GrpcSslContexts.forServer(identity.certificate.toFile(), identity.key.toFile())
                .trustManager(identity.certificate.toFile())
                .clientAuth(ClientAuth.REQUIRE)
                .build())
        .addService(new Topics())
        .intercept(new Authorizations())
        .build()
        .start();
  }

  private static final class Topics extends TopicServiceGrpc.TopicServiceImplBase {
    @Override
    public void getTopic(GetTopicRequest request, StreamObserver<GetTopicResponse> answer) {
      answer.onNext(GetTopicResponse.getDefaultInstance());
      answer.onCompleted();
    }
  }

  private final class Authorizations implements ServerInterceptor {
    @Override
    public <Q, S> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, S> call, Metadata headers, ServerCallHandler<Q, S> next) {
      String told = headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER));
      authorizations.add(told == null ? "" : told);
      return next.startCall(call, headers);
    }
  }

  @Test
  void bothSidesProveWhoTheyAreAndTheTokenGoesAlong() throws Exception {
    Identity identity = new Identity("headrace.test");
    Server server = server(identity);
    TlsSettings tls =
        TlsSettings.defaults()
            .ca(identity.certificate)
            .certificate(identity.certificate, identity.key)
            .serverName("headrace.test");
    String target = "127.0.0.1:" + server.getPort();
    try (HeadraceClient client = HeadraceClient.builder(target).tls(tls).token("secret").connectTimeout(Duration.ofMinutes(1)).build()) {
      client.topics().get("orders");
      assertEquals("Bearer secret", authorizations.take());
    }
    Duration soon = Duration.ofSeconds(2);
    try (HeadraceClient stranger = HeadraceClient.builder(target).tls(tls.serverName("other.test")).connectTimeout(soon).build();
        HeadraceClient plain = HeadraceClient.builder(target).connectTimeout(soon).build()) {
      assertEquals("UNREACHABLE", assertThrows(HeadraceException.class, () -> stranger.topics().get("orders")).reason());
      assertEquals("UNREACHABLE", assertThrows(HeadraceException.class, () -> plain.topics().get("orders")).reason());
    }
    server.shutdownNow().awaitTermination();
  }

  @Test
  void aTokenIsSentOverTlsOrToThisMachineAlone() {
    for (String here : List.of("localhost:7070", "127.0.0.1:7070", "[::1]:7070", "dns:///localhost:7070")) {
      HeadraceClient.builder(here).token("secret").build().close();
    }
    HeadraceClient.builder("example.test:7070").token("secret").tls(TlsSettings.defaults()).build().close();
    HeadraceException e =
        assertThrows(
            HeadraceException.InvalidArgument.class,
            () -> HeadraceClient.builder("example.test:7070").token("secret").build());
    assertEquals("token", e.field());
  }

  @Test
  void whatCannotBeUsedIsRefusedAtOnce() {
    TlsSettings nowhere = TlsSettings.defaults().ca(directory.resolve("nothing.pem"));
    assertEquals("tls", refused(HeadraceClient.builder("localhost:7070").tls(nowhere)).field());
    assertEquals("target", refused(HeadraceClient.builder("no address\0")).field());
  }

  private static HeadraceException refused(HeadraceClientBuilder builder) {
    return assertThrows(HeadraceException.InvalidArgument.class, builder::build);
  }
}
