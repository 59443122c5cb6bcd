package io.overdrive.jobs.sort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.Bytes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sorting in memory and on disk. */
class SortedEntriesTest {
    private static final TableSchema TABLE = new TableSchema(
            "ks",
            "t",
            List.of(
                    new Column("id", DataTypes.INT, Role.PARTITION_KEY),
                    new Column("v", DataTypes.BLOB, Role.REGULAR)));
    private static final EntryLayout LAYOUT =
            new EntryLayout(TABLE, KeyOrder.of(TABLE, List.of()), List.of("id", "v"), List.of(), /* hasTimes */ false);

    private final Path directory;

    SortedEntriesTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static Bytes entry(long token, int id, int valueBytes) {
        Bytes out = new Bytes(64);
        Entry.begin(out, token, Entry.ROW, /* time */ 0, /* position */ id);
        out.putInt(4);
        out.putInt(id);
        out.putInt(valueBytes);
        out.put(new byte[valueBytes]);
        Entry.end(out);
        return out;
    }

    private static SpillPlace place(Path directory) {
        return new SpillPlace(directory, "rows", words -> "use another directory");
    }

    private SortedEntries entries(long memory) {
        return entries(memory, /* bytesBetweenMarks */ 1000);
    }

    private SortedEntries entries(long memory, int bytesBetweenMarks) {
        return new SortedEntries(LAYOUT, place(directory), memory, /* workers */ 1, /* maxRuns */ 4, bytesBetweenMarks);
    }

    private static List<Integer> ids(SortedEntries entries, long after, long upTo) {
        List<Integer> ids = new ArrayList<>();
        entries.open(after, upTo).ifPresent(merge -> {
            for (; !merge.isEmpty(); merge.remove()) {
                Entry entry = merge.first();
                ids.add(Bytes.getInt(entry.array(), entry.offset(0)));
            }
        });
        return ids;
    }

    @Test
    void givesEachRangeInOrderWhereverItsEntriesAre() {
        Random random = new Random(4);
        List<Long> tokens = new ArrayList<>(List.of(Long.MAX_VALUE, Long.MIN_VALUE + 1, 0L, -1L, 1L));
        for (int i = 0; i < 3000; i++) {
            long token = random.nextLong();
            tokens.add(token);
            tokens.add(token ^ 1); // the same high bits
        }
        Collections.shuffle(tokens, random);
        TreeMap<Long, Integer> model = new TreeMap<>();
        List<Long> memories = List.of(100_000_000L, 30_000L, 30_000L, 30_000L);
        for (int run = 0; run < memories.size(); run++) {
            long memory = memories.get(run);
            // one or two marks for each entry are several blocks, the last of which may be full
            try (SortedEntries entries =
                    entries(memory, List.of(1000, 1000, 1, 64).get(run))) {
                SortedEntries.Part part = entries.part();
                for (int id = 0; id < tokens.size(); id++) {
                    model.put(tokens.get(id), id);
                    part.add(entry(tokens.get(id), id, random.nextInt(40)));
                }
                entries.finish();
                assertThat(entries.bytesSpilled() > 0).isEqualTo(memory < 100_000);
                assertThat(ids(entries, Long.MIN_VALUE, Long.MAX_VALUE)).containsExactlyElementsOf(model.values());
                for (int i = 0; i < 100; i++) {
                    long a = i % 2 == 0 ? random.nextLong() : tokens.get(random.nextInt(tokens.size()));
                    long b = i % 3 == 0 ? random.nextLong() : tokens.get(random.nextInt(tokens.size()));
                    assertThat(ids(entries, Math.min(a, b), Math.max(a, b)))
                            .containsExactlyElementsOf(model.subMap(Math.min(a, b), false, Math.max(a, b), true)
                                    .values());
                }
            }
        }
    }

    @Test
    void anEntryMayBeLargerThanTheMemory() {
        try (SortedEntries entries = entries(20_000)) {
            SortedEntries.Part part = entries.part();
            for (int id = 0; id < 10; id++) {
                part.add(entry(id, id, 3_000_000));
            }
            entries.finish();
            assertThat(ids(entries, Long.MIN_VALUE, Long.MAX_VALUE)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        }
    }

    @Test
    void withoutEntriesEachRangeIsEmpty() {
        try (SortedEntries entries = entries(20_000)) {
            entries.part();
            entries.finish();
            assertThat(entries.open(Long.MIN_VALUE, Long.MAX_VALUE)).isEmpty();
        }
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsAFailureOfTheDisk() {
        Path gone = directory.resolve("gone");
        try (SortedEntries entries = new SortedEntries(LAYOUT, place(gone), /* memory */ 20_000, /* workers */ 1)) {
            SortedEntries.Part part = entries.part();
            part.add(entry(1, 1, 15_000));
            assertThatThrownBy(() -> part.add(entry(2, 2, 15_000)))
                    .isInstanceOfSatisfying(
                            OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DISK))
                    .hasMessageStartingWith("cannot write spilled rows in " + gone.toAbsolutePath() + " (")
                    .hasMessageEndingWith("); use another directory");
        }
    }
}
