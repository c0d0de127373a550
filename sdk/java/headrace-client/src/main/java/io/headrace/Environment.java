package io.headrace;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the variables HEADRACE_ADDR, HEADRACE_TOKEN and HEADRACE_TLS_* say of a connection. */
final class Environment {
  private static final String DEFAULT_TARGET = "localhost:7070";
  private static final Set<String> YES = Set.of("1", "true", "yes", "on");
  private static final Set<String> NO = Set.of("", "0", "false", "no", "off");

  private final Map<String, String> variables;

  Environment(Map<String, String> variables) {
    this.variables = variables;
  }

  private String get(String name) {
    return variables.getOrDefault(name, "");
  }

  HeadraceClientBuilder builder() {
    String target = get("HEADRACE_ADDR");
    HeadraceClientBuilder builder = new HeadraceClientBuilder(target.isEmpty() ? DEFAULT_TARGET : target);
    if (!get("HEADRACE_TOKEN").isEmpty()) {
      builder.token(get("HEADRACE_TOKEN"));
    }
    TlsSettings tls = tls();
    return tls == null ? builder : builder.tls(tls);
  }

  /** Null: plaintext. Any of the files and names asks for TLS, too. */
  private @Nullable TlsSettings tls() {
    TlsSettings tls = TlsSettings.defaults();
    if (!get("HEADRACE_TLS_CA").isEmpty()) {
      tls = tls.ca(Path.of(get("HEADRACE_TLS_CA")));
    }
    if (get("HEADRACE_TLS_CERT").isEmpty() != get("HEADRACE_TLS_KEY").isEmpty()) {
      throw Errors.invalid("HEADRACE_TLS_CERT", "HEADRACE_TLS_CERT needs HEADRACE_TLS_KEY, and a key its certificate");
    }
    if (!get("HEADRACE_TLS_CERT").isEmpty()) {
      tls = tls.certificate(Path.of(get("HEADRACE_TLS_CERT")), Path.of(get("HEADRACE_TLS_KEY")));
    }
    if (!get("HEADRACE_TLS_SERVER_NAME").isEmpty()) {
      tls = tls.serverName(get("HEADRACE_TLS_SERVER_NAME"));
    }
    return wanted() || tls != TlsSettings.defaults() ? tls : null;
  }

  private boolean wanted() {
    String wanted = get("HEADRACE_TLS").toLowerCase(Locale.ROOT);
    if (!YES.contains(wanted) && !NO.contains(wanted)) {
      throw Errors.invalid("HEADRACE_TLS", "HEADRACE_TLS is true or false, not \"" + wanted + "\"");
    }
    return YES.contains(wanted);
  }
}
