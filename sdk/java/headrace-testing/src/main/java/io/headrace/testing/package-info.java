/**
 * The real server for tests of programs that use Headrace: {@link io.headrace.testing.HeadraceExtension}
 * starts it for JUnit 5, {@link io.headrace.testing.HeadraceServer} for anything else.
 *
 * <p>It is the one binary, on a free port and a directory of its own, so a test sees what production
 * does. The binary is the one that the system property {@code headrace.binary} names, else the
 * environment variable {@code HEADRACE_BINARY}, else {@code headrace} on the {@code PATH}.
 */
@NullMarked
package io.headrace.testing;

import org.jspecify.annotations.NullMarked;
