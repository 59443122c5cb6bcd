package io.overdrive.jobs.diff;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.CellConverter;
import io.overdrive.jobs.FieldNames;
import io.overdrive.jobs.KeptTimes;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.Mapping.Target;
import io.overdrive.jobs.diff.DiffOptions.Comparison;
import io.overdrive.jobs.sort.KeyOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The columns and the order by which two tables are compared, determined before the first row. Immutable.
 *
 * @param columns the columns read from the left table, the primary key first
 * @param rightColumns the columns of the right table that these are compared with
 * @param order the order of the rows of both
 * @param notCompared names of columns of both tables that a mapping leaves out, each after its table
 */
record DiffPlan(List<Column> columns, List<Column> rightColumns, KeyOrder order, List<String> notCompared) {
    /**
     * @param chosen names of columns of the left table to compare besides the primary key; null for all
     * @throws OverdriveException if the tables cannot be compared: different key columns, columns or types
     */
    static DiffPlan of(
            Overdrive leftCluster,
            TableSchema left,
            Overdrive rightCluster,
            TableSchema right,
            @Nullable List<String> chosen,
            Comparison comparison) {
        DiffPlan plan = new Sides(left, right, chosen, comparison.mapping()).plan(KeyOrder.of(leftCluster, left));
        if (!plan.order.descending().equals(KeyOrder.of(rightCluster, right).descending())) {
            throw differ(left, right, words -> "their clustering columns have different orders (ASC, DESC)");
        }
        if (comparison.ofTimes()) {
            KeptTimes.refuseCounters(left);
            KeptTimes.refuseCounters(right);
            plan.refuseConvertedElements(left, right);
        }
        return plan;
    }

