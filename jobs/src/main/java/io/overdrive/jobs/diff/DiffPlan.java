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
import io.overdrive.jobs.sort.KeyOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The columns and the order by which two tables are compared, determined before the first row. Immutable.
 *
 * @param columns the columns read from both, the primary key first
 * @param order the order of the rows of both
 */
record DiffPlan(List<Column> columns, KeyOrder order) {
    /**
     * @param chosen names of columns to compare besides the primary key; null for all
     * @throws OverdriveException if the tables cannot be compared: different key columns, columns or types
     */
    static DiffPlan of(
            Overdrive leftCluster,
            TableSchema left,
            Overdrive rightCluster,
            TableSchema right,
            @Nullable List<String> chosen) {
        checkKeys(left, right);
        List<Column> columns = columns(left, right, chosen);
        KeyOrder order = KeyOrder.of(leftCluster, left);
        if (!order.descending().equals(KeyOrder.of(rightCluster, right).descending())) {
            throw differ(left, right, words -> "their clustering columns have different orders (ASC, DESC)");
        }
        return new DiffPlan(columns, order);
    }

    private static void checkKeys(TableSchema left, TableSchema right) {
        for (Role role : List.of(Role.PARTITION_KEY, Role.CLUSTERING)) {
            List<Column> a =
                    left.columns().stream().filter(c -> c.role() == role).toList();
            List<Column> b =
                    right.columns().stream().filter(c -> c.role() == role).toList();
            boolean same = a.size() == b.size();
            for (int i = 0; same && i < a.size(); i++) {
                same = a.get(i).name().equals(b.get(i).name())
                        && CqlType.isSame(a.get(i).type(), b.get(i).type());
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

    private static String cql(DataType type) {
        return type.asCql(/* includeFrozen */ false, /* pretty */ true);
    }

    private static OverdriveException differ(TableSchema left, TableSchema right, MessageText how) {
        return new OverdriveException(
                Kind.SCHEMA,
                words -> left.cqlName() + " and " + right.cqlName() + " cannot be compared: " + how.in(words));
    }

    private static List<Column> columns(TableSchema left, TableSchema right, @Nullable List<String> chosen) {
        List<Column> columns = new ArrayList<>();
        for (Column column : left.columns()) {
            if (!column.isKey() && chosen != null && !chosen.contains(column.name())) {
                continue;
            }
            Column other = right.column(column.name())
                    .orElseThrow(() -> differ(
                            left,
                            right,
                            words -> "the right one has no column \"" + column.name() + "\"; choose the columns that"
                                    + " both have with " + words.of(JobOption.COLUMNS)));
            if (!CqlType.isSame(column.type(), other.type())
                    || (column.role() == Role.STATIC) != (other.role() == Role.STATIC)) {
                throw differ(
                        left,
                        right,
                        words -> "column \"" + column.name() + "\" is " + described(column) + " on the left and "
                                + described(other) + " on the right; choose other columns with "
                                + words.of(JobOption.COLUMNS));
            }
            columns.add(column);
        }
        if (chosen != null) {
            for (String name : chosen) {
                if (left.column(name).isEmpty()) {
                    throw differ(left, right, words -> "the left one has no column \"" + name + "\"");
                }
            }
        } else {
            for (Column column : right.columns()) {
                if (left.column(column.name()).isEmpty()) {
                    throw differ(
                            left,
                            right,
                            words -> "the left one has no column \"" + column.name() + "\"; choose the columns that"
                                    + " both have with " + words.of(JobOption.COLUMNS));
                }
            }
        }
        return List.copyOf(columns);
    }

    private static String described(Column column) {
        return cql(column.type()) + (column.role() == Role.STATIC ? " static" : "");
    }

    List<String> names() {
        return columns.stream().map(Column::name).toList();
    }
}
