package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PrepareRequest;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.datastax.oss.driver.internal.core.cql.DefaultColumnDefinitions;
import com.datastax.oss.driver.internal.core.metadata.schema.DefaultColumnMetadata;
import com.datastax.oss.driver.internal.core.metadata.schema.DefaultKeyspaceMetadata;
import com.datastax.oss.driver.internal.core.metadata.schema.DefaultTableMetadata;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A session with one table, whose server prepares the statements that a test accepts and refuses all others. Confined to one
 * thread.
 */
public final class ScriptedSession {
    /** The id of each statement. */
    public static final byte[] ID = {1, 2, 3};

    /** The id of the columns of each statement's rows. */
    public static final byte[] RESULT_METADATA_ID = {4, 5};

    /** The statements that the server was to prepare, in this order. */
    public final List<String> requested = new ArrayList<>();

    private final TableSchema table;
    private final Map<String, PreparedStatement> accepted = new HashMap<>();
    private String partitioner = "org.apache.cassandra.dht.Murmur3Partitioner";
    private Map<String, String> replication = Map.of("class", "SimpleStrategy", "replication_factor", "1");
    private ProtocolVersion version = ProtocolVersion.V5;
    private boolean answersEmptyRange;
    private @Nullable CompletableFuture<PreparedStatement> hangs;
    private int refusals;

    /** Gets the number of refusals with each of them. */
    public IntConsumer refuses = count -> {};

    private @Nullable RuntimeException broken;

    public ScriptedSession(TableSchema table) {
        this.table = table;
    }

    public TableSchema table() {
        return table;
    }

    public ScriptedSession partitioner(String name) {
        partitioner = name;
        return this;
    }

    public ScriptedSession replication(Map<String, String> options) {
        replication = options;
        return this;
    }

    public ScriptedSession version(ProtocolVersion value) {
        version = value;
        return this;
    }

    /** Any query answers with a row, even of an empty token range. */
    public ScriptedSession answersEmptyRange() {
        answersEmptyRange = true;
        return this;
    }

    /** Lets the server prepare this statement. Markers and columns that are not in the table are bigints. */
    public ScriptedSession accept(String cql, List<String> markers, List<String> columns) {
        List<Integer> partition = table.partitionKey().stream()
                .map(Column::name)
                .map(markers::indexOf)
                .toList();
        accepted.put(
                cql,
                fake(
                        PreparedStatement.class,
                        Map.of(
                                "getQuery", args -> cql,
                                "getId", args -> ByteBuffer.wrap(ID),
                                "getResultMetadataId", args -> ByteBuffer.wrap(RESULT_METADATA_ID),
                                "getVariableDefinitions", args -> definitions(markers),
                                "getResultSetDefinitions", args -> definitions(columns),
                                "getPartitionKeyIndices", args -> partition.contains(-1) ? List.of() : partition,
                                "bind", args -> bound())));
        return this;
    }

    private static BoundStatement bound() {
        return fake(
                BoundStatement.class,
                Map.of("setIdempotent", args -> bound(), "setExecutionProfileName", args -> bound()));
    }

    public CqlSession session() {
        DriverContext context = fake(
                DriverContext.class,
                Map.of("getProtocolVersion", args -> version, "getCodecRegistry", args -> CodecRegistry.DEFAULT));
        ResultSet rows = fake(
                ResultSet.class,
                Map.of(
                        "one", args -> answersEmptyRange ? fake(Row.class, Map.of()) : null,
                        "iterator", args -> Collections.emptyIterator()));
        return fake(
                CqlSession.class,
                Map.of(
                        "prepareAsync", args -> prepare(((PrepareRequest) args[0]).getQuery()),
                        "execute", args -> rows,
                        "getContext", args -> context,
                        "getMetadata", args -> metadata()));
    }

    /** The driver cannot decode the answers of the server. */
    public void breakAnswers(RuntimeException thrown) {
        broken = thrown;
    }

    /** A node hangs that is to prepare the next statement, until it has this answer. */
    public void hangOnce(CompletableFuture<PreparedStatement> answer) {
        hangs = answer;
    }

    private CompletionStage<PreparedStatement> prepare(String cql) {
        requested.add(cql);
        CompletableFuture<PreparedStatement> answer = hangs;
        if (answer != null) {
            hangs = null;
            return answer;
        }
        if (broken != null) {
            return CompletableFuture.failedFuture(broken);
        }
        PreparedStatement prepared = accepted.get(cql);
        if (prepared == null) {
            refuses.accept(++refusals);
        }
        return prepared == null
                ? CompletableFuture.failedFuture(
                        new InvalidQueryException(fake(Node.class, Map.of()), "it is not in the script"))
                : CompletableFuture.completedFuture(prepared);
    }

    private ColumnDefinitions definitions(List<String> names) {
        return DefaultColumnDefinitions.valueOf(names.stream()
                .map(name -> fake(
                        ColumnDefinition.class,
                        Map.of(
                                "getKeyspace", args -> CqlIdentifier.fromInternal(table.keyspace()),
                                "getTable", args -> CqlIdentifier.fromInternal(table.table()),
                                "getName", args -> CqlIdentifier.fromInternal(name),
                                "getType", args -> type(name))))
                .toList());
    }

    private DataType type(String name) {
        return table.column(name).map(Column::type).orElse(DataTypes.BIGINT);
    }

    private Metadata metadata() {
        CqlIdentifier keyspace = CqlIdentifier.fromInternal(table.keyspace());
        CqlIdentifier name = CqlIdentifier.fromInternal(table.table());
        List<ColumnMetadata> partition = new ArrayList<>();
        Map<ColumnMetadata, ClusteringOrder> clustering = new LinkedHashMap<>();
        Map<CqlIdentifier, ColumnMetadata> all = new LinkedHashMap<>();
        for (Column column : table.columns()) {
            ColumnMetadata metadata = new DefaultColumnMetadata(
                    keyspace,
                    name,
                    CqlIdentifier.fromInternal(column.name()),
                    column.type(),
                    column.role() == Role.STATIC);
            all.put(metadata.getName(), metadata);
            if (column.role() == Role.PARTITION_KEY) {
                partition.add(metadata);
            } else if (column.role() == Role.CLUSTERING) {
                clustering.put(metadata, ClusteringOrder.ASC);
            }
        }
        KeyspaceMetadata schema = new DefaultKeyspaceMetadata(
                keyspace,
                /* durableWrites */ true,
                /* virtual */ false,
                replication,
                Map.of(),
                Map.of(
                        name,
                        new DefaultTableMetadata(
                                keyspace,
                                name,
                                UUID.randomUUID(),
                                /* compactStorage */ false,
                                /* virtual */ false,
                                partition,
                                clustering,
                                all,
                                Map.of(),
                                Map.of())),
                Map.of(),
                Map.of(),
                Map.of());
        TokenMap tokens = fake(TokenMap.class, Map.of("getPartitionerName", args -> partitioner));
        return fake(
                Metadata.class,
                Map.of(
                        "getKeyspace", args -> args[0].equals(keyspace) ? Optional.of(schema) : Optional.empty(),
                        "getTokenMap", args -> Optional.of(tokens),
                        "getNodes", args -> Map.of()));
    }

    /** Answers the calls of these methods, and no others. */
    static <T> T fake(Class<T> type, Map<String, Function<Object[], @Nullable Object>> methods) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            Function<Object[], @Nullable Object> answer = methods.get(method.getName());
            if (answer != null) {
                return answer.apply(args);
            }
            if (method.getName().equals("toString")) {
                return type.getSimpleName();
            }
            throw new UnsupportedOperationException(method.toString());
        }));
    }
}
