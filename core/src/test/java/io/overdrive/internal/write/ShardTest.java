package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCallback;
import io.overdrive.Seeds;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows go in, requests come out, and a map says what must be in them. */
class ShardTest {
    private static final long BASE = 1_000_000_000L;
    private static final int INDEX = 5;
    /** The key, two more columns and the write time. */
    private static final int SLOTS = 4;

    private final WriteLayout layout = WriteLayouts.of(SLOTS, 1);
    private final Path directory;

    ShardTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private record Callback(long position) implements RowCallback {
        @Override
        public void ended(long ofRow, @Nullable OverdriveException failure) {}
    }

    private record Row(byte[] key, byte @Nullable [] first, byte[] second, byte[] attachment) {}

    /** A shard and the rows that it holds. Confined to its test. */
    private final class Bench {
        final Shard shard;
        final boolean prefix;
        final boolean attachments;
        final Map<Long, Row> waiting = new HashMap<>();
        final Map<Long, @Nullable RowCallback> callbacks = new HashMap<>();
        final List<WriteRequest> ready = new ArrayList<>();
        long writes;
        long rowsOut;
        long peakReadyBytes;
        long peakUsed;
        final List<OverdriveException> failures = new ArrayList<>();
        private final Bytes record = new Bytes(64);

        Bench(boolean prefix, boolean attachments, int batchBytes, int batchRows, long budget) {
            this(prefix, attachments, batchBytes, batchRows, budget, Spill::temporaryFile);
        }

        Bench(boolean prefix, boolean attachments, int batchBytes, int batchRows, long budget, Spill.FileOpener files) {
            this.prefix = prefix;
            this.attachments = attachments;
            shard = new Shard(
                    new GroupRequests.Form(layout, prefix, attachments, BASE),
                    new BatchLimit(batchBytes),
                    batchRows,
                    budget,
                    new Spill.Place(directory, files, INDEX),
                    failures::add);
        }

        void add(long position, Row row) {
            add(position, row, null);
        }

        void add(long position, Row row, @Nullable RowCallback callback) {
            waiting.put(position, row);
            callbacks.put(position, callback);
            Bytes key = new Bytes(16);
            value(key, row.key());
            record.clear();
            record.putInt(0);
            record.putLong(position);
            if (!prefix) {
                value(record, row.key());
            }
            value(record, row.first());
            value(record, row.second());
            record.setInt(0, record.length() - 12);
            if (attachments) {
                record.putInt(row.attachment().length);
                record.put(row.attachment());
            }
            long token = token(row);
            // Of all tokens, a shard gets those whose first bits are its number.
            long hash = token >>> 3 | (long) INDEX << 61;
            shard.add(hash, token, key.array(), key.length(), record.array(), record.length(), callback, ready);
            peakUsed = Math.max(peakUsed, shard.used());
            take();
        }

        void finish() {
            takeAll();
            assertThat(shard.used()).isZero();
            assertThat(waiting).isEmpty();
        }

        void takeAll() {
            boolean more = true;
            while (more) {
                more = shard.emitSome(ready);
                take();
            }
            more = true;
            while (more) {
                more = shard.unspill(ready);
                take();
            }
        }

        double rowsPerWrite() {
            return (double) rowsOut / writes;
        }

        private void take() {
            peakReadyBytes = Math.max(
                    peakReadyBytes, ready.stream().mapToLong(w -> w.body.length).sum());
            ready.forEach(this::check);
            ready.clear();
        }

        private void check(WriteRequest write) {
            boolean batch = write.opcode == Opcode.BATCH;
            assertThat(batch).isEqualTo(write.rows() > 1);
            byte[] key = null;
            int at =
                    batch ? layout.beginBatch(new byte[3], 1) : layout.beginExecute(new byte[layout.executeOverhead()]);
            if (batch) {
                assertThat(write.body[1] << 8 & 0xff00 | write.body[2] & 0xff).isEqualTo(write.rows());
            }
            for (int i = 0; i < write.rows(); i++) {
                at += batch ? layout.rowHeader.length : 0;
                byte @Nullable [][] values = new byte @Nullable [SLOTS][];
                for (int slot = 0; slot < SLOTS; slot++) {
                    int length = Bytes.getInt(write.body, at);
                    at += 4;
                    if (length >= 0) {
                        values[slot] = Arrays.copyOfRange(write.body, at, at + length);
                        at += length;
                    }
                }
                long position = write.positions[i];
                Row row = waiting.remove(position);
                assertThat(row).as("row %d is emitted once", position).isNotNull();
                assertThat(values[0]).isEqualTo(row.key());
                assertThat(values[1]).isEqualTo(row.first());
                assertThat(values[2]).isEqualTo(row.second());
                assertThat(Bytes.getLong(values[3], 0)).isEqualTo(BASE + position);
                assertThat(write.token).isEqualTo(token(row));
                assertThat(write.attachment(i)).isEqualTo(attachments ? row.attachment() : null);
                assertThat(write.callbacks == null ? null : write.callbacks[i]).isSameAs(callbacks.remove(position));
                assertThat(values[0]).as("one key in each request").isEqualTo(key == null ? values[0] : key);
                key = values[0];
            }
            assertThat(write.body.length - at)
                    .as("what follows the rows")
                    .isEqualTo(batch ? layout.batchOverhead() - 3 : 0);
            writes++;
            rowsOut += write.rows();
        }
    }

