package io.overdrive.sstable.format;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.internal.codec.CqlType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The table as a {@code SstableWriter} or {@code SstableMerge} needs to know it. Immutable.
 *
 * @param columns those that rows have values for, in the order of the values; all columns of the primary key are among them
 * @param compression the table's
 * @param bloomFilterFpChance the part of look-ups of missing partitions that the filter lets through, above 0 and at most 1, which
 *     means no filter
 * @param minIndexInterval of how many partitions one is in the summary of the index, at least 1; the node rebuilds the summary if
 *     the table's own interval is another one
 */
public record SstableSchema(
        List<Column> columns, Compression compression, double bloomFilterFpChance, int minIndexInterval) {
    /** The role of a column. */
    public enum Kind {
        PARTITION_KEY,
        CLUSTERING,
        /** A clustering column whose order is DESC. */
        CLUSTERING_DESCENDING,
        STATIC,
        REGULAR
    }

    /**
     * @param name as in the schema, without quotes
     * @param position among the columns of the partition key, or among clustering columns, from 0; otherwise without meaning
     */
    public record Column(String name, DataType type, Kind kind, int position) {
        public boolean isClustering() {
            return kind == Kind.CLUSTERING || kind == Kind.CLUSTERING_DESCENDING;
        }
    }

    /**
     * How chunks of the rows are compressed, in the words of the table's schema.
     *
     * @param compressor the simple name of Cassandra's class, such as {@code LZ4Compressor}; empty for none
     * @param chunkBytes the size of a chunk before it is compressed, a power of two
     * @param minCompressRatio chunks that do not become this much smaller are stored as they are; 0 for never
     * @param options of the compressor
     */
    public record Compression(String compressor, int chunkBytes, double minCompressRatio, Map<String, String> options) {
        public static final Compression NONE = new Compression("", 1 << 16, 0, Map.of());

        public Compression {
            if (Integer.bitCount(chunkBytes) != 1 || chunkBytes < 1024) {
                throw new IllegalArgumentException(
                        "chunks of " + chunkBytes + " bytes; a power of two from 1024 on is needed");
            }
            options = Map.copyOf(options);
        }

        /**
         * Reads the option {@code compression} of a table.
         *
         * @throws IllegalArgumentException if a number in it is malformed
         */
        public static Compression of(Map<String, String> option) {
            Map<String, String> others = new HashMap<>(option);
            String compressor = others.remove("class");
            String older = others.remove("sstable_compression");
            boolean enabled = !"false".equals(others.remove("enabled"));
            String kilobytes = others.remove("chunk_length_in_kb");
            String olderKilobytes = others.remove("chunk_length_kb");
            String ratio = others.remove("min_compress_ratio");
            others.remove("crc_check_chance"); // for readers
            String name = compressor != null ? compressor : older != null ? older : "";
            if (!enabled || name.isEmpty()) {
                return NONE;
            }
            String length = kilobytes != null ? kilobytes : olderKilobytes != null ? olderKilobytes : "16";
            return new Compression(
                    name.substring(name.lastIndexOf('.') + 1),
                    Math.multiplyExact(1024, Integer.parseInt(length)),
                    ratio == null ? 0 : Double.parseDouble(ratio),
                    others);
        }

        public boolean isNone() {
            return compressor.isEmpty();
        }

        /** Chunks that are not smaller than this after compression are stored as they are. */
        public int maxCompressedBytes() {
            return (int) Math.ceil(Math.min(chunkBytes / minCompressRatio, Integer.MAX_VALUE));
        }
    }

    /**
     * @throws IllegalArgumentException if a column of the primary key is missing, a column is there twice, or a type cannot be
     *     written: counters, and types defined by a class of the server other than vectors
     */
    public SstableSchema {
        columns = List.copyOf(columns);
        if (!(bloomFilterFpChance > 0 && bloomFilterFpChance <= 1)) {
            throw new IllegalArgumentException(
                    "a chance of false positives of " + bloomFilterFpChance + "; above 0 and at most 1 is possible");
        }
        if (minIndexInterval < 1) {
            throw new IllegalArgumentException("an index interval of " + minIndexInterval + "; 1 is the minimum");
        }
        Set<String> names = new HashSet<>();
        int keys = 0;
        int clustering = 0;
        for (Column column : columns) {
            CqlType type = CqlType.of(column.type());
            if (type == CqlType.COUNTER) {
                throw new IllegalArgumentException("column " + column.name()
                        + " is a counter, which is neither written to files nor read from them; use CQL");
            }
            if (type == CqlType.CUSTOM) {
                throw new IllegalArgumentException("column " + column.name() + " has the type "
                        + column.type().asCql(/* includeFrozen */ true, /* pretty */ true)
                        + ", whose form in files is not known; use CQL");
            }
            if (!names.add(column.name())) {
                throw new IllegalArgumentException("column " + column.name() + " is there twice");
            }
            keys += column.kind() == Kind.PARTITION_KEY ? 1 : 0;
            clustering += column.isClustering() ? 1 : 0;
        }
        if (keys == 0) {
            throw new IllegalArgumentException("no column of the partition key");
        }
        checkPositions(columns, keys, /* clustering */ false);
        checkPositions(columns, clustering, /* clustering */ true);
    }

    private static void checkPositions(List<Column> columns, int count, boolean clustering) {
        for (int position = 0; position < count; position++) {
            int wanted = position;
            if (columns.stream()
                            .filter(c -> clustering ? c.isClustering() : c.kind() == Kind.PARTITION_KEY)
                            .filter(c -> c.position() == wanted)
                            .count()
                    != 1) {
                throw new IllegalArgumentException((clustering ? "clustering" : "partition key") + " column "
                        + (position + 1) + " is missing, or there twice");
            }
        }
    }

    /**
     * The schema for rows of some columns of a table, with the table's own settings.
     *
     * @param columns in the order of the values
     * @throws IllegalArgumentException as the constructor, and if the table has no such column
     */
    public static SstableSchema of(TableMetadata table, List<CqlIdentifier> columns) {
        List<CqlIdentifier> key =
                table.getPartitionKey().stream().map(ColumnMetadata::getName).toList();
        List<CqlIdentifier> clustering = new ArrayList<>();
        Set<CqlIdentifier> descending = new HashSet<>();
        table.getClusteringColumns().forEach((column, order) -> {
            clustering.add(column.getName());
            if (order == ClusteringOrder.DESC) {
                descending.add(column.getName());
            }
        });
        List<Column> described = new ArrayList<>();
        for (CqlIdentifier name : columns) {
            ColumnMetadata column = table.getColumn(name)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "table " + table.getName().asCql(true) + " has no column " + name.asCql(true)));
            Kind kind;
            if (key.contains(name)) {
                kind = Kind.PARTITION_KEY;
            } else if (clustering.contains(name)) {
                kind = descending.contains(name) ? Kind.CLUSTERING_DESCENDING : Kind.CLUSTERING;
            } else {
                kind = column.isStatic() ? Kind.STATIC : Kind.REGULAR;
            }
            int position = Math.max(key.indexOf(name), clustering.indexOf(name));
            described.add(new Column(name.asInternal(), column.getType(), kind, position));
        }
        for (CqlIdentifier name : key) {
            checkPresent(columns, name);
        }
        for (CqlIdentifier name : clustering) {
            checkPresent(columns, name);
        }
        Map<CqlIdentifier, Object> options = table.getOptions();
        return new SstableSchema(
                described,
                options.get(CqlIdentifier.fromInternal("compression")) instanceof Map<?, ?> compression
                        ? Compression.of(strings(compression))
                        : Compression.NONE,
                options.get(CqlIdentifier.fromInternal("bloom_filter_fp_chance")) instanceof Double chance
                        ? chance
                        : 0.01,
                options.get(CqlIdentifier.fromInternal("min_index_interval")) instanceof Integer interval
                        ? interval
                        : 128);
    }

    private static void checkPresent(List<CqlIdentifier> columns, CqlIdentifier name) {
        if (!columns.contains(name)) {
            throw new IllegalArgumentException("key column " + name.asCql(true) + " is missing");
        }
    }

    private static Map<String, String> strings(Map<?, ?> map) {
        Map<String, String> strings = new HashMap<>();
        map.forEach((name, value) -> strings.put(String.valueOf(name), String.valueOf(value)));
        return strings;
    }
}
