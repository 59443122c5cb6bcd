package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Cells almost as large as the server accepts, with the memory settings of the launcher. */
@Timeout(300)
class LargeCellIT {
    private static final String TABLE = TestCluster.keyspace("cli_large_cells") + ".t";
    private static final int CELLS = 20;
    private static final int CELL_BYTES = 12_900_000;

    @Test
    void loadsWithEightThreads(@TempDir Path directory) throws Exception {
        TestCluster.execute("CREATE TABLE " + TABLE + " (id int PRIMARY KEY, v text)");
        Path file = directory.resolve("large.csv");
        write(file);
        Path err = directory.resolve("err");
        Process load = new ProcessBuilder(
                        Child.command("load", file.toString(), TABLE, "--threads", "8", "--host", TestCluster.host()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(err.toFile())
                .start();
        assertThat(load.waitFor(4, TimeUnit.MINUTES)).isTrue();
        assertThat(Files.readString(err)).doesNotContain("memory");
        assertThat(load.exitValue()).as(Files.readString(err)).isZero();
        assertThat(TestCluster.execute("SELECT id FROM " + TABLE)).hasSize(CELLS);
    }

    private static void write(Path file) throws IOException {
        String cell = "x".repeat(CELL_BYTES);
        try (Writer out = Files.newBufferedWriter(file)) {
            out.write("id,v\n");
            for (int i = 0; i < CELLS; i++) {
                out.write(i + "," + cell + "\n");
            }
        }
    }
}
