package io.overdrive.bench.tune;

import io.overdrive.InFlightControl;
import io.overdrive.bench.Figure;
import io.overdrive.bench.tune.Answer.Verdict;
import io.overdrive.bench.tune.Knob.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The chosen settings in the words of Overdrive, the Spark Cassandra Connector and DSBulk. Overdrive's defaults are left out; the defaults of
 * the others differ from them, so their settings are all given, except those without a result. Stateless.
 */
public final class ToolWords {
    /** Spark plans splits for a table; so many for each of those that are read at once keep all busy to the end. */
    private static final int SPLITS_FOR_EACH_AT_ONCE = 4;

    /** The default of the Spark Cassandra Connector. */
    private static final long MAX_SPLIT_MEGABYTES = 512;

    private static final String BATCH_BYTES = "--batch-bytes";
    private static final String IN_FLIGHT_CONTROL = "--in-flight-control";
    private static final String IN_FLIGHT_REQUESTS = "--in-flight-requests";
    private static final String IN_FLIGHT_BYTES = "--in-flight-bytes";
    private static final String PAGE_BYTES = "--page-bytes";
    private static final String SPLITS_IN_FLIGHT = "--splits-in-flight";

    private ToolWords() {}

    /**
     * The settings of one tool.
     *
     * @param tool its name, and the purpose of the settings
     * @param settings name and value
     * @param note on their use; may be empty
     */
    public record Section(String tool, List<Setting> settings, String note) {
        public Section {
            settings = List.copyOf(settings);
        }
    }

    /** A setting of a tool: {@code --batch-bytes} and {@code 256KB}. */
    public record Setting(String name, String value) {
        private static Setting of(String name, Object value) {
            return new Setting(name, value.toString());
        }

        /** The setting as the tool takes it: an option with its value, or a property. */
        public String text() {
            return name.startsWith("--") ? name + " " + value : name + "=" + value;
        }
    }

    /**
     * @param nodes of the local data centre
     * @param tableBytes of one replica of the table, or 0 if unknown
     */
    public static List<Section> of(List<Answer> answers, int nodes, long tableBytes) {
        return List.of(
                overdriveWrites(answers),
                overdriveReads(answers),
                sparkWrites(answers),
                sparkReads(answers, nodes, tableBytes),
                dsbulkLoad(answers),
                dsbulkUnload(answers, nodes));
    }

    /**
     * The settings of Overdrive by the names of its options, {@code --batch-bytes}: empty where the default is as good. Settings without
     * a result are left out.
     */
    public static Map<String, Optional<String>> ofOverdrive(List<Answer> answers) {
        Map<String, Optional<String>> all = new LinkedHashMap<>();
        answers.stream()
                .filter(answer -> answer.verdict() != Verdict.NO_RESULT)
                .flatMap(answer -> options(answer.knob()).stream())
                .forEach(option -> all.put(option, Optional.empty()));
        Stream.of(overdriveWrites(answers), overdriveReads(answers))
                .flatMap(section -> section.settings().stream())
                .forEach(setting -> all.put(setting.name(), Optional.of(setting.value())));
        return all;
    }

    private static List<String> options(Knob knob) {
        return switch (knob) {
            case WRITE_SIZE -> List.of(BATCH_BYTES);
            case IN_FLIGHT -> List.of(IN_FLIGHT_CONTROL, IN_FLIGHT_REQUESTS, IN_FLIGHT_BYTES);
            case PAGE_SIZE -> List.of(PAGE_BYTES);
            case SPLITS -> List.of(SPLITS_IN_FLIGHT);
        };
    }

    private static Section overdriveWrites(List<Answer> answers) {
        List<Setting> settings = new ArrayList<>();
        better(answers, Knob.WRITE_SIZE)
                .ifPresent(best ->
                        settings.add(Setting.of(BATCH_BYTES, size(best.tuning().batchBytes()))));
        better(answers, Knob.IN_FLIGHT).ifPresent(best -> {
            settings.add(
                    Setting.of(IN_FLIGHT_CONTROL, InFlightControl.FIXED.name().toLowerCase(Locale.ROOT)));
            settings.add(Setting.of(IN_FLIGHT_REQUESTS, best.tuning().inFlight().requests()));
            settings.add(Setting.of(IN_FLIGHT_BYTES, size(Tuning.maxInFlightBytes())));
        });
        return new Section("Overdrive, load and copy", settings, settings.isEmpty() ? "the defaults" : "");
    }

    private static Section overdriveReads(List<Answer> answers) {
        List<Setting> settings = new ArrayList<>();
        better(answers, Knob.PAGE_SIZE)
                .ifPresent(best ->
                        settings.add(Setting.of(PAGE_BYTES, size(best.tuning().pageBytes()))));
        better(answers, Knob.SPLITS)
                .ifPresent(best ->
                        settings.add(Setting.of(SPLITS_IN_FLIGHT, best.tuning().splits())));
        return new Section(
                "Overdrive, unload, count, diff and copy", settings, settings.isEmpty() ? "the defaults" : "");
    }

