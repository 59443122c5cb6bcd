package io.overdrive.jobs.load;

/** Ends the parsing of a block; the current record does not count as read. */
final class StopReading extends RuntimeException {
    private static final long serialVersionUID = 1;

    StopReading() {
        super("reading was stopped", null, /* enableSuppression */ false, /* writableStackTrace */ false);
    }
}
