package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStream;
import io.overdrive.OverdriveException;
import io.overdrive.formats.columns.ColumnBatch;
import io.overdrive.formats.columns.ColumnSource;
import io.overdrive.formats.columns.ColumnType;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.BlockLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.snappy.FramedSnappyCompressorOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class InputFilesTest {
    private static final InputFormat NO_HEADER =
            InputFormat.builder().header(false).build();

    private static final int BLOCK_BYTES = 4096;
    /** This compressor takes seconds with back references of the usual length. */
    private static final FramedLZ4CompressorOutputStream.Parameters LZ4 =
            new FramedLZ4CompressorOutputStream.Parameters(
                    FramedLZ4CompressorOutputStream.BlockSize.K64,
                    BlockLZ4CompressorOutputStream.createParameterBuilder()
                            .withMinBackReferenceLength(16)
                            .build());

    private final Path directory;

    InputFilesTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private void touch(String... names) throws IOException {
        for (String name : names) {
            Path file = directory.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "1\n");
        }
    }

    private List<String> expand(String... arguments) {
        return InputFiles.expand(Arrays.stream(arguments)
                        .map(each -> directory + "/" + each)
                        .toList())
                .stream()
                .map(each -> directory.relativize(Path.of(each.name())).toString())
                .toList();
    }

    @Test
    void findsFilesInDirectories() throws IOException {
        touch(
                "b.csv",
                "a.JSONL.gz",
                "sub/c.tsv.zst",
                ".hidden.csv",
                ".git/d.csv",
                "e.dat",
                "f.csv.rejected",
                "g.csv.reasons");
        assertThat(expand("")).containsExactly("a.JSONL.gz", "b.csv", "sub/c.tsv.zst");
        List<String> notes = new ArrayList<>();
        InputFiles.expand(List.of(directory.toString()), each -> notes.add(each.toString()));
        assertThat(notes)
                .containsExactly(directory + ": 3 files are read, 5 left out by name: .git/d.csv, .hidden.csv, e.dat,"
                        + " f.csv.rejected, g.csv.reasons");
    }

    @Test
    void namesAnObjectWithTheNameOfItsDirectoryAsAWhole() {
        assertThat(new InputFiles.LeftOut(directory, 1, List.of(directory)))
                .hasToString(directory + ": 1 file is read, 1 left out by name: " + directory);
    }

    @Test
    void aFileThatIsAlsoNamedDirectlyIsNotReportedAsLeftOut() throws IOException {
        touch("a.csv", "b.dat", "c.dat");
        List<InputFiles.LeftOut> leftOut = new ArrayList<>();
        InputFiles.expand(List.of(directory.toString(), directory + "/b.dat"), leftOut::add);
        assertThat(leftOut).containsExactly(new InputFiles.LeftOut(directory, 1, List.of(directory.resolve("c.dat"))));
        leftOut.clear();
        InputFiles.expand(List.of(directory.toString(), directory + "/*.dat"), leftOut::add);
        assertThat(leftOut).isEmpty();
    }

    @Test
    void findsFilesByGlobs() throws IOException {
        touch("b.csv", "a.csv", "a.csv.gz", "sub/c.csv", "sub/deep/d.csv", ".e.csv", "f[1].csv");
        assertThat(expand("*.csv")).containsExactly("a.csv", "b.csv", "f[1].csv");
        assertThat(expand("a.csv*")).containsExactly("a.csv", "a.csv.gz");
        assertThat(expand("**/*.csv")).containsExactly("sub/c.csv", "sub/deep/d.csv");
        assertThat(expand("sub/**.csv")).containsExactly("sub/c.csv", "sub/deep/d.csv");
        assertThat(expand("*/*.csv")).containsExactly("sub/c.csv");
        assertThat(expand("{a,b}.csv")).containsExactly("a.csv", "b.csv");
        assertThat(expand("f[1].csv")).containsExactly("f[1].csv");
        assertThat(expand("b.csv", "*.csv", "./b.csv")).containsExactly("b.csv", "a.csv", "f[1].csv");
    }

    @Test
    void aFileWithSeveralLinksIsReadOnce() throws IOException {
        touch("a.csv", "sub/b.csv");
        Files.createSymbolicLink(directory.resolve("link.csv"), directory.resolve("a.csv"));
        Files.createSymbolicLink(directory.resolve("sub/again"), directory.resolve("sub"));
        Files.createSymbolicLink(directory.resolve("twice"), directory.resolve("sub"));
        assertThat(expand("")).containsExactly("a.csv", "sub/b.csv");
        assertThat(expand("link.csv", "a.csv")).containsExactly("link.csv");
        Files.createLink(directory.resolve("b.csv"), directory.resolve("a.csv"));
        Files.createLink(directory.resolve("c.dat"), directory.resolve("a.csv"));
        assertThat(expand("")).containsExactly("a.csv", "sub/b.csv");
        assertThat(expand("c.dat", "b.csv", "sub/b.csv")).containsExactly("c.dat", "sub/b.csv");
        List<InputFiles.LeftOut> leftOut = new ArrayList<>();
        InputFiles.expand(List.of(directory.toString()), leftOut::add);
        assertThat(leftOut).isEmpty();
        touch("d.dat");
        InputFiles.expand(List.of(directory.toString()), leftOut::add);
        assertThat(leftOut).containsExactly(new InputFiles.LeftOut(directory, 2, List.of(directory.resolve("d.dat"))));
    }

    /** A directory such as {@code run=5} is where somebody keeps the files, and no column of them. */
    @ParameterizedTest
    @CsvSource({
        "run=5/out, 'year, deep'", // a directory: all below it
        "run=5/out/year=1, deep",
        "run=5/out/year=1/plain/deep=2/x.parquet, deep", // a file and a glob: directly above it
        "run=5/out/year=1/*/deep=2/*.parquet, deep"
    })
    void directoriesAreColumnsBelowTheArgument(String argument, String columns) throws IOException {
        touch("run=5/out/year=1/plain/deep=2/x.parquet");
        InputFile file = InputFiles.expand(List.of(directory.resolve(argument).toString()))
                .get(0);
        ColumnSource none = new ColumnSource() {
            @Override
            public List<ColumnType> columns() {
                return List.of();
            }

            @Override
            public @Nullable ColumnBatch next() {
                return null;
            }
        };
        assertThat(file.withPathColumns(none).columns().stream().map(ColumnType::name))
                .containsExactly(columns.split(", "));
    }

    @Test
    void takesStandardInput() {
        InputFile file = InputFiles.expand(List.of("-")).get(0);
        assertThat(file.isStandardInput()).isTrue();
        assertThat(file.isRereadable()).isFalse();
        assertThat(file.name()).isEqualTo("standard input");
        assertThat(NO_HEADER.forFile(file).kind()).isEqualTo(InputFormat.Kind.CSV);
    }

    @Test
    void saysWhatIsMissing() throws IOException {
        touch("sub/e.dat");
        assertThatThrownBy(() -> expand("x.csv"))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(directory + "/x.csv: no such file");
        assertThatThrownBy(() -> InputFiles.expand(List.of("ftp://host/x.csv")))
                .hasMessage(
                        "ftp://host/x.csv: nothing here reads or writes URLs of ftp: name a file or a directory of this machine,"
                                + " an object store by s3://bucket/key, gs://bucket/key or"
                                + " abfss://container@account.dfs.core.windows.net/key, or a file of a web server by"
                                + " https://host/path");
        assertThatThrownBy(() -> expand("*.csv")).hasMessage(directory + "/*.csv: no file matches");
        assertThatThrownBy(() -> expand("none/*.csv"))
                .hasMessage("%s/none/*.csv: no file matches; %s/none is not a directory", directory, directory);
        assertThatThrownBy(() -> expand("sub"))
                .hasMessageStartingWith(directory + "/sub: no input file in this directory; looked for .csv");
        assertThatThrownBy(() -> expand("[.csv"))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("invalid glob");
        assertThatThrownBy(() -> InputFiles.expand(List.of())).hasMessageStartingWith("no input:");
        assertThatThrownBy(() -> new InputReader(InputFiles.expand(List.of(directory + "/sub/e.dat")), NO_HEADER))
                .isInstanceOf(OverdriveException.class)
                .hasMessageEndingWith("give kind csv, json, arrow or parquet");
    }

    @Test
    void infersTheFormatFromTheName() throws IOException {
        touch("a.csv.gz", "a.tsv.zst", "a.TXT", "a.ndjson.xz", "a-2.csv.rejected", "a.tsv.rejected");
        assertThat(formatOf("a.csv.gz").kind()).isEqualTo(InputFormat.Kind.CSV);
        assertThat(formatOf("a.tsv.zst").delimiter()).isEqualTo("\t");
        assertThat(formatOf("a.TXT").delimiter()).isEqualTo(",");
        assertThat(formatOf("a.ndjson.xz").kind()).isEqualTo(InputFormat.Kind.JSON);
        assertThat(formatOf("a-2.csv.rejected").kind()).isEqualTo(InputFormat.Kind.CSV);
        assertThat(formatOf("a.tsv.rejected").delimiter()).isEqualTo("\t");
    }

    private InputFormat formatOf(String name) {
        return InputFormat.builder().build().forFile(InputFile.of(directory.resolve(name)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.csv", "a.tsv", "a.txt", "a.json", "a.jsonl", "a.ndjson", "a.TSV.gz", "a.tsv.zst"})
    void aFileIsWrittenInTheFormatThatItsNameIsReadIn(String name) throws IOException {
        touch(name);
        InputFormat read = formatOf(name);
        assertThat(OutputFormat.delimiterOf(name)).isEqualTo(read.delimiter());
        assertThat(String.valueOf(OutputFormat.kindOf(name))).isEqualTo(String.valueOf(read.kind()));
    }

    @Test
    void refusesFormatsThatMakeNoSense() {
        assertThatThrownBy(() -> InputFormat.builder().delimiter("").build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> InputFormat.builder().delimiter("\n").build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> InputFormat.builder().delimiter("\"").build())
                .hasMessage("quote and delimiter both contain '\"': choose another one");
        assertThatThrownBy(() -> InputFormat.builder().quote('é').build()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> InputFormat.builder().comment('"').build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> InputFormat.builder().maxRecordBytes(0).build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> InputFormat.builder().skipRecords(-1).build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(InputFormat.builder().escape('"').build().escape()).isNull();
        assertThat(InputFormat.builder().delimiter("\\t").build().delimiter()).isEqualTo("\t");
    }

    private static byte[] pack(String extension, byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out =
                switch (extension) {
                    case "gz", "gzip" -> new GZIPOutputStream(packed);
                    case "zst", "zstd" -> new ZstdOutputStream(packed).setChecksum(true);
                    case "xz" -> new XZOutputStream(packed, new LZMA2Options());
                    case "bz2" -> new BZip2CompressorOutputStream(packed);
                    case "lz4" -> new FramedLZ4CompressorOutputStream(packed, LZ4);
                    case "snappy", "sz" -> new FramedSnappyCompressorOutputStream(packed);
                    default -> throw new IllegalArgumentException(extension);
                }) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    private static String rows(int from, int to) {
        Random random = new Random(from);
        StringBuilder rows = new StringBuilder();
        for (int i = from; i < to; i++) {
            rows.append(i).append(',').append(random.nextLong()).append('\n');
        }
        return rows.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "gzip", "zst", "zstd", "xz", "bz2", "lz4", "snappy", "sz"})
    void readsPackedFilesPutTogether(String extension) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        packed.write(pack(extension, rows(0, 2_000).getBytes(StandardCharsets.UTF_8)));
        packed.write(pack(extension, rows(2_000, 2_010).getBytes(StandardCharsets.UTF_8)));
        packed.write(pack(extension, rows(2_010, 4_000).getBytes(StandardCharsets.UTF_8)));
        Path file = Files.write(directory.resolve("a.csv." + extension), packed.toByteArray());

        Read read = new Read();
        try (InputReader reader = new InputReader(List.of(InputFile.of(file)), NO_HEADER, BLOCK_BYTES)) {
            read.rest(reader);
            assertThat(reader.bytesRead()).isEqualTo(packed.size());
            assertThat(reader.totalBytes()).hasValue(packed.size());
        }

        assertThat(read.records).hasSize(4_000);
        assertThat(String.join("\n", read.raws()) + "\n")
                .isEqualTo(rows(0, 2_000) + rows(2_000, 2_010) + rows(2_010, 4_000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "zst", "xz", "bz2", "lz4", "sz"})
    void recognizesTheCompressionByTheFirstBytes(String extension) throws IOException {
        byte[] packed = pack(extension, rows(0, 3).getBytes(StandardCharsets.UTF_8));
        for (String name : List.of("a.csv", "a.csv.gz", "a.csv.lz4")) {
            Path file = Files.write(directory.resolve(name), packed);
            assertThat(Read.file(file, NO_HEADER).raws())
                    .containsExactlyElementsOf(rows(0, 3).lines().toList());
        }
        Path named = Files.writeString(directory.resolve("b.csv." + extension), rows(0, 3));
        assertThat(Read.file(named, NO_HEADER).raws()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"BZh", "BZhang", "BZhang,31\n", "(a,b)", "P*M,x", "\uFEFFx", "é"})
    void readsTextThatStartsLikeACompressedFileAsText(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("a.csv"), text);
        assertThat(Read.file(file, NO_HEADER).raws()).hasSize(1);
    }

    @Test
    void saysThatAnEmptyCompressedFileIsIncomplete() throws IOException {
        Path file = Files.writeString(directory.resolve("a.csv.gz"), "");
        assertThatThrownBy(() -> Read.file(file, NO_HEADER))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(
                        "%s: the file is empty, which a compressed file never is, even without records; was it copied"
                                + " completely?",
                        file);
        assertThat(Read.file(Files.writeString(directory.resolve("a.csv"), ""), NO_HEADER).records)
                .isEmpty();
    }

    @Test
    void saysWhyACompressedFileCannotBeRead() throws IOException {
        byte[] packed = pack("gz", rows(0, 30_000).getBytes(StandardCharsets.UTF_8));
        Path cut = Files.write(directory.resolve("a.csv.gz"), Arrays.copyOf(packed, packed.length / 2));
        assertThatThrownBy(() -> Read.file(cut, NO_HEADER))
                .hasMessageContaining(": cannot be read beyond " + packed.length / 2 + " bytes of input, ")
                .hasMessageEndingWith("; the file is truncated or damaged. Records before this line were read")
                .message()
                .doesNotContain("null")
                .doesNotContain(".;");
        Path damaged = Files.write(directory.resolve("b.csv.gz"), new byte[] {0, 1, 2, 3, 4});
        assertThatThrownBy(() -> Read.file(damaged, NO_HEADER))
                .hasMessageContaining(" uncompressed: Input is not in the .gz format; the file is truncated");
    }

    private Path pipe(String name, byte[] content) throws Exception {
        Path pipe = directory.resolve(name);
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Thread writer = new Thread(() -> {
            try (OutputStream out = new FileOutputStream(pipe.toFile())) {
                out.write(content);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        writer.setDaemon(true);
        writer.start();
        return pipe;
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "gz"})
    void readsAPipeAfterASampleOfIt(String kind) throws Exception {
        byte[] text = rows(0, 50_000).getBytes(StandardCharsets.UTF_8);
        InputFile pipe = InputFile.of(pipe("a.csv", kind.equals("gz") ? pack("gz", text) : text));
        assertThat(pipe.isRereadable()).isFalse();
        for (int i = 0; i < 2; i++) {
            Read sample = new Read();
            try (InputReader reader = InputReader.sample(List.of(pipe), NO_HEADER)) {
                sample.block(reader);
            }
            assertThat(sample.fields().get(0).get(0)).isEqualTo("0");
        }
        Read all = Read.all(List.of(pipe), NO_HEADER, BLOCK_BYTES);
        assertThat(String.join("\n", all.raws()) + "\n").isEqualTo(rows(0, 50_000));
        assertThatThrownBy(() -> Read.all(List.of(pipe), NO_HEADER, BLOCK_BYTES))
                .hasMessageContaining("it can be read only once");
    }

    /** The change of a file of 1,000 records while it is read. */
    private enum Change {
        SHRINKS("it had 4000 bytes and now has 2402"),
        GROWS("it had 4000 bytes and now has 4003"),
        IS_REPLACED("it was replaced by another file"),
        IS_REMOVED("it no longer exists (java.nio.file.NoSuchFileException: "),
        IS_WRITTEN_AGAIN("its content was rewritten");

        final String message;

        Change(String message) {
            this.message = message;
        }

        void change(Path file) throws IOException {
            switch (this) {
                case SHRINKS -> Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 2402));
                case GROWS -> Files.writeString(file, "999", StandardOpenOption.APPEND);
                case IS_REPLACED -> {
                    Path other = Files.copy(file, file.resolveSibling("other"));
                    Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
                }
                case IS_REMOVED -> Files.delete(file);
                case IS_WRITTEN_AGAIN -> Files.setLastModifiedTime(file, FileTime.fromMillis(1));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFileThatChangesWhileItIsReadIsAnError(Change change) throws IOException {
        Path file = Files.writeString(directory.resolve("a.csv"), "123\n".repeat(1000));
        Read read = new Read();
        try (InputReader reader = new InputReader(List.of(InputFile.of(file)), NO_HEADER, 1000)) {
            read.block(reader);
            change.change(file);
            assertThatThrownBy(() -> read.rest(reader))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageStartingWith(file + ": the file was changed while it was read: " + change.message)
                    .hasMessageEndingWith(". Load it again when nothing writes to it");
        }
        assertThat(read.records.size()).isBetween(change == Change.SHRINKS ? 500 : 750, 1000);
        assertThat(read.fields()).as("no record that is cut off").containsOnly(List.of("123"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "zst", "xz", "bz2", "lz4", "sz"})
    void readsUpToTheDamageOfATruncatedFile(String extension) throws IOException {
        byte[] packed = pack(extension, rows(0, 3_000).getBytes(StandardCharsets.UTF_8));
        for (int cut : new int[] {packed.length / 2, packed.length - 1, 3}) {
            Path file = Files.write(directory.resolve("a.csv." + extension), Arrays.copyOf(packed, cut));
            List<List<String>> found = new ArrayList<>();
            for (int blockBytes : new int[] {100, BLOCK_BYTES, BlockReader.BLOCK_BYTES}) {
                Read read = new Read();
                try (InputReader reader = new InputReader(List.of(InputFile.of(file)), NO_HEADER, blockBytes)) {
                    assertThatThrownBy(() -> read.rest(reader))
                            .as("%s cut at %d of %d", extension, cut, packed.length)
                            .isInstanceOf(OverdriveException.class)
                            .hasMessageStartingWith(file + " line ")
                            .hasMessageContaining("the file is truncated or damaged");
                    assertThat(reader.next()).isNull();
                }
                assertThat(read.malformed()).isEmpty();
                found.add(read.raws());
            }
            assertThat(rows(0, 3_000)).startsWith(String.join("\n", found.get(0)));
            assertThat(found).as("whatever the size of a block").containsOnly(found.get(0));
            // the others decompress large pieces or nothing
            if (cut > 3 && List.of("gz", "lz4", "sz").contains(extension)) {
                assertThat(found.get(0)).isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "zst", "xz", "bz2", "lz4", "sz"})
    void reportsAFileWithWrongBytes(String extension) throws IOException {
        byte[] packed = pack(extension, rows(0, 3_000).getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < 16; i++) {
            packed[packed.length / 2 + i] ^= 0x55;
        }
        Path file = Files.write(directory.resolve("a.csv." + extension), packed);
        Path next = Files.writeString(directory.resolve("b.csv"), "next\n");
        Read read = new Read();
        try (InputReader reader =
                new InputReader(List.of(InputFile.of(file), InputFile.of(next)), NO_HEADER, BLOCK_BYTES)) {
            assertThatThrownBy(() -> read.rest(reader))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageContaining("the file is truncated or damaged");
            int before = read.records.size();
            read.rest(reader);
            assertThat(read.fields().subList(before, read.records.size())).containsExactly(List.of("next"));
        }
    }

    @Test
    void namesOfOtherFormatsSayWhatToDo() throws IOException {
        InputFormat any = InputFormat.builder().build();
        touch(
                "a.tab.gz",
                "a.parquet",
                "a.avro",
                "a.zip",
                "a.dat",
                "a.orc.gz",
                "a.csv.Z",
                "a.arrow.gz",
                "b.arrows",
                "c.feather");
        assertThat(any.forFile(InputFile.of(directory.resolve("a.tab.gz"))).delimiter())
                .isEqualTo("\t");
        assertThat(any.kindOf(InputFile.of(directory.resolve("a.parquet")))).isEqualTo(InputFormat.Kind.PARQUET);
        assertThatThrownBy(() -> any.kindOf(InputFile.of(directory.resolve("a.avro"))))
                .hasMessageContaining("a.avro is not CSV, JSON, Arrow or Parquet by its name")
                .hasMessageContaining("read it in Spark");
        assertThatThrownBy(() -> any.kindOf(InputFile.of(directory.resolve("a.zip"))))
                .hasMessageContaining("take CSV or JSON files out of it");
        assertThatThrownBy(() -> any.kindOf(InputFile.of(directory.resolve("a.orc.gz"))))
                .hasMessageContaining("read it in Spark");
        for (String arrow : List.of("a.arrow.gz", "b.arrows", "c.feather")) {
            assertThat(any.kindOf(InputFile.of(directory.resolve(arrow)))).isEqualTo(InputFormat.Kind.ARROW);
        }
        assertThatThrownBy(() -> any.kindOf(InputFile.of(directory.resolve("a.csv.Z"))))
                .hasMessageEndingWith(
                        "a.csv.Z is not CSV, JSON, Arrow or Parquet by its name, and files that are compressed like"
                                + " this are not read here: unpack it first");
        assertThatThrownBy(() -> any.kindOf(InputFile.of(directory.resolve("a.dat"))))
                .hasMessageEndingWith(
                        "a.dat: cannot infer the format from the file name; give kind csv, json, arrow or parquet");
    }

    @Test
    void aDirectoryWithFilesOfAnotherFormatSaysWhatToDo() throws IOException {
        Path parts = Files.createDirectory(directory.resolve("orders.orc"));
        Files.createFile(parts.resolve("_SUCCESS"));
        Path part = Files.createFile(parts.resolve("part-00000.snappy.orc"));
        assertThatThrownBy(() -> InputFiles.expand(List.of(parts.toString())))
                .hasMessageEndingWith("compressed or not. " + part
                        + " is not CSV, JSON, Arrow or Parquet by its name, and other formats are not"
                        + " read here: read it in Spark, and write it to the table with Overdrive's connector");
    }
}
