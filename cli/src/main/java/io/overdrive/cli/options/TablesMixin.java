package io.overdrive.cli.options;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.formats.manifest.KeyspaceManifest;
import io.overdrive.jobs.tables.KeyspaceInput;
import io.overdrive.jobs.tables.KeyspaceInput.TableFiles;
import io.overdrive.jobs.tables.TableSelection;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** The option of commands that take a keyspace, or a pattern of its tables, in place of a table. */
public final class TablesMixin {
    private static final String EXCEPT = "--except";

    @Option(
            names = EXCEPT,
            paramLabel = "NAMES",
            description = "With a keyspace in place of a table: leave out these of its tables, where * stands for any"
                    + " characters: audit,tmp_*. Default: none.")
    private @Nullable String except;

    /**
     * The tables that an argument names; null if it names one.
     *
     * @throws IllegalArgumentException if it names nothing, or the option is given for one table
     */
    public @Nullable TableSelection selection(String text) {
        if (TableSelection.isSelection(text)) {
            return TableSelection.parse(text, except == null ? "" : except);
        }
        if (except != null) {
            throw new IllegalArgumentException(
                    EXCEPT + " leaves out tables of a keyspace, and " + text + " is one table");
        }
        return null;
    }

    /**
     * As {@link #selection(String)}, of a command that can do without a table.
     *
     * @param text null if it has none
     */
    public @Nullable TableSelection selection(@Nullable String text, ParseResult given) {
        if (text == null) {
            OptionValues.checkAlone(given, EXCEPT, "--query");
        }
        return text == null ? null : selection(text);
    }

    /**
     * The keyspace that an argument names.
     *
     * @throws IllegalArgumentException if it names tables
     */
    public static CqlIdentifier keyspace(String text) {
        TableSelection all = TableSelection.parse(text, /* except */ "");
        if (text.contains(".")) {
            throw new IllegalArgumentException("\"" + text + "\" is not a keyspace: several tables keep their names,"
                    + " so give the keyspace alone, or one table on both sides");
        }
        return all.keyspace();
    }

    /** The tables of a keyspace, in place of the name of one. */
    public static CqlIdentifier[] all(CqlIdentifier keyspace) {
        return new CqlIdentifier[] {keyspace, CqlIdentifier.fromInternal("*")};
    }

    /**
     * Refuses a keyspace that the tables cannot be copied into.
     *
     * @param creates whether it is created if it is missing
     * @throws IllegalArgumentException if it is the one that they are in, or it is missing
     */
    public static void checkTarget(ToMixin.Pair clusters, CqlIdentifier from, CqlIdentifier into, boolean creates) {
        if (from.equals(into) && clusters.first().isSameCluster(clusters.second())) {
            throw new IllegalArgumentException("source and target are the same keyspace, " + from.asCql(true)
                    + ": give another one, or --to-host");
        }
        checkExists(clusters.second(), into, creates);
    }

    /**
     * Refuses a keyspace that does not exist.
     *
     * @param creates whether it is created if it is missing
     */
    public static void checkExists(Overdrive overdrive, CqlIdentifier keyspace, boolean creates) {
        if (!creates && overdrive.session().getMetadata().getKeyspace(keyspace).isEmpty()) {
            throw new IllegalArgumentException("keyspace " + keyspace.asCql(true)
                    + " does not exist, or this user may not see it; --create creates it with its tables");
        }
    }

    /** Refuses a keyspace that does not exist. */
    public static void checkExists(Overdrive overdrive, CqlIdentifier keyspace) {
        if (overdrive.session().getMetadata().getKeyspace(keyspace).isEmpty()) {
            throw new IllegalArgumentException(
                    "keyspace " + keyspace.asCql(true) + " does not exist, or this user may not see it");
        }
    }

    /**
     * The unload of a keyspace that arguments name, whose last one is a keyspace, too.
     *
     * @throws IllegalArgumentException if they name other input
     */
    public static KeyspaceInput input(List<String> arguments) {
        KeyspaceInput input = arguments.size() == 2 ? KeyspaceInput.in(arguments.get(0)) : null;
        if (input == null) {
            throw new IllegalArgumentException("\"" + arguments.get(arguments.size() - 1)
                    + "\" is not a table: write keyspace.table. A keyspace alone goes with the directory of an unload of a"
                    + " keyspace, and "
                    + (arguments.size() == 2 ? arguments.get(0) + " has no " + KeyspaceManifest.NAME : "nothing else"));
        }
        return input;
    }

    /** Refuses to keep times that files do not have; those that they have are kept in any case. */
    public static void checkTimes(boolean isAsked, Collection<TableFiles> tables) {
        if (isAsked && tables.stream().noneMatch(each -> each.table().hasTimes())) {
            throw new IllegalArgumentException("--keep-times: the tables were unloaded without times");
        }
    }

    /** Refuses options that are about one table. */
    public static void refuse(ParseResult given, String... options) {
        for (String each : options) {
            if (given.hasMatchedOption(each)) {
                throw new IllegalArgumentException(
                        each + " is about one table: leave it out, or name a table in place of a keyspace");
            }
        }
    }
}
