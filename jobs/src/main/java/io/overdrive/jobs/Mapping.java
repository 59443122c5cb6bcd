package io.overdrive.jobs;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.expression.Assignments;
import io.overdrive.jobs.expression.Name;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which field of a record goes to which column, as the user wrote it: {@code field = column} entries, separated by
 * commas. Immutable.
 *
 * <p>On the left: a field's name, its number from 0, {@code *} for all fields that are not named, or a constant in
 * single quotes. On the right: a column in CQL's spelling (capitals only in double quotes), {@code *} for the column of
 * the same name, {@code -name} or {@code [-a, -b]} for all but these, {@code ttl()} for the row's time to live in
 * seconds, or {@code writetime()} for its write time (microseconds since 1970, or a timestamp).
 */
public final class Mapping {
    /** Each field to the column of its name. */
    public static final Mapping BY_NAME = parse("* = *");

    /** A target that is not a column. */
    public enum Special {
        NONE,
        /** The time to live of the row. */
        TTL,
        /** The write time of the row. */
        WRITETIME,
        /** The write time of a column's cell, or of the row marker if the column is empty. */
        CELL_WRITETIME,
        /** When such a cell expires. */
        CELL_EXPIRY
    }

    /** The target of a field or a constant. */
    public record Target(String column, Special special) {
        public static Target column(String name) {
            return new Target(name, Special.NONE);
        }

        /** The name as it is written in a mapping. */
        @Override
        public String toString() {
            return switch (special) {
                case NONE -> spelt(column);
                case TTL, WRITETIME -> column;
                case CELL_WRITETIME -> new TimeField(TimeField.Kind.WRITE_TIME, column).name();
                case CELL_EXPIRY -> new TimeField(TimeField.Kind.EXPIRY, column).name();
            };
        }
    }

    /** One entry with a name or a number on its left. */
    record Entry(String field, boolean exact, Target target) {
        private static final int DIGITS = 6;

        /** Whether it is for a member of a JSON record of this name. */
        boolean isMember(String name) {
            return field.equals(name) || (!exact && field.equalsIgnoreCase(name));
        }

        /** Whether the field may be a field number. */
        boolean isNumber() {
            return !exact
                    && !field.isEmpty()
                    && field.length() <= DIGITS
                    && field.chars().allMatch(c -> c >= '0' && c <= '9');
        }
    }

    private final String text;
    private final List<Entry> entries;
    private final Map<Target, String> constants;
    private final boolean others;
    private final Set<String> skipped;
    /** The noun for a target in messages. */
    private final String noun;
    /** The columns with values from elsewhere than fields, and the fields that these use. */
    private final Assignments assignments;
    /** Whether fields by the name of a {@link TimeField} have the times of cells. */
    private final boolean keepsTimes;

    /** @throws IllegalArgumentException if the text is not a mapping; the message names the entry */
    public static Mapping parse(String text) {
        return new MappingText(text).parse();
    }

    Mapping(
            String text,
            List<Entry> entries,
            Map<Target, String> constants,
            boolean others,
            Set<String> skipped,
            String noun,
            Assignments assignments,
            boolean keepsTimes) {
        this.text = text;
        this.noun = noun;
        this.assignments = assignments;
        this.keepsTimes = keepsTimes;
        this.entries = entries;
        this.constants = constants;
        this.others = others;
        this.skipped = skipped;
    }

    /** The same mapping to the markers of a statement; messages then say "marker" instead of "column". */
    public Mapping toMarkers() {
        return new Mapping(text, entries, constants, others, skipped, "marker", assignments, keepsTimes);
    }

    /**
     * The same mapping besides columns that are computed: these get no field, and a field that an expression uses needs no column.
     *
     * @throws IllegalArgumentException if the mapping names such a column
     */
    public Mapping besides(Assignments computed) {
        for (String column : computed.columns()) {
            Target target = Target.column(column);
            if (entries.stream().anyMatch(e -> e.target.equals(target)) || constants.containsKey(target)) {
                throw new IllegalOptionException(words -> words.of(JobOption.MAPPING) + " \"" + text + "\" and "
                        + computed.shown(column).in(words) + " both give column \"" + column
                        + "\" a value; leave one of them out");
            }
        }
        return new Mapping(text, entries, constants, others, skipped, noun, computed, keepsTimes);
    }

