package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.response.result.Prepared;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CanonicalForm;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * A prepared statement, as its requests and their values need it. Immutable.
 *
 * @param text the statement
 * @param id the server's id of it
 * @param resultMetadataId the server's id of the columns of its rows; empty before version 5 of the native protocol
 * @param markerNames the bind markers' names as the server returns them: those of columns without quotes
 * @param hasCollectionKey whether the primary key of its table has sets or maps, or lists of them: their elements must be in the
 *     server's order in values of markers, as it does not put them in order if the order of the column is DESC
 * @param partitionMarkers which markers are the partition key, in its order; empty unless all of it is there
 * @param codecs the driver's codecs for values of any type
 * @param version the native protocol in use
 */
public record PreparedCql(
        String text,
        byte[] id,
        byte[] resultMetadataId,
        List<String> markerNames,
        List<DataType> markerTypes,
        boolean hasCollectionKey,
        int[] partitionMarkers,
        CodecRegistry codecs,
        ProtocolVersion version) {
    private static final int MAX_LITERAL_LENGTH = 100;

    public PreparedCql {
        markerNames = List.copyOf(markerNames);
        markerTypes = List.copyOf(markerTypes);
    }

    public static PreparedCql of(PreparedStatement prepared, CqlSession session) {
        ProtocolVersion version = session.getContext().getProtocolVersion();
        List<String> names = new ArrayList<>();
        List<DataType> types = new ArrayList<>();
        for (ColumnDefinition marker : prepared.getVariableDefinitions()) {
            names.add(marker.getName().asInternal());
            types.add(marker.getType());
        }
        ByteBuffer metadataId = prepared.getResultMetadataId();
        return new PreparedCql(
                prepared.getQuery(),
                Bytes.copyOf(prepared.getId()),
                version.getCode() >= ProtocolConstants.Version.V5 && metadataId != null
                        ? Bytes.copyOf(metadataId)
                        : new byte[0],
                names,
                types,
                hasCollectionKey(prepared.getVariableDefinitions(), session),
                prepared.getPartitionKeyIndices().stream()
                        .mapToInt(Integer::intValue)
                        .toArray(),
                session.getContext().getCodecRegistry(),
                version);
    }

    private static boolean hasCollectionKey(ColumnDefinitions markers, CqlSession session) {
        return markers.size() > 0
                && Columns.relation(
                                session.getMetadata(),
                                markers.get(0).getKeyspace(),
                                markers.get(0).getTable())
                        .stream()
                        .flatMap(relation -> relation.getPrimaryKey().stream())
                        .anyMatch(column -> CanonicalForm.of(column.getType()) != null);
    }

    /** How many bind markers it has. */
    public int markers() {
        return markerTypes.size();
    }

    /** Whether the server calls it by this id; not if the keyspace was recreated, for example. */
    public boolean hasId(byte[] other) {
        return Arrays.equals(id, other);
    }

    /**
     * Whether its markers have the same types now that it is prepared again. If the table was recreated with others, the server would
     * take values that are encoded already for other ones.
     */
    public boolean hasTypes(Prepared answer) {
        return RawTypes.match(markerTypes, answer.variablesMetadata.columnSpecs);
    }

    /**
     * The values of all markers as conditions in CQL, for messages.
     *
     * @param values each with its length in front
     */
    public String conditions(byte[] values) {
        StringBuilder conditions = new StringBuilder();
        int at = 0;
        for (int i = 0; i < markers(); i++) {
            int length = Bytes.getInt(values, at);
            conditions
                    .append(i == 0 ? "" : " AND ")
                    .append(CqlIdentifier.fromInternal(markerNames.get(i)).asCql(true))
                    .append(" = ")
                    .append(literal(markerTypes.get(i), values, at + 4, length));
            at += 4 + length;
        }
        return conditions.toString();
    }

    private String literal(DataType type, byte[] values, int from, int length) {
        String literal;
        try {
            TypeCodec<Object> codec = codecs.codecFor(type);
            literal = codec.format(
                    codec.decode(ByteBuffer.wrap(values, from, length).slice(), version));
        } catch (RuntimeException e) {
            // not a value of the type, which may be why the server refused it
            literal = "0x" + HexFormat.of().formatHex(values, from, from + length);
        }
        return literal.length() <= MAX_LITERAL_LENGTH ? literal : literal.substring(0, MAX_LITERAL_LENGTH) + "...";
    }
}
