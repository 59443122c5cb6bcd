package io.overdrive.cli;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.ScanSetting;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.Caller;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.OptionValues;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.options.TableName;
import io.overdrive.cli.report.CqlPrinter;
import io.overdrive.cli.watch.VisibleWriter;
import io.overdrive.internal.cql.CqlScript;
import io.overdrive.internal.names.VisibleText;
import io.overdrive.internal.request.ServerMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive cql}: runs CQL statements and prints their rows. */
@Command(
        name = "cql",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = "overdrive cql [OPTIONS] [STATEMENT…]",
        description =
                "Runs CQL statements in sequence and prints their rows. Statements come from the arguments, a file, or"
                        + " standard input, separated by semicolons. The first statement that fails ends the run, except at a"
                        + " terminal.",
        footer = {
            "",
            "Examples:",
            "  overdrive cql --local \"DESCRIBE TABLES\"",
            "  overdrive cql \"SELECT * FROM demo.flights LIMIT 5\" --vertical",
            "  overdrive cql --file schema.cql --host 10.0.0.1",
            "  echo \"SELECT key, rpc_address FROM system.local\" | overdrive cql --json",
        })
final class CqlCommand implements Callable<Integer>, SettingOptions.Command {
    /** Position in the statement, as the server reports it: the column counts from 0. */
    private static final Pattern POSITION = Pattern.compile("line (\\d+):(\\d+) (.*)", Pattern.DOTALL);

