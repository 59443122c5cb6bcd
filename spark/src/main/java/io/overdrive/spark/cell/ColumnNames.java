package io.overdrive.spark.cell;

import java.util.List;
import java.util.stream.Collectors;

/** Names of columns and fields as users write them in Spark. Plans (on the driver). Stateless. */
public final class ColumnNames {
    private ColumnNames() {}

    /**
     * The index of the name, ignoring letter case if there is no exact match; -1 if there is no such name.
     *
     * @throws IllegalArgumentException if it is equal to several names, ignoring letter case, and to none of them exactly
     */
    public static int indexOf(String name, List<String> names) {
        int found = names.indexOf(name);
        for (int i = 0; found < 0 && i < names.size(); i++) {
            if (names.get(i).equalsIgnoreCase(name)) {
                found = i;
            }
        }
        if (found >= 0 && !names.get(found).equals(name)) {
            List<String> alike = names.stream().filter(name::equalsIgnoreCase).toList();
            if (alike.size() > 1) {
                throw new IllegalArgumentException("\"" + name + "\" may be any of " + quoted(alike)
                        + ", which differ in letter case only: write it as one of them is written");
            }
        }
        return found;
    }

    /** Quotes names for a message. */
    public static String quoted(List<String> names) {
        return names.stream().map(name -> "\"" + name + "\"").collect(Collectors.joining(", "));
    }
}
