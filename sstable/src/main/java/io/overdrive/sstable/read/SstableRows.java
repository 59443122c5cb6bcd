package io.overdrive.sstable.read;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.TableSchema;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.scan.Page;
import io.overdrive.internal.scan.Pages;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.sstable.format.SstableSchema;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a table from SSTables, such as those of snapshots, in place of the cluster. Of a row that several of them have, of a node or
 * of replicas, the merged row is given, as the server would; what has expired when they are opened is left out. Of the cluster only the
 * columns of the table are read. Thread-safe.
 */
public final class SstableRows implements RowSource, AutoCloseable {
    private static final int PAGE_BYTES = 256 << 10;
    /** Maximum rows of a page whose rows have no values. */
    private static final int PAGE_ROWS = 1 << 20;

    private static final long SPLIT_BYTES = 64 << 20;
    /** So that several threads end at about the same time. */
    private static final int MIN_SPLITS = 32;

    private static final int MAX_SPLITS = 8192;

    private static final String WAY_OUT =
            "; to read them, create a table of another name with the columns that the SSTables have, and name it in"
                    + " place of this one";

    private static final Pattern TIMES = Pattern.compile("(writetime|ttl)\\((.*)\\)", Pattern.DOTALL);

    private final SstableSchema schema;
    private final List<SstableFile> files;
    private final List<String> names;
    private final DroppedColumns drops;
    private final List<String> nodesWithoutBackup;
    private final List<Split> splits;
    private final long nowSeconds;
    /** Values that were left out, of columns that have been read. */
    private final LongAdder[] hidden;

    private final LongAdder hiddenOfGone = new LongAdder();
    private final LongAdder hiddenRows = new LongAdder();

    private SstableRows(
            SstableSchema schema,
            List<SstableFile> files,
            DroppedColumns drops,
            List<String> nodesWithoutBackup,
            long nowSeconds) {
        this.nodesWithoutBackup = nodesWithoutBackup;
        this.schema = schema;
        this.files = List.copyOf(files);
        this.names = schema.columns().stream().map(SstableSchema.Column::name).toList();
        this.drops = drops;
        this.hidden = names.stream().map(name -> new LongAdder()).toArray(LongAdder[]::new);
        this.nowSeconds = nowSeconds;
        long bytes = files.stream().mapToLong(SstableFile::dataBytes).sum();
        this.splits = cut(bytes, (from, to, count) -> files.stream()
                .mapToLong(file -> file.dataBytes(from, to))
                .sum());
    }

    /**
     * Opens all SSTables in some directories.
     *
     * @param keyspace of the table, not quoted
     * @param directories with the files of SSTables of the table themselves, or backups of nodes by Medusa
     * @throws OverdriveException of kind SCHEMA if there is no such table, or it is a view or Cassandra's own, or has counters or columns
     *     of unknown form; of kind INPUT or DISK if one of the files is missing, also by what a snapshot says of itself, damaged or of a
     *     version that cannot be read, or belongs to another table
     */
    public static SstableRows open(Overdrive cluster, String keyspace, String table, List<Path> directories) {
        return open(cluster, keyspace, table, directories, keyspace);
    }

    /**
     * As {@link #open(Overdrive, String, String, List)}, for a table that was in another keyspace when the files were written.
     *
     * @param keyspaceThen its name, not quoted
     */
    public static SstableRows open(
            Overdrive cluster, String keyspace, String table, List<Path> directories, String keyspaceThen) {
        SstableSchema schema = requireReadable(cluster, keyspace, table);
        return open(
                schema,
                SstableDirectories.list(directories, keyspaceThen, table),
                DroppedColumns.of(cluster.session(), keyspace, table),
                SstableDirectories.nodesWithoutBackup(directories),
                Instant.now().getEpochSecond());
    }

    /**
     * As {@link #open(Overdrive, String, String, List)}, of files that another process has found.
     *
     * @throws OverdriveException also of kind INPUT if the files are not the same here
     */
    public static SstableRows open(Overdrive cluster, String keyspace, String table, FoundSstables found) {
        SstableSchema schema = requireReadable(cluster, keyspace, table);
        return open(
                schema,
                found.here(),
                DroppedColumns.of(cluster.session(), keyspace, table),
                /* nodesWithoutBackup */ List.of(),
                found.nowSeconds());
    }

    private static SstableRows open(
            SstableSchema schema,
            List<Path> paths,
            DroppedColumns drops,
            List<String> nodesWithoutBackup,
            long nowSeconds) {
        Map<String, Long> dropped = new HashMap<>();
        drops.times().forEach((column, time) -> dropped.put(column, micros(time)));
        List<SstableFile> files = new ArrayList<>();
        try {
            for (Path data : paths) {
                files.add(SstableFile.open(data, schema, dropped));
            }
            return new SstableRows(schema, files, drops, nodesWithoutBackup, nowSeconds);
        } catch (RuntimeException e) {
            files.forEach(SstableFile::close);
            throw e;
        }
    }

