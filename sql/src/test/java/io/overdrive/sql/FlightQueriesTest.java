package io.overdrive.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.load.QueriedFiles;
import io.overdrive.jobs.sql.FirstRows;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBResultSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries over the flights of the demo, read by a load, whose results are those of DuckDB over its own reading of the file. */
class FlightQueriesTest {
    private static final int RECORDS = 3_000;

    private static Path directory;
    private static Path flights;
    private static DuckDBConnection alone;

    @BeforeAll
    static void readFlightsByDuckDb(@TempDir Path ofClass) throws SQLException, IOException {
        directory = ofClass;
        flights = root().resolve("data/flights.csv.zst");
        Files.writeString(directory.resolve("carriers.csv"), "code,name\nUA,United\nAA,American\nXX,\n");
        alone = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
        try (Statement statement = alone.createStatement()) {
            statement.execute("SET TimeZone = 'UTC'");
            statement.execute("CREATE TABLE input AS FROM read_csv('" + flights
                    + "', nullstr = 'NA', types = {'time_hour': 'TIMESTAMPTZ', 'year': 'INT', 'month': 'INT', 'day': 'INT', 'distance': 'INT',"
                    + " 'dep_delay': 'INT', 'arr_delay': 'INT', 'flight': 'INT', 'hour': 'INT', 'minute': 'INT', 'dep_time': 'INT', 'sched_dep_time': 'INT', 'arr_time': 'INT', 'sched_arr_time': 'INT', 'air_time': 'INT'}) LIMIT "
                    + RECORDS);
        }
    }

    private static Path root() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("data/flights.csv.zst"))) {
                return at;
            }
        }
        throw new IllegalStateException("no repository above the working directory");
    }

    @AfterAll
    static void close() throws SQLException {
        alone.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT carrier, dest, flight, day, sched_dep_time, time_hour FROM input",
                "SELECT carrier, count(*) AS n, avg(arr_delay) AS delay FROM input GROUP BY carrier",
                "SELECT f.carrier, c.name, count(*) FROM input f JOIN 'CARRIERS' c ON f.carrier = c.code GROUP BY ALL",
                "SELECT f.flight, c.name FROM input f LEFT JOIN 'CARRIERS' c ON f.carrier = c.code WHERE f.day = 1",
                "SELECT dest, day, row_number() OVER (PARTITION BY dest ORDER BY day, flight, sched_dep_time, carrier) FROM input",
                "SELECT carrier, flight, day, sched_dep_time, origin, avg(dep_delay) OVER (PARTITION BY carrier ORDER BY time_hour"
                        + " RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) AS a FROM input",
                "SELECT airport, count(*) AS n FROM (SELECT unnest([origin, dest]) AS airport FROM input) GROUP BY airport",
                "WITH slow AS (SELECT * FROM input WHERE dep_delay > 60) SELECT origin, count(*) FROM slow GROUP BY origin",
                "SELECT DISTINCT origin, dest FROM input",
                "SELECT * FROM (SELECT DISTINCT dest FROM input ORDER BY dest) LIMIT 7",
                "SELECT carrier, max(distance) AS d FROM input GROUP BY carrier ORDER BY d DESC, carrier LIMIT 5",
                "SELECT origin FROM input WHERE day = 1 UNION SELECT dest FROM input WHERE day = 2",
                "SELECT carrier, flight, day, sched_dep_time, CASE WHEN dep_delay IS NULL THEN 'cancelled' WHEN dep_delay > 15"
                        + " THEN 'late' ELSE 'on time' END AS state FROM input",
                "SELECT make_date(year, month, day) AS date, date_trunc('hour', time_hour) AS hour, count(*) FROM input GROUP BY ALL",
                "SELECT carrier, sum(distance)::DECIMAL(18, 3) AS d, (sum(distance) / 7)::DECIMAL(10, 2) AS e FROM input GROUP BY 1",
                "SELECT sum(distance) AS huge, sum(distance::HUGEINT * 1000000000000000000) AS huger FROM input",
                "SELECT origin, list(DISTINCT carrier ORDER BY carrier) AS l, list_sort(list(DISTINCT day)) AS m FROM input GROUP BY 1",
                "SELECT flight, day, sched_dep_time, carrier, {'from': origin, 'to': dest} AS way FROM input WHERE day < 3",
                "SELECT origin, map(['a', 'b'], [count(*), count(tailnum)]) AS m FROM input GROUP BY origin",
                "SELECT carrier, to_hours(max(hour)::INT) + to_minutes(max(minute)::INT) AS i FROM input GROUP BY carrier",
                "SELECT flight, dep_delay, arr_delay, tailnum FROM input WHERE dep_delay IS NULL OR tailnum IS NULL",
                "SELECT * FROM input WHERE carrier = 'none'",
                "SELECT count(*), max(day) AS \"Max (day)\", 1 AS \"a\"\"b\" FROM input",
                "SELECT \"carrier\", count(*) AS \"count\" FROM \"input\" GROUP BY \"carrier\"",
                "SELECT a.carrier, count(*) AS n FROM input a JOIN (SELECT max(distance) AS m FROM input) b ON a.distance = b.m"
                        + " GROUP BY 1",
                "CREATE MACRO twice(x) AS 2 * x; SET threads = 1; SELECT twice(sum(day)) AS t FROM input -- ;",
            })
    void resultIsThatOfDuckDbAlone(String query) throws Exception {
        String sql = query.replace("CARRIERS", directory.resolve("carriers.csv").toString());
        LoadOptions files = LoadOptions.of(List.of(InputFile.of(flights)))
                .format(InputFormat.builder().maxRecords(RECORDS).build())
                .nullWords(List.of("NA"))
                .build();
        List<String> rows;
        try (QueriedFiles queried = QueriedFiles.open(
                new DuckDbEngine(),
                sql,
                directory,
                new FirstRows(),
                files, /* types */
                Map.of(), /* table */
                Map.of())) {
            rows = ResultRows.json(queried.result());
        }
        List<String> expected = ResultRows.json(new ByteArrayInputStream(alone(sql)));
        assertThat(rows.get(0)).isEqualTo(expected.get(0));
        assertThat(rows).containsExactlyInAnyOrderElementsOf(expected);
    }

    private static byte[] alone(String sql) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (BufferAllocator memory = new RootAllocator();
                Statement statement = alone.createStatement();
                DuckDBResultSet rows = (DuckDBResultSet) statement.executeQuery(sql);
                ArrowReader batches = (ArrowReader) rows.arrowExportStream(memory, 10_000);
                ArrowStreamWriter writer = new ArrowStreamWriter(batches.getVectorSchemaRoot(), batches, out)) {
            writer.start();
            while (batches.loadNextBatch()) {
                writer.writeBatch();
            }
            writer.end();
        }
        return out.toByteArray();
    }
}
