package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.ProtocolConstants.DataType;
import com.datastax.oss.protocol.internal.response.result.RawType;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Values as the native protocol has them. Stateless. */
final class Cells {
    private Cells() {}

    static ByteBuffer text(String value) {
        return ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8));
    }

    static ByteBuffer bool(boolean value) {
        return ByteBuffer.wrap(new byte[] {(byte) (value ? 1 : 0)});
    }

    static ByteBuffer int32(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).flip();
    }

    static ByteBuffer bigint(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).flip();
    }

    static ByteBuffer uuid(UUID value) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(value.getMostSignificantBits())
                .putLong(value.getLeastSignificantBits())
                .flip();
    }

    static ByteBuffer inet(InetAddress value) {
        return ByteBuffer.wrap(value.getAddress());
    }

    /** A set or a list. */
    static ByteBuffer texts(Collection<String> values) {
        return collection(values.size(), values);
    }

    static ByteBuffer map(Map<String, String> values) {
        List<String> flat = new ArrayList<>();
        values.forEach((key, value) -> {
            flat.add(key);
            flat.add(value);
        });
        return collection(values.size(), flat);
    }

    private static ByteBuffer collection(int size, Collection<String> flat) {
        List<ByteBuffer> cells = flat.stream().map(Cells::text).toList();
        int bytes = cells.stream()
                .mapToInt(cell -> Integer.BYTES + cell.remaining())
                .sum();
        ByteBuffer all = ByteBuffer.allocate(Integer.BYTES + bytes).putInt(size);
        for (ByteBuffer cell : cells) {
            all.putInt(cell.remaining()).put(cell);
        }
        return all.flip();
    }

    /** A literal of CQL, without quotes. */
    static ByteBuffer literal(RawType type, String text) {
        try {
            return switch (type.id) {
                case DataType.ASCII, DataType.VARCHAR -> text(text);
                case DataType.UUID, DataType.TIMEUUID -> uuid(UUID.fromString(text));
                case DataType.INT -> int32(Integer.parseInt(text));
                case DataType.BIGINT -> bigint(Long.parseLong(text));
                case DataType.BOOLEAN -> bool(Boolean.parseBoolean(text));
                case DataType.INET -> inet(InetAddress.getByName(text));
                default -> throw Refusal.notSimulated("comparison with \"" + text + "\"");
            };
        } catch (IllegalArgumentException | UnknownHostException e) {
            throw Refusal.invalid("\"" + text + "\" is not a value of this column");
        }
    }
}