    private static final Pattern SCHEMA_CHANGE =
            Pattern.compile("(?i)(CREATE|ALTER|DROP)\\s+(?!ROLE\\b|USER\\b|IDENTITY\\b).*", Pattern.DOTALL);
    private static final int MAX_PAGE_ROWS = 1_000_000;
    private static final int MAX_SHOWN_COLUMNS = 160;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "STATEMENT",
            arity = "0..*",
            hideParamSyntax = true,
            description = "CQL to run. Default: standard input.")
    private List<String> statements = List.of();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "File with statements; - for standard input.")
    private @Nullable Path file;

    @Option(names = "--keyspace", paramLabel = "NAME", description = "Default keyspace of tables.")
    private @Nullable String keyspace;

    @Option(names = "--json", description = "Print each row as a JSON object on a separate line.")
    private boolean json;

    @Option(names = "--csv", description = "Print rows as CSV with a header, as overdrive unload does.")
    private boolean csv;

    @Option(names = "--vertical", description = "Print each value on a separate line, for rows with many columns.")
    private boolean vertical;

    @Option(
            names = "--consistency",
            paramLabel = "LEVEL",
            description = "Consistency level of reads and writes. Default: LOCAL_QUORUM.")
    private DefaultConsistencyLevel consistency = DefaultConsistencyLevel.LOCAL_QUORUM;

    @Option(
            names = "--page-rows",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Rows to fetch at a time; all rows are printed. Default: 1000.")
    private long pageRows = 1000;

    @Option(
            names = "--request-timeout",
            paramLabel = "SECONDS",
            description = "Maximum time for a statement, or for a page of its rows. Default: 60.")
    private double requestTimeout = 60;

    private final SettingOptions patience = new SettingOptions(null, List.of(ScanSetting.PATIENCE));

    private final ConnectMixin connect = new ConnectMixin();

    private boolean interactive;
    private int done;
    private boolean printed;

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(patience, connect.group());
    }

    @Override
    public Integer call() {
        CqlPrinter.Style style = checkUsage();
        Duration given = patience.find(ScanSetting.PATIENCE);
        Duration maxWait = given == null
                ? Objects.requireNonNull(ScanSetting.PATIENCE.byDefault())
                : ScanSetting.PATIENCE.check(given);
        PrintWriter out = output();
        PrintWriter err = spec.commandLine().getErr();
        try (Reader reader = reader();
                Overdrive overdrive = Overdrive.connect(connect.options(err))) {
            overdrive.awaitNode(maxWait);
            if (keyspace != null) {
                overdrive.session().execute("USE " + identifier(keyspace).asCql(true));
            }
            boolean failed = runAll(overdrive, script(reader, err), new CqlPrinter(out, style), err);
            if (!printed && !failed) {
                err.println(done == 1 ? "1 statement done" : Amount.count(done) + " statements done");
            }
            return failed ? Main.FAILED : Main.DONE;
        } catch (DriverException e) {
            throw new OverdriveException(Kind.INPUT, ServerMessage.of(e), e);
        } catch (IOException | UncheckedIOException e) {
            throw new OverdriveException(
                    Kind.INPUT, (file == null ? "standard input" : file) + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Values reach a file or a program as they are, and a terminal without control characters. */
    private PrintWriter output() {
        PrintWriter out = spec.commandLine().getOut();
        return Integer.getInteger("overdrive.stdout.columns") == null ? out : VisibleWriter.on(out);
    }

    private CqlPrinter.Style checkUsage() {
        if ((json ? 1 : 0) + (csv ? 1 : 0) + (vertical ? 1 : 0) > 1) {
            throw new IllegalArgumentException("--json, --csv and --vertical exclude each other: choose one");
        }
        if (file != null && !statements.isEmpty()) {
            throw new IllegalArgumentException("give statements or --file, not both");
        }
        if (pageRows < 1 || pageRows > MAX_PAGE_ROWS) {
            throw new IllegalArgumentException("--page-rows is " + pageRows + ", must be 1 to " + MAX_PAGE_ROWS);
        }
        if (!(requestTimeout >= 0.001 && requestTimeout <= 86_400)) {
            throw new IllegalArgumentException("--request-timeout is " + requestTimeout + ", must be 0.001 to 86400");
        }
        if (keyspace != null) {
            identifier(keyspace);
        }
        return json
                ? CqlPrinter.Style.JSON
                : csv ? CqlPrinter.Style.CSV : vertical ? CqlPrinter.Style.VERTICAL : CqlPrinter.Style.TABLE;
    }

    private static CqlIdentifier identifier(String name) {
        if (!name.matches("[a-zA-Z][a-zA-Z0-9_]*|\"([^\"]|\"\")+\"")) {
            throw new IllegalArgumentException("--keyspace is \"" + name
                    + "\", must be a name; one with capitals or special characters goes in double quotes");
        }
        return TableName.name(name, "--keyspace");
    }

    /** The input; empty if the statements come from the arguments. */
    private Reader reader() throws IOException {
        if (!statements.isEmpty()) {
            return Reader.nullReader();
        }
        if (file != null && !file.toString().equals("-")) {
            return Files.newBufferedReader(OptionValues.readable("--file", file));
        }
        interactive = Boolean.getBoolean("overdrive.stdin.terminal");
        return new InputStreamReader(System.in, StandardCharsets.UTF_8.newDecoder()); // which refuses what is no UTF-8
    }

    private CqlScript script(Reader reader, PrintWriter err) {
        if (!statements.isEmpty()) {
            return CqlScript.of(String.join(";\n", statements));
        }
        BufferedReader lines = new BufferedReader(reader);
        if (interactive) {
            err.println("Statements end with a semicolon; exit or Ctrl-D ends.");
        }
        return new CqlScript(continued -> {
            if (interactive) {
                err.print(continued ? "   > " : "cql> ");
                err.flush();
            }
            try {
                String line = lines.readLine();
                boolean ends = interactive
                        && !continued
                        && line != null
                        && line.strip().matches("(?i)(exit|quit)\\s*;?");
                return ends ? null : line;
            } catch (CharacterCodingException e) {
                throw new OverdriveException(
                        Kind.INPUT,
                        (file == null ? "standard input" : "--file " + file)
                                + " is not valid UTF-8: convert it to UTF-8; statements before this place were run",
                        e);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Returns whether a statement failed and ended the run. */
    private boolean runAll(Overdrive overdrive, CqlScript script, CqlPrinter printer, PrintWriter err) {
        for (CqlScript.Statement next = script.next(); next != null; next = script.next()) {
            try {
                run(overdrive, next.cql(), printer, err);
                done++;
            } catch (DriverException | OverdriveException e) {
                if (e instanceof OverdriveException own && own.kind() == Kind.INPUT) {
                    throw own; // the input or the output, not the statement
                }
                Caller.fail(err, message(next, e), e);
                err.flush();
                if (!interactive) {
                    return true;
                }
            }
        }
        return false;
    }

    private void run(Overdrive overdrive, String cql, CqlPrinter printer, PrintWriter err) {
        if (SCHEMA_CHANGE.matcher(cql).matches()) {
            overdrive.changeSchema(cql);
            return;
        }
        ResultSet rows = overdrive
                .session()
                .execute(SimpleStatement.newInstance(cql)
                        .setConsistencyLevel(consistency)
                        .setPageSize((int) pageRows)
                        .setTimeout(Duration.ofNanos((long) (1e9 * requestTimeout))));
        rows.getExecutionInfo().getWarnings().forEach(warning -> err.println("warning: " + warning));
        ColumnDefinitions columns = rows.getColumnDefinitions();
        if (columns.size() == 0) {
            return;
        }
        printed = true;
        if (!json
                && columns.contains("create_statement")
                && cql.toUpperCase(Locale.ROOT).startsWith("DESC")) {
            describe(rows);
        } else {
            printer.print(columns, rows);
        }
    }

    /** Prints DESCRIBE output as plain CQL, which can be run elsewhere, but for a program, which reads JSON. */
    private void describe(Iterable<Row> rows) {
        PrintWriter out = output();
        String between = "";
        for (Row row : rows) {
            out.println(between + row.getString("create_statement"));
            between = System.lineSeparator();
        }
        out.flush();
    }

    /** The position in the input, the server's message, and the line with a mark below the position. */
    private String message(CqlScript.Statement statement, RuntimeException failure) {
        Throwable cause = failure;
        if (failure instanceof AllNodesFailedException all
                && !all.getAllErrors().isEmpty()) {
            cause = all.getAllErrors().values().iterator().next().get(0);
        }
        String says = ServerMessage.of(cause);
        String source = file == null || file.toString().equals("-") ? "" : file + " ";
        Matcher m = POSITION.matcher(says);
        if (!m.matches()) {
            return interactive || statements.size() == 1 ? says : source + "line " + statement.line() + ": " + says;
        }
        int line = Integer.parseInt(m.group(1));
        int column = Integer.parseInt(m.group(2));
        String[] lines = statement.cql().split("\n", -1);
        String where = source + "line " + (statement.line() + line - 1) + ", column "
                + (line == 1 ? statement.column() + column : column + 1) + ": " + m.group(3);
        if (line > lines.length || column > MAX_SHOWN_COLUMNS || lines[line - 1].length() > MAX_SHOWN_COLUMNS) {
            return where;
        }
        String text = VisibleText.oneLine(lines[line - 1].replace('\t', ' '));
        return where + System.lineSeparator() + "  " + text + System.lineSeparator() + "  " + " ".repeat(column) + "^";
    }
}
