package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import io.overdrive.OverdriveException;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts of a table that has a partition with more rows than a server reads within the time of a request, in virtual time. */
class CountScriptedTest {
    private static final int VALUES = 2 + 16 + 2 + 16 + 2 + 4 + 2;
    /** The maximum that a server counts within a request. */
    private static final int ROWS_IN_TIME = 20_000;

    private static final int MANY = 100_000;

    private final ScriptedTransport cluster = new ScriptedTransport(1);
    /** The number of rows of each key, by its token. */
    private final TreeMap<Long, Integer> rows = new TreeMap<>();

    private final Map<Long, Byte> keys = new TreeMap<>();
    private int requests;

    CountScriptedTest() {
        for (byte key = 0; key < 100; key++) {
            long token = Murmur3.token(new byte[] {key}, 0, 1);
            keys.put(token, key);
            rows.put(token, 1 + key % 3);
        }
    }

    private byte key(long token) {
        return Objects.requireNonNull(keys.get(token));
    }

    private void makeLarge(byte key) {
        rows.put(Murmur3.token(new byte[] {key}, 0, 1), MANY);
    }

    private Fetcher fetcher(boolean byPartition) {
        return new Fetcher(
                cluster,
                ScanLayouts.counts(byPartition),
                ScanOptions.from("ks", "t").pageRows(1000).build());
    }

    /** Answers as a server does. Its paging states are numbers of groups or rows from the start of the range. */
    private void answer(Sent request, boolean byPartition, int groupsInPage) {
        byte[] body = request.body();
        long start = Bytes.getLong(body, VALUES + 4);
        long end = Bytes.getLong(body, VALUES + 16);
        int wanted = Bytes.getInt(body, VALUES + 24);
        int from = body.length == VALUES + 28 ? 0 : Bytes.getInt(body, VALUES + 32);
        Map<Long, Integer> inRange = rows.subMap(start, /* fromInclusive */ false, end, /* toInclusive */ true);
        boolean readsRows = body[2] == ScanLayouts.ROWS_ID;
        Bytes cells = new Bytes(64);
        int given = 0;
        int at = 0;
        long counted = 0;
        int max = readsRows ? wanted : byPartition ? Math.min(wanted, groupsInPage) : Integer.MAX_VALUE;
        for (Map.Entry<Long, Integer> partition : inRange.entrySet()) {
            int units = readsRows ? partition.getValue() : 1;
            int skipped = Math.min(units, Math.max(0, from - at));
            at += skipped;
            for (int i = skipped; i < units && given < max; i++) {
                at++;
                given++;
                if (readsRows || byPartition) {
                    cells.putInt(1);
                    cells.putByte(key(partition.getKey()));
                }
                if (!readsRows) {
                    counted += partition.getValue();
                    if (byPartition) {
                        cells.putInt(8);
                        cells.putLong(partition.getValue());
                    }
                }
            }
        }
        if (counted > ROWS_IN_TIME) {
            cluster.pass(Duration.ofSeconds(10));
            request.refuse(ErrorCode.READ_TIMEOUT, "timed out");
            return;
        }
        long all = inRange.values().stream().mapToLong(n -> readsRows ? n : 1).sum();
        if (!readsRows && !byPartition) {
            cells.putInt(8);
            cells.putLong(counted);
            given = 1;
        }
        boolean hasMore = (readsRows || byPartition) && at < all;
        Bytes answer = new Bytes(64);
        answer.putInt(hasMore ? 0x06 : 0x04);
        answer.putInt(!readsRows && byPartition ? 2 : 1);
        if (hasMore) {
            answer.putInt(4);
            answer.putInt(at);
        }
        answer.putInt(given);
        answer.put(cells.toByteArray());
        request.answer(ScriptedTransport.rows(answer.toByteArray()));
    }

