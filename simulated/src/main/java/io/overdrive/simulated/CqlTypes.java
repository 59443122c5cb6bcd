package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.ProtocolConstants.DataType;
import com.datastax.oss.protocol.internal.response.result.RawType;
import java.util.Map;

/** CQL types by their names, as the native protocol has them. Stateless. */
final class CqlTypes {
    private static final Map<String, Integer> CODES = Map.ofEntries(
            Map.entry("ascii", DataType.ASCII),
            Map.entry("bigint", DataType.BIGINT),
            Map.entry("blob", DataType.BLOB),
            Map.entry("boolean", DataType.BOOLEAN),
            Map.entry("counter", DataType.COUNTER),
            Map.entry("date", DataType.DATE),
            Map.entry("decimal", DataType.DECIMAL),
            Map.entry("double", DataType.DOUBLE),
            Map.entry("duration", DataType.DURATION),
            Map.entry("float", DataType.FLOAT),
            Map.entry("inet", DataType.INET),
            Map.entry("int", DataType.INT),
            Map.entry("smallint", DataType.SMALLINT),
            Map.entry("text", DataType.VARCHAR),
            Map.entry("time", DataType.TIME),
            Map.entry("timestamp", DataType.TIMESTAMP),
            Map.entry("timeuuid", DataType.TIMEUUID),
            Map.entry("tinyint", DataType.TINYINT),
            Map.entry("uuid", DataType.UUID),
            Map.entry("varchar", DataType.VARCHAR),
            Map.entry("varint", DataType.VARINT));

    private CqlTypes() {}

    static RawType simple(String name) {
        Integer code = CODES.get(name);
        RawType type = code == null ? null : RawType.PRIMITIVES.get(code);
        if (type == null) {
            throw Refusal.notSimulated("type " + name);
        }
        return type;
    }

    /** The type of a definition that is our own, such as {@code set<text>}. */
    static RawType of(String text) {
        return new CqlTokens(text).type().raw();
    }
}
