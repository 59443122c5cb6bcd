package io.overdrive.jobs.bottleneck;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Grouping;
import io.overdrive.Overdrive;
import io.overdrive.ScanOptions;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.flow.Waits;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.load.LoadSummary;
import io.overdrive.jobs.load.Loader;
import io.overdrive.jobs.unload.UnloadOptions;
import io.overdrive.jobs.unload.Unloader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs with one real bottleneck each, which is made by the test and not met: however busy the machine is, they wait for it longer than for
 * anything else. {@link BottleneckTest} has the other causes, from figures.
 */
@Timeout(300)
class BottleneckIT {
    private static final String KEYSPACE = "files_bottleneck";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);
    private static final int ROWS_OF_A_PARTITION = 100;

    private final Path directory;

    BottleneckIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static void create(String table) {
        OVERDRIVE.session().execute("DROP TABLE IF EXISTS " + KEYSPACE + "." + table);
        OVERDRIVE.changeSchema(
                "CREATE TABLE " + KEYSPACE + "." + table + " (p int, c int, v text, PRIMARY KEY (p, c))");
    }

    private static String line(int number) {
        return number / ROWS_OF_A_PARTITION + "," + number + "," + "v".repeat(100) + "\n";
    }

    private Path file(int rows) throws IOException {
        return Files.writeString(
                directory.resolve("rows.csv"),
                "p,c,v\n"
                        + IntStream.range(0, rows).mapToObj(BottleneckIT::line).collect(Collectors.joining()));
    }

    private static LoadOptions.Builder from(Path... files) {
        return LoadOptions.of(List.of(files).stream().map(InputFile::of).toList());
    }

    private static Bottleneck load(Overdrive overdrive, WriteOptions.Builder write, LoadOptions options) {
        try (Loader loader = Loader.open(overdrive, write, options);
                BottleneckWatch watch = BottleneckWatch.start(loader::times)) {
            LoadSummary summary = loader.run();
            assertThat(summary.failure()).isNull();
            assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
            return Objects.requireNonNull(watch.overall());
        }
    }

    private static WriteOptions.Builder into(String table) {
        create(table);
        return WriteOptions.into(KEYSPACE, table);
    }

    private static Bottleneck unload(Overdrive overdrive, String table, OutputStream to) {
        UnloadOptions options = new UnloadOptions(
                null,
                null,
                new PrintStream(to, false, StandardCharsets.UTF_8),
                OutputFormat.builder(OutputFormat.Kind.CSV).build(),
                ValueFormat.DEFAULT,
                "none",
                2);
        try (Unloader unloader = Unloader.open(
                        overdrive, ScanOptions.from(KEYSPACE, table).build(), options);
                BottleneckWatch watch = BottleneckWatch.start(unloader::times)) {
            assertThat(unloader.run().failure()).isNull();
            return Objects.requireNonNull(watch.overall());
        }
    }

    private static void pause(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    @Test
    void aSlowPipeIsTheInput() throws Exception {
        Path pipe = directory.resolve("pipe.csv");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Thread writer = new Thread(() -> {
            try (OutputStream out = Files.newOutputStream(pipe)) {
                out.write("p,c,v\n".getBytes(StandardCharsets.UTF_8));
                for (int i = 0; i < 25; i++) {
                    out.write(line(i).getBytes(StandardCharsets.UTF_8));
                    pause(100);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        writer.setDaemon(true);
        writer.start();
        Bottleneck found = load(OVERDRIVE, into("piped"), from(pipe).build());
        assertThat(found.cause()).as(found.toString()).isEqualTo(Cause.INPUT);
        writer.join();
    }

    @Test
    void aSlowReaderIsTheOutput() throws IOException {
        try (Loader loader =
                Loader.open(OVERDRIVE, into("written"), from(file(2000)).build())) {
            assertThat(loader.run().failure()).isNull();
        }
        OutputStream slow = new OutputStream() {
            @Override
            public void write(int b) {
                pause(200);
            }

            @Override
            public void write(byte[] bytes, int from, int count) {
                pause(200);
            }
        };
        Bottleneck found = unload(OVERDRIVE, "written", slow);
        assertThat(found.cause()).as(found.toString()).isEqualTo(Cause.OUTPUT);
    }

    @Test
    void aLimitOfTheRateIsTheRateLimit() throws IOException {
        Bottleneck found = load(
                OVERDRIVE, into("paced").rowsPerSecond(500), from(file(1000)).build());
        assertThat(found.cause()).as(found.toString()).isEqualTo(Cause.RATE_LIMIT);
    }

    /** The figures from which the causes follow that have to do with the cluster. */
    @Test
    void aLoadMeasuresItsNodeAndItsPartitions() throws IOException {
        String singles =
                IntStream.range(0, 500).mapToObj(i -> "1," + i + ",x\n").collect(Collectors.joining());
        Path rows = Files.writeString(directory.resolve("singles.csv"), "p,c,v\n" + singles);
        try (Loader loader = Loader.open(
                OVERDRIVE,
                into("one").grouping(Grouping.NONE).inFlightRequests(1),
                from(rows).build())) {
            assertThat(loader.run().failure()).isNull();
            Waits waits = loader.times().waits().get(0);
            assertThat(Concentration.of(waits)).isEqualTo(new Concentration(1, 1));
            assertThat(waits.nodes()).hasSize(1);
            Waits.Node node = waits.nodes().get(0);
            assertThat(node.requests()).isEqualTo(500);
            assertThat(node.roundTripNanos()).isPositive();
            assertThat(node.inFlightNanos()).isPositive();
            assertThat(node.permitNanos()).isPositive();
            assertThat(loader.times().threadNanos()).isGreaterThan(node.permitNanos());
        }
    }
}
