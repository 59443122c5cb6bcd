package io.overdrive;

import static io.overdrive.TestCluster.execute;
import static io.overdrive.TestCluster.overdrive;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Values that were written through a row buffer are read unchanged by the plain driver. */
@Tag("server")
class ValuesIT {
    private static final String KS = TestCluster.keyspace("values_it");

    private static RowWriter writer(String table, String... columns) {
        WriteOptions.Builder options = WriteOptions.into(KS, table);
        return overdrive().writer((columns.length == 0 ? options : options.columns(columns)).build());
    }

    private static List<TypeSamples> zoo() {
        return TypeZoo.all(KS).stream()
                .filter(t -> !t.type().equals(DataTypes.COUNTER))
                .toList();
    }

    private static void zooTable(String table) {
        execute(TypeZoo.udtDdl(KS));
        execute("CREATE TABLE " + KS + "." + table + " (k int PRIMARY KEY, "
                + zoo().stream().map(t -> "\"" + t.name() + "\" " + type(t)).collect(Collectors.joining(", ")) + ")");
    }

    private static String type(TypeSamples t) {
        return t.cql().replace("creature", KS + ".creature");
    }

    private interface Setter {
        void set(RowBuffer row, int column, Object value);
    }

    private static void roundTrip(String table, Setter setter) {
        zooTable(table);
        List<TypeSamples> zoo = zoo();
        int maxSamples = zoo.stream().mapToInt(t -> t.samples().size()).max().orElseThrow();
        try (RowWriter writer = writer(table)) {
            for (int i = 0; i < maxSamples; i++) {
                RowBuffer row = writer.row().setInt(0, i);
                for (TypeSamples type : zoo) {
                    Sample sample = type.samples().get(i % type.samples().size());
                    setter.set(row, writer.columns().indexOf(type.name()), sample.value());
                }
                writer.send();
            }
        }
        List<Row> rows = execute("SELECT * FROM " + KS + "." + table);
        assertThat(rows).hasSize(maxSamples);
        for (Row row : rows) {
            for (TypeSamples type : zoo) {
                Object expected = type.samples()
                        .get(row.getInt("k") % type.samples().size())
                        .value();
                Object found = row.getObject("\"" + type.name() + "\"");
                assertThat(found).as(type.name()).isEqualTo(expected);
            }
        }
    }

    @Test
    void writesEveryTypeThroughItsCodec() {
        roundTrip("zoo_codec", RowBuffer::set);
    }

    @Test
    void writesEveryTypeThroughItsSetter() {
        roundTrip("zoo_setter", (row, column, value) -> {
            if (!RowBufferTest.setTyped(row, column, value)) {
                row.set(column, value);
            }
        });
    }

    @Test
    void takesColumnsInAnyOrderAndSettersToo() {
        execute("CREATE TABLE " + KS
                + ".orders (b text, a int, d bigint, c int, x text, y int, PRIMARY KEY ((b, a), d, c))");
        try (RowWriter writer = writer("orders", "y", "c", "a", "x", "d", "b")) {
            assertThat(writer.columns()).containsExactly("y", "c", "a", "x", "d", "b");
            for (int i = 0; i < 100; i++) {
                writer.row().setText(5, "b" + i % 7).setInt(0, -i).setLong(4, i).setInt(2, i % 3);
                writer.row(); // discards the values
                writer.row()
                        .setText(3, "wrong")
                        .setText(5, "b" + i % 7)
                        .setInt(1, 2 * i)
                        .setLong(4, i)
                        .setText(3, "x" + i)
                        .setInt(0, -i)
                        .setInt(2, i % 3);
                writer.send();
            }
        }
        List<Row> rows = execute("SELECT * FROM " + KS + ".orders");
        assertThat(rows).hasSize(100);
        for (Row row : rows) {
            int i = (int) row.getLong("d");
            assertThat(row.getString("b")).isEqualTo("b" + i % 7);
            assertThat(row.getInt("a")).isEqualTo(i % 3);
            assertThat(row.getInt("c")).isEqualTo(2 * i);
            assertThat(row.getString("x")).isEqualTo("x" + i);
            assertThat(row.getInt("y")).isEqualTo(-i);
        }
        assertThat(execute("SELECT * FROM " + KS + ".orders WHERE b = 'b3' AND a = 0 AND d = 3"))
                .as("the token of a composite key is the server's")
                .hasSize(1);
    }

    @Test
    void keepsUnsetCellsAndDeletesNulls() {
        execute("CREATE TABLE " + KS + ".cells (k int, c int, a text, b text, PRIMARY KEY (k, c))");
        execute("INSERT INTO " + KS + ".cells (k, c, a, b) VALUES (1, 1, 'a', 'b')");
        execute("INSERT INTO " + KS + ".cells (k, c, a, b) VALUES (1, 2, 'a', 'b')");
        execute("INSERT INTO " + KS + ".cells (k, c, a, b) VALUES (1, 3, 'a', 'b')");
        try (RowWriter writer = writer("cells")) {
            writer.row().setInt(0, 1).setInt(1, 1).setText(2, "new");
            writer.send();
            writer.row().setInt(0, 1).setInt(1, 2).setText(2, "new").setNull(3);
            writer.send();
            writer.row()
                    .setInt(0, 1)
                    .setInt(1, 3)
                    .setText(2, "new")
                    .setText(3, "new")
                    .unset(2)
                    .set(3, null);
            writer.send();
        }
        assertThat(cells()).containsExactly("1 new b", "2 new null", "3 a null");
    }

