package io.overdrive.sql;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Writes a result as a stream of Arrow IPC, whose columns may be known before its first row. Confined to one thread. */
final class ResultStream {
    /** The bytes of a batch with more than one row: readers have it in the heap, one for each thread. */
    static final int MAX_BATCH_BYTES = 1 << 20;

    /** The metadata by which a file says the type of a column in CQL. */
    private static final String CQL_TYPE = "cql.type";
    /** The metadata by which a column says that its largest time is infinity. */
    private static final String INFINITE = "infinite";

    private final Map<Integer, String> notes;
    private final OutputChannel channel;
    private boolean begun;

    /** The result cannot be read. */
    static final class ReadException extends IOException {
        private static final long serialVersionUID = 1;

        ReadException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** @param notes types in CQL of columns, by their number */
    ResultStream(Map<Integer, String> notes, OutputStream out) {
        this.notes = notes;
        this.channel = new OutputChannel(out);
    }

    /** Writes the columns, if they are known. */
    void begin(@Nullable Schema schema) throws IOException {
        if (schema != null) {
            MessageSerializer.serialize(new WriteChannel(channel), new Schema(noted(schema)));
            channel.flush();
            begun = true;
        }
    }

    private List<Field> noted(Schema schema) {
        List<Field> fields = new ArrayList<>(schema.getFields());
        notes.forEach((number, type) -> fields.set(number, noted(fields.get(number), CQL_TYPE, type)));
        fields.replaceAll(ResultStream::withInfinity);
        return fields;
    }

    /** The last date and time of DuckDB, and their negatives, are infinity, which its Arrow does not say. */
    private static Field withInfinity(Field field) {
        boolean isTime = field.getType() instanceof ArrowType.Date || field.getType() instanceof ArrowType.Timestamp;
        List<Field> parts =
                field.getChildren().stream().map(ResultStream::withInfinity).toList();
        return isTime ? noted(field, INFINITE, "") : new Field(field.getName(), field.getFieldType(), parts);
    }

    private static Field noted(Field field, String name, String value) {
        Map<String, String> metadata = new HashMap<>(field.getMetadata());
        metadata.put(name, value);
        return new Field(
                field.getName(),
                new FieldType(field.isNullable(), field.getType(), field.getDictionary(), metadata),
                field.getChildren());
    }

    /** Writes all rows, and the end. */
    void write(ArrowReader batches) throws IOException {
        VectorSchemaRoot root = root(batches);
        if (!begun) {
            begin(root.getSchema());
        }
        WriteChannel out = new WriteChannel(channel);
        while (next(batches)) {
            write(root, out);
        }
        ArrowStreamWriter.writeEndOfStream(out, IpcOption.DEFAULT);
        channel.flush();
    }

    /** Writes rows as batches that are not too large: halves, if they are. */
    private void write(VectorSchemaRoot rows, WriteChannel out) throws IOException {
        int count = rows.getRowCount();
        long bytes = rows.getFieldVectors().stream()
                .mapToLong(FieldVector::getBufferSize)
                .sum();
        if (bytes > MAX_BATCH_BYTES && count > 1) {
            for (int from = 0; from < count; from += (count + 1) / 2) {
                try (VectorSchemaRoot half = rows.slice(from, Math.min((count + 1) / 2, count - from))) {
                    write(half, out);
                }
            }
        } else {
            try (ArrowRecordBatch batch = new VectorUnloader(rows).getRecordBatch()) {
                MessageSerializer.serialize(out, batch);
            }
            channel.flush();
        }
    }

    private static VectorSchemaRoot root(ArrowReader batches) throws ReadException {
        try {
            return batches.getVectorSchemaRoot();
        } catch (IOException e) {
            throw new ReadException(e);
        }
    }

    private static boolean next(ArrowReader batches) throws ReadException {
        try {
            return batches.loadNextBatch();
        } catch (IOException e) {
            throw new ReadException(e);
        }
    }
}
