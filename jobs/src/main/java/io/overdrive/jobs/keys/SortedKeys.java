package io.overdrive.jobs.keys;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowBuffer;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.NamedOption;
import io.overdrive.jobs.DryTarget;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.RowTarget;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.load.LoadSummary;
import io.overdrive.jobs.load.LoadWriters;
import io.overdrive.jobs.load.Loader;
import io.overdrive.jobs.load.RejectFile;
import io.overdrive.jobs.sort.EntryLayout;
import io.overdrive.jobs.sort.EntryWriter;
import io.overdrive.jobs.sort.KeyOrder;
import io.overdrive.jobs.sort.SortedEntries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of files in the order of the table's rows, each once. Thread-safe once {@link #read} has returned.
 *
 * @param layout the columns of the key that the files have
 * @param count of the keys
 * @param repeated records whose key another one has
 * @param digest of all keys
 * @param cuts tokens that divide the keys into parts of about equal numbers, in ascending order
 */
record SortedKeys(EntryLayout layout, SortedEntries entries, long count, long repeated, String digest, List<Long> cuts)
        implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SortedKeys.class);
    private static final int MIN_KEYS_OF_PART = 100;
    private static final int MAX_CUTS = 512;

    /** Sorts the keys as the files are read. */
    private static final class Sorting {
        private final TableSchema table;
        private final KeyOrder order;
        private final KeyOptions options;
        private @Nullable EntryLayout layout;
        private @Nullable SortedEntries entries;
        /** Whether a record has values for some of the columns only. */
        private volatile boolean isIncomplete;

        Sorting(TableSchema table, KeyOrder order, KeyOptions options) {
            this.table = table;
            this.order = order;
            this.options = options;
        }

        /** Opens it, once it is known which columns of the key the files have. */
        RowTarget open(LoadWriters writers) {
            List<String> names = writers.rows().columns();
            List<Column> columns = table.columns().stream()
                    .filter(column -> names.contains(column.name()))
                    .toList();
            TableSchema keys = new TableSchema(table.keyspace(), table.table(), columns);
            KeyOrder ofKeys = KeyOrder.of(
                    keys, order.descending().subList(0, keys.clusteringColumns().size()));
            EntryLayout opened =
                    new EntryLayout(keys, ofKeys, names, /* filledStatics */ List.of(), /* hasTimes */ false);
            SortedEntries sorted = new SortedEntries(
                    opened,
                    options.spills(),
                    options.sortMemory(),
                    options.input().threads());
            layout = opened;
            entries = sorted;
            return new DryTarget(
                    writer -> new EntryWriter(opened, /* baseTime */ 0, sorted.part()::add)::add,
                    row -> problem(row, names));
        }

        /** A statement takes rows without a clustering column, which are no keys. */
        private @Nullable String problem(RowBuffer row, List<String> names) {
            for (int c = 0; c < names.size(); c++) {
                if (!row.isSet(c) || row.length(c) < 0) {
                    isIncomplete = true;
                    return "column \"" + names.get(c) + "\" has no value, in a key of " + String.join(", ", names);
                }
            }
            return null;
        }

        SortedKeys finish() {
            SortedEntries sorted = Objects.requireNonNull(entries);
            sorted.finish();
            return measured(Objects.requireNonNull(layout), sorted);
        }

        void close() {
            if (entries != null) {
                entries.close();
            }
        }
    }

    /**
     * Reads the files.
     *
     * @throws OverdriveException of kind INPUT if a file cannot be read, or a record has no key; of kind DISK if keys cannot be spilled
     */
    static SortedKeys read(Overdrive overdrive, TableSchema table, KeyOptions options) {
        WritableDirectory.checkKeys(options.spillDirectory());
        Sorting sorting = new Sorting(table, KeyOrder.of(overdrive, table), options);
        try {
            LoadOptions input = options.input().toBuilder()
                    .maxRejects(new RejectLimit(0, 100))
                    .rejects(options.spillDirectory(), "overdrive-keys-" + UUID.randomUUID())
                    .build();
            try (Loader loader = Loader.openKeys(overdrive, table, input, sorting::open)) {
                LoadSummary read = loader.run();
                read.rejectFiles().forEach(SortedKeys::delete);
                requireAll(read, sorting.isIncomplete);
            }
            return sorting.finish();
        } catch (OverdriveException e) {
            sorting.close();
            throw new OverdriveException(
                    e.kind(), words -> MessageText.of(e).in(option -> words.of(ofKeys(option))), e);
        } catch (RuntimeException e) {
            sorting.close();
            throw e;
        }
    }

    private static void requireAll(LoadSummary read, boolean isIncomplete) {
        RuntimeException failure = read.failure();
        String reject = read.firstReject();
        if (reject != null) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "a key cannot be read: " + reject
                            + (isIncomplete
                                    ? ". If the keys have fewer columns, name these with "
                                            + words.of(JobOption.KEYS_MAPPING) + " \"a = a, b = b\""
                                    : ""));
        }
        if (failure != null) {
            throw failure;
        }
        if (read.outcome() != Outcome.DONE) {
            throw new OverdriveException(Kind.INTERRUPTED, "stopped while keys were read");
        }
    }

    private static NamedOption ofKeys(NamedOption option) {
        if (option == JobOption.MAPPING) {
            return JobOption.KEYS_MAPPING;
        }
        return option == JobOption.FIELD_NAMES || option == JobOption.NO_HEADER ? JobOption.KEYS_FIELDS : option;
    }

    /** Deletes a file of rejected records, whose reason the message has. */
    private static void delete(Path rejects) {
        try {
            Files.delete(rejects);
            Files.deleteIfExists(RejectFile.reasonsOf(rejects));
        } catch (IOException e) {
            LOG.warn("cannot delete {}: {}", rejects, WritableDirectory.reason(e));
        }
    }

    /** Counts the keys, and cuts them into parts: each has twice as many keys as before when there are too many parts. */
    private static SortedKeys measured(EntryLayout layout, SortedEntries entries) {
        MessageDigest digest = sha256();
        List<Long> cuts = new ArrayList<>();
        long keysOfPart = MIN_KEYS_OF_PART;
        long inPart = 0;
        KeyCursor keys = new KeyCursor(layout, entries, Split.WHOLE_RING);
        long token = 0;
        while (keys.next()) {
            if (inPart >= keysOfPart && keys.token() > token) {
                cuts.add(token);
                inPart = 0;
                if (cuts.size() > MAX_CUTS) {
                    cuts = everySecond(cuts);
                    keysOfPart *= 2;
                }
            }
            token = keys.token();
            inPart++;
            digest.update(keys.array(), keys.start(), keys.end() - keys.start());
        }
        return new SortedKeys(
                layout, entries, keys.given(), keys.repeated(), HexFormat.of().formatHex(digest.digest()), cuts);
    }

    private static List<Long> everySecond(List<Long> cuts) {
        List<Long> kept = new ArrayList<>();
        for (int i = 1; i < cuts.size(); i += 2) {
            kept.add(cuts.get(i));
        }
        return kept;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // each Java has it
        }
    }

    /** The keys of a token range. */
    KeyCursor open(Range range) {
        return new KeyCursor(layout, entries, range);
    }

    /** Token ranges that together are the ring, and have about equal numbers of keys. */
    List<Split> parts() {
        List<Split> parts = new ArrayList<>();
        long start = Long.MIN_VALUE;
        for (long cut : cuts) {
            parts.add(part(start, cut));
            start = cut;
        }
        parts.add(part(start, Long.MAX_VALUE));
        return parts;
    }

    private static Split part(long start, long end) {
        return new Split(List.of(new Range(start, end)), List.of(), 0);
    }

    @Override
    public void close() {
        entries.close();
    }
}
