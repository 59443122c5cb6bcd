package io.overdrive.spark.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.internal.codec.Bytes;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values decoded for Spark are encoded as the bytes that they came from. */
class CellRoundTripTest {
    private static byte[] encoded(DataType type, Object value) {
        ByteBuffer bytes = Objects.requireNonNull(
                CodecRegistry.DEFAULT.codecFor(type, value).encode(value, DefaultProtocolVersion.V5));
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        return array;
    }

    /** Decodes from the middle of an array, as from a page, and encodes the decoded value. */
    private static byte[] roundTrip(DataType type, org.apache.spark.sql.types.DataType spark, byte[] value) {
        byte[] page = new byte[value.length + 7];
        System.arraycopy(value, 0, page, 3, value.length);
        UnsafeRowWriter to = new UnsafeRowWriter(1);
        to.resetRowWriter();
        CellDecoder.of(type, spark).putOrNull(page, 3, value.length, to, 0);
        UnsafeRow row = to.getRow();
        assertThat(row.isNullAt(0)).isFalse();
        Bytes bytes = new Bytes(16);
        CellEncoder.of(type, spark, ZoneOffset.UTC).put(row, 0, bytes);
        return bytes.toByteArray();
    }

    private static boolean fitsIntoSpark(Object value) {
        if (value instanceof java.math.BigInteger integer) {
            return new BigDecimal(integer).precision() <= 38;
        }
        if (value instanceof BigDecimal decimal) {
            BigDecimal stripped = decimal.stripTrailingZeros();
            return stripped.scale() <= 18 && stripped.precision() - (long) stripped.scale() <= 20;
        }
        return !(value instanceof java.time.Instant time)
                || Math.abs(time.getEpochSecond()) < Long.MAX_VALUE / 1_000_000;
    }

    static Stream<TypeSamples> types() {
        return TypeZoo.all().stream();
    }

    @ParameterizedTest
    @MethodSource("types")
    void givesBackTheBytesOfEveryValueThatSparkCanHold(TypeSamples samples) {
        int values = 0;
        for (Sample sample : samples.samples()) {
            if (!fitsIntoSpark(sample.value())) {
                continue;
            }
            values++;
            byte[] bytes = encoded(samples.type(), sample.value());
            byte[] back = roundTrip(samples.type(), SparkTypes.type(samples.type()), bytes);
            if (sample.value() instanceof BigDecimal decimal) {
                Object same = CodecRegistry.DEFAULT
                        .codecFor(samples.type())
                        .decode(ByteBuffer.wrap(back), DefaultProtocolVersion.V5);
                assertThat((BigDecimal) same).as(sample.text()).isEqualByComparingTo(decimal);
            } else {
                assertThat(back).as(sample.text()).isEqualTo(bytes);
            }
        }
        assertThat(values).isPositive();
    }

    @Test
    void givesBackTheBytesOfNumbersOfAnySizeAsText() {
        List<String> types = new ArrayList<>();
        for (TypeSamples samples : TypeZoo.all()) {
            if (samples.type().equals(DataTypes.VARINT) || samples.type().equals(DataTypes.DECIMAL)) {
                types.add(samples.name());
                for (Sample sample : samples.samples()) {
                    byte[] bytes = encoded(samples.type(), sample.value());
                    assertThat(roundTrip(samples.type(), org.apache.spark.sql.types.DataTypes.StringType, bytes))
                            .as(sample.text())
                            .isEqualTo(bytes);
                }
            }
        }
        assertThat(types).contains("varint", "decimal");
    }

    @Test
    void refusesNumbersAndTimesThatSparkCannotHold() {
        int refused = 0;
        for (TypeSamples samples : TypeZoo.all()) {
            for (Sample sample : samples.samples()) {
                if (!fitsIntoSpark(sample.value())) {
                    refused++;
                    byte[] bytes = encoded(samples.type(), sample.value());
                    assertThatThrownBy(() -> roundTrip(samples.type(), SparkTypes.type(samples.type()), bytes))
                            .as(sample.text())
                            .isInstanceOf(ArithmeticException.class)
                            .hasMessageStartingWith("is " + samples.cql() + ", and ");
                }
            }
        }
        assertThat(refused).isGreaterThan(3);
    }

    @Test
    void readsOnlyTheFieldsOfAStructThatAreWanted() {
        DataType type = TypeZoo.udt("ks").copy(/* newFrozen */ true);
        Object value = TypeZoo.udt("ks")
                .copy(true)
                .newValue("ant", 6, "Formica", "-", java.util.Set.of("red"), java.time.Instant.EPOCH);
        byte[] bytes = encoded(type, value);
        var wanted = new org.apache.spark.sql.types.StructType()
                .add("seen", org.apache.spark.sql.types.DataTypes.TimestampType)
                .add("legs", org.apache.spark.sql.types.DataTypes.IntegerType);
        UnsafeRowWriter to = new UnsafeRowWriter(1);
        to.resetRowWriter();
        CellDecoder.of(type, wanted).putOrNull(bytes, 0, bytes.length, to, 0);
        var struct = to.getRow().getStruct(0, 2);
        assertThat(struct.getLong(0)).isZero();
        assertThat(struct.getInt(1)).isEqualTo(6);
    }

    @Test
    void fieldsThatWereAddedToATypeAfterAValueWasWrittenAreNull() {
        byte[] older = encoded(
                DataTypes.tupleOf(DataTypes.INT),
                DataTypes.tupleOf(DataTypes.INT).newValue(7));
        DataType type = DataTypes.tupleOf(DataTypes.INT, DataTypes.TEXT);
        UnsafeRowWriter to = new UnsafeRowWriter(1);
        to.resetRowWriter();
        CellDecoder.of(type, SparkTypes.type(type)).putOrNull(older, 0, older.length, to, 0);
        var struct = to.getRow().getStruct(0, 2);
        assertThat(struct.getInt(0)).isEqualTo(7);
        assertThat(struct.isNullAt(1)).isTrue();
    }
}