    /** The same mapping for files with the times of cells, whose fields have no columns. */
    public Mapping withTimes() {
        return new Mapping(text, entries, constants, others, skipped, noun, assignments, /* keepsTimes */ true);
    }

    /** An identifier as it is in the schema: unchanged if quoted, otherwise in lower case. */
    public static String identifier(String cql) {
        return cql.startsWith("\"") ? MappingText.unquote(cql) : cql.toLowerCase(Locale.ROOT);
    }

    /** Constants by their target. */
    public Map<Target, String> constants() {
        return constants;
    }

    public boolean usesTtl() {
        return uses(Special.TTL);
    }

    public boolean usesWritetime() {
        return uses(Special.WRITETIME);
    }

    private boolean uses(Special special) {
        return entries.stream().anyMatch(e -> e.target.special == special)
                || constants.keySet().stream().anyMatch(t -> t.special == special);
    }

    /**
     * The targets of the fields of a file or a table.
     *
     * @param columns that exist, as named in the schema
     * @param allowExtra whether a field without a column is left out
     * @return for each field its targets, none for a field that is left out
     * @throws OverdriveException of kind INPUT for a field or column that does not exist
     */
    public List<List<Target>> resolve(FieldNames fields, List<String> columns, boolean allowExtra) {
        String where = fields.where();
        List<String> names = fields.names();
        List<List<Target>> targets = new ArrayList<>();
        names.forEach(name -> targets.add(new ArrayList<>()));
        for (Entry entry : entries) {
            int field = find(where, entry, names);
            if (field < 0) {
                HeaderRefusals.checkDelimiter(fields);
                throw new OverdriveException(
                        Kind.INPUT,
                        where + ": there is no field \"" + entry.field + "\", which the mapping names;"
                                + " the fields are " + String.join(", ", named(names)));
            }
            checkColumn(entry.target, columns);
            targets.get(field).add(entry.target);
        }
        constants.keySet().forEach(target -> checkColumn(target, columns));
        resolveOthers(fields, columns, allowExtra, targets);
        resolveTimes(where, names, targets);
        checkTwice(where, names, targets);
        return targets;
    }

    private void resolveOthers(
            FieldNames fields, List<String> columns, boolean allowExtra, List<List<Target>> targets) {
        List<String> names = fields.names();
        List<String> named = named(names);
        for (int field = 0; others && field < names.size(); field++) {
            String name = named.get(field);
            if (targets.get(field).isEmpty() && !isSkipped(names.get(field)) && !isSkipped(name)) {
                boolean isTime = keepsTimes && TimeField.isOfOther(name, names);
                String column = isTime ? null : columnFor(name, columns);
                if (column != null && !isTaken(column)) {
                    targets.get(field).add(Target.column(column));
                } else if (column == null && !allowExtra && !isUsed(name) && timeField(name) == null) {
                    HeaderRefusals.checkDelimiter(fields);
                    throw new OverdriveException(Kind.INPUT, HeaderRefusals.noColumn(fields, field, columns, noun));
                }
            }
        }
    }

