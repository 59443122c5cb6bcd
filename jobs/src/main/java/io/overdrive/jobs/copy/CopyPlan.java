package io.overdrive.jobs.copy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.formats.text.WritetimeText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.DidYouMean;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.CellConverter;
import io.overdrive.jobs.FieldNames;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import io.overdrive.jobs.expression.Assignments;
import io.overdrive.jobs.expression.Computation;
import io.overdrive.jobs.expression.Name;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which columns of a source are read, and where they go, determined before the first row. Immutable.
 *
 * <p>Static columns that go to static columns are written once for each partition, separately from its rows.
 */
final class CopyPlan {
    /** The target of a cell: a column, or one of the row's times. */
    record Entry(int from, Column source, Target target, @Nullable Column column) {
        boolean needsConverter() {
            return column == null || !CellConverter.isSameBytes(source.type(), column.type());
        }

        CellConverter converter() {
            if (column != null) {
                return CellConverter.of(source.type(), column.type());
            }
            return target.special() == Special.TTL
                    ? CellConverter.of(source.type(), DataTypes.INT)
                    : new CellConverter(
                            ValueText.of(source.type(), ValueFormat.DEFAULT), new WritetimeText(ValueFormat.DEFAULT));
        }
    }

    private final TableSchema source;
    private final TableSchema target;
    private final List<Column> read;
    private final List<Entry> entries;
    private final Map<Target, byte[]> constants;
    private final Assignments assignments;
    private final boolean staticsApart;

    private CopyPlan(
            TableSchema source,
            TableSchema target,
            List<Column> read,
            List<Entry> entries,
            Map<Target, byte[]> constants,
            Assignments assignments) {
        this.source = source;
        this.target = target;
        this.read = read;
        this.entries = entries;
        this.constants = constants;
        this.assignments = assignments;
        this.staticsApart = areStaticsApart();
        if (!assignments.isEmpty()) {
            computation(); // finds what is wrong before the first row
        }
        entries.stream().filter(Entry::needsConverter).forEach(this::checkConverter);
    }

