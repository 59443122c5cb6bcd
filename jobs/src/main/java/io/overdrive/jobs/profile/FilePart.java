package io.overdrive.jobs.profile;

import io.overdrive.RowBuffer;
import io.overdrive.TableSchema;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.write.RepeatedKeys;
import io.overdrive.jobs.PartitionSample;
import io.overdrive.jobs.load.FileRows;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The figures of the rows that one thread reads of files. Confined to that thread, and then to the one that adds the parts up. */
final class FilePart implements FileRows.Rows {
    private final TableSchema table;
    private final int partitionColumns;
    private final int keyColumns;
    private final BlockEnds ends;
    private final RepeatedKeys.@Nullable Part repeatedKeys;
    private final RoutingKey routingKey = new RoutingKey();
    private final Bytes key = new Bytes(64);

    final ColumnSketch[] columns;
    final PartitionSample partitions = new PartitionSample(PartitionSample.MAX_PARTITIONS);
    final LargestPartitions largest = new LargestPartitions();
    /** The columns of the samples, by their numbers in the table. */
    final int[] sampled;

    final KeySamples samples;
    private final long[] hashes;
    private final long[] hashesOfSampled;
    long rows;
    /** The number of sequences of rows of one partition. */
    long runs;

    private long position;
    private boolean hasRun;
    private long firstToken;
    private long runToken;
    private byte[] runKey = {};
    private long runRows;
    private long runBytes;

    /**
     * @param ends joins the sequences of rows that blocks cut
     * @param repeatedKeys null if the key is not known
     */
    FilePart(TableSchema table, BlockEnds ends, RepeatedKeys.@Nullable Part repeatedKeys) {
        this.table = table;
        this.ends = ends;
        this.repeatedKeys = repeatedKeys;
        partitionColumns = table.partitionKey().size();
        keyColumns = partitionColumns + table.clusteringColumns().size();
        columns = new ColumnSketch[table.columns().size()];
        Arrays.setAll(columns, c -> new ColumnSketch());
        sampled = keyColumns > 0
                ? new int[0]
                : IntStream.range(0, columns.length)
                        .filter(c ->
                                KeySamples.isPossible(table.columns().get(c).type()))
                        .limit(KeySamples.MAX_COLUMNS)
                        .toArray();
        samples = new KeySamples(sampled.length);
        hashes = new long[columns.length];
        hashesOfSampled = new long[sampled.length];
    }

    @Override
    public void begin(long startPosition) {
        position = startPosition;
    }

    @Override
    public void row(RowBuffer row) {
        rows++;
        byte[] array = row.array();
        long bytes = 0;
        for (int c = 0; c < columns.length; c++) {
            int length = row.isSet(c) ? row.length(c) : -1;
            hashes[c] = columns[c].add(array, length < 0 ? 0 : row.offset(c), length);
            bytes += Math.max(0, length);
        }
        if (keyColumns > 0) {
            addToRun(row, bytes);
        } else if (sampled.length > 0) {
            for (int c = 0; c < sampled.length; c++) {
                hashesOfSampled[c] = hashes[sampled[c]];
            }
            samples.add(hashesOfSampled);
        }
    }

    private void addToRun(RowBuffer row, long bytes) {
        byte[] array = row.array();
        routingKey.start(partitionColumns);
        for (int c = 0; c < partitionColumns; c++) {
            routingKey.add(array, row.offset(c), row.length(c));
        }
        long token = routingKey.token();
        if (repeatedKeys != null) {
            long hash = token;
            for (int c = partitionColumns; c < keyColumns; c++) {
                hash = RepeatedKeys.mix(hash, array, row.offset(c), row.offset(c) + row.length(c));
            }
            repeatedKeys.add(hash);
        }
        if (!hasRun || token != runToken) {
            boolean isFirst = !hasRun;
            endRun();
            beginRun(row, token);
            firstToken = isFirst ? token : firstToken;
        }
        runRows++;
        runBytes += bytes;
    }

    private void beginRun(RowBuffer row, long token) {
        key.clear();
        for (int c = 0; c < partitionColumns; c++) {
            key.putInt(row.length(c));
            key.put(row.array(), row.offset(c), row.length(c));
        }
        hasRun = true;
        runToken = token;
        runKey = key.toByteArray();
        runRows = 0;
        runBytes = 0;
    }

    private void endRun() {
        if (hasRun) {
            runs++;
            partitions.add(runToken, runRows, runBytes, /* runs */ 1);
            largest.add(runToken, runKey, runRows);
        }
    }

    @Override
    public void end(long endPosition) {
        if (hasRun) {
            endRun();
            hasRun = false;
            ends.add(position, endPosition, firstToken, runToken);
        }
    }

    TableSchema table() {
        return table;
    }

    /** Adds the rows of another thread. */
    void add(FilePart other) {
        rows += other.rows;
        runs += other.runs;
        for (int c = 0; c < columns.length; c++) {
            columns[c].add(other.columns[c]);
        }
        partitions.add(other.partitions);
        largest.add(other.largest);
        samples.add(other.samples);
    }
}
