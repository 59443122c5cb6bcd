package io.overdrive.jobs.expression;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Columns that are computed from each row, as the user wrote them: {@code column = expression}. All expressions see the values that the row
 * has before any of them is computed. Immutable.
 */
public final class Assignments {
    /** No column is computed. The classes for expressions are not loaded then. */
    public static final Assignments NONE = new Assignments(List.of());

    /** The meaning of the names in expressions. */
    public interface Names {
        /**
         * The type of the values of a name; null if there is no such name.
         *
         * @throws IllegalArgumentException if the name has no value in this place; the message says why
         */
        @Nullable DataType type(Name name);

        /** All names, for messages. */
        List<String> known();
    }

    private final List<Assignment> all;

    private Assignments(List<Assignment> all) {
        this.all = all;
    }

    /**
     * Reads assignments, and checks their syntax and the names of their functions.
     *
     * @throws IllegalArgumentException if one is wrong, or two are of one column; the message has the place
     */
    public static Assignments parse(List<String> texts) {
        if (texts.isEmpty()) {
            return NONE;
        }
        List<Assignment> all = new ArrayList<>();
        for (String text : texts) {
            Assignment next = Assignment.parse(text);
            for (Assignment other : all) {
                if (other.column().equals(next.column())) {
                    throw new IllegalOptionException(words -> words.of(JobOption.SET) + " \"" + text + "\": "
                            + words.of(JobOption.SET) + " \"" + other.text() + "\" computes column \"" + next.column()
                            + "\", too; leave one of them out");
                }
            }
            all.add(next);
        }
        return new Assignments(List.copyOf(all));
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** The columns that are computed, as named in the schema. */
    public List<String> columns() {
        return all.stream().map(Assignment::column).toList();
    }

    /** The names in all expressions. */
    public Set<Name> names() {
        Set<Name> names = new LinkedHashSet<>();
        all.forEach(each -> each.names().forEach(located -> names.add(located.name())));
        return names;
    }

    /** How a message names the assignment of a column. */
    public MessageText shown(String column) {
        String text = all.stream()
                .filter(each -> each.column().equals(column))
                .map(Assignment::text)
                .findFirst()
                .orElse(column);
        return words -> words.of(JobOption.SET) + " \"" + text + '"';
    }

    /**
     * Checks the names and types of all expressions.
     *
     * @param names of the columns or fields of a row
     * @param targets the type of a column that is computed; null if it takes that of its expression
     * @return what computes the columns, for one thread
     * @throws OverdriveException of kind INPUT if one is wrong; the message has the place
     */
    public Computation bind(Names names, Function<String, @Nullable DataType> targets) {
        Computation.Builder builder = new Computation.Builder();
        for (Assignment each : all) {
            try {
                Compiler compiler = new Compiler(each.syntax(), located -> input(builder, names, located));
                builder.add(each, compiler.compile(), targets.apply(each.column()));
            } catch (WrongExpression e) {
                throw new OverdriveException(Kind.INPUT, each.problem(e), e);
            }
        }
        return builder.build();
    }

    private static Node input(Computation.Builder builder, Names names, Compiler.Located located) {
        Name name = located.name();
        DataType type;
        try {
            type = names.type(name);
        } catch (IllegalArgumentException e) {
            throw new WrongExpression(located.position(), String.valueOf(e.getMessage()));
        }
        if (type == null) {
            Set<String> known = new TreeSet<>(names.known());
            boolean isOtherCase = known.stream()
                    .anyMatch(each -> each.toLowerCase(Locale.ROOT).equals(name.text()) && !name.matches(each));
            throw new WrongExpression(
                    located.position(),
                    "there is no column " + name
                            + (isOtherCase
                                    ? "; names with capitals are in double quotes"
                                    : Compiler.suggestion(name.text(), known, "columns")));
        }
        return builder.input(name, type, located.position());
    }

    /** The texts, as the user wrote them. */
    @Override
    public String toString() {
        return all.stream().map(Assignment::text).toList().toString();
    }
}
