package io.overdrive.bench.experiments;

import io.overdrive.bench.Experiment;
import java.util.Comparator;
import java.util.List;

/** All experiments there are. Stateless. */
public final class Experiments {
    private static final List<Experiment> ALL = List.of(
            new GroupingOrder(),
            new LongRun(),
            new TaskGranularity(),
            new SortFirst(),
            new BatchOffConcurrency(),
            new ThrottleSustain(),
            new ReadSplitMemory(),
            new WriteSizeSweep(),
            new InFlightControl(),
            new PageGrid(),
            new KeyOrder(),
            new NaiveVsTuned(),
            new WriteStrategies(),
            new DcIsolation(),
            new EqualCostCapacity());

    private Experiments() {}

    /** In the order in which they are listed and run. */
    public static List<Experiment> all() {
        return ALL;
    }

    /** @throws IllegalArgumentException if there is none of this name; the message names the one that was meant */
    public static Experiment named(String name) {
        return ALL.stream()
                .filter(experiment -> experiment.description().name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("there is no experiment \"" + name + "\": " + suggestion(name)));
    }

    private static String suggestion(String name) {
        List<String> names =
                ALL.stream().map(experiment -> experiment.description().name()).toList();
        return names.stream()
                .filter(known -> distance(name, known) <= Math.max(2, name.length() / 3))
                .min(Comparator.comparingInt(known -> distance(name, known)))
                .map(nearest -> "did you mean \"" + nearest + "\"?")
                .orElseGet(() -> "choose one of " + String.join(", ", names) + ", or all");
    }

    /** Letters to add, leave out or replace (Levenshtein). */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
