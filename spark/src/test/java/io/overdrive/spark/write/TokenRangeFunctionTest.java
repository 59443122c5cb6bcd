package io.overdrive.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.sort.TokenOwners;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class TokenRangeFunctionTest {
    /** The partition of a row as Spark computes it. */
    private static int partitionOf(int number, int partitions) {
        List<Expression> expressions = List.of(new Literal(number, org.apache.spark.sql.types.DataTypes.IntegerType));
        HashPartitioning partitioning =
                new HashPartitioning(CollectionConverters.asScala(expressions).toSeq(), partitions);
        return (Integer) partitioning.partitionIdExpression().eval(null);
    }

    @Test
    void sparkGivesEachTaskTheNumberThatIsMeantForIt() {
        for (int tasks : new int[] {1, 2, 3, 16, 200, 1000}) {
            int[] numbers = TokenRangeFunction.numbers(tasks);
            for (int task = 0; task < tasks; task++) {
                assertThat(partitionOf(numbers[task], tasks)).isEqualTo(task);
            }
        }
    }

    @Test
    void rangesAreInTheOrderOfTokensAndOfEqualWidth() {
        assertThat(TokenRangeFunction.rangeOf(Long.MIN_VALUE, 3)).isZero();
        assertThat(TokenRangeFunction.rangeOf(0, 2)).isEqualTo(1);
        assertThat(TokenRangeFunction.rangeOf(-1, 2)).isZero();
        assertThat(TokenRangeFunction.rangeOf(Long.MAX_VALUE, 3)).isEqualTo(2);
        assertThat(TokenRangeFunction.rangeOf(Long.MAX_VALUE, Integer.MAX_VALUE))
                .isEqualTo(Integer.MAX_VALUE - 1);
        long[] tokens = new Random(5).longs(10_000).sorted().toArray();
        int[] counts = new int[7];
        int last = 0;
        for (long token : tokens) {
            int range = TokenRangeFunction.rangeOf(token, counts.length);
            assertThat(range).isGreaterThanOrEqualTo(last);
            last = range;
            counts[range]++;
        }
        assertThat(Arrays.stream(counts).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(1200, 1660));
    }

    /** A task has about nodes x tokens / tasks ranges, and neighbours share replicas; a task that has rows of any token, all nodes. */
    @Test
    void aTaskAlongTheRingHasRowsOfFewNodes() {
        int nodes = 300;
        int tasks = 1200;
        int replicas = 3;
        long[] ends = new Random(7).longs(16L * nodes).sorted().toArray();
        int[] first = new Random(8).ints(ends.length, 0, nodes).toArray();
        List<int[]> owners = new ArrayList<>();
        for (int i = 0; i < ends.length; i++) {
            Set<Integer> next = new LinkedHashSet<>();
            for (int at = i; next.size() < replicas; at = (at + 1) % ends.length) {
                next.add(first[at]);
            }
            owners.add(next.stream().mapToInt(Integer::intValue).toArray());
        }
        TokenOwners ring = new TokenOwners(Arrays.stream(ends).boxed().toList(), owners);
        List<Set<Integer>> nodesOfTask = new ArrayList<>();
        for (int task = 0; task < tasks; task++) {
            nodesOfTask.add(new HashSet<>());
        }
        new Random(9).longs(500_000).forEach(token -> {
            Set<Integer> of = nodesOfTask.get(TokenRangeFunction.rangeOf(token, tasks));
            Arrays.stream(ring.owners(ring.rangeOf(token))).forEach(of::add);
        });
        double mean = nodesOfTask.stream().mapToInt(Set::size).average().orElseThrow();
        assertThat(mean).isBetween(5.0, ends.length / (double) tasks + replicas);
        assertThat(nodesOfTask).allMatch(of -> of.size() < 25);
    }

    @Test
    void givesAKeyTheNumberOfTheRangeOfItsToken() throws Exception {
        TableSchema table = new TableSchema(
                "ks",
                "t",
                List.of(
                        new Column("p", DataTypes.INT, Role.PARTITION_KEY),
                        new Column("v", DataTypes.INT, Role.REGULAR)));
        UnboundFunction unbound = TokenRangeFunction.find(
                TokenRangeFunction.name(table, 5),
                (keyspace, name) -> keyspace.equals("ks") && name.equals("t") ? table : null);
        StructType key = new StructType().add("p", org.apache.spark.sql.types.DataTypes.LongType);
        ScalarFunction<?> function =
                copy((ScalarFunction<?>) Objects.requireNonNull(unbound).bind(key));
        int[] numbers = TokenRangeFunction.numbers(5);
        for (int i = -100; i < 100; i++) {
            byte[] bytes = ByteBuffer.allocate(4).putInt(i).array();
            int range = TokenRangeFunction.rangeOf(Murmur3.token(bytes, 0, 4), 5);
            assertThat(function.produceResult(new GenericInternalRow(new Object[] {(long) i})))
                    .isEqualTo(numbers[range]);
        }
        assertThat(function.produceResult(new GenericInternalRow(new Object[] {null})))
                .isEqualTo(numbers[0]);
        assertThat(function.produceResult(new GenericInternalRow(new Object[] {1L << 40})))
                .isEqualTo(numbers[0]);
        assertThat(TokenRangeFunction.find("token_range_5_of_ks.other", (keyspace, name) -> null))
                .isNull();
        assertThat(TokenRangeFunction.find("bucket", (keyspace, name) -> table)).isNull();
    }

    /** The function as it gets to an executor. */
    private static ScalarFunction<?> copy(ScalarFunction<?> function) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(function);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (ScalarFunction<?>) in.readObject();
        }
    }
}
