package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.OverdriveException;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Inputs that are too large for any memory, from a stream that is made up while it is read: a clear error, or rejected records. The
 * heap of the tests is far smaller than the input, and no more than a small part of the input may have been read.
 */
class HostileSizesTest {
    private static final long TWO_GIGABYTES = 2L << 30;
    private static final int MAX_RECORD_BYTES = 1 << 20;

    private final Path directory;

    HostileSizesTest(@TempDir Path directory) {
        this.directory = directory;
    }

    /** A text, then another one many times. */
    private static final class Endless extends InputStream {
        private final byte[] start;
        private final byte[] repeated;
        private final int period;
        private final long length;
        private long at;

        Endless(String start, String repeated, long length) {
            this.start = start.getBytes(StandardCharsets.UTF_8);
            this.repeated = repeated.repeat(1 << 14).getBytes(StandardCharsets.UTF_8);
            this.period = repeated.length();
            this.length = length;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int count) {
            if (at == length) {
                return -1;
            }
            boolean starts = at < start.length;
            byte[] from = starts ? start : repeated;
            int fromIndex = (int) (starts ? at : (at - start.length) % period);
            int read = (int) Math.min(Math.min(count, from.length - fromIndex), length - at);
            System.arraycopy(from, fromIndex, bytes, offset, read);
            at += read;
            return read;
        }

        @Override
        public int available() {
            return (int) Math.min(1 << 20, length - at);
        }
    }

    /** Counts records, and keeps the reasons of those that are malformed. */
    private static final class Counting extends IgnoringHandler {
        private long records;
        private final Set<String> reasons = ConcurrentHashMap.newKeySet();

        @Override
        public void field(String name, JsonParser json) throws IOException {
            json.skipChildren();
        }

        @Override
        public void end(int fieldCount) {
            records++;
        }

        @Override
        public void malformed(Block block, long line, long position, byte[] raw, MessageText reason) {
            reasons.add(reason.inJava());
        }
    }

    private static InputFormat.Builder format(InputFormat.Kind kind) {
        return InputFormat.builder().kind(kind).header(false).maxRecordBytes(MAX_RECORD_BYTES);
    }

    private static Counting read(InputFile file, InputFormat format) {
        Counting counting = new Counting();
        RecordParser parser = new RecordParser();
        try (InputReader reader = new InputReader(List.of(file), format)) {
            for (Block block = reader.next(); block != null; block = reader.next()) {
                parser.parse(block, counting);
                reader.recycle(block);
            }
        }
        return counting;
    }

    /** Reads a stream as standard input; the message of the failure, if there is one. */
    private static @Nullable String failure(Endless stream, InputFormat format) {
        InputStream in = System.in;
        System.setIn(stream);
        try {
            read(InputFile.standardInput(), format);
            return null;
        } catch (OverdriveException e) {
            assertThat(e.kind()).isEqualTo(OverdriveException.Kind.INPUT);
            return e.getMessage();
        } finally {
            System.setIn(in);
        }
    }

    private static void assertTooLong(Endless stream, InputFormat format, long line) {
        assertThat(failure(stream, format))
                .startsWith("standard input line " + line + ": the record that starts here is longer than "
                        + MAX_RECORD_BYTES + " bytes (maxRecordBytes); is a quote ");
        assertThat(stream.at).isLessThan(4L * MAX_RECORD_BYTES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "\"\"", "x,", "\\\""})
    void aLineWithoutAnEndIsAnError(String repeated) {
        assertTooLong(
                new Endless("1,2\n3,\"", repeated, TWO_GIGABYTES),
                format(InputFormat.Kind.CSV).build(),
                2);
        assertTooLong(
                new Endless("1,2\n3,\"", repeated, TWO_GIGABYTES),
                format(InputFormat.Kind.CSV).escape('\\').build(),
                2);
        assertTooLong(
                new Endless("1,2\n3,", repeated.replace("\"", "y"), TWO_GIGABYTES),
                format(InputFormat.Kind.CSV).quote(null).build(),
                2);
        assertTooLong(
                new Endless("1,2\n# ", repeated, TWO_GIGABYTES),
                format(InputFormat.Kind.CSV).comment('#').build(),
                2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":\"", "{\"a\":[", "{", "[{\"a\":1},{\"b\":\""})
    void aJsonRecordWithoutAnEndIsAnError(String start) {
        for (String repeated : List.of("x", "[", "1,", "\"k\":1,")) {
            Endless stream = new Endless("{\"z\":0}\n" + start, repeated, TWO_GIGABYTES);
            assertThat(failure(stream, format(InputFormat.Kind.JSON).build()))
                    .startsWith("standard input line 2: the record that starts here is longer than")
                    .endsWith("is a quote or a bracket not closed?");
            assertThat(stream.at).isLessThan(4L * MAX_RECORD_BYTES);
        }
    }

