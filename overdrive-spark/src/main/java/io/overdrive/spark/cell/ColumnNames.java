package io.overdrive.spark.cell;

import java.util.List;
import java.util.stream.Collectors;

/** Names of columns and fields, as Spark's users write them. Stateless. */
public final class ColumnNames {
    private ColumnNames() {}

    /** Which of the names is meant, in any case if none is written like that; -1 if there is no such name. */
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
