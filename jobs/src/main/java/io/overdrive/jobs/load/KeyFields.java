package io.overdrive.jobs.load;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputFile;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The columns of a table's primary key that files of keys have. Confined to one thread. */
final class KeyFields {
    private final TableSchema table;
    private final LoadOptions options;
    private final List<Column> key;
    /** The columns of the files until now; null before the first. */
    private @Nullable List<String> columns;

    KeyFields(TableSchema table, LoadOptions options) {
        this.table = table;
        this.options = options;
        this.key = table.columns().stream().filter(Column::isKey).toList();
    }

    /** Advice for a header of a single field that has another delimiter. */
    private static String delimiterLine(List<String> fields) {
        String only = fields.size() == 1 ? fields.get(0) : "";
        return only.indexOf(';') < 0 ? "" : ": if ';' separates them, begin the file with a line \"sep=;\"";
    }

    /** Checks the fields of a file. */
    void add(FileHeader header) {
        List<String> names = key.stream().map(Column::name).toList();
        List<String> found = FieldSlots.targetColumns(header, options, names);
        int partition = table.partitionKey().size();
        String file = header.file().name();
        List<String> missing = names.subList(0, Math.max(partition, found.size())).stream()
                .filter(name -> !found.contains(name))
                .toList();
        if (!missing.isEmpty()) {
            List<String> fields = FieldSlots.names(header, options);
            String has = fields == null ? "" : "; its fields are " + String.join(", ", fields) + delimiterLine(fields);
            throw refusal(words -> file + " has no field for " + columns(missing) + " of the key of " + table.cqlName()
                    + ": keys have the whole partition key, " + columns(names.subList(0, partition))
                    + (partition == names.size()
                            ? ""
                            : ", and may have clustering columns from the first on, of "
                                    + columns(names.subList(partition, names.size())))
                    + has + ". Map fields of other names with " + words.of(JobOption.KEYS_MAPPING)
                    + (header.isCsv()
                            ? ", and if the first line is not a header, name the fields with "
                                    + words.of(JobOption.KEYS_FIELDS)
                            : ""));
        }
        List<String> before = columns;
        if (before != null && !before.equals(found)) {
            throw refusal(words -> file + " has keys of " + columns(found) + ", and the files before it of "
                    + columns(before) + ": give files with the same columns");
        }
        columns = found;
    }

    private static OverdriveException refusal(MessageText message) {
        return new OverdriveException(Kind.INPUT, message);
    }

    private static String columns(List<String> names) {
        return names.stream()
                .map(name -> CqlIdentifier.fromInternal(name).asCql(/* pretty */ true))
                .collect(Collectors.joining(", "));
    }

    /** A statement with the columns as its markers. */
    String statement() {
        List<String> found = columns;
        if (found == null) {
            String files = options.files().stream().map(InputFile::name).collect(Collectors.joining(", "));
            throw refusal(words -> words.of(JobOption.KEYS) + ": there is nothing in " + files
                    + ", not even a header: give a file with keys");
        }
        List<String> conditions = new ArrayList<>();
        for (String name : found) {
            String column = CqlIdentifier.fromInternal(name).asCql(/* pretty */ true);
            conditions.add(column + " = :" + column);
        }
        return "DELETE FROM " + table.cqlName() + " WHERE " + String.join(" AND ", conditions);
    }
}
