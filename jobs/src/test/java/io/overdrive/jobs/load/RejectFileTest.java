package io.overdrive.jobs.load;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.IgnoringHandler;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFiles;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.records.InputReader;
import io.overdrive.formats.records.InputReader.RawRecord;
import io.overdrive.formats.records.Read;
import io.overdrive.formats.records.Read.Rec;
import io.overdrive.formats.records.RecordHandler;
import io.overdrive.formats.records.RecordParser;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.NamedOption;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** Rejected records can be looked up, saved, and loaded again. */
class RejectFileTest {
    private static final InputFormat ANY = InputFormat.builder().build();

    private final Path directory;

    RejectFileTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    /** Rejects the records at the positions, looked up by reading the input again. */
    private static void rejectAll(InputReader reader, RejectFile rejects, Iterable<Long> positions) {
        reader.lookUp(
                bitmap(positions),
                found -> rejects.reject(found, new Problem("name", "4o", MessageText.plain("is int, got \"4o\""))));
    }

    private static Roaring64Bitmap bitmap(Iterable<Long> positions) {
        Roaring64Bitmap bitmap = new Roaring64Bitmap();
        positions.forEach(bitmap::addLong);
        return bitmap;
    }

    private static void readAll(InputReader reader) {
        new Read().rest(reader);
    }

    @Test
    void keepsTheLineThatSetsTheDelimiter() throws IOException {
        for (InputFormat format :
                List.of(ANY, InputFormat.builder().header(false).build())) {
            String header = format.header() ? "id;name\n" : "";
            Path input = write("sep.csv", "sep=;\r\n" + header + "1;x,y\n2;z\n");
            Path made;
            try (InputReader reader = new InputReader(List.of(InputFile.of(input)), format);
                    RejectFile rejects = new RejectFile(directory, "sep.csv")) {
                readAll(reader);
                rejectAll(reader, rejects, List.of(0L));
                rejects.flush();
                made = rejects.paths().get(0);
            }
            assertThat(made).hasContent("sep=;\n" + header + "1;x,y\n");
            assertThat(Read.file(made, format).fields()).containsExactly(List.of("1", "x,y"));
        }
    }

    @Test
    void saysIfTheirDirectoryIsAFile() throws IOException {
        Path file = write("taken", "");
        Path input = write("a.csv", "id,name\n1,x\n");
        try (InputReader reader = new InputReader(List.of(InputFile.of(input)), ANY);
                RejectFile rejects = new RejectFile(file, "a.csv")) {
            readAll(reader);
            assertThatThrownBy(() -> rejectAll(reader, rejects, List.of(0L)))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining(file + ": rejected records cannot be written");
        }
    }

    @Test
    void keepsRecordsSoThatTheyCanBeLoadedAgain() throws IOException {
        Path a = write("a.csv", "id,name\r\n1,x\r\n2,\"y\nz\"\r\n3,u\n4,v");
        Path b = write("b.csv", "id,name\n5,w\n");
        Path c = write("c.csv", "name,id\n6,t\n");
        try (InputReader reader =
                        Read.reader(InputFiles.expand(List.of(a.toString(), b.toString(), c.toString())), ANY, 8);
                RejectFile rejects = new RejectFile(directory.resolve("out"), "a.csv.gz")) {
            readAll(reader);
            assertThat(rejects.paths()).isEmpty();
            Read all = Read.all(InputFiles.expand(List.of(a.toString(), b.toString(), c.toString())), ANY, 8);
            List<Long> positions = all.records.stream().map(Rec::position).toList();
            assertThat(positions).hasSize(6);
            rejectAll(reader, rejects, List.of(positions.get(5), positions.get(4), positions.get(1), positions.get(3)));
            assertThat(rejects.count()).isEqualTo(4);
            assertThat(rejects.paths())
                    .extracting(each -> String.valueOf(each.getFileName()))
                    .containsExactly("a.csv.rejected", "a-2.csv.rejected");
        }
        Path rejected = directory.resolve("out/a.csv.rejected");
        assertThat(rejected).hasContent("id,name\n2,\"y\nz\"\n4,v\n5,w\n");
        assertThat(directory.resolve("out/a-2.csv.rejected")).hasContent("name,id\n6,t\n");
        List<String> reasons = Files.readAllLines(directory.resolve("out/a.csv.rejected.reasons"));
        assertThat(reasons).hasSize(3);
        assertThat(Read.MAPPER.readTree(reasons.get(1)))
                .isEqualTo(Read.MAPPER
                        .createObjectNode()
                        .put("file", a.toString())
                        .put("line", 6)
                        .put("column", "name")
                        .put("value", "4o")
                        .put("reason", "is int, got \"4o\""));
        assertThat(Read.file(rejected, ANY).fields())
                .containsExactly(List.of("2", "y\nz"), List.of("4", "v"), List.of("5", "w"));
    }

