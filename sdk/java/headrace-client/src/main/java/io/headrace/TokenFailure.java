package io.headrace;

/** Why a token of a {@link Pulled} message reached nothing. */
public final class TokenFailure {
  private final String token;
  private final HeadraceException error;

  TokenFailure(String token, HeadraceException error) {
    this.token = token;
    this.error = error;
  }

  /**
   * The token.
   *
   * @return the token
   */
  public String token() {
    return token;
  }

  /**
   * Why: {@code STALE_DELIVERY}, {@code INVALID_TOKEN} or {@code NOT_SERVED}; of an extension also {@code
   * LEASE_CAPPED}, when it was cut at the longest lease.
   *
   * @return the error, which was not thrown
   */
  public HeadraceException error() {
    return error;
  }

  @Override
  public String toString() {
    return token + ": " + error.reason();
  }
}
