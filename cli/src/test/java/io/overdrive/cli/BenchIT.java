package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.TestCluster;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Result;
import io.overdrive.bench.report.Results;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Experiments from the command line: on an existing cluster, and on one that is started for them. */
class BenchIT {
    private final Path directory;
    private @Nullable Process process;

    BenchIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @AfterEach
    void end() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    @Test
    void experimentsOnTheUsersClusterLeaveTablesAndFiles() {
        Path out = directory.resolve("reports");
        Cli bench = Cli.run(
                "bench",
                "grouping-order",
                "sort-first",
                "--preset=tiny",
                "--rows=200",
                "--host",
                TestCluster.host(),
                "--out",
                out.toString());
        assertThat(bench.code()).as(bench.err()).isEqualTo(Main.DONE);
        assertThat(bench.out())
                .startsWith("Grouping and order of rows: How fast are rows written")
                .containsPattern("order +grouping +rows per second +client CPU")
                .containsPattern("round robin +partition, Overdrive +[0-9,]+ .* 1\n")
                .contains("inconclusive: ");
        assertThat(bench.err()).contains("report: " + out.resolve("grouping-order.html"));
        assertThat(out.resolve("grouping-order.html")).content().contains("<h1>Grouping and order of rows</h1>");
        Result result = Results.read(out.resolve("grouping-order.json"));
        assertThat(result.complete()).isTrue();
        assertThat(result.command())
                .isEqualTo("overdrive bench grouping-order --preset=tiny --rows=200 --host " + TestCluster.host()
                        + " --out " + out);
        assertThat(Results.read(out.resolve("sort-first.json")).command())
                .isEqualTo("overdrive bench sort-first --preset=tiny --rows=200 --host " + TestCluster.host()
                        + " --out " + out);
        assertThat(result.environment().get("figures of the nodes")).contains("none: with --jmx-port");
        assertThat(result.measurements()).hasSize(15).allSatisfy(run -> assertThat(run.figures())
                .containsEntry(Figure.ROWS, 200.0)
                .containsKey(Figure.CLIENT_CPU)
                .doesNotContainKey(Figure.SERVER_CPU));
        assertThat(TestCluster.execute("SELECT keyspace_name FROM system_schema.keyspaces")
                        .toString())
                .doesNotContain("overdrive_bench");
    }

    @Test
    @Tag("nightly")
    void resultsAreComparedAndShownAgain() throws IOException {
        String reports = directory.toString();
        Path before = directory.resolve("sort-first.json");
        Path after = directory.resolve("after.json");
        String[] run = {
            "bench",
            "sort-first",
            "--preset=tiny",
            "--rows=200",
            "--repeat=2",
            "--host",
            TestCluster.host(),
            "--out",
            reports
        };
        assertThat(Cli.run(run).code()).isEqualTo(Main.DONE);
        Files.move(before, after);
        assertThat(Cli.run(run).code()).isEqualTo(Main.DONE);
        Path page = directory.resolve("compare.html");
        Cli compare = Cli.run("bench", "compare", before.toString(), after.toString(), "--out", page.toString());
        assertThat(compare.code()).as(compare.err()).isEqualTo(Main.DONE);
        assertThat(compare.out())
                .startsWith("Sorting first: rows per second, 4 variants: ")
                .containsPattern("in each task +(faster|slower|no difference shown) ");
        assertThat(page).content().contains("<h1>Sorting first: before and after</h1>");
        Files.delete(directory.resolve("sort-first.html"));
        Cli pages = Cli.run("bench", "pages", reports);
        assertThat(pages.out()).isEqualTo("reports of 1 experiments: " + directory.resolve("index.html") + "\n");
        assertThat(directory.resolve("sort-first.html")).content().contains("<figure");
        assertThat(directory.resolve("index.html")).content().contains("href=\"sort-first.html\"");
    }

    @Test
    @Timeout(600)
    @Tag("nightly")
    void separatesTheNodesFromTheClient() throws Exception {
        Path out = directory.resolve("lab.out");
        List<String> command = Child.command(
                "bench",
                "sort-first",
                "--preset=tiny",
                "--rows=200",
                "--repeat=1",
                "--lab",
                "--out",
                directory.toString());
        Process bench = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        process = bench;
        assertThat(bench.waitFor(500, TimeUnit.SECONDS)).as("ended").isTrue();
        assertThat(bench.exitValue()).as(Files.readString(out)).isEqualTo(Main.DONE);
        assertThat(Results.read(directory.resolve("sort-first.json"))
                        .environment()
                        .get("laboratory"))
                .matches(
                        "(processors [0-9,]+ for .* for the client|one processor for all|processors shared by all .*); "
                                + "([0-9,]+ MiB of memory for each node.*|memory shared by all .*); the network is this machine's own");
    }

    @Test
    @Timeout(600)
    @Tag("nightly")
    void ctrlCKeepsWhatWasMeasuredAndDeletesTheClusterThatWasStarted() throws Exception {
        Path temporary = Files.createDirectory(directory.resolve("tmp"));
        Path err = directory.resolve("err");
        List<String> command = Child.command(
                "bench",
                "grouping-order",
                "--preset=tiny",
                "--repeat=10000",
                "--json",
                "--out",
                directory.resolve("reports").toString());
        command.add(1, "-Djava.io.tmpdir=" + temporary);
        Process bench = new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(err.toFile())
                .start();
        process = bench;
        while (!hasTable(temporary)) {
            assertThat(bench.isAlive()).as("runs: %s", Files.readString(err)).isTrue();
            Thread.sleep(100);
        }
        assertThat(processes(temporary)).as("the node").isNotEmpty();
        Child.signal(bench, Child.interrupt());
        assertThat(bench.waitFor(180, TimeUnit.SECONDS)).as("ended").isTrue();
        assertThat(bench.exitValue()).as(Files.readString(err)).isEqualTo(Main.INTERRUPTED);
        assertThat(err).content().contains("overdrive: ends here, and keeps what was measured");
        Result result = Results.read(directory.resolve("reports").resolve("grouping-order.json"));
        assertThat(result.complete()).isFalse();
        assertThat(Results.fromJson(Files.readString(directory.resolve("out")))).isEqualTo(result);
        assertThat(processes(temporary)).as("the node").isEmpty();
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left.filter(file -> file.getFileName().toString().startsWith("overdrive-bench")))
                    .isEmpty();
        }
    }

    private static boolean hasTable(Path temporary) throws IOException {
        try (Stream<Path> files = Files.walk(temporary, 6)) {
            return files.anyMatch(file -> file.getFileName().toString().startsWith("wide_rows-"));
        } catch (UncheckedIOException e) {
            return false; // the file was deleted meanwhile
        }
    }

    private static List<Long> processes(Path directory) {
        return ProcessHandle.allProcesses()
                .filter(each -> each.info()
                        .commandLine()
                        .filter(line -> line.contains("cassandra.storagedir=" + directory)
                                || line.contains(directory + "/overdrive-bench"))
                        .isPresent())
                .map(ProcessHandle::pid)
                .toList();
    }
}
