package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.metadata.Metadata;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.internal.ring.Ring;
import io.overdrive.spark.cell.KeyTypes;
import io.overdrive.spark.cell.SparkTypes;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.read.HasPartitionKey;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.partitioning.KeyGroupedPartitioning;
import org.apache.spark.sql.internal.SQLConf;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Equal parts of all tokens, one for each Spark partition, which Spark is informed of: it then groups and joins by
 * partition key without a shuffle. The same number of buckets has the same bounds for every table, so that two tables
 * with keys of the same types are joined bucket by bucket. Plans (on the driver). Immutable.
 *
 * <p>Bucket {@code i} of {@code n} has the tokens greater than {@code min + i * step}, up to and including
 * {@code min + (i + 1) * step}, where {@code step = (2^64 - 1) / n} and {@code min} is the minimum of a long; the last one
 * has the rest.
 *
 * @param count number of buckets
 * @param columns of the partition key
 */
record TokenBuckets(int count, List<Column> columns) {
    /**
     * Prefix of the names of functions by which Spark compares partitionings. The rest of a name is the number of
     * buckets, the types of the key, and which column of the key the function is for.
     *
     * <p>The bucket depends on all columns of the key, but Spark compares only functions of one column. So there is one
     * for each column, each with the bucket as its value, and Spark must use them only together: see {@link #obstacle}.
     */
    static final String FUNCTION = "token_bucket_";

    private static final Logger LOG = LoggerFactory.getLogger(TokenBuckets.class);

    /** Null if the settings name no number of buckets, or if Spark cannot use them, of which a warning says why. */
    static @Nullable TokenBuckets of(Settings settings, TableSchema table, Metadata metadata) {
        if (settings.find(Setting.TOKEN_BUCKETS) == null) {
            return null;
        }
        long count = settings.number(Setting.TOKEN_BUCKETS);
        if (count > CassandraScan.MAX_PARTITIONS) {
            throw Settings.wrong(
                    Setting.TOKEN_BUCKETS, String.valueOf(count), "at most " + CassandraScan.MAX_PARTITIONS);
        }
        String obstacle = Ring.usesMurmur3(metadata)
                ? obstacle(table, SQLConf.get(), org.apache.spark.package$.MODULE$.SPARK_VERSION())
                : "the cluster does not use the Murmur3 partitioner";
        if (obstacle != null) {
            LOG.warn("[{}] option \"{}\" is not used: {}", table.cqlName(), Setting.TOKEN_BUCKETS.option, obstacle);
            return null;
        }
        return new TokenBuckets((int) count, table.partitionKey());
    }

    /** Why Spark cannot use buckets of this table, or would use them wrongly; null if it can. */
    static @Nullable String obstacle(TableSchema table, SQLConf conf, String sparkVersion) {
        String settings = "spark.sql.sources.v2.bucketing.";
        String inexact = inexactType(table);
        if (inexact != null) {
            return inexact;
        }
        if (table.partitionKey().size() > 1 && !sparkVersion.matches("4\\.[0-2]\\..*")) {
            return "the partition key has several columns, and Spark " + sparkVersion
                    + " would take a bucket for that of some of them";
        }
        if (!conf.v2BucketingEnabled()) {
            return settings + "enabled is false";
        } else if (isOn(conf, settings + "shuffle.enabled")) {
            return settings + "shuffle.enabled is true, and Spark cannot compute tokens";
        } else if (isOn(conf, settings + "allowCompatibleTransforms.enabled")) {
            return settings + "allowCompatibleTransforms.enabled is true, and Spark cannot compute tokens";
        } else if (isOn(conf, settings + "allowJoinKeysSubsetOfPartitionKeys.enabled")) {
            return settings + "allowJoinKeysSubsetOfPartitionKeys.enabled is true, and a token needs the whole key";
        }
        return null;
    }

