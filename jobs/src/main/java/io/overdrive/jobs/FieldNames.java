package io.overdrive.jobs;

import java.util.List;

/**
 * The fields of a file or a table. Immutable.
 *
 * @param where the file or the table, as messages name it
 * @param names in their order
 * @param areLine whether the names are a line of text, which may be none of names, or be split by the wrong delimiter
 */
public record FieldNames(String where, List<String> names, boolean areLine) {}