    /** The numbers of rows that a reader of two ranges gives, by key; without keys, all of them as those of key 0. */
    private Map<Byte, Long> count(Fetcher fetcher, boolean byPartition, int groupsInPage) {
        Split split = new Split(
                List.of(new Split.Range(Long.MIN_VALUE, 0), new Split.Range(0, Long.MAX_VALUE)), List.of(), 0);
        PageReader reader = new PageReader(fetcher, split, 1 << 20, () -> {});
        Map<Byte, Long> found = new TreeMap<>();
        reader.request();
        while (!reader.isFinished()) {
            while (cluster.sent.isEmpty()) {
                cluster.pass(Duration.ofSeconds(1));
            }
            assertThat(++requests).isLessThan(2_000);
            answer(cluster.next(), byPartition, groupsInPage);
            for (Page page = reader.poll(); page != null; page = reader.poll()) {
                add(page, byPartition, found);
            }
        }
        return found;
    }

    private static void add(Page page, boolean byPartition, Map<Byte, Long> found) {
        int at = page.start();
        for (int row = 0; row < page.rows(); row++) {
            byte key = byPartition ? page.body()[at + 4] : 0;
            at += byPartition ? 5 : 0;
            Long before = found.merge(key, Bytes.getLong(page.body(), at + 4), Long::sum);
            assertThat(byPartition && before != Bytes.getLong(page.body(), at + 4))
                    .as("key " + key + " twice")
                    .isFalse();
            at += 12;
        }
        assertThat(at).isEqualTo(page.body().length);
    }

    private Map<Byte, Long> expected() {
        Map<Byte, Long> expected = new TreeMap<>();
        rows.forEach((token, count) -> expected.put(key(token), (long) count));
        return expected;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 100})
    void countsAPartitionHereThatTheServerDoesNotCountInTime(int groupsInPage) {
        makeLarge((byte) 5);
        makeLarge((byte) 6);
        makeLarge((byte) 50);
        Fetcher fetcher = fetcher(/* byPartition */ true);
        assertThat(count(fetcher, /* byPartition */ true, groupsInPage)).isEqualTo(expected());
        assertThat(fetcher.totals(1, 1).retries())
                .as("at most one for each range")
                .isBetween(1L, 2L);
        assertThat(fetcher.pendingOfCounts()).isZero();
    }

    @Test
    void countsARangeHereThatTheServerDoesNotCountInTime() {
        makeLarge((byte) 5);
        Fetcher fetcher = fetcher(/* byPartition */ false);
        assertThat(count(fetcher, /* byPartition */ false, 1))
                .isEqualTo(Map.of(
                        (byte) 0, rows.values().stream().mapToLong(n -> n).sum()));
        assertThat(fetcher.totals(1, 1).retries()).isOne();
    }

    @Test
    void leavesTheRestToTheServer() {
        Fetcher fetcher = fetcher(/* byPartition */ true);
        assertThat(count(fetcher, /* byPartition */ true, 100)).isEqualTo(expected());
        assertThat(fetcher.totals(1, 1).retries()).isZero();
        assertThat(fetcher.totals(1, 1).rowsRead()).as("groups").isEqualTo(100);
    }

    @Test
    void saysHowManyRowsAreCountedOfAPartitionThatIsNotComplete() {
        makeLarge((byte) 5);
        rows.keySet().removeIf(token -> key(token) != 5);
        Fetcher fetcher = fetcher(/* byPartition */ true);
        PageReader reader =
                new PageReader(fetcher, new Split(List.of(Split.WHOLE_RING), List.of(), 0), 1 << 20, () -> {});
        reader.request();
        long last = -1;
        for (int page = 0; page < 50; page++) {
            while (cluster.sent.isEmpty()) {
                cluster.pass(Duration.ofSeconds(1));
            }
            answer(cluster.next(), /* byPartition */ true, 100);
            reader.poll();
            assertThat(fetcher.pendingOfCounts()).isGreaterThan(last);
            last = page == 0 ? -1 : fetcher.pendingOfCounts();
        }
    }

    @Test
    void givesUpIfRowsCannotBeReadEither() {
        PageReader reader = new PageReader(
                fetcher(/* byPartition */ true), new Split(List.of(Split.WHOLE_RING), List.of(), 0), 1 << 20, () -> {});
        reader.request();
        int refused = 0;
        for (; !reader.hasNews() && refused < 100; refused++) {
            cluster.next().refuse(ErrorCode.READ_TIMEOUT, "timed out");
            cluster.pass(Duration.ofSeconds(6));
        }
        assertThat(refused).isEqualTo(10);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessageEndingWith("timed out (given up after 10 attempts)");
    }
}
