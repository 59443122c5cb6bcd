package io.overdrive.formats.parquet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers in the bytes of a page, which are in little-endian order. Stateless; on the hot path. */
final class Page {
    /** Bytes after the end of a page, so that a long can be read at each of its bytes. */
    static final int PADDING = Long.BYTES;

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Page() {}

    static int intAt(byte[] bytes, int at) {
        return (int) INTS.get(bytes, at);
    }

    static long longAt(byte[] bytes, int at) {
        return (long) LONGS.get(bytes, at);
    }

    static void setInt(byte[] bytes, int at, int value) {
        INTS.set(bytes, at, value);
    }

    static void setLong(byte[] bytes, int at, long value) {
        LONGS.set(bytes, at, value);
    }
}