    /** A directory may have files of several formats, whose records would be read as something else under one name. */
    @Test
    void namesEachFileByTheFormatOfItsInput() throws IOException {
        List<InputFile> inputs = List.of(
                InputFile.of(write("a.csv", "id,name\n1,x\n")),
                InputFile.of(write("b.jsonl", "{\"id\":2}\n")),
                InputFile.of(write("c.tsv.rejected", "id\tname\n3\tz\n")));
        try (InputReader reader = new InputReader(inputs, ANY);
                RejectFile rejects = new RejectFile(directory.resolve("out"), "a.csv")) {
            Read all = new Read();
            all.rest(reader);
            rejectAll(reader, rejects, all.records.stream().map(Rec::position).toList());
            assertThat(rejects.paths())
                    .extracting(path -> path.getFileName().toString())
                    .containsExactly("a.csv.rejected", "a-2.jsonl.rejected", "a-3.tsv.rejected");
        }
    }

    @Test
    void onlyTheirOwnerMayReadThem() throws IOException {
        Path a = write("a.csv", "id\n1\n");
        try (InputReader reader = new InputReader(List.of(InputFile.of(a)), ANY);
                RejectFile rejects = new RejectFile(directory, "r.csv")) {
            readAll(reader);
            rejectAll(reader, rejects, List.of(0L));
        }
        for (String name : List.of("r.csv.rejected", "r.csv.rejected.reasons")) {
            assertThat(Files.getPosixFilePermissions(directory.resolve(name)))
                    .as(name)
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
    }

    @Test
    void leavesFilesOfEarlierRunsAlone() throws IOException {
        Path a = write("a.csv", "id\n1\n");
        write("r.csv.rejected", "old");
        write("r-2.csv.rejected.reasons", "old");
        try (InputReader reader = new InputReader(List.of(InputFile.of(a)), ANY);
                RejectFile rejects = new RejectFile(directory, "r.csv")) {
            readAll(reader);
            rejectAll(reader, rejects, List.of(0L));
        }
        assertThat(directory.resolve("r.csv.rejected")).hasContent("old");
        assertThat(directory.resolve("r-2.csv.rejected")).doesNotExist();
        assertThat(directory.resolve("r-2.csv.rejected.reasons")).hasContent("old");
        assertThat(directory.resolve("r-3.csv.rejected")).hasContent("id\n1\n");
    }

    @Test
    void keepsOtherEncodingsReadable() throws IOException {
        Path a = Files.write(directory.resolve("a.csv"), "id\né\nx\n".getBytes(StandardCharsets.UTF_16LE));
        InputFormat format =
                InputFormat.builder().encoding(StandardCharsets.UTF_16LE).build();
        try (InputReader reader = new InputReader(List.of(InputFile.of(a)), format);
                RejectFile rejects = new RejectFile(directory, "r.csv")) {
            readAll(reader);
            rejectAll(reader, rejects, List.of(0L));
        }
        assertThat(Read.file(directory.resolve("r.csv.rejected"), format).fields())
                .containsExactly(List.of("é"));

        InputFormat latin =
                InputFormat.builder().encoding(StandardCharsets.ISO_8859_1).build();
        Path b = Files.write(directory.resolve("b.csv"), "id\né\nx\n".getBytes(StandardCharsets.ISO_8859_1));
        try (InputReader reader = new InputReader(List.of(InputFile.of(b)), latin);
                RejectFile rejects = new RejectFile(directory, "l.csv")) {
            readAll(reader);
            rejectAll(reader, rejects, List.of(0L));
        }
        assertThat(directory.resolve("l.csv.rejected"))
                .hasBinaryContent("id\né\n".getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void keepsElementsOfAnArrayAsLines() throws IOException {
        Path a = write("a.json", "[ {\"a\":1}, {\n \"a\":2\n},\n{\"a\":\"x]\"} ]");
        try (InputReader reader = Read.reader(List.of(InputFile.of(a)), ANY, 4);
                RejectFile rejects = new RejectFile(directory, "r.json")) {
            Read all = new Read();
            all.rest(reader);
            rejectAll(reader, rejects, all.records.stream().map(Rec::position).toList());
        }
        Path rejected = directory.resolve("r.json.rejected");
        assertThat(rejected).hasContent("{\"a\":1}\n{  \"a\":2 }\n{\"a\":\"x]\"}\n");
        assertThat(Files.readAllLines(RejectFile.reasonsOf(rejected)))
                .hasSize(3)
                .element(2)
                .asString()
                .contains("\"line\":4,\"record\":3,");
        assertThat(Read.file(rejected, ANY).fields())
                .containsExactly(List.of("a=1"), List.of("a=2"), List.of("a=\"x]\""));
    }

    @Test
    void findsAnyRecordsAgain() throws IOException {
        Random random = new Random(7);
        StringBuilder text = new StringBuilder("a,b\n");
        for (int i = 0; i < 500; i++) {
            String[] values = {"x", "\"q\"", "\"l\n\nm\"", "\"bad\"x", "é"};
            text.append(i).append(',').append(values[random.nextInt(5)]).append(i % 7 == 0 ? "\n\n" : "\n");
        }
        Path first = write("a.csv", text.toString());
        Path second = write("b.csv", text.toString());
        List<InputFile> files = List.of(InputFile.of(first), InputFile.of(second));
        try (InputReader reader = Read.reader(files, ANY, 64)) {
            Read all = new Read();
            all.rest(reader);
            assertThat(all.records).hasSize(1000);
            List<Rec> wanted = new ArrayList<>(all.records);
            wanted.removeIf(each -> random.nextInt(3) > 0);
            List<String> expected =
                    wanted.stream().map(each -> each.line() + " " + each.raw()).toList();
            List<String> found = new ArrayList<>();
            reader.lookUp(
                    bitmap(wanted.stream().map(Rec::position).toList()),
                    each -> found.add(each.line() + " " + new String(each.bytes(), StandardCharsets.UTF_8)));
            assertThat(found).isEqualTo(expected);
        }
    }

    @Test
    void savesNoRecordOfAFileThatReplacedAnother() throws IOException {
        List<InputFile> files = new ArrayList<>();
        for (String name : List.of("a.csv", "b.csv", "c.csv")) {
            files.add(InputFile.of(write(name, "id\n1" + name + "\n2" + name + "\n")));
        }
        try (InputReader reader = new InputReader(files, ANY)) {
            readAll(reader);
            Files.move(write("other.csv", "id\n1other\n2other\n"), directory.resolve("b.csv"), REPLACE_EXISTING);
            List<String> found = new ArrayList<>();
            assertThatThrownBy(() -> reader.lookUp(
                            bitmap(List.of(1L, 3L, 4L)),
                            each -> found.add(new String(each.bytes(), StandardCharsets.UTF_8))))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessage(
                            "rejected records from number 2 on cannot be kept: %s: the file was changed while it was"
                                    + " read: it was replaced by another file. Load it again when nothing writes to it",
                            directory.resolve("b.csv"));
            assertThat(found).containsExactly("2a.csv", "1c.csv");
        }
    }

    @Test
    void manyThreadsReadOneFileAndReject() throws Exception {
        StringBuilder text = new StringBuilder("a\n");
        for (int i = 0; i < 100_000; i++) {
            text.append(i % 10 == 0 ? "\"x\"" + i : i).append('\n');
        }
        Path file = write("a.csv", text.toString());
        ExecutorService workers = Executors.newFixedThreadPool(4);
        try (InputReader reader = Read.reader(List.of(InputFile.of(file)), ANY, 4096);
                RejectFile rejects = new RejectFile(directory, "r.csv")) {
            List<Future<Integer>> counts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                counts.add(workers.submit(() -> {
                    RecordParser parser = new RecordParser();
                    int[] count = new int[1];
                    RecordHandler handler = new IgnoringHandler() {
                        @Override
                        public void end(int fieldCount) {
                            count[0]++;
                        }

                        @Override
                        public void malformed(Block block, long line, long position, byte[] raw, MessageText reason) {
                            rejects.reject(new RawRecord(block.header(), line, position, raw), new Problem(reason));
                        }
                    };
                    for (Block block = reader.next(); block != null; block = reader.next()) {
                        parser.parse(block, handler);
                        reader.recycle(block);
                    }
                    return count[0];
                }));
            }
            int good = 0;
            for (Future<Integer> count : counts) {
                good += count.get();
            }
            assertThat(good).isEqualTo(90_000);
            assertThat(rejects.count()).isEqualTo(10_000);
        } finally {
            workers.shutdownNow();
        }
        assertThat(Files.readAllLines(directory.resolve("r.csv.rejected"))).hasSize(10_001);
        assertThat(Files.readAllLines(directory.resolve("r.csv.rejected.reasons")))
                .hasSize(10_000);
    }

    @Test
    void continuesAtACheckpoint() throws IOException {
        Path a = write("a.csv", "id\n1\n2\n3\n4\n");
        Path b = write("b.csv", "name\nx\n");
        List<RejectFile.Saved> saved;
        try (InputReader reader = new InputReader(List.of(InputFile.of(a), InputFile.of(b)), ANY);
                RejectFile rejects = new RejectFile(directory, "r.csv")) {
            readAll(reader);
            rejectAll(reader, rejects, List.of(0L));
            saved = rejects.save();
            RejectFile.force(saved);
            rejectAll(reader, rejects, List.of(1L, 4L));
        }
        assertThat(directory.resolve("r.csv.rejected")).hasContent("id\n1\n2\n");
        Files.delete(directory.resolve("r-2.csv.rejected"));
        Files.delete(directory.resolve("r-2.csv.rejected.reasons"));
        try (InputReader reader = new InputReader(List.of(InputFile.of(a), InputFile.of(b)), ANY);
                RejectFile rejects = new RejectFile(directory, "r.csv")) {
            rejects.resume(saved);
            readAll(reader);
            rejectAll(reader, rejects, List.of(1L, 3L, 4L));
        }
        assertThat(directory.resolve("r.csv.rejected")).hasContent("id\n1\n2\n4\n");
        assertThat(Files.readAllLines(directory.resolve("r.csv.rejected.reasons")))
                .hasSize(3);
        assertThat(directory.resolve("r-2.csv.rejected")).hasContent("name\nx\n");
    }

    @Test
    void startsAFileOverThatWasEmptyAtTheCheckpoint() throws IOException {
        Path a = write("a.csv", "id\n1\n2\n");
        try (InputReader reader = new InputReader(List.of(InputFile.of(a)), ANY)) {
            readAll(reader);
            List<RejectFile.Saved> saved;
            try (RejectFile rejects = new RejectFile(directory, "r.csv")) {
                rejectAll(reader, rejects, List.of(0L));
                saved = rejects.save().stream()
                        .map(each -> new RejectFile.Saved(each.path(), each.shape(), 0, 0))
                        .toList();
            }
            try (RejectFile rejects = new RejectFile(directory, "r.csv")) {
                rejects.resume(saved);
                rejectAll(reader, rejects, List.of(1L));
            }
            assertThat(directory.resolve("r.csv.rejected")).hasContent("id\n2\n");
        }
    }

    @Test
    void refusesToContinueAFileThatIsTooShort() throws IOException {
        Path a = write("a.csv", "id\n1\n");
        try (InputReader reader = new InputReader(List.of(InputFile.of(a)), ANY)) {
            readAll(reader);
            List<RejectFile.Saved> saved;
            try (RejectFile rejects = new RejectFile(directory, "r.csv")) {
                rejectAll(reader, rejects, List.of(0L));
                saved = rejects.save();
            }
            Path file = Files.writeString(directory.resolve("r.csv.rejected"), "id\n");
            assertThatThrownBy(() -> new RejectFile(directory, "r.csv").resume(saved))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessage(
                            "%s: the run cannot be resumed, because this file has fewer than the 5 bytes that the run"
                                    + " wrote to it: put it back, or begin a new one by its command, without resume or"
                                    + " resumeIfAny",
                            file);
        }
    }

    @Test
    void saysThatTheDiskIsFull() throws IOException {
        Path a = write("a.csv", "id\n1\n");
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        try (InputReader reader = new InputReader(List.of(InputFile.of(a)), ANY)) {
            readAll(reader);
            RejectFile rejects = new RejectFile(directory, "r.csv", NamedOption::javaName, created -> {}, path -> full);
            rejectAll(reader, rejects, List.of(0L));
            assertThatThrownBy(rejects::flush)
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessage(
                            "%s: rejected records cannot be written: No space left on device; is the disk full, or the"
                                    + " directory not writable?",
                            directory.resolve("r.csv.rejected"));
            assertThatThrownBy(rejects::close).isInstanceOf(UncheckedIOException.class);
        }
    }
}