    /** The fields with times go where the fields go whose times they have. */
    private void resolveTimes(String where, List<String> names, List<List<Target>> targets) {
        List<String> stripped = names.stream().map(String::strip).toList();
        for (int field = 0; field < names.size(); field++) {
            TimeField time = timeField(names.get(field));
            if (time == null || !targets.get(field).isEmpty() || isSkipped(names.get(field))) {
                continue;
            }
            int of = stripped.indexOf(time.field().strip());
            if (of < 0 && !time.field().isEmpty() && others) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> where + ": field \"" + time.name() + "\" has the times of field \"" + time.field()
                                + "\", which does not exist; leave it out with " + words.of(JobOption.MAPPING)
                                + " '* = -" + spelt(time.name()) + "'");
            }
            targets.get(field).addAll(time.targets(of < 0 ? List.of() : targets.get(of)));
        }
    }

    /** The times that a field of this name has; null if none are kept, or it has none. */
    private @Nullable TimeField timeField(String name) {
        return keepsTimes ? TimeField.parse(name) : null;
    }

    /** Names unnamed fields, such as the index column of a data frame, by their number from 1: column_1. */
    public static List<String> named(List<String> names) {
        List<String> named = new ArrayList<>(names);
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).isBlank()) {
                String name = "column_" + (i + 1);
                while (names.contains(name)) {
                    name += "_";
                }
                named.set(i, name);
            }
        }
        return named;
    }

    /**
     * The targets of the fields in a table that will be created for them: as {@link #resolve}, with a column for each
     * field that is not mapped to one.
     *
     * @param spelled names that columns keep unchanged, instead of in lower case
     */
    public List<List<Target>> resolveNew(FieldNames fields, Set<String> spelled) {
        if (others) {
            HeaderRefusals.checkDelimiter(fields);
        }
        Set<String> columns = ownColumns();
        named(fields.names()).stream()
                .filter(name -> timeField(name) == null)
                .forEach(name -> columns.add(newColumn(name, spelled)));
        return resolve(fields, List.copyOf(columns), /* allowExtra */ false);
    }

    /** Likewise for a member of a JSON record. */
    public List<Target> resolveNew(String name, Set<String> spelled) {
        Set<String> columns = ownColumns();
        TimeField time = timeField(name);
        columns.add(newColumn(time == null ? name : time.field(), spelled));
        List<Target> targets = resolve(name, List.copyOf(columns));
        return targets == null ? List.of() : targets;
    }

    /** The columns that entries and constants name. */
    private Set<String> ownColumns() {
        Set<String> columns = new LinkedHashSet<>();
        Stream.concat(entries.stream().map(Entry::target), constants.keySet().stream())
                .filter(target -> target.special == Special.NONE)
                .forEach(target -> columns.add(target.column));
        return columns;
    }

    /** A field's name as a column name: in lower case, as CQL reads it, if it is a plain word. */
    private static String newColumn(String field, Set<String> spelled) {
        String trimmed = field.strip();
        boolean plain = trimmed.matches("[a-zA-Z][a-zA-Z0-9_]*") && !spelled.contains(trimmed);
        return plain ? trimmed.toLowerCase(Locale.ROOT) : trimmed;
    }

    /** Refuses a target with two fields, since either of them might win. */
    private void checkTwice(String where, List<String> names, List<List<Target>> targets) {
        Map<Target, String> sources = new HashMap<>();
        List<String> named = named(names);
        for (int field = 0; field < names.size(); field++) {
            String name = "\"" + named.get(field) + "\"";
            for (Target target : targets.get(field)) {
                String other = sources.putIfAbsent(target, "fields " + name + " and ");
                if (other != null) {
                    String byNumber = named.indexOf(named.get(field)) < field
                            ? "; the second one by its number: \"" + field + " = NAME, * = *\""
                            : "";
                    throw new OverdriveException(
                            Kind.INPUT,
                            words -> where + ": " + other + name + " both go to "
                                    + (target.special == Special.NONE ? noun + " \"" + target.column + "\"" : target)
                                    + "; leave one of them out, or map it elsewhere, with "
                                    + words.of(JobOption.MAPPING) + byNumber);
                }
            }
        }
    }

    /** A name as written in a mapping or in CQL: in quotes unless it is a plain word that CQL does not reserve. */
    public static String spelt(String name) {
        return name.isEmpty() ? "\"\"" : CqlIdentifier.fromInternal(name).asCql(/* pretty */ true);
    }

    /**
     * The fields of a file without a header if the mapping has only numbers: up to the highest one. Empty if the
     * mapping has names, or also takes fields that it does not list.
     */
    public List<String> numberedFields() {
        if (others || !entries.stream().allMatch(Entry::isNumber)) {
            return List.of();
        }
        int fields = entries.stream()
                .mapToInt(e -> Integer.parseInt(e.field) + 1)
                .max()
                .orElse(0);
        return IntStream.range(0, fields).mapToObj(Integer::toString).toList();
    }

    /** Adds the numbers of the entries for a member of a JSON record. */
    public void addEntries(String name, BitSet numbers) {
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).isMember(name)) {
                numbers.set(i);
            }
        }
    }

    /** The fields of all entries except the entries with these numbers. */
    public List<String> otherFields(BitSet numbers) {
        return IntStream.range(0, entries.size())
                .filter(i -> !numbers.get(i))
                .mapToObj(i -> entries.get(i).field)
                .toList();
    }

    /** The targets of a member of a JSON record; null if it is unknown. */
    public @Nullable List<Target> resolve(String name, List<String> columns) {
        List<Target> targets = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry.isMember(name)) {
                checkColumn(entry.target, columns);
                targets.add(entry.target);
            }
        }
        if (!targets.isEmpty() || isSkipped(name)) {
            return targets;
        }
        String column = others ? columnFor(name, columns) : null;
        TimeField time = column == null || isTaken(column) ? timeField(name) : null;
        if (time != null) {
            List<Target> of = time.field().isEmpty() ? List.of() : resolve(time.field(), columns);
            return of == null ? null : time.targets(of);
        }
        if (column == null) {
            return !others || isUsed(name) ? List.of() : null;
        }
        return isTaken(column) ? List.of() : List.of(Target.column(column));
    }

    /** Adds all targets that records without a header may fill. */
    public void targets(List<String> columns, List<Target> targets) {
        entries.forEach(entry -> {
            checkColumn(entry.target, columns);
            targets.add(entry.target);
        });
        constants.keySet().forEach(target -> checkColumn(target, columns));
        if (others) {
            columns.stream()
                    .filter(c -> !skipped.contains(c) && !isTaken(c))
                    .map(Target::column)
                    .forEach(targets::add);
        }
    }

    /** The same as the fields of an output. */
    public OutputMapping toOutput() {
        return new OutputMapping(this);
    }

    List<Entry> entries() {
        return entries;
    }

    /** The name of the field of a column that no entry names; null if there is none. */
    @Nullable String otherField(String column) {
        return others && !isSkipped(column) ? column : null;
    }

    private static int find(String where, Entry entry, List<String> names) {
        int exact = names.indexOf(entry.field);
        if (exact >= 0 || entry.exact) {
            return exact;
        }
        int similar = -1;
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).strip().equalsIgnoreCase(entry.field)) {
                if (similar >= 0) {
                    throw new OverdriveException(
                            Kind.INPUT,
                            where + ": field \"" + entry.field + "\" may be \"" + names.get(similar) + "\" or \""
                                    + names.get(i) + "\"; write the one that is meant in double quotes");
                }
                similar = i;
            }
        }
        if (similar >= 0) {
            return similar;
        }
        int generated = named(names).indexOf(entry.field);
        if (generated >= 0) {
            return generated;
        }
        int number = entry.isNumber() ? Integer.parseInt(entry.field) : names.size();
        return number < names.size() ? number : -1;
    }

    private boolean isSkipped(String name) {
        String trimmed = name.strip();
        return skipped.contains(name)
                || skipped.contains(trimmed)
                || skipped.contains(trimmed.toLowerCase(Locale.ROOT));
    }

    /** Whether the column has its own entry, or is computed. */
    private boolean isTaken(String column) {
        Target target = Target.column(column);
        return entries.stream().anyMatch(e -> e.target.equals(target))
                || constants.containsKey(target)
                || assignments.columns().contains(column);
    }

    /** Whether an expression uses the field. */
    private boolean isUsed(String field) {
        return assignments.names().stream().anyMatch(name -> name.matches(field));
    }

    /**
     * The number of the field that a name in an expression means; -1 if there is none.
     *
     * @throws OverdriveException of kind INPUT if it may be one of two
     */
    public static int find(String where, Name name, List<String> names) {
        return find(where, new Entry(name.text(), name.isExact(), Target.column(name.text())), names);
    }

    /** The column for a field's name: the exact name, or its lower case, as in CQL. */
    static @Nullable String columnFor(String name, List<String> columns) {
        if (columns.contains(name)) {
            return name;
        }
        String trimmed = name.strip();
        if (columns.contains(trimmed)) {
            return trimmed;
        }
        String lower = trimmed.toLowerCase(Locale.ROOT);
        return columns.contains(lower) ? lower : null;
    }

    void checkColumn(Target target, List<String> columns) {
        if (target.special == Special.NONE && !columns.contains(target.column)) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "mapping \"" + text + "\": there is no " + noun + " \"" + target.column + "\"; the " + noun
                            + "s are " + String.join(", ", columns));
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
