package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.internal.SQLConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBucketsTest {
    private static final Hosts HOSTS = new Hosts(Map.of(), /* isLocal */ false, /* addsExecutors */ true);
    private static final String SPARK = "4.0.4";
    private static final String BUCKETING = "spark.sql.sources.v2.bucketing.";

    private static TokenBuckets buckets(int count, DataType... key) {
        return new TokenBuckets(count, table(key).partitionKey());
    }

    private static TableSchema table(DataType... key) {
        List<Column> columns = new ArrayList<>();
        for (DataType type : key) {
            columns.add(new Column("k" + columns.size(), type, Role.PARTITION_KEY));
        }
        return new TableSchema("ks", "t", columns);
    }

    private static SQLConf conf(String... switchedOn) {
        SQLConf conf = new SQLConf();
        conf.setConfString(BUCKETING + "enabled", "false");
        for (String name : switchedOn) {
            conf.setConfString(BUCKETING + name, "true");
        }
        return conf;
    }

    /** However the ring is split, each token is read once, in the partition of its bucket. */
    @Test
    void everyTokenIsReadInItsBucket() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            TokenBuckets buckets = buckets(1 + random.nextInt(seed < 150 ? 5 : 300), DataTypes.INT);
            List<Split> splits = splits(random);
            List<InputPartition> partitions = buckets.numbered(buckets.cut(splits, HOSTS));
            assertThat(partitions).as("seed %d", seed).hasSize(buckets.count());
            long length = 0;
            for (int i = 0; i < partitions.size(); i++) {
                TokenBuckets.Bucket partition = (TokenBuckets.Bucket) partitions.get(i);
                assertThat(partition.partitionKey().getInt(0)).isEqualTo(i);
                for (Split piece : ((SplitPartition) partition.rows()).splits()) {
                    for (Split.Range range : piece.ranges()) {
                        length += range.end() - range.start();
                        assertThat(List.of(buckets.bucket(range.start() + 1), buckets.bucket(range.end())))
                                .as("seed %d, bucket %d, %s", seed, i, range)
                                .containsOnly(i);
                        assertThat(splits)
                                .anyMatch(split -> split.replicas().equals(piece.replicas())
                                        && split.ranges().stream()
                                                .anyMatch(whole ->
                                                        whole.start() <= range.start() && range.end() <= whole.end()));
                    }
                }
            }
            assertThat(length)
                    .as("tokens read, of 2^64 - 1, with seed %d", seed)
                    .isEqualTo(-1);
        }
    }

    /** Splits with several ranges each, as those of nodes with many tokens. */
    private static List<Split> splits(Random random) {
        long[] bounds = random.longs(random.nextInt(40)).sorted().distinct().toArray();
        List<List<Split.Range>> ranges = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(5); i++) {
            ranges.add(new ArrayList<>());
        }
        long start = Long.MIN_VALUE;
        for (int i = 0; i <= bounds.length; i++) {
            long end = i == bounds.length ? Long.MAX_VALUE : bounds[i];
            ranges.get(random.nextInt(ranges.size())).add(new Split.Range(start, end));
            start = end;
        }
        List<Split> splits = new ArrayList<>();
        for (List<Split.Range> each : ranges) {
            if (!each.isEmpty()) {
                splits.add(new Split(each, List.of("10.0.0." + splits.size()), 1000));
            }
        }
        return splits;
    }

    @Test
    void functionsAreEqualOnlyForEqualNumbersAndTypes() {
        assertThat(functions(buckets(8, DataTypes.INT))).isEqualTo(functions(buckets(8, DataTypes.INT)));
        assertThat(functions(buckets(8, DataTypes.INT)))
                .isNotEqualTo(functions(buckets(9, DataTypes.INT)))
                .isNotEqualTo(functions(buckets(8, DataTypes.BIGINT)));
        assertThat(functions(buckets(8, DataTypes.TEXT, DataTypes.INT)))
                .containsExactly("token_bucket_8_text_int_0(k0)", "token_bucket_8_text_int_1(k1)");
    }

    private static List<String> functions(TokenBuckets buckets) {
        return Arrays.stream(buckets.partitioning().keys())
                .map(Object::toString)
                .toList();
    }

    /** 1.0 and 1.00, 0.0 and -0.0 are equal in Spark, ::ffff:1.2.3.4 and 1.2.3.4 in Java, and have different tokens. */
    @Test
    void refusesTypesWhoseEqualValuesHaveDifferentTokens() {
        for (DataType type :
                List.of(DataTypes.DECIMAL, DataTypes.VARINT, DataTypes.DOUBLE, DataTypes.INET, DataTypes.BOOLEAN)) {
            assertThat(TokenBuckets.obstacle(table(DataTypes.INT, type), conf("enabled"), SPARK))
                    .contains("column \"k1\" is " + type.asCql(false, true));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "shuffle.enabled",
                "allowCompatibleTransforms.enabled",
                "allowJoinKeysSubsetOfPartitionKeys.enabled"
            })
    void refusesSettingsOfSparkThatNeedFunctionsOfOneColumn(String name) {
        TableSchema table = table(DataTypes.INT, DataTypes.TEXT);
        assertThat(TokenBuckets.obstacle(table, conf("enabled"), SPARK)).isNull();
        assertThat(TokenBuckets.obstacle(table, conf(), SPARK)).isEqualTo(BUCKETING + "enabled is false");
        assertThat(TokenBuckets.obstacle(table, conf("enabled", name), SPARK)).startsWith(BUCKETING + name);
    }

    /** They drop columns of a key from a partitioning, and then take the bucket for a function of the others. */
    @ParameterizedTest
    @ValueSource(strings = {"4.3.0", "4.3.1-SNAPSHOT", "4.10.0", "5.0.0"})
    void refusesKeysOfSeveralColumnsFromSpark43On(String version) {
        assertThat(TokenBuckets.obstacle(table(DataTypes.INT), conf("enabled"), version))
                .isNull();
        assertThat(TokenBuckets.obstacle(table(DataTypes.INT, DataTypes.TEXT), conf("enabled"), version))
                .contains("several columns, and Spark " + version);
        assertThat(TokenBuckets.obstacle(table(DataTypes.INT, DataTypes.TEXT), conf("enabled"), "4.2.1"))
                .isNull();
    }
}
