package io.overdrive.bench.stress;

import io.overdrive.OverdriveException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * A file of latencies in nanoseconds, interval by interval, with the kind of operation as the tag: "write" from when operations
 * were due, "write-service" from when they were sent. HdrHistogram's own tools read it. Confined to one thread at a time.
 */
final class HistogramLog implements AutoCloseable {
    private final Path file;
    private final long startMillis;
    private final PrintStream out;
    private final HistogramLogWriter writer;

    /**
     * @param startMillis since 1970, at the start of the load
     * @throws OverdriveException of kind DISK if the file cannot be created
     */
    HistogramLog(Path file, StressOptions options, long startMillis) {
        this.file = file;
        this.startMillis = startMillis;
        try {
            out = new PrintStream(
                    new BufferedOutputStream(Files.newOutputStream(file)), /* autoFlush */
                    true,
                    StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new OverdriveException(
                    OverdriveException.Kind.DISK, "cannot write the histogram log " + file + ": " + e, e);
        }
        writer = new HistogramLogWriter(out);
        writer.outputComment(String.format(
                Locale.ROOT,
                "[overdrive bench stress %s --workload '%s' --rate %d; nanoseconds; response time, and service time as NAME-service]",
                options.cqlTable(),
                options.workload(),
                options.rate()));
        writer.outputLogFormatVersion();
        writer.outputStartTime(startMillis);
        writer.outputBaseTime(startMillis);
        writer.setBaseTime(startMillis);
        writer.outputLegend();
    }

    void write(String tag, Histogram interval) {
        interval.setTag(tag);
        interval.setStartTimeStamp(
                Math.max(startMillis, interval.getStartTimeStamp())); // the first began before this object
        writer.outputIntervalHistogram(interval);
    }

    /** @throws OverdriveException of kind DISK if it could not be written completely */
    @Override
    public void close() {
        out.close();
        if (out.checkError()) {
            throw new OverdriveException(
                    OverdriveException.Kind.DISK, "the histogram log " + file + " is incomplete: is the disk full?");
        }
    }
}
