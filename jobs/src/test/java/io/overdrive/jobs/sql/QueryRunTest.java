package io.overdrive.jobs.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rows through an engine that copies them, or fails, with whatever ends one side. */
@Timeout(30)
class QueryRunTest {
    private static final int CHUNK = 1 << 20;

    private final Path directory;

    QueryRunTest(@TempDir Path directory) {
        this.directory = directory;
    }

    /** The work of an engine. */
    private interface Work {
        void run(InputStream input, OutputStream result) throws IOException;
    }

    private static SqlEngine engine(Work work) {
        return query -> new SqlEngine.Execution() {
            @Override
            public void run(InputStream input, OutputStream result) throws IOException {
                work.run(input, result);
            }

            @Override
            public void cancel() {
                // its input and its result end
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
    }

    /** Rows without an end, unless they fail after some chunks. */
    private static final class Endless implements QueryRun.Rows {
        private final int failsAfter;
        private volatile boolean stopped;

        Endless(int failsAfter) {
            this.failsAfter = failsAfter;
        }

        @Override
        public void write(OutputStream to) {
            for (int i = 0; !stopped; i++) {
                if (i == failsAfter) {
                    throw new OverdriveException(Kind.READ, "the rows end here");
                }
                try {
                    to.write(new byte[CHUNK]);
                } catch (IOException e) {
                    throw new OverdriveException(Kind.INTERRUPTED, "nobody reads", e);
                }
            }
            throw new OverdriveException(Kind.INTERRUPTED, "stopped");
        }

        @Override
        public void stop() {
            stopped = true;
        }
    }

    private QueryRun start(SqlEngine engine, QueryRun.Rows rows) {
        return QueryRun.start(engine, "SELECT", "input", directory, ZoneOffset.UTC, rows);
    }

    @Test
    void resultEndsWhenTheQueryWantsNoMoreRows() throws IOException {
        try (QueryRun run = start(engine((input, result) -> result.write(input.readNBytes(10))), new Endless(-1))) {
            assertThat(run.result().readAllBytes()).hasSize(10);
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void failureOfTheRowsIsThatOfTheResult() {
        SqlEngine copying = engine((input, result) -> {
            try {
                input.transferTo(result);
            } catch (OverdriveException e) {
                throw new IOException("wrapped by the engine", e);
            }
        });
        try (QueryRun run = start(copying, new Endless(3))) {
            assertThatThrownBy(() -> run.result().readAllBytes())
                    .isInstanceOf(OverdriveException.class)
                    .hasMessage("the rows end here");
        }
    }

    @Test
    void failureOfTheQueryIsNotHiddenByTheRowsThatItNoLongerReads() {
        SqlEngine failing = engine((input, result) -> {
            input.readNBytes(10);
            input.close();
            throw new OverdriveException(Kind.INPUT, "the query is wrong");
        });
        try (QueryRun run = start(failing, new Endless(-1))) {
            assertThatThrownBy(() -> run.result().readAllBytes()).hasMessage("the query is wrong");
        }
    }

    @Test
    void closingEndsRowsAndQuery() throws IOException {
        Endless rows = new Endless(-1);
        QueryRun run = start(engine(InputStream::transferTo), rows);
        assertThat(run.result().readNBytes(10)).hasSize(10);
        run.close();
        assertThat(rows.stopped).isTrue();
        assertThat(run.isLeftBehind()).isFalse();
        assertThatThrownBy(() -> run.result().read()).isInstanceOf(IOException.class);
    }

    @Test
    void filesOfKilledProcessesAreDeleted() throws IOException {
        Path abandoned = Files.createDirectory(directory.resolve("overdrive-sql-1"));
        Files.createFile(abandoned.resolve("lock"));
        Files.createFile(abandoned.resolve("rows"));
        Path others = Files.createDirectory(directory.resolve("other"));
        Files.createFile(others.resolve("lock"));
        try (TemporaryFiles first = TemporaryFiles.in(directory);
                TemporaryFiles second = TemporaryFiles.in(directory)) {
            assertThat(abandoned).doesNotExist();
            assertThat(first.path()).exists();
            assertThat(second.path()).exists();
        }
        assertThat(directory).isDirectoryContaining(others::equals);
        assertThat(directory.toFile().list()).containsExactly("other");
    }

    @Test
    void engineThatIsNotThereIsNamedWithTheWayToAddIt() {
        assertThatThrownBy(() -> SqlEngines.installed(null, directory))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(
                        "queries in SQL need DuckDB, which is not part of the installation (80 MB): add it once with mvn"
                                + " dependency:copy -Dartifact=org.duckdb:duckdb_jdbc:" + SqlEngines.VERSION
                                + " -DoutputDirectory=" + directory + ", or put duckdb_jdbc-" + SqlEngines.VERSION
                                + ".jar there by hand");
    }
}
