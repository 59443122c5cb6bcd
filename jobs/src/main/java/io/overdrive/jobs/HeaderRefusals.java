package io.overdrive.jobs;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.records.ReadingSetting;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.util.List;

/** Reasons for which the fields of a header are refused. Stateless. */
final class HeaderRefusals {
    private HeaderRefusals() {}

    /** Refuses a header of a single field that contains another common delimiter: it was split by the wrong one. */
    static void checkDelimiter(FieldNames fields) {
        if (!fields.areLine() || fields.names().size() != 1) {
            return;
        }
        String only = fields.names().get(0);
        for (char delimiter : new char[] {';', '\t', '|', ','}) {
            if (only.indexOf(delimiter) >= 0) {
                String option = delimiter == '\t' ? "'\\t'" : "'" + delimiter + "'";
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> fields.where() + ": the header is a single field, \"" + only.replace("\t", "\\t")
                                + "\"; if its fields are separated by " + option + ", give "
                                + words.of(JobOption.DELIMITER) + " " + option
                                + (only.equals("sep=" + delimiter)
                                        ? " " + words.of(ReadingSetting.SKIP_LINES) + " 1"
                                        : ""));
            }
        }
    }

    /**
     * A field has no column.
     *
     * @param field its number
     * @param noun for a column
     */
    static MessageText noColumn(FieldNames fields, int field, List<String> columns, String noun) {
        List<String> names = fields.names();
        List<String> named = Mapping.named(names);
        String name = names.get(field);
        String what = name.isBlank()
                ? "field " + (field + 1) + " has no name, and there is no " + noun + " \"" + named.get(field)
                        + "\" for it"
                : "field \"" + name + "\" has no " + noun + " of its name";
        boolean mayBeRecord = fields.areLine() && named.stream().allMatch(n -> Mapping.columnFor(n, columns) == null);
        return words -> fields.where() + ": " + what + "; map it with " + words.of(JobOption.MAPPING)
                + ", leave it out with "
                + words.of(JobOption.MAPPING) + " '* = -" + Mapping.spelt(name)
                + "', or leave out all such fields with "
                + words.of(JobOption.ALLOW_EXTRA_FIELDS) + "; "
                + (TimeField.parse(name) == null
                        ? ""
                        : "if it has write times or expiries, keep them with " + words.of(JobOption.KEEP_TIMES) + "; ")
                + (mayBeRecord
                        ? "if the first line is not a header, give " + words.of(JobOption.NO_HEADER)
                                + " and the fields' names with " + words.of(JobOption.FIELD_NAMES) + "; "
                        : "")
                + "the " + noun + "s are " + String.join(", ", columns);
    }
}
