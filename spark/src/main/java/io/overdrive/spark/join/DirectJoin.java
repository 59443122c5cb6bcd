package io.overdrive.spark.join;

import io.overdrive.Lookup;
import io.overdrive.RowBuffer;
import io.overdrive.RowCursor;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.cql.SameTable;
import io.overdrive.internal.flow.ThreadWaits;
import io.overdrive.spark.cell.CellEncoder;
import io.overdrive.spark.cell.RowDecoder;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.metric.TaskTime;
import io.overdrive.spark.read.LookupTask;
import io.overdrive.spark.read.PacedLookup;
import io.overdrive.spark.read.PossibleKeys;
import io.overdrive.spark.read.SharedRead;
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
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/**
 * The tasks of a {@link DirectJoinExec}: they turn rows of the keys' side into joined rows, in no particular order.
 * Executes (on the executors), to which it travels. Immutable.
 */
final class DirectJoin extends AbstractFunction1<Iterator<InternalRow>, Iterator<InternalRow>> implements Serializable {
    private static final long serialVersionUID = 1;
    /**
     * Limits the rows of a task that wait for their keys: few distinct keys may have many rows, which a limit on keys
     * does not cover.
     */
    static final long MAX_WAITING_BYTES = 16 << 20;
    /** Heap taken by a row in addition to its bytes: objects and references. */
    static final int ROW_OVERHEAD_BYTES = 128;

    private final LookupTask lookup;
    private final Seq<Expression> keyValues;
    private final Seq<Attribute> keysOutput;
    private final TableSide side;
    private final Expression condition;
    private final DirectJoinExec.Kind kind;
    private final boolean tableIsRight;
    private final Metrics metrics;

    /**
     * The columns of the table.
     *
     * @param read columns that a lookup returns
     * @param filters on the columns that are read
     * @param output the table's side of the join, derived from the columns that are read
     */
    record TableSide(Seq<AttributeReference> read, Seq<Expression> filters, Seq<NamedExpression> output)
            implements Serializable {}

    /** The figures of the join that Spark shows. */
    record Metrics(SQLMetric keysRequested, SQLMetric rowsOut, SQLMetric limitedBy) implements Serializable {}

    DirectJoin(
            LookupTask lookup,
            Seq<Expression> keyValues,
            Seq<Attribute> keysOutput,
            TableSide side,
            Expression condition,
            DirectJoinExec.Kind kind,
            boolean tableIsRight,
            Metrics metrics) {
        this.lookup = lookup;
        this.keyValues = keyValues;
        this.keysOutput = keysOutput;
        this.side = side;
        this.condition = condition;
        this.kind = kind;
        this.tableIsRight = tableIsRight;
        this.metrics = metrics;
    }

    @Override
    public Iterator<InternalRow> apply(Iterator<InternalRow> rows) {
        return join(rows, new LookupTable());
    }

    Iterator<InternalRow> join(Iterator<InternalRow> rows, Table table) {
        return new Rows(rows, table);
    }

    /** Looks up keys and returns their rows in the order of the requests. Confined to one thread. */
    interface Table {
        /** Whether a key must be taken before another can be requested. */
        boolean isFull();

        /**
         * Requests the rows of a key, without waiting for them.
         *
         * @param key may be reused after the call
         * @return false if no row can have this key, which is then not requested
         */
        boolean ask(UnsafeRow key);

        /** Moves on to the oldest requested key that was not taken yet. */
        void take();

        /** The next row of the taken key, valid until the next call; null after the last. */
        @Nullable InternalRow next();

        /** Called once, when all rows of all keys were taken. */
        void end();
    }

    /** A requested key and the rows that wait for its result. */
    private static final class Asked {
        final List<UnsafeRow> rows = new ArrayList<>(1);
        long bytes;
        boolean @Nullable [] matched;
        boolean ended;
    }

    /** Confined to one thread; on the hot path. */
    private final class Rows extends AbstractIterator<InternalRow> {
        private final Iterator<InternalRow> keys;
        private final Table table;
        private final UnsafeProjection keyOf;
        private final UnsafeProjection unsafe;
        private final BasePredicate matches;
        private final UnsafeProjection resultOf;
        private final JoinedRow joined = new JoinedRow();
        private final InternalRow noTableRow;
        private final boolean keepsUnmatched;

