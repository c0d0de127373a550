package io.headrace;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** How a connection is encrypted. Immutable; each method gives a changed copy. Files are read when the client is built. */
public final class TlsSettings {
  private static final TlsSettings DEFAULTS = new TlsSettings(null, null, null, "");

  private final @Nullable Path ca;
  private final @Nullable Path certificate;
  private final @Nullable Path key;
  private final String serverName;

  private TlsSettings(@Nullable Path ca, @Nullable Path certificate, @Nullable Path key, String serverName) {
    this.ca = ca;
    this.certificate = certificate;
    this.key = key;
    this.serverName = serverName;
  }

  /**
   * The defaults: the certificate authorities that Java trusts, no certificate of the client's own.
   *
   * @return the defaults
   */
  public static TlsSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Sets which certificate authorities to trust instead of Java's.
   *
   * @param file their certificates, in PEM
   * @return changed settings
   */
  public TlsSettings ca(Path file) {
    return new TlsSettings(file, certificate, key, serverName);
  }

  /**
   * Sets the client's own certificate, for servers that ask for one.
   *
   * @param chain its certificate chain, in PEM
   * @param privateKey its key, in PEM (PKCS #8), not encrypted
   * @return changed settings
   */
  public TlsSettings certificate(Path chain, Path privateKey) {
    return new TlsSettings(ca, chain, privateKey, serverName);
  }

  /**
   * Sets the name that the server's certificate is for.
   *
   * @param name empty, the default: the target's host
   * @return changed settings
   */
  public TlsSettings serverName(String name) {
    return new TlsSettings(ca, certificate, key, name);
  }

  @Nullable Path ca() {
    return ca;
  }

  @Nullable Path certificate() {
    return certificate;
  }

  @Nullable Path key() {
    return key;
  }

  String serverName() {
    return serverName;
  }
}
