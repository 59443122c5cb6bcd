package io.overdrive.jobs.profile;

import io.overdrive.jobs.profile.Profile.KeyCandidate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Finds the smallest sets of up to three columns that may identify a row. Confined to one thread. */
final class KeySearch {
    private static final int MAX_SIZE = 3;
    private static final int MAX_FOUND = 5;
    /** The estimate of a sketch may be that much below the number. */
    private static final double SKETCH_TOLERANCE = 0.05;

    private final long rows;
    private final List<String> names;
    private final ColumnSketch[] columns;
    private final KeySamples samples;
    private final List<int[]> found = new ArrayList<>();
    private final List<KeyCandidate> candidates = new ArrayList<>();

    /**
     * @param rows number of rows
     * @param names of the columns of the samples
     * @param columns the same
     */
    KeySearch(long rows, List<String> names, ColumnSketch[] columns, KeySamples samples) {
        this.rows = rows;
        this.names = names;
        this.columns = columns;
        this.samples = samples;
    }

    List<KeyCandidate> candidates() {
        int[] possible = IntStream.range(0, columns.length)
                .filter(c -> !columns[c].hasNulls() && (columns[c].distinct() > 1 || rows == 1))
                .toArray();
        for (int size = 1; size <= MAX_SIZE; size++) {
            search(possible, 0, new int[size], 0);
        }
        return candidates;
    }

    private void search(int[] possible, int from, int[] set, int size) {
        if (size == set.length) {
            test(set);
            return;
        }
        for (int i = from; i < possible.length && found.size() < MAX_FOUND; i++) {
            set[size] = possible[i];
            search(possible, i + 1, set, size + 1);
        }
    }

    private void test(int[] set) {
        double combinations =
                Arrays.stream(set).mapToDouble(c -> columns[c].distinct()).reduce(1, (a, b) -> a * b);
        boolean hasKey = found.stream().anyMatch(key -> Arrays.stream(key)
                .allMatch(c -> Arrays.stream(set).anyMatch(other -> other == c)));
        if (hasKey || combinations < rows * (1 - SKETCH_TOLERANCE)) {
            return;
        }
        int anchor = Arrays.stream(set)
                .boxed()
                .max((a, b) -> Integer.compare(samples.rows(a), samples.rows(b)))
                .orElseThrow();
        if (samples.rows(anchor) > 0 && samples.duplicates(anchor, set) == 0) {
            found.add(set.clone());
            candidates.add(
                    new KeyCandidate(Arrays.stream(set).mapToObj(names::get).toList(), reason(set, anchor)));
        }
    }

    private String reason(int[] set, int anchor) {
        String distinct = set.length > 1
                ? ""
                : samples.isWhole(anchor)
                        ? String.format(Locale.ROOT, "%,d of %,d values distinct", rows, rows)
                        : String.format(
                                Locale.ROOT, "about %,d of %,d values distinct, ", columns[set[0]].distinct(), rows);
        String sampled = samples.isWhole(anchor)
                ? set.length > 1 ? String.format(Locale.ROOT, "all of %,d rows differ in them", rows) : ""
                : String.format(Locale.ROOT, "no duplicate in a sample of %,d rows", samples.rows(anchor));
        return "no nulls, " + distinct + sampled;
    }
}