        /** Keys in flight, in the order of their requests. */
        private final Deque<UnsafeRow> order = new ArrayDeque<>();

        private final Map<UnsafeRow, Asked> asked = new HashMap<>();
        /** Bytes of all waiting rows, including the current key's. */
        private long waitingBytes;

        private @Nullable Asked current;
        private @Nullable InternalRow tableRow;
        private int at;
        private @Nullable InternalRow next;
        private boolean ended;

        Rows(Iterator<InternalRow> keys, Table table) {
            this.keys = keys;
            this.table = table;
            keyOf = UnsafeProjection.create(keyValues, keysOutput);
            unsafe = UnsafeProjection.create(expressions(keysOutput), keysOutput);
            Seq<Attribute> tableColumns = attributes(side.output());
            Seq<Attribute> both = keysOutput.appendedAll(tableColumns).toSeq();
            Seq<Attribute> inOrder =
                    tableIsRight ? both : tableColumns.appendedAll(keysOutput).toSeq();
            matches = Predicate.create(condition, both);
            resultOf = UnsafeProjection.create(expressions(inOrder), both);
            noTableRow = new GenericInternalRow(side.output().size());
            keepsUnmatched = kind == DirectJoinExec.Kind.OUTER || kind == DirectJoinExec.Kind.ANTI;
        }

