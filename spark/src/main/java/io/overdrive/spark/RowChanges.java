package io.overdrive.spark;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.spark.cell.KeyTypes;
import io.overdrive.spark.cell.SparkTypes;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.write.RowChangesWrite;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MergeRows;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta;
import org.apache.spark.sql.catalyst.util.RowDeltaUtils;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.DeltaWrite;
import org.apache.spark.sql.connector.write.DeltaWriteBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsDelta;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * An UPDATE, a MERGE, or a DELETE that Cassandra cannot execute as a whole: Spark finds the rows, and they are changed by
 * primary key. Refuses statements that Cassandra could not execute exactly. Plans (on the driver). Immutable.
 *
 * <p>Only assigned columns are written: the others keep their write times and times to live. Which these are, Spark shows
 * in the plan of the running query only.
 */
final class RowChanges implements SupportsDelta {
    private final CassandraTable table;
    private final TableSchema schema;
    private final Command command;

    private RowChanges(CassandraTable table, Command command) {
        this.table = table;
        this.schema = table.cassandraSchema();
        this.command = command;
    }

    /**
     * Begins a change of rows. Spark asks for a DELETE's before it knows whether Cassandra executes it as a whole, so a
     * DELETE is refused later.
     *
     * @throws IllegalArgumentException if rows of the table cannot be changed by primary key, unless they are deleted
     */
    static RowChanges of(CassandraTable table, Command command) {
        RowChanges changes = new RowChanges(table, command);
        if (command != Command.DELETE) {
            changes.requireNoObstacle();
        }
        return changes;
    }

    /** Why rows of a table cannot be changed by primary key; null if they can. */
    static @Nullable String obstacle(TableSchema schema) {
        if (schema.isCounter()) {
            return "counters are incremented by writing the increments, and deleted by = or IN for the whole partition key";
        }
        for (Column column : schema.columns()) {
            if (column.role() == Role.STATIC) {
                return "all rows of a partition share static column \"" + column.name()
                        + "\", and a partition may have no other rows than it; write or delete by partition key";
            } else if (column.isKey() && !KeyTypes.identifiesRows(column)) {
                return "key column \"" + column.name() + "\" is "
                        + SparkTypes.cql(column.type())
                        + ", of which a value in Spark may stand for several keys";
            }
        }
        return null;
    }

    private void requireNoObstacle() {
        String obstacle = obstacle(schema);
        if (obstacle != null) {
            throw refusal(obstacle);
        }
    }

    private IllegalArgumentException refusal(String reason) {
        return new IllegalArgumentException(
                "[" + schema.cqlName() + "] " + command.name() + " cannot change rows: " + reason);
    }

    @Override
    public Command command() {
        return command;
    }

    @Override
    public String description() {
        return command.name().toLowerCase(Locale.ROOT) + " of " + schema.cqlName() + " by primary key";
    }

