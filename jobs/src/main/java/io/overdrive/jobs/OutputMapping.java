package io.overdrive.jobs;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.Mapping.Entry;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A mapping read backwards: the fields of an output, so that a load with the same mapping reads them into the same columns. Immutable. */
public final class OutputMapping {
    private final Mapping mapping;

    OutputMapping(Mapping mapping) {
        this.mapping = mapping;
    }

    /**
     * A field of an output.
     *
     * @param column number of its column
     */
    public record Field(String name, int column) {}

    /**
     * The fields for these columns, in their order.
     *
     * @throws OverdriveException of kind INPUT for a column that does not exist, or a field with two columns
     */
    public List<Field> fields(List<String> columns) {
        List<Entry> entries = mapping.entries();
        entries.forEach(entry -> mapping.checkColumn(entry.target(), columns));
        List<Field> fields = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        for (int i = 0; i < columns.size(); i++) {
            for (String name : names(columns.get(i))) {
                if (!names.add(name) && entries.stream().anyMatch(e -> e.field().equals(name))) {
                    throw new OverdriveException(
                            Kind.INPUT,
                            words -> words.of(JobOption.MAPPING) + " \"" + mapping + "\": two columns go to field \""
                                    + name + "\"; leave one of them out: " + words.of(JobOption.MAPPING)
                                    + " \"* = -column\"");
                }
                fields.add(new Field(name, i));
            }
        }
        if (fields.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT, words -> words.of(JobOption.MAPPING) + " \"" + mapping + "\" leaves no column");
        }
        return fields;
    }

    private List<String> names(String column) {
        List<String> own = mapping.entries().stream()
                .filter(e -> e.target().column().equals(column))
                .map(Entry::field)
                .toList();
        String other = mapping.otherField(column);
        return !own.isEmpty() || other == null ? own : List.of(other);
    }

    /**
     * Refuses what only a load can have.
     *
     * @throws IllegalArgumentException if the mapping has it
     */
    public void check() {
        boolean hasConstants = !mapping.constants().isEmpty();
        if (hasConstants || mapping.usesTtl() || mapping.usesWritetime()) {
            throw new IllegalOptionException(words -> words.of(JobOption.MAPPING) + " \"" + mapping + "\": "
                    + (hasConstants
                            ? "a constant is no column; a computed one is given by " + words.of(JobOption.SET)
                            : "ttl() and writetime() are for loads; read them by a query"));
        }
        for (Entry entry : mapping.entries()) {
            if (entry.isNumber()) {
                throw new IllegalOptionException(words -> words.of(JobOption.MAPPING) + " \"" + mapping + "\": field "
                        + entry.field()
                        + " is a number, and an output needs names; a name of digits is in double quotes");
            }
        }
    }
}
