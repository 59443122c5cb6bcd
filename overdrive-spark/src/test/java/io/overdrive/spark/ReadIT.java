package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ReadIT {
    private static final String KEYSPACE = "spark_read";

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".t (p int, c int, v text, s text STATIC, PRIMARY KEY (p, c))");
        for (int p = 0; p < 50; p++) {
            for (int c = 0; c < 4; c++) {
                TestSpark.cql(
                        "INSERT INTO " + KEYSPACE + ".t (p, c, v) VALUES (" + p + ", " + c + ", 'v" + p * c + "')");
            }
        }
    }

    @Test
    void readsEachRowOnce() {
        List<Row> rows = TestSpark.read(KEYSPACE, "t").orderBy("p", "c").collectAsList();
        assertThat(rows).hasSize(200);
        assertThat(rows.get(7)).isEqualTo(RowFactory.create(1, 3, "v3", null));
    }

    @Test
    void readsOnlyTheColumnsThatAreAskedFor() {
        var chosen = TestSpark.read(KEYSPACE, "t").select("v").distinct();
        assertThat(chosen.queryExecution()
                        .explainString(org.apache.spark.sql.execution.ExplainMode.fromString("simple")))
                .contains("cassandra spark_read.t [v]");
        assertThat(chosen.count()).isEqualTo(100);
    }
}