    /** The times of elements come in the order of the elements, which is another one in another type. */
    private void refuseConvertedElements(TableSchema left, TableSchema right) {
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            if (isConverted(i) && CellConverter.isMultiCell(column.type())
                    || CellConverter.isMultiCell(column.type())
                            != CellConverter.isMultiCell(rightColumns.get(i).type())) {
                Column other = rightColumns.get(i);
                throw differ(
                        left,
                        right,
                        words -> words.of(JobOption.COMPARE_TIMES) + " compares the times of elements in columns of one"
                                + " type, and column \"" + column.name() + "\" is " + described(column)
                                + " on the left and " + described(other) + " on the right; choose other columns with "
                                + words.of(JobOption.COLUMNS));
            }
        }
    }

    /** Whether the values of a column have other bytes in the right table. */
    boolean isConverted(int column) {
        return !CellConverter.isSameBytes(
                columns.get(column).type(), rightColumns.get(column).type());
    }

    /** Whether this is so for any column. */
    boolean isConverted() {
        return IntStream.range(0, columns.size()).anyMatch(this::isConverted);
    }

    /** Number of columns of the primary key. */
    int keyColumns() {
        return (int) columns.stream().filter(Column::isKey).count();
    }

    List<String> names() {
        return columns.stream().map(Column::name).toList();
    }

    List<String> rightNames() {
        return rightColumns.stream().map(Column::name).toList();
    }

    private static OverdriveException differ(TableSchema left, TableSchema right, MessageText how) {
        return new OverdriveException(
                Kind.SCHEMA,
                words -> left.cqlName() + " and " + right.cqlName() + " cannot be compared: " + how.in(words));
    }

    private static String described(Column column) {
        return cql(column.type()) + (column.role() == Role.STATIC ? " static" : "");
    }

    private static String cql(DataType type) {
        return type.asCql(/* includeFrozen */ false, /* pretty */ true);
    }

    /**
     * Two tables, and what is compared of them.
     *
     * @param chosen as in {@link #of}
     */
    private record Sides(TableSchema left, TableSchema right, @Nullable List<String> chosen, Mapping mapping) {
        DiffPlan plan(KeyOrder order) {
            if (chosen != null) {
                for (String name : chosen) {
                    if (left.column(name).isEmpty()) {
                        throw differ(left, right, words -> "the left one has no column \"" + name + "\"");
                    }
                }
            }
            List<Column> candidates = left.columns().stream()
                    .filter(c -> c.isKey() || chosen == null || chosen.contains(c.name()))
                    .toList();
            List<String> rightNames = right.columns().stream().map(Column::name).toList();
            for (Column column : candidates) {
                if (mapping.resolve(column.name(), rightNames) == null) {
                    throw differ(
                            left,
                            right,
                            words -> "the right one has no column \"" + column.name() + "\"; choose the columns that"
                                    + " both have with " + words.of(JobOption.COLUMNS)
                                    + ", or give its name there with "
                                    + words.of(JobOption.MAPPING) + " \"" + Mapping.spelt(column.name())
                                    + " = other, * = *\"");
                }
            }
            FieldNames fields = new FieldNames(
                    "[" + left.cqlName() + "]",
                    candidates.stream().map(Column::name).toList(),
                    /* areLine */ false);
            List<List<Target>> targets = mapping.resolve(fields, rightNames, /* allowExtra */ true);
            List<Column> from = new ArrayList<>();
            List<Column> to = new ArrayList<>();
            for (int i = 0; i < candidates.size(); i++) {
                Column other = other(candidates.get(i), targets.get(i));
                if (other != null) {
                    from.add(candidates.get(i));
                    to.add(other);
                }
            }
            checkKeys(from, to);
            return new DiffPlan(List.copyOf(from), List.copyOf(to), order, notCompared(candidates, from, to));
        }

        /** The column that one of the left table is compared with; null if it is left out. */
        private @Nullable Column other(Column column, List<Target> targets) {
            if (targets.size() > 1) {
                throw differ(
                        left,
                        right,
                        words -> "column \"" + column.name() + "\" is compared with one column, and "
                                + words.of(JobOption.MAPPING) + " names "
                                + targets.stream().map(Target::toString).collect(Collectors.joining(" and ")));
            }
            if (targets.isEmpty()) {
                if (column.isKey()) {
                    throw differ(
                            left,
                            right,
                            words -> words.of(JobOption.MAPPING) + " leaves out \"" + column.name()
                                    + "\", a column of the primary key");
                }
                return null;
            }
            Column other = right.column(targets.get(0).column()).orElseThrow();
            if (!column.isKey()) {
                checkValues(column, other);
            }
            return other;
        }

        private void checkValues(Column column, Column other) {
            if ((column.role() == Role.STATIC) != (other.role() == Role.STATIC) || other.isKey()) {
                throw cannot(column, other, "");
            }
            if (!CellConverter.isSameBytes(column.type(), other.type())) {
                try {
                    CellConverter.of(column.type(), other.type());
                } catch (IllegalArgumentException e) {
                    throw cannot(column, other, ", which cannot be converted: " + e.getMessage());
                }
            }
        }

        private OverdriveException cannot(Column column, Column other, String why) {
            return differ(
                    left,
                    right,
                    words -> "column \"" + column.name() + "\" is " + described(column) + " on the left and "
                            + (column.name().equals(other.name()) ? "" : "\"" + other.name() + "\" is ")
                            + (other.isKey() ? "a column of the primary key" : described(other)) + " on the right" + why
                            + "; choose other columns with " + words.of(JobOption.COLUMNS));
        }

        /** The keys decide where rows are, and in which order they come. */
        private void checkKeys(List<Column> from, List<Column> to) {
            for (Role role : List.of(Role.PARTITION_KEY, Role.CLUSTERING)) {
                List<Column> a = from.stream().filter(c -> c.role() == role).toList();
                List<Column> mapped = IntStream.range(0, from.size())
                        .filter(i -> from.get(i).role() == role)
                        .mapToObj(to::get)
                        .toList();
                List<Column> b =
                        right.columns().stream().filter(c -> c.role() == role).toList();
                boolean same = mapped.equals(b);
                for (int i = 0; same && i < a.size(); i++) {
                    same = CqlType.isSame(a.get(i).type(), b.get(i).type());
                }
                if (!same) {
                    throw differ(
                            left,
                            right,
                            words -> (role == Role.PARTITION_KEY ? "partition keys" : "clustering columns") + " ("
                                    + spelt(a) + ") and (" + spelt(b) + ")");
                }
            }
        }

        private static String spelt(List<Column> columns) {
            return columns.stream().map(c -> c.cqlName() + " " + cql(c.type())).collect(Collectors.joining(", "));
        }

        /** Columns that are compared with none; those of the right table count, and are an error, unless the user has named columns. */
        private List<String> notCompared(List<Column> candidates, List<Column> from, List<Column> to) {
            List<String> leftOut = candidates.stream()
                    .filter(column -> !from.contains(column))
                    .map(column -> left.cqlName() + "." + column.cqlName())
                    .toList();
            if (chosen != null) {
                return leftOut;
            }
            List<String> others = right.columns().stream()
                    .filter(column -> !to.contains(column))
                    .map(Column::name)
                    .toList();
            if (!others.isEmpty() && mapping.toString().equals(Mapping.BY_NAME.toString())) {
                throw differ(
                        left,
                        right,
                        words -> "the left one has no column \"" + others.get(0) + "\"; choose the columns that"
                                + " both have with " + words.of(JobOption.COLUMNS));
            }
            return Stream.concat(
                            leftOut.stream(), others.stream().map(name -> right.cqlName() + "." + Mapping.spelt(name)))
                    .toList();
        }
    }
}
