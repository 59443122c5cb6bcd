package io.overdrive.cli;

import io.overdrive.Overdrive;
import io.overdrive.RowBuffer;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.WriteOptions;
import io.overdrive.bench.tune.RowSample;
import io.overdrive.jobs.DryTarget;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.RowTarget;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.load.LoadWriters;
import io.overdrive.jobs.load.Loader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rows that {@code overdrive tune} writes: of the table, or of files. Stateless. */
final class TuneRows {
    private static final long MAX_BYTES = 48 << 20;
    /** The share of the heap that rows may take; writers take more than this. */
    private static final int HEAP_SHARE = 6;

    private TuneRows() {}

    private static long maxBytes() {
        return Math.min(MAX_BYTES, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
    }

    /**
     * Rows from the beginning of the table, in the order of their tokens.
     *
     * @param atMost how long to read
     */
    static RowSample ofTable(
            Overdrive overdrive, TableSchema table, ScanOptions options, Duration atMost, BooleanSupplier stopped) {
        RowSample sample = new RowSample(table.columns(), maxBytes());
        long end = System.nanoTime() + atMost.toNanos();
        try (Scan scan = overdrive.scan(options)) {
            for (Split split : scan.splits()) {
                try (RowCursor row = scan.open(split)) {
                    while (!sample.isFull() && !stopped.getAsBoolean() && System.nanoTime() - end < 0 && row.next()) {
                        sample.add(row);
                    }
                }
            }
        }
        return sample;
    }

    /**
     * The first rows of files, in their order.
     *
     * @param options how to read the files, and which field goes to which column; rejected records are left out
     */
    static RowSample ofFiles(Overdrive overdrive, TableSchema table, LoadOptions options, BooleanSupplier stopped) {
        Path rejects = temporaryDirectory();
        LoadOptions one = options.toBuilder()
                .threads(1)
                .maxRejects(RejectLimit.parse("none"))
                .rejects(rejects, "rows")
                .build();
        FileSample sample = new FileSample(table, stopped);
        WriteOptions.Builder write = WriteOptions.into(table.keyspace(), table.table());
        try (Loader loader = Loader.openInto(overdrive, write, one, sample::open)) {
            return sample.read(loader);
        } finally {
            delete(rejects);
        }
    }

    /** The rows of files, until there are enough. Confined to the thread that reads. */
    private static final class FileSample {
        private final TableSchema table;
        private final BooleanSupplier stopped;
        private @Nullable RowSample rows;
        private @Nullable Loader loader;

        FileSample(TableSchema table, BooleanSupplier stopped) {
            this.table = table;
            this.stopped = stopped;
        }

        RowTarget open(LoadWriters writers) {
            RowSample sample = new RowSample(columns(writers.rows().columns(), table), maxBytes());
            rows = sample;
            return new DryTarget(writer -> writer.equals(writers.rows()) ? row -> add(sample, row) : statics -> {});
        }

        private void add(RowSample sample, RowBuffer row) {
            sample.add(row);
            if (loader != null && (sample.isFull() || stopped.getAsBoolean())) {
                loader.stop();
            }
        }

        RowSample read(Loader from) {
            loader = from;
            RuntimeException failure = from.run().failure();
            if (failure != null) {
                throw failure;
            }
            return Objects.requireNonNull(rows);
        }
    }

    private static List<Column> columns(List<String> names, TableSchema table) {
        return names.stream().map(name -> table.column(name).orElseThrow()).toList();
    }

    private static Path temporaryDirectory() {
        try {
            return Files.createTempDirectory("overdrive-tune");
        } catch (IOException e) {
            throw new UncheckedIOException("no directory for rejected records", e);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(directory + " cannot be deleted", e);
        }
    }
}
