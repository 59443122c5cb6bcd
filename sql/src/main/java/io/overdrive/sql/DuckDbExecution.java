package io.overdrive.sql;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.jobs.sql.SqlEngine;
import io.overdrive.jobs.sql.SqlQuery;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;
import org.duckdb.DuckDBPreparedStatement;
import org.duckdb.DuckDBResultSet;
import org.jspecify.annotations.Nullable;

/** An execution by DuckDB. {@link #run} is confined to one thread; {@link #cancel} is for any. */
final class DuckDbExecution implements SqlEngine.Execution {
    /** Few, as a batch of rows of a megabyte has to fit into memory, and enough that batches cost little. */
    private static final int BATCH_ROWS = 512;

    private static final String URL = "jdbc:duckdb:";
    /** Types that have no form in Arrow, or one that is not their value. */
    private static final Pattern WITHOUT_FORM =
            Pattern.compile("\\b(TIME WITH TIME ZONE|TIMETZ|BIT|UHUGEINT|BIGNUM|UNION|ENUM|VARIANT|GEOMETRY)\\b");
    /** The message of DuckDB in one of Arrow's reader. */
    private static final Pattern IN_ARROW = Pattern.compile("message=(.*)\\}\\s*$", Pattern.DOTALL);

    private final SqlQuery query;

    @GuardedBy("this") private @Nullable Statement running;

    @GuardedBy("this") private boolean cancelled;

    DuckDbExecution(SqlQuery query) {
        this.query = query;
    }

    @Override
    public void run(InputStream input, OutputStream result) throws IOException {
        // the connection, which refers to the stream, is closed before it
        try (BufferAllocator memory = memory();
                InputBatches rows = new InputBatches(input, memory);
                ArrowArrayStream stream = ArrowArrayStream.allocateNew(memory);
                DuckDBConnection connection = connect()) {
            checkNames(rows.getVectorSchemaRoot().getSchema());
            Data.exportArrayStream(memory, rows, stream);
            try {
                connection.registerArrowStream(query.input(), stream);
                execute(connection, memory, rows, result);
            } finally {
                connection.close();
                if (stream.snapshot().release != 0) {
                    stream.release(); // unless DuckDB has, which it does once it has begun to read
                }
            }
        } catch (SQLException e) {
            throw failed(String.valueOf(e.getMessage()), e);
        }
    }

    /** Refuses names that are one to DuckDB: it would give another one to a column, or take one for the other. */
    private static void checkNames(Schema schema) {
        Map<String, String> known = new HashMap<>();
        for (Field each : schema.getFields()) {
            String other = known.put(each.getName().toLowerCase(Locale.ROOT), each.getName());
            if (other != null) {
                throw new OverdriveException(
                        Kind.INPUT,
                        "the names " + other + " and " + each.getName() + " differ only by case, and are one name in a"
                                + " query in SQL: leave one of the columns out, or give it another name");
            }
        }
    }

