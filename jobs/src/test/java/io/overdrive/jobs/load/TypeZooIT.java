package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.Overdrive;
import io.overdrive.TestCluster;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Summary.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every value of every type, from a file into Cassandra and back by the server's own driver. */
@Tag("server")
class TypeZooIT {
    private static final String KEYSPACE = "files_zoo";
    private static final List<TypeSamples> ZOO = TypeZoo.all(KEYSPACE).stream()
            .filter(type -> !type.cql().equals("counter"))
            .toList();

    private static Overdrive overdrive = TestCluster.overdrive(KEYSPACE);

    private final Loads loads;

    TypeZooIT(@TempDir Path directory) {
        loads = new Loads(directory);
    }

    @BeforeAll
    static void createTables() {
        CqlSession session = overdrive.session();
        session.execute(TypeZoo.udtDdl(KEYSPACE));
        String columns =
                ZOO.stream().map(t -> ", c_" + t.name() + " " + t.cql()).collect(Collectors.joining());
        for (String table : List.of("from_csv", "from_json")) {
            session.execute("CREATE TABLE IF NOT EXISTS " + KEYSPACE + "." + table + " (id text PRIMARY KEY"
                    + columns.replace("creature", KEYSPACE + ".creature") + ")");
        }
        for (String format : List.of("csv", "json")) {
            session.execute("CREATE TABLE IF NOT EXISTS " + KEYSPACE + ".counts_" + format
                    + " (id text PRIMARY KEY, n counter)");
        }
    }

    @Test
    void everySampleComesBackEqualThroughCsv() {
        StringBuilder text = new StringBuilder("id");
        ZOO.forEach(type -> text.append(",c_").append(type.name()));
        text.append('\n');
        int samples = 0;
        for (int column = 0; column < ZOO.size(); column++) {
            TypeSamples type = ZOO.get(column);
            for (int i = 0; i < type.samples().size(); i++) {
                text.append(type.name()).append(i).append(",".repeat(column + 1));
                text.append('"')
                        .append(type.samples().get(i).text().replace("\"", "\"\""))
                        .append('"');
                text.append(",".repeat(ZOO.size() - column - 1)).append('\n');
                samples++;
            }
        }
        loads.file(loads.write("zoo.csv", text.toString()));
        check("from_csv", loads.run(overdrive, WriteOptions.into(KEYSPACE, "from_csv")), samples);
    }

    @Test
    void everySampleComesBackEqualThroughJson() {
        StringBuilder text = new StringBuilder();
        int samples = 0;
        for (TypeSamples type : ZOO) {
            for (int i = 0; i < type.samples().size(); i++) {
                text.append("{\"id\": \"").append(type.name()).append(i).append("\", \"c_");
                text.append(type.name())
                        .append("\": ")
                        .append(type.samples().get(i).json());
                text.append("}\n");
                samples++;
            }
        }
        loads.file(loads.write("zoo.jsonl", text.toString()));
        check("from_json", loads.run(overdrive, WriteOptions.into(KEYSPACE, "from_json")), samples);
    }

    private void check(String table, LoadSummary summary, int samples) {
        assertThat(loads.rejectFiles().stream().map(loads::text)).isEmpty();
        assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
        assertThat(summary.rowsRead()).isEqualTo(samples);
        assertThat(summary.rowsWritten()).isEqualTo(samples);
        PreparedStatement select =
                overdrive.session().prepare("SELECT * FROM " + KEYSPACE + "." + table + " WHERE id = ?");
        SoftAssertions all = new SoftAssertions();
        for (TypeSamples type : ZOO) {
            for (int i = 0; i < type.samples().size(); i++) {
                Sample sample = type.samples().get(i);
                Row row = overdrive
                        .session()
                        .execute(select.bind(type.name() + i))
                        .one();
                all.assertThat(row).as(type.name() + i).isNotNull();
                if (row != null) {
                    all.assertThat(row.getObject("c_" + type.name()))
                            .as(type.name() + " " + sample.text())
                            .isEqualTo(sample.value());
                    String others = ZOO.stream()
                            .filter(other -> other != type && !row.isNull("c_" + other.name()))
                            .map(TypeSamples::name)
                            .collect(Collectors.joining(" "));
                    all.assertThat(others).as("columns without a value").isEmpty();
                }
            }
        }
        all.assertAll();
    }

    @Test
    void countersAreAddedTo() {
        TypeSamples counters = TypeZoo.all(KEYSPACE).stream()
                .filter(type -> type.cql().equals("counter"))
                .findFirst()
                .orElseThrow();
        StringBuilder csv = new StringBuilder("id,n\n");
        StringBuilder json = new StringBuilder();
        for (int i = 0; i < counters.samples().size(); i++) {
            Sample sample = counters.samples().get(i);
            csv.append("k").append(i).append(',').append(sample.text()).append('\n');
            json.append("{\"id\": \"k").append(i).append("\", \"n\": ").append(sample.json());
            json.append("}\n");
        }
        loads.write("counts.csv", csv.toString());
        loads.write("counts.jsonl", json.toString());
        for (String format : List.of("csv", "json")) {
            String file = format.equals("csv") ? "counts.csv" : "counts.jsonl";
            LoadSummary summary = new Loads(loads.directory)
                    .file(loads.directory.resolve(file))
                    .run(
                            overdrive,
                            WriteOptions.into(KEYSPACE, "counts_" + format).allowNonIdempotent());
            assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
            for (int i = 0; i < counters.samples().size(); i++) {
                Row row = overdrive
                        .session()
                        .execute("SELECT n FROM " + KEYSPACE + ".counts_" + format + " WHERE id = 'k" + i + "'")
                        .one();
                assertThat(row).isNotNull();
                assertThat(row.getObject(0)).isEqualTo(counters.samples().get(i).value());
            }
        }
    }
}
