package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeProcessTest {
    private final Path directory;
    private final Path nodeDirectory;
    private Process process;

    NodeProcessTest(@TempDir Path temporary) throws IOException {
        directory = temporary.toRealPath().resolve("cluster");
        nodeDirectory = directory.resolve("node1");
        process = Fakes.node(nodeDirectory, "");
    }

    @AfterEach
    void endShell() {
        process.destroyForcibly();
    }

    @Test
    void findsANodeByItsMarkEvenWithoutItsDirectory() {
        assertThat(NodeProcess.find(nodeDirectory).orElseThrow().pid()).isEqualTo(process.pid());
        assertThat(NodeProcess.find(directory.resolve("node11"))).isEmpty();
        assertThat(NodeProcess.under(directory)).hasSize(1);
        assertThat(NodeProcess.under(directory.resolve("other"))).isEmpty();
    }

    @Test
    void pausesAndResumes() {
        NodeProcess.pause(process.toHandle());
        assertThat(NodeProcess.isPaused(process.toHandle())).isTrue();
        NodeProcess.resume(process.toHandle());
        assertThat(NodeProcess.isPaused(process.toHandle())).isFalse();
    }

    @Test
    void stopsAPausedNode() {
        NodeProcess.pause(process.toHandle());
        NodeProcess.stop(List.of(process.toHandle()), Duration.ofSeconds(5));

        assertThat(NodeProcess.find(nodeDirectory)).isEmpty();
    }

    @Test
    void killsANodeThatDoesNotEnd() throws IOException {
        process.destroyForcibly();
        process = Fakes.node(nodeDirectory, "trap '' TERM; ");
        NodeProcess.stop(NodeProcess.under(directory), Duration.ofMillis(200));

        assertThat(NodeProcess.find(nodeDirectory)).isEmpty();
    }

    @Test
    void endsTheNodesOfAnOwnerThatIsKilled() throws Exception {
        startOwner(/* delete */ false).destroyForcibly().waitFor();

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void deletesTheDirectoryOfAnOwnerThatEndsOrIsKilled(boolean killed) throws Exception {
        Files.createDirectories(nodeDirectory.resolve("data"));
        Files.writeString(nodeDirectory.resolve("data/rows"), "rows");
        Process owner = startOwner(/* delete */ true);
        if (killed) {
            owner.destroyForcibly();
        } else {
            owner.destroy();
        }

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (Files.exists(directory) && System.nanoTime() - deadline < 0) {
            Sleep.millis(10);
        }
        assertThat(directory).doesNotExist();
    }

    private Process startOwner(boolean delete) throws IOException {
        Process owner = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        OwnerMain.class.getName(),
                        directory.toString(),
                        Boolean.toString(delete))
                .start();
        assertThat(owner.getInputStream().read()).isEqualTo('!');
        assertThat(process.isAlive()).isTrue();
        return owner;
    }

    @Test
    void leavesTheNodesOfAnOwnerThatLetsGo() throws Exception {
        JvmOwner owner = JvmOwner.of(directory, /* delete */ false, line -> {});
        assertThat(owner.isHeld()).isTrue();
        ProcessHandle watchdog = ProcessHandle.current()
                .children()
                .filter(child ->
                        child.info().commandLine().orElse("").contains(Watchdog.class.getName() + " " + directory))
                .findFirst()
                .orElseThrow();
        owner.release();
        owner.release();

        assertThat(owner.isHeld()).isFalse();
        watchdog.onExit().get(60, TimeUnit.SECONDS); // nothing is left that could end the node
        assertThat(process.isAlive()).isTrue();
    }

    /** A JVM that owns the nodes of a directory and then hangs. */
    static final class OwnerMain {
        private OwnerMain() {}

        public static void main(String[] arguments) throws Exception {
            JvmOwner.of(Path.of(arguments[0]), Boolean.parseBoolean(arguments[1]), line -> {});
            System.out.print('!');
            System.out.flush();
            Thread.sleep(120_000);
        }
    }
}
