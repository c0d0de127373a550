package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.grpc.Status;
import io.headrace.v1.ErrorReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each reason of the contract has its status code here, and is one of its classes. */
class ReasonsTest {
  private static final Path CONTRACT = Path.of("../../../proto/headrace/v1/error_reason.proto");
  private static final Pattern ROW =
      Pattern.compile("// ([A-Z_]+|Of one item): [^=]*?ERROR_REASON_([A-Z_]+) = (\\d+);", Pattern.DOTALL);

  /** The code that the contract's comment gives each reason. */
  private static Map<String, String> contract() throws IOException {
    Map<String, String> codes = new TreeMap<>();
    Matcher row = ROW.matcher(Files.readString(CONTRACT));
    while (row.find()) {
      codes.put(row.group(2), row.group(1).equals("Of one item") ? "" : row.group(1));
    }
    return codes;
  }

  @Test
  void everyReasonHasTheCodeThatTheContractGivesIt() throws IOException {
    Map<String, String> rows = new TreeMap<>();
    for (ErrorReason reason : ErrorReason.values()) {
      if (reason != ErrorReason.UNRECOGNIZED && reason != ErrorReason.ERROR_REASON_UNSPECIFIED) {
        Status.Code code = Reasons.codeOf(reason);
        rows.put(Reasons.nameOf(reason, 0), code == null ? "" : code.name());
      }
    }
    assertEquals(contract(), rows);
  }

  @Test
  void everyReasonHasAClassOfItsKind() {
    for (ErrorReason reason : ErrorReason.values()) {
      if (reason == ErrorReason.UNRECOGNIZED || reason == ErrorReason.ERROR_REASON_UNSPECIFIED) {
        continue;
      }
      HeadraceException e = Errors.ofItem("text", reason, 0, "field", 7);
      assertEquals(Reasons.nameOf(reason, 0), e.reason());
      assertEquals("field", e.field());
      assertEquals(7, e.limit());
      assertFalse(e.getClass() == HeadraceException.class, "no class for " + reason);
    }
  }

  @Test
  void aReasonOfALaterVersionKeepsItsNumber() {
    HeadraceException e = Errors.ofItem("text", ErrorReason.UNRECOGNIZED, 777, "", 0);
    assertEquals("REASON_777", e.reason());
    assertFalse(e.retryable());
  }
}
