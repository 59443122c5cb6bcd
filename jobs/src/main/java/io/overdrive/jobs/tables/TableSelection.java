package io.overdrive.jobs.tables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.names.JobOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tables of one keyspace, by patterns of their names. Immutable.
 *
 * @param text as the user wrote it
 * @param keyspace of the tables
 * @param tables pattern of their names
 * @param except patterns of the names of tables that are left out
 */
public record TableSelection(String text, CqlIdentifier keyspace, NamePattern tables, List<NamePattern> except) {
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_*]+|\"[a-zA-Z0-9_*]+\"");
    private static final int MAX_NAMED = 10;

    public TableSelection {
        except = List.copyOf(except);
    }

    /**
     * A name of CQL in which {@code *} stands for any characters.
     *
     * @param text as the user wrote it, in double quotes if capitals count
     * @param names the names that it stands for
     */
    public record NamePattern(String text, Pattern names) {
        /** The pattern of a text; {@code *} stands for all names. */
        static NamePattern of(String text) {
            boolean isQuoted = text.startsWith("\"");
            String name = isQuoted ? text.substring(1, text.length() - 1) : text.toLowerCase(Locale.ROOT);
            return new NamePattern(text, Pattern.compile(name.replace("*", ".*")));
        }

        boolean matches(CqlIdentifier name) {
            return names.matcher(name.asInternal()).matches();
        }
    }

    /** Whether a text is one of tables: a keyspace by itself, or with a pattern. A table is {@code keyspace.table}. */
    public static boolean isSelection(String text) {
        return !text.isEmpty() && (!text.contains(".") || text.contains("*"));
    }

    /**
     * The tables of a text such as {@code shop}, {@code shop.*} or {@code shop."Order*"}.
     *
     * @param except patterns of names, separated by commas; empty for none
     * @throws IllegalArgumentException if one of them is no such text
     */
    public static TableSelection parse(String text, String except) {
        int dot = text.indexOf('.');
        String keyspace = dot < 0 ? text : text.substring(0, dot);
        String tables = dot < 0 ? "*" : text.substring(dot + 1);
        if (!NAME.matcher(keyspace).matches() || keyspace.contains("*")) {
            throw new IllegalArgumentException("\"" + text + "\" names no keyspace: write a keyspace, or a pattern of"
                    + " its tables such as shop.order*, and double quotes around a name with capitals"
                    + " ('\"Shop\".*')");
        }
        checkPattern(text, tables);
        List<NamePattern> left = new ArrayList<>();
        for (String each : except.isBlank() ? new String[0] : except.split(",", -1)) {
            checkPattern(except, each.strip());
            left.add(NamePattern.of(each.strip()));
        }
        return new TableSelection(text, CqlIdentifier.fromCql(quoted(keyspace)), NamePattern.of(tables), left);
    }

    /** The same name for CQL, which reserves some words unless they are in quotes. */
    private static String quoted(String name) {
        return name.startsWith("\"") ? name : "\"" + name.toLowerCase(Locale.ROOT) + "\"";
    }

    private static void checkPattern(String text, String pattern) {
        if (!NAME.matcher(pattern).matches()) {
            throw new IllegalArgumentException("\"" + text + "\" has \"" + pattern + "\" in place of a name of a"
                    + " table: a name has letters, digits and _, * stands for any of them, and capitals count in"
                    + " double quotes only (\"Order*\")");
        }
    }

    /** Whether it is the keyspace that is meant, even if tables are left out, and not a pattern. */
    public boolean isWhole() {
        return tables.text.equals("*");
    }

    /**
     * The names of the tables, in alphabetical order; views are not among them.
     *
     * @throws OverdriveException of kind SCHEMA if there is no such keyspace, a pattern stands for no table, or none is left
     */
    public List<CqlIdentifier> select(Overdrive overdrive) {
        return select(found(overdrive).getTables().keySet(), "keyspace " + keyspace.asCql(true));
    }

    /** As {@link #select(Overdrive)}, and none of a whole keyspace that has no tables, which may have types and functions. */
    public List<CqlIdentifier> selectIfAny(Overdrive overdrive) {
        boolean hasNone =
                isWhole() && except.isEmpty() && found(overdrive).getTables().isEmpty();
        return hasNone ? List.of() : select(overdrive);
    }

    private KeyspaceMetadata found(Overdrive overdrive) {
        return overdrive
                .session()
                .getMetadata()
                .getKeyspace(keyspace)
                .orElseThrow(() -> new OverdriveException(
                        Kind.SCHEMA,
                        "keyspace " + keyspace.asCql(true) + " does not exist, or this user may not see it"));
    }

    /**
     * The names that are selected, of these, in alphabetical order.
     *
     * @param where they are, for messages: "keyspace shop"
     * @throws OverdriveException of kind SCHEMA as for tables of a cluster
     */
    public List<CqlIdentifier> select(Collection<CqlIdentifier> names, String where) {
        List<CqlIdentifier> all = names.stream()
                .sorted((a, b) -> a.asInternal().compareTo(b.asInternal()))
                .toList();
        checkPatterns(all, where);
        List<CqlIdentifier> selected = all.stream().filter(this::isSelected).toList();
        if (selected.isEmpty()) {
            throw new OverdriveException(
                    Kind.SCHEMA, words -> text + ": " + words.of(JobOption.EXCEPT) + " leaves out all of its tables");
        }
        return selected;
    }

    /** The other tables of a keyspace for which the patterns stand, as spelled in CQL: those that are not among the selected ones. */
    public List<String> others(Overdrive overdrive, CqlIdentifier where, List<CqlIdentifier> selected) {
        return overdrive.session().getMetadata().getKeyspace(where).stream()
                .flatMap(found -> found.getTables().keySet().stream())
                .filter(name -> isSelected(name) && !selected.contains(name))
                .map(name -> name.asCql(true))
                .sorted()
                .toList();
    }

    private boolean isSelected(CqlIdentifier name) {
        return tables.matches(name) && except.stream().noneMatch(each -> each.matches(name));
    }

    private void checkPatterns(List<CqlIdentifier> all, String where) {
        if (all.isEmpty() && isWhole()) {
            throw new OverdriveException(Kind.SCHEMA, where + " has no tables");
        }
        for (NamePattern each :
                Stream.concat(Stream.of(tables), except.stream()).toList()) {
            if (all.stream().noneMatch(each::matches)) {
                boolean isExcept = each != tables;
                throw new OverdriveException(
                        Kind.SCHEMA,
                        words -> (isExcept ? words.of(JobOption.EXCEPT) + " " + each.text : text) + ": " + where
                                + " has no such table"
                                + (all.isEmpty() ? "; it has none" : "; its tables: " + named(all)));
            }
        }
    }

    private static String named(List<CqlIdentifier> names) {
        return names.stream().limit(MAX_NAMED).map(name -> name.asCql(true)).collect(Collectors.joining(", "))
                + (names.size() > MAX_NAMED ? " and " + (names.size() - MAX_NAMED) + " more" : "");
    }
}
