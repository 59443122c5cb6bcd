package io.overdrive.jobs.unload;

import io.overdrive.formats.records.Compression;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Compresses each chunk of a shared output separately, on the thread that writes it. Thread-safe. */
final class Chunks {
    private final Compression compression;
    private final ThreadLocal<ByteArrayOutputStream> packed =
            ThreadLocal.withInitial(() -> new ByteArrayOutputStream(1 << 16));

    Chunks(Compression compression) {
        this.compression = compression;
    }

    /** Takes a chunk as it is stored. */
    interface Target {
        void append(byte[] bytes, int count) throws IOException;
    }

    void pack(byte[] bytes, int count, Target target) throws IOException {
        if (count == 0) {
            return;
        }
        if (compression == Compression.NONE) {
            target.append(bytes, count);
            return;
        }
        ByteArrayOutputStream buffer = packed.get();
        buffer.reset();
        try (OutputStream packing = compression.pack(buffer)) {
            packing.write(bytes, 0, count);
        }
        target.append(buffer.toByteArray(), buffer.size());
    }
}
