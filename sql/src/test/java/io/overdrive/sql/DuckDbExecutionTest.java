package io.overdrive.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.OverdriveException;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.formats.arrow.ArrowReader;
import io.overdrive.formats.columns.CellReader;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnBatch;
import io.overdrive.formats.columns.ColumnBuilder.Decimals;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.sql.SqlEngine;
import io.overdrive.jobs.sql.SqlQuery;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Queries by DuckDB over streams of Arrow. */
class DuckDbExecutionTest {
    private static final long MEMORY = 64 << 20;

    private final Path directory;

    DuckDbExecutionTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private byte[] run(String sql, byte[] input) throws IOException {
        return run(sql, new ByteArrayInputStream(input));
    }

    private byte[] run(String sql, InputStream input) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        SqlQuery query = new SqlQuery(sql, "input", MEMORY, 2, directory, ZoneOffset.UTC);
        try (SqlEngine.Execution execution = new DuckDbEngine().open(query)) {
            execution.run(input, out);
        }
        return out.toByteArray();
    }

    private List<String> rows(String sql, byte[] input) throws IOException {
        return ResultRows.json(new ByteArrayInputStream(run(sql, input)));
    }

    /** A stream with one column. */
    private static byte[] column(DataType type, List<byte @Nullable []> cells) throws IOException {
        return column("a", type, cells);
    }

    private static byte[] column(String name, DataType type, List<byte @Nullable []> cells) throws IOException {
        RecordWriter writer = RecordWriter.of(
                OutputFormat.arrowStream(Decimals.TEXT), List.of(name), List.of(type), ValueFormat.DEFAULT);
        Bytes out = new Bytes(64);
        writer.header(out);
        for (byte[] cell : cells) {
            writer.begin(out);
            writer.cell(0, cell == null ? new byte[0] : cell, 0, cell == null ? -1 : cell.length, out);
            writer.end(out);
        }
        writer.complete(out);
        writer.footer(null, 0, out);
        return out.toByteArray();
    }

    private static byte[] numbers(int count) throws IOException {
        List<byte @Nullable []> cells = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            cells.add(new byte[] {(byte) (i >> 24), (byte) (i >> 16), (byte) (i >> 8), (byte) i});
        }
        return column(DataTypes.INT, cells);
    }

    private static byte[] cell(DataType type, Object value) {
        return Bytes.copyOf(Objects.requireNonNull(
                CodecRegistry.DEFAULT.codecFor(type, value).encode(value, ProtocolVersion.V5)));
    }

    private static Stream<TypeSamples> types() {
        return TypeZoo.all().stream();
    }

    @ParameterizedTest
    @MethodSource("types")
    void everyTypeComesBackAsItWas(TypeSamples type) throws IOException {
        List<byte @Nullable []> cells = new ArrayList<>();
        for (Sample sample : type.samples()) {
            if (!isFinerThanMicroseconds(sample.value()) && !isBeyondMicroseconds(sample.value())) {
                cells.add(cell(type.type(), sample.value()));
                cells.add(null);
            }
        }
        List<byte @Nullable []> back = cells(run("SELECT * FROM input", column(type.type(), cells)), type.type());
        assertThat(back).hasSameSizeAs(cells);
        for (int i = 0; i < cells.size(); i++) {
            assertThat(back.get(i)).as("%s, row %d", type.name(), i).isEqualTo(cells.get(i));
        }
    }

    private static boolean isFinerThanMicroseconds(Object value) {
        return value instanceof CqlDuration duration && duration.getNanoseconds() % 1_000 != 0;
    }

    /** Times that a query refuses, and the last date, which is infinity to DuckDB. */
    private static boolean isBeyondMicroseconds(Object value) {
        if (value instanceof LocalDate date) {
            return Math.abs(date.toEpochDay()) == Integer.MAX_VALUE;
        }
        return value instanceof Instant time && Math.abs(time.getEpochSecond()) > Long.MAX_VALUE / 1_000_000;
    }

    private static List<byte @Nullable []> cells(byte[] result, DataType type) throws IOException {
        ArrowReader reader = new ArrowReader("result", new ByteArrayInputStream(result), length -> null);
        CellReader values = CellReader.of(
                reader.columns().get(0), type, ValueText.of(type, ValueFormat.DEFAULT), ValueFormat.DEFAULT);
        List<byte @Nullable []> cells = new ArrayList<>();
        Bytes out = new Bytes(64);
        for (ColumnBatch batch = reader.next(); batch != null; batch = reader.next()) {
            Column column = batch.columns().get(0);
            for (int row = 0; row < batch.rows(); row++) {
                out.clear();
                if (!column.isNull(row)) {
                    values.read(column, row, out);
                }
                cells.add(column.isNull(row) ? null : out.toByteArray());
            }
        }
        return cells;
    }

    @Test
    void passesLargeRowsInSmallBatches() throws IOException {
        byte[] result = run("SELECT repeat('x', 22_000) || range AS v FROM range(1_000)", numbers(1));
        ArrowReader reader = new ArrowReader("result", new ByteArrayInputStream(result), length -> null);
        int rows = 0;
        for (ColumnBatch batch = reader.next(); batch != null; batch = reader.next()) {
            assertThat(batch.rows() * 22_000).isLessThanOrEqualTo(ResultStream.MAX_BATCH_BYTES);
            rows += batch.rows();
        }
        assertThat(rows).isEqualTo(1_000);
    }

    @Test
    void refusesStructsWhoseFieldsHaveNoNames() throws IOException {
        byte[] input = numbers(1);
        for (String each : List.of("row(1, 'x')", "[row(1, 'x')]", "{'a': row(1, 'x')}")) {
            assertThatThrownBy(() -> run("SELECT " + each + " AS t FROM input", input))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageContaining("column \"t\" of the result has a struct whose fields have no names")
                    .hasMessageContaining("{'0': 1, '1': 'x'}");
        }
        assertThat(rows("SELECT {'0': 1, '1': 'x'} AS t FROM input", input))
                .containsExactly("[t frozen<tuple<int, text>>]", "{\"t\":[1,\"x\"]}");
    }

    @Test
    void keepsTheValuesOfBatchesThatItCuts() throws IOException {
        String values = "range AS n, range % 3 = 0 AS b, if(range % 5 = 0, NULL, 'v' || range) AS v,"
                + " [range, NULL, range + 1] AS l, {'a': if(range % 7 = 0, NULL, range)} AS s,"
                + " [repeat('y', (range * 37 % 101)::INT)] AS d";
        String query = "SELECT " + values + " FROM range(1_001)";
        List<String> plain = rows(query, numbers(1));
        List<String> cut = rows(query.replace(" AS n,", " AS n, repeat('x', 9_000) AS w,"), numbers(1));
        assertThat(cut.subList(1, cut.size()).stream()
                        .map(each -> each.replaceFirst("\"w\":\"x*\",", ""))
                        .toList())
                .isEqualTo(plain.subList(1, plain.size()));
    }

    @Test
    void infinityIsNotTheLastTime() throws IOException {
        for (String type : List.of("DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")) {
            String sql =
                    "SELECT 'infinity'::%1$s AS a, ['-infinity'::%1$s] AS b, '2024-01-31'::%1$s AS c, {'x': 'infinity'::%1$s} AS d FROM input"
                            .formatted(type);
            assertThat(rows(sql, numbers(1)))
                    .as(type)
                    .last()
                    .asString()
                    .startsWith("{\"a\":\"infinity\",\"b\":[\"-infinity\"],\"c\":\"2024-01-31")
                    .endsWith(",\"d\":{\"x\":\"infinity\"}}");
        }
    }

    @Test
    void durationThatWouldBeShortenedIsRefused() throws IOException {
        byte[] input =
                column(DataTypes.DURATION, List.of(cell(DataTypes.DURATION, CqlDuration.newInstance(1, 2, 1_001))));
        assertThatThrownBy(() -> run("SELECT * FROM input", input))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith("column \"a\" has the duration ")
                .hasMessageContaining("a query keeps microseconds at most");
    }

    @Test
    void rowsThatDoNotFitIntoMemoryGoToTheDisk() throws IOException {
        // 16 million rows of 24 bytes and more to sort, in 64 MiB
        assertThat(rows(
                        "SET preserve_insertion_order = false; SELECT count(*) AS n, sum(x) AS s FROM (SELECT a.a * 2000 + b.i AS x,"
                                + " row_number() OVER (ORDER BY hash(a.a * 2000 + b.i)) AS r FROM input a, range(2000) b(i))",
                        numbers(2_000)))
                .containsExactly("[n bigint, s decimal]", "{\"n\":4000000,\"s\":7999998000000}");
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void wrongQueryShowsItsPlace() {
        assertThatThrownBy(() -> run("SELECT a,\n  b\nFROM input", numbers(1)))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(
                        "the query cannot be executed: Binder Error: Referenced column \"b\" not found in FROM clause!\n"
                                + "Candidate bindings: \"a\"\n\nLINE 2:   b\n          ^");
        assertThatThrownBy(() -> run("SET threads = 1;\nSELECT a FRM input", numbers(1)))
                .hasMessageContaining("LINE 2: SELECT a FRM input\n");
    }

    @Test
    void columnsWhoseNamesAreWordsOfSqlNeedNoQuotes() throws IOException {
        byte[] input = column("at", DataTypes.INT, List.of(new byte[] {0, 0, 0, 7}));
        assertThat(rows("SELECT 1 AS one, at, at * 2 AS two FROM input WHERE at > 0", input))
                .containsExactly("[one int, at int, two int]", "{\"one\":1,\"at\":7,\"two\":14}");
        assertThat(rows("CREATE TABLE t AS SELECT at FROM input; SELECT * FROM t", input))
                .containsExactly("[at int]", "{\"at\":7}");
        assertThatThrownBy(() -> run("SELECT at, FRM FROM FROM input", input))
                .hasMessageContaining("Parser Error: syntax error at or near \",\"")
                .hasMessageContaining("^\nColumns whose names are words of SQL need double quotes: \"at\"");
    }

    @Test
    void valueThatCannotBeComputedShowsItsPlace() {
        assertThatThrownBy(() -> run("SELECT sum(('x' || a)::INT) AS s FROM input", numbers(3)))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("Conversion Error: Could not convert string 'x0' to INT32")
                .hasMessageContaining("LINE 1: SELECT sum(('x' || a)::INT) AS s FROM input");
    }

    @Test
    void statementsWithoutRowsAreRefused() {
        for (String sql : List.of("CREATE TABLE t AS FROM input", " ; ", "-- nothing")) {
            assertThatThrownBy(() -> run(sql, numbers(1)))
                    .hasMessage(
                            "the last statement of the query has no rows: end it with one such as SELECT * FROM input");
        }
    }

    @Test
    void typesWithoutAFormAreRefused() {
        assertThatThrownBy(() -> run("SELECT a, '10:00:00+02'::TIMETZ AS t FROM input", numbers(1)))
                .hasMessage(
                        "column \"t\" of the result is TIME WITH TIME ZONE, which cannot be read from DuckDB: cast it in the"
                                + " query, for example to VARCHAR");
    }

    @Test
    void columnsOfOneNameGetDistinctOnes() throws IOException {
        assertThat(rows("SELECT a, a, a AS A FROM input", numbers(1)))
                .containsExactly("[a int, a_1 int, A_2 int]", "{\"a\":0,\"a_1\":0,\"A_2\":0}");
        assertThat(rows("DESCRIBE SELECT 1 AS a", numbers(1)))
                .first()
                .isEqualTo("[column_name text, column_type text, null text, key text, default text, extra text]");
    }

    @Test
    void uuidIsKnownAsSuch() throws IOException {
        assertThat(rows("SELECT '8f7b9e3c-0000-4000-8000-000000000001'::UUID AS u, [u] AS l FROM input", numbers(1)))
                .first()
                .isEqualTo("[u uuid, l list<uuid>]");
    }

    @Test
    void failureOfTheInputIsInTheFailureOfTheQuery() throws IOException {
        byte[] whole = numbers(200_000);
        InputStream broken = new InputStream() {
            private int at;

            @Override
            public int read() throws IOException {
                if (at == whole.length / 2) {
                    throw new IOException("the input broke");
                }
                return whole[at++] & 0xFF;
            }
        };
        assertThatThrownBy(() -> run("SELECT sum(a) FROM input", broken)).hasMessageContaining("the input broke");
    }

    @Test
    void cancelledExecutionFails() throws IOException {
        SqlQuery query = new SqlQuery("SELECT * FROM input", "input", MEMORY, 2, directory, ZoneOffset.UTC);
        try (SqlEngine.Execution execution = new DuckDbEngine().open(query)) {
            execution.cancel();
            assertThatThrownBy(() -> execution.run(new ByteArrayInputStream(numbers(1)), new ByteArrayOutputStream()))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageContaining("cancelled");
        }
    }
}
