package io.overdrive.spark.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import io.overdrive.internal.codec.Bytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CellEncoderTest {
    private static final ZoneId ZONE = ZoneId.of("Europe/Berlin");

    /** The value that the driver decodes from the bytes. */
    private static Object written(DataType cql, org.apache.spark.sql.types.DataType spark, Object value) {
        Bytes bytes = new Bytes(16);
        CellEncoder.of(cql, spark, ZONE).put(new GenericInternalRow(new Object[] {value}), 0, bytes);
        TypeCodec<Object> codec = CodecRegistry.DEFAULT.codecFor(cql);
        Object decoded = codec.decode(ByteBuffer.wrap(bytes.toByteArray()), DefaultProtocolVersion.V5);
        return decoded == null ? "null" : decoded;
    }

    private static Object text(DataType cql, String value) {
        return written(cql, org.apache.spark.sql.types.DataTypes.StringType, UTF8String.fromString(value));
    }

    private static Object ofLong(DataType cql, long value) {
        return written(cql, org.apache.spark.sql.types.DataTypes.LongType, value);
    }

    private static Object ofDecimal(DataType cql, String value) {
        BigDecimal decimal = new BigDecimal(value);
        return written(
                cql,
                org.apache.spark.sql.types.DataTypes.createDecimalType(38, decimal.scale()),
                Decimal.apply(decimal, 38, decimal.scale()));
    }

    @Test
    void acceptsWholeNumbersOfAnyWidthThatFit() {
        assertThat(ofLong(DataTypes.TINYINT, -128)).isEqualTo((byte) -128);
        assertThat(ofLong(DataTypes.SMALLINT, 32767)).isEqualTo(Short.MAX_VALUE);
        assertThat(ofLong(DataTypes.INT, Integer.MIN_VALUE)).isEqualTo(Integer.MIN_VALUE);
        assertThat(ofLong(DataTypes.VARINT, Long.MIN_VALUE)).isEqualTo(BigInteger.valueOf(Long.MIN_VALUE));
        assertThat(written(DataTypes.BIGINT, org.apache.spark.sql.types.DataTypes.ShortType, (short) -3))
                .isEqualTo(-3L);
        assertThat(ofDecimal(DataTypes.BIGINT, "12.00")).isEqualTo(12L);
        assertThat(text(DataTypes.INT, " 42 ")).isEqualTo(42);
        assertThatThrownBy(() -> ofLong(DataTypes.TINYINT, 128)).hasMessage("must be -128 to 127");
        assertThatThrownBy(() -> ofLong(DataTypes.INT, 1L << 31)).hasMessageContaining("2147483647");
        assertThatThrownBy(() -> ofDecimal(DataTypes.BIGINT, "12.50")).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> ofDecimal(DataTypes.VARINT, "12.50")).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> text(DataTypes.INT, "4o")).isInstanceOf(NumberFormatException.class);
    }

    @Test
    void acceptsNumbersForFractions() {
        assertThat(ofLong(DataTypes.DOUBLE, 3)).isEqualTo(3.0);
        assertThat(ofDecimal(DataTypes.DOUBLE, "0.1")).isEqualTo(0.1);
        assertThat(text(DataTypes.FLOAT, "0.1")).isEqualTo(0.1f);
        assertThat(written(DataTypes.FLOAT, org.apache.spark.sql.types.DataTypes.DoubleType, 0.1))
                .isEqualTo(0.1f);
        assertThat(written(DataTypes.DECIMAL, org.apache.spark.sql.types.DataTypes.FloatType, 0.1f))
                .isEqualTo(new BigDecimal("0.1"));
        assertThat(ofDecimal(DataTypes.DECIMAL, "1.50")).isEqualTo(new BigDecimal("1.50"));
        assertThat(text(DataTypes.DECIMAL, "1E-1000")).isEqualTo(new BigDecimal("1E-1000"));
        assertThat(text(DataTypes.VARINT, "1234567890123456789012345678901234567890"))
                .isEqualTo(new BigInteger("1234567890123456789012345678901234567890"));
    }

    @Test
    void roundsTimestampsDownToMilliseconds() {
        var timestamp = org.apache.spark.sql.types.DataTypes.TimestampType;
        assertThat(written(DataTypes.TIMESTAMP, timestamp, 1_999L)).isEqualTo(Instant.ofEpochMilli(1));
        assertThat(written(DataTypes.TIMESTAMP, timestamp, -1L)).isEqualTo(Instant.ofEpochMilli(-1));
    }

    @Test
    void readsTimesInTheZoneOfTheSession() {
        assertThat(text(DataTypes.TIMESTAMP, "2013-01-01 10:00:00")).isEqualTo(Instant.parse("2013-01-01T09:00:00Z"));
        assertThat(text(DataTypes.TIMESTAMP, "2013-01-01T10:00:00Z")).isEqualTo(Instant.parse("2013-01-01T10:00:00Z"));
        assertThat(written(DataTypes.TIMESTAMP, org.apache.spark.sql.types.DataTypes.DateType, 0))
                .isEqualTo(Instant.parse("1969-12-31T23:00:00Z"));
        assertThat(text(DataTypes.DATE, "1969-12-31")).isEqualTo(LocalDate.of(1969, 12, 31));
        assertThat(text(DataTypes.TIME, "23:59:59.999999999")).isEqualTo(LocalTime.MAX);
        assertThat(ofLong(DataTypes.TIME, 1)).isEqualTo(LocalTime.ofNanoOfDay(1));
        assertThatThrownBy(() -> ofLong(DataTypes.TIME, 86_400_000_000_000L)).hasMessageContaining("must be 0 to");
        assertThatThrownBy(() -> text(DataTypes.TIMESTAMP, "soon")).hasMessageContaining("must be like 2013");
        assertThatThrownBy(() -> text(DataTypes.DATE, "soon")).hasMessageContaining("must be like 2013");
        assertThatThrownBy(() -> text(DataTypes.TIME, "noon")).hasMessageContaining("must be like 12:59");
    }

    @Test
    void writesNumbersAsTextAndRefusesTextThatIsNotAnAddressOrUuid() {
        assertThat(ofLong(DataTypes.TEXT, 7)).isEqualTo("7");
        assertThat(ofDecimal(DataTypes.TEXT, "7.50")).isEqualTo("7.50");
        assertThat(written(DataTypes.TEXT, org.apache.spark.sql.types.DataTypes.BooleanType, true))
                .isEqualTo("true");
        for (String noAddress : List.of("localhost", "256.1.1.1", "1.2.3", "x:1", "1:2", "")) {
            assertThatThrownBy(() -> text(DataTypes.INET, noAddress)).hasMessageContaining("must be an IPv4 or IPv6");
        }
        assertThatThrownBy(() -> text(DataTypes.UUID, "1-2-3-4-5")).hasMessageContaining("36");
        assertThatThrownBy(() -> text(DataTypes.BOOLEAN, "yes")).hasMessageContaining("true or false");
    }

    @Test
    void refusesTypesOfWhichNoValueFits() {
        assertThatThrownBy(() -> ofLong(DataTypes.TIMESTAMP, 1)).hasMessage("timestamp, which bigint does not fit");
        assertThatThrownBy(() -> text(DataTypes.BLOB, "0x00")).hasMessage("blob, which string does not fit");
        assertThatThrownBy(() -> written(DataTypes.INT, org.apache.spark.sql.types.DataTypes.DoubleType, 1.0))
                .hasMessage("int, which double does not fit");
        assertThatThrownBy(() -> ofLong(DataTypes.listOf(DataTypes.INT), 1))
                .hasMessage("list<int>, which bigint does not fit");
    }

    private static Object struct(DataType cql, StructType spark, @Nullable Object... values) {
        return written(cql, spark, new GenericInternalRow(values));
    }

    @Test
    void matchesFieldsOfAUdtByNameAndWritesMissingOnesAsNull() {
        UserDefinedType point = new UserDefinedTypeBuilder("ks", "point")
                .withField("x", DataTypes.INT)
                .withField(CqlIdentifier.fromInternal("Y"), DataTypes.INT)
                .withField("label", DataTypes.TEXT)
                .build();
        var integer = org.apache.spark.sql.types.DataTypes.IntegerType;
        assertThat(struct(point, new StructType().add("y", integer).add("X", integer), 2, 1))
                .isEqualTo(point.newValue(1, 2, null));
        assertThatThrownBy(() -> struct(point, new StructType().add("z", integer), 3))
                .hasMessage("point, which has no field \"z\"; its fields are x, Y, label");
        assertThatThrownBy(
                        () -> struct(point, new StructType().add("y", integer).add("Y", integer), 2, 3))
                .hasMessage("point, whose field \"Y\" is given twice; its fields are x, Y, label");
        assertThatThrownBy(() -> text(point, "{}")).hasMessage("ks.point, which string does not fit");
    }

    @Test
    void matchesFieldsOfATupleByPosition() {
        TupleType tuple = DataTypes.tupleOf(DataTypes.INT, DataTypes.TEXT);
        StructType type = new StructType()
                .add("b", org.apache.spark.sql.types.DataTypes.LongType)
                .add("a", org.apache.spark.sql.types.DataTypes.LongType);
        assertThat(struct(tuple, type, 1L, 2L)).isEqualTo(tuple.newValue(1, "2"));
        assertThat(struct(tuple, type, null, 2L)).isEqualTo(tuple.newValue().setString(1, "2"));
        assertThatThrownBy(() -> struct(tuple, new StructType().add(type.fields()[0]), 1L))
                .hasMessage("tuple<int, text>, which struct<b:bigint> does not fit");
    }

    @Test
    void refusesNullsInCollectionsAndVectorsOfTheWrongLength() {
        var integers =
                org.apache.spark.sql.types.DataTypes.createArrayType(org.apache.spark.sql.types.DataTypes.IntegerType);
        GenericArrayData two = new GenericArrayData(new Object[] {1, 2});
        GenericArrayData withNull = new GenericArrayData(new Object[] {1, null});
        assertThat(written(DataTypes.listOf(DataTypes.BIGINT), integers, two)).isEqualTo(List.of(1L, 2L));
        for (DataType type : List.of(
                DataTypes.listOf(DataTypes.INT),
                DataTypes.setOf(DataTypes.INT),
                DataTypes.vectorOf(DataTypes.INT, 2))) {
            assertThatThrownBy(() -> written(type, integers, withNull))
                    .hasMessage("contains a null, which Cassandra does not allow");
        }
        assertThatThrownBy(() -> written(DataTypes.vectorOf(DataTypes.INT, 3), integers, two))
                .hasMessage("has 2 elements, must have 3");
    }

    @Test
    void columnsOfTypeVoidFitEveryTypeAndHaveNoValue() {
        for (DataType type : List.of(DataTypes.INT, DataTypes.BLOB, DataTypes.listOf(DataTypes.INT))) {
            assertThatThrownBy(() -> written(type, org.apache.spark.sql.types.DataTypes.NullType, 1))
                    .hasMessage("is of type void, which has no values");
        }
    }

    @Test
    void refusesNumbersThatAFractionCannotHold() {
        var doubles = org.apache.spark.sql.types.DataTypes.DoubleType;
        for (double tooLarge : new double[] {1e300, -3.5e38}) {
            assertThatThrownBy(() -> written(DataTypes.FLOAT, doubles, tooLarge))
                    .hasMessage("must be in the range of float");
            assertThatThrownBy(() -> text(DataTypes.FLOAT, String.valueOf(tooLarge)))
                    .hasMessage("must be in the range of float");
        }
        assertThatThrownBy(() -> text(DataTypes.DOUBLE, "1e400")).hasMessage("must be in the range of double");
        assertThatThrownBy(() -> text(DataTypes.DOUBLE, "-1e400")).hasMessage("must be in the range of double");
        assertThat(written(DataTypes.FLOAT, doubles, 3.4028235e38)).isEqualTo(Float.MAX_VALUE);
        assertThat(written(DataTypes.FLOAT, doubles, Double.NEGATIVE_INFINITY)).isEqualTo(Float.NEGATIVE_INFINITY);
        assertThat(written(DataTypes.FLOAT, doubles, Double.NaN)).isEqualTo(Float.NaN);
        for (String word : List.of("NaN", "Infinity", "-Infinity", "+Infinity")) {
            assertThat(text(DataTypes.FLOAT, word)).isEqualTo(Float.parseFloat(word));
            assertThat(text(DataTypes.DOUBLE, word)).isEqualTo(Double.parseDouble(word));
        }
    }

    /** Halfway between two floats there is a double, to which more numbers would be rounded first. */
    @Test
    void roundsOnceToTheNearestFloat() {
        assertThat(ofLong(DataTypes.FLOAT, (1L << 60) + (1L << 36) + 1))
                .isEqualTo((float) ((1L << 60) + (1L << 36) + 1));
        String aboveHalf = "1.00000005960464477539062500000000001";
        assertThat(ofDecimal(DataTypes.FLOAT, aboveHalf)).isEqualTo(Float.parseFloat(aboveHalf));
    }

    @Test
    void refusesTextThatOnlyJavaReadsAsANumber() {
        for (String text : List.of("1d", "1.5f", "0x1p3", "\u0661", "\uff17", "", "-", "1_000", "inf")) {
            for (DataType type : List.of(
                    DataTypes.DOUBLE,
                    DataTypes.FLOAT,
                    DataTypes.INT,
                    DataTypes.BIGINT,
                    DataTypes.VARINT,
                    DataTypes.DECIMAL)) {
                assertThatThrownBy(() -> text(type, text))
                        .as(text + " as " + type)
                        .isInstanceOf(NumberFormatException.class);
            }
        }
        assertThat(text(DataTypes.INT, "+7")).isEqualTo(7);
        assertThat(text(DataTypes.DECIMAL, "+7.0e1")).isEqualTo(new BigDecimal("7.0e1"));
        assertThat(text(DataTypes.DOUBLE, "+.5E-1")).isEqualTo(0.05);
    }

    @Test
    void refusesTextThatIsAlmostAUuid() {
        String uuid = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
        assertThat(text(DataTypes.UUID, uuid.toUpperCase(java.util.Locale.ROOT)))
                .isEqualTo(java.util.UUID.fromString(uuid));
        for (String almost : List.of(
                "f81d4fae7-dec-11d0-a765-00a0c91e6bf6",
                "+81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                "f81d4fae-+dec-11d0-a765-00a0c91e6bf6",
                "f81d4fae-7dec-11d0-a765-00a0c91e6bfg",
                "f81d4fae-7dec-11d0-a765-00a0c91e6bf\uff16",
                "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
                "f81d4fae07dec-11d0-a765-00a0c91e6bf6")) {
            assertThatThrownBy(() -> text(DataTypes.UUID, almost)).hasMessage("must be a UUID of 36 characters");
        }
    }

    @Test
    void refusesTimesThatAreOnlyAPartOfTheText() {
        for (String more :
                List.of("2013-01-31 23:00:00", "2013-01-31T", "2013-01-31 or later", "2013-1-31Tuesday", "130131")) {
            assertThatThrownBy(() -> text(DataTypes.DATE, more)).as(more).hasMessage("must be like 2013-01-31");
        }
        // Spark takes these as times of the current day, and as the year 130131
        for (String part : List.of("12:59:59", "T12:59", "12:59:59-08:00", "130131")) {
            assertThatThrownBy(() -> text(DataTypes.TIMESTAMP, part))
                    .as(part)
                    .hasMessageContaining("must be like 2013");
        }
        assertThat(text(DataTypes.DATE, " 2013-1-31 ")).isEqualTo(LocalDate.of(2013, 1, 31));
        assertThat(text(DataTypes.DATE, "2013")).isEqualTo(LocalDate.of(2013, 1, 1));
        assertThat(text(DataTypes.TIMESTAMP, " 2013-1-1 ")).isEqualTo(Instant.parse("2012-12-31T23:00:00Z"));
        assertThat(text(DataTypes.TIMESTAMP, "2013")).isEqualTo(Instant.parse("2012-12-31T23:00:00Z"));
    }
}
