package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.Split.Range;
import io.overdrive.internal.scan.Page;
import io.overdrive.internal.scan.Pages;
import io.overdrive.internal.scan.RowSource;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows that do not come from the cluster, read as if they did. */
@Timeout(300)
class ScanSourceIT {
    private static final Overdrive OVERDRIVE = TestCluster.overdrive();
    private static final int PARTITIONS = 50;

    /** Gives the rows that were in the cluster when it was made, a few a page, and any choice of columns. */
    private static final class Copied implements RowSource {
        private record CopiedRow(Map<String, byte[]> cells) {}

        private final List<Split> splits = List.of(
                new Split(List.of(new Range(Long.MIN_VALUE, 0)), List.of(), 0),
                new Split(List.of(new Range(0, 1L << 62), new Range(1L << 62, Long.MAX_VALUE)), List.of(), 0));
        private final TreeMap<Long, List<CopiedRow>> byToken = new TreeMap<>();

        Copied(Scan scan) {
            for (Split split : scan.splits()) {
                try (RowCursor rows = scan.open(split)) {
                    while (rows.next()) {
                        Map<String, byte[]> cells = new HashMap<>();
                        for (int c = 0; c < rows.columns(); c++) {
                            cells.put(
                                    rows.name(c),
                                    Arrays.copyOfRange(
                                            rows.array(),
                                            rows.offset(c) - 4,
                                            rows.offset(c) + Math.max(0, rows.length(c))));
                        }
                        byToken.computeIfAbsent(rows.token(), token -> new ArrayList<>())
                                .add(new CopiedRow(cells));
                    }
                }
            }
        }

        @Override
        public List<Split> splits() {
            return splits;
        }

        @Override
        public Content content() {
            return new Content("copy", 1, 0, Way.FILES);
        }

        @Override
        public Pages open(Range range, List<String> columns) {
            Deque<CopiedRow> rest = new ArrayDeque<>();
            byToken.subMap(range.start(), false, range.end(), true).values().forEach(rest::addAll);
            return () -> rest.isEmpty() ? null : page(rest, columns, range);
        }

        private static Page page(Deque<CopiedRow> rest, List<String> columns, Range range) {
            int rows = Math.min(7, rest.size());
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            body.write(99); // the first row need not be at the start
            for (int i = 0; i < rows; i++) {
                CopiedRow row = rest.remove();
                columns.forEach(name -> body.writeBytes(row.cells.get(name)));
            }
            return new Page(body.toByteArray(), 1, rows, range.start(), range.end(), rest.isEmpty());
        }
    }

    private static Copied copied;

