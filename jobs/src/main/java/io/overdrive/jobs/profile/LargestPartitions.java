package io.overdrive.jobs.profile;

import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.profile.Profile.Large;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;

/**
 * The largest partitions of rows that come in any order, by a sketch of frequent items. Confined to one thread at a time.
 *
 * <p>Of all rows, a partition has at least as many as the sketch says, and at most {@link #error} more, which is 0 for up to
 * three quarters of {@link #MAX_PARTITIONS} partitions, and at most 3.5 / MAX_PARTITIONS of all rows otherwise.
 */
final class LargestPartitions {
    static final int MAX_PARTITIONS = 1 << 13;

    /** A partition key, each column with its length in front. */
    @SuppressWarnings("ArrayRecordComponent") // compared by its bytes
    private record Key(long token, byte[] bytes) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && token == key.token && Arrays.equals(bytes, key.bytes);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(token);
        }
    }

    /** A partition that surely has more rows than any that the sketch has not kept. */
    record Certain(long token, long rows) {}

    private final ItemsSketch<Key> sketch = new ItemsSketch<>(MAX_PARTITIONS);

    void add(long token, byte[] key, long rows) {
        sketch.update(new Key(token, key), rows);
    }

    void add(LargestPartitions other) {
        sketch.merge(other.sketch);
    }

    /** The number of rows that a partition may have more than it is listed with; if none is listed, that no partition exceeds. */
    long error() {
        long error = sketch.getMaximumError();
        return Arrays.stream(sketch.getFrequentItems(ErrorType.NO_FALSE_NEGATIVES))
                .limit(1)
                .filter(each -> each.getLowerBound() <= error)
                .mapToLong(ItemsSketch.Row::getUpperBound)
                .findFirst()
                .orElse(error);
    }

    /** The partitions that surely have more rows than any that the sketch has not kept, with their numbers of rows, as an estimate. */
    List<Certain> certain() {
        return rows().map(
                        each -> new Certain(each.getItem().token, each.getLowerBound() + sketch.getMaximumError() / 2))
                .toList();
    }

    /** Others would be listed by chance. */
    private Stream<ItemsSketch.Row<Key>> rows() {
        return Arrays.stream(sketch.getFrequentItems(ErrorType.NO_FALSE_NEGATIVES))
                .filter(each -> each.getLowerBound() > sketch.getMaximumError());
    }

    /** @param bytesOfRow the mean size of a row */
    List<Large> largest(int max, KeyJson names, double bytesOfRow) {
        return rows().limit(max)
                .map(each -> new Large(
                        names.json(each.getItem().bytes),
                        each.getLowerBound(),
                        Math.round(each.getLowerBound() * bytesOfRow)))
                .toList();
    }
}
