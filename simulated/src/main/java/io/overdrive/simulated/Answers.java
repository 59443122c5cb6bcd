package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.request.Batch;
import com.datastax.oss.protocol.internal.request.Execute;
import com.datastax.oss.protocol.internal.request.Options;
import com.datastax.oss.protocol.internal.request.Prepare;
import com.datastax.oss.protocol.internal.request.Query;
import com.datastax.oss.protocol.internal.request.Startup;
import com.datastax.oss.protocol.internal.request.query.QueryOptions;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.Ready;
import com.datastax.oss.protocol.internal.response.Result;
import com.datastax.oss.protocol.internal.response.Supported;
import com.datastax.oss.protocol.internal.response.error.Unprepared;
import com.datastax.oss.protocol.internal.response.event.SchemaChangeEvent;
import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.DefaultRows;
import com.datastax.oss.protocol.internal.response.result.Prepared;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import com.datastax.oss.protocol.internal.response.result.SchemaChange;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.simulated.Statement.Command;
import io.overdrive.simulated.Statement.Select;
import io.overdrive.simulated.Statement.Write;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Answers requests to any node; all of them share the schema, and the statements that any has prepared. Thread-safe. */
final class Answers {
    private static final int[] NO_KEY = {};
    private static final Supported SUPPORTED =
            new Supported(Map.of("CQL_VERSION", List.of("3.4.7"), "COMPRESSION", List.of()));
    private static final RowsMetadata APPLIED = new RowsMetadata(
            List.of(new ColumnSpec(Schema.KEYSPACE, Schema.TABLE, "[applied]", 0, CqlTypes.simple("boolean"))),
            /* pagingState */ null,
            NO_KEY,
            /* newResultMetadataId */ null);

    private final Schema schema;
    private final Consumer<SchemaChangeEvent> onSchemaChange;
    /** Statements by their ids; a node has prepared only some of them. */
    private final Map<ByteBuffer, Statement> prepared = new ConcurrentHashMap<>();

    Answers(Schema schema, Consumer<SchemaChangeEvent> onSchemaChange) {
        this.schema = schema;
        this.onSchemaChange = onSchemaChange;
    }

    /** @param keyspace of the connection, for tables that are named without one */
    Message answer(SimulatedNode node, Message request, @Nullable String keyspace, int version) {
        try {
            if (request instanceof Options) {
                return SUPPORTED;
            }
            if (request instanceof Startup startup) {
                return started(startup);
            }
            if (request instanceof Prepare prepare) {
                return prepare(node, prepare, keyspace);
            }
            if (request instanceof Query query) {
                return run(node, CqlParser.parse(query.query, schema, keyspace), query.options);
            }
            if (request instanceof Execute execute) {
                return execute(node, execute);
            }
            if (request instanceof Batch batch) {
                return batch(node, batch, keyspace);
            }
            return new Error(ErrorCode.PROTOCOL_ERROR, "a simulated cluster does not answer " + request);
        } catch (Refusal e) {
            return e.answer();
        }
    }

    private static Message started(Startup startup) {
        String compression = startup.options.get(Startup.COMPRESSION_KEY);
        return compression == null
                ? new Ready()
                : new Error(
                        ErrorCode.PROTOCOL_ERROR,
                        "a simulated cluster does not compress with " + compression + ": connect without compression");
    }

    private Message prepare(SimulatedNode node, Prepare prepare, @Nullable String keyspace) {
        String of = prepare.keyspace == null ? keyspace : prepare.keyspace;
        Statement statement = CqlParser.parse(prepare.cqlQuery, schema, of);
        byte[] id = id(of + " " + prepare.cqlQuery);
        ByteBuffer key = ByteBuffer.wrap(id);
        prepared.put(key, statement);
        node.prepare(key);
        return new Prepared(
                id,
                id,
                new RowsMetadata(statement.markers(), null, statement.keyMarkers(), null),
                new RowsMetadata(statement.result(), null, NO_KEY, null));
    }

    private static byte[] id(String text) {
        try {
            return MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private Message execute(SimulatedNode node, Execute execute) {
        ByteBuffer id = ByteBuffer.wrap(execute.queryId);
        if (!node.hasPrepared(id)) {
            return unprepared(execute.queryId);
        }
        return node.isOverloaded() ? overloaded() : run(node, statement(id), execute.options);
    }

    private Statement statement(ByteBuffer id) {
        Statement statement = prepared.get(id);
        if (statement == null) {
            throw new IllegalStateException("a node has prepared a statement that was not kept");
        }
        return statement;
    }

    private static Error unprepared(byte[] id) {
        return new Unprepared("Prepared query with ID " + Arrays.toString(id) + " not found", id);
    }

    private static Error overloaded() {
        return new Error(ErrorCode.OVERLOADED, "the simulated node is overloaded");
    }

    private Message batch(SimulatedNode node, Batch batch, @Nullable String keyspace) {
        boolean isConditional = false;
        List<Write> writes = new ArrayList<>();
        for (int i = 0; i < batch.queriesOrIds.size(); i++) {
            Object each = batch.queriesOrIds.get(i);
            if (each instanceof byte[] id && !node.hasPrepared(ByteBuffer.wrap(id))) {
                return unprepared(id);
            }
            Statement statement = each instanceof byte[] id
                    ? statement(ByteBuffer.wrap(id))
                    : CqlParser.parse((String) each, schema, keyspace);
            if (!(statement instanceof Write write)) {
                throw Refusal.invalid("a batch may only have INSERT, UPDATE and DELETE");
            }
            check(write, batch.values.get(i).size());
            isConditional |= write.isConditional();
            writes.add(write);
        }
        if (node.isOverloaded()) {
            return overloaded();
        }
        node.wroteBatch(writes.size());
        return written(isConditional);
    }

    private static void check(Statement statement, int values) {
        if (values != statement.markers().size()) {
            throw Refusal.invalid("there were " + statement.markers().size() + " markers(?) in CQL but " + values
                    + " bound variables");
        }
    }

    private static Result written(boolean isConditional) {
        return isConditional
                ? new DefaultRows(APPLIED, new ArrayDeque<>(List.of(List.of(Cells.bool(true)))))
                : Void.INSTANCE;
    }

    private Message run(SimulatedNode node, Statement statement, QueryOptions options) {
        List<@Nullable ByteBuffer> values = values(statement, options);
        if (statement instanceof Select select) {
            return TableReads.read(node, select, values, options);
        }
        if (statement instanceof Command command) {
            return run(command);
        }
        Write write = (Write) statement;
        node.wrote(1);
        return written(write.isConditional());
    }

    /** The values of the markers, which may come with their names. */
    private static List<@Nullable ByteBuffer> values(Statement statement, QueryOptions options) {
        List<@Nullable ByteBuffer> values = options.positionalValues;
        if (!options.namedValues.isEmpty()) {
            values = new ArrayList<>();
            for (ColumnSpec marker : statement.markers()) {
                if (options.namedValues.containsKey(marker.name)) {
                    values.add(options.namedValues.get(marker.name));
                }
            }
        }
        check(statement, values.size());
        return values;
    }

    private Message run(Command command) {
        Result result = command.action().apply(schema);
        if (result instanceof SchemaChange change) {
            onSchemaChange.accept(new SchemaChangeEvent(
                    change.changeType, change.target, change.keyspace, change.object, change.arguments));
        }
        return result;
    }
}