    @BeforeAll
    static void load() {
        TestCluster.keyspace("sources");
        OVERDRIVE.session().execute("CREATE TABLE sources.t (p int, c int, v text, PRIMARY KEY (p, c))");
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into("sources", "t").build())) {
            for (int p = 0; p < PARTITIONS; p++) {
                for (int c = 0; c <= p; c++) {
                    RowBuffer row = writer.row().setInt(0, p).setInt(1, c);
                    if (c % 3 > 0) {
                        row.setText(2, "v" + c);
                    }
                    writer.send();
                }
            }
        }
        try (Scan scan = OVERDRIVE.scan(all().build())) {
            copied = new Copied(scan);
        }
        OVERDRIVE.session().execute("TRUNCATE sources.t");
    }

    private static ScanOptions.Builder all() {
        return ScanOptions.from("sources", "t");
    }

    private static ScanOptions.Builder fromSource() {
        return all().source(copied);
    }

    private static int rows() {
        return PARTITIONS * (PARTITIONS + 1) / 2;
    }

    @Test
    void givesAllRowsToHandlersOnceWithAnyColumns() {
        try (Scan scan = OVERDRIVE.scan(fromSource().columns("v", "c", "p").build())) {
            ConcurrentLinkedQueue<String> found = new ConcurrentLinkedQueue<>();
            ConcurrentLinkedQueue<Split> ended = new ConcurrentLinkedQueue<>();
            scan.forEachSplit(2, split -> new Scan.SplitHandler() {
                @Override
                public void page(RowCursor page) {
                    while (page.next()) {
                        found.add(page.getInt(2) + " " + page.getInt(1) + " " + page.text(0));
                    }
                }

                @Override
                public void end() {
                    ended.add(split);
                }
            });
            List<String> expected = new ArrayList<>();
            for (int p = 0; p < PARTITIONS; p++) {
                for (int c = 0; c <= p; c++) {
                    expected.add(p + " " + c + " " + (c % 3 > 0 ? "v" + c : null));
                }
            }
            assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(ended).containsExactlyInAnyOrderElementsOf(copied.splits());
            assertThat(scan.totals().rowsRead()).isEqualTo(rows());
            assertThat(scan.totals().splitsRead()).isEqualTo(2);
        }
    }

    @Test
    void opensSplitsAndSaysWhatIsLeft() {
        try (Scan scan = OVERDRIVE.scan(fromSource().build())) {
            TreeSet<String> found = new TreeSet<>();
            int read = 0;
            for (Split split : scan.splits()) {
                Split rest;
                try (RowCursor rows = scan.open(split)) {
                    for (int i = 0; i < 100 && rows.next(); i++) {
                        found.add(rows.getInt(0) + " " + rows.getInt(1));
                        read++;
                    }
                    rest = rows.rest();
                }
                try (RowCursor rows = scan.open(Objects.requireNonNull(rest))) {
                    while (rows.next()) {
                        found.add(rows.getInt(0) + " " + rows.getInt(1));
                        read++;
                    }
                }
            }
            assertThat(found).hasSize(rows());
            assertThat(read).isLessThan(2 * rows());
        }
    }

    @Test
    void countsRowsAndPartitions() {
        try (Scan scan = OVERDRIVE.count(fromSource().build())) {
            List<Long> counts = new ArrayList<>();
            scan.forEach(1, row -> counts.add(row.getLong(0)));
            assertThat(counts).hasSize(3); // ranges
            assertThat(counts.stream().mapToLong(Long::longValue).sum()).isEqualTo(rows());
        }
        try (Scan scan = OVERDRIVE.countPartitions(fromSource().build())) {
            Map<Integer, Long> counts = new HashMap<>();
            scan.forEach(1, row -> assertThat(counts.put(row.getInt(0), row.getLong(1)))
                    .isNull());
            assertThat(counts).hasSize(PARTITIONS);
            counts.forEach((p, found) -> assertThat(found).isEqualTo(p + 1));
        }
    }

    @Test
    void endsWhenStoppedAndThrowsWhatAHandlerThrows() {
        try (Scan scan = OVERDRIVE.scan(fromSource().build())) {
            assertThatThrownBy(() -> scan.forEach(2, row -> scan.stop()))
                    .isInstanceOfSatisfying(OverdriveException.class, e -> assertThat(e.kind())
                            .isEqualTo(OverdriveException.Kind.INTERRUPTED));
        }
        try (Scan scan = OVERDRIVE.scan(fromSource().build())) {
            assertThatThrownBy(() -> scan.forEach(2, row -> {
                        throw new IllegalStateException("enough");
                    }))
                    .hasMessage("enough");
        }
    }

    @Test
    void refusesWhatOnlyTheClusterCanDo() {
        assertThatThrownBy(() -> all().where("c > 1").source(copied).build()).hasMessageContaining("by conditions");
        assertThatThrownBy(() -> ScanOptions.query("SELECT * FROM sources.t")
                        .source(copied)
                        .build())
                .hasMessageContaining("by a query");
        ScanOptions options = fromSource().build();
        assertThatThrownBy(() -> OVERDRIVE.lookup(options, List.of("p"))).hasMessageContaining("by key");
        assertThatThrownBy(() -> OVERDRIVE.aggregate(options, List.of("max(c)")))
                .hasMessageContaining("aggregates");
    }
}
