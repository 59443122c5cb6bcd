package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.response.Result;
import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A statement that was understood. Immutable. */
sealed interface Statement {

    /** The markers of the statement, in their order, with the columns that they are values of. */
    default List<ColumnSpec> markers() {
        return List.of();
    }

    /** The place of each column of the partition key among the markers; empty if one is missing there. */
    default int[] keyMarkers() {
        return new int[0];
    }

    /** The columns of its rows. */
    default List<ColumnSpec> result() {
        return List.of();
    }

    /**
     * A value in a statement: a marker, or a literal.
     *
     * @param marker its place among the markers; -1 for a literal
     */
    record Term(int marker, @Nullable ByteBuffer literal) {
        @Nullable ByteBuffer value(List<@Nullable ByteBuffer> values) {
            return marker < 0 ? literal : values.get(marker);
        }
    }

    /**
     * A condition of a SELECT.
     *
     * @param column null for the token of the partition key
     * @param values one, or several after IN
     */
    record Condition(@Nullable String column, String operator, List<Term> values) {}

    /**
     * One of the expressions of a SELECT.
     *
     * @param column that it reads; null if it reads none
     */
    record Selector(Kind kind, @Nullable Column column) {
        /** Kinds by what is computed. */
        enum Kind {
            COLUMN,
            COUNT,
            WRITE_TIME,
            TTL,
            TOKEN,
            NOW
        }
    }

    /**
     * A SELECT.
     *
     * @param isGrouped by partitions
     * @param limit null for none
     */
    record Select(
            Table table,
            List<Selector> selectors,
            List<Condition> where,
            boolean isGrouped,
            @Nullable Term limit,
            List<ColumnSpec> markers,
            int[] keyMarkers,
            List<ColumnSpec> result)
            implements Statement {}

    /**
     * An INSERT, UPDATE or DELETE.
     *
     * @param isConditional whether it has IF, which is always true here
     */
    record Write(List<ColumnSpec> markers, int[] keyMarkers, boolean isConditional) implements Statement {}

    /** A statement without markers that does something to the schema, or nothing. */
    record Command(Function<Schema, Result> action) implements Statement {}
}
