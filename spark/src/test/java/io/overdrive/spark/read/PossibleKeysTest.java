package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PossibleKeysTest {
    private static TableSchema table(DataType... types) {
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < types.length; i++) {
            columns.add(new Column("c" + i, types[i], Role.PARTITION_KEY));
        }
        return new TableSchema("ks", "t", columns);
    }

    @SafeVarargs
    private static List<String> keys(TableSchema table, List<Object>... values) {
        List<String> keys = new ArrayList<>();
        byte[][] key = new byte[values.length][];
        PossibleKeys possible = new PossibleKeys(table, List.of(values));
        while (possible.next(key)) {
            StringBuilder text = new StringBuilder();
            for (byte[] column : key) {
                text.append('/')
                        .append(
                                column.length > 10
                                        ? String.valueOf(column.length)
                                        : new String(column, StandardCharsets.UTF_8));
            }
            keys.add(text.toString());
        }
        return keys;
    }

    @Test
    void iteratesOverAllCombinationsOfValues() {
        TableSchema two = table(DataTypes.TEXT, DataTypes.TEXT);
        assertThat(keys(two, List.of("a", "b"), List.of("x", "y", "")))
                .containsExactly("/a/x", "/a/y", "/a/", "/b/x", "/b/y", "/b/");
        assertThat(keys(two, List.of("a"), List.of())).isEmpty();
    }

    @Test
    void skipsKeysOfAnImpossibleSize() {
        assertThat(keys(table(DataTypes.TEXT), List.of("", "a", "x".repeat(65535), "x".repeat(65536))))
                .containsExactly("/a", "/65535");
        // each of two columns has an overhead of three bytes
        assertThat(keys(
                        table(DataTypes.TEXT, DataTypes.TEXT),
                        List.of("", "x".repeat(40_000)),
                        List.of("y".repeat(25_529), "y".repeat(25_530))))
                .containsExactly("//25529", "//25530", "/40000/25529");
    }

    @ParameterizedTest
    @CsvSource({
        "ascii, 41, true",
        "ascii, 41c3a9, false",
        "text, 41c3a9, true",
        "text, c3, false",
        "text, 80, false",
        "text, f09f9880, true",
        "text, f5808080, false",
        "text, eda080, true", // the server accepts surrogates
        "timeuuid, 4f0d5b3e7f4c11eb9a530a1b2c3d4e5f, true",
        "timeuuid, 4f0d5b3e7f4c4d2a9a530a1b2c3d4e5f, false",
        "uuid, 4f0d5b3e7f4c4d2a9a530a1b2c3d4e5f, true",
    })
    void rejectsTheBytesThatTheServerRefuses(String type, String hex, boolean isPossible) {
        DataType cql =
                switch (type) {
                    case "ascii" -> DataTypes.ASCII;
                    case "text" -> DataTypes.TEXT;
                    case "timeuuid" -> DataTypes.TIMEUUID;
                    default -> DataTypes.UUID;
                };
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThat(PossibleKeys.isPossible(cql, bytes, 0, bytes.length)).isEqualTo(isPossible);
    }

    @Test
    void literalsFollowTheSameRule() {
        assertThat(Literals.equal(DataTypes.ASCII, UTF8String.fromString("é"))).isSameAs(Literals.NOTHING);
        assertThat(Literals.equal(DataTypes.TIMEUUID, UTF8String.fromString("4f0d5b3e-7f4c-4d2a-9a53-0a1b2c3d4e5f")))
                .isSameAs(Literals.NOTHING);
        assertThat(Literals.equal(DataTypes.BLOB, new byte[65536])).isSameAs(Literals.NOTHING);
        assertThat(Literals.equal(DataTypes.ASCII, UTF8String.fromString("e"))).isEqualTo("e");
    }
}
