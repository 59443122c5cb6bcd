package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Seeds;
import io.overdrive.internal.flow.WaitTime;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that are spilled and read back, compared with a list of them. */
class SpillTest {
    /** Bits of the hash before those that choose the piece, on the first level. */
    private static final int SHARD_BITS = 3;

    private static final int PIECE_BITS = 5;

    private final Path directory;
    private int filesOpened;

    SpillTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private record Row(long hash, long token, List<Byte> key, List<Byte> record) {
        static Row random(Random random, int maxBytes) {
            return new Row(
                    random.nextLong(),
                    random.nextLong(),
                    bytes(random, 1 + random.nextInt(40)),
                    bytes(random, random.nextInt(maxBytes)));
        }

        private static List<Byte> bytes(Random random, int count) {
            byte[] bytes = new byte[count];
            random.nextBytes(bytes);
            return list(bytes, 0, count);
        }

        int piece(int level) {
            return (int) (hash >>> 64 - SHARD_BITS - PIECE_BITS * (level + 1)) & (1 << PIECE_BITS) - 1;
        }
    }

    private static List<Byte> list(byte[] bytes, int from, int to) {
        List<Byte> list = new ArrayList<>();
        for (int i = from; i < to; i++) {
            list.add(bytes[i]);
        }
        return list;
    }

    /** The bytes, and others after them. */
    private static byte[] array(List<Byte> list) {
        byte[] array = new byte[list.size() + 3];
        Arrays.fill(array, (byte) 0x55);
        for (int i = 0; i < list.size(); i++) {
            array[i] = list.get(i);
        }
        return array;
    }

    private Spill spill(int level) {
        return new Spill(
                new Spill.Place(
                        directory,
                        (where, name) -> {
                            filesOpened++;
                            return Spill.temporaryFile(where, name);
                        },
                        /* shard */ 0),
                level,
                new WaitTime());
    }

    private static void add(Spill spill, Row row) {
        spill.add(row.hash, row.token, array(row.key), row.key.size(), array(row.record), row.record.size());
    }

