package io.overdrive.cli.options;

import io.overdrive.Split;
import io.overdrive.Split.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The text of a token range, START,END, as options and output have it. Stateless. */
public final class TokenRange {
    /** Ranges of a sample: more than nodes of most clusters, and few enough for an empty table. */
    private static final int SAMPLES = 256;

    private static final long STEP = Long.MIN_VALUE / -(SAMPLES / 2);
    private static final double MIN_PERCENT = 0.0001;

    private TokenRange() {}

    /** The text of a range. */
    public static String text(Range range) {
        return range.start() + "," + range.end();
    }

    /** The text of several ranges, as one value of an option has it. */
    public static String text(List<Range> ranges) {
        return ranges.stream().map(TokenRange::text).collect(Collectors.joining(":"));
    }

    /** Reads {@code START,END}, or several with colons between them. */
    static List<Range> parseAll(String option, String text) {
        return Arrays.stream(text.split(":", -1))
                .flatMap(range -> parse(option, range).stream())
                .toList();
    }

    /**
     * Reads a share of the ring, such as {@code 1%}: short ranges at equal distances, the same ones each time, so that nodes and token ranges
     * of all sizes are in it.
     */
    static List<Range> sample(String option, String text) {
        double percent;
        try {
            percent = text.strip().endsWith("%")
                    ? Double.parseDouble(text.strip().substring(0, text.strip().length() - 1))
                    : Double.NaN;
        } catch (NumberFormatException e) {
            percent = Double.NaN;
        }
        if (!(percent >= MIN_PERCENT && percent < 100)) {
            throw new IllegalArgumentException(
                    option + " is \"" + text + "\", must be a percentage from 0.0001% to less than 100%, such as 1%");
        }
        long width = (long) (STEP / 100.0 * percent);
        return IntStream.range(0, SAMPLES)
                .mapToLong(i -> Long.MIN_VALUE + STEP / 2 + i * STEP)
                .mapToObj(start -> new Range(start - width / 2, start - width / 2 + width))
                .toList();
    }

    /** Reads one: it is two ranges if it continues from the highest token to the lowest. */
    private static List<Range> parse(String option, String text) {
        String[] bounds = text.split(",", -1);
        if (bounds.length != 2) {
            throw wrong(option, text);
        }
        long start;
        long end;
        try {
            start = Long.parseLong(bounds[0].strip());
            end = Long.parseLong(bounds[1].strip());
        } catch (NumberFormatException e) {
            throw wrong(option, text);
        }
        if (start < end) {
            return List.of(new Range(start, end));
        }
        List<Range> ranges = new ArrayList<>();
        if (start > end && end > Long.MIN_VALUE) {
            ranges.add(new Range(Long.MIN_VALUE, end));
        }
        if (start > end && start < Long.MAX_VALUE) {
            ranges.add(new Range(start, Long.MAX_VALUE));
        }
        if (ranges.isEmpty()) {
            throw new IllegalArgumentException(
                    option + " \"" + text + "\" has no token: a range is greater than START and at"
                            + " most END; all tokens are " + text(Split.WHOLE_RING));
        }
        return ranges;
    }

    private static IllegalArgumentException wrong(String option, String text) {
        return new IllegalArgumentException(
                option + " \"" + text + "\" is not a token range: write START,END, two whole" + " numbers from "
                        + Long.MIN_VALUE + " to " + Long.MAX_VALUE + ", such as 0,4611686018427387904");
    }
}
