package io.overdrive.jmh;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.fasterxml.jackson.core.io.NumberOutput;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * CQL bytes to text, in time for each value; {@code object} is the same through the driver's codec and {@code toString},
 * for doubles and floats Jackson's, which is the faster one on Java 17.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ValueWriterBenchmark {
    /** Too many values for the branch predictor to memorize, few enough to stay in the cache. */
    private static final int VALUES = 1024;

    @SuppressWarnings("ImmutableEnumChecker") // the driver's types are
    public enum Kind {
        INT(DataTypes.INT) {
            @Override
            Object value(Random random) {
                return random.nextInt() >> random.nextInt(32);
            }
        },
        BIGINT(DataTypes.BIGINT) {
            @Override
            Object value(Random random) {
                return random.nextLong() >> random.nextInt(64);
            }
        },
        DECIMAL(DataTypes.DECIMAL) {
            @Override
            Object value(Random random) {
                return BigDecimal.valueOf(random.nextInt(1_000_000), 2);
            }
        },
        DOUBLE_17_DIGITS(DataTypes.DOUBLE) {
            @Override
            Object value(Random random) {
                return random.nextGaussian();
            }
        },
        DOUBLE_PRICE(DataTypes.DOUBLE) {
            @Override
            Object value(Random random) {
                return random.nextInt(1_000_000) / 100.0;
            }
        },
        FLOAT(DataTypes.FLOAT) {
            @Override
            Object value(Random random) {
                return random.nextFloat();
            }
        },
        TIMESTAMP(DataTypes.TIMESTAMP) {
            @Override
            Object value(Random random) {
                return Instant.ofEpochMilli(random.nextLong() >>> 22);
            }
        },
        UUID_(DataTypes.UUID) {
            @Override
            Object value(Random random) {
                return new UUID(random.nextLong(), random.nextLong());
            }
        };

        private final DataType type;

        Kind(DataType type) {
            this.type = type;
        }

        abstract Object value(Random random);
    }

    @Param
    public Kind kind = Kind.INT;

    private final Bytes out = new Bytes(1 << 20);
    private byte[] values = {};
    private final int[] ends = new int[VALUES + 1];
    private TypeCodec<Object> codec = CodecRegistry.DEFAULT.codecFor(DataTypes.INT);
    private ValueText writer = ValueText.of(DataTypes.INT, ValueFormat.DEFAULT);

    @Setup(Level.Trial)
    public void encode() {
        Random random = new Random(42);
        Bytes encoded = new Bytes(1 << 16);
        codec = CodecRegistry.DEFAULT.codecFor(kind.type);
        for (int i = 0; i < VALUES; i++) {
            ByteBuffer value = Objects.requireNonNull(codec.encode(kind.value(random), ProtocolVersion.DEFAULT));
            encoded.put(value.array(), value.arrayOffset(), value.remaining());
            ends[i + 1] = encoded.length();
        }
        values = encoded.toByteArray();
        writer = ValueText.of(kind.type, ValueFormat.DEFAULT);
        if (!Arrays.equals(bytes().toByteArray(), object().toByteArray())) {
            throw new IllegalStateException("the two ways differ");
        }
    }

    @Benchmark
    @OperationsPerInvocation(VALUES)
    public Bytes bytes() {
        out.clear();
        for (int i = 0; i < VALUES; i++) {
            writer.write(values, ends[i], ends[i + 1] - ends[i], out);
        }
        return out;
    }

    @Benchmark
    @OperationsPerInvocation(VALUES)
    public Bytes object() {
        out.clear();
        for (int i = 0; i < VALUES; i++) {
            ByteBuffer bytes = ByteBuffer.wrap(values, ends[i], ends[i + 1] - ends[i]);
            Object value = Objects.requireNonNull(codec.decode(bytes, ProtocolVersion.DEFAULT));
            out.put(text(value).getBytes(StandardCharsets.UTF_8));
        }
        return out;
    }

    private static String text(Object value) {
        if (value instanceof Double number) {
            return NumberOutput.toString(number, /* useFastWriter */ true);
        }
        return value instanceof Float number
                ? NumberOutput.toString(number, /* useFastWriter */ true)
                : value.toString();
    }
}
