package io.overdrive.stores;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parts of objects that were read, for small reads after them. All objects share the memory, so that a thousand open ones need no more; what
 * was used longest ago goes first. Thread-safe.
 */
final class BlockCache {
    static final int BLOCK_BYTES = 256 << 10;

    /** The cache takes at most this part of the largest possible heap. */
    private static final int SHARE = 8;

    private static final long MAX_BYTES = 64 << 20;

    /** A block of an object, by its number from 0. Identity of the channel, as an object may change. */
    private record Key(Object channel, long block) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && key.channel == channel && key.block == block;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(channel) + Long.hashCode(block);
        }
    }

    private final int maxBlocks;

    @GuardedBy("this") private final LinkedHashMap<Key, byte[]> blocks;

    BlockCache() {
        this((int) (Math.min(MAX_BYTES, Runtime.getRuntime().maxMemory() / SHARE) / BLOCK_BYTES));
    }

    BlockCache(int maxBlocks) {
        this.maxBlocks = maxBlocks;
        this.blocks = new LinkedHashMap<>(16, 0.75f, /* accessOrder */ true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Key, byte[]> eldest) {
                return size() > BlockCache.this.maxBlocks;
            }
        };
    }

    synchronized byte @Nullable [] get(Object channel, long block) {
        return blocks.get(new Key(channel, block));
    }

    /** Adds blocks that follow each other. */
    synchronized void put(Object channel, long first, byte[] bytes) {
        for (int at = 0; at < bytes.length; at += BLOCK_BYTES) {
            blocks.put(
                    new Key(channel, first + at / BLOCK_BYTES),
                    Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + BLOCK_BYTES)));
        }
    }

    synchronized void remove(Object channel) {
        blocks.keySet().removeIf(key -> key.channel == channel);
    }
}