    /** A row that one replica has not got yet must be found, too. */
    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        Settings settings = table.settings(options);
        if (settings.isGiven(Setting.NEAREST)) {
            throw refusal("option \"" + Setting.NEAREST.option + "\" leaves out most of them, and is for reads only");
        }
        if (settings.isGiven(Setting.FROM_SSTABLES)) {
            throw refusal("option \"" + Setting.FROM_SSTABLES.option + "\" has earlier ones, and is for reads only");
        }
        Map<String, String> all = new HashMap<>(options);
        if (!settings.isGiven(Setting.READ_CONSISTENCY)) {
            all.put(Setting.READ_CONSISTENCY.option, DefaultConsistencyLevel.LOCAL_QUORUM.name());
        }
        return table.newScanBuilder(new CaseInsensitiveStringMap(all));
    }

    /**
     * The columns of the primary key. If the table has static columns, those that may be null are left out, because
     * Spark would refuse them at once.
     */
    @Override
    public NamedReference[] rowId() {
        boolean isPossible = obstacle(schema) == null;
        return schema.columns().stream()
                .filter(column -> isPossible ? column.isKey() : column.role() == Role.PARTITION_KEY)
                .map(column -> Expressions.column(SparkTypes.quoted(column.name())))
                .toArray(NamedReference[]::new);
    }

    @Override
    public DeltaWriteBuilder newWriteBuilder(LogicalWriteInfo info) {
        requireNoObstacle();
        Map<String, String> all = new HashMap<>(info.options());
        all.put(Setting.IGNORE_NULLS.option, "false");
        all.put(Setting.IF_NOT_EXISTS.option, "false");
        Settings settings = table.settings(new CaseInsensitiveStringMap(all));
        LogicalPlan plan = RunningQuery.plan();
        WriteDelta delta = plan == null ? null : delta(plan);
        // EXPLAIN has no analyzed plan
        List<List<Expression>> outputs = delta == null ? List.of() : outputs(delta.query());
        boolean deletes = command == Command.DELETE;
        boolean inserts = false;
        Set<String> updated = new HashSet<>();
        Set<Set<String>> updates = new HashSet<>();
        for (List<Expression> output : outputs) {
            int operation = operation(output);
            if (operation == RowDeltaUtils.DELETE_OPERATION()) {
                deletes = true;
            } else if (delta != null && operation == RowDeltaUtils.UPDATE_OPERATION()) {
                Set<String> assigned = assigned(delta, output);
                updates.add(assigned);
                updated.addAll(assigned);
            } else if (delta != null && operation == RowDeltaUtils.INSERT_OPERATION()) {
                checkInsert(delta, output);
                inserts = true;
            } else {
                throw new IllegalStateException("Spark plans a change of rows of unknown kind " + operation);
            }
        }
        if (updates.size() > 1) {
            throw refusal(
                    "its WHEN clauses update different columns, " + updates
                            + ", and unchanged ones would be written again, without their times to live: write a MERGE for each");
        }
        boolean isKnown = !outputs.isEmpty() || command == Command.DELETE;
        boolean isRepeatable = isRepeatable(delta, outputs, updated);
        return new Builder(settings, schema, info, deletes, updated, inserts, isKnown, isRepeatable);
    }

    private record Builder(
            Settings settings,
            TableSchema schema,
            LogicalWriteInfo info,
            boolean deletes,
            Set<String> updated,
            boolean inserts,
            boolean isKnown,
            boolean isRepeatable)
            implements DeltaWriteBuilder {
        @Override
        public DeltaWrite build() {
            return new RowChangesWrite(settings, schema, info, deletes, updated, inserts, isKnown, isRepeatable);
        }
    }

    /**
     * Whether the table becomes the same if rows are read and changed again when a part of them is changed already. An UPDATE finds a
     * row again or not, but has the same values for it, unless they depend on columns that it assigns. In a MERGE, a changed row may
     * fall under another clause. A subquery on the table may have another result.
     */
    private boolean isRepeatable(@Nullable WriteDelta delta, List<List<Expression>> outputs, Set<String> updated) {
        if (command == Command.MERGE || table.isRead()) {
            return false;
        } else if (command == Command.DELETE) {
            return true;
        }
        return delta != null && outputs.stream().noneMatch(output -> dependsOn(delta, output, updated));
    }

    /** Whether the value of one of these columns is computed from them. */
    private static boolean dependsOn(WriteDelta delta, List<Expression> output, Set<String> columns) {
        List<Attribute> targets = CollectionConverters.asJava(((LogicalPlan) delta.originalTable()).output());
        Set<ExprId> changed = targets.stream()
                .filter(target -> columns.contains(target.name()))
                .map(Attribute::exprId)
                .collect(Collectors.toSet());
        for (int i = 0; i < targets.size(); i++) {
            if (columns.contains(targets.get(i).name())
                    && CollectionConverters.asJava(
                                    output.get(i + 1).references().toSeq())
                            .stream()
                            .anyMatch(used -> changed.contains(used.exprId()))) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable WriteDelta delta(LogicalPlan plan) {
        if (plan instanceof WriteDelta delta) {
            return delta;
        }
        for (LogicalPlan child : CollectionConverters.asJava(plan.children())) {
            WriteDelta delta = delta(child);
            if (delta != null) {
                return delta;
            }
        }
        return null;
    }

    /** The number of each kind of change, the values of the table's columns, and others. */
    private static List<List<Expression>> outputs(LogicalPlan query) {
        List<List<Expression>> outputs = new ArrayList<>();
        if (query instanceof MergeRows merge) {
            CollectionConverters.asJava(merge.outputs())
                    .forEach(output -> outputs.add(List.copyOf(CollectionConverters.asJava(output))));
        } else if (query instanceof Project project) {
            outputs.add(CollectionConverters.asJava(project.projectList()).stream()
                    .map(named -> (Expression) named)
                    .toList());
        }
        return outputs;
    }

    private static int operation(List<Expression> output) {
        return bare(output.get(0)) instanceof Literal literal && literal.value() instanceof Integer number ? number : 0;
    }

    /** The expression without a name, and without the check that Spark adds for a value that may be null. */
    private static Expression bare(Expression expression) {
        Expression value = expression instanceof Alias alias ? alias.child() : expression;
        return value instanceof AssertNotNull checked ? checked.child() : value;
    }

    /** The table's columns that get another value than their own. */
    private Set<String> assigned(WriteDelta delta, List<Expression> output) {
        Set<String> assigned = new HashSet<>();
        List<Attribute> targets = CollectionConverters.asJava(((LogicalPlan) delta.originalTable()).output());
        for (int i = 0; i < targets.size(); i++) {
            Attribute target = targets.get(i);
            Expression value = bare(output.get(i + 1));
            Column column = schema.column(target.name()).orElse(null);
            if (column == null
                    || (value instanceof Attribute same && same.exprId().equals(target.exprId()))) {
                continue;
            }
            if (column.isKey() && joined(delta, target, value)) {
                requireSameKey(column);
                continue;
            }
            if (column.isKey()) {
                throw refusal("it assigns key column \"" + column.name()
                        + "\", and Cassandra cannot change the key of a row: delete the row, and insert another");
            }
            assigned.add(column.name());
        }
        return assigned;
    }

    /**
     * Refuses an assignment to a key column of a type whose equal values may differ: the row would be written with the
     * key of that value.
     */
    private void requireSameKey(Column column) {
        CqlType type = CqlType.of(column.type());
        if (type == CqlType.FLOAT || type == CqlType.DOUBLE) {
            throw refusal("it assigns key column \"" + column.name()
                    + "\", of which 0.0 and -0.0 are equal, and two keys: assign the other columns only");
        }
    }

    /** An inserted row must be one that does not exist: only a comparison of all keys, and nothing else, shows that. */
    private void checkInsert(WriteDelta delta, List<Expression> output) {
        Map<String, Expression> values = new HashMap<>();
        Map<String, Attribute> targets = new HashMap<>();
        List<Attribute> attributes = CollectionConverters.asJava(((LogicalPlan) delta.originalTable()).output());
        for (int i = 0; i < attributes.size(); i++) {
            values.put(attributes.get(i).name(), bare(output.get(i + 1)));
            targets.put(attributes.get(i).name(), attributes.get(i));
        }
        List<String> keys = schema.columns().stream()
                .filter(Column::isKey)
                .map(Column::name)
                .toList();
        boolean comparesKeys = keys.stream().allMatch(key -> joined(delta, targets.get(key), values.get(key)));
        if (!comparesKeys || conjuncts(delta.condition()).size() != keys.size()) {
            throw refusal("it inserts rows whose keys may exist: ON must compare each column of the primary key ("
                    + keys.stream().collect(Collectors.joining(", "))
                    + ") with the value that is inserted, and nothing else");
        }
    }

    /** Whether the ON condition requires the column to have the value. */
    private static boolean joined(WriteDelta delta, @Nullable Attribute target, @Nullable Expression value) {
        return target != null
                && value != null
                && conjuncts(delta.condition()).stream()
                        .anyMatch(part -> part instanceof EqualTo equal
                                && (isSame(equal.left(), target, equal.right(), value)
                                        || isSame(equal.right(), target, equal.left(), value)));
    }

    private static boolean isSame(Expression one, Attribute target, Expression other, Expression value) {
        return one.semanticEquals(target) && other.semanticEquals(value);
    }

    private static List<Expression> conjuncts(Expression condition) {
        List<Expression> conjuncts = new ArrayList<>();
        List<Expression> open = new ArrayList<>(List.of(condition));
        while (!open.isEmpty()) {
            Expression next = open.remove(open.size() - 1);
            if (next instanceof And and) {
                open.add(and.left());
                open.add(and.right());
            } else {
                conjuncts.add(next);
            }
        }
        return conjuncts;
    }
}
