package io.overdrive.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.CollectionChange;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.spark.config.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class WriteColumnsTest {
    private static final TableSchema TABLE = new TableSchema(
            "ks",
            "t",
            List.of(
                    new Column("p", DataTypes.INT, Role.PARTITION_KEY),
                    new Column("c", DataTypes.INT, Role.CLUSTERING),
                    new Column("list", DataTypes.listOf(DataTypes.INT), Role.REGULAR),
                    new Column("set", DataTypes.setOf(DataTypes.INT), Role.REGULAR),
                    new Column("Value", DataTypes.TEXT, Role.REGULAR),
                    new Column("s", DataTypes.INT, Role.STATIC)));

    private static StructType query(String... columns) {
        StructType schema = new StructType();
        for (String column : columns) {
            schema = schema.add(column, org.apache.spark.sql.types.DataTypes.IntegerType);
        }
        return schema;
    }

    private static Settings settings(String... pairs) {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            options.put(pairs[i], pairs[i + 1]);
        }
        return Settings.of(options, Map.of());
    }

    private static WriteColumns columns(Settings settings, String... query) {
        return WriteColumns.of(settings, TABLE, query(query));
    }

    @Test
    void matchesByNameInAnyOrderAndLetterCase() {
        WriteColumns columns = columns(settings(), "VALUE", "c", "P");
        assertThat(columns.names()).containsExactly("Value", "c", "p");
        assertThat(columns.fields()).containsExactly(0, 1, 2);
        assertThat(columns.fieldOf("p")).isEqualTo(2);
        assertThat(columns.ttl().isSet()).isFalse();
        assertThat(columns.repeatable()).isTrue();
    }

    @Test
    void refusesANameThatFitsSeveralColumns() {
        TableSchema table = new TableSchema(
                "ks",
                "t",
                List.of(
                        new Column("id", DataTypes.INT, Role.PARTITION_KEY),
                        new Column("Name", DataTypes.TEXT, Role.REGULAR),
                        new Column("name", DataTypes.TEXT, Role.REGULAR)));
        assertThat(WriteColumns.of(settings(), table, List.of("ID", "name", "Name"))
                        .names())
                .containsExactly("id", "name", "Name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WriteColumns.of(settings(), table, List.of("id", "NAME")))
                .withMessage(
                        "\"NAME\" may be any of \"Name\", \"name\", which differ in letter case only: write it as one"
                                + " of them is written");
    }

    @Test
    void refusesUnknownRepeatedAndMissingColumns() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> columns(settings(), "p", "c", "x"))
                .withMessage("[ks.t] has no column \"x\"; its columns are \"p\", \"c\", \"list\", \"set\", \"Value\","
                        + " \"s\". Columns are matched by name: rename it, or drop it");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> columns(settings(), "p", "c", "value", "Value"))
                .withMessage("[ks.t] column \"Value\" would be written from two columns of the query, \"value\" and"
                        + " \"Value\": drop one");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> columns(settings(), "p", "Value"))
                .withMessage("[ks.t] primary key column \"c\" is missing: every row needs it. Columns to write: \"p\","
                        + " \"Value\"; the primary key is \"p\", \"c\"");
    }

    @Test
    void needsNoClusteringColumnsForStaticColumnsAlone() {
        assertThat(columns(settings(), "p", "s").names()).containsExactly("p", "s");
        assertThatIllegalArgumentException().isThrownBy(() -> columns(settings(), "p", "s", "Value"));
        assertThatIllegalArgumentException().isThrownBy(() -> columns(settings(), "p"));
    }

    @Test
    void takesTimesFromConstantsOrColumnsThatAreNotWritten() {
        WriteColumns constant = columns(settings("ttl", "60", "writetime", "0"), "p", "c");
        assertThat(constant.ttl().constant()).isEqualTo(60);
        assertThat(constant.ttl().isField()).isFalse();
        assertThat(constant.writeTime().isSet()).isFalse(); // 0 stands for none
        WriteColumns column = columns(settings("ttl", "Left"), "left", "p", "c");
        assertThat(column.names()).containsExactly("p", "c");
        assertThat(column.fields()).containsExactly(1, 2);
        assertThat(column.ttl().field()).isZero();
        assertThat(columns(settings("ttl", "Forever"), "p", "c").ttl().constant())
                .isZero();
        assertThat(columns(settings("ttl", "forever"), "forever", "p", "c")
                        .ttl()
                        .field())
                .isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> columns(settings("writetime", "when"), "p", "c"))
                .withMessage("[ks.t] option \"writetime\" is \"when\", which is neither a whole number nor one of the"
                        + " columns to write: \"p\", \"c\"");
    }

    @Test
    void onlyAddingToListsIsNotRepeatable() {
        String[] query = {"p", "c", "list", "set"};
        WriteColumns added = columns(settings("collections", "list=append, SET = add"), query);
        assertThat(added.changes())
                .containsOnly(Map.entry("list", CollectionChange.ADD), Map.entry("set", CollectionChange.ADD));
        assertThat(added.repeatable()).isFalse();
        assertThat(columns(settings("collections", "list=prepend"), query).repeatable())
                .isFalse();
        assertThat(columns(settings("collections", "list=remove,set=append"), query)
                        .repeatable())
                .isTrue();
        assertThat(columns(settings("collections", "list=overwrite"), query).changes())
                .isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> columns(settings("collections", "list=replace"), query))
                .withMessageStartingWith("\"collections\" is \"list=replace\", must be column=append, prepend,");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> columns(settings("collections", "Value=append"), query))
                .withMessage("[ks.t] option \"collections\" names column \"Value\", which is not written; written"
                        + " columns are \"p\", \"c\", \"list\", \"set\"");
    }

    @Test
    void matchesByPositionUnlessANameContradicts() {
        WriteColumns columns = WriteColumns.inOrder(
                settings("ttl", "left"), TABLE, query("col1", "left", "c", "col3", "col4", "col5", "col6"));
        assertThat(columns.names()).containsExactly("p", "c", "list", "set", "Value", "s");
        assertThat(columns.fields()).containsExactly(0, 2, 3, 4, 5, 6);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WriteColumns.inOrder(settings(), TABLE, query("p", "c", "set", "list", "a", "b")))
                .withMessageContaining(
                        "in this order, got \"p\", \"c\", \"set\", \"list\", \"a\", \"b\": name the columns");
        assertThatIllegalArgumentException().isThrownBy(() -> WriteColumns.inOrder(settings(), TABLE, query("p", "c")));
    }
}
