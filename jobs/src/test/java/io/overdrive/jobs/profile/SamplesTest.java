package io.overdrive.jobs.profile;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Seeds;
import io.overdrive.jobs.PartitionSample;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The samples of a profile, against figures of all rows. */
class SamplesTest {
    @Test
    void partsOfTheInputGiveTheSameSampleInAnyOrder() {
        Seeds.times(20, random -> {
            long[] tokens = random.longs(5_000).toArray();
            PartitionSample whole = new PartitionSample(100);
            PartitionSample first = new PartitionSample(100);
            PartitionSample second = new PartitionSample(100);
            for (int i = 0; i < 20_000; i++) {
                long token = tokens[random.nextInt(tokens.length)];
                whole.add(token, 1, 10, 1);
                (random.nextInt(10) == 0 ? first : second).add(token, 1, 10, 1);
            }
            second.add(first);
            assertThat(second.factor()).isEqualTo(whole.factor());
            assertThat(second.runs(Set.of())).isEqualTo(whole.runs(Set.of()));
            assertThat(sizes(second).byRows()).isEqualTo(sizes(whole).byRows());
            assertThat(whole.kept()).isBetween(1, 100);
            // a standard error of 1 / sqrt(50) at most: four of them
            assertThat(sizes(whole).partitions()).isBetween(2_000.0, 8_000.0);
        });
    }

    private static PartitionSizes sizes(PartitionSample sample) {
        PartitionSizes sizes = new PartitionSizes();
        sample.addSizes(sizes::add, Set.of());
        return sizes;
    }

    @Test
    void sequencesThatBlocksCutCountOnce() {
        Seeds.times(200, random -> {
            long[] rows = random.longs(200, 0, 3).toArray();
            List<int[]> blocks = new ArrayList<>();
            for (int from = 0; from < rows.length; ) {
                int to = Math.min(rows.length, from + 1 + random.nextInt(7));
                blocks.add(new int[] {from, to});
                from = to;
            }
            Collections.shuffle(blocks, new Random(random.nextLong()));
            BlockEnds ends = new BlockEnds();
            PartitionSample sample = new PartitionSample(10);
            for (int[] block : blocks) {
                for (int i = block[0]; i < block[1]; i++) {
                    sample.add(rows[i], 1, 1, i == block[0] || rows[i] != rows[i - 1] ? 1 : 0);
                }
                ends.add(block[0], block[1], rows[block[0]], rows[block[1] - 1]);
            }
            long joined = ends.correct(sample);
            long runs = 1;
            for (int i = 1; i < rows.length; i++) {
                runs += rows[i] != rows[i - 1] ? 1 : 0;
            }
            assertThat(sample.runs(Set.of())).isEqualTo(runs);
            assertThat(joined).isEqualTo(blocksThatContinue(rows, blocks));
        });
    }

    private static long blocksThatContinue(long[] rows, List<int[]> blocks) {
        return blocks.stream()
                .filter(block -> block[0] > 0 && rows[block[0]] == rows[block[0] - 1])
                .count();
    }

    @Test
    void aSampleOfRowsShowsAllDuplicatesOfItsRows() {
        Seeds.times(10, random -> {
            KeySamples first = new KeySamples(2);
            KeySamples second = new KeySamples(2);
            for (int i = 0; i < 40_000; i++) {
                long[] row = {hash(i / 2), hash(i % 2)}; // each value of the first column twice, each pair once
                (random.nextBoolean() ? first : second).add(row);
            }
            first.add(second);
            assertThat(first.isWhole(0)).isFalse();
            assertThat(first.rows(0)).isBetween(1_000, 4_096);
            assertThat(first.duplicates(0, new int[] {0})).isEqualTo(first.rows(0) / 2);
            assertThat(first.duplicates(0, new int[] {0, 1})).isZero();
        });
    }

    private static long hash(long value) {
        long hash = (value + 1) * 0x9E3779B97F4A7C15L;
        return (hash ^ hash >>> 31) * 0xBF58476D1CE4E5B9L;
    }
}