    private static Section sparkWrites(List<Answer> answers) {
        List<Setting> settings = new ArrayList<>();
        decided(answers, Knob.WRITE_SIZE).ifPresent(answer -> {
            settings.add(Setting.of("spark.cassandra.output.batch.grouping.key", "partition"));
            settings.add(Setting.of(
                    "spark.cassandra.output.batch.size.bytes",
                    answer.chosen().tuning().batchBytes()));
        });
        Long inFlight = requestsInFlight(answers);
        if (inFlight != null) {
            settings.add(Setting.of("spark.cassandra.output.concurrent.writes", inFlight));
        }
        return new Section(
                "Spark Cassandra Connector, writes",
                settings,
                inFlight == null
                        ? ""
                        : "concurrent.writes counts for each task: divide " + inFlight
                                + " by the number of tasks that run at the same time");
    }

    private static Section sparkReads(List<Answer> answers, int nodes, long tableBytes) {
        List<Setting> settings = new ArrayList<>();
        rowsOfAPage(answers)
                .ifPresent(rows -> settings.add(Setting.of("spark.cassandra.input.fetch.sizeInRows", rows)));
        String note = "";
        Optional<Answer> splits = decided(answers, Knob.SPLITS);
        if (splits.isPresent()) {
            int atOnce = splits.get().chosen().tuning().splits() * nodes;
            note = "a task reads one split at a time: " + atOnce + " tasks at the same time read as many";
            long megabytes =
                    Math.min(MAX_SPLIT_MEGABYTES, tableBytes / ((long) atOnce * SPLITS_FOR_EACH_AT_ONCE) >> 20);
            if (megabytes > 0) {
                settings.add(Setting.of("spark.cassandra.input.split.sizeInMB", megabytes));
            }
        }
        return new Section("Spark Cassandra Connector, reads", settings, note);
    }

    private static Section dsbulkLoad(List<Answer> answers) {
        List<Setting> settings = new ArrayList<>();
        decided(answers, Knob.WRITE_SIZE).ifPresent(answer -> {
            settings.add(Setting.of("--batch.mode", "PARTITION_KEY"));
            settings.add(Setting.of(
                    "--batch.maxSizeInBytes", answer.chosen().tuning().batchBytes()));
            settings.add(Setting.of("--batch.maxBatchStatements", 0));
        });
        Long inFlight = requestsInFlight(answers);
        if (inFlight != null) {
            settings.add(Setting.of("--executor.maxInFlight", inFlight));
            settings.add(Setting.of("--engine.maxConcurrentQueries", inFlight));
        }
        return new Section(
                "DSBulk, load", settings, settings.isEmpty() ? "" : "maxBatchStatements 0: only the size counts");
    }

    private static Section dsbulkUnload(List<Answer> answers, int nodes) {
        List<Setting> settings = new ArrayList<>();
        rowsOfAPage(answers).ifPresent(rows -> settings.add(Setting.of("--driver.basic.request.page-size", rows)));
        decided(answers, Knob.SPLITS).ifPresent(answer -> {
            int atOnce = answer.chosen().tuning().splits() * nodes;
            settings.add(Setting.of("--engine.maxConcurrentQueries", atOnce));
            settings.add(Setting.of("--schema.splits", atOnce * SPLITS_FOR_EACH_AT_ONCE));
        });
        return new Section("DSBulk, unload and count", settings, "");
    }

    private static Optional<Answer> find(List<Answer> answers, Knob knob) {
        return answers.stream().filter(answer -> answer.knob() == knob).findFirst();
    }

    /** Empty if there is no result. */
    private static Optional<Answer> decided(List<Answer> answers, Knob knob) {
        return find(answers, knob).filter(answer -> answer.verdict() != Verdict.NO_RESULT);
    }

    private static Optional<Level> better(List<Answer> answers, Knob knob) {
        return find(answers, knob)
                .filter(answer -> answer.verdict() == Verdict.BETTER)
                .map(Answer::chosen);
    }

    /**
     * Requests in flight to all nodes with the chosen setting, on average: rate times time (Little's law); also for control by round trips,
     * which other tools do not have. Null if unknown.
     */
    static @Nullable Long requestsInFlight(List<Answer> answers) {
        Answer answer = decided(answers, Knob.IN_FLIGHT).orElse(null);
        if (answer == null) {
            return null;
        }
        double requests = answer.mean(answer.chosen(), Figure.REQUESTS);
        double seconds = answer.mean(answer.chosen(), Figure.SECONDS);
        double millis = answer.mean(answer.chosen(), Figure.P50);
        double inFlight = requests / seconds * millis / 1000;
        return Double.isNaN(inFlight) ? null : (Long) Math.max(1, Math.round(inFlight));
    }

    private static Optional<Long> rowsOfAPage(List<Answer> answers) {
        return decided(answers, Knob.PAGE_SIZE)
                .map(answer -> answer.mean(answer.chosen(), Figure.ROWS_PER_REQUEST))
                .filter(rows -> rows >= 1)
                .map(Math::round);
    }

    /** {@code 64KB}, as options take it. */
    private static String size(long bytes) {
        return bytes % (1 << 20) == 0 ? (bytes >> 20) + "MB" : (bytes >> 10) + "KB";
    }
}
