package io.overdrive.jobs.load;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.formats.columns.CellReader;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputReader.RawRecord;
import io.overdrive.formats.records.RecordHandler;
import io.overdrive.formats.records.RecordParser;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import io.overdrive.jobs.RowSink;
import io.overdrive.jobs.load.FieldSlots.Slot;
import io.overdrive.jobs.load.MappingListener.StopReading;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Maps the fields of records to the columns of rows, and gives the rows to a sink. Confined to one worker; on the hot
 * path. Everything about a column is looked up once per file, not for each row.
 */
final class RowMapper implements RecordHandler {
    /** A value for all rows. */
    private record Constant(Slot slot, byte[] value) {}

    private static final Slot[] NO_SLOTS = {};
    /** Maximum number of JSON field names to remember: if names are data, each record may have new ones. */
    private static final int MAX_KNOWN_NAMES = 10_000;

    private final LoadOptions options;
    private final Mapping mapping;
    private final RowSink sink;
    private final @Nullable PartitionStatics statics;
    private final List<String> columns;
    private final List<String> tableColumns;
    private final @Nullable ComputedColumns computed;
    private final RecordParser parser;
    private final boolean attachRecords;
    private final MappingListener listener;
    private final List<Constant> constants = new ArrayList<>();
    private final FieldSlots slots;

    private @Nullable FileHeader header;
    private int headerNumber;
    /** Whether records may have more fields than the mapping lists. */
    private boolean endIsOpen;

    private Slot[][] slotsByField = {};
    /** Readers for the slots of each field, if the file is columnar. */
    private CellReader[][] readersByField = {};

    private Map<String, Slot[]> slotsByName = new HashMap<>();
    private RowBuffer row;
    private long line;
    private long position;
    /** Written only by this worker, so that counting needs no atomic operation; read by any thread. */
    private final AtomicLong rowsRead = new AtomicLong();

    private final AtomicLong rowsTaken = new AtomicLong();

    /** Counts records from 1. */
    private long recordNumber;

    private final FilledTargets filled;

    /** The numbers of the entries of the mapping whose field a JSON record had. */
    private final BitSet foundEntries = new BitSet();

    private boolean hasReadJson;

    /** Records of the block that an earlier run has finished, as distances from its first position. */
    private final BitSet finished = new BitSet();

    private long blockPosition;
    /** Whether the current record is one of them. */
    private boolean isFinished;

    /** Why the current record is bad. */
    private final Problems problems = new Problems();

    /**
     * @param statics for records without a row; null if these are not possible
     * @param tableColumns all columns of the table, written or not
     * @param computed the columns that are computed; null for none
     * @param attachRecords whether rows carry their record, for input that cannot be read twice
     */
    RowMapper(
            LoadOptions options,
            RowSink sink,
            @Nullable PartitionStatics statics,
            List<String> tableColumns,
            @Nullable ComputedColumns computed,
            RecordParser parser,
            boolean attachRecords,
            MappingListener listener) {
        this.options = options;
        this.mapping = options.mapping();
        this.sink = sink;
        this.statics = statics;
        this.columns = sink.columns();
        this.slots = new FieldSlots(options, columns, sink.types());
        this.filled = new FilledTargets(columns.size(), computed == null ? 0 : computed.maxInputs());
        this.tableColumns = tableColumns;
        this.computed = computed;
        this.parser = parser;
        this.attachRecords = attachRecords;
        this.listener = listener;
        this.row = sink.row();
        mapping.constants().forEach((target, text) -> slots.of("the mapping", target)
                .forEach(slot -> constants.add(new Constant(slot, slots.encode(slot, target, text)))));
    }

    /** Number of records read. A record is counted before it is rejected or its row is sent. Thread-safe. */
    long rowsRead() {
        return rowsRead.get();
    }

    /** Number of rows that the sink has taken. Thread-safe. */
    long rowsTaken() {
        return rowsTaken.get();
    }

    /** Whether a JSON record was read, and adds the numbers of the entries whose field it had. Once the thread has ended. */
    boolean addFoundEntries(BitSet numbers) {
        numbers.or(foundEntries);
        return hasReadJson;
    }

    /** As {@link FieldSlots#losses}. Once the thread has ended. */
    List<Loss> losses() {
        return slots.losses();
    }

    private static void add(AtomicLong counter, long n) {
        counter.setRelease(counter.getPlain() + n);
    }

    /**
     * Called for each block before its records, which are then in {@link #finished} if an earlier run has finished them.
     *
     * @throws OverdriveException of kind INPUT if the fields of its file do not match the columns
     */
    void start(Block block) {
        blockPosition = block.position();
        if (block.header() != header) {
            open(block.header());
        }
    }

    /** Called after each block, so that a large row does not hold memory while this thread waits for the next block. */
    void releaseRow() {
        row = sink.row();
        if (statics != null) {
            statics.sink().row();
        }
    }