    private static List<String> cells() {
        List<String> found = new ArrayList<>();
        for (Row row : execute("SELECT * FROM " + KS + ".cells WHERE k = 1")) {
            found.add(row.getInt("c") + " " + row.getString("a") + " " + row.getString("b"));
        }
        return found;
    }

    @Test
    void quotesNamesThatNeedIt() {
        String ks = "Select";
        execute("CREATE KEYSPACE \"Select\" WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        execute("CREATE TABLE \"Select\".\"UPPER\" (\"UPPER\" int, \"order\" int, \"a b\" text,"
                + " \"say \"\"hi\"\"\" text, plain text, PRIMARY KEY (\"UPPER\", \"order\"))");
        assertThat(overdrive().table(ks, "UPPER").columns())
                .extracting(TableSchema.Column::name)
                .containsExactlyInAnyOrder("UPPER", "order", "a b", "say \"hi\"", "plain");
        try (RowWriter writer = overdrive()
                .writer(WriteOptions.into(ks, "UPPER")
                        .columns("say \"hi\"", "order", "UPPER", "a b", "plain")
                        .build())) {
            for (int i = 0; i < 3; i++) {
                writer.row()
                        .setText(0, "hi" + i)
                        .setInt(1, i)
                        .setInt(2, 1)
                        .setText(3, "ab")
                        .setText(4, "p");
                writer.send();
            }
        }
        assertThat(execute("SELECT * FROM \"Select\".\"UPPER\" WHERE \"UPPER\" = 1"))
                .extracting(row -> row.getString("\"say \"\"hi\"\"\"") + row.getString("\"a b\""))
                .containsExactly("hi0ab", "hi1ab", "hi2ab");
    }

    @Test
    void writesStaticColumnsWithAndWithoutRows() {
        execute("CREATE TABLE " + KS + ".statics (k int, c int, s text static, v text, PRIMARY KEY (k, c))");
        try (RowWriter writer = writer("statics")) {
            for (int i = 0; i < 10; i++) {
                RowBuffer row = writer.row();
                row.setInt(writer.columns().indexOf("k"), i % 2);
                row.setInt(writer.columns().indexOf("c"), i);
                row.setText(writer.columns().indexOf("s"), "s" + i);
                row.setText(writer.columns().indexOf("v"), "v" + i);
                writer.send();
            }
        }
        assertThat(execute("SELECT DISTINCT k, s FROM " + KS + ".statics"))
                .extracting(row -> row.getInt("k") + row.getString("s"))
                .containsExactlyInAnyOrder("0s8", "1s9");
        try (RowWriter writer = writer("statics", "s", "k")) {
            writer.row().setText(0, "alone").setInt(1, 7);
            writer.send();
            writer.row().setText(0, "later").setInt(1, 1);
            writer.send();
        }
        assertThat(execute("SELECT DISTINCT k, s FROM " + KS + ".statics"))
                .extracting(row -> row.getInt("k") + row.getString("s"))
                .containsExactlyInAnyOrder("0s8", "1later", "7alone");
    }

    @Test
    void takesFrozenCollectionsAsKeys() {
        execute("CREATE TABLE " + KS + ".frozen_keys (k frozen<list<int>>, m frozen<map<text, int>>,"
                + " c frozen<set<text>>, v int, PRIMARY KEY ((k, m), c))");
        try (RowWriter writer = writer("frozen_keys")) {
            for (int i = 0; i < 20; i++) {
                writer.row()
                        .set(0, List.of(i % 2, 5))
                        .set(1, Map.of("x", 1))
                        .set(2, Set.of("c" + i))
                        .setInt(3, i);
                writer.send();
            }
        }
        assertThat(execute("SELECT v FROM " + KS + ".frozen_keys WHERE k = [1, 5] AND m = {'x': 1} AND c = {'c7'}"))
                .extracting(row -> row.getInt(0))
                .containsExactly(7);
        assertThat(TestCluster.count(KS + ".frozen_keys")).isEqualTo(20);
    }

    @Test
    void turnsGroupingOffIfEachPartitionIsOneRow() {
        execute("CREATE TABLE " + KS + ".flat (k int PRIMARY KEY, v text)");
        try (RowWriter writer = writer("flat")) {
            assertThat(writer.grouping()).isEqualTo(Grouping.NONE);
            for (int i = 0; i < 1000; i++) {
                writer.row().setInt(0, i % 500).setText(1, "v" + i);
                writer.send();
            }
            writer.close();
            assertThat(writer.totals().rowsWritten()).isEqualTo(1000);
            assertThat(writer.totals().batches()).isZero();
        }
        assertThat(execute("SELECT k, v FROM " + KS + ".flat"))
                .hasSize(500)
                .allSatisfy(row -> assertThat(row.getString("v")).isEqualTo("v" + (row.getInt("k") + 500)));
    }

    @Test
    void takesEncodedBytes() {
        execute("CREATE TABLE " + KS + ".bytes (k int, c int, v text, PRIMARY KEY (k, c))");
        try (RowWriter writer = writer("bytes")) {
            byte[] text = "\u00eb and more".getBytes(StandardCharsets.UTF_8);
            writer.row().setInt(0, 1).setInt(1, 1).setBytes(2, text, 0, 2);
            writer.send();
            ByteBuffer one = TypeCodecs.INT.encode(1, com.datastax.oss.driver.api.core.ProtocolVersion.V4);
            writer.row().setBytes(0, one).setBytes(1, one).setBytes(2, text, 3, 3);
            assertThat(one.remaining()).as("the position stays").isEqualTo(4);
            writer.send();
        }
        assertThat(execute("SELECT v FROM " + KS + ".bytes"))
                .extracting(r -> r.getString(0))
                .containsExactly("and");
    }
}