    @Test
    void aHeaderWithABillionColumnsIsAnError() {
        InputFormat.Builder format = format(InputFormat.Kind.CSV).header(true).maxRecordBytes(2 << 20);
        assertThat(failure(new Endless("a", ",a", 1 << 20), format.build()))
                .isEqualTo("standard input line 1: the header has more than 65535 fields, and no table has as many"
                        + " columns; is this the right delimiter, and is it a header (header(false))?");
        assertThat(failure(new Endless("a", ",a", 1 << 20), format.escape('\\').build()))
                .startsWith("standard input line 1: the header has more than 65535 fields");
        assertThat(failure(new Endless("a", ",a", TWO_GIGABYTES), format.build()))
                .startsWith("standard input line 1: the record that starts here is longer than 2097152 bytes");
    }

    @Test
    void aRecordWithFarMoreFieldsThanATableHasColumnsIsCounted() throws IOException {
        StringBuilder json = new StringBuilder("{\"f\":1");
        for (int i = 0; i < 200_000; i++) {
            json.append(",\"f").append(i).append("\":1");
        }
        Path file = Files.writeString(directory.resolve("wide.json"), json.append("}\n{\"a\":1}\n"));
        Counting counted = read(
                InputFile.of(file),
                format(InputFormat.Kind.JSON).maxRecordBytes(4 << 20).build());
        assertThat(counted.records).isEqualTo(2);
        Path csv = Files.writeString(directory.resolve("wide.csv"), "a,".repeat(1_000_000) + "\n1,2\n");
        InputFormat.Builder format = format(InputFormat.Kind.CSV).maxRecordBytes(4 << 20);
        assertThat(read(InputFile.of(csv), format.build()).records).isEqualTo(2);
    }

    @Test
    void nestingOf100000LevelsRejectsTheRecordOnly() throws IOException {
        String deep = "{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}\n";
        String objects = "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000) + "\n";
        Path file = Files.writeString(directory.resolve("deep.json"), "{\"a\":1}\n" + deep + objects + "{\"a\":2}\n");
        Counting counted =
                read(InputFile.of(file), format(InputFormat.Kind.JSON).build());
        assertThat(counted.records).isEqualTo(2);
        assertThat(counted.reasons)
                .hasSize(1)
                .first()
                .asString()
                .contains("not valid JSON", "nesting depth (1001) exceeds the maximum allowed (1000");
    }

    private Path pack(Compression compression, String start, String repeated, long length) throws IOException {
        Path file = directory.resolve("bomb.csv" + compression.suffix());
        try (OutputStream out = compression.pack(Files.newOutputStream(file));
                InputStream in = new Endless(start, repeated, length)) {
            in.transferTo(out);
        }
        return file;
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aBombOfOneRecordIsAnError(Compression compression) throws IOException {
        Path file = pack(compression, "1,2\n3,", "x", 16 << 20);
        assertThat(Files.size(file)).isLessThan(1 << 20);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() ->
                        read(InputFile.of(file), format(InputFormat.Kind.CSV).build()))
                .withMessageStartingWith(
                        file + " line 2: the record that starts here is longer than " + MAX_RECORD_BYTES + " bytes");
    }

    /** Empty lines and records take no memory, however many come out of a small file. */
    @ParameterizedTest
    @ValueSource(strings = {"\n", "1\n"})
    void aBombOfManyRecordsIsReadBlockByBlock(String record) throws IOException {
        long bytes = 16L << 20;
        Path file = pack(Compression.GZIP, "", record, bytes);
        assertThat(Files.size(file)).isLessThan(1 << 20);
        Counting counted = read(InputFile.of(file), format(InputFormat.Kind.CSV).build());
        assertThat(counted.records).isEqualTo(record.length() == 1 ? 0 : bytes / 2);
    }

    @Test
    void anXzFileThatClaimsALargeDictionaryIsAnError() throws Exception {
        Path file = Path.of(
                Objects.requireNonNull(getClass().getResource("RecordsFuzzTestInputs/compressed/xz-large-dictionary"))
                        .toURI());
        byte[] input = Files.readAllBytes(file);
        Path packed = Files.write(directory.resolve("a.csv.xz"), Arrays.copyOfRange(input, 4, input.length));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() ->
                        read(InputFile.of(packed), format(InputFormat.Kind.CSV).build()))
                .withMessageContaining("KiB of memory would be needed; limit was 81920 KiB");
    }
}
