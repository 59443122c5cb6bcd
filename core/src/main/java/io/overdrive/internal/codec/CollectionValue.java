package io.overdrive.internal.codec;

/** Reads the wire form of collections: a count, and elements that are preceded by their lengths. Stateless; on the hot path. */
public final class CollectionValue {
    private CollectionValue() {}

    /** The number of elements, or of entries. */
    public static int count(byte[] value, int from, int length) {
        int count = length < 4 ? -1 : Bytes.getInt(value, from);
        if (count < 0 || count > (length - 4) / 4) {
            throw new IllegalArgumentException(
                    "a collection of " + length + " bytes cannot have " + count + " elements");
        }
        return count;
    }

    /** The length of the element whose length is at {@code at}. */
    public static int elementBytes(byte[] value, int at, int end) {
        int bytes = end - at < 4 ? -1 : Bytes.getInt(value, at);
        if (bytes < 0) {
            throw new IllegalArgumentException("an element of a collection is null");
        }
        if (bytes > end - at - 4) {
            throw new IllegalArgumentException("an element of " + bytes + " bytes goes beyond its collection");
        }
        return bytes;
    }

    public static void checkEnd(int at, int end) {
        if (at != end) {
            throw new IllegalArgumentException((end - at) + " bytes follow the last element of a collection");
        }
    }

    /** The length of a field of a UDT, with its length in 4 bytes before it; negative if it is null. */
    public static int fieldBytes(byte[] source, int at, int end) {
        int bytes = end - at < 4 ? Integer.MAX_VALUE : Bytes.getInt(source, at);
        if (bytes > end - at - 4) {
            throw new IllegalArgumentException("a field goes beyond its UDT");
        }
        return bytes;
    }
}
