package io.headrace;

import io.headrace.v1.SequenceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** Sequences as closed ranges: what frames name. */
final class Ranges {
  /** The most ranges of one frame. */
  private static final int MAX_RANGES = 10_000;

  private Ranges() {}

  /** The ranges of sequences in any order, each once, in as many frames as they need. */
  static List<List<SequenceRange>> frames(long[] sequences) {
    long[] sorted = sequences.clone();
    java.util.Arrays.sort(sorted);
    List<List<SequenceRange>> frames = new ArrayList<>();
    List<SequenceRange> frame = new ArrayList<>();
    for (int i = 0; i < sorted.length; ) {
      int end = i + 1;
      while (end < sorted.length && sorted[end] == sorted[end - 1] + 1) {
        end++;
      }
      frame.add(SequenceRange.newBuilder().setFirst(sorted[i]).setLast(sorted[end - 1]).build());
      i = end;
      if (frame.size() == MAX_RANGES || i == sorted.length) {
        frames.add(frame);
        frame = new ArrayList<>();
      }
    }
    return frames;
  }

  static void forEach(List<SequenceRange> ranges, LongConsumer each) {
    for (SequenceRange range : ranges) {
      for (long sequence = range.getFirst(); sequence <= range.getLast(); sequence++) {
        each.accept(sequence);
      }
    }
  }
}