    private static void value(Bytes target, byte @Nullable [] value) {
        if (value == null) {
            target.putInt(-2);
        } else {
            target.putInt(value.length);
            target.put(value);
        }
    }

    private static long token(Row row) {
        return Murmur3.token(row.key(), 0, row.key().length);
    }

    private static byte[] key(int number) {
        Bytes key = new Bytes(4);
        key.putInt(number);
        return key.toByteArray();
    }

    private static byte[] bytes(Random random, int maxBytes) {
        byte[] bytes = new byte[random.nextInt(maxBytes)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static Row row(int key) {
        return new Row(key(key), new byte[8], new byte[40], new byte[0]);
    }

    /** The partition of each row: each partition has this many rows, in random order. */
    private static int[] shuffled(int partitions, int rowsEach, Random random) {
        int[] keys = new int[partitions * rowsEach];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = i / rowsEach;
            int other = random.nextInt(i + 1);
            int swap = keys[other];
            keys[other] = keys[i];
            keys[i] = swap;
        }
        return keys;
    }

    @Test
    void emitsEachRowOnceWithItsValues() {
        Seeds.times(40, random -> {
            int maxBytes = random.nextInt(10) == 0 ? 20_000 : 1 + random.nextInt(300);
            long budget = 1L << (14 + random.nextInt(7));
            Bench bench = new Bench(
                    random.nextBoolean(),
                    random.nextBoolean(),
                    1 << (7 + random.nextInt(12)),
                    1 + random.nextInt(200),
                    budget);
            int keys = 1 + random.nextInt(3_000);
            int rows = maxBytes > 1_000 ? 500 : 20_000;
            int run = random.nextInt(3);
            for (int i = 0; i < rows; i++) {
                int number = run == 0 ? i * keys / rows : run == 1 ? random.nextInt(keys) : i % keys;
                byte[] key = Arrays.copyOf(key(number), 4 + number % 200);
                byte[] first = random.nextInt(5) == 0 ? null : bytes(random, maxBytes);
                bench.add(i, new Row(key, first, bytes(random, maxBytes), bytes(random, 50)));
            }
            assertThat(bench.peakUsed)
                    .as("memory with a budget of %d and values up to %d", budget, maxBytes)
                    .isLessThan(budget + 4L * maxBytes + 4_096);
            bench.finish();
        });
    }

    @Test
    void emitsCallbacksWithTheirRows() {
        Seeds.times(20, random -> {
            Bench bench = new Bench(
                    random.nextBoolean(), false, 1 << (7 + random.nextInt(12)), 1 + random.nextInt(200), 1 << 20);
            int share = 1 + random.nextInt(10);
            for (int i = 0; i < 20_000; i++) {
                bench.add(i, row(random.nextInt(2_000)), random.nextInt(10) < share ? new Callback(i) : null);
            }
            assertThat(bench.shard.rowsSpilled()).isZero();
            assertThat(bench.peakUsed).isLessThan((1 << 20) + 4_096);
            bench.finish();
        });
    }

    @Test
    void emitsAtOnceRowsThatComeAfterTheEnd() {
        Bench bench = new Bench(true, false, 64 << 10, 1_000, 16 << 20);
        bench.add(1, row(1));
        bench.shard.emitAtOnce();
        bench.add(2, row(1), new Callback(2));
        bench.add(3, row(2));
        assertThat(bench.waiting).isEmpty();
        assertThat(bench.writes).isEqualTo(2);
    }

    @Test
    void emitsInputInOrderEarlyAndInWholeGroups() {
        Bench bench = new Bench(true, false, 64 << 10, 1_000, 16 << 20);
        for (int i = 0; i < 100_000; i++) {
            bench.add(i, row(i / 50));
        }
        assertThat(bench.peakUsed).isLessThan(1 << 20);
        assertThat(bench.rowsOut).isGreaterThan(90_000);
        bench.finish();
        assertThat(bench.rowsPerWrite()).isGreaterThan(0.9 * 50);
        assertThat(bench.shard.rowsSpilled()).isZero();
    }

    @Test
    void groupsShuffledRowsInMemory() {
        Seeds.times(3, random -> {
            Bench bench = new Bench(true, false, 64 << 10, 1_000, 32 << 20);
            int[] keys = shuffled(2_000, 50, random);
            for (int i = 0; i < keys.length; i++) {
                bench.add(i, row(keys[i]));
            }
            bench.finish();
            assertThat(bench.rowsPerWrite()).isGreaterThan(0.9 * 50);
            assertThat(bench.shard.rowsSpilled()).isZero();
        });
    }

    @Test
    void groupsShuffledRowsOnDiskIfMemoryIsShort() {
        Seeds.times(3, random -> {
            Bench bench = new Bench(true, true, 64 << 10, 1_000, 1 << 20);
            int[] keys = shuffled(10_000, 12, random);
            for (int i = 0; i < keys.length; i++) {
                bench.add(i, new Row(key(keys[i]), key(i), key(-i), key(i)));
            }
            long rows = bench.shard.rowsSpilled();
            long bytes = bench.shard.bytesSpilled();
            assertThat(rows).isGreaterThan(keys.length / 2);
            assertThat(bytes).isGreaterThan(10 * rows);
            bench.finish();
            assertThat(bench.shard.bytesSpilled())
                    .as("also if pieces are spilled again")
                    .isEqualTo(bytes);
            assertThat(bench.rowsPerWrite()).isGreaterThan(0.95 * 12);
            assertThat(files()).isEmpty();
        });
    }

    @Test
    void emitsGroupsWorthARequestBeforeItSpills() {
        Seeds.times(3, random -> {
            Bench bench = new Bench(true, true, 64 << 10, 1_000, 1 << 20);
            int[] keys = shuffled(3_000, 50, random);
            for (int i = 0; i < keys.length; i++) {
                bench.add(i, new Row(key(keys[i]), key(i), key(-i), key(i)));
            }
            bench.finish();
            assertThat(bench.rowsPerWrite()).isGreaterThan(16);
        });
    }

    @Test
    void spillsAPieceThatIsTooLargeAgain() {
        Seeds.times(2, random -> {
            // A piece of 1,300 rows takes more than twice the memory.
            Bench bench = new Bench(true, false, 64 << 10, 1_000, 128 << 10);
            int[] keys = shuffled(3_000, 14, random);
            for (int i = 0; i < keys.length; i++) {
                bench.add(i, row(keys[i]));
            }
            bench.finish();
            assertThat(bench.rowsPerWrite()).isGreaterThan(0.8 * 14);
            assertThat(files()).isEmpty();
        });
    }

    @Test
    void needsLittleMemoryToReadSpilledRowsBack() {
        Bench bench = new Bench(true, false, 16 << 10, 1_000, 256 << 10);
        int[] keys = shuffled(200, 2_000, new Random(7));
        for (int i = 0; i < keys.length; i++) {
            byte[] value = new byte[40];
            bench.add(i, new Row(key(keys[i]), key(i), value, value));
            if (i == 1_000 && bench.shard.rowsSpilled() == 0) {
                // First rows that are far apart, so that all that follows is spilled whatever its order.
                for (int j = 0; j < 30_000; j++) {
                    bench.add(-1 - j, row(1_000 + j * 31 % 3_000));
                }
                assertThat(bench.shard.rowsSpilled()).isPositive();
            }
        }
        bench.finish();
        assertThat(bench.peakReadyBytes).isLessThan(512 << 10);
    }

    @Test
    void doesNotSpillPartitionsOfOneRow() {
        Bench bench = new Bench(true, false, 64 << 10, 1_000, 1 << 20);
        for (int i = 0; i < 200_000; i++) {
            bench.add(i, row(i * 0x9E3779B1));
        }
        assertThat(bench.rowsOut).isGreaterThan(100_000);
        bench.finish();
        assertThat(bench.shard.rowsSpilled()).isZero();
        assertThat(bench.rowsPerWrite()).isEqualTo(1);
    }

    @Test
    void leavesNoFilesBehindWhenItIsAbandoned() throws IOException {
        Bench bench = new Bench(true, false, 64 << 10, 1_000, 256 << 10);
        int[] keys = shuffled(8_000, 12, new Random(1));
        for (int i = 0; i < keys.length; i++) {
            bench.add(i, row(keys[i]));
        }
        assertThat(bench.shard.rowsSpilled()).isPositive();
        bench.shard.abandon();
        bench.shard.abandon();
        assertThat(files()).isEmpty();
        assertThat(bench.shard.unspill(bench.ready)).isFalse();
    }

    @Test
    void namesTheDirectoryThatCannotBeWrittenAndWhatToDo() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        Bench bench =
                new Bench(true, false, 64 << 10, 1_000, 128 << 10, (unused, name) -> Spill.temporaryFile(file, name));
        int[] keys = shuffled(1_000, 14, new Random(1));
        for (int i = 0; i < keys.length; i++) {
            bench.add(i, row(keys[i]));
        }
        bench.finish();
        assertThat(bench.failures).first().satisfies(e -> {
            assertThat(e.kind()).isEqualTo(Kind.DISK);
            assertThat(e)
                    .hasMessageContaining("cannot write spilled rows in " + directory)
                    .hasMessageContaining("FileAlreadyExistsException")
                    .hasMessageContaining("spillDirectory");
        });
    }

