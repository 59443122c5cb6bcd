package io.overdrive.jobs.expression;

import com.datastax.oss.driver.api.core.type.DataType;
import org.jspecify.annotations.Nullable;

/**
 * A part of an expression whose types are checked. Used by one thread.
 *
 * @param kind type of its values
 * @param cql type of CQL that has these: of a column its own
 * @param position of its name or operator in the text of the assignment, from 1
 * @param label the name in messages, such as {@code upper()}
 * @param isLiteral whether the value is in the text, and always the same
 */
record Node(Kind kind, DataType cql, int position, String label, boolean isLiteral, Value value) {
    /** Computes a value from those of the current row; null for a CQL null. */
    interface Value {
        /** @throws io.overdrive.formats.text.BadValueException if there is none */
        @Nullable Object get();
    }

    Node(Kind kind, int position, String label, Value value) {
        this(kind, kind.cql, position, label, /* isLiteral */ false, value);
    }

    static Node literal(Kind kind, int position, String label, @Nullable Object value) {
        return new Node(kind, kind.cql, position, label, /* isLiteral */ true, () -> value);
    }

    /** The type's name in messages. */
    String word() {
        return kind == Kind.OTHER ? cql.asCql(/* includeFrozen */ false, /* pretty */ true) : kind.word();
    }
}
