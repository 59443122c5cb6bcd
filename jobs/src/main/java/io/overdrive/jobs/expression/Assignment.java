package io.overdrive.jobs.expression;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One column and its expression. Immutable.
 *
 * @param column as named in the schema
 * @param text as the user wrote it, {@code column = expression}
 * @param names in the expression, each with its place
 */
record Assignment(String column, String text, Syntax syntax, List<Compiler.Located> names) {
    private static final Pattern COLUMN =
            Pattern.compile("\\s*(\"[^\"]*+(?:\"\"[^\"]*+)*+\"|[a-zA-Z][a-zA-Z0-9_]*)\\s*=(?!=)");

    /** @throws IllegalArgumentException if it is none; the message has the place */
    static Assignment parse(String text) {
        Matcher column = COLUMN.matcher(text);
        if (!column.lookingAt()) {
            throw new IllegalOptionException(words -> words.of(JobOption.SET) + " is \"" + text
                    + "\", must be a column, = and an expression, such as \"city = upper(city)\"");
        }
        try {
            Syntax syntax = Syntax.parse(text, column.end());
            List<Compiler.Located> names = new ArrayList<>();
            Compiler.names(syntax, names);
            String name = CqlIdentifier.fromCql(column.group(1)).asInternal();
            return new Assignment(name, text, syntax, List.copyOf(names));
        } catch (WrongExpression e) {
            throw new IllegalOptionException(problem(text, e));
        }
    }

    /** The assignment, and its problem with the place. */
    MessageText problem(WrongExpression e) {
        return problem(text, e);
    }

    private static MessageText problem(String text, WrongExpression e) {
        return words -> words.of(JobOption.SET) + " \"" + text + "\": " + e.shown();
    }
}