    /** Looks a setting up by its name, as Spark's methods for these settings differ from version to version. */
    private static boolean isOn(SQLConf conf, String setting) {
        try {
            return Boolean.parseBoolean(conf.getConfString(setting));
        } catch (NoSuchElementException e) {
            return false; // this version of Spark does not have it
        }
    }

    /** Why equal keys may be in different buckets; null if they cannot. */
    static @Nullable String inexactType(TableSchema table) {
        for (Column column : table.partitionKey()) {
            if (!KeyTypes.isExact(column.type())) {
                return "column \"" + column.name() + "\" is "
                        + SparkTypes.cql(column.type())
                        + ", of which equal values may have different tokens";
            }
        }
        return null;
    }

    KeyGroupedPartitioning partitioning() {
        String types = columns.stream()
                .map(column -> CqlType.of(column.type()).name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining("_"));
        Expression[] functions = new Expression[columns.size()];
        for (int i = 0; i < functions.length; i++) {
            functions[i] = Expressions.apply(
                    FUNCTION + count + "_" + types + "_" + i,
                    Expressions.column(SparkTypes.quoted(columns.get(i).name())));
        }
        return new KeyGroupedPartitioning(functions, count);
    }

    /** The bucket of a token, from 0. */
    int bucket(long token) {
        return bucket(token, count);
    }

    static int bucket(long token, int count) {
        return (int) Math.min(count - 1, Long.divideUnsigned(token - Long.MIN_VALUE - 1, step(count)));
    }

    private long step() {
        return step(count);
    }

    private static long step(int count) {
        return Long.divideUnsigned(-1, count);
    }

    /** The last token of a bucket. */
    private long end(int bucket) {
        return bucket == count - 1 ? Long.MAX_VALUE : Long.MIN_VALUE + (bucket + 1) * step();
    }

    /** The splits in their buckets, in order; a bucket may have none. */
    List<SplitPartition> cut(List<Split> splits, Hosts hosts) {
        List<List<Split>> buckets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            buckets.add(new ArrayList<>());
        }
        for (Split split : splits) {
            addPieces(split, buckets);
        }
        return buckets.stream()
                .map(pieces -> new SplitPartition(
                        pieces,
                        hosts.names(pieces.stream()
                                .flatMap(split -> split.replicas().stream())
                                .toList())))
                .toList();
    }

    /** A Spark partition for each bucket, of what {@link #cut} returned. */
    List<InputPartition> numbered(List<SplitPartition> rows) {
        List<InputPartition> partitions = new ArrayList<>();
        for (SplitPartition each : rows) {
            partitions.add(partition(each, partitions.size()));
        }
        return partitions;
    }

    /** Cuts a split at the bounds of buckets. */
    private void addPieces(Split split, List<List<Split>> buckets) {
        int last = -1;
        List<Split.Range> piece = new ArrayList<>();
        for (Split.Range range : split.ranges()) {
            long start = range.start();
            for (int bucket = bucket(start + 1); start < range.end(); bucket++) {
                if (bucket != last && !piece.isEmpty()) {
                    buckets.get(last).add(new Split(piece, split.replicas(), /* estimatedBytes */ 0));
                    piece.clear();
                }
                last = bucket;
                long end = Math.min(range.end(), end(bucket));
                piece.add(new Split.Range(start, end));
                start = end;
            }
        }
        buckets.get(last).add(new Split(piece, split.replicas(), /* estimatedBytes */ 0));
    }

    InputPartition partition(InputPartition rows, int bucket) {
        return new Bucket(rows, bucket, columns.size());
    }

    /**
     * The read of a Spark partition, and its bucket. Travels to an executor. Immutable.
     *
     * @param columns number of columns of the key
     */
    record Bucket(InputPartition rows, int bucket, int columns) implements HasPartitionKey {
        private static final long serialVersionUID = 1;

        @Override
        public InternalRow partitionKey() {
            Object[] values = new Object[columns];
            Arrays.fill(values, bucket);
            return new GenericInternalRow(values);
        }

        @Override
        public String[] preferredLocations() {
            return rows.preferredLocations();
        }
    }
}