    /** @throws OverdriveException of kind INPUT if Java does not let Arrow make buffers */
    private static BufferAllocator memory() {
        if (!Object.class.getModule().isOpen("java.nio", BufferAllocator.class.getModule())) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "queries in SQL need an option of Java: add --add-opens=java.base/java.nio=ALL-UNNAMED to"
                            + " OVERDRIVE_JAVA_OPTIONS");
        }
        return new RootAllocator();
    }

    private DuckDBConnection connect() throws SQLException {
        Properties settings = new Properties();
        settings.setProperty(DuckDBDriver.JDBC_STREAM_RESULTS, "true");
        settings.setProperty("memory_limit", query.memoryBytes() + "B");
        settings.setProperty("threads", String.valueOf(query.threads()));
        settings.setProperty("temp_directory", query.temporary().toString());
        // nothing is fetched from the network unless the query says so
        settings.setProperty("autoinstall_known_extensions", "false");
        DuckDBConnection connection = (DuckDBConnection) new DuckDBDriver().connect(URL, settings);
        execute(connection, "SET TimeZone = '" + zone() + "'");
        return connection;
    }

    /** DuckDB knows names of zones only, and those of offsets have the other sign. */
    private String zone() {
        ZoneId zone = query.zone().normalized();
        int seconds = zone instanceof ZoneOffset offset ? offset.getTotalSeconds() : 0;
        if (seconds % 3600 != 0) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "a query in SQL knows no time zone " + zone + ": give one by its name, such as Asia/Kolkata");
        }
        return !(zone instanceof ZoneOffset)
                ? zone.getId()
                : seconds == 0 ? "UTC" : "Etc/GMT" + (seconds > 0 ? "-" : "+") + Math.abs(seconds / 3600);
    }

    private void execute(DuckDBConnection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            begin(statement);
            statement.execute(sql);
        } finally {
            end();
        }
    }

    private void execute(DuckDBConnection connection, BufferAllocator memory, InputBatches rows, OutputStream result)
            throws IOException {
        try {
            execute(
                    connection,
                    memory,
                    reserved(connection, rows.getVectorSchemaRoot().getSchema()),
                    result);
        } catch (SQLException | OverdriveException e) {
            OverdriveException ofRows = rows.failure();
            throw ofRows != null
                    ? ofRows
                    : e instanceof OverdriveException known ? known : failed(String.valueOf(e.getMessage()), e);
        }
    }

    private void execute(DuckDBConnection connection, BufferAllocator memory, Set<String> reserved, OutputStream result)
            throws SQLException, IOException {
        List<String> statements = Statements.of(query.text());
        if (statements.isEmpty()) {
            throw noResult();
        }
        for (String each : statements.subList(0, statements.size() - 1)) {
            execute(connection, parsed(connection, each, reserved));
        }
        String last = parsed(connection, statements.get(statements.size() - 1), reserved);
        try (DuckDBPreparedStatement prepared = prepare(connection, last)) {
            ResultSetMetaData columns = prepared.getMetaData();
            check(columns);
            ResultStream stream = new ResultStream(notes(columns), result);
            // readers that wait for the result can show how far the query is
            Schema known = schema(connection, memory, last);
            if (known != null) {
                known.getFields().forEach(each -> checkFields(each.getName(), each));
            }
            stream.begin(known);
            begin(prepared);
            if (!prepared.execute()) {
                throw noResult();
            }
            try (DuckDBResultSet rows = (DuckDBResultSet) prepared.getResultSet();
                    ArrowReader batches = (ArrowReader) rows.arrowExportStream(memory, BATCH_ROWS)) {
                stream.write(batches);
            } catch (ResultStream.ReadException e) {
                throw failed(inArrow(e.getMessage()), e);
            }
        } finally {
            end();
        }
    }

    /** The names of columns that are words of SQL, which a query has to quote. */
    private static Set<String> reserved(DuckDBConnection connection, Schema schema) throws SQLException {
        Set<String> words = new HashSet<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT keyword_name FROM duckdb_keywords()" + " WHERE keyword_category <> 'unreserved'")) {
            while (rows.next()) {
                words.add(rows.getString(1));
            }
        }
        return schema.getFields().stream()
                .map(Field::getName)
                .filter(name -> words.contains(name.toLowerCase(Locale.ROOT)))
                .collect(Collectors.toSet());
    }

    /**
     * A statement as it is, or if it cannot be parsed so, with the names of columns that are words of SQL in quotes.
     *
     * @throws OverdriveException of kind INPUT if it cannot be parsed either way, and has such names
     */
    private String parsed(DuckDBConnection connection, String sql, Set<String> reserved) {
        String quoted = Statements.quoted(sql, reserved);
        SQLException problem = quoted.equals(sql) ? null : problem(connection, sql);
        if (problem == null) {
            return sql;
        }
        if (problem(connection, quoted) == null) {
            return quoted;
        }
        throw failed(
                String.valueOf(problem.getMessage()).strip()
                        + "\nColumns whose names are words of SQL need double quotes: "
                        + reserved.stream()
                                .sorted()
                                .map(name -> '"' + name + '"')
                                .collect(Collectors.joining(", ")),
                problem);
    }

    /** Why a statement cannot be parsed; null if it can, whatever else is wrong with it. */
    private static @Nullable SQLException problem(DuckDBConnection connection, String sql) {
        try (Statement prepared = connection.prepareStatement(sql)) {
            return null;
        } catch (SQLException e) {
            return String.valueOf(e.getMessage()).startsWith("Parser Error") ? e : null;
        }
    }

    /** The columns of the result before it is known; null if that is unknown. */
    private static @Nullable Schema schema(DuckDBConnection connection, BufferAllocator memory, String sql) {
        try (Statement statement = connection.createStatement();
                DuckDBResultSet rows = (DuckDBResultSet) statement.executeQuery("FROM (" + sql + "\n) LIMIT 0");
                ArrowReader batches = (ArrowReader) rows.arrowExportStream(memory, BATCH_ROWS)) {
            return batches.getVectorSchemaRoot().getSchema();
        } catch (SQLException | IOException e) {
            return null; // a statement that is not a query, such as DESCRIBE
        }
    }

    private DuckDBPreparedStatement prepare(DuckDBConnection connection, String sql) throws SQLException {
        DuckDBPreparedStatement prepared = (DuckDBPreparedStatement) connection.prepareStatement(sql);
        if (!readsTwice(connection, sql)) {
            return prepared;
        }
        prepared.close();
        // a stream can be read only once, and a table does not have to be in memory
        String name = '"' + query.input() + '"';
        String all = "\"all rows of " + query.input() + '"';
        execute(connection, "CREATE TEMP TABLE " + all + " AS FROM " + name);
        execute(connection, "CREATE OR REPLACE TEMP VIEW " + name + " AS FROM " + all);
        return (DuckDBPreparedStatement) connection.prepareStatement(sql);
    }

    private static boolean readsTwice(DuckDBConnection connection, String sql) {
        try (Statement explaining = connection.createStatement();
                ResultSet plan = explaining.executeQuery("EXPLAIN " + sql)) {
            StringBuilder text = new StringBuilder();
            while (plan.next()) {
                text.append(plan.getString(2));
            }
            return text.toString().split("ARROW_SCAN", -1).length > 2;
        } catch (SQLException e) {
            return false; // a statement that cannot be explained
        }
    }

    private synchronized void begin(Statement statement) throws SQLException {
        if (cancelled) {
            throw new SQLException("the query was cancelled");
        }
        running = statement;
    }

    private synchronized void end() {
        running = null;
    }

    private void check(@Nullable ResultSetMetaData columns) throws SQLException {
        if (columns == null || columns.getColumnCount() == 0) {
            throw noResult();
        }
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            Matcher without = WITHOUT_FORM.matcher(columns.getColumnTypeName(i));
            if (without.find()) {
                throw new OverdriveException(
                        Kind.INPUT,
                        "column \"" + columns.getColumnName(i) + "\" of the result is " + columns.getColumnTypeName(i)
                                + ", which cannot be read from DuckDB: cast it in the query, for example to VARCHAR");
            }
        }
    }

    /** Refuses structs that Arrow takes for ones with a single field. */
    private static void checkFields(String column, Field part) {
        long names = part.getChildren().stream().map(Field::getName).distinct().count();
        if (names < part.getChildren().size()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "column \"" + column
                            + "\" of the result has a struct whose fields have no names, as row() makes it:"
                            + " give them names, for a tuple {'0': 1, '1': 'x'}");
        }
        part.getChildren().forEach(each -> checkFields(column, each));
    }

    private OverdriveException noResult() {
        return new OverdriveException(
                Kind.INPUT,
                "the last statement of the query has no rows: end it with one such as SELECT * FROM " + query.input());
    }

    /** The types in CQL of columns whose form in Arrow does not show them, by their number. */
    private static Map<Integer, String> notes(ResultSetMetaData columns) throws SQLException {
        Map<Integer, String> notes = new HashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            switch (columns.getColumnTypeName(i).toUpperCase(Locale.ROOT)) {
                case "UUID" -> notes.put(i - 1, "uuid");
                case "UUID[]" -> notes.put(i - 1, "list<uuid>");
                default -> {}
            }
        }
        return notes;
    }

    private static String inArrow(@Nullable String message) {
        Matcher inside = IN_ARROW.matcher(String.valueOf(message));
        return inside.find() ? inside.group(1) : String.valueOf(message);
    }

    private OverdriveException failed(String message, Exception cause) {
        String hint = message.startsWith("Out of Memory")
                ? "\nIt may use " + (query.memoryBytes() >> 20)
                        + " MiB outside of the heap. Statements before it change that: SET memory_limit = '8GB';"
                : message.contains("stream has been released")
                        ? "\nIts statements read " + query.input()
                                + " more than once. Keep the rows in a table first: CREATE TEMP TABLE t AS FROM "
                                + query.input() + ";"
                        : "";
        return new OverdriveException(Kind.INPUT, "the query cannot be executed: " + message.strip() + hint, cause);
    }

    @Override
    public synchronized void cancel() {
        cancelled = true;
        if (running != null) {
            try {
                running.cancel();
            } catch (SQLException e) {
                // it has just ended
            }
        }
    }

    @Override
    public void close() {
        // the run has closed all
    }
}