    @Override
    public void begin(Block block, long startLine, long startPosition) {
        if (listener.isStopping()) {
            listener.unread(block.header(), startLine, startPosition);
            throw new StopReading();
        }
        isFinished = isFinished(startPosition);
        if (isFinished) {
            return;
        }
        line = startLine;
        position = startPosition;
        recordNumber++;
        row = sink.row().position(position);
        problems.clear();
        if (computed != null) {
            computed.begin();
        }
        for (int i = 0; i < constants.size(); i++) {
            Constant constant = constants.get(i);
            put(constant.slot, constant.value);
        }
    }

    /** Records that an earlier run has finished; filled before {@link #start}. */
    BitSet finished() {
        return finished;
    }

    private boolean isFinished(long ofPosition) {
        return finished.get((int) (ofPosition - blockPosition));
    }

    private void put(Slot slot, byte[] value) {
        if (slot.isInput() && computed != null) {
            computed.set(slot.input(), value);
            return;
        }
        switch (slot.special()) {
            case NONE, CELL_WRITETIME, CELL_EXPIRY -> {
                row.begin(slot.column()).put(value);
                row.end(slot.column());
            }
            case TTL -> row.setTtl(ByteBuffer.wrap(value).getInt());
            case WRITETIME -> row.setTimestamp(ByteBuffer.wrap(value).getLong());
        }
    }

    private void open(FileHeader newHeader) {
        header = newHeader;
        headerNumber = attachRecords ? listener.numberOf(newHeader) : 0;
        endIsOpen = false;
        slotsByName = new HashMap<>();
        List<String> names = FieldSlots.names(newHeader, options);
        ComputedColumns computes = computed;
        if (names == null) {
            slotsByField = new Slot[0][];
            if (computes != null) {
                computes.openJson();
            }
            return;
        }
        endIsOpen = newHeader.names() == null && options.fieldNames().isEmpty();
        String where = newHeader.file().name();
        List<List<Target>> targets =
                mapping.resolve(FieldSlots.fields(newHeader, names), tableColumns, options.allowExtraFields());
        slotsByField = targets.stream().map(t -> slots.of(where, t)).toArray(Slot[][]::new);
        if (computes != null) {
            computes.open(where, names);
            computes.addInputs(slotsByField, names, slots);
        }
        readersByField = slots.readers(slotsByField, newHeader.columns(), computes);
    }

    @Override
    public void field(int index, Column column, int fieldRow) {
        if (isFinished) {
            return;
        }
        Slot[] targets = slotsByField[index];
        if (targets.length == 0) {
            return;
        }
        boolean isMissing = column.isNull(fieldRow)
                || (!options.nullWords().isEmpty() && column.isText(fieldRow, options.nullWords()));
        for (int i = 0; i < targets.length; i++) {
            Slot slot = targets[i];
            if (isMissing) {
                setMissing(slot);
                continue;
            }
            try {
                CellReader reader = readersByField[index][i];
                if (slot.column() >= 0) {
                    reader.read(column, fieldRow, row.begin(slot.column()));
                    row.end(slot.column());
                } else {
                    Bytes out = new Bytes(8);
                    reader.read(column, fieldRow, out);
                    put(slot, out.toByteArray());
                }
            } catch (BadValueException e) {
                bad(slot, null, e);
            } catch (IllegalArgumentException e) {
                bad(slot, null, new BadValueException(String.valueOf(e.getMessage())));
            }
        }
    }

    @Override
    public void field(int index, char[] chars, int from, int to, boolean quoted) {
        if (isFinished || index >= slotsByField.length) {
            return; // end() checks the number of fields
        }
        for (Slot slot : slotsByField[index]) {
            if (slot.nulls().matches(chars, from, to, quoted)) {
                setMissing(slot);
                continue;
            }
            try {
                if (slot.column() >= 0) {
                    slot.parser().parse(chars, from, to, row.begin(slot.column()));
                    row.end(slot.column());
                } else {
                    special(slot, chars, from, to);
                }
            } catch (BadValueException e) {
                bad(slot, new String(chars, from, to - from), e);
            } catch (IllegalArgumentException e) {
                bad(slot, new String(chars, from, to - from), new BadValueException(String.valueOf(e.getMessage())));
            }
        }
    }

    @Override
    public void field(String name, JsonParser json) throws IOException {
        if (isFinished) {
            return;
        }
        Slot[] targets = slotsByName.get(name);
        if (targets == null) {
            hasReadJson = true;
            mapping.addEntries(name, foundEntries);
            List<Target> found = mapping.resolve(name, tableColumns);
            if (found == null) {
                if (!options.allowExtraFields()) {
                    problems.addUnknownField(name);
                    return;
                }
                found = List.of();
            }
            targets = found.isEmpty() ? NO_SLOTS : slots.of("JSON", found);
            if (computed != null) {
                targets = computed.with(targets, name, slots);
            }
            if (slotsByName.size() < MAX_KNOWN_NAMES) {
                slotsByName.put(name, targets);
            }
        }
        if (targets.length > 1 && json.currentToken().isStructStart()) {
            fillTwice(targets, name, json);
            return;
        }
        for (Slot slot : targets) {
            if (!fill(slot, name, json)) {
                return;
            }
        }
    }

