package io.overdrive.jobs.unload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StoredFileTest {
    /** Rows that other splits write then follow these bytes, and a resumed run has to know where. */
    @Test
    void countsWhatAFullDiskTookOfAWrite() {
        AtomicInteger written = new AtomicInteger();
        assertThatIOException()
                .isThrownBy(() -> StoredFile.writeAll(full(/* room */ 7), ByteBuffer.allocate(10), written::addAndGet))
                .withMessage("No space left on device");
        assertThat(written).hasValue(7);
    }

    private static WritableByteChannel full(int room) {
        return new WritableByteChannel() {
            private int left = room;

            @Override
            public int write(ByteBuffer from) throws IOException {
                if (left == 0) {
                    throw new IOException("No space left on device");
                }
                int taken = Math.min(left, from.remaining());
                from.position(from.position() + taken);
                left -= taken;
                return taken;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
    }
}
