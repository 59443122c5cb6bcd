package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BlockPoolTest {
    /** A chain of blocks whose payload is filled with one number. */
    private record Chain(int first, List<Integer> blocks, byte mark) {}

    @Test
    void givesBlocksThatDoNotOverlapAndCountsThem() {
        Seeds.times(10, random -> {
            long budget = 1L << (16 + random.nextInt(6));
            BlockPool pool = new BlockPool(budget);
            List<Chain> chains = new ArrayList<>();
            long used = 0;
            for (int step = 0; step < 4_000; step++) {
                if (chains.isEmpty() || random.nextInt(100) < 55) {
                    Chain chain = allocate(pool, random);
                    used += bytes(pool, chain);
                    chains.add(chain);
                } else {
                    Chain chain = chains.remove(random.nextInt(chains.size()));
                    assertUntouched(pool, chain);
                    used -= bytes(pool, chain);
                    pool.free(chain.first());
                }
                assertThat(pool.used()).isEqualTo(used);
            }
            for (Chain chain : chains) {
                assertUntouched(pool, chain);
                pool.free(chain.first());
            }
            assertThat(pool.used()).isZero();
        });
    }

    @Test
    void findsTheSmallestClassThatHoldsAPayload() {
        for (int c = 0; c < BlockPool.CLASSES; c++) {
            int payload = (64 << c) - BlockPool.HEADER;
            assertThat(BlockPool.classFor(payload)).isEqualTo(c);
            assertThat(BlockPool.classFor(payload + 1)).isEqualTo(Math.min(c + 1, BlockPool.CLASSES - 1));
        }
        assertThat(BlockPool.classFor(0)).isZero();
        assertThat(BlockPool.classFor(1)).isZero();
        assertThat(BlockPool.classFor(1 << 20)).isEqualTo(BlockPool.CLASSES - 1);
    }

    @Test
    void takesLittleMemoryForFewRowsAndLargePagesForMany() {
        BlockPool pool = new BlockPool(4 << 20);
        int first = pool.allocate(0);
        int other = pool.allocate(1);
        assertThat(pool.page(first)).hasSize(16 << 10);
        assertThat(pool.page(other)).isNotSameAs(pool.page(first)).hasSize(16 << 10);

        int last = first;
        while (pool.used() < 1 << 20) {
            last = pool.allocate(0);
        }
        assertThat(pool.page(last)).hasSize(256 << 10);
        assertThat(pageOf(last)).as("16, 16, 32, 64, 128, and then 256 KB").isLessThan(5 + 4);
    }

    @Test
    void usesFreedMemoryOfOtherSizesWhenTheBudgetIsReached() {
        BlockPool pool = new BlockPool(1 << 20);
        List<Integer> small = new ArrayList<>();
        while (pool.used() < 1 << 20) {
            small.add(pool.allocate(0));
        }
        int pages = pageOf(small.get(small.size() - 1)) + 1;
        small.forEach(pool::free);
        while (pool.used() < 1 << 20) {
            int block = pool.allocate(BlockPool.CLASSES - 1);
            assertThat(pageOf(block)).isLessThan(pages);
        }
    }

    private static int pageOf(int address) {
        return address >>> 12;
    }

    private static Chain allocate(BlockPool pool, Random random) {
        byte mark = (byte) random.nextInt(256);
        List<Integer> blocks = new ArrayList<>();
        int previous = BlockPool.NONE;
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            int block = pool.allocate(random.nextInt(BlockPool.CLASSES));
            assertThat(pool.next(block)).isEqualTo(BlockPool.NONE);
            java.util.Arrays.fill(pool.page(block), pool.payload(block), pool.end(block), mark);
            if (previous != BlockPool.NONE) {
                pool.setNext(previous, block);
            }
            blocks.add(block);
            previous = block;
        }
        return new Chain(blocks.get(0), blocks, mark);
    }

    private static long bytes(BlockPool pool, Chain chain) {
        return chain.blocks().stream().mapToLong(b -> 64L << pool.sizeClass(b)).sum();
    }

    private static void assertUntouched(BlockPool pool, Chain chain) {
        int address = chain.first();
        for (int block : chain.blocks()) {
            assertThat(address).isEqualTo(block);
            for (int i = pool.payload(block); i < pool.end(block); i++) {
                if (pool.page(block)[i] != chain.mark()) {
                    throw new AssertionError("block " + block + " was overwritten at " + i);
                }
            }
            address = pool.next(block);
        }
        assertThat(address).isEqualTo(BlockPool.NONE);
    }
}