        @Override
        public boolean hasNext() {
            if (next == null) {
                next = advance();
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
            metrics.rowsOut().add(1);
            return row;
        }

        private @Nullable InternalRow advance() {
            while (true) {
                Asked key = current;
                if (key != null) {
                    InternalRow row = result(key);
                    if (row != null) {
                        return row;
                    }
                    waitingBytes -= key.bytes;
                    current = null;
                }
                InternalRow row = askAhead();
                if (row != null) {
                    return row;
                }
                UnsafeRow first = order.poll();
                if (first == null) {
                    end();
                    return null;
                }
                current = asked.remove(first);
                at = 0;
                table.take();
            }
        }

        private void end() {
            if (!ended) {
                ended = true;
                table.end();
            }
        }

        /** The next result of the current key; null after the last. */
        private @Nullable InternalRow result(Asked key) {
            while (!key.ended) {
                InternalRow row = tableRow;
                while (row != null && at < key.rows.size()) {
                    int i = at++;
                    joined.apply(key.rows.get(i), row);
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
                tableRow = table.next();
                key.ended = tableRow == null;
            }
            while (keepsUnmatched && at < key.rows.size()) {
                int i = at++;
                if (key.matched == null || !key.matched[i]) {
                    return withoutMatch(key.rows.get(i));
                }
            }
            return null;
        }

        private void markMatched(Asked key, int i) {
            boolean[] matched = key.matched;
            if (matched == null) {
                matched = new boolean[key.rows.size()];
                key.matched = matched;
            }
            matched[i] = true;
        }

        private InternalRow withoutMatch(UnsafeRow row) {
            return kind == DirectJoinExec.Kind.ANTI ? row : resultOf.apply(joined.apply(row, noTableRow));
        }

        /**
         * Requests more keys, up to the limits of keys in flight and of waiting rows. A row whose key cannot exist in
         * the table does not wait: it is returned at once if the join keeps it. Null if there is no such row.
         */
        private @Nullable InternalRow askAhead() {
            while (!table.isFull() && waitingBytes < MAX_WAITING_BYTES && keys.hasNext()) {
                InternalRow given = keys.next();
                UnsafeRow row = given instanceof UnsafeRow same ? same : unsafe.apply(given);
                UnsafeRow key = keyOf.apply(row);
                Asked first = key.anyNull() ? null : asked(key);
                if (first != null) {
                    long bytes = (long) row.getSizeInBytes() + ROW_OVERHEAD_BYTES;
                    first.rows.add(row.copy());
                    first.bytes += bytes;
                    waitingBytes += bytes;
                } else if (keepsUnmatched) {
                    return withoutMatch(row);
                }
            }
            return null;
        }

        /** The key in flight, requested now if necessary; null if no row of the table can have it. */
        private @Nullable Asked asked(UnsafeRow key) {
            Asked same = asked.get(key);
            if (same != null || !table.ask(key)) {
                return same;
            }
            metrics.keysRequested().add(1);
            UnsafeRow copy = key.copy();
            Asked first = new Asked();
            asked.put(copy, first);
            order.add(copy);
            return first;
        }
    }

    /** The table in the cluster. Confined to the thread of its task; on the hot path. */
    private final class LookupTable implements Table {
        private final TaskTime time = new TaskTime(System.nanoTime());
        private final SharedRead<PacedLookup> shared = lookup.open();
        private final SameTable table = shared.start(opened -> lookup.scan().sameTable());
        private final Lookup.Queue queue =
                shared.start(opened -> opened.lookup().open(lookup.inFlight()));
        private final PacedLookup source = shared.get();
        private final List<com.datastax.oss.driver.api.core.type.DataType> keyTypes =
                source.lookup().keyTypes();
        private final CellEncoder[] keyCells = new CellEncoder[keyValues.size()];
        private final @Nullable BasePredicate filter;
        private final @Nullable UnsafeProjection rowOf;
        private @Nullable RowCursor found;
        private @Nullable RowDecoder decoder;
        private long rowsRead;
        private long bytesRead;

        LookupTable() {
            TaskContext.get().addTaskCompletionListener((TaskCompletionListener) context -> {
                context.taskMetrics().inputMetrics().incBytesRead(bytesRead);
                context.taskMetrics().inputMetrics().incRecordsRead(rowsRead);
                ThreadWaits waits = shared.waits();
                if (waits != null) {
                    time.add(waits);
                    metrics.limitedBy().set(time.packed(System.nanoTime()));
                }
                queue.close();
                shared.close();
            });
            for (int i = 0; i < keyCells.length; i++) {
                keyCells[i] = CellEncoder.of(keyTypes.get(i), keyValues.apply(i).dataType(), ZoneOffset.UTC);
            }
            Seq<Attribute> columns = attributes(side.read());
            filter = side.filters().isEmpty()
                    ? null
                    : Predicate.create(side.filters().apply(0), columns);
            rowOf = side.output().equals(side.read())
                    ? null
                    : UnsafeProjection.create(expressions(side.output()), columns);
        }

        @Override
        public boolean isFull() {
            return queue.isFull();
        }

        @Override
        public boolean ask(UnsafeRow key) {
            if (!encode(key)) {
                return false;
            }
            source.ask(queue);
            return true;
        }

        private boolean encode(UnsafeRow key) {
            RowBuffer buffer = queue.key();
            int partitionColumns = lookup.partitionKeyColumns();
            int partitionBytes = 0;
            try {
                for (int i = 0; i < keyCells.length; i++) {
                    Bytes bytes = buffer.begin(i);
                    int start = bytes.length();
                    keyCells[i].put(key, i, bytes);
                    int end = bytes.length();
                    if (!PossibleKeys.isPossible(keyTypes.get(i), bytes.array(), start, end)) {
                        return false;
                    }
                    partitionBytes += i < partitionColumns ? end - start : 0;
                    buffer.end(i);
                }
            } catch (IllegalArgumentException | ArithmeticException e) {
                return false; // not a value of the column's type: for example, text that is not a UUID
            }
            return PossibleKeys.isPossible(partitionColumns, partitionBytes);
        }

        @Override
        public void take() {
            found = queue.take();
        }

        @Override
        public @Nullable InternalRow next() {
            try {
                return nextFound();
            } catch (RuntimeException e) {
                shared.forget();
                throw Failures.named(e);
            }
        }

        private @Nullable InternalRow nextFound() {
            RowCursor rows = found;
            while (rows != null && rows.next()) {
                rowsRead++;
                bytesRead += rows.rowEnd() - rows.rowStart();
                if (decoder == null) {
                    decoder = new RowDecoder(
                            rows,
                            lookup.scan().columns(),
                            source.lookup().types(),
                            lookup.scan().emptyForNull());
                }
                UnsafeRow row = decoder.row();
                if (filter == null || filter.eval(row)) {
                    return rowOf == null ? row : rowOf.apply(row);
                }
            }
            if (rows != null) {
                rows.close();
                found = null;
            }
            return null;
        }

        @Override
        public void end() {
            try {
                table.requireForRead();
            } catch (RuntimeException e) {
                shared.forget();
                throw e;
            }
        }
    }

    private static Seq<Attribute> attributes(Seq<? extends NamedExpression> named) {
        List<Attribute> attributes = new ArrayList<>();
        // They are null in a row without a match, whatever the table's schema says.
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
