package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.formats.records.Read;
import io.overdrive.jobs.Summary.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of Arrow and Parquet that pyarrow has made, into tables. */
@Timeout(300)
class ColumnarIT {
    private static final String KEYSPACE = "columnar_load";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);
    private static final String SOME =
            "id = id, u8 = n, us = at, large = word, map = counts, struct = pair, list = numbers";

    private final Path directory;
    private final Loads loads;

    ColumnarIT(@TempDir Path directory) {
        this.directory = directory;
        this.loads = new Loads(directory);
    }

    @BeforeAll
    static void createTables() {
        for (String table : new String[] {"wide", "narrow"}) {
            OVERDRIVE
                    .session()
                    .execute("CREATE TABLE " + KEYSPACE + "." + table + " (id bigint PRIMARY KEY, n "
                            + (table.equals("wide") ? "int" : "tinyint")
                            + ", at timestamp, word text, counts map<text, bigint>, pair frozen<tuple<int, text>>,"
                            + " numbers set<int>)");
        }
    }

    private Path file(String name) throws IOException {
        Path copy = directory.resolve(name);
        try (InputStream in = Objects.requireNonNull(
                Read.class.getResourceAsStream("/" + name.substring(name.indexOf('.') + 1) + "/" + name))) {
            Files.copy(in, copy);
        }
        return copy;
    }

    private static Row row(String table, long id) {
        return Objects.requireNonNull(OVERDRIVE
                .session()
                .execute("SELECT * FROM " + KEYSPACE + "." + table + " WHERE id = " + id)
                .one());
    }

    @ParameterizedTest
    @ValueSource(strings = {"types.arrow", "snappy.parquet"})
    void typesOfTheFileBecomeTypesOfTheTable(String name) throws IOException {
        loads.file(file(name)).map(SOME).allowExtraFields();
        LoadSummary summary = loads.run(OVERDRIVE, WriteOptions.into(KEYSPACE, "wide"));
        // the last row has a time that is finer than a timestamp
        assertThat(summary.failure()).isNull();
        assertThat(summary.rowsRead()).isEqualTo(3);
        assertThat(summary.rowsWritten()).isEqualTo(2);
        assertThat(row("wide", 1).getFormattedContents())
                .contains("at:'2024-02-29T12:30:15.000Z'")
                .contains("n:255")
                .contains("{'a':1,'b':2}")
                .contains("(1,'a')")
                .contains("numbers:{1,2}");
        assertThat(row("wide", 2).isNull("n")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"types.arrow,batch", "snappy.parquet,row group"})
    void rejectedRowsAreJsonThatLoads(String name, String group) throws IOException {
        loads.file(file(name)).map(SOME).allowExtraFields();
        LoadSummary summary = loads.run(OVERDRIVE, WriteOptions.into(KEYSPACE, "narrow"));
        assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
        assertThat(summary.rowsRejected()).isEqualTo(2);
        // its two batches are parsed at the same time
        assertThat(summary.firstReject())
                .containsPattern(name + " " + group + " (1, row 1: column \"n\"|2, row 3: column \"at\") is");
        String bare = name.substring(0, name.indexOf('.')) + ".jsonl.rejected";
        Path rejected = directory.resolve(bare);
        assertThat(loads.text(bare + ".reasons"))
                .contains("\"batch\":1,\"row\":1,\"column\":\"n\"")
                .contains("\"batch\":2,\"row\":3,\"column\":\"at\"")
                .contains("is timestamp, which has milliseconds, and 2024-02-29T12:30:15.123456Z is finer");
        String repaired = Files.readString(rejected)
                .replace(":255", ":25")
                .replace(".123456Z", "Z")
                .replaceAll("\\{\"x\":(\\w+),\"y\":(\"\\w\")}", "[$1,$2]") // a tuple has no names
                .replaceAll("\\{\"y\":(\"\\w\")}", "[null,$1]");
        Loads again = new Loads(directory)
                .file("again.jsonl", repaired.strip())
                .map(SOME)
                .allowExtraFields();
        assertThat(again.run(OVERDRIVE, WriteOptions.into(KEYSPACE, "narrow")).rowsWritten())
                .isEqualTo(2);
        assertThat(row("narrow", 1).getByte("n")).isEqualTo((byte) 25);
        assertThat(row("narrow", 1).getFormattedContents()).contains("(1,'a')").contains("{'a':1,'b':2}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"types.arrow", "snappy.parquet"})
    void aTruncatedFileIsRefusedBeforeTheFirstRow(String name) throws IOException {
        Path whole = file(name);
        byte[] bytes = Files.readAllBytes(whole);
        Files.write(whole, Arrays.copyOf(bytes, bytes.length - 10));
        loads.file(whole).map(SOME).allowExtraFields();
        assertThatThrownBy(() -> loads.run(OVERDRIVE, WriteOptions.into(KEYSPACE, "wide")))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(whole
                        + ": the file ends without its footer: it is truncated or damaged. Nothing was read of it");
    }
}
