package inbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.Deliveries;
import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.Message;
import io.headrace.SubscribeSettings;
import io.headrace.v1.DeliveryOrder;
import io.headrace.v1.Subscription;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Books payments of which some come twice: one because its publisher sent it again, one because its
 * consumer died before the ack. What was done is noted in an inbox, in the transaction that does it, so that
 * each payment is booked once whatever comes how often.
 */
public final class Inbox {
  public static void main(String[] args) throws Exception {
    try (HeadraceClient client = HeadraceClient.fromEnv();
        Connection books = openBooks()) {
      unlessThere(() -> client.topics().create("payments"));
      unlessThere(() -> client.subscriptions().create(bookkeeper()));
      publish(client, "p-1", 10);
      publish(client, "p-2", 20);
      publish(client, "p-3", 30);
      publish(client, "p-1", 10);
      client.flush().join();
      bookAll(client, books, 5);
    }
  }

  private static Subscription bookkeeper() {
    return Subscription.newBuilder()
        .setName("bookkeeper")
        .setTopic("payments")
        .setOrder(DeliveryOrder.DELIVERY_ORDER_NONE)
        .build();
  }

  /** Does without what is there already, from the last time. */
  private static void unlessThere(Runnable create) {
    try {
      create.run();
    } catch (HeadraceException.AlreadyExists e) {
      // As it should be.
    }
  }

  /** Opens the database; yours is a file, or a server. */
  private static Connection openBooks() throws SQLException {
    Connection books = DriverManager.getConnection("jdbc:h2:mem:books;MODE=PostgreSQL");
    books.setAutoCommit(false);
    try (Statement sql = books.createStatement()) {
      sql.execute("CREATE TABLE IF NOT EXISTS inbox (id VARCHAR PRIMARY KEY)");
      sql.execute("CREATE TABLE IF NOT EXISTS account (balance BIGINT NOT NULL)");
      sql.execute("INSERT INTO account VALUES (0)");
    }
    books.commit();
    return books;
  }

  private static void publish(HeadraceClient client, String payment, int amount) {
    byte[] data = String.valueOf(amount).getBytes(UTF_8);
    client.topic("payments").publish(Message.builder().data(data).attribute("payment", payment).build());
  }

  /** Handles a number of deliveries. */
  private static void bookAll(HeadraceClient client, Connection books, int count) throws Exception {
    try (Deliveries<byte[]> deliveries = client.deliveries("bookkeeper", SubscribeSettings.defaults())) {
      for (int i = 0; i < count; i++) {
        Delivery<byte[]> d = deliveries.take().orElseThrow();
        book(books, d);
        if (d.attributes().get("payment").equals("p-2") && d.attempt() == 1) {
          d.retry(null, "", "it died before the ack"); // so it comes again
        } else {
          d.ack();
        }
      }
    }
  }

  /**
   * Adds a payment to the balance unless its id is in the inbox. Either both are written or none is.
   */
  private static void book(Connection books, Delivery<byte[]> d) throws SQLException {
    String payment = d.attributes().get("payment");
    try (PreparedStatement note = books.prepareStatement("INSERT INTO inbox (id) VALUES (?) ON CONFLICT DO NOTHING");
        PreparedStatement add = books.prepareStatement("UPDATE account SET balance = balance + ?");
        PreparedStatement read = books.prepareStatement("SELECT balance FROM account")) {
      note.setString(1, payment);
      if (note.executeUpdate() == 0) {
        System.out.printf("%s, attempt %d: booked before%n", payment, d.attempt());
        return;
      }
      add.setLong(1, Long.parseLong(new String(d.data(), UTF_8)));
      add.executeUpdate();
      try (ResultSet balance = read.executeQuery()) {
        balance.next();
        System.out.printf("%s, attempt %d: the balance is %d%n", payment, d.attempt(), balance.getLong(1));
      }
      books.commit();
    } finally {
      books.rollback(); // of what was not committed
    }
  }
}
