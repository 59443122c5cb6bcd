package io.overdrive.cli.options;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.ScanOptions;
import io.overdrive.ScanSetting;
import io.overdrive.Setting;
import io.overdrive.WriteOptions;
import io.overdrive.internal.disk.Location;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.create.GuardrailCheck;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.tables.KeyspaceSstables;
import io.overdrive.jobs.tables.SstableJob;
import io.overdrive.jobs.tables.TableSelection;
import io.overdrive.jobs.tables.TablesJob;
import io.overdrive.sstable.read.LeftOut;
import io.overdrive.sstable.read.SstableDirectories;
import io.overdrive.sstable.read.SstableRows;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/** The option by which a command reads a table from SSTables instead of from the cluster. */
public final class FromSstablesMixin implements AutoCloseable {
    private static final String NAME = "--from-sstables";
    /** The exit code of work that is done, and not of all that there was: as with rejected rows, or differences. */
    private static final int LEFT_OUT = 3;

    /** These need the journal of a table, which there is none of. */
    private static final List<String> RESUME = List.of("--resume", "--resume-if-any");

    /** These hold for rows of any origin. */
    private static final List<Setting<?>> EFFECTIVE =
            List.of(ScanSetting.ROWS_PER_SECOND, ScanSetting.BYTES_PER_SECOND);

    @Option(
            names = NAME,
            split = ",",
            paramLabel = "DIR",
            converter = Directory.class,
            description =
                    "Read the rows from the SSTables in DIR, such as a snapshot of the table on a node, instead of"
                            + " from the cluster, which provides only the columns. Several directories, of nodes or replicas, are"
                            + " merged; rows that are in none of them are not read. DIR may have * and ?, be in an object store"
                            + " (s3://bucket/key, gs, abfss), or be a backup of a node by Medusa. Of a keyspace: its directory on a"
                            + " node, or the one above it, with one snapshot; snapshots of its tables; or backups by Medusa.")
    private List<Path> directories = new ArrayList<>();

    private @Nullable SstableRows opened;
    private @Nullable KeyspaceSstables ofKeyspace;
    /** Values that were left out, of each table of a keyspace that has been read. */
    private final Map<CqlIdentifier, LeftOut> leftOut =
            new ConcurrentSkipListMap<>((one, other) -> one.asInternal().compareTo(other.asInternal()));

