package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LiteralsTest {
    /** The literal that Spark has for a value it has read; null if it cannot hold the value. */
    private static @Nullable Object literal(DataType type, Object value) {
        if (value instanceof BigInteger || value instanceof BigDecimal) {
            BigDecimal number = value instanceof BigInteger integer ? new BigDecimal(integer) : (BigDecimal) value;
            boolean fits = number.precision() <= 38 && number.scale() >= 0 && number.scale() <= 38;
            return fits ? Decimal.apply(number, 38, number.scale()) : null;
        } else if (value instanceof Instant instant) {
            boolean fits = Math.abs(instant.getEpochSecond()) < Long.MAX_VALUE / 1_000_000;
            return fits ? (Object) TimeUnit.MILLISECONDS.toMicros(instant.toEpochMilli()) : null;
        } else if (value instanceof LocalDate date) {
            return (int) date.toEpochDay();
        } else if (value instanceof LocalTime time) {
            return time.toNanoOfDay();
        } else if (value instanceof ByteBuffer bytes) {
            byte[] array = new byte[bytes.remaining()];
            bytes.duplicate().get(array);
            return array;
        } else if (value instanceof UUID || value instanceof String) {
            return UTF8String.fromString(value.toString());
        } else if (value instanceof InetAddress address) {
            return UTF8String.fromString(address.getHostAddress());
        }
        return type.equals(DataTypes.DURATION) ? UTF8String.fromString(value.toString()) : value;
    }

    static Stream<TypeSamples> types() {
        return TypeZoo.all().stream();
    }

    /** A filter on a value that was read must find its row: by the same bytes, or by Spark's own comparison. */
    @ParameterizedTest
    @MethodSource("types")
    void theLiteralOfAValueIsThisValueOrLeftToSpark(TypeSamples samples) {
        for (Sample sample : samples.samples()) {
            Object literal = literal(samples.type(), sample.value());
            Object found = literal == null ? null : Literals.equal(samples.type(), literal);
            if (found == null) {
                continue;
            }
            assertThat(found).as(sample.text()).isNotSameAs(Literals.NOTHING);
            assertThat(Literals.bytes(samples.type(), found))
                    .as(sample.text())
                    .isEqualTo(CodecRegistry.DEFAULT
                            .codecFor(samples.type(), sample.value())
                            .encode(sample.value(), DefaultProtocolVersion.V5));
            Object parsed =
                    CodecRegistry.DEFAULT.codecFor(samples.type(), found).parse(Literals.cql(samples.type(), found));
            assertThat(parsed).as("CQL of " + sample.text()).isEqualTo(found);
        }
    }

    @Test
    void mostValuesOfKeyTypesAreNotLeftToSpark() {
        for (String name : java.util.List.of("text", "int", "uuid", "timeuuid", "blob", "boolean", "inet", "time")) {
            TypeSamples samples =
                    types().filter(each -> each.name().equals(name)).findAny().orElseThrow();
            assertThat(samples.samples().stream()
                            .map(sample -> literal(samples.type(), sample.value()))
                            .filter(literal -> Literals.equal(samples.type(), Objects.requireNonNull(literal)) != null))
                    .as(name)
                    .hasSameSizeAs(samples.samples());
        }
    }

    @Test
    void theMinimumIsNotAboveAnyValue() {
        int types = 0;
        for (TypeSamples samples : TypeZoo.all()) {
            Object min = Literals.min(samples.type());
            if (min == null) {
                continue;
            }
            types++;
            assertThat(Literals.canBeEmpty(samples.type())).isTrue();
            for (Sample sample : samples.samples()) {
                assertThat(compare(min, sample.value())).as(sample.text()).isLessThanOrEqualTo(0);
            }
        }
        assertThat(types).isEqualTo(7);
    }

    @SuppressWarnings("unchecked") // both are values of one type
    private static int compare(Object one, Object other) {
        if (one instanceof UUID first && other instanceof UUID second) {
            return Long.compare(first.timestamp(), second.timestamp()); // of timeuuids
        }
        return ((Comparable<Object>) one).compareTo(other);
    }

    /** The minimum's text is before the range of dates. */
    @Test
    void writesTheMinimumOfTimestampsAsANumber() {
        Object min = Objects.requireNonNull(Literals.min(DataTypes.TIMESTAMP));
        assertThat(Literals.cql(DataTypes.TIMESTAMP, min)).isEqualTo("-9223372036854775808");
    }

    @Test
    void roundsOnlyTimestamps() {
        assertThat(Literals.rounded(DataTypes.TIMESTAMP, -1L, /* up */ false)).isEqualTo(-1000L);
        assertThat(Literals.rounded(DataTypes.TIMESTAMP, -1L, /* up */ true)).isEqualTo(0L);
        assertThat(Literals.rounded(DataTypes.TIMESTAMP, 5000L, /* up */ true)).isEqualTo(5000L);
        assertThat(Literals.rounded(DataTypes.BIGINT, 1L, /* up */ true)).isEqualTo(1L);
        assertThat(Literals.rounded(DataTypes.TIME, 1L, /* up */ false)).isEqualTo(1L);
    }
}