    /** An object or array can be read only once: for expressions, it is read from a copy. */
    private void fillTwice(Slot[] targets, String name, JsonParser json) throws IOException {
        ComputedColumns computes = computed;
        if (computes == null || Arrays.stream(targets).noneMatch(Slot::isInput)) {
            problems.addSeveralColumns(name, targets[0].name());
            return;
        }
        byte[] copy = computes.copy(json);
        boolean isFilled = true;
        for (int i = 0; i < targets.length && isFilled; i++) {
            try (JsonParser again = computes.parser(copy)) {
                isFilled = fill(targets[i], name, again);
            }
        }
    }

    /** Returns false if the slot has a value already, which is a problem of the record. */
    private boolean fill(Slot slot, String name, JsonParser json) throws IOException {
        if (!filled.add(slot, recordNumber)) {
            problems.addSecondValue(name, slot);
            return false;
        }
        value(slot, json);
        return true;
    }

    private void value(Slot slot, JsonParser json) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL || isNullWord(json)) {
            setMissing(slot);
            return;
        }
        try {
            if (slot.column() >= 0) {
                slot.parser().parse(json, row.begin(slot.column()));
                row.end(slot.column());
            } else if (slot.isInput()) {
                Bytes out = new Bytes(32);
                slot.parser().parse(json, out);
                put(slot, out.toByteArray());
            } else {
                special(
                        slot,
                        json.getTextCharacters(),
                        json.getTextOffset(),
                        json.getTextOffset() + json.getTextLength());
            }
        } catch (BadValueException e) {
            bad(slot, json.currentToken().isScalarValue() ? json.getText() : null, e);
        } catch (IllegalArgumentException e) {
            bad(slot, null, new BadValueException(String.valueOf(e.getMessage())));
        }
    }

    private boolean isNullWord(JsonParser json) throws IOException {
        return !options.nullWords().isEmpty()
                && json.currentToken() == JsonToken.VALUE_STRING
                && options.nullWords().contains(json.getText());
    }

    private void setMissing(Slot slot) {
        if (options.writeNulls() && slot.special() == Special.NONE && !slot.isInput()) {
            row.setNull(slot.column());
        }
    }

    private void special(Slot slot, char[] chars, int from, int to) {
        Bytes out = new Bytes(8);
        slot.parser().parse(chars, from, to, out);
        put(slot, out.toByteArray());
    }

    private void bad(Slot slot, @Nullable String value, BadValueException e) {
        if (slot.column() >= 0) {
            row.undo(slot.column());
        }
        MessageText hint =
                value == null || !e.hint().isEmpty() ? e.hint() : slot.parser().hint(value);
        String noun = slot.isInput() ? "field" : "column";
        problems.add(slot.name(), value, words -> noun + " \"" + slot.name() + "\" " + e.getMessage() + hint.in(words));
    }

    @Override
    public void end(int fieldCount) {
        if (isFinished) {
            return;
        }
        add(rowsRead, 1);
        checkFieldCount(fieldCount);
        if (computed != null && problems.isEmpty()) {
            computed.fill(row, options.writeNulls(), problems);
        }
        PartitionStatics apart = null;
        if (problems.isEmpty()) {
            int missing = row.missingKeyColumn();
            if (missing >= 0) {
                RowBuffer taken = PartitionStatics.takeOr(statics, row, columns.get(missing), problems);
                apart = taken == null ? null : statics;
                row = taken == null ? row : taken;
            }
        }
        RowSink to = apart == null ? sink : apart.sink();
        String refused = problems.isEmpty() ? to.problem() : null;
        if (refused != null) {
            problems.add(null, null, MessageText.plain(refused));
        }
        Problem all = problems.all();
        if (all != null && header != null) {
            reject(new RawRecord(header, line, position, parser.raw()), all);
        } else if (all == null) {
            give(to);
        }
    }

    private void checkFieldCount(int fieldCount) {
        int expected = slotsByField.length;
        boolean csv = header != null && header.isCsv();
        if (csv
                && ((fieldCount < expected && !options.allowMissingFields())
                        || (fieldCount > expected && !options.allowExtraFields() && !endIsOpen))) {
            problems.addFieldCount(fieldCount, expected, parser.hint());
        }
    }

    private void give(RowSink to) {
        if (attachRecords) {
            row.attach(ClusterRejects.attachment(headerNumber, line, parser.raw()));
        }
        try {
            to.take();
        } catch (OverdriveException e) {
            listener.failed(e);
            if (header != null) {
                listener.unread(header, line, position);
            }
            throw new StopReading(); // read, and not written: this row is not the cause
        }
        add(rowsTaken, 1);
    }

    private void reject(RawRecord record, Problem why) {
        try {
            listener.rejected(record, why);
        } catch (StopReading e) {
            add(rowsRead, -1);
            throw e;
        }
    }

    @Override
    public void malformed(Block block, long startLine, long startPosition, byte[] raw, MessageText reason) {
        if (isFinished(startPosition)) {
            return;
        }
        add(rowsRead, 1);
        reject(new RawRecord(block.header(), startLine, startPosition, raw), new Problem(reason));
    }
}
