package io.overdrive.sstable.format;

import io.overdrive.internal.codec.Bytes;
import java.nio.charset.StandardCharsets;

/** Text in the server's files. Stateless. */
public final class Strings {
    private Strings() {}

    /** Writes text after its length in two bytes. */
    public static void putUtf(Bytes out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.putShort(utf8.length);
        out.put(utf8);
    }

    /** Writes text after its length as a vint. */
    static void putVintUtf(Bytes out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.putUnsignedVint(utf8.length);
        out.put(utf8);
    }
}
