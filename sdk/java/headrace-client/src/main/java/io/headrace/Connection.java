package io.headrace;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.stub.MetadataUtils;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Makes the gRPC connection of a client: encrypted or not, with the token that goes along. */
final class Connection {
  /** Above every frame that a server may send: 64 MiB and what the frame adds. */
  private static final int LARGEST_FRAME_BYTES = 65 << 20;

  /** How often an idle connection is pinged; the server allows a ping each 20 s. */
  private static final int PING_SECONDS = 30;

  /** How long a ping may stay unanswered. */
  private static final int PING_TIMEOUT_SECONDS = 10;

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private Connection() {}

  static ManagedChannel open(String target, @Nullable TlsSettings tls, String token) {
    checkToken(target, tls, token);
    try {
      return builder(target, tls, token).build();
    } catch (IllegalArgumentException none) {
      throw Errors.invalid("target", "\"" + target + "\" is no host and port: " + none.getMessage());
    }
  }

  private static NettyChannelBuilder builder(String target, @Nullable TlsSettings tls, String token) {
    NettyChannelBuilder builder = NettyChannelBuilder.forTarget(target);
    builder
        .maxInboundMessageSize(LARGEST_FRAME_BYTES)
        .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(PING_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .keepAliveWithoutCalls(true);
    if (tls == null) {
      builder.usePlaintext();
    } else {
      encrypt(builder, tls);
    }
    if (!token.isEmpty()) {
      Metadata headers = new Metadata();
      headers.put(AUTHORIZATION, "Bearer " + token);
      builder.intercept(MetadataUtils.newAttachHeadersInterceptor(headers));
    }
    return builder;
  }

  /** Refuses to send a token where everyone on the way could read it. */
  private static void checkToken(String target, @Nullable TlsSettings tls, String token) {
    String address = target.substring(target.lastIndexOf('/') + 1);
    int colon = address.lastIndexOf(':');
    String host = colon < 0 ? address : address.substring(0, colon);
    boolean local =
        target.startsWith("unix:") || host.equals("localhost") || host.equals("[::1]") || host.startsWith("127.");
    if (!token.isEmpty() && tls == null && !local) {
      throw Errors.invalid("token", "a token is sent over TLS, or to this machine alone");
    }
  }

  private static void encrypt(NettyChannelBuilder builder, TlsSettings tls) {
    SslContextBuilder context = GrpcSslContexts.forClient();
    try {
      if (tls.ca() != null) {
        context.trustManager(tls.ca().toFile());
      }
      if (tls.certificate() != null && tls.key() != null) {
        context.keyManager(tls.certificate().toFile(), tls.key().toFile());
      }
      builder.useTransportSecurity().sslContext(context.build());
    } catch (SSLException | IllegalArgumentException unusable) {
      throw Errors.invalid("tls", "the files do not make a TLS configuration: " + unusable.getMessage());
    }
    if (!tls.serverName().isEmpty()) {
      builder.overrideAuthority(tls.serverName());
    }
  }
}
