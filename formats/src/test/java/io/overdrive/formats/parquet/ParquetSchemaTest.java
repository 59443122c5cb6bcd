package io.overdrive.formats.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.formats.columns.ColumnType.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.junit.jupiter.api.Test;

/** The forms of lists and maps that old and current writers have. */
class ParquetSchemaTest {
    private static SchemaElement leaf(String name, FieldRepetitionType repetition) {
        return new SchemaElement(name).setType(Type.INT32).setRepetition_type(repetition);
    }

    private static SchemaElement group(String name, FieldRepetitionType repetition, int children) {
        return new SchemaElement(name).setRepetition_type(repetition).setNum_children(children);
    }

    /** The column, as kinds of values with their parts in brackets, and the levels of the columns of the file. */
    private static String read(SchemaElement... elements) throws IOException {
        List<SchemaElement> all = new ArrayList<>(List.of(new SchemaElement("root").setNum_children(1)));
        all.addAll(List.of(elements));
        ParquetSchema schema = new ParquetSchema(all, Map.of());
        return describe(schema.columns().get(0))
                + schema.leaves().stream()
                        .map(leaf -> " " + leaf.path() + " " + leaf.maxDefinition() + "/" + leaf.maxRepetition())
                        .collect(Collectors.joining(","));
    }

    private static String describe(Node node) {
        return (node.type().kind() == Kind.SIGNED ? "INT" : node.type().kind().name())
                + (node.type().nullable() ? "?" : "")
                + (node.children().isEmpty()
                        ? ""
                        : node.children().stream()
                                .map(ParquetSchemaTest::describe)
                                .collect(Collectors.joining(", ", "(", ")")));
    }

    private static SchemaElement list() {
        return group("l", FieldRepetitionType.OPTIONAL, 1).setConverted_type(ConvertedType.LIST);
    }

    @Test
    void listsOfThreeLevels() throws IOException {
        assertThat(read(
                        list(),
                        group("list", FieldRepetitionType.REPEATED, 1),
                        leaf("element", FieldRepetitionType.OPTIONAL)))
                .isEqualTo("LIST?(INT?) l.list.element 3/1");
        assertThat(read(
                        list(),
                        group("bag", FieldRepetitionType.REPEATED, 1),
                        leaf("array_element", FieldRepetitionType.REQUIRED)))
                .isEqualTo("LIST?(INT) l.bag.array_element 2/1");
    }

    @Test
    void listsOfTwoLevels() throws IOException {
        assertThat(read(list(), leaf("array", FieldRepetitionType.REPEATED))).isEqualTo("LIST?(INT) l.array 2/1");
        assertThat(read(
                        list(),
                        group("array", FieldRepetitionType.REPEATED, 1),
                        leaf("x", FieldRepetitionType.OPTIONAL)))
                .isEqualTo("LIST?(STRUCT(INT?)) l.array.x 3/1");
        assertThat(read(
                        list(),
                        group("l_tuple", FieldRepetitionType.REPEATED, 1),
                        leaf("x", FieldRepetitionType.REQUIRED)))
                .isEqualTo("LIST?(STRUCT(INT)) l.l_tuple.x 2/1");
        assertThat(read(
                        list(),
                        group("element", FieldRepetitionType.REPEATED, 2),
                        leaf("x", FieldRepetitionType.REQUIRED),
                        leaf("y", FieldRepetitionType.OPTIONAL)))
                .isEqualTo("LIST?(STRUCT(INT, INT?)) l.element.x 2/1, l.element.y 3/1");
        assertThat(read(
                        list(),
                        group("array", FieldRepetitionType.REPEATED, 1).setConverted_type(ConvertedType.LIST),
                        leaf("array", FieldRepetitionType.REPEATED)))
                .isEqualTo("LIST?(LIST(INT)) l.array.array 3/2");
    }

    @Test
    void listsWithoutAnnotation() throws IOException {
        assertThat(read(leaf("l", FieldRepetitionType.REPEATED))).isEqualTo("LIST(INT) l 1/1");
        assertThat(read(group("l", FieldRepetitionType.REPEATED, 1), leaf("x", FieldRepetitionType.OPTIONAL)))
                .isEqualTo("LIST(STRUCT(INT?)) l.x 2/1");
    }

    @Test
    void maps() throws IOException {
        for (ConvertedType type : List.of(ConvertedType.MAP, ConvertedType.MAP_KEY_VALUE)) {
            assertThat(read(
                            group("m", FieldRepetitionType.OPTIONAL, 1).setConverted_type(type),
                            group("map", FieldRepetitionType.REPEATED, 2)
                                    .setConverted_type(ConvertedType.MAP_KEY_VALUE),
                            leaf("key", FieldRepetitionType.REQUIRED),
                            leaf("value", FieldRepetitionType.OPTIONAL)))
                    .isEqualTo("MAP?(INT, INT?) m.map.key 2/1, m.map.value 3/1");
        }
        assertThat(read(
                        group("m", FieldRepetitionType.OPTIONAL, 1).setConverted_type(ConvertedType.MAP),
                        group("key_value", FieldRepetitionType.REPEATED, 1),
                        leaf("key", FieldRepetitionType.REQUIRED)))
                .isEqualTo("LIST?(INT) m.key_value.key 2/1");
    }

    @Test
    void aDamagedSchemaIsRefused() {
        assertThatThrownBy(() ->
                        read(group("g", FieldRepetitionType.OPTIONAL, 2), leaf("x", FieldRepetitionType.REQUIRED)))
                .hasMessage("its schema has no end");
        assertThatThrownBy(() -> read(group("g", FieldRepetitionType.OPTIONAL, 0)))
                .hasMessage("the column \"g\" has neither parts nor a type");
        assertThatThrownBy(() -> read(leaf("x", FieldRepetitionType.REQUIRED), leaf("y", FieldRepetitionType.REQUIRED)))
                .hasMessage("its schema has parts without a place");
        SchemaElement[] deep = new SchemaElement[300];
        Arrays.setAll(deep, i -> group("g" + i, FieldRepetitionType.OPTIONAL, 1));
        assertThatThrownBy(() -> read(deep)).hasMessage("its schema has no end");
    }
}
