package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.internal.request.ServerMessage;
import io.overdrive.jobs.Mapping;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An empty copy of a table, in the same keyspace, for rows that are not needed afterwards: {@link #close} drops it. Its comment says what it is,
 * and until when it may be in use. Confined to one thread.
 */
public final class ScratchTable implements AutoCloseable {
    private static final String PREFIX = "overdrive_tune_";
    private static final int MAX_NAME = 48;
    private static final Pattern COMMENT = Pattern.compile(
            "'Scratch copy of .* by overdrive tune, begun at (\\S+), no longer in use after (\\S+): can be dropped then'");

    private final Overdrive overdrive;
    private final TableSchema like;
    private final CqlIdentifier table;
    private final List<String> leftOut;
    private final Consumer<String> log;
    private boolean dropped;

    private ScratchTable(
            Overdrive overdrive, TableSchema like, CqlIdentifier table, List<String> leftOut, Consumer<String> log) {
        this.overdrive = overdrive;
        this.like = like;
        this.table = table;
        this.leftOut = List.copyOf(leftOut);
        this.log = log;
    }

    /** The name of the scratch copy of a table, which is in the same keyspace. */
    public static String name(String table) {
        String name = PREFIX + table.replaceAll("\\W", "_");
        return name.length() <= MAX_NAME
                ? name
                : name.substring(0, MAX_NAME - 9) + "_" + String.format("%08x", table.hashCode());
    }

    /**
     * Creates it. One that a killed run has left is dropped before.
     *
     * @param inUse how long it may be in use, at most
     * @param log receives lines for the user
     * @throws OverdriveException of kind INPUT if there is a table of its name that may be in use, or the server refuses it
     */
    public static ScratchTable create(
            Overdrive overdrive, TableSchema like, Duration inUse, Clock clock, Consumer<String> log) {
        CqlIdentifier keyspace = CqlIdentifier.fromInternal(like.keyspace());
        CqlIdentifier name = CqlIdentifier.fromInternal(name(like.table()));
        TableLike copy = TableLike.of(
                like,
                SystemSchema.descending(overdrive.session(), like),
                /* chosen */ null,
                Mapping.parse("* = *"),
                keyspace,
                name);
        dropLeftOver(overdrive, copy.table(), clock, log);
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        Set<String> known = SystemSchema.knownOptions(overdrive.session());
        TableOptions taken = TableOptions.of(SystemSchema.options(overdrive.session(), like), known);
        Map<String, String> options = options(taken.taken(), known, comment(like.cqlName(), now, now.plus(inUse)));
        List<String> leftOut = SystemSchema.dependents(overdrive.session(), like, /* withLater */ true);
        taken.leftOut().forEach(option -> leftOut.add("option " + option));
        ScratchTable scratch = new ScratchTable(overdrive, like, name, leftOut, log);
        try {
            overdrive.changeSchema(copy.definition(options).cql());
        } catch (QueryValidationException e) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "the server refuses to create the scratch table " + scratch.cqlName() + ": " + ServerMessage.of(e),
                    e);
        } catch (RuntimeException e) {
            scratch.close(); // it may have been created
            throw e;
        }
        return scratch;
    }

    static String comment(String like, Instant begun, Instant until) {
        return "'Scratch copy of " + like.replace("'", "''") + " by overdrive tune, begun at " + begun
                + ", no longer in use after " + until + ": can be dropped then'";
    }

    /** The options of a scratch table, which has no snapshots or backups of its rows. */
    static Map<String, String> options(Map<String, String> taken, Set<String> known, String comment) {
        Map<String, String> options = new LinkedHashMap<>(taken);
        options.put("comment", comment);
        for (String name : List.of("allow_auto_snapshot", "incremental_backups")) {
            if (known.contains(name)) {
                options.put(name, "false");
            }
        }
        return options;
    }

    private static void dropLeftOver(Overdrive overdrive, TableSchema scratch, Clock clock, Consumer<String> log) {
        Map<String, String> options = SystemSchema.options(overdrive.session(), scratch);
        if (options.isEmpty()) {
            return;
        }
        String comment = options.getOrDefault("comment", "''");
        String problem = whyNotDropped(scratch.cqlName(), comment, clock.instant());
        if (!problem.isEmpty()) {
            throw new OverdriveException(Kind.INPUT, problem);
        }
        log.accept("overdrive: " + scratch.cqlName() + " is left from a run that was killed, and is dropped now");
        overdrive.changeSchema("DROP TABLE IF EXISTS " + scratch.cqlName());
    }

    /** Empty if a table with this comment is left from a run that has ended. */
    static String whyNotDropped(String table, String comment, Instant now) {
        Matcher ours = COMMENT.matcher(comment);
        if (!ours.matches()) {
            return "table " + table
                    + " exists, and overdrive tune, whose scratch table has this name, has not created it:"
                    + " rename or drop it";
        }
        return now.isAfter(Instant.parse(ours.group(2)))
                ? ""
                : "table " + table + " exists: it is the scratch table of an overdrive tune that began at "
                        + ours.group(1) + " and may run until " + ours.group(2)
                        + "; wait for that, or if it was killed, drop the table: overdrive cql \"DROP TABLE " + table
                        + "\"";
    }

    public String keyspace() {
        return like.keyspace();
    }

    public String table() {
        return table.asInternal();
    }

    /** Keyspace and table as written in CQL. */
    public String cqlName() {
        return CqlIdentifier.fromInternal(like.keyspace()).asCql(true) + "." + table.asCql(true);
    }

    /** Parts of the original that this table lacks, as text: {@code index by_name}. */
    public List<String> leftOut() {
        return leftOut;
    }

    /** Whether {@link #close} has dropped it. */
    public boolean isDropped() {
        return dropped;
    }

    /** Drops it, or says how the user can. */
    @Override
    public void close() {
        try {
            overdrive.changeSchema("DROP TABLE IF EXISTS " + cqlName());
            dropped = true;
        } catch (DriverException | OverdriveException e) {
            log.accept("overdrive: the scratch table " + cqlName() + " could not be dropped (" + e.getMessage()
                    + "): drop it by overdrive cql \"DROP TABLE " + cqlName() + "\"");
        }
    }
}
