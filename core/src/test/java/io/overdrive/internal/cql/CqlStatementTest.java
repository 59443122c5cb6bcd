package io.overdrive.internal.cql;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.cql.CqlStatement.WriteTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CqlStatementTest {
    private static void marker(int number, String name, String cql) {
        CqlStatement statement = new CqlStatement(cql);
        assertThat(statement.writeTime()).as(cql).isEqualTo(WriteTime.MARKER);
        assertThat(statement.writeTimeMarker()).as(cql).isEqualTo(number);
        assertThat(statement.marker(number)).as(cql).isEqualTo(name);
    }

    @Test
    void findsTheMarkerOfTheWriteTimeByItsPlace() {
        marker(2, "?", "INSERT INTO t (a, b) VALUES (?, ?) USING TIMESTAMP ?");
        marker(2, "at", "INSERT INTO t (a, b) VALUES (:a, :b) USING TTL 5 AND TIMESTAMP :at");
        marker(3, "At \"it\"", "INSERT INTO t (a, b) VALUES (:a, :b) using ttl :x and timestamp : \"At \"\"it\"\"\"");
        marker(0, "timestamp", "UPDATE t USING TIMESTAMP :timestamp AND TTL :ttl SET timestamp = :v WHERE k = :k");
        marker(1, "w", "UPDATE t USING TTL ? AND TIMESTAMP :w SET timestamp = :v WHERE k = :k");
        marker(0, "k", "DELETE FROM t USING TIMESTAMP :k WHERE k = :k");
        marker(1, "a", "INSERT INTO t JSON :json -- USING TIMESTAMP :no\n USING/**/TIMESTAMP/* ? */:a;");
        marker(1, "a", "INSERT INTO t (a, b) VALUES (':no''t', :b) USING TIMESTAMP :a");
        marker(
                3,
                "a",
                "INSERT INTO t (k, m, u) VALUES (:k, {'x': :x, 'y': f(1), :z : 3}, {s: now()}) USING TIMESTAMP :a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (id, timestamp) VALUES (:id, :timestamp)",
                "INSERT INTO timestamps.timestamp (id, \"using\") VALUES (:timestamp, :b) USING TTL :timestamp",
                "UPDATE t USING TTL 5 SET timestamp = :timestamp WHERE k = :k",
                "UPDATE t SET v = 'USING TIMESTAMP 5' WHERE k = :k",
                "UPDATE t SET v = $$it's USING TIMESTAMP ?$$ WHERE k = :k",
                "DELETE FROM t WHERE k = :k /* USING TIMESTAMP ? */",
                "INSERT INTO t (k) VALUES (:k) // USING TIMESTAMP ?",
                "INSERT INTO t (k) VALUES (:k) USING TIMESTAMP",
            })
    void isNotMisledByNames(String cql) {
        CqlStatement statement = new CqlStatement(cql);
        assertThat(statement.writeTime()).isEqualTo(WriteTime.NONE);
        assertThat(statement.writeTimeMarker()).isEqualTo(-1);
    }

    @Test
    void findsAWriteTimeThatAllRowsShare() {
        assertThat(new CqlStatement("DELETE a FROM t USING TIMESTAMP 12345 WHERE k = ?").writeTime())
                .isEqualTo(WriteTime.LITERAL);
        assertThat(new CqlStatement("INSERT INTO t (k) VALUES (?) USING TTL 5 AND TIMESTAMP -1").writeTime())
                .isEqualTo(WriteTime.LITERAL);
    }

    @Test
    void leavesOutCommentsAndSemicolons() {
        assertThat(new CqlStatement(" INSERT/* a */INTO t (k) -- it's\n VALUES (:k) ; ; // end ").text())
                .isEqualTo("INSERT INTO t (k)  \n VALUES (:k)");
        assertThat(new CqlStatement("UPDATE t SET v = '--' WHERE k = $$/* ; $$;").text())
                .isEqualTo("UPDATE t SET v = '--' WHERE k = $$/* ; $$");
    }

    @Test
    void distinguishesKeywordsFromQuotedText() {
        CqlStatement statement = new CqlStatement("Update \"Ks\".T Set \"L\" = \"L\" + :more, a = 'now()' Where K = ?");
        assertThat(statement.words()).isEqualTo("update x . t set x = x + ? , a = x where k = ?");
        assertThat(statement.startsWith("update")).isTrue();
        assertThat(statement.hasUsing()).isFalse();
        assertThat(statement.markers()).isEqualTo(2);
        assertThat(statement.names("L")).isTrue();
        assertThat(statement.names("l")).isFalse();
        assertThat(statement.names("k")).isTrue();
        assertThat(statement.names("more")).isFalse();
        assertThat(new CqlStatement("VALUES (8e6d5cc6-e0e1-11ef-9cd2-0242ac120002, 1.5e-3)").words())
                .isEqualTo("values ( 0 , 0 )");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (k, v) VALUES (?, ?)",
                "INSERT INTO t (k, v) VALUES (:if, -5)",
                "UPDATE t SET v = 'a + now()', \"if\" = ? WHERE k = ?",
                "UPDATE t SET m[?] = ? WHERE k = ?",
                "DELETE v FROM t WHERE k = ?",
            })
    void mayRunTwice(String cql) {
        assertThat(new CqlStatement(cql).isIdempotent(List.of("v", "V"))).isTrue();
        assertThat(new CqlStatement(cql).isConditional()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (k, v) VALUES (?, now())",
                "INSERT INTO t (k, v) VALUES (?, currentTimestamp ())",
                "INSERT INTO t (k, v) VALUES (?, current_date())",
                "INSERT INTO t (k, v) VALUES (?, ?) IF NOT EXISTS",
                "UPDATE t SET v = v + ? WHERE k = ?",
                "UPDATE t SET v = [1] + v WHERE k = ?",
                "UPDATE t SET v -= ? WHERE k = ?",
                "DELETE FROM t WHERE k = ? IF v = 1",
                "DELETE v[0] FROM t WHERE k = ?",
                "DELETE \"V\"[?] FROM t WHERE k = ?",
                "UPDATE t SET v[?] = ? WHERE k = ?",
                "UPDATE t SET m = ?, v [ :i ] = null WHERE k = ?",
            })
    void mayNotRunTwice(String cql) {
        CqlStatement statement = new CqlStatement(cql);
        assertThat(statement.isIdempotent(List.of("v", "V"))).isFalse();
        assertThat(statement.isConditional()).isEqualTo(cql.contains(" IF "));
    }

    @Test
    void deletingAnElementOfAMapTwiceDoesNoHarm() {
        assertThat(new CqlStatement("DELETE m['a'] FROM t WHERE k = ?").isIdempotent(List.of()))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE t SET v = ? WHERE k IN (?, ?) | true",
                "DELETE FROM t WHERE k in ? | true",
                "BEGIN UNLOGGED BATCH INSERT INTO t (k) VALUES (?) APPLY BATCH | true",
                "UPDATE t SET v = ' in ' WHERE k = ? | false",
                "INSERT INTO t (k, \"in\", inner) VALUES (?, ?, ?) | false"
            })
    void knowsWhetherOneRunMayWriteSeveralPartitions(String cql, boolean mayHaveSeveral) {
        assertThat(new CqlStatement(cql).mayHaveSeveralPartitions()).isEqualTo(mayHaveSeveral);
    }

    @Test
    void findsTheColumnsThatItMayWrite() {
        assertThat(new CqlStatement("UPDATE t SET l = ? WHERE k = ?").mayWrite("l"))
                .isTrue();
        assertThat(new CqlStatement("UPDATE t SET v = ? WHERE k = ?").mayWrite("l"))
                .isFalse();
        assertThat(new CqlStatement("INSERT INTO t JSON ?").mayWrite("l")).isTrue();
        assertThat(new CqlStatement("DELETE l FROM t WHERE k = ?").mayWrite("l"))
                .isFalse();
    }
}
