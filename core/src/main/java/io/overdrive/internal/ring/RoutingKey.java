package io.overdrive.internal.ring;

import io.overdrive.internal.codec.Bytes;

/**
 * The token of a partition from the values of its key columns, added in order. A key of one column is hashed as that value; a
 * key of several columns as the length of each in two bytes, its value, and a zero byte (Cassandra's {@code CompositeType}).
 * Confined to one thread; on the hot path.
 *
 * <pre>{@code
 * routingKey.start(2);
 * routingKey.add(bytes, 0, 4);
 * routingKey.add(bytes, 4, 8);
 * long token = routingKey.token();
 * }</pre>
 */
public final class RoutingKey {
    private final Bytes composite = new Bytes(64);
    private boolean isComposite;
    private long singleToken;

    /** Starts a key with this number of columns. */
    public void start(int columns) {
        isComposite = columns > 1;
        composite.clear();
    }

    /** Adds the value of the next column. Keeps no reference to the array, which may hold a large row. */
    public void add(byte[] bytes, int offset, int length) {
        if (!isComposite) {
            singleToken = Murmur3.token(bytes, offset, offset + length);
            return;
        }
        composite.putShort(length);
        composite.put(bytes, offset, length);
        composite.putByte(0);
    }

    /** The token with Cassandra's default partitioner. */
    public long token() {
        return isComposite ? Murmur3.token(composite.array(), 0, composite.length()) : singleToken;
    }
}
