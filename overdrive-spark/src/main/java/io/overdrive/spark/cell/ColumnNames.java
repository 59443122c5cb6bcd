package io.overdrive.spark.cell;

import java.util.List;
import java.util.stream.Collectors;

/** Names of columns and fields as users write them in Spark. Plans (on the driver). Stateless. */
public final class ColumnNames {
    private ColumnNames() {}

    /** The index of the name, ignoring letter case if there is no exact match; -1 if there is no such name. */
    public static int indexOf(String name, List<String> names) {
        int exact = names.indexOf(name);
        for (int i = 0; exact < 0 && i < names.size(); i++) {
            if (names.get(i).equalsIgnoreCase(name)) {
                return i;
            }
        }
        return exact;
    }

    /** For messages. */
    public static String quoted(List<String> names) {
        return names.stream().map(name -> "\"" + name + "\"").collect(Collectors.joining(", "));
    }
}
