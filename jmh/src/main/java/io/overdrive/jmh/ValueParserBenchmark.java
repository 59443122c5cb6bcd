package io.overdrive.jmh;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
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

/** Text to CQL bytes, in time for each value; {@code jdk} is the same through String and the JDK's parsers. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ValueParserBenchmark {
    /** Too many values for the branch predictor to memorize, few enough to stay in the cache. */
    private static final int VALUES = 1024;

    @SuppressWarnings("ImmutableEnumChecker") // the driver's types are
    public enum Kind {
        INT(DataTypes.INT) {
            @Override
            String text(Random random) {
                return Integer.toString(random.nextInt() >> random.nextInt(32));
            }

            @Override
            void jdk(String text, Bytes out) {
                out.putInt(Integer.parseInt(text));
            }
        },
        BIGINT(DataTypes.BIGINT) {
            @Override
            String text(Random random) {
                return Long.toString(random.nextLong() >> random.nextInt(64));
            }

            @Override
            void jdk(String text, Bytes out) {
                out.putLong(Long.parseLong(text));
            }
        },
        DOUBLE_17_DIGITS(DataTypes.DOUBLE) {
            @Override
            String text(Random random) {
                return Double.toString(random.nextGaussian());
            }

            @Override
            void jdk(String text, Bytes out) {
                out.putDouble(Double.parseDouble(text));
            }
        },
        DOUBLE_PRICE(DataTypes.DOUBLE) {
            @Override
            String text(Random random) {
                return random.nextInt(10_000) + "." + (10 + random.nextInt(90));
            }

            @Override
            void jdk(String text, Bytes out) {
                out.putDouble(Double.parseDouble(text));
            }
        },
        FLOAT(DataTypes.FLOAT) {
            @Override
            String text(Random random) {
                return Float.toString(random.nextFloat());
            }

            @Override
            void jdk(String text, Bytes out) {
                out.putFloat(Float.parseFloat(text));
            }
        },
        TIMESTAMP(DataTypes.TIMESTAMP) {
            @Override
            String text(Random random) {
                return Instant.ofEpochMilli(random.nextLong() >>> 22).toString();
            }

            @Override
            void jdk(String text, Bytes out) {
                out.putLong(Instant.parse(text).toEpochMilli());
            }
        },
        UUID_(DataTypes.UUID) {
            @Override
            String text(Random random) {
                return new UUID(random.nextLong(), random.nextLong()).toString();
            }

            @Override
            void jdk(String text, Bytes out) {
                UUID uuid = UUID.fromString(text);
                out.putLong(uuid.getMostSignificantBits());
                out.putLong(uuid.getLeastSignificantBits());
            }
        },
        TEXT_20_ASCII(DataTypes.TEXT) {
            @Override
            String text(Random random) {
                return random.ints(20, 'a', 'z')
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
            }

            @Override
            void jdk(String text, Bytes out) {
                out.put(text.getBytes(StandardCharsets.UTF_8));
            }
        },
        VECTOR_FLOAT_8(DataTypes.vectorOf(DataTypes.FLOAT, 8)) {
            @Override
            String text(Random random) {
                StringBuilder text = new StringBuilder("[").append(random.nextFloat());
                for (int i = 1; i < 8; i++) {
                    text.append(", ").append(random.nextFloat());
                }
                return text.append(']').toString();
            }

            @Override
            void jdk(String text, Bytes out) {
                for (String part : text.substring(1, text.length() - 1).split(", ")) {
                    out.putFloat(Float.parseFloat(part));
                }
            }
        };

        private final DataType type;

        Kind(DataType type) {
            this.type = type;
        }

        abstract String text(Random random);

        abstract void jdk(String text, Bytes out);
    }

    @Param
    public Kind kind = Kind.INT;

    private final Bytes out = new Bytes(1 << 20);
    private char[] chars = {};
    private final int[] ends = new int[VALUES + 1];
    private ValueText parser = ValueText.of(DataTypes.INT, ValueFormat.DEFAULT);

    @Setup(Level.Trial)
    public void write() {
        Random random = new Random(42);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < VALUES; i++) {
            text.append(kind.text(random));
            ends[i + 1] = text.length();
        }
        chars = text.toString().toCharArray();
        parser = ValueText.of(kind.type, ValueFormat.DEFAULT);
        if (!Arrays.equals(bytes().toByteArray(), jdk().toByteArray())) {
            throw new IllegalStateException("the two ways differ");
        }
    }

    @Benchmark
    @OperationsPerInvocation(VALUES)
    public Bytes bytes() {
        out.clear();
        for (int i = 0; i < VALUES; i++) {
            parser.parse(chars, ends[i], ends[i + 1], out);
        }
        return out;
    }

    @Benchmark
    @OperationsPerInvocation(VALUES)
    public Bytes jdk() {
        out.clear();
        for (int i = 0; i < VALUES; i++) {
            kind.jdk(new String(chars, ends[i], ends[i + 1] - ends[i]), out);
        }
        return out;
    }
}
