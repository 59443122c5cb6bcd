package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.overdrive.OverdriveException;
import io.overdrive.Seeds;
import io.overdrive.formats.records.Read.Rec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonInputTest {
    private static final InputFormat JSON =
            InputFormat.builder().kind(InputFormat.Kind.JSON).build();

    private final Path directory;

    JsonInputTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private Read read(String text) {
        return Read.text(directory, text, JSON, 1 << 10);
    }

    @Test
    void readsWhatAnotherLibraryWrote() {
        Seeds.times(600, random -> {
            ArrayNode records = Read.MAPPER.createArrayNode();
            for (int i = 1 + random.nextInt(20); i > 0; i--) {
                records.add(randomObject(random, 3));
            }
            ObjectWriter compact = Read.MAPPER.writer();
            ObjectWriter pretty = Read.MAPPER.writer(new DefaultPrettyPrinter());
            StringBuilder text = new StringBuilder();
            switch (random.nextInt(5)) {
                case 0 -> text.append(compact.writeValueAsString(records));
                case 1 -> text.append(pretty.writeValueAsString(records)).append("\n");
                case 2 -> {
                    for (JsonNode each : records) {
                        text.append(compact.writeValueAsString(each)).append("\r\n\n");
                    }
                }
                case 3 -> {
                    for (JsonNode each : records) {
                        text.append(compact.writeValueAsString(each));
                    }
                }
                default -> {
                    for (JsonNode each : records) {
                        text.append(" ").append(pretty.writeValueAsString(each)).append("\n");
                    }
                }
            }
            Read read = Read.text(directory, text.toString(), JSON, 1 + random.nextInt(64));

            List<List<String>> expected = new ArrayList<>();
            for (JsonNode each : records) {
                List<String> fields = new ArrayList<>();
                each.properties().forEach(field -> fields.add(field.getKey() + "=" + field.getValue()));
                expected.add(fields);
            }
            assertThat(read.malformed()).isEmpty();
            assertThat(read.fields()).isEqualTo(expected);
            for (int i = 0; i < records.size(); i++) {
                Rec each = read.records.get(i);
                assertThat(Read.MAPPER.readTree(each.raw())).isEqualTo(records.get(i));
                assertThat(text.toString()
                                .lines()
                                .skip(each.line() - 1)
                                .findFirst()
                                .orElseThrow())
                        .contains(each.raw().lines().findFirst().orElseThrow());
            }
        });
    }

    private static ObjectNode randomObject(Random random, int depth) {
        ObjectNode object = Read.MAPPER.createObjectNode();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            object.set(randomText(random), randomValue(random, depth));
        }
        return object;
    }

    private static JsonNode randomValue(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 7 : 5)) {
            case 0 -> Read.MAPPER.getNodeFactory().numberNode(random.nextInt());
            case 1 -> Read.MAPPER.getNodeFactory().nullNode();
            case 2 -> Read.MAPPER.getNodeFactory().booleanNode(true);
            case 3, 4 -> Read.MAPPER.getNodeFactory().textNode(randomText(random));
            case 5 -> randomObject(random, depth - 1);
            default -> {
                ArrayNode array = Read.MAPPER.createArrayNode();
                for (int i = random.nextInt(4); i > 0; i--) {
                    array.add(randomValue(random, depth - 1));
                }
                yield array;
            }
        };
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append(List.of("a", "\"", "\\", "{", "]", ",", "\n", "é", "\uD83D\uDC0E")
                    .get(random.nextInt(9)));
        }
        return text.toString();
    }

    @Test
    void endsOnAnyNonsense() {
        Seeds.times(500, random -> {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(60); i > 0; i--) {
                text.append("{}[]\"\\,: a1\n".charAt(random.nextInt(12)));
            }
            assertThat(rawsAndEnd(text.toString(), 64 + random.nextInt(8)))
                    .as(text.toString())
                    .isEqualTo(rawsAndEnd(text.toString(), 1 << 12));
        });
    }

    /** The records, and whether the array of records has an end. */
    private List<String> rawsAndEnd(String text, int blockBytes) {
        Read read = new Read();
        List<String> result = new ArrayList<>();
        try (InputReader reader = new InputReader(List.of(InputFile.of(write(text))), JSON, blockBytes)) {
            read.rest(reader);
        } catch (OverdriveException e) {
            assertThat(e).hasMessageContaining("its ] is missing");
            result.add("no end");
        }
        result.addAll(read.raws());
        return result;
    }

    private Path write(String text) {
        try {
            return Files.writeString(directory.resolve("input"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void rejectsABadLineAlone() {
        Read read = read("{\"a\":1}\n{\"a\":\n[1,2]\n7\n\n{\"a\":2} {\"a\":3}\n" + "{\"a\":4}\n".repeat(9));
        assertThat(read.fields().subList(0, 6))
                .containsExactly(List.of("a=1"), List.of(), List.of(), List.of(), List.of(), List.of("a=4"));
        assertThat(read.records).hasSize(14);
        assertThat(read.malformed()).extracting(Rec::line).containsExactly(2L, 3L, 4L, 6L);
        assertThat(read.malformed())
                .extracting(Rec::raw)
                .containsExactly("{\"a\":", "[1,2]", "7", "{\"a\":2} {\"a\":3}");
        assertThat(read.malformed().get(1).reason()).isEqualTo("a record must be a JSON object, got an array");
        assertThat(read.malformed().get(3).reason()).isEqualTo("more than one JSON value on the line");
        assertThat(read.malformed().get(0).reason()).startsWith("not valid JSON at byte 5: Unexpected end-of-input");
    }

    @Test
    void readsLinesEvenIfTheFirstIsDamaged() {
        Read read = read("{\"a\":\n{\"a\":2}\n{\"a\":3}\n");
        assertThat(read.fields()).containsExactly(List.of(), List.of("a=2"), List.of("a=3"));
    }

    @Test
    void rejectsABadElementOfAnArrayAlone() {
        Read read = read("[\n{\"a\":1},\n{\"a\":x},\n 5, [{}],\n{\"a\":2}\n]\n");
        assertThat(read.fields()).containsExactly(List.of("a=1"), List.of(), List.of(), List.of(), List.of("a=2"));
        assertThat(read.records).extracting(Rec::line).containsExactly(2L, 3L, 4L, 4L, 5L);
        assertThat(read.raws()).containsExactly("{\"a\":1}", "{\"a\":x}", "5", "[{}]", "{\"a\":2}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[{\"a\":1},\n{\"a\":2}", "[{\"a\":1},\n{\"a\":2},", "[{\"a\":1},\n{\"a\":2},\n{\"a\":"})
    void anArrayWithoutItsEndIsAnErrorAfterItsRecords(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("a.json"), text);
        Path next = Files.writeString(directory.resolve("b.json"), "[{\"a\":3}]");
        for (int blockBytes : new int[] {1, 16, BlockReader.BLOCK_BYTES}) {
            Read read = new Read();
            try (InputReader reader =
                    new InputReader(List.of(InputFile.of(file), InputFile.of(next)), JSON, blockBytes)) {
                assertThatThrownBy(() -> read.rest(reader))
                        .isInstanceOf(OverdriveException.class)
                        .hasMessageStartingWith(file + " line ")
                        .hasMessageEndingWith(
                                ": the input ends inside the array of records: its ] is missing; the file is"
                                        + " probably incomplete. Records before this line were read");
                assertThat(read.fields()).startsWith(List.of("a=1"), List.of("a=2"));
                assertThat(read.malformed()).hasSize(text.endsWith(":") ? 1 : 0);
                read.rest(reader);
            }
            assertThat(read.fields()).endsWith(List.of("a=3"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", " [ ] ", "", "{\"a\":1}\n{\"a\":2}", "[{\"a\":1}]\n[{\"a\":2},]"})
    void anInputOfWholeArraysIsComplete(String text) {
        for (int blockBytes : new int[] {1, 16, BlockReader.BLOCK_BYTES}) {
            assertThat(Read.text(directory, text, JSON, blockBytes).malformed()).isEmpty();
        }
    }

    @Test
    void keepsDuplicateNames() {
        assertThat(read("{\"a\":1,\"a\":2}").fields()).containsExactly(List.of("a=1", "a=2"));
    }

    @Test
    void skipsValuesThatTheHandlerDoesNotRead() throws IOException {
        Path file = Files.writeString(directory.resolve("a.json"), "{\"a\":{\"b\":[1,{\"c\":2}]},\"d\":[[]],\"e\":5}");
        List<String> names = new ArrayList<>();
        try (InputReader reader = new InputReader(List.of(InputFile.of(file)), JSON)) {
            Block block = Objects.requireNonNull(reader.next());
            new RecordParser().parse(block, new IgnoringHandler() {
                @Override
                public void field(String name, JsonParser json) throws IOException {
                    names.add(name);
                    if (name.equals("a")) {
                        json.nextToken(); // stops in the middle
                    }
                }
            });
        }
        assertThat(names).containsExactly("a", "d", "e");
    }

    @Test
    void readsUtf16AndRejectsBytesThatAreNoUtf8() {
        byte[] utf16 = "\uFEFF{\"a\":\"é\"}\n".getBytes(StandardCharsets.UTF_16LE);
        assertThat(Read.bytes(directory, "a", utf16, JSON, 64).fields()).containsExactly(List.of("a=\"é\""));

        byte[] latin = "{\"a\":1}\n{\"a\":\"é\"}\n{\"a\":2}\n".getBytes(StandardCharsets.ISO_8859_1);
        Read read = Read.bytes(directory, "b", latin, JSON, 64);
        assertThat(read.fields()).containsExactly(List.of("a=1"), List.of(), List.of("a=2"));
        assertThat(read.malformed().get(0).reason()).contains("not valid UTF-8");
    }

    @Test
    void readsALineAfterAByteOrderMark() {
        Read read = read("{\"a\":1}\n\uFEFF{\"a\":2}\n\uFEFF{\"a\":x}\n" + "{\"a\":3}\n".repeat(2));
        assertThat(read.fields())
                .containsExactly(List.of("a=1"), List.of("a=2"), List.of(), List.of("a=3"), List.of("a=3"));
        assertThat(read.malformed().get(0).raw()).isEqualTo("\uFEFF{\"a\":x}");
        assertThat(read.malformed().get(0).reason()).startsWith("not valid JSON at byte 8: Unrecognized token 'x'");
    }

    @Test
    void skipsAndBoundsRecords() {
        InputFormat middle = InputFormat.builder()
                .kind(InputFormat.Kind.JSON)
                .skipRecords(1)
                .maxRecords(2)
                .build();
        for (String text : List.of(
                "{\"a\":1}\n\n{\"a\":2}\n{\"a\":3}\n{\"a\":4}\n", "[{\"a\":1},{\"a\":2},{\"a\":3},{\"a\":4}]")) {
            for (int blockBytes = 1; blockBytes < 40; blockBytes++) {
                assertThat(Read.text(directory, text, middle, blockBytes).fields())
                        .containsExactly(List.of("a=2"), List.of("a=3"));
            }
        }
    }

    @Test
    void stopsAtARecordThatIsTooLong() {
        InputFormat small = InputFormat.builder()
                .kind(InputFormat.Kind.JSON)
                .maxRecordBytes(64)
                .build();
        String fits = "x".repeat(64 - "{\"a\":\"\"}\n".length());
        String record = "{\"a\":\"" + fits + "\"}\n";
        String tooLong = record.replace(fits, fits + "x");
        for (int blockBytes : new int[] {1, 32, 48, BlockReader.BLOCK_BYTES}) {
            assertThat(Read.text(directory, record + record, small, blockBytes).fields())
                    .containsExactly(List.of("a=\"" + fits + "\""), List.of("a=\"" + fits + "\""));
            for (String text : List.of("{\"a\":1}\n" + tooLong, "[{\"a\":1},\n" + tooLong + "]")) {
                assertThatThrownBy(() -> Read.text(directory, text + record, small, blockBytes))
                        .isInstanceOf(OverdriveException.class)
                        .hasMessageContaining("the record that starts here is longer than 64 bytes");
            }
        }
    }
}
