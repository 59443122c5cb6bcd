package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.simulated.SimulatedCluster;
import io.overdrive.simulated.SimulatedNode;
import io.overdrive.simulated.SimulatedOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SIGTERM ends a process, whatever it waits for; how long that may take is a test of {@link Interrupts}. */
@Tag("nightly")
@Timeout(240)
class SigtermTest {
    /** The exit code of a process that a signal ends before the command handles it. */
    private static final int TERMINATED = 128 + 15;

    private static final String TABLE = SimulatedCluster.TABLE;

    private final Path directory;
    private final Path err;
    private final SimulatedCluster cluster = SimulatedCluster.start(
            SimulatedOptions.builder().nodesPerDatacenter(3).rows(2_000_000).build());

    @SuppressWarnings("NullAway.Init")
    private Process process;

    SigtermTest(@TempDir Path directory) {
        this.directory = directory;
        err = directory.resolve("err");
    }

    @BeforeEach
    void createDirectories() throws IOException {
        Files.createDirectory(directory.resolve("spills"));
    }

    @AfterEach
    void close() {
        process.destroyForcibly();
        cluster.close();
    }

    private void start(String... arguments) throws IOException {
        List<String> command = Child.command(arguments);
        command.addAll(List.of("--host", cluster.contactPoint()));
        process = new ProcessBuilder(command)
                .redirectError(err.toFile())
                .redirectOutput(directory.resolve("out").toFile())
                .start();
    }

    /** Gives rows in no order, again and again one of each of so many partitions. */
    private Feed feed(int partitions) {
        return Feed.start(
                process,
                "id,n,label",
                i -> new UUID(i % partitions * 0x9E3779B97F4A7C15L, 0) + "," + i + ",row " + i,
                Integer.MAX_VALUE);
    }

    private void await(BooleanSupplier state) throws Exception {
        while (!state.getAsBoolean()) {
            assertThat(process.isAlive()).as("runs: %s", Files.readString(err)).isTrue();
            Thread.sleep(20);
        }
    }

    private void terminate() throws Exception {
        Child.signal(process, "TERM");
        int code = process.waitFor();
        String said = Files.readString(err);
        assertThat(code).as(said).isIn(Main.INTERRUPTED, TERMINATED);
        assertThat(said)
                .contains(
                        code == TERMINATED ? "overdrive: ended by SIGTERM\n" : "; press Ctrl-C again to end at once\n");
    }

    /** Whether it has a file of spilled rows open, which has no name any more. */
    private boolean hasSpilled() {
        try (Stream<Path> open = Files.list(Path.of("/proc", process.pid() + "", "fd"))) {
            return open.anyMatch(each -> target(each).startsWith(spills()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    @Test
    void endsTheConnectingToAClusterThatHangs() throws Exception {
        cluster.nodes().forEach(SimulatedNode::hang);
        start("count", TABLE);
        await(() -> cluster.counts().connections() > 0);
        terminate();
    }

    @Test
    void endsTheConnectingToAClusterThatHangsAfterTheSetUp() throws Exception {
        cluster.nodes().forEach(SimulatedNode::hangAfterConnect);
        start("count", TABLE);
        await(() -> cluster.counts().requests() > 0);
        terminate();
    }

    @Test
    void endsAScanOfWhichANodeHangs() throws Exception {
        start("unload", TABLE, directory.resolve("out.csv").toString(), "--rows-per-second", "20k");
        await(() -> cluster.counts().rowsRead() > 0);
        cluster.nodes().get(1).hangAfterConnect();
        terminate();
    }

    @Test
    void endsAScanOfWhichAllNodesHang() throws Exception {
        start("count", TABLE, "--rows-per-second", "20k");
        await(() -> cluster.counts().rowsRead() > 0);
        cluster.nodes().forEach(SimulatedNode::hangAfterConnect);
        terminate();
    }

    @Test
    void endsALoadThatSpills() throws Exception {
        Cli created = Cli.run(
                "cql",
                "CREATE TABLE simulated.grouped (id uuid, n bigint, label text, PRIMARY KEY (id, n))",
                "--host",
                cluster.contactPoint());
        assertThat(created.code()).as(created.err()).isZero();
        start("load", "-", "simulated.grouped", "--grouping-memory", "1MB", "--spill-directory", spills());
        Feed unused = feed(/* partitions */ 10_000);
        await(this::hasSpilled);
        cluster.nodes().forEach(SimulatedNode::hangAfterConnect);
        terminate();
    }

    private String spills() {
        return directory.resolve("spills").toString();
    }

    @Test
    void endsAVerificationThatSorts() throws Exception {
        start("verify", "-", TABLE, "--sort-memory", "8MB", "--spill-directory", spills());
        Feed unused = feed(/* partitions */ Integer.MAX_VALUE);
        await(this::hasSpilled);
        terminate();
    }

    @Test
    void endsALoadBySstablesThatSorts() throws Exception {
        startSstables();
        Feed unused = feed(/* partitions */ Integer.MAX_VALUE);
        await(this::hasSpilled);
        terminate();
    }

    @Test
    void endsTheWritingOfSstables() throws Exception {
        startSstables();
        Feed feed = feed(/* partitions */ Integer.MAX_VALUE);
        await(this::hasSpilled);
        int unused = feed.endAt(1_000_000);
        await(() -> written() > 0);
        terminate();
    }

    private void startSstables() throws IOException {
        String sstables = directory.resolve("sstables").toString();
        start(
                "load",
                "-",
                TABLE,
                "--sstables",
                "--sstable-directory",
                sstables,
                "--grouping-memory",
                "8MB",
                "--spill-directory",
                spills());
    }

    /** Bytes of data files. */
    private long written() {
        try (Stream<Path> all = Files.walk(directory.resolve("sstables"))) {
            return all.filter(each -> each.toString().endsWith("-Data.db"))
                    .mapToLong(each -> each.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