    @Test
    void aFullDiskLosesNoRowAndDoublesNone() {
        Seeds.times(20, random -> {
            AtomicLong free = new AtomicLong(random.nextInt(600_000));
            Bench bench = new Bench(
                    random.nextBoolean(),
                    random.nextBoolean(),
                    64 << 10,
                    1_000,
                    128 << 10,
                    (directory, name) -> new Disk(Spill.temporaryFile(directory, name), free));
            int[] keys = shuffled(2_000, 10, random);
            for (int i = 0; i < keys.length; i++) {
                bench.add(i, new Row(key(keys[i]), bytes(random, 100), bytes(random, 100), bytes(random, 20)));
            }
            bench.finish();
            assertThat(bench.rowsOut).isEqualTo(keys.length);
            assertThat(bench.failures).isNotEmpty().allSatisfy(e -> assertThat(e)
                    .hasMessageContaining("No space left on device"));
            assertThat(bench.peakUsed).isLessThan(256 << 10);
            assertThat(files()).isEmpty();
        });
    }

    @Test
    void aFileThatCannotBeReadLosesOnlyItsOwnRows() throws IOException {
        AtomicInteger opened = new AtomicInteger();
        Bench bench = new Bench(true, false, 64 << 10, 1_000, 512 << 10, (directory, name) -> {
            Disk disk = new Disk(Spill.temporaryFile(directory, name), new AtomicLong(Long.MAX_VALUE));
            disk.unreadable = opened.getAndIncrement() % 8 == 3;
            return disk;
        });
        int[] keys = shuffled(8_000, 12, new Random(1));
        for (int i = 0; i < keys.length; i++) {
            bench.add(i, row(keys[i]));
        }
        bench.takeAll();
        assertThat(opened).hasValue(32);
        assertThat(bench.failures).hasSize(4).allSatisfy(e -> assertThat(e)
                .hasMessageContaining("cannot read spilled rows"));
        assertThat(bench.waiting.size()).isBetween(keys.length / 16, keys.length / 4);
        assertThat(bench.rowsOut + bench.waiting.size()).isEqualTo(keys.length);
        assertThat(bench.shard.used()).isZero();
        assertThat(files()).isEmpty();
    }

