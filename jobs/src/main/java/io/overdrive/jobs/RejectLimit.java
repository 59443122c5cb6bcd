package io.overdrive.jobs;

import io.overdrive.OverdriveException;
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

    /** Resumes a run that its limit has ended. It keeps its limit, which would end it again if it was resumed as it is. */
    public static final MessageText WAY_OUT = words -> "repeat the command with " + words.of(JobOption.RESUME)
            + " and a higher " + words.of(JobOption.MAX_REJECTS);

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

    /** Marks failures because of a limit. */
    private static final class Exceeded extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** The failure of a job that has rejected more than this. */
    public OverdriveException exceeded(String what, String where) {
        return new OverdriveException(
                OverdriveException.Kind.INPUT,
                words -> "more " + what + " were rejected than the limit of " + this + " ("
                        + words.of(JobOption.MAX_REJECTS) + "); " + where,
                new Exceeded());
    }

    /** Whether a job has failed because of its limit, so that {@link #WAY_OUT} is how to resume it. */
    public static boolean hasEnded(Summary summary) {
        RuntimeException failure = summary.failure();
        return failure != null && failure.getCause() instanceof Exceeded;
    }

    @Override
    public String toString() {
        return percent < 100
                ? (percent + "%").replace(".0%", "%")
                : count == Long.MAX_VALUE ? "none" : Long.toString(count);
    }
}
