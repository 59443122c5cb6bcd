package io.overdrive.spark.write;

import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.spark.cell.CellEncoder;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;
import org.jspecify.annotations.Nullable;

/**
 * The function with which Spark gives each task of a write by SSTables one range of tokens, all of the same width. It
 * computes a number for each range from the columns of the partition key, chosen so that Spark's own hash of the number
 * is the number of the task. If Spark hashed in another way, tasks would get several ranges or none, and the rows would
 * be the same. Plans (on the driver) and executes (on the executors).
 */
public final class TokenRangeFunction implements UnboundFunction {
    private static final String PREFIX = "token_range_";
    private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)_of_(\\w+)\\.(\\w+)");
    /** Seed of {@code HashPartitioning}. */
    private static final int SPARK_SEED = 42;

    private final String name;
    private final int ranges;
    private final List<com.datastax.oss.driver.api.core.type.DataType> key;

    private TokenRangeFunction(String name, int ranges, List<com.datastax.oss.driver.api.core.type.DataType> key) {
        this.name = name;
        this.ranges = ranges;
        this.key = key;
    }

    /** The name by which a catalog finds it. */
    static String name(TableSchema table, int ranges) {
        return PREFIX + ranges + "_of_" + table.keyspace() + "." + table.table();
    }

    /**
     * The function of this name.
     *
     * @param tables finds a table by keyspace and name; null if there is none
     * @return null if this is the name of something else
     */
    public static @Nullable UnboundFunction find(
            String name, BiFunction<String, String, @Nullable TableSchema> tables) {
        Matcher matcher = NAME.matcher(name);
        TableSchema table = matcher.matches() ? tables.apply(matcher.group(2), matcher.group(3)) : null;
        return table == null
                ? null
                : new TokenRangeFunction(
                        name,
                        Integer.parseInt(matcher.group(1)),
                        table.partitionKey().stream().map(Column::type).toList());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        return name + ": a number for each range of tokens; only for planning writes";
    }

    @Override
    public BoundFunction bind(StructType inputType) {
        return new Bound(
                name,
                List.copyOf(key),
                Arrays.stream(inputType.fields()).map(field -> field.dataType()).toArray(DataType[]::new),
                numbers(ranges),
                DateTimeUtils.getZoneId(SQLConf.get().sessionLocalTimeZone()));
    }

    /** Numbers that Spark's hash partitioning gives to each task. */
    static int[] numbers(int tasks) {
        int[] numbers = new int[tasks];
        boolean[] isFound = new boolean[tasks];
        int missing = tasks;
        for (int number = 0; missing > 0; number++) {
            int task = Math.floorMod(Murmur3_x86_32.hashInt(number, SPARK_SEED), tasks);
            if (!isFound[task]) {
                isFound[task] = true;
                numbers[task] = number;
                missing--;
            }
        }
        return numbers;
    }

    /** Which of several ranges of the same width has a token. */
    static int rangeOf(long token, int ranges) {
        return (int) (((token ^ Long.MIN_VALUE) >>> Integer.SIZE) * ranges >>> Integer.SIZE);
    }

    /** The function for columns of these types. Confined to one thread once it is called. */
    private static final class Bound implements ScalarFunction<Integer> {
        private static final long serialVersionUID = 1;

        private final String name;
        private final List<com.datastax.oss.driver.api.core.type.DataType> key;
        private final DataType[] inputs;
        private final int[] numbers;
        private final ZoneId zone;
        private transient @Nullable Key encoder;

        Bound(
                String name,
                List<com.datastax.oss.driver.api.core.type.DataType> key,
                DataType[] inputs,
                int[] numbers,
                ZoneId zone) {
            this.name = name;
            this.key = key;
            this.inputs = inputs;
            this.numbers = numbers;
            this.zone = zone;
        }

        @Override
        public DataType[] inputTypes() {
            return inputs.clone();
        }

        @Override
        public DataType resultType() {
            return DataTypes.IntegerType;
        }

        @Override
        public boolean isResultNullable() {
            return false;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String canonicalName() {
            return "io.overdrive." + name;
        }

        /** Any number for a key that cannot be written: the task that gets the row says what is wrong with it. */
        @Override
        public Integer produceResult(InternalRow row) {
            Key to = encoder;
            if (to == null) {
                to = encoder();
                encoder = to;
            }
            to.token.start(to.cells.length);
            for (int i = 0; i < to.cells.length; i++) {
                if (row.isNullAt(i)) {
                    return numbers[0];
                }
                to.value.clear();
                try {
                    to.cells[i].put(row, i, to.value);
                } catch (ArithmeticException | IllegalArgumentException e) {
                    return numbers[0];
                }
                to.token.add(to.value.array(), 0, to.value.length());
            }
            return numbers[rangeOf(to.token.token(), numbers.length)];
        }

        /** The text in EXPLAIN. */
        @Override
        public String toString() {
            return name;
        }

        private Key encoder() {
            CellEncoder[] cells = new CellEncoder[inputs.length];
            for (int i = 0; i < cells.length; i++) {
                cells[i] = CellEncoder.of(key.get(i), inputs[i], zone);
            }
            return new Key(cells, new RoutingKey(), new Bytes(64));
        }

        /** State that is created where the function runs. */
        private record Key(CellEncoder[] cells, RoutingKey token, Bytes value) {}
    }
}