    /** A file on a disk that may be full, which takes what fits of a buffer first, or that cannot be read. */
    private static final class Disk extends FileChannel {
        private final FileChannel file;
        private final AtomicLong free;
        boolean unreadable;

        Disk(FileChannel file, AtomicLong free) {
            this.file = file;
            this.free = free;
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
            int fits = (int) Math.min(from.remaining(), free.get());
            if (fits == 0) {
                throw new IOException("No space left on device");
            }
            free.addAndGet(-fits);
            ByteBuffer part = from.slice(from.position(), fits);
            from.position(from.position() + fits);
            return file.write(part, at);
        }

        @Override
        public int read(ByteBuffer to, long at) throws IOException {
            if (unreadable) {
                throw new IOException("Input/output error");
            }
            return file.read(to, at);
        }

        @Override
        protected void implCloseChannel() throws IOException {
            file.close();
        }

        @Override
        public int read(ByteBuffer to) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long read(ByteBuffer[] to, int from, int count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer from) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long write(ByteBuffer[] buffers, int from, int count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long position() {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel position(long at) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long size() {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force(boolean metadata) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferTo(long at, long count, WritableByteChannel to) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferFrom(ReadableByteChannel from, long at, long count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long at, long count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock lock(long at, long count, boolean shared) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock tryLock(long at, long count, boolean shared) {
            throw new UnsupportedOperationException();
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }
}
