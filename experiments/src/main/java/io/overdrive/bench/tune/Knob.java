package io.overdrive.bench.tune;

import io.overdrive.bench.tune.Tuning.InFlight;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A setting that is tuned, and the values that are tried: the default, and others on a logarithmic grid. */
public enum Knob {
    WRITE_SIZE("write size", "How many bytes should a batch have?", true) {
        @Override
        List<Level> levels(Tuning base) {
            return levels(base, sizes(4, 16, 64, 256), Tuning::withBatchBytes, Tuning::batchBytes);
        }
    },
    IN_FLIGHT("in flight", "How many writes should be in flight to a node?", true) {
        @Override
        List<Level> levels(Tuning base) {
            List<InFlight> values = new ArrayList<>(List.of(Tuning.DEFAULT.inFlight()));
            Stream.of(8, 32, 128, 512).map(InFlight::fixed).forEach(values::add);
            return values.stream()
                    .map(value -> new Level(this, words(value), base.withInFlight(value)))
                    .toList();
        }
    },
    PAGE_SIZE("page size", "How many bytes should a page have?", false) {
        @Override
        List<Level> levels(Tuning base) {
            return levels(base, sizes(64, 256, 512, 1024, 2048), Tuning::withPageBytes, Tuning::pageBytes);
        }
    },
    SPLITS("splits in flight", "How many token ranges should be read at the same time, for each node?", false) {
        @Override
        List<Level> levels(Tuning base) {
            return levels(base, IntStream.of(1, 2, 4, 8, 16), Tuning::withSplits, Tuning::splits);
        }
    };

    private final String label;
    private final String question;
    private final boolean writes;

    Knob(String label, String question, boolean writes) {
        this.label = label;
        this.question = question;
        this.writes = writes;
    }

    /**
     * One of the values that are tried.
     *
     * @param label the value as reports show it
     * @param tuning all settings, with this value
     */
    public record Level(Knob knob, String label, Tuning tuning) {
        /** Whether it is the value that Overdrive has without an option. */
        public boolean isDefault() {
            return label.equals(knob.text(Tuning.DEFAULT));
        }
    }

    /** Reads the setting, so that the default is among the values tried. */
    private interface Value {
        int of(Tuning tuning);
    }

    public String label() {
        return label;
    }

    public String question() {
        return question;
    }

    /** Whether it is tuned by writing; otherwise by reading. */
    public boolean writes() {
        return writes;
    }

    /** The values to try, each with the other settings of the base; one of them is the default. */
    abstract List<Level> levels(Tuning base);

    List<Level> levels(Tuning base, IntStream values, BiFunction<Tuning, Integer, Tuning> set, Value get) {
        return IntStream.concat(values, IntStream.of(get.of(Tuning.DEFAULT)))
                .distinct()
                .sorted()
                .mapToObj(value -> set.apply(base, value))
                .map(tuning -> new Level(this, text(tuning), tuning))
                .toList();
    }

    /** The value of this setting, as reports show it: {@code 64 KiB}. */
    public String text(Tuning tuning) {
        return switch (this) {
            case WRITE_SIZE -> (tuning.batchBytes() >> 10) + " KiB";
            case IN_FLIGHT -> words(tuning.inFlight());
            case PAGE_SIZE -> (tuning.pageBytes() >> 10) + " KiB";
            case SPLITS -> Integer.toString(tuning.splits());
        };
    }

    private static String words(InFlight inFlight) {
        return inFlight.isFixed() ? inFlight.requests() + " requests" : "by round trips";
    }

    private static IntStream sizes(int... kibibytes) {
        return IntStream.of(kibibytes).map(size -> size << 10);
    }
}