    /**
     * The columns of a table, whose SSTables can be read.
     *
     * @throws OverdriveException of kind SCHEMA, as {@link #open(Overdrive, String, String, List)} does
     */
    public static SstableSchema requireReadable(Overdrive cluster, String keyspace, String table) {
        CqlSession session = cluster.session();
        TableSchema known = known(cluster, keyspace, table);
        TableMetadata metadata = session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .flatMap(owner -> owner.getTable(CqlIdentifier.fromInternal(table)))
                .orElseThrow(() -> notATable(session, known));
        try {
            return SstableSchema.of(metadata, List.copyOf(metadata.getColumns().keySet()));
        } catch (IllegalArgumentException e) {
            throw new OverdriveException(Kind.SCHEMA, "SSTables of this table cannot be read: " + e.getMessage(), e);
        }
    }

    /** A table or a view. */
    private static TableSchema known(Overdrive cluster, String keyspace, String table) {
        try {
            return cluster.table(keyspace, table);
        } catch (OverdriveException e) {
            throw e.kind() != Kind.SCHEMA
                    ? e
                    : new OverdriveException(
                            Kind.SCHEMA,
                            words -> MessageText.of(e).in(words) + "; the cluster has to tell the columns of the"
                                    + " SSTables: create the table, as schema.cql in a snapshot does",
                            e);
        }
    }

