package io.overdrive;

import static io.overdrive.TestCluster.execute;
import static io.overdrive.TestCluster.overdrive;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever the order of rows, the threads and the options: the table ends up like a map, and every row is accounted for. */
@Tag("server")
@Timeout(600)
class WholeIT {
    private static final String KS = TestCluster.keyspace("whole_it");
    private static final String LONG_KEY = "x".repeat(70_000);

    private static String table(String name) {
        execute("CREATE TABLE " + KS + "." + name + " (k int, c text, v text, w bigint, PRIMARY KEY (k, c))");
        return KS + "." + name;
    }

    /** A row of the input; its position is its place in the list. */
    private record Input(int k, String c, String v, long w) {
        boolean isGood() {
            return c.length() < 65_536;
        }
    }

    private static List<Input> input(int rows, int partitions, int clusterings, Random random) {
        List<Input> input = new ArrayList<>();
        boolean ordered = random.nextBoolean();
        for (int i = 0; i < rows; i++) {
            int k = ordered ? (int) ((long) i * partitions / rows) : random.nextInt(partitions);
            String c = random.nextInt(2_000) == 0 ? LONG_KEY : "c" + random.nextInt(clusterings);
            input.add(new Input(k, c, "v" + "y".repeat(random.nextInt(60)) + i, i));
        }
        return input;
    }

    /** Writes rows with their positions, divided among forks, each of which writes its share in random order. */
    private static void write(RowWriter writer, List<Input> input, int forks, Random random) throws Exception {
        List<List<Integer>> shares = new ArrayList<>();
        for (int f = 0; f < forks; f++) {
            shares.add(new ArrayList<>());
        }
        for (int i = 0; i < input.size(); i++) {
            shares.get(random.nextInt(forks)).add(i);
        }
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int f = 0; f < forks; f++) {
            List<Integer> share = shares.get(f);
            if (random.nextBoolean()) {
                Collections.shuffle(share, random);
            }
            RowWriter own = f == 0 ? writer : writer.fork();
            Thread thread = new Thread(() -> {
                for (int i : share) {
                    Input row = input.get(i);
                    own.row()
                            .position(i)
                            .setInt(0, row.k())
                            .setText(1, row.c())
                            .setText(2, row.v())
                            .setLong(3, row.w());
                    own.send();
                }
            });
            thread.setUncaughtExceptionHandler((t, e) -> failures.add(e));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }

    private static void assertTableIs(String table, List<Input> input) {
        Map<String, Input> model = new HashMap<>();
        for (Input row : input) {
            if (row.isGood()) {
                model.put(row.k() + "/" + row.c(), row);
            }
        }
        int found = 0;
        for (Row row : execute("SELECT k, c, v, w FROM " + table)) {
            Input expected = model.get(row.getInt(0) + "/" + row.getString(1));
            assertThat(new Input(row.getInt(0), row.getString(1), row.getString(2), row.getLong(3)))
                    .isEqualTo(expected);
            found++;
        }
        assertThat(found).isEqualTo(model.size());
    }

    private static void assertAccountedFor(RowWriter writer, List<Input> input, List<RejectedRow> rejected) {
        Totals totals = writer.totals();
        assertThat(totals.rowsTaken()).isEqualTo(input.size());
        assertThat(totals.rowsWritten() + totals.rowsRejected()).isEqualTo(input.size());
        assertThat(totals.rowsRejected()).isEqualTo(rejected.size());
        assertThat(totals.inFlightRequests()).isZero();
        assertThat(totals.inFlightBytes()).isZero();
        assertThat(totals.groupingBytes()).isZero();
        assertThat(rejected)
                .extracting(RejectedRow::position)
                .doesNotHaveDuplicates()
                .allSatisfy(position -> assertThat(
                                input.get(Math.toIntExact(position)).isGood())
                        .isFalse());
        assertThat(rejected)
                .hasSize((int) input.stream().filter(row -> !row.isGood()).count());
    }

