package io.overdrive.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Grouping;
import io.overdrive.Seeds;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Plan.Encoded;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The requests of rows, from those that a dry run has encoded. */
class EncodedRowsTest {
    private static final WriteOptions OPTIONS =
            WriteOptions.into("ks", "t").batchBytes(1_000).batchRows(50).build();

    private static Encoded total(EncodedRows rows, Grouping grouping) {
        return rows.total(grouping, /* maxGatheredRows */ 10, OPTIONS);
    }

    @Test
    void countsFullBatchesOfEachPartitionInAnyOrder() {
        Seeds.times(50, random -> {
            EncodedRows rows = new EncodedRows();
            List<EncodedRows.Part> parts = List.of(rows.part(), rows.part());
            Map<Long, long[]> partitions = new HashMap<>();
            int count = random.nextInt(5_000);
            int distinct = 1 + random.nextInt(1_000);
            for (int i = 0; i < count; i++) {
                long token = random.nextInt(distinct) * 0x9E3779B97F4A7C15L;
                int bytes = random.nextInt(400);
                parts.get(random.nextInt(2)).add(token, bytes);
                long[] sums = partitions.computeIfAbsent(token, t -> new long[2]);
                sums[0]++;
                sums[1] += bytes;
            }
            long batches = partitions.values().stream()
                    .mapToLong(sums -> Math.max((sums[0] + 49) / 50, (sums[1] + 999) / 1_000))
                    .sum();
            long bytes = partitions.values().stream().mapToLong(sums -> sums[1]).sum();
            Encoded found = total(rows, Grouping.PARTITION);
            assertThat(found.rows()).isEqualTo(count);
            assertThat(found.bytes()).isEqualTo(bytes);
            assertThat(found.partitions()).isEqualTo(partitions.size());
            assertThat(found.requests()).isEqualTo(Math.min(count, batches));
            assertThat(found.minRequests()).isBetween(Math.min(1L, count), found.requests());
            assertThat(total(rows, Grouping.PARTITION))
                    .as("the same, asked again")
                    .isEqualTo(found);
        });
    }

    @Test
    void estimatesTheRequestsOfManyPartitions() {
        Seeds.times(5, random -> {
            EncodedRows rows = new EncodedRows();
            EncodedRows.Part part = rows.part();
            for (int i = 0; i < 100_000; i++) {
                long token = random.nextLong();
                part.add(token, 100);
                part.add(token, 100);
            }
            assertThat(total(rows, Grouping.PARTITION).requests()).isBetween(95_000L, 105_000L);
        });
    }

    @Test
    void theLargestPartitionCountsEvenIfTheSampleLacksIt() {
        Seeds.times(5, random -> {
            EncodedRows rows = new EncodedRows();
            EncodedRows.Part part = rows.part();
            for (int i = 0; i < 200_000; i++) {
                part.add(/* token */ -1, 1_000); // its hash is the highest one
                part.add(random.nextLong(), 1);
            }
            assertThat(total(rows, Grouping.PARTITION).requests()).isGreaterThanOrEqualTo(200_000);
        });
    }

    @Test
    void singleRowsTakeARequestEachOrShareIt() {
        EncodedRows rows = new EncodedRows();
        EncodedRows.Part part = rows.part();
        for (int i = 0; i < 1_000; i++) {
            part.add(i * 0x9E3779B97F4A7C15L, 100);
        }
        for (Grouping grouping : List.of(Grouping.PARTITION, Grouping.NONE)) {
            assertThat(total(rows, grouping)).isEqualTo(new Encoded(1_000, 100_000, 1_000, 100, 1_000));
        }
        assertThat(total(rows, Grouping.REPLICA_SET)).isEqualTo(new Encoded(1_000, 100_000, 1_000, 100, 100));
    }

    @Test
    void noRowsTakeNoRequest() {
        for (Grouping grouping : Grouping.values()) {
            assertThat(total(new EncodedRows(), grouping)).isEqualTo(new Encoded(0, 0, 0, 0, 0));
        }
    }
}
