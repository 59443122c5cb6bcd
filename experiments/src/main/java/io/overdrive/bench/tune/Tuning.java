package io.overdrive.bench.tune;

import io.overdrive.InFlightControl;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;

/**
 * A value for each setting that is tuned. Immutable.
 *
 * @param batchBytes size at which a batch is sent
 * @param inFlight how much is in flight
 * @param pageBytes target size of a page
 * @param splits token ranges that are read at the same time, for each node
 */
public record Tuning(int batchBytes, InFlight inFlight, int pageBytes, int splits) {
    /** Overdrive's defaults, used if no option is given. */
    public static final Tuning DEFAULT = defaults();

    /**
     * How much may be in flight to a node.
     *
     * @param control how the limit is found
     * @param requests the limit if it is fixed, otherwise the maximum
     */
    public record InFlight(InFlightControl control, int requests) {
        static InFlight fixed(int requests) {
            return new InFlight(InFlightControl.FIXED, requests);
        }

        boolean isFixed() {
            return control == InFlightControl.FIXED;
        }
    }

    private static Tuning defaults() {
        WriteOptions write = WriteOptions.into("keyspace", "table").build();
        ScanOptions scan = ScanOptions.from("keyspace", "table").build();
        return new Tuning(
                write.batchBytes(),
                new InFlight(write.inFlightControl(), write.inFlightRequests()),
                scan.pageBytes(),
                scan.splitsInFlight());
    }

    Tuning withBatchBytes(int value) {
        return new Tuning(value, inFlight, pageBytes, splits);
    }

    Tuning withInFlight(InFlight value) {
        return new Tuning(batchBytes, value, pageBytes, splits);
    }

    Tuning withPageBytes(int value) {
        return new Tuning(batchBytes, inFlight, value, splits);
    }

    Tuning withSplits(int value) {
        return new Tuning(batchBytes, inFlight, pageBytes, value);
    }

    /**
     * Sets what differs from the default: an option that is set may have other effects, too, even with the value of the default. A fixed
     * number of requests is not also limited by a smaller number of bytes.
     */
    WriteOptions.Builder apply(WriteOptions.Builder write) {
        if (batchBytes != DEFAULT.batchBytes) {
            write.batchBytes(batchBytes);
        }
        return inFlight.isFixed()
                ? write.inFlightControl(inFlight.control)
                        .inFlightRequests(inFlight.requests)
                        .inFlightBytes(maxInFlightBytes())
                : write;
    }

    /** The same limit as with control by round trips. */
    static long maxInFlightBytes() {
        return WriteOptions.into("keyspace", "table").build().inFlightBytes();
    }

    /** As {@link #apply(WriteOptions.Builder)}. */
    ScanOptions.Builder apply(ScanOptions.Builder scan) {
        if (pageBytes != DEFAULT.pageBytes) {
            scan.pageBytes(pageBytes);
        }
        return splits == DEFAULT.splits ? scan : scan.splitsInFlight(splits);
    }
}
