package io.overdrive.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.OneCaseIn;
import io.overdrive.Overdrive;
import io.overdrive.RowWriter;
import io.overdrive.Seeds;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.TableJob.Opened;
import io.overdrive.jobs.TableJob.Result;
import io.overdrive.jobs.TableJob.Tables;
import io.overdrive.jobs.count.CountSummary;
import io.overdrive.jobs.count.Counter;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs that began when the ring was another one: nodes were added or removed since, or got other tokens. Their journals have splits of
 * any tokens, with replicas that do not exist. The splits are read as they are, and each row once.
 */
@Timeout(300)
class OtherRingIT {
    private static final String KEYSPACE = "other_ring";
    private static final int ROWS = 3_000;
    private static final int SPLITS = 13;

    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);

    private final Tables tables;
    private final RunStore store;

    OtherRingIT(@TempDir Path directory) {
        store = new RunStore(directory.resolve("runs"));
        tables = new Tables(OVERDRIVE, KEYSPACE, "source", "other", directory);
    }

    @BeforeAll
    static void fill() {
        for (String table : List.of("source", "other")) {
            OVERDRIVE.changeSchema("CREATE TABLE " + KEYSPACE + "." + table + " (id int PRIMARY KEY, v text)");
        }
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(KEYSPACE, "source").build())) {
            for (int i = 0; i < ROWS; i++) {
                writer.row().setInt(0, i).setText(1, "v" + i);
                writer.send();
            }
        }
    }

    /** The whole ring, cut at random tokens; each split has ranges of all parts of it. */
    private static List<Split> otherRing(Random random) {
        long[] cuts = random.longs(5 * SPLITS - 1).sorted().distinct().toArray();
        List<List<Range>> ranges = IntStream.range(0, SPLITS)
                .mapToObj(i -> (List<Range>) new ArrayList<Range>())
                .toList();
        long start = Long.MIN_VALUE;
        for (int i = 0; i <= cuts.length; i++) {
            long end = i == cuts.length ? Long.MAX_VALUE : cuts[i];
            ranges.get(i % SPLITS).add(new Range(start, end));
            start = end;
        }
        return ranges.stream()
                .map(each -> new Split(each, List.of("203.0.113.1", "203.0.113.2"), 1))
                .toList();
    }

    private RunRequest request(TableJob job, @Nullable String resumes) {
        return new RunRequest(store, job.name(), List.of(), Path.of("").toAbsolutePath(), "1", resumes);
    }

    /** A run that was killed at its begin, or with something done. */
    private String run(TableJob job, List<Split> splits, Reached... reached) {
        try (SplitJournal journal = SplitJournal.open(request(job, null), job.targets(tables))) {
            journal.begin(splits);
            journal.checkpoint(List.of(reached), new byte[0]);
            return journal.id();
        }
    }

    private List<String> ids() throws IOException {
        List<String> ids = new ArrayList<>();
        try (Stream<Path> all = Files.walk(tables.directory())) {
            for (Path file :
                    all.filter(each -> each.toString().endsWith(".csv")).toList()) {
                Files.readAllLines(file).stream()
                        .skip(1)
                        .forEach(line -> ids.add(line.substring(0, line.indexOf(','))));
            }
        }
        return ids;
    }

    private static List<String> model() {
        return IntStream.range(0, ROWS).mapToObj(String::valueOf).toList();
    }

    @ParameterizedTest
    @EnumSource
    @OneCaseIn(3)
    void theSplitsOfTheJournalAreReadAndEachRowOnce(TableJob job) {
        OVERDRIVE.session().execute("TRUNCATE " + KEYSPACE + ".other");
        Seeds.once(random -> {
            String id = run(job, otherRing(random));
            try (Opened resumed = job.open(tables, request(job, id))) {
                assertThat(resumed.id()).isEqualTo(id);
                Result result = resumed.run();
                assertThat(result.failure()).isNull();
                assertThat(result.rows()).isEqualTo(ROWS);
                if (job != TableJob.DIFF) { // opens splits one by one
                    assertThat(result.reads().splits()).isEqualTo(SPLITS);
                }
            }
            if (job == TableJob.UNLOAD || job == TableJob.UNLOAD_FILE) {
                assertThat(ids()).containsExactlyInAnyOrderElementsOf(model());
            } else if (job == TableJob.COPY) {
                assertThat(OVERDRIVE.session().execute("SELECT id FROM " + KEYSPACE + ".other"))
                        .extracting(row -> String.valueOf(row.getInt(0)))
                        .containsExactlyInAnyOrderElementsOf(model());
            }
        });
    }

    /** Ranges that are finished, wholly or up to a token, are not read. */
    @Test
    void theRestOfTheSplitsIsRead() {
        Seeds.once(random -> {
            List<Split> splits = otherRing(random);
            Range cut = splits.get(1).ranges().get(2);
            long token = cut.start() + (cut.end() - cut.start()) / 2;
            Reached finished = new Reached(0, Long.MAX_VALUE, /* isFinished */ true, new long[] {1_000_000});
            Reached half = new Reached(1, token, /* isFinished */ false, new long[] {2_000_000});
            Split rest = splits.get(1).after(token);
            long unread = 0;
            for (Row row : OVERDRIVE.session().execute("SELECT token(id) FROM " + KEYSPACE + ".source")) {
                long of = row.getLong(0);
                boolean isRead = !isIn(splits.get(0), of) && (!isIn(splits.get(1), of) || isIn(rest, of));
                unread += isRead ? 0 : 1;
            }
            try (Counter counter = Counter.open(
                    OVERDRIVE,
                    Counter.options(/* by */ null, KEYSPACE, "source").build(),
                    /* by */ null,
                    /* top */ 1,
                    request(TableJob.COUNT, run(TableJob.COUNT, splits, finished, half)))) {
                CountSummary summary = counter.run();
                assertThat(unread).isPositive();
                assertThat(summary.rows()).isEqualTo(3_000_000 + ROWS - unread);
            }
        });
    }

    private static boolean isIn(@Nullable Split split, long token) {
        return split != null
                && split.ranges().stream().anyMatch(range -> range.start() < token && token <= range.end());
    }
}