    /**
     * @param chosen names of columns of the source; null for all
     * @throws OverdriveException of kind INPUT if the mapping names something that does not exist, or a column has no target
     */
    static CopyPlan of(
            TableSchema source,
            TableSchema target,
            @Nullable List<String> chosen,
            Mapping mapping,
            Assignments assignments) {
        if (chosen != null) {
            chosen.forEach(name -> column(source, name));
        }
        List<Column> candidates = source.columns().stream()
                .filter(c -> c.isKey() || chosen == null || chosen.contains(c.name()))
                .toList();
        List<String> names = candidates.stream().map(Column::name).toList();
        List<String> targets = target.columns().stream().map(Column::name).toList();
        for (Column column : candidates) {
            if (mapping.resolve(column.name(), targets) == null) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> "[" + source.cqlName() + "] column \"" + column.name() + "\" has no column of its"
                                + " name in " + target.cqlName() + "; rename it with " + words.of(JobOption.MAPPING)
                                + " \"" + Mapping.spelt(column.name()) + " = other, * = *\", or leave it out with "
                                + words.of(JobOption.MAPPING) + " \"* = -" + Mapping.spelt(column.name())
                                + "\"; the columns there are " + String.join(", ", targets));
            }
        }
        FieldNames fields = new FieldNames("[" + source.cqlName() + "]", names, /* areLine */ false);
        List<List<Target>> resolved = mapping.resolve(fields, targets, /* allowExtra */ true);
        List<Column> read = new ArrayList<>();
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            Column from = candidates.get(i);
            boolean isUsed = assignments.names().stream().anyMatch(name -> name.matches(from.name()));
            if (!from.isKey() && resolved.get(i).isEmpty() && !isUsed) {
                continue;
            }
            for (Target to : resolved.get(i)) {
                entries.add(new Entry(
                        read.size(), from, to, to.special() == Special.NONE ? column(target, to.column()) : null));
            }
            read.add(from);
        }
        for (String column : assignments.columns()) {
            if (!targets.contains(column)) {
                String near = DidYouMean.suggestion(column, targets);
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> assignments.shown(column).in(words) + ": there is no column \"" + column + "\" in "
                                + target.cqlName()
                                + (near.isEmpty() ? "; the columns there are " + String.join(", ", targets) : near));
            }
        }
        return new CopyPlan(
                source, target, List.copyOf(read), List.copyOf(entries), constants(target, mapping), assignments);
    }

    private static Column column(TableSchema table, String name) {
        return table.column(name)
                .orElseThrow(() -> new OverdriveException(
                        Kind.SCHEMA,
                        "[" + table.cqlName() + "] has no column \"" + name + "\"; its columns are "
                                + table.columns().stream().map(Column::name).collect(Collectors.joining(", "))));
    }

    private static Map<Target, byte[]> constants(TableSchema target, Mapping mapping) {
        Map<Target, byte[]> values = new HashMap<>();
        mapping.constants().forEach((to, text) -> {
            ValueText parser =
                    switch (to.special()) {
                        case NONE -> ValueText.of(column(target, to.column()).type(), ValueFormat.DEFAULT);
                        case TTL -> ValueText.of(DataTypes.INT, ValueFormat.DEFAULT);
                        case WRITETIME -> new WritetimeText(ValueFormat.DEFAULT);
                        case CELL_WRITETIME, CELL_EXPIRY ->
                            throw new IllegalStateException("a constant is not the time of a cell");
                    };
            Bytes out = new Bytes(64);
            char[] chars = text.toCharArray();
            try {
                parser.parse(chars, 0, chars.length, out);
            } catch (BadValueException e) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> words.of(JobOption.MAPPING) + " \"" + mapping + "\": column \"" + to.column() + "\" "
                                + e.getMessage() + e.hint().in(words),
                        e);
            }
            values.put(to, out.toByteArray());
        });
        return values;
    }

    private void checkConverter(Entry entry) {
        try {
            entry.converter();
        } catch (IllegalArgumentException e) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "[" + source.cqlName() + "] column \"" + entry.source.name() + "\" is " + cql(entry.source.type())
                            + ", and " + entry.target.column() + " is not: " + e.getMessage(),
                    e);
        }
    }

    private static String cql(DataType type) {
        return type.asCql(/* includeFrozen */ false, /* pretty */ true);
    }

    /** Once for each partition is enough only if both tables have the same partition key. */
    private boolean areStaticsApart() {
        List<Entry> statics = entries.stream()
                .filter(e -> e.column != null && isStatic(e.column))
                .toList();
        return !statics.isEmpty()
                && statics.stream().allMatch(e -> isStatic(e.source))
                && constants.keySet().stream().noneMatch(to -> isStatic(target, to))
                && computedColumns().stream().noneMatch(c -> isStatic(c) || c.role() == Role.PARTITION_KEY)
                && entries.stream().allMatch(e -> e.column != null)
                && constants.keySet().stream().allMatch(to -> to.special() == Special.NONE)
                && entries.stream()
                        .filter(e -> e.column != null && e.column.role() == Role.PARTITION_KEY)
                        .allMatch(e -> e.source.role() == Role.PARTITION_KEY);
    }

    private static boolean isStatic(TableSchema table, Target to) {
        return to.special() == Special.NONE && isStatic(column(table, to.column()));
    }

    private static boolean isStatic(Column column) {
        return column.role() == Role.STATIC;
    }

    /** The columns that are read, beginning with the primary key. */
    List<Column> read() {
        return read;
    }

    /** Columns of rows that are not copied. */
    List<String> leftOut() {
        return source.columns().stream()
                .filter(column -> column.role() == Role.REGULAR && !read.contains(column))
                .map(Column::name)
                .toList();
    }

    /** Number of columns of the primary key. */
    int keyColumns() {
        return (int) read.stream().filter(Column::isKey).count();
    }

    int partitionColumns() {
        return source.partitionKey().size();
    }

    List<Entry> entries() {
        return entries;
    }

    /** The columns of the target that are computed, in the order of {@link #computation}. */
    List<Column> computedColumns() {
        return assignments.columns().stream().map(name -> column(target, name)).toList();
    }

    /** Makes the computation of these columns, for one thread; null if there are none. */
    @Nullable Computation computation() {
        return assignments.isEmpty()
                ? null
                : assignments.bind(
                        new SourceNames(), name -> column(target, name).type());
    }

    /** The columns that are read, by number, of the inputs of a computation. */
    int[] inputs(Computation computation) {
        List<String> names = read.stream().map(Column::name).toList();
        return computation.inputs().stream()
                .mapToInt(name -> names.indexOf(name.text()))
                .toArray();
    }

    /** The columns that are read, by name. */
    private final class SourceNames implements Assignments.Names {
        @Override
        public @Nullable DataType type(Name name) {
            if (name.isRaw()) {
                throw new IllegalArgumentException("raw() is for fields of a load; text() makes text of a column");
            }
            return read.stream()
                    .filter(each -> each.name().equals(name.text()))
                    .map(Column::type)
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public List<String> known() {
            return source.columns().stream().map(Column::name).toList();
        }
    }

    /** Values of all rows, by target. */
    Map<Target, byte[]> constants() {
        return constants;
    }

    boolean staticsApart() {
        return staticsApart;
    }

    /** Whether a partition without rows has static columns to be copied. */
    boolean copiesStatics() {
        return read.stream().anyMatch(CopyPlan::isStatic);
    }

    /** Columns of the target that are written for rows; empty if only static columns are written. */
    List<String> rowColumns() {
        List<String> names = columns().values().stream()
                .filter(c -> !staticsApart || !isStatic(c))
                .map(Column::name)
                .toList();
        boolean onlyPartitionKey =
                names.stream().allMatch(name -> column(target, name).role() == Role.PARTITION_KEY);
        return staticsApart && onlyPartitionKey && !target.clusteringColumns().isEmpty() ? List.of() : names;
    }

    /** Columns of the target that are written for cells of rows, without the row marker; empty if there are none. */
    List<String> cellColumns() {
        List<Column> columns =
                rowColumns().stream().map(name -> column(target, name)).toList();
        boolean hasRegulars = columns.stream().anyMatch(c -> c.role() == Role.REGULAR);
        return columns.stream().allMatch(Column::isKey)
                ? List.of()
                : columns.stream()
                        .filter(c -> hasRegulars || c.role() != Role.CLUSTERING)
                        .map(Column::name)
                        .toList();
    }

    /** Columns of the target that are written for the static columns of a partition; empty if there are none. */
    List<String> staticColumns() {
        return !staticsApart
                ? List.of()
                : columns().values().stream()
                        .filter(c -> isStatic(c) || c.role() == Role.PARTITION_KEY)
                        .map(Column::name)
                        .toList();
    }

    /** The written columns, in the order of the target. */
    private Map<String, Column> columns() {
        Map<String, Column> columns = new LinkedHashMap<>();
        for (Column column : target.columns()) {
            if (entries.stream().anyMatch(e -> column.equals(e.column))
                    || assignments.columns().contains(column.name())
                    || constants.keySet().stream()
                            .anyMatch(to ->
                                    to.special() == Special.NONE && to.column().equals(column.name()))) {
                columns.put(column.name(), column);
            }
        }
        return columns;
    }
}
