package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeProcessTest {
    private final Path directory;
    private final Path nodeDirectory;
    private Process process;

    NodeProcessTest(@TempDir Path temporary) throws IOException {
        directory = temporary.toRealPath();
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
        Process owner = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        OwnerMain.class.getName(),
                        directory.toString())
                .start();
        assertThat(owner.getInputStream().read()).isEqualTo('!');
        assertThat(process.isAlive()).isTrue();
        owner.destroyForcibly().waitFor();

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void leavesTheNodesOfAnOwnerThatLetsGo() throws Exception {
        Owner owner = Owner.of(directory, line -> {});
        assertThat(owner.isHeld()).isTrue();
        owner.release();
        owner.release();

        assertThat(owner.isHeld()).isFalse();
        assertThat(process.waitFor(200, TimeUnit.MILLISECONDS)).isFalse();
    }

    /** A JVM that owns the nodes of a directory and then hangs. */
    static final class OwnerMain {
        private OwnerMain() {}

        public static void main(String[] arguments) throws Exception {
            Owner.of(Path.of(arguments[0]), line -> {});
            System.out.print('!');
            System.out.flush();
            Thread.sleep(120_000);
        }
    }
}
