package io.overdrive.jobs;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;

/**
 * How many records may be rejected before a load stops: a count, or a share of the records read. Immutable.
 *
 * @param count maximum number of rejected records
 * @param percent maximum percentage of rejected records; 100 if only the count applies
 */
public record RejectLimit(long count, double percent) {
    /** A share is not meaningful for the first few records. */
    private static final long MIN_ROWS_FOR_SHARE = 1000;

    /** Advice in the message about a run with a journal. The run itself keeps its limit, which would end it again. */
    public static final MessageText WAY_OUT = words -> "; to resume it with a higher limit, repeat the command with "
            + words.of(JobOption.RESUME) + " and " + words.of(JobOption.MAX_REJECTS);

    /** No limit. */
    public static final RejectLimit NONE = new RejectLimit(Long.MAX_VALUE, 100);

    public RejectLimit {
        if (count < 0 || !(percent >= 0 && percent <= 100)) {
            throw new IllegalArgumentException("count is " + count + ", percent is " + percent);
        }
    }

    /**
     * A count such as {@code 100}, a share such as {@code 0.5%}, or {@code none}.
     *
     * @throws IllegalArgumentException if the text is something else
     */
    public static RejectLimit parse(String text) {
        try {
            String trimmed = text.strip();
            if (trimmed.equals("none")) {
                return NONE;
            }
            return trimmed.endsWith("%")
                    ? new RejectLimit(Long.MAX_VALUE, Double.parseDouble(trimmed.substring(0, trimmed.length() - 1)))
                    : new RejectLimit(Long.parseLong(trimmed), 100);
        } catch (IllegalArgumentException e) {
            throw new IllegalOptionException(
                    words -> words.of(JobOption.MAX_REJECTS) + " is \"" + text + "\", must be a count such as 100, a"
                            + " share such as 0.5%, or none",
                    e);
        }
    }

    /** Whether the limit is exceeded while reading continues. */
    public boolean isExceeded(long rejected, long read) {
        return rejected > count || (percent < 100 && read >= MIN_ROWS_FOR_SHARE && isShareExceeded(rejected, read));
    }

    /** Whether the limit is exceeded at the end. */
    public boolean isExceededAtEnd(long rejected, long read) {
        return rejected > count || (percent < 100 && isShareExceeded(rejected, read));
    }

    private boolean isShareExceeded(long rejected, long read) {
        return rejected * 100.0 > percent * read;
    }

    @Override
    public String toString() {
        return percent < 100
                ? (percent + "%").replace(".0%", "%")
                : count == Long.MAX_VALUE ? "none" : Long.toString(count);
    }
}
