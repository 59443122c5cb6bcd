package io.overdrive.jmh;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
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
 * CQL bytes of rows to records, in time for each row of six cells; {@code objects} is the same through the driver's
 * codecs, and a {@code StringBuilder} or Jackson's generator.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 6, time = 1)
@Fork(2)
public class RecordWriterBenchmark {
    /** Too many values for the branch predictor to memorize, few enough to stay in the cache. */
    private static final int ROWS = 1024;

    private static final List<String> COLUMNS = List.of("host", "service", "region", "time", "metric", "state");
    private static final List<DataType> TYPES = List.of(
            DataTypes.TEXT, DataTypes.TEXT, DataTypes.TEXT, DataTypes.TIMESTAMP, DataTypes.DOUBLE, DataTypes.INT);

    /** Decimal places of the double: as few as a sensor has, or all digits. */
    @Param({"6", "17"})
    public int digits = 6;

    @Param
    public OutputFormat.Kind kind = OutputFormat.Kind.CSV;

    private final Bytes out = new Bytes(1 << 20);
    private final ByteArrayOutputStream stream = new ByteArrayOutputStream(1 << 20);
    private final JsonFactory json = new JsonFactory();
    private final List<TypeCodec<Object>> codecs = TYPES.stream()
            .<TypeCodec<Object>>map(CodecRegistry.DEFAULT::codecFor)
            .toList();
    private byte[] cells = {};
    private final int[] ends = new int[ROWS * TYPES.size() + 1];
    private RecordWriter writer = newWriter();

    private RecordWriter newWriter() {
        return RecordWriter.of(OutputFormat.builder(kind).header(false).build(), COLUMNS, TYPES, ValueFormat.DEFAULT);
    }

    @Setup(Level.Trial)
    public void encode() throws IOException {
        Random random = new Random(42);
        Bytes encoded = new Bytes(1 << 20);
        for (int i = 0; i < ROWS; i++) {
            List<Object> row = List.of(
                    String.format(Locale.ROOT, "host-%05d.example.net", random.nextInt(10_000)),
                    String.format(Locale.ROOT, "service-%02d.production", random.nextInt(20)),
                    String.format(Locale.ROOT, "eu-central-%d.rack-%03d", 1 + random.nextInt(3), random.nextInt(100)),
                    Instant.ofEpochMilli(1_700_000_000_000L + random.nextInt(1_000_000_000)),
                    digits == 6 ? random.nextInt(100_000_000) / 1e6 : 100 * random.nextDouble(),
                    random.nextInt(100_000));
            for (int column = 0; column < row.size(); column++) {
                ByteBuffer bytes = codecs.get(column).encode(row.get(column), ProtocolVersion.DEFAULT);
                if (bytes != null) {
                    encoded.put(bytes.array(), bytes.arrayOffset(), bytes.remaining());
                }
                ends[i * TYPES.size() + column + 1] = encoded.length();
            }
        }
        cells = encoded.toByteArray();
        writer = newWriter();
        // with all digits, the JDK's text is sometimes longer than necessary
        if (digits == 6 && !Arrays.equals(bytes().toByteArray(), objects())) {
            throw new IllegalStateException("the two ways differ");
        }
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public Bytes bytes() {
        out.clear();
        int cell = 0;
        for (int i = 0; i < ROWS; i++) {
            writer.begin(out);
            for (int column = 0; column < TYPES.size(); column++, cell++) {
                writer.cell(column, cells, ends[cell], ends[cell + 1] - ends[cell], out);
            }
            writer.end(out);
        }
        return out;
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public byte[] objects() throws IOException {
        return kind == OutputFormat.Kind.CSV ? csvOfObjects() : jsonOfObjects();
    }

    private Object value(int cell) {
        ByteBuffer bytes = ByteBuffer.wrap(cells, ends[cell], ends[cell + 1] - ends[cell]);
        return Objects.requireNonNull(codecs.get(cell % TYPES.size()).decode(bytes, ProtocolVersion.DEFAULT));
    }

    private byte[] csvOfObjects() {
        StringBuilder text = new StringBuilder();
        int cell = 0;
        for (int i = 0; i < ROWS; i++) {
            for (int column = 0; column < TYPES.size(); column++, cell++) {
                String value = value(cell).toString();
                if (column > 0) {
                    text.append(',');
                }
                if (value.indexOf(',') < 0 && value.indexOf('"') < 0 && value.indexOf('\n') < 0) {
                    text.append(value);
                } else {
                    text.append('"').append(value.replace("\"", "\"\"")).append('"');
                }
            }
            text.append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private byte[] jsonOfObjects() throws IOException {
        stream.reset();
        try (JsonGenerator generator = json.createGenerator(stream)) {
            generator.setRootValueSeparator(null);
            int cell = 0;
            for (int i = 0; i < ROWS; i++) {
                generator.writeStartObject();
                for (int column = 0; column < TYPES.size(); column++, cell++) {
                    generator.writeFieldName(COLUMNS.get(column));
                    Object value = value(cell);
                    if (value instanceof Double number) {
                        generator.writeNumber(number);
                    } else if (value instanceof Integer number) {
                        generator.writeNumber(number);
                    } else {
                        generator.writeString(value.toString());
                    }
                }
                generator.writeEndObject();
                generator.writeRaw('\n');
            }
        }
        return stream.toByteArray();
    }
}
