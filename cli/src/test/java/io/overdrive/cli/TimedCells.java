package io.overdrive.cli;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.TestCluster;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cells of a table with their times, as text that tests compare. Stateless: a test class has keyspaces, which others must not use. */
final class TimedCells {
    /** Times to live of tests are multiples of it. */
    static final int TTL_STEP = 2_000;

    private TimedCells() {}

    /** Rows with their times; times to live as they were for half a step, as they go down meanwhile. */
    static List<String> rows(String table, String columns) {
        List<String> rows = new ArrayList<>();
        for (Row row : TestCluster.execute("SELECT " + columns + " FROM " + table)) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                boolean isTtl =
                        row.getColumnDefinitions().get(i).getName().asInternal().startsWith("ttl(");
                Object value = row.getObject(i);
                text.append('|').append(isTtl ? steps(value) : value);
            }
            rows.add(text.toString());
        }
        rows.sort(null);
        return rows;
    }

    private static Object steps(@Nullable Object ttl) {
        if (ttl instanceof List<?> elements) {
            return elements.stream().map(TimedCells::steps).toList();
        }
        return ttl instanceof Integer seconds ? "about " + (seconds + TTL_STEP / 2) / TTL_STEP * TTL_STEP : "none";
    }
}
