package io.overdrive.formats.parquet;

import java.util.List;
import org.apache.parquet.format.Type;

/**
 * A column of values without parts in a file: a part of a column of the table, or all of it. Immutable.
 *
 * @param names of the column, and of the part within it
 * @param width bytes of a value; 0 if they differ
 * @param maxDefinition level at which there is a value
 * @param maxRepetition number of lists in which the values are
 */
record Leaf(List<String> names, Type type, int width, int maxDefinition, int maxRepetition) {
    Leaf {
        names = List.copyOf(names);
    }

    String path() {
        return String.join(".", names);
    }
}