    /** Reads what is left, a random number of rows at a time. */
    private static List<Row> readAll(Spill spill, Random random) {
        List<Row> rows = new ArrayList<>();
        while (!spill.isEmpty()) {
            int enough = rows.size() + 1 + random.nextInt(100);
            spill.readPiece((hash, token, bytes, keyTo, recordTo) -> {
                rows.add(new Row(hash, token, list(bytes, 0, keyTo), list(bytes, keyTo, recordTo)));
                return rows.size() < enough;
            });
        }
        return rows;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    /** The file has no name any more, but a process that runs as another user could still open it through /proc. */
    @Test
    void onlyItsOwnerMayReadAFile() throws IOException {
        Path opened = Path.of("/proc/self/fd");
        assumeTrue(Files.isDirectory(opened));
        try (FileChannel file = Spill.temporaryFile(directory, "overdrive-spill-");
                Stream<Path> links = Files.list(opened)) {
            assertThat(file.isOpen()).isTrue();
            List<Path> own = links.filter(link -> target(link).startsWith(directory.toString()))
                    .toList();
            assertThat(own).hasSize(1);
            assertThat(Files.getPosixFilePermissions(own.get(0)))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    @Test
    void returnsEachRowOncePieceByPieceInTheOrderOfAdding() {
        Seeds.times(20, random -> {
            int level = random.nextInt(Spill.MAX_LEVEL + 1);
            int maxBytes = random.nextBoolean() ? 50 : 20_000;
            Spill spill = spill(level);
            List<Row> rows = new ArrayList<>();
            for (int i = random.nextInt(1000); i > 0; i--) {
                Row row = Row.random(random, maxBytes);
                rows.add(row);
                add(spill, row);
            }
            List<Row> byPiece = new ArrayList<>();
            for (int piece = 0; piece < 1 << PIECE_BITS; piece++) {
                for (Row row : rows) {
                    if (row.piece(level) == piece) {
                        byPiece.add(row);
                    }
                }
            }
            assertThat(readAll(spill, random)).isEqualTo(byPiece);
            assertThat(spill.close()).isNull();
            assertThat(files()).isEmpty();
        });
    }

    @Test
    void writesNoFileForRowsThatFitInABuffer() {
        Spill spill = spill(0);
        Random random = new Random(1);
        Row row = Row.random(random, 1000);
        add(spill, row);
        assertThat(readAll(spill, random)).containsExactly(row);
        assertThat(filesOpened).isZero();
    }

    @Test
    void discardsTheRowsAfterALength() {
        Seeds.times(20, random -> {
            Spill spill = spill(0);
            Set<Row> kept = new HashSet<>();
            for (int i = 0; i < 300; i++) {
                Row row = Row.random(random, 2000);
                long before = spill.length(row.hash);
                add(spill, row);
                assertThat(spill.length(row.hash)).isGreaterThan(before);
                if (random.nextInt(3) == 0) {
                    spill.truncate(row.hash, before);
                    assertThat(spill.length(row.hash)).isEqualTo(before);
                } else {
                    kept.add(row);
                }
            }
            List<Row> read = readAll(spill, random);
            assertThat(read).hasSameSizeAs(kept);
            assertThat(new HashSet<>(read)).isEqualTo(kept);
        });
    }

    @Test
    void keepsTheRowsBeforeOneThatCannotBeWritten() {
        Seeds.times(10, random -> {
            Spill spill = new Spill(
                    new Spill.Place(
                            directory,
                            (where, name) -> {
                                throw new IOException("No space left on device");
                            },
                            /* shard */ 0),
                    0,
                    new WaitTime());
            Set<Row> taken = new HashSet<>();
            int refused = 0;
            for (int i = 0; i < 2000; i++) {
                Row row = Row.random(random, 5000);
                try {
                    add(spill, row);
                    taken.add(row);
                } catch (OverdriveException e) {
                    assertThat(e.kind()).isEqualTo(Kind.DISK);
                    assertThat(e)
                            .hasMessage("cannot write spilled rows in " + directory
                                    + " (java.io.IOException: No space left on device); set spillDirectory to use"
                                    + " another directory, or raise groupingMemory to spill less");
                    refused++;
                }
            }
            assertThat(refused).isPositive();
            List<Row> read = readAll(spill, random);
            assertThat(read).hasSameSizeAs(taken);
            assertThat(new HashSet<>(read)).isEqualTo(taken);
        });
    }

    @Test
    void losesOnlyThePieceThatCannotBeRead() {
        List<FileChannel> opened = new ArrayList<>();
        Spill spill = new Spill(
                new Spill.Place(
                        directory,
                        (where, name) -> {
                            FileChannel file = Spill.temporaryFile(where, name);
                            opened.add(file);
                            return file;
                        },
                        /* shard */ 0),
                0,
                new WaitTime());
        Random random = new Random(2);
        for (int i = 0; i < 2000; i++) {
            add(spill, Row.random(random, 2000));
        }
        assertThat(opened).hasSize(1 << PIECE_BITS);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> {
                    for (FileChannel file : opened) {
                        file.truncate(0);
                    }
                    spill.readPiece((hash, token, bytes, keyTo, recordTo) -> true);
                })
                .withMessageStartingWith("cannot read spilled rows in " + directory
                        + " (java.io.IOException: the spill file was truncated)")
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.DISK));
        int failures = 1;
        while (!spill.isEmpty()) {
            try {
                spill.readPiece((hash, token, bytes, keyTo, recordTo) -> true);
            } catch (OverdriveException e) {
                failures++;
            }
        }
        assertThat(failures).isEqualTo(1 << PIECE_BITS);
    }

    @Test
    void continuesWithTheLevelAbove() {
        Random random = new Random(3);
        Spill above = spill(0);
        Row row = Row.random(random, 100);
        add(above, row);
        Spill below = spill(1);
        below.then(above);
        assertThat(below.isEmpty()).isTrue();
        assertThat(below.close()).isSameAs(above);

        readAll(above, random);
        Spill last = spill(1);
        last.then(above);
        assertThat(last.close()).as("an empty one is skipped").isNull();
    }

    @Test
    void leavesNoFileWhenItIsAbandoned() throws IOException {
        Random random = new Random(4);
        Spill above = spill(0);
        Spill below = spill(1);
        for (int i = 0; i < 1000; i++) {
            add(above, Row.random(random, 5000));
            add(below, Row.random(random, 5000));
        }
        below.then(above);
        assertThat(filesOpened).isPositive();
        below.abandon();
        assertThat(files()).isEmpty();
    }
}
