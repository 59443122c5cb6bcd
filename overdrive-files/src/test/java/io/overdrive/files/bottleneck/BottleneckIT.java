package io.overdrive.files.bottleneck;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.ConnectOptions;
import io.overdrive.Grouping;
import io.overdrive.GuardLimit;
import io.overdrive.Overdrive;
import io.overdrive.ScanOptions;
import io.overdrive.TcpProxy;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.files.Summary.Outcome;
import io.overdrive.files.load.LoadOptions;
import io.overdrive.files.load.LoadSummary;
import io.overdrive.files.load.Loader;
import io.overdrive.files.records.InputFile;
import io.overdrive.files.records.OutputFormat;
import io.overdrive.files.text.ValueFormat;
import io.overdrive.files.unload.UnloadOptions;
import io.overdrive.files.unload.Unloader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs with one real bottleneck each, so narrow that no other work on the machine comes near it. */
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
                for (int i = 0; i < 40; i++) {
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
        load(OVERDRIVE, into("written").rowsPerSecond(1000), from(file(2000)).build());
        OutputStream slow = new OutputStream() {
            @Override
            public void write(int b) {
                pause(500);
            }

            @Override
            public void write(byte[] bytes, int from, int count) {
                pause(500);
            }
        };
        Bottleneck found = unload(OVERDRIVE, "written", slow);
        assertThat(found.cause()).as(found.toString()).isEqualTo(Cause.OUTPUT);
    }

    @Test
    void aLimitOfTheRateIsTheRateLimit() throws IOException {
        Bottleneck found = load(
                OVERDRIVE, into("paced").rowsPerSecond(500), from(file(2000)).build());
        assertThat(found.cause()).as(found.toString()).isEqualTo(Cause.RATE_LIMIT);
    }

    @Test
    void aNarrowWayToTheNodeIsTheNetwork() throws IOException {
        Path rows = file(40_000);
        try (TcpProxy proxy = new TcpProxy(TestCluster.address(), new Random(1));
                Overdrive through = Overdrive.connect(
                        proxy.through().datacenter(TestCluster.datacenter()).build())) {
            proxy.throttle(400_000);
            Bottleneck ofWrites = load(through, into("narrow"), from(rows).build());
            assertThat(ofWrites.cause()).as(ofWrites.toString()).isEqualTo(Cause.NETWORK);
            Bottleneck ofReads = unload(through, "narrow", new ByteArrayOutputStream());
            assertThat(ofReads.cause()).as(ofReads.toString()).isEqualTo(Cause.NETWORK);
        }
    }

    /** Single rows, so that none is pending when the load is stopped. */
    private Path singles(IntUnaryOperator partition) throws IOException {
        return Files.writeString(
                directory.resolve("singles.csv"),
                "p,c,v\n"
                        + IntStream.range(0, 300_000)
                                .mapToObj(i -> partition.applyAsInt(i) + "," + i + ",x\n")
                                .collect(Collectors.joining()));
    }

    /** Loads these rows again and again for some seconds. */
    private static Bottleneck loadFor(
            int seconds, Overdrive overdrive, WriteOptions.Builder write, Path rows, boolean dryRun) {
        LoadOptions options = from(Collections.nCopies(5000, rows).toArray(Path[]::new))
                .dryRun(dryRun)
                .threads(4 * Runtime.getRuntime().availableProcessors())
                .build();
        try (Loader loader = Loader.open(overdrive, write, options);
                BottleneckWatch watch = BottleneckWatch.start(loader::times)) {
            Thread stopper = new Thread(() -> {
                pause(TimeUnit.SECONDS.toMillis(seconds));
                loader.stop();
            });
            stopper.start();
            assertThat(loader.run().failure()).isNull();
            return Objects.requireNonNull(watch.overall());
        }
    }

    @Test
    void aGuardThatHoldsBackIsTheGuard() throws IOException {
        ConnectOptions options = ConnectOptions.builder()
                .contactPoint(TestCluster.address())
                .datacenter(TestCluster.datacenter())
                .guard(GuardLimit.parse("p99=0.1ms"))
                .build();
        try (Overdrive guarded = Overdrive.connect(options)) {
            Bottleneck found =
                    loadFor(5, guarded, into("guarded").grouping(Grouping.NONE), singles(i -> i), /* dryRun */ false);
            assertThat(found.cause()).as(found.toString()).isEqualTo(Cause.GUARD);
        }
    }

    @Test
    void rowsOfOnePartitionAreSkew() throws IOException {
        Bottleneck found =
                loadFor(3, OVERDRIVE, into("one").grouping(Grouping.NONE), singles(i -> 1), /* dryRun */ false);
        assertThat(found.cause()).as(found.toString()).isEqualTo(Cause.SKEW);
        assertThat(found.evidence()).startsWith("one partition gets 100 % of the bytes");
    }

    @Test
    void aSmallNodeThatTakesSingleRowsIsTheCluster() throws IOException {
        Bottleneck found =
                loadFor(3, OVERDRIVE, into("all").grouping(Grouping.NONE), singles(i -> i), /* dryRun */ false);
        assertThat(found.cause()).as(found.toString()).isEqualTo(Cause.CLUSTER);
    }

    /** A dry run only parses. */
    @Test
    void rowsThatAreOnlyParsedAreClientCpu() throws IOException {
        Bottleneck found = loadFor(3, OVERDRIVE, into("parsed"), singles(i -> i), /* dryRun */ true);
        assertThat(found.cause()).as(found.toString()).isEqualTo(Cause.CLIENT_CPU);
    }

    /** A dry run beside a thread that has the JVM collect garbage without a pause. */
    @Test
    void garbageThatIsCollectedAllTheTimeIsGarbageCollection() throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        Thread collecting = new Thread(() -> {
            while (!enough.get()) {
                System.gc();
            }
        });
        collecting.start();
        try {
            Bottleneck found = loadFor(3, OVERDRIVE, into("collected"), singles(i -> i), /* dryRun */ true);
            assertThat(found.cause()).as(found.toString()).isEqualTo(Cause.GARBAGE_COLLECTION);
        } finally {
            enough.set(true);
            collecting.join();
        }
    }
}