    @Test
    void writesAnyInputWithAnyOptions() {
        String t = table("anything");
        Seeds.times(5, random -> {
            execute("TRUNCATE " + t);
            List<RejectedRow> rejected = Collections.synchronizedList(new ArrayList<>());
            WriteOptions.Builder options = WriteOptions.into(KS, "anything")
                    .columns("k", "c", "v", "w")
                    .grouping(Grouping.values()[random.nextInt(3)])
                    .batchBytes(random.nextBoolean() ? 64 << 10 : 1 + random.nextInt(20_000))
                    .batchRows(1 + random.nextInt(random.nextBoolean() ? 5 : 500))
                    .groupingMemory((1L << 20) << random.nextInt(4))
                    .inFlightRequests(1 + random.nextInt(random.nextBoolean() ? 4 : 300))
                    .inFlightBytes(1024 + random.nextInt(1 << 20))
                    .onReject(rejected::add);
            if (random.nextBoolean()) {
                options.bulk();
            }
            List<Input> input =
                    input(1_000 + random.nextInt(15_000), 1 + random.nextInt(3_000), 1 + random.nextInt(100), random);
            RowWriter writer = overdrive().writer(options.build());
            try (writer) {
                write(writer, input, 1 + random.nextInt(3), random);
            }
            assertAccountedFor(writer, input, rejected);
            assertTableIs(t, input);
        });
    }

    @ParameterizedTest
    @EnumSource(Grouping.class)
    void theLastRowOfAKeyWinsAcrossBatches(Grouping grouping) {
        String t = table("twins_" + grouping);
        Seeds.times(1, random -> {
            WriteOptions options = WriteOptions.into(
                            KS, "twins_" + grouping.name().toLowerCase(java.util.Locale.ROOT))
                    .columns("k", "c", "v", "w")
                    .grouping(grouping)
                    .batchRows(7)
                    .build();
            List<Input> input = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                input.add(new Input(i % 11, "c" + random.nextInt(5), "v" + i, i));
            }
            RowWriter writer = overdrive().writer(options);
            try (writer) {
                write(writer, input, 3, random);
            }
            assertAccountedFor(writer, input, List.of());
            assertTableIs(t, input);
        });
    }

    @Test
    void theLastRowOfAKeyWinsThroughTheDisk() {
        String t = table("spilled");
        Seeds.times(1, random -> {
            execute("TRUNCATE " + t);
            WriteOptions options = WriteOptions.into(KS, "spilled")
                    .bulk()
                    .columns("k", "c", "v", "w")
                    .groupingMemory(1 << 20)
                    .build();
            List<Input> input = new ArrayList<>();
            for (int i = 0; i < 40_000; i++) {
                input.add(new Input(random.nextInt(3_000), "c" + random.nextInt(10), "v" + i, i));
            }
            RowWriter writer = overdrive().writer(options);
            try (writer) {
                write(writer, input, 2, random);
            }
            assertAccountedFor(writer, input, List.of());
            assertThat(writer.totals().rowsSpilled()).isPositive();
            assertTableIs(t, input);
        });
    }

    @Test
    void goesOnWhenTheServerForgetsTheStatement() {
        String t = table("forgotten");
        Seeds.times(1, random -> {
            WriteOptions options = WriteOptions.into(KS, "forgotten")
                    .columns("k", "c", "v", "w")
                    .rowsPerSecond(10_000)
                    .build();
            List<Input> input = new ArrayList<>();
            for (int i = 0; i < 30_000; i++) {
                input.add(new Input(i / 10, "c" + i, "v" + i, i));
            }
            RowWriter writer = overdrive().writer(options);
            Thread forgetting = new Thread(() -> {
                for (int i = 0; i < 4; i++) {
                    // A change of the table removes its statements from the server's cache.
                    execute("ALTER TABLE " + t + " ADD more" + i + " int");
                    execute("ALTER TABLE " + t + " DROP more" + i);
                }
            });
            forgetting.start();
            try (writer) {
                write(writer, input, 1, random);
            }
            forgetting.join();
            assertAccountedFor(writer, input, List.of());
            assertTableIs(t, input);
        });
    }
}