    private static OverdriveException notATable(CqlSession session, TableSchema known) {
        String baseTable = session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(known.keyspace()))
                .flatMap(keyspace -> keyspace.getView(CqlIdentifier.fromInternal(known.table())))
                .map(view -> view.getBaseTable().asCql(/* pretty */ true))
                .orElse(null);
        return new OverdriveException(
                Kind.SCHEMA,
                words -> "[" + known.cqlName() + "] is "
                        + (baseTable != null
                                ? "a materialized view, of which SSTables are not read: read those of its table "
                                        + baseTable
                                : "a table of Cassandra's own, of which SSTables are not read")
                        + ", or read it over CQL, without " + words.of(JobOption.FROM_SSTABLES));
    }

    private static long micros(Instant time) {
        return TimeUnit.MILLISECONDS.toMicros(time.toEpochMilli());
    }

    /** Estimates the bytes of a range. */
    interface RangeBytes {
        /** @param count of all ranges, of equal numbers of tokens */
        long of(long from, long to, long count);
    }

    /**
     * Cuts the ring.
     *
     * @param bytes of all rows
     */
    static List<Split> cut(long bytes, RangeBytes estimate) {
        long count = Math.max(MIN_SPLITS, Math.min(MAX_SPLITS, bytes / SPLIT_BYTES));
        long step = Long.divideUnsigned(-1L, count);
        List<Split> all = new ArrayList<>();
        long start = Long.MIN_VALUE;
        for (long i = 1; i <= count; i++) {
            long end = i == count ? Long.MAX_VALUE : start + step;
            all.add(new Split(List.of(new Range(start, end)), List.of(), estimate.of(start, end, count)));
            start = end;
        }
        return List.copyOf(all);
    }

    @Override
    public Content content() {
        return new Content(
                "SSTable",
                files.size(),
                files.stream().mapToLong(SstableFile::bytes).sum(),
                Way.FILES);
    }

    /** The bytes of the largest partition in one of them, without compression; empty if there are none. */
    public OptionalLong largestPartition() {
        return files.stream()
                .map(SstableFile::path)
                .mapToLong(SstableFile::largestPartition)
                .max();
    }

    /** Warnings for the user before the first row: nodes and columns whose values are left out. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>(ofNodes(nodesWithoutBackup));
        warnings.addAll(ofColumns());
        return warnings;
    }

    /** A warning about nodes of which there is no backup; none if there are no such nodes. */
    public static List<String> ofNodes(List<String> nodesWithoutBackup) {
        return nodesWithoutBackup.isEmpty()
                ? List.of()
                : List.of("the cluster of these backups also has the nodes " + String.join(", ", nodesWithoutBackup)
                        + ": rows that only they have are not read");
    }

    /** The warnings about columns. */
    public List<String> ofColumns() {
        List<String> warnings = new ArrayList<>();
        for (String column : columns(SstableFile::hiddenColumns)) {
            warnings.add(
                    dropOf(column) + " and added again: values from before, which these SSTables may have, are left"
                            + " out, as the server leaves them out" + WAY_OUT);
        }
        for (String column : columns(SstableFile::goneColumns)) {
            warnings.add(dropOf(column) + ", and the table has it no longer: its values in these SSTables are left out"
                    + WAY_OUT);
        }
        return warnings;
    }

    private List<String> columns(Function<SstableFile, List<String>> which) {
        return files.stream()
                .flatMap(file -> which.apply(file).stream())
                .distinct()
                .sorted()
                .toList();
    }

    private String dropOf(String column) {
        return "column \"" + column + "\" was dropped at " + drops.times().get(column);
    }

    /**
     * Counts of values that were left out of the rows read, in the requested columns. Values of columns that the table
     * has no longer only count if all in the SSTables is from before: later SSTables may have such values until a
     * compaction.
     */
    public LeftOut leftOut() {
        SortedMap<String, Long> values = new TreeMap<>();
        for (int column = 0; column < hidden.length; column++) {
            long count = hidden[column].sum();
            if (count > 0) {
                values.put(names.get(column), count);
            }
        }
        List<String> gone = columns(SstableFile::goneColumns);
        long last = files.stream().mapToLong(SstableFile::lastWriteTime).max().orElse(Long.MAX_VALUE);
        boolean countsGone = gone.stream()
                .anyMatch(column ->
                        last <= micros(Objects.requireNonNull(drops.times().get(column))));
        return new LeftOut(
                values, countsGone ? gone : List.of(), countsGone ? hiddenOfGone.sum() : 0, hiddenRows.sum());
    }

    @Override
    public List<Split> splits() {
        return splits;
    }

    @Override
    public Pages open(Range range, List<String> columns) {
        Chosen[] chosen = columns.stream().map(this::chosen).toArray(Chosen[]::new);
        SstableMerge merge = SstableMerge.of(schema, files, nowSeconds);
        merge.open(range.start(), range.end());
        return new RangePages(range, chosen, merge);
    }

    private Chosen chosen(String name) {
        int column = names.indexOf(name);
        Matcher times = TIMES.matcher(name);
        int timed = times.matches() ? names.indexOf(times.group(2)) : -1;
        boolean isOfMarker = name.equals(MARKER_TIME) || name.equals(MARKER_TTL);
        if ((column < 0) == (timed < 0 && !isOfMarker)) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    name
                            + " cannot be read from SSTables, which have columns, and their times if no column is"
                            + " named like these; read this table over CQL");
        }
        if (isOfMarker) {
            return new Chosen(-1, name.equals(MARKER_TIME) ? Part.MARKER_TIME : Part.MARKER_TTL);
        }
        Part part = column >= 0 ? Part.VALUE : times.group(1).equals("ttl") ? Part.TTL : Part.WRITE_TIME;
        return new Chosen(Math.max(column, timed), part);
    }

    @Override
    public void close() {
        files.forEach(SstableFile::close);
    }

    private enum Part {
        VALUE,
        WRITE_TIME,
        TTL,
        MARKER_TIME,
        MARKER_TTL
    }

    /** The part to read of a column, or of the row marker, whose column is -1. */
    private record Chosen(int column, Part part) {}

    /** Pages of one range, used by one thread at a time. */
    private final class RangePages implements Pages {
        private final Range range;
        private final Chosen[] columns;
        private final SstableMerge merge;
        private final Bytes body = new Bytes(PAGE_BYTES + (PAGE_BYTES >> 2));
        private boolean isAtEnd;

        RangePages(Range range, Chosen[] columns, SstableMerge merge) {
            this.range = range;
            this.columns = columns;
            this.merge = merge;
        }

        @Override
        public @Nullable Page take() {
            if (isAtEnd) {
                return null;
            }
            body.clear();
            long nowSeconds =
                    Instant.now().getEpochSecond(); // the remaining time to live counts from when a row is read
            int rows = 0;
            while (!isAtEnd && body.length() < PAGE_BYTES && rows < PAGE_ROWS) {
                if (merge.next()) {
                    append(merge.row(), nowSeconds);
                    rows++;
                } else {
                    isAtEnd = true;
                    countHidden();
                    merge.close();
                }
            }
            return new Page(body.toByteArray(), 0, rows, range.start(), range.end(), isAtEnd);
        }

        private void countHidden() {
            for (Chosen each : columns) {
                if (each.part == Part.VALUE) {
                    hidden[each.column].add(merge.hidden(each.column));
                }
            }
            hiddenOfGone.add(merge.hiddenOfGoneColumns());
            hiddenRows.add(merge.hiddenRows());
        }

        private void append(SstableRow row, long nowSeconds) {
            for (Chosen each : columns) {
                switch (each.part) {
                    case VALUE -> row.append(each.column, body);
                    case WRITE_TIME -> row.appendWriteTime(each.column, body);
                    case TTL -> row.appendTtl(each.column, nowSeconds, body);
                    case MARKER_TIME -> row.appendMarkerTime(body);
                    case MARKER_TTL -> row.appendMarkerTtl(nowSeconds, body);
                }
            }
        }
    }
}
