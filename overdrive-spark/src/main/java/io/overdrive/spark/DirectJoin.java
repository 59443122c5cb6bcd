package io.overdrive.spark;

import io.overdrive.Lookup;
import io.overdrive.RowBuffer;
import io.overdrive.RowCursor;
import io.overdrive.internal.codec.Bytes;
import java.io.Serializable;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.Predicate;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/**
 * What the tasks of a {@link DirectJoinExec} do: rows of the keys' side in, joined rows out, in the order of the keys'
 * first rows. It travels to the executors. Immutable.
 */
final class DirectJoin extends AbstractFunction1<Iterator<InternalRow>, Iterator<InternalRow>> implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int LONGEST_KEY = 65535;

    private final LookupTask lookup;
    private final Seq<Expression> keyValues;
    private final Seq<Attribute> keysOutput;
    private final Seq<AttributeReference> read;
    private final Seq<Expression> filters;
    private final Seq<NamedExpression> tableOutput;
    private final Expression condition;
    private final DirectJoinExec.Kind kind;
    private final boolean tableIsRight;
    private final SQLMetric keysAsked;
    private final SQLMetric rowsOut;

    DirectJoin(
            LookupTask lookup,
            Seq<Expression> keyValues,
            Seq<Attribute> keysOutput,
            Seq<AttributeReference> read,
            Seq<Expression> filters,
            Seq<NamedExpression> tableOutput,
            Expression condition,
            DirectJoinExec.Kind kind,
            boolean tableIsRight,
            SQLMetric keysAsked,
            SQLMetric rowsOut) {
        this.lookup = lookup;
        this.keyValues = keyValues;
        this.keysOutput = keysOutput;
        this.read = read;
        this.filters = filters;
        this.tableOutput = tableOutput;
        this.condition = condition;
        this.kind = kind;
        this.tableIsRight = tableIsRight;
        this.keysAsked = keysAsked;
        this.rowsOut = rowsOut;
    }

    @Override
    public Iterator<InternalRow> apply(Iterator<InternalRow> rows) {
        return new Rows(rows);
    }

    /** A key that was asked for, and the rows that wait for what it gives. */
    private static final class Asked {
        final List<InternalRow> rows = new ArrayList<>(1);
        boolean @Nullable [] matched;
    }

    /** Confined to one thread; on the hot path. */
    private final class Rows extends AbstractIterator<InternalRow> {
        private final Iterator<InternalRow> keys;
        private final SharedRead<PacedLookup> shared;
        private final PacedLookup source;
        private final Lookup.Queue queue;
        private final UnsafeProjection keyOf;
        private final CellEncoder[] keyCells;
        private final @Nullable BasePredicate filter;
        private final @Nullable UnsafeProjection tableRowOf;
        private final BasePredicate matches;
        private final UnsafeProjection resultOf;
        private final JoinedRow joined = new JoinedRow();
        private final InternalRow noTableRow;

        /** Keys under way, in the order of asking, and by value. */
        private final Deque<UnsafeRow> order = new ArrayDeque<>();

        private final Map<UnsafeRow, Asked> asked = new HashMap<>();
        /** Rows of the keys' side without a match. */
        private final Deque<InternalRow> unmatched = new ArrayDeque<>();

        private @Nullable Asked current;
        private @Nullable RowCursor found;
        private @Nullable RowDecoder decoder;
        private @Nullable InternalRow tableRow;
        private int at;
        private @Nullable InternalRow next;
        private long rowsRead;
        private long bytesRead;

        Rows(Iterator<InternalRow> keys) {
            this.keys = keys;
            shared = lookup.open();
            source = shared.get();
            queue = source.lookup().open(lookup.inFlight());
            TaskContext.get().addTaskCompletionListener((TaskCompletionListener) context -> {
                context.taskMetrics().inputMetrics().incBytesRead(bytesRead);
                context.taskMetrics().inputMetrics().incRecordsRead(rowsRead);
                queue.close();
                shared.close();
            });
            keyOf = UnsafeProjection.create(keyValues, keysOutput);
            keyCells = new CellEncoder[keyValues.size()];
            for (int i = 0; i < keyCells.length; i++) {
                DataType type = keyValues.apply(i).dataType();
                keyCells[i] = CellEncoder.of(source.lookup().keyTypes().get(i), type, ZoneOffset.UTC);
            }
            Seq<Attribute> columns = attributes(read);
            filter = filters.isEmpty() ? null : Predicate.create(filters.apply(0), columns);
            tableRowOf = tableOutput.equals(read) ? null : UnsafeProjection.create(expressions(tableOutput), columns);
            Seq<Attribute> tableColumns = attributes(tableOutput);
            Seq<Attribute> both = keysOutput.appendedAll(tableColumns).toSeq();
            Seq<Attribute> inOrder =
                    tableIsRight ? both : tableColumns.appendedAll(keysOutput).toSeq();
            matches = Predicate.create(condition, both);
            resultOf = UnsafeProjection.create(expressions(inOrder), both);
            noTableRow = new GenericInternalRow(tableOutput.size());
        }

        @Override
        public boolean hasNext() {
            if (next == null) {
                try {
                    next = advance();
                } catch (RuntimeException e) {
                    shared.forget();
                    throw e;
                }
            }
            return next != null;
        }

        @Override
        public InternalRow next() {
            InternalRow row = hasNext() ? next : null;
            next = null;
            if (row == null) {
                throw new NoSuchElementException();
            }
            rowsOut.add(1);
            return row;
        }

        private @Nullable InternalRow advance() {
            while (true) {
                InternalRow row = unmatched.isEmpty() ? match() : withoutMatch(unmatched.remove());
                if (row != null) {
                    return row;
                }
                if (unmatched.isEmpty() && !nextKey()) {
                    return null;
                }
            }
        }

        /** The next result of the current key; null where there is none. */
        private @Nullable InternalRow match() {
            Asked key = current;
            RowCursor rows = found;
            if (key == null || rows == null) {
                return null;
            }
            while (true) {
                InternalRow table = tableRow;
                while (table != null && at < key.rows.size()) {
                    int i = at++;
                    joined.apply(key.rows.get(i), table);
                    boolean isNew = key.matched == null || !key.matched[i];
                    if ((kind == DirectJoinExec.Kind.INNER || kind == DirectJoinExec.Kind.OUTER || isNew)
                            && matches.eval(joined)) {
                        markMatched(key, i);
                        if (kind != DirectJoinExec.Kind.ANTI) {
                            return kind == DirectJoinExec.Kind.SEMI ? key.rows.get(i) : resultOf.apply(joined);
                        }
                    }
                }
                at = 0;
                tableRow = null;
                if (!rows.next()) {
                    endKey(key, rows);
                    return null;
                }
                rowsRead++;
                bytesRead += rows.rowEnd() - rows.rowStart();
                tableRow = decode(rows);
            }
        }

        private @Nullable InternalRow decode(RowCursor rows) {
            if (decoder == null) {
                decoder = new RowDecoder(
                        rows, lookup.scan().columns(), source.lookup().types());
            }
            UnsafeRow row = decoder.row();
            if (filter != null && !filter.eval(row)) {
                return null;
            }
            return tableRowOf == null ? row : tableRowOf.apply(row);
        }

        private void markMatched(Asked key, int i) {
            boolean[] matched = key.matched;
            if (matched == null) {
                matched = new boolean[key.rows.size()];
                key.matched = matched;
            }
            matched[i] = true;
        }

        private void endKey(Asked key, RowCursor rows) {
            rows.close();
            current = null;
            found = null;
            boolean[] matched = key.matched;
            for (int i = 0; i < key.rows.size(); i++) {
                if (matched == null || !matched[i]) {
                    unmatched.add(key.rows.get(i));
                }
            }
        }

        private @Nullable InternalRow withoutMatch(InternalRow row) {
            return switch (kind) {
                case INNER, SEMI -> null;
                case OUTER -> resultOf.apply(joined.apply(row, noTableRow));
                case ANTI -> row;
            };
        }

        /** Asks for as many keys as may be under way, and takes the first; false where there are no more. */
        private boolean nextKey() {
            while (!queue.isFull() && keys.hasNext()) {
                ask(keys.next().copy());
            }
            UnsafeRow key = order.poll();
            if (key == null) {
                return !unmatched.isEmpty();
            }
            current = asked.remove(key);
            found = queue.take();
            return true;
        }

        private void ask(InternalRow row) {
            UnsafeRow key = keyOf.apply(row);
            if (key.anyNull()) {
                unmatched.add(row);
                return;
            }
            Asked same = asked.get(key);
            if (same != null) {
                same.rows.add(row);
                return;
            }
            try {
                if (!encode(key)) {
                    unmatched.add(row);
                    return;
                }
            } catch (IllegalArgumentException | ArithmeticException e) {
                unmatched.add(row); // text that is no uuid, say: no row of the table has such a key
                return;
            }
            source.ask(queue);
            keysAsked.add(1);
            UnsafeRow copy = key.copy();
            Asked first = new Asked();
            first.rows.add(row);
            asked.put(copy, first);
            order.add(copy);
        }

        /** False where the server would refuse the key, which then is in no table. */
        private boolean encode(UnsafeRow key) {
            RowBuffer buffer = queue.key();
            for (int i = 0; i < keyCells.length; i++) {
                Bytes bytes = buffer.begin(i);
                int start = bytes.length();
                keyCells[i].put(key, i, bytes);
                int length = bytes.length() - start;
                if (length > LONGEST_KEY || (length == 0 && lookup.partitionKeyColumns() == 1 && i == 0)) {
                    return false;
                }
                buffer.end(i);
            }
            return true;
        }
    }

    private static Seq<Attribute> attributes(Seq<? extends NamedExpression> named) {
        List<Attribute> attributes = new ArrayList<>();
        // Of a row without a match they are null, whatever the table says.
        CollectionConverters.asJava(named)
                .forEach(expression -> attributes.add(expression.toAttribute().withNullability(true)));
        return DirectJoinStrategy.seq(attributes);
    }

    private static Seq<Expression> expressions(Seq<? extends NamedExpression> named) {
        List<Expression> expressions = new ArrayList<>();
        CollectionConverters.asJava(named).forEach(expression -> expressions.add((Expression) expression));
        return DirectJoinStrategy.seq(expressions);
    }
}
