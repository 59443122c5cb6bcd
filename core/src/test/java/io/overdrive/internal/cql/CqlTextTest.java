package io.overdrive.internal.cql;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.CollectionChange;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CqlTextTest {
    private static final String RANGE = "token(k) > ? AND token(k) <= ?";

    private static String split(String cql) {
        return CqlText.withToken(cql, List.of("k"));
    }

    @Test
    void addsTheTokenRangeWhereConditionsBelong() {
        assertThat(split("SELECT * FROM t")).isEqualTo("SELECT * FROM t WHERE " + RANGE + " ");
        assertThat(split("SELECT * FROM t WHERE c > 3")).isEqualTo("SELECT * FROM t WHERE c > 3 AND " + RANGE + " ");
        assertThat(CqlText.withToken("SELECT * FROM t", List.of("\"K k\"", "q")))
                .isEqualTo("SELECT * FROM t WHERE token(\"K k\", q) > ? AND token(\"K k\", q) <= ? ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GROUP BY k",
                "group\n\tby k",
                "PER PARTITION LIMIT 2",
                "Per  Partition\nLimit 2",
                "ALLOW FILTERING",
                "allow\r\nfiltering",
                "ORDER BY c",
                "GROUP BY k PER PARTITION LIMIT 2 ALLOW FILTERING"
            })
    void addsTheTokenRangeBeforeWhatFollowsTheConditions(String end) {
        assertThat(split("SELECT * FROM t " + end)).isEqualTo("SELECT * FROM t WHERE " + RANGE + " " + end);
        assertThat(split("SELECT * FROM t\nwHere c > 3\n" + end))
                .isEqualTo("SELECT * FROM t\nwHere c > 3 AND " + RANGE + " " + end);
    }

    @Test
    void findsNamesOutsideOfTexts() {
        String where = "k = 1 AND State='\"a\" b' AND \"C\"\"c\" > 2 AND \"day\"=3";
        assertThat(List.of("k", "state", "C\"c", "day")).allMatch(name -> CqlText.hasName(where, name));
        assertThat(List.of("a", "b", "State", "C", "c", "stat", "da")).noneMatch(name -> CqlText.hasName(where, name));
    }

    @Test
    void findsLimitsOfPartitions() {
        assertThat(CqlText.hasAnyLimit("k = 1 PER PARTITION LIMIT 2")).isTrue();
        assertThat(CqlText.hasAnyLimit("limit")).isTrue();
        assertThat(CqlText.hasAnyLimit("k = 'limit'")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT \"where\", \"limit\", \"group by\" FROM \"allow filtering\"",
                "SELECT \"a\"\" where \" FROM t",
                "SELECT wherever, my_limit, limits FROM group_by_",
                "SELECT c AS \"per partition limit\" FROM t"
            })
    void isNotMisledByKeywordsInQuotedNames(String cql) {
        assertThat(split(cql)).isEqualTo(cql + " WHERE " + RANGE + " ");
        assertThat(CqlText.hasLimit(cql)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "v = 'limit 3'",
                "v = 'it''s where group by'",
                "v = $$it's a limit 5 $ \" allow filtering$$",
                "v = ''",
                "v = '\"' AND w = 'limit 1 \"'"
            })
    void isNotMisledByKeywordsInStrings(String condition) {
        String cql = "SELECT * FROM t WHERE " + condition;
        assertThat(split(cql)).isEqualTo(cql + " AND " + RANGE + " ");
        assertThat(CqlText.hasLimit(cql)).isFalse();
        assertThat(CqlText.hasLimit(cql + "LIMIT 3")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM t LIMIT 3",
                "SELECT * FROM t\nlimit\n3",
                "SELECT * FROM \"T\"limit 3",
                "SELECT * FROM t WHERE c IN (1, 2)LIMIT 3",
                "SELECT * FROM t PER PARTITION LIMIT 2 LIMIT 3",
                "SELECT * FROM t per  partition\n limit 2 LIMIT 3"
            })
    void findsALimitOverAllRows(String cql) {
        assertThat(CqlText.hasLimit(cql)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM t PER PARTITION LIMIT 2",
                "SELECT * FROM t PER  PARTITION \n LIMIT 2 ALLOW FILTERING",
                "SELECT * FROM t"
            })
    void isNotMisledByALimitOfEachPartition(String cql) {
        assertThat(CqlText.hasLimit(cql)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PER PARTITION LIMIT 2", "order  by c DESC", "Limit 3", "GROUP BY k"})
    void recognizesClausesWithoutConditions(String where) {
        assertThat(CqlText.hasNoConditions(where)).isTrue();
        assertThat(CqlText.hasNoConditions("c > 2 " + where)).isFalse();
    }

    @Test
    void keepsLaterPagesBelowTheLimit() {
        assertThat(CqlText.maxLaterPageRows("SELECT * FROM t")).isEqualTo(Integer.MAX_VALUE);
        assertThat(CqlText.maxLaterPageRows("SELECT * FROM t LIMIT 7")).isEqualTo(6);
        assertThat(CqlText.maxLaterPageRows(
                        "SELECT * FROM t WHERE v = 'limit 3' PER PARTITION LIMIT 2\nlimit\n 700 ALLOW" + " FILTERING"))
                .isEqualTo(699);
        assertThat(CqlText.maxLaterPageRows("SELECT * FROM t PER PARTITION LIMIT 2"))
                .isEqualTo(Integer.MAX_VALUE);
        assertThat(CqlText.maxLaterPageRows("SELECT * FROM t LIMIT 2147483647")).isEqualTo(Integer.MAX_VALUE - 1);
    }

    @Test
    void leavesOutCommentsAndSemicolons() {
        assertThat(CqlText.bare("SELECT * -- it's all\nFROM t // where\n; -- done"))
                .isEqualTo("SELECT *  \nFROM t");
        assertThat(CqlText.bare("SELECT * FROM t/* limit 3 \n */WHERE c = 1 ;; "))
                .isEqualTo("SELECT * FROM t WHERE c = 1");
        for (String kept : List.of("SELECT '--', \"/*\" FROM t WHERE v = $$ // $$ AND w = '*/'", "SELECT c FROM t")) {
            assertThat(CqlText.bare(kept)).isEqualTo(kept);
        }
    }

    @Test
    void findsAliasesAndGroupsOutsideOfQuotesOnly() {
        assertThat(CqlText.hasAlias("SELECT c\nas d FROM t")).isTrue();
        assertThat(CqlText.hasAlias("SELECT \"c as d\", basic FROM t WHERE v = ' as '"))
                .isFalse();
        assertThat(CqlText.hasGroupBy("SELECT count(*) FROM t GROUP  BY k")).isTrue();
        assertThat(CqlText.hasGroupBy("SELECT group_by FROM t WHERE v = $$ group by $$"))
                .isFalse();
    }

    @Test
    void handlesStringsOfAnyLength() {
        String cql =
                "SELECT c FROM t WHERE v = '" + "x".repeat(1_000_000) + "' AND \"" + "n".repeat(100_000) + "\" = 1";
        assertThat(CqlText.bare(cql)).isEqualTo(cql);
        assertThat(CqlText.hasLimit(cql)).isFalse();
    }

    private static final Column KEY = new Column("K", DataTypes.INT, Role.PARTITION_KEY);
    private static final Column VALUE = new Column("v", DataTypes.setOf(DataTypes.INT), Role.REGULAR);
    private static final Column LIST = new Column("order", DataTypes.listOf(DataTypes.INT), Role.REGULAR);
    private static final TableSchema TABLE = new TableSchema("ks", "T", List.of(KEY, VALUE, LIST));

    @Test
    void buildsAnInsert() {
        assertThat(CqlText.insert(TABLE, List.of(KEY, VALUE), /* ifNotExists */ false, ""))
                .isEqualTo("INSERT INTO ks.\"T\" (\"K\", v) VALUES (?, ?)");
        assertThat(CqlText.insert(TABLE, List.of(KEY), /* ifNotExists */ true, " USING TTL 5"))
                .isEqualTo("INSERT INTO ks.\"T\" (\"K\") VALUES (?) IF NOT EXISTS USING TTL 5");
    }

    @Test
    void buildsAnUpdate() {
        Map<String, CollectionChange> changes = Map.of("v", CollectionChange.ADD, "order", CollectionChange.PREPEND);
        assertThat(CqlText.update(TABLE, " USING TTL 5", List.of(VALUE, LIST), changes, List.of(KEY)))
                .isEqualTo("UPDATE ks.\"T\" USING TTL 5 SET v = v + ?, \"order\" = ? + \"order\" WHERE \"K\" = ?");
        assertThat(CqlText.update(
                        TABLE, "", List.of(VALUE, LIST), Map.of("v", CollectionChange.REMOVE), List.of(KEY, VALUE)))
                .isEqualTo("UPDATE ks.\"T\" SET v = v - ?, \"order\" = ? WHERE \"K\" = ? AND v = ?");
        Column counter = new Column("n", DataTypes.COUNTER, Role.REGULAR);
        assertThat(CqlText.update(TABLE, "", List.of(counter), Map.of(), List.of(KEY)))
                .isEqualTo("UPDATE ks.\"T\" SET n = n + ? WHERE \"K\" = ?");
    }

    @Test
    void replacesTheKeyspaceOutsideOfTexts() {
        assertThat(CqlText.withKeyspace(
                        "CREATE FUNCTION shop.f(a int) CALLED ON NULL INPUT RETURNS text LANGUAGE java AS $$return"
                                + " \"shop.x\";$$",
                        "shop",
                        "\"New$Shop\""))
                .isEqualTo("CREATE FUNCTION \"New$Shop\".f(a int) CALLED ON NULL INPUT RETURNS text LANGUAGE java AS"
                        + " $$return \"shop.x\";$$");
        assertThat(CqlText.withKeyspace(
                        "CREATE MATERIALIZED VIEW shop.v AS SELECT * FROM shop.t WHERE a > 'it''s shop.t' AND myshop.x > 1",
                        "shop",
                        "b"))
                .isEqualTo("CREATE MATERIALIZED VIEW b.v AS SELECT * FROM b.t WHERE a > 'it''s shop.t' AND myshop.x >"
                        + " 1");
        assertThat(CqlText.withKeyspace("CREATE TYPE shop.c (\"shop.host\" text, \"a\"\"shop.b\" int)", "shop", "b"))
                .isEqualTo("CREATE TYPE b.c (\"shop.host\" text, \"a\"\"shop.b\" int)");
        assertThat(CqlText.withKeyspace("CREATE INDEX i ON \"Shop\".t (v)", "\"Shop\"", "shop"))
                .isEqualTo("CREATE INDEX i ON shop.t (v)");
    }

    @Test
    void buildsTheUsingClause() {
        assertThat(CqlText.using(null, /* timestamp */ false)).isEmpty();
        assertThat(CqlText.using("5", /* timestamp */ false)).isEqualTo(" USING TTL 5");
        assertThat(CqlText.using(null, /* timestamp */ true)).isEqualTo(" USING TIMESTAMP ?");
        assertThat(CqlText.using("?", /* timestamp */ true)).isEqualTo(" USING TTL ? AND TIMESTAMP ?");
    }
}
