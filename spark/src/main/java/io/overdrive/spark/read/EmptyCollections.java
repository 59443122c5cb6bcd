package io.overdrive.spark.read;

import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.spark.cell.ElementTypes;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides whether Spark gets an empty collection or null: if a collection is not frozen, Cassandra stores only its
 * elements, so it cannot distinguish the two. Plans (on the driver), as only the schema says what is frozen: answers do
 * not. Stateless.
 */
public final class EmptyCollections {
    private EmptyCollections() {}

    /** Names of the columns that are empty if Cassandra has nothing for them; all others are null. */
    public static Set<String> of(TableSchema table, Settings settings) {
        return settings.isOn(Setting.EMPTY_AS_NULL)
                ? Set.of()
                : table.columns().stream()
                        .filter(column -> ElementTypes.isCollection(column.type()))
                        .map(Column::name)
                        .collect(Collectors.toUnmodifiableSet());
    }
}
