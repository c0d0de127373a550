package io.headrace;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * What a list has, asked for page by page while it is read. Each iteration begins anew; a call that
 * fails throws its {@link HeadraceException} from the iterator.
 *
 * @param <T> the type of what is listed
 */
public final class Pages<T> implements Iterable<T> {
  /** How many items a call asks for. */
  static final int PAGE_SIZE = 500;

  /** One page, and where the next one begins: null behind the last one. */
  static final class Page<T, C> {
    final List<T> items;
    final @Nullable C next;

    Page(List<T> items, @Nullable C next) {
      this.items = items;
      this.next = next;
    }
  }

  private final Supplier<Iterator<T>> iterators;

  private Pages(Supplier<Iterator<T>> iterators) {
    this.iterators = iterators;
  }

  /** Pages that are had one after the other, from a place on. */
  static <T, C> Pages<T> from(C first, Function<C, Page<T, C>> pageAt) {
    return new Pages<>(() -> new Walk<>(first, pageAt));
  }

  /** Pages that name the next one by a token, which is empty on the last one. */
  static <T> Pages<T> byToken(Function<String, Page<T, String>> pageAt) {
    return from("", token -> {
      Page<T, String> page = pageAt.apply(token);
      return "".equals(page.next) ? new Page<>(page.items, null) : page;
    });
  }

  @Override
  public Iterator<T> iterator() {
    return iterators.get();
  }

  /**
   * The items as a stream, which asks for pages as it needs them.
   *
   * @return a sequential stream
   */
  public Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  /**
   * All items at once.
   *
   * @return not to be changed
   */
  public List<T> toList() {
    return stream().collect(Collectors.toUnmodifiableList());
  }

  private static final class Walk<T, C> implements Iterator<T> {
    private final Function<C, Page<T, C>> pageAt;
    private @Nullable C next;
    private Iterator<T> page = List.<T>of().iterator();

    Walk(C first, Function<C, Page<T, C>> pageAt) {
      next = first;
      this.pageAt = pageAt;
    }

    @Override
    public boolean hasNext() {
      while (!page.hasNext() && next != null) {
        Page<T, C> following = pageAt.apply(next);
        page = following.items.iterator();
        next = following.next;
      }
      return page.hasNext();
    }

    @Override
    public T next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return page.next();
    }
  }
}