    /** A directory of this machine, or of an object store. */
    static final class Directory implements ITypeConverter<Path> {
        @Override
        public Path convert(String value) {
            try {
                return Location.path(value);
            } catch (OverdriveException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    /** Whether rows are to be read from SSTables. */
    public boolean isGiven() {
        return !directories.isEmpty();
    }

    /**
     * Refuses options that have no effect then.
     *
     * @param scan the options for reading the table; null if they also are about another one, which is read from the cluster
     * @param others names of more options without effect
     */
    public void check(ParseResult command, @Nullable ScanMixin scan, String... others) {
        refuse(command, scan, RESUME, others);
    }

    /**
     * As {@link #check}, of a table or a keyspace, whose journal has the tables that are done.
     *
     * @param tables as the user named them
     */
    public void check(ParseResult command, String tables, ScanMixin scan, String... others) {
        refuse(command, scan, TableSelection.isSelection(tables) ? List.of() : RESUME, others);
    }

    private void refuse(ParseResult command, @Nullable ScanMixin scan, List<String> resume, String... others) {
        if (!isGiven()) {
            return;
        }
        directories = SstableDirectories.named(directories);
        List<String> refused = new ArrayList<>(List.of("--where", "--query", "--token-range", "--sample"));
        refused.addAll(resume);
        refused.addAll(List.of(others));
        if (scan != null) {
            scan.options().settings().stream()
                    .filter(setting -> !EFFECTIVE.contains(setting))
                    .forEach(setting -> refused.add(scan.options().name(setting)));
        }
        for (String option : refused) {
            if (command.hasMatchedOption(option)) {
                throw new IllegalArgumentException(
                        option + " is about reading from the cluster: it does not go with " + NAME);
            }
        }
    }

    /**
     * Makes a table be read from the files, if they are given. Close this after the scan.
     *
     * @param read of a table, unless the files are not given
     * @param err for warnings before the first row
     */
    public FromSstablesMixin open(Overdrive cluster, ScanOptions.Builder read, PrintWriter err) {
        if (isGiven()) {
            ScanOptions options = read.build();
            cluster.awaitNode(options.patience());
            SstableRows rows = SstableRows.open(
                    cluster,
                    Objects.requireNonNull(options.keyspace()),
                    Objects.requireNonNull(options.table()),
                    directories);
            opened = rows;
            read.source(rows);
            rows.warnings().forEach(warning -> err.println("overdrive: " + warning));
        }
        return this;
    }

    /** The tables of a keyspace that are read from files, with warnings about them; null if they are read from the cluster. */
    public @Nullable KeyspaceSstables tables(CqlIdentifier keyspace, PrintWriter err) {
        KeyspaceSstables tables = isGiven() ? KeyspaceSstables.of(directories, keyspace) : null;
        if (tables != null) {
            tables.warnings().forEach(warning -> err.println("overdrive: " + warning));
        }
        ofKeyspace = tables;
        return tables;
    }

    /**
     * The rows that are to be written, for the guardrails of their target: those of the files, if they are given.
     *
     * @param source the cluster of the tables otherwise
     * @param keyspace of the tables
     */
    public GuardrailCheck.Rows rows(
            WriteOptions options,
            boolean keepTimes,
            Overdrive source,
            CqlIdentifier keyspace,
            List<CqlIdentifier> tables) {
        return isGiven()
                ? new GuardrailCheck.Rows(
                        options, keepTimes, /* source */ null, keyspace, tables, () -> largestPartitions(tables))
                : new GuardrailCheck.Rows(options, keepTimes, source, keyspace, tables, /* largestOfFiles */ null);
    }

    private Map<String, Long> largestPartitions(List<CqlIdentifier> tables) {
        SstableRows rows = opened;
        Map<String, Long> largest = new HashMap<>();
        if (ofKeyspace != null) {
            largest.putAll(ofKeyspace.largestPartitions(tables));
        } else if (rows != null) {
            rows.largestPartition().ifPresent(bytes -> largest.put(tables.get(0).asCql(true), bytes));
        }
        return largest;
    }

    /**
     * Opens the job of one of several tables that reads it from files.
     *
     * @param cluster has the columns of the table
     * @param request for a journal of the table; null for none
     * @param targets of the table, for the journal
     * @param opener opens the job that reads these rows
     */
    public <S extends Summary> Job<S> open(
            KeyspaceSstables tables,
            Overdrive cluster,
            TablesJob.Table table,
            @Nullable RunRequest request,
            List<RunTarget> targets,
            Function<SstableRows, Job<S>> opener) {
        SstableRows rows = tables.open(cluster, table);
        return SstableJob.open(
                () -> opener.apply(rows), rows, left -> leftOut.put(table.name(), left), request, targets);
    }

    /** The exit code of a table that would end with this one, if nothing was left out of its rows. */
    public int code(CqlIdentifier table, int code) {
        return code == 0 && !leftOut(table).isEmpty() ? LEFT_OUT : code;
    }

    /** The values and rows that were left out of a table of a keyspace, in words; none if nothing was. */
    public List<String> leftOut(CqlIdentifier table) {
        LeftOut left = leftOut.get(table);
        return left == null ? List.of() : left.inWords();
    }

    /** The values and rows that were left out of the only table, in words; none if nothing was. */
    public List<String> leftOut() {
        SstableRows rows = opened;
        return rows == null ? List.of() : rows.leftOut().inWords();
    }

    /** Reports values that were left out of the tables of a keyspace. */
    public void sayWhatIsLeftOut(PrintWriter err) {
        leftOut.forEach((table, left) -> {
            if (!left.inWords().isEmpty()) {
                err.println("overdrive: " + table.asCql(true) + notAll(left));
            }
        });
    }

    private static String notAll(LeftOut left) {
        return ": NOT ALL that is in the SSTables was read; left out: " + String.join(", ", left.inWords());
    }

    /**
     * Reports values that were left out of the rows.
     *
     * @param code the exit code otherwise
     * @return another one if it would mean that everything was read
     */
    public int end(int code, PrintWriter err) {
        SstableRows rows = opened;
        if (rows == null || rows.leftOut().inWords().isEmpty()) {
            return code;
        }
        err.println("overdrive" + notAll(rows.leftOut()));
        return code == 0 ? LEFT_OUT : code;
    }

    /** Adds the values that were left out of the rows, if the files are given. */
    public void members(JsonGenerator json) throws IOException {
        SstableRows rows = opened;
        if (rows != null) {
            LeftOut left = rows.leftOut();
            json.writeObjectFieldStart("leftOut");
            json.writeObjectFieldStart("values");
            for (Map.Entry<String, Long> column : left.values().entrySet()) {
                json.writeNumberField(column.getKey(), column.getValue());
            }
            json.writeEndObject();
            json.writeArrayFieldStart("goneColumns");
            for (String column : left.goneColumns()) {
                json.writeString(column);
            }
            json.writeEndArray();
            json.writeNumberField("rowsOfGoneColumns", left.rowsOfGoneColumns());
            json.writeNumberField("rows", left.rows());
            json.writeEndObject();
        }
    }

    @Override
    public void close() {
        if (opened != null) {
            opened.close();
        }
    }
}
