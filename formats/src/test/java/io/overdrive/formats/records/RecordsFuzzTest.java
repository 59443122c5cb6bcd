package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.overdrive.OverdriveException;
import io.overdrive.formats.records.Read.Rec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files of arbitrary bytes. The build runs the stored inputs; scripts/fuzz.sh searches for others. The first bytes of an input choose
 * the options.
 */
class RecordsFuzzTest {
    private static final int WHOLE = 1 << 16;
    private static final int MAX_INPUT_BYTES = WHOLE - 1;
    private static final int MAX_RECORD_BYTES = 1 << 17;
    /** More than this comes out of few bytes only if they are a bomb. */
    private static final long MAX_UNPACKED_BYTES = 8 << 20;

    private static final List<String> DELIMITERS = List.of(",", ";", "\t", "::", "é", "|");
    private static final List<String> ENCODINGS = List.of(
            "UTF-8",
            "UTF-16",
            "UTF-16LE",
            "UTF-16BE",
            "UTF-32",
            "ISO-8859-1",
            "windows-1252",
            "Shift_JIS",
            "GB18030",
            "ISO-2022-JP",
            "EUC-KR",
            "Big5");
    private static final List<Compression> PACKED = Arrays.stream(Compression.values())
            .filter(compression -> compression != Compression.NONE)
            .toList();

    private static Path directory = Path.of("");

    @BeforeAll
    static void keep(@TempDir Path temporary) {
        directory = temporary;
    }

    /** The result of reading a file: its records, and why reading ended early. */
    private record Outcome(List<Object> records, String failure) {}

