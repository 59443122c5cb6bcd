package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.IndexKind;
import com.datastax.oss.driver.api.core.metadata.schema.IndexMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.CqlType;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Conditions that the indexes of a table answer. Plans (on the driver). Immutable.
 *
 * @param equality columns whose index answers {@code =}
 * @param ranges columns whose index also answers ranges
 * @param unclear columns with an index that may define equality differently
 * @param elements indexed parts of collections: {@code keys(m)}, {@code values(m)} or {@code entries(m)}, not quoted
 */
public record Indexes(Set<String> equality, Set<String> ranges, Set<String> unclear, Set<String> elements) {
    public static final Indexes NONE = new Indexes(Set.of(), Set.of(), Set.of(), Set.of());

    /** Types whose ranges storage-attached indexes answer in Spark's order. */
    private static final Set<CqlType> RANGE_TYPES = EnumSet.of(
            CqlType.TINYINT,
            CqlType.SMALLINT,
            CqlType.INT,
            CqlType.BIGINT,
            CqlType.VARINT,
            CqlType.FLOAT,
            CqlType.DOUBLE,
            CqlType.DATE,
            CqlType.TIME,
            CqlType.TIMESTAMP);

    private static final Set<CqlType> NAN_TYPES = EnumSet.of(CqlType.FLOAT, CqlType.DOUBLE);

    private static final Pattern ELEMENTS = Pattern.compile("(keys|values|entries)\\((.+)\\)");

    public static Indexes of(Metadata metadata, TableSchema table) {
        Indexes indexes = new Indexes(new HashSet<>(), new HashSet<>(), new HashSet<>(), new HashSet<>());
        metadata.getKeyspace(CqlIdentifier.fromInternal(table.keyspace()))
                .flatMap(keyspace -> keyspace.getTable(CqlIdentifier.fromInternal(table.table())))
                .ifPresent(known -> known.getIndexes().values().forEach(index -> indexes.add(table, index)));
        return indexes;
    }

    private void add(TableSchema table, IndexMetadata index) {
        String name = index.getClassName().orElse("");
        boolean isSai = name.equalsIgnoreCase("sai") || name.endsWith("StorageAttachedIndex");
        boolean isPlain =
                Set.of("target", "class_name").containsAll(index.getOptions().keySet())
                        && (isSai || index.getKind() != IndexKind.CUSTOM);
        Matcher ofElements = ELEMENTS.matcher(index.getTarget());
        if (ofElements.matches()) {
            if (isPlain) {
                elements.add(ofElements.group(1) + "(" + unquoted(ofElements.group(2)) + ")");
            }
            return;
        }
        String columnName = unquoted(index.getTarget());
        Column column = table.column(columnName).orElse(null);
        if (column == null) {
            return; // on a whole frozen collection, for which there are no conditions
        }
        // An index by bytes does not find 1.0 for 1.00.
        if (column.type().equals(DataTypes.DECIMAL) || !isPlain) {
            unclear.add(columnName);
            return;
        }
        if (!isSai && column.role() != Role.REGULAR) {
            return;
        }
        equality.add(columnName);
        if (isSai && RANGE_TYPES.contains(CqlType.of(column.type()))) {
            ranges.add(columnName);
        }
    }

    /**
     * Whether the index of a column may leave out rows that meet the conditions on it: an SAI index may have no long values, and has
     * NaN with a sign before all numbers.
     */
    boolean mayMiss(List<PushDown.Condition> conditions) {
        if (conditions.isEmpty()) {
            return false;
        }
        Column column = conditions.get(0).column();
        boolean includesNan = NAN_TYPES.contains(CqlType.of(column.type()))
                && conditions.stream().allMatch(each -> each.operator().startsWith(">"));
        return (includesNan && ranges.contains(column.name()))
                || (equality.contains(column.name())
                        && conditions.stream()
                                .flatMap(each -> each.values().stream())
                                .anyMatch(value -> Literals.isLong(column.type(), value)));
    }

    private static String unquoted(String name) {
        return name.startsWith("\"") ? name.substring(1, name.length() - 1).replace("\"\"", "\"") : name;
    }
}
