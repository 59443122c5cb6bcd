package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.internal.codec.TypeCql;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.CellConverter;
import io.overdrive.jobs.FieldNames;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import io.overdrive.jobs.create.TableDefinition.Key;
import io.overdrive.jobs.create.TableDefinition.UserType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The target table of a copy, existing or to be created: with the copied columns of the source, by their names in the
 * target, and the same primary key and order. Immutable.
 *
 * @param source the table that it is like
 * @param table the target; its user-defined types belong to the source's keyspace
 * @param descending names of the clustering columns of the target in DESC order
 */
public record TableLike(TableSchema source, TableSchema table, Set<String> descending) {

    /**
     * @param chosen names of columns to copy besides the primary key; null for all
     * @param descending names of the clustering columns of the source in DESC order
     * @throws OverdriveException of kind INPUT if a column of the primary key does not go to exactly one column, or the mapping is wrong
     */
    static TableLike of(
            TableSchema source,
            Set<String> descending,
            @Nullable List<String> chosen,
            Mapping mapping,
            CqlIdentifier keyspace,
            CqlIdentifier table) {
        List<Column> copied = source.columns().stream()
                .filter(c -> c.isKey() || chosen == null || chosen.contains(c.name()))
                .toList();
        List<String> names = copied.stream().map(Column::name).toList();
        FieldNames fields = new FieldNames("[" + source.cqlName() + "]", names, /* areLine */ false);
        List<List<Target>> targets = mapping.resolveNew(fields, Set.copyOf(names));
        List<Column> columns = new ArrayList<>();
        Set<String> reversed = new HashSet<>();
        for (int i = 0; i < copied.size(); i++) {
            Column column = copied.get(i);
            List<String> into = targets.get(i).stream()
                    .filter(target -> target.special() == Special.NONE)
                    .map(Target::column)
                    .toList();
            if (column.isKey() && into.size() != 1) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> "[" + source.cqlName() + "] column " + column.cqlName() + " of the primary key goes"
                                + " to " + (into.isEmpty() ? "no column" : String.join(" and ", into)) + " by "
                                + words.of(JobOption.MAPPING) + " \"" + mapping + "\", and "
                                + words.of(JobOption.CREATE) + " makes a table with the same primary key: let it go to"
                                + " one column, or create the table yourself and leave out "
                                + words.of(JobOption.CREATE));
            }
            into.forEach(name -> columns.add(new Column(name, column.type(), column.role())));
            if (descending.contains(column.name())) {
                reversed.addAll(into);
            }
        }
        return new TableLike(
                source, new TableSchema(keyspace.asInternal(), table.asInternal(), columns), Set.copyOf(reversed));
    }

    /** Refuses constants: they do not say what type their columns are. */
    void refuseConstants(Mapping mapping) {
        mapping.constants().keySet().stream()
                .filter(target -> target.special() == Special.NONE)
                .findFirst()
                .ifPresent(target -> {
                    throw new OverdriveException(
                            Kind.INPUT,
                            words -> words.of(JobOption.MAPPING) + " \"" + mapping + "\": the table " + table.cqlName()
                                    + " does not exist yet, and a constant does not say what type it is in column "
                                    + Mapping.spelt(target.column()) + ": create the table yourself ("
                                    + words.of(JobOption.CREATE) + " " + words.of(JobOption.DRY_RUN) + " without the"
                                    + " constant shows a statement to begin with), and leave out "
                                    + words.of(JobOption.CREATE));
                });
    }

    /**
     * Refuses an existing table in which the copy would differ from the source.
     *
     * @param order names of its clustering columns in DESC order
     */
    void checkSame(TableSchema existing, Set<String> order) {
        List<String> differences = new ArrayList<>();
        if (!hasSameKey(existing, order)) {
            differences.add("its primary key is " + key(existing, order) + " instead of " + key(table, descending));
        }
        for (Column column : table.columns()) {
            Optional<Column> other = existing.column(column.name());
            if (column.isKey()) {
                continue;
            }
            if (other.isEmpty()) {
                differences.add("it has no column " + column.cqlName() + " " + described(column));
            } else if (!takes(other.get(), column)) {
                differences.add("its column " + column.cqlName() + " is " + described(other.get()) + " instead of "
                        + described(column));
            }
        }
        if (!differences.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "table " + existing.cqlName() + " exists, but is not like " + source.cqlName() + ":\n  "
                            + String.join("\n  ", differences) + "\nleave out " + words.of(JobOption.CREATE)
                            + " to copy into it as it is, which converts values where types differ ("
                            + words.of(JobOption.MAPPING) + " renames and leaves out columns), or give another table");
        }
    }

    private boolean hasSameKey(TableSchema existing, Set<String> order) {
        return hasSame(table.partitionKey(), existing.partitionKey())
                && hasSame(table.clusteringColumns(), existing.clusteringColumns())
                && order.equals(descending);
    }

    private static boolean hasSame(List<Column> columns, List<Column> others) {
        boolean same = columns.size() == others.size();
        for (int i = 0; same && i < columns.size(); i++) {
            same = columns.get(i).name().equals(others.get(i).name()) && takes(others.get(i), columns.get(i));
        }
        return same;
    }

    private static boolean takes(Column column, Column source) {
        return column.role() == source.role() && CellConverter.isSameBytes(source.type(), column.type());
    }

    private static String key(TableSchema table, Set<String> descending) {
        String clustering = table.clusteringColumns().stream()
                .map(c -> ", " + c.cqlName() + " " + TypeCql.of(c.type())
                        + (descending.contains(c.name()) ? " DESC" : ""))
                .collect(Collectors.joining());
        return "(("
                + table.partitionKey().stream()
                        .map(c -> c.cqlName() + " " + TypeCql.of(c.type()))
                        .collect(Collectors.joining(", "))
                + ")" + clustering + ")";
    }

    private static String described(Column column) {
        return TypeCql.of(column.type()) + (column.role() == Role.STATIC ? " static" : "");
    }

    /**
     * Refuses existing user-defined types of the target's keyspace that differ from those that the table needs.
     *
     * @param existing by their names
     */
    void checkTypes(Map<CqlIdentifier, UserDefinedType> existing) {
        List<String> differences = new ArrayList<>();
        for (UserDefinedType type : userTypes()) {
            UserDefinedType other = existing.get(type.getName());
            if (other != null && !CqlType.isSame(type, other)) {
                differences.add("type " + TypeCql.name(type.getName()) + " exists in keyspace "
                        + CqlIdentifier.fromInternal(table.keyspace()).asCql(true) + " with the fields ("
                        + fields(other) + ") instead of (" + fields(type) + ")");
            }
        }
        if (!differences.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "table " + table.cqlName() + " cannot be created like " + source.cqlName() + ":\n  "
                            + String.join("\n  ", differences) + "\ngive a table of another keyspace; or create the"
                            + " table yourself, and leave out " + words.of(JobOption.CREATE) + ": a copy converts"
                            + " values where types differ");
        }
    }

    private static String fields(UserDefinedType type) {
        return TypeCql.fields(type).entrySet().stream()
                .map(field -> CqlIdentifier.fromInternal(field.getKey()).asCql(true) + " " + field.getValue())
                .collect(Collectors.joining(", "));
    }

    /** @param options of the table, CQL literals by their names */
    TableDefinition definition(Map<String, String> options) {
        Map<String, String> columns = new LinkedHashMap<>();
        table.columns().forEach(c -> columns.put(c.name(), described(c)));
        return new TableDefinition(
                CqlIdentifier.fromInternal(table.keyspace()),
                CqlIdentifier.fromInternal(table.table()),
                columns,
                new Key(names(table.partitionKey()), names(table.clusteringColumns())),
                descending,
                options,
                userTypes().stream()
                        .map(type -> new UserType(type.getName(), TypeCql.fields(type)))
                        .toList());
    }

    private static List<String> names(List<Column> columns) {
        return columns.stream().map(Column::name).toList();
    }

    /** The user-defined types of all columns, each after the types that it depends on. */
    private List<UserDefinedType> userTypes() {
        Map<CqlIdentifier, UserDefinedType> found = new LinkedHashMap<>();
        table.columns().forEach(column -> TypeCql.userTypes(column.type())
                .forEach(type -> found.putIfAbsent(type.getName(), type)));
        return List.copyOf(found.values());
    }
}
