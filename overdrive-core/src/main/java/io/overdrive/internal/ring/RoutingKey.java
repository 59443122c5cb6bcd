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
    private static final byte[] NOTHING = {};

    private final Bytes composite = new Bytes(64);
    private boolean isComposite;
    private byte[] array = NOTHING;
    private int from;
    private int to;

    /** Starts a key with this number of columns. */
    public void start(int columns) {
        isComposite = columns > 1;
        composite.clear();
        array = NOTHING;
        from = 0;
        to = 0;
    }

    /** Adds the value of the next column; the array must not change before {@link #token}. */
    public void add(byte[] bytes, int offset, int length) {
        if (!isComposite) {
            array = bytes;
            from = offset;
            to = offset + length;
            return;
        }
        composite.putShort(length);
        composite.put(bytes, offset, length);
        composite.putByte(0);
        array = composite.array();
        to = composite.length();
    }

    /** The token with Cassandra's default partitioner. */
    public long token() {
        return Murmur3.token(array, from, to);
    }
}