    private static Outcome read(String name, byte[] bytes, InputFormat format, int blockBytes) {
        Read read = new Read();
        String failure = "";
        try (InputReader reader = new InputReader(
                List.of(InputFile.of(Files.write(directory.resolve(name), bytes))), format, blockBytes)) {
            read.rest(reader);
        } catch (OverdriveException e) {
            assertThat(e.kind()).isEqualTo(OverdriveException.Kind.INPUT);
            failure = String.valueOf(e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Outcome(read.records.stream().map(RecordsFuzzTest::content).toList(), failure);
    }

    /** All but the position, which counts comments and empty lines, too. */
    private static Object content(Rec record) {
        return List.of(record.line(), record.fields(), record.quoted(), record.raw(), String.valueOf(record.reason()));
    }

    /** Equal, but for the number of bytes of a damaged compressed file that the failure has: they are read some at once. */
    private static void assertSame(Outcome cut, Outcome whole) {
        assertThat(cut.records).isEqualTo(whole.records);
        assertThat(withoutBytes(cut)).isEqualTo(withoutBytes(whole));
    }

    private static String withoutBytes(Outcome outcome) {
        return outcome.failure.replaceFirst("beyond \\d+ bytes of input", "beyond N bytes of input");
    }

    private static <T> T choose(List<T> choices, int by) {
        return choices.get((by & 0xff) % choices.size());
    }

    private static @Nullable Character character(String choices, int by) {
        char c = choices.charAt((by & 0xff) % choices.length());
        return c == '~' ? null : c;
    }

    private static byte[] from(byte[] data, int start) {
        return Arrays.copyOfRange(data, start, Math.min(data.length, start + MAX_INPUT_BYTES));
    }

    /** The same records wherever blocks are cut. */
    @FuzzTest
    void csv(byte[] data) {
        if (data.length < 6) {
            return;
        }
        InputFormat format;
        try {
            format = InputFormat.builder()
                    .kind(InputFormat.Kind.CSV)
                    .header((data[0] & 1) != 0)
                    .delimiter(choose(DELIMITERS, data[0] >> 1))
                    .quote(character("\"\"\"'~", data[1]))
                    .escape(character("~~~\\!", data[2]))
                    .escaping(choose(List.of(InputFormat.Escaping.values()), (data[2] & 0xff) / 5))
                    .comment(character("~~#", data[3]))
                    .trim((data[3] & 0x80) != 0)
                    .maxFieldLines(1 + (data[4] & 7))
                    .encoding(Charset.forName(choose(ENCODINGS, (data[4] & 0xff) >> 3)))
                    .maxRecordBytes(MAX_RECORD_BYTES)
                    .build();
        } catch (IllegalArgumentException e) {
            return;
        }
        byte[] text = from(data, 6);
        assertSame(read("csv", text, format, 1 + (data[5] & 63)), read("csv", text, format, WHOLE));
    }

    @FuzzTest
    void json(byte[] data) {
        if (data.length < 1) {
            return;
        }
        InputFormat format = InputFormat.builder()
                .kind(InputFormat.Kind.JSON)
                .maxRecordBytes(MAX_RECORD_BYTES)
                .build();
        byte[] text = from(data, 1);
        Outcome whole = read("json", text, format, WHOLE);
        int blockBytes = 1 + (data[0] & 127);
        // the first block decides whether a file has a record on each line
        int first = Math.min(blockBytes, text.length);
        if (Encodings.mark(text, Math.min(text.length, Encodings.MAX_MARK_LENGTH)) == null
                && JsonScanner.isLines(text, first, first < blockBytes)
                        == JsonScanner.isLines(text, text.length, /* last */ true)) {
            assertSame(read("json", text, format, blockBytes), whole);
        }
    }

    /** A compressed file with changed bytes; without them, all of its content. */
    @FuzzTest
    void compressed(byte[] data) throws IOException {
        if (data.length < 4) {
            return;
        }
        Compression compression = choose(PACKED, data[0]);
        byte[] rest = from(data, 4);
        byte[] packed = rest;
        if ((data[1] & 1) == 0) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (OutputStream packing = compression.pack(out)) {
                packing.write(rest);
            }
            packed = out.toByteArray();
            if ((data[1] & 2) == 0) {
                try (InputStream in = compression.unpack(new ByteArrayInputStream(packed))) {
                    assertThat(in.readAllBytes()).isEqualTo(rest);
                }
            } else {
                packed[(data[2] & 0xff) % packed.length] ^= data[3];
            }
        }
        InputFormat format = InputFormat.builder()
                .kind(InputFormat.Kind.CSV)
                .header(false)
                .quote(null)
                .maxRecords(10_000)
                .maxRecordBytes(MAX_RECORD_BYTES)
                .build();
        read("packed.csv" + compression.suffix(), packed, format, WHOLE);
        assertNoMore(compression, packed);
    }

    /** Either the end or an exception comes, and not far more bytes than were put in. */
    private static void assertNoMore(Compression compression, byte[] packed) {
        long unpacked = 0;
        try (InputStream in = compression.unpack(new ByteArrayInputStream(packed))) {
            byte[] buffer = new byte[1 << 16];
            for (int read = in.read(buffer); read >= 0 && unpacked < MAX_UNPACKED_BYTES; read = in.read(buffer)) {
                assertThat(read).isPositive();
                unpacked += read;
            }
        } catch (IOException | RuntimeException e) {
            // BlockReader reports it
        }
    }

    /** The same text whatever the sizes of reads; without malformed input, what the JDK reads. */
    @FuzzTest
    void transcoded(byte[] data) throws IOException {
        if (data.length < 2) {
            return;
        }
        Charset encoding = Charset.forName(choose(ENCODINGS, data[0]));
        byte[] text = from(data, 2);
        byte[] whole = new Utf8Transcoder(new ByteArrayInputStream(text), encoding).readAllBytes();
        int step = 1 + (data[1] & 7);
        InputStream slow = new FilterInputStream(new ByteArrayInputStream(text)) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return super.read(bytes, offset, Math.min(length, step));
            }
        };
        assertThat(new Utf8Transcoder(slow, encoding).readAllBytes()).isEqualTo(whole);
        String decoded = Encodings.decode(text, 0, text.length, encoding);
        if (decoded != null && decoded.chars().noneMatch(c -> Character.isSurrogate((char) c))) {
            assertThat(new String(whole, StandardCharsets.UTF_8)).isEqualTo(decoded);
        }
    }
}
