package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.TestCluster;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Cells almost as large as the server takes them, in the memory that the launcher gives. */
@Timeout(300)
class LargeCellIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_large_cells");
    private static final String TABLE = KEYSPACE + ".t";
    private static final int CELLS = 20;
    private static final int CELL_BYTES = 12_900_000;
    /** Twice the default: if each thread kept one array of a record while it waits, heap or direct memory would be full. */
    private static final int THREADS = 16;

    @Test
    @Tag("nightly")
    void loadsWithMoreThreadsThanFitIfEachKeptARecord(@TempDir Path directory) throws Exception {
        TestCluster.execute("CREATE TABLE " + TABLE + " (id int PRIMARY KEY, v text)");
        Path file = directory.resolve("large.csv");
        write(file, CELLS, CELL_BYTES);
        Path err = directory.resolve("err");
        List<String> load = Child.command("load", file.toString(), TABLE, "--host", TestCluster.host());
        load.addAll(List.of("--threads", String.valueOf(THREADS)));
        load.addAll(List.of("--rejects", directory.resolve("rejects").toString()));
        load.addAll(
                List.of("--patience", "60")); // direct memory that is used up is waited for as if the node were down
        Process process = new ProcessBuilder(load)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(err.toFile())
                .start();
        try {
            assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(err)).doesNotContain("memory");
        assertThat(process.exitValue()).as(Files.readString(err)).isZero();
        for (int id = 0;
                id < CELLS;
                id++) { // in sequence: the node reads whole cells, and its heap does not hold all of them
            assertThat(TestCluster.execute("SELECT id FROM " + TABLE + " WHERE id = " + id))
                    .as("row " + id)
                    .hasSize(1);
        }
    }

    /** The server has no estimate of the size of a new table, so four splits request pages of four rows each: more than direct memory. */
    @Test
    void unloadsPagesThatAreLargerThanTheDirectMemory(@TempDir Path directory) throws Exception {
        String table = KEYSPACE + ".unloaded";
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, v text)");
        Path file = directory.resolve("large.csv");
        write(file, /* cells */ 24, /* cellBytes */ 8_000_000);
        Path unloaded = directory.resolve("unloaded.csv");
        for (List<String> command : List.of(
                Child.command("load", file.toString(), table, "--host", TestCluster.host()),
                Child.command("unload", table, unloaded.toString(), "--host", TestCluster.host()))) {
            Path err = directory.resolve("err");
            Process process = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(err.toFile())
                    .start();
            try {
                assertThat(process.waitFor(2, TimeUnit.MINUTES))
                        .as(Files.readString(err))
                        .isTrue();
            } finally {
                process.destroyForcibly();
            }
            assertThat(process.exitValue()).as(Files.readString(err)).isZero();
        }
        assertThat(unloaded).hasSize(Files.size(file));
    }

    private static void write(Path file, int cells, int cellBytes) throws IOException {
        String cell = "x".repeat(cellBytes);
        try (Writer out = Files.newBufferedWriter(file)) {
            out.write("id,v\n");
            for (int i = 0; i < cells; i++) {
                out.write(i + "," + cell + "\n");
            }
        }
    }
}
