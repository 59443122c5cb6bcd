package io.overdrive.internal.wire;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.ProtocolConstants.QueryFlag;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.cql.PreparedCql;

/**
 * The bytes of requests that depend on the prepared statement only, for any version of the native protocol. They are made once
 * and copied into each request. Stateless.
 */
public final class ExecuteFrame {
    private ExecuteFrame() {}

    /** The start of an EXECUTE, up to the first value. {@link QueryFlag#VALUES} is added if there are markers. */
    public static byte[] header(PreparedCql prepared, ConsistencyLevel consistency, int flags) {
        Bytes header = new Bytes(64);
        putShortBytes(header, prepared.id());
        if (prepared.resultMetadataId().length > 0) {
            putShortBytes(header, prepared.resultMetadataId());
        }
        boolean hasValues = prepared.markers() > 0;
        header.put(parameters(prepared, consistency, flags | (hasValues ? QueryFlag.VALUES : 0)));
        if (hasValues) {
            header.putShort(prepared.markers());
        }
        return header.toByteArray();
    }

    /** The start of a row in a BATCH, up to its first value. */
    public static byte[] rowHeader(PreparedCql prepared) {
        Bytes header = new Bytes(32);
        header.putByte(1); // a prepared statement
        putShortBytes(header, prepared.id());
        header.putShort(prepared.markers());
        return header.toByteArray();
    }

    /** Consistency level and flags; in a BATCH they follow the rows. */
    public static byte[] parameters(PreparedCql prepared, ConsistencyLevel consistency, int flags) {
        Bytes parameters = new Bytes(6);
        parameters.putShort(consistency.getProtocolCode());
        if (prepared.version().getCode() >= ProtocolConstants.Version.V5) {
            parameters.putInt(flags);
        } else {
            parameters.putByte(flags);
        }
        return parameters.toByteArray();
    }

    private static void putShortBytes(Bytes to, byte[] bytes) {
        to.putShort(bytes.length);
        to.put(bytes);
    }
}
