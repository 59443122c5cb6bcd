package io.overdrive.bench.experiments;

import io.overdrive.bench.Experiment;
import io.overdrive.bench.spark.SparkExperiment;
import io.overdrive.bench.spark.SparkOptions;
import io.overdrive.internal.names.DidYouMean;
import java.util.List;
import java.util.stream.Stream;

/** All experiments. Stateless. */
public final class Experiments {
    private static final List<Experiment> WITHOUT_SPARK = List.of(
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
            new EventStream(),
            new AdaptiveLimit(),
            new GuardedJobs(),
            new FoundLimits(),
            new DcIsolation(),
            new EqualCostCapacity());

    private Experiments() {}

    /**
     * All experiments, in the order in which they are listed and run.
     *
     * @param spark what those run on that need Spark
     */
    public static List<Experiment> all(SparkOptions spark) {
        return Stream.concat(WITHOUT_SPARK.stream(), SparkExperiment.all(spark).stream())
                .toList();
    }

    /** @throws IllegalArgumentException if there is none of this name; the message suggests a similar one */
    public static Experiment named(String name, SparkOptions spark) {
        return all(spark).stream()
                .filter(experiment -> experiment.description().name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("there is no experiment \"" + name + "\"" + suggestion(name)));
    }

    private static String suggestion(String name) {
        List<String> names = all(SparkOptions.NONE).stream()
                .map(experiment -> experiment.description().name())
                .toList();
        List<String> closest = DidYouMean.closest(name, names, Math.max(2, name.length() / 3));
        return closest.isEmpty()
                ? ": choose one of " + String.join(", ", names) + ", or all"
                : DidYouMean.question("", closest);
    }
}
