package io.overdrive.formats.columns;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.codec.Bytes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

class PathColumnsTest {
    /** A file with one column and one batch. */
    private static final class OneColumn implements ColumnSource {
        private final int rows;

        OneColumn(int rows) {
            this.rows = rows;
        }

        @Override
        public List<ColumnType> columns() {
            return List.of(ColumnType.of("own", ColumnType.Kind.NULL, 0));
        }

        @Override
        public ColumnBatch next() {
            return new ColumnBatch(
                    1, rows, 0, () -> List.of(Column.of(columns().get(0), rows, null, Column.none(), Column.none())));
        }
    }

    /** The names and the values of the columns of a path. */
    private static List<String> read(Path path) throws Exception {
        ColumnSource source = PathColumns.of(new OneColumn(3), path);
        List<Column> columns = Objects.requireNonNull(source.next()).columns();
        List<String> found = new ArrayList<>();
        for (int i = 1; i < columns.size(); i++) {
            String name = source.columns().get(i).name();
            found.add(name + ": " + text(columns.get(i), 2));
        }
        return found;
    }

    private static @Nullable String text(Column column, int row) {
        if (column.isNull(row)) {
            return null;
        }
        Bytes text = new Bytes(16);
        column.dictionary().put(column.index(row), text);
        return new String(text.array(), 0, text.length(), StandardCharsets.UTF_8);
    }

    @Test
    void directoriesAreColumns() throws Exception {
        assertThat(read(Path.of("out/year=2020/month=3/part-0.parquet"))).containsExactly("year: 2020", "month: 3");
        assertThat(read(Path.of("out/=a/plain/a=b=c/part-0.parquet"))).containsExactly("a: b=c");
        assertThat(read(Path.of("a=1"))).isEmpty();
    }

    @Test
    void directoriesDirectlyAboveAFileFollowEachOther() {
        assertThat(PathColumns.directlyAbove(Path.of("/a=1/b/c=2/=/d=3/e=4/x=5")))
                .isEqualTo(Path.of("d=3/e=4/x=5"));
        assertThat(PathColumns.directlyAbove(Path.of("/a=1/b=2/x"))).isEqualTo(Path.of("a=1/b=2/x"));
        assertThat(PathColumns.directlyAbove(Path.of("a=1/b/x"))).isEqualTo(Path.of("x"));
    }

    @Test
    void aColumnOfTheFileIsNotReplaced() throws Exception {
        assertThat(read(Path.of("own=1/b=2/x"))).containsExactly("b: 2");
    }

    @Test
    void bytesOfOtherWritersAreUnescaped() throws Exception {
        assertThat(read(Path.of("a=M%C3%BCnchen%20S%C3%BCd/b=100%/x"))).containsExactly("a: München Süd", "b: 100%");
    }

    @Test
    void allTextsComeBack() throws Exception {
        StringBuilder ascii = new StringBuilder();
        for (char c = 0; c < 128; c++) {
            ascii.append(c);
        }
        for (String value : new String[] {
            "", " ", "..", "a/b", "1%2", "%41", "2020-01-01 10:00:00", ascii.toString(), "__HIVE_DEFAULT_PARTITION__"
        }) {
            assertComesBack(value);
        }
        assertThat(PathColumns.directory("k", null)).isEqualTo("k=__HIVE_DEFAULT_PARTITION__");
        assertThat(read(Path.of(PathColumns.directory("k", null), "x"))).containsExactly("k: null");
    }

    private static void assertComesBack(String value) throws Exception {
        String directory = PathColumns.directory("k=" + value, value);
        assertThat(directory).doesNotContain("/").doesNotContain("\u0000");
        assertThat(read(Path.of(directory, "x"))).containsExactly("k=" + value + ": " + value);
    }

    /** Java 17 has no other file names in the locale C. */
    @Test
    @EnabledIfSystemProperty(named = "sun.jnu.encoding", matches = "UTF-8")
    void textsOfOtherAlphabetsComeBack() throws Exception {
        assertComesBack("日本 \uD83D\uDE00");
        assertComesBack("M\u00FCnchen");
    }

    @Test
    void namesAreAsHiveWritesThem() {
        assertThat(PathColumns.directory("day", "a:b c=d/e")).isEqualTo("day=a%3Ab c%3Dd%2Fe");
    }
}
