package io.overdrive.jobs.load;

import io.overdrive.OverdriveException;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.InputReader;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The blocks of the input, for many workers. Thread-safe. */
final class BlockSource {
    /**
     * Larger blocks, usually a single large record, are parsed one at a time, since each copy of the values is as
     * large.
     */
    private static final int LARGE_BLOCK_BYTES = 1 << 20;

    private final InputReader reader;
    private final Consumer<RuntimeException> onFailure;
    /** Held while a large block is parsed. The next large block is read, and then waits; so do all reading threads. */
    private final Semaphore largeBlock = new Semaphore(1);

    private final Object reading = new Object();
    /** A block that was read before; guarded by {@link #reading}. */
    private @Nullable Block first;

    /** Guarded by {@link #reading}. */
    private boolean failed;

    /**
     * @param first comes before what the reader has
     * @param onFailure receives the failure that ended the input too early
     */
    BlockSource(InputReader reader, @Nullable Block first, Consumer<RuntimeException> onFailure) {
        this.reader = reader;
        this.first = first;
        this.onFailure = onFailure;
    }

    /** The next block, or null if there are no more; a large one only once no other large one is being parsed. */
    @Nullable Block next() {
        synchronized (reading) {
            Block block = first != null ? first : read();
            first = null;
            if (block != null && isLarge(block)) {
                largeBlock.acquireUninterruptibly();
            }
            return block;
        }
    }

    /** Called when a block has been parsed. */
    void done(Block block) {
        if (isLarge(block)) {
            largeBlock.release();
        }
    }

    private static boolean isLarge(Block block) {
        return block.length() > LARGE_BLOCK_BYTES;
    }

    /** A failure to read ends the load, but rows read before are written. */
    private @Nullable Block read() {
        if (failed) {
            return null;
        }
        try {
            return reader.next();
        } catch (OverdriveException e) {
            failed = true;
            onFailure.accept(e);
            return null;
        }
    }
}
