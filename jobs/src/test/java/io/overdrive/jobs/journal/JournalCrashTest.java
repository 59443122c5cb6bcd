package io.overdrive.jobs.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.jobs.journal.CrashingFiles.PowerFailure;
import io.overdrive.jobs.journal.CrashingFiles.Tail;
import io.overdrive.jobs.journal.Journal.Record;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A job that counts, and is cut off after every number of file operations. A delta adds the next number; a snapshot has all of them.
 */
class JournalCrashTest {
    private static final int DELTA = 1;
    private static final int SNAPSHOT = 2;
    private static final int STEPS = 12;
    private static final int FOREVER = Integer.MAX_VALUE;

    /** A job with a journal: the numbers it has, those recorded, and those known to be durable. */
    private static final class Job {
        private final List<Integer> numbers = new ArrayList<>();
        private int durable;

        /** Continues to count from what the journal has. */
        void run(JournalFiles files, int steps) {
            Journal journal = Journal.open(files, "runs/1", replayInto(numbers));
            durable = numbers.size();
            for (int i = 0; i < steps; i++) {
                int next = numbers.size();
                numbers.add(next);
                journal.append(delta(next));
                if (i % 5 == 4) {
                    journal.replace(List.of(snapshot(numbers.size())));
                    durable = numbers.size();
                } else if (i % 2 == 0) {
                    journal.sync();
                    durable = numbers.size();
                }
            }
            journal.close();
        }
    }

    private static Record delta(int number) {
        return new Record(DELTA, ByteBuffer.allocate(7).putInt(number).array());
    }

    private static Record snapshot(int count) {
        ByteBuffer all = ByteBuffer.allocate(4 * count);
        IntStream.range(0, count).forEach(all::putInt);
        return new Record(SNAPSHOT, all.array());
    }

    private static Consumer<Record> replayInto(List<Integer> numbers) {
        return each -> {
            ByteBuffer payload = ByteBuffer.wrap(each.payload());
            if (each.type() == DELTA) {
                numbers.add(payload.getInt());
            } else {
                assertThat(numbers).as("a snapshot comes first").isEmpty();
                while (payload.hasRemaining()) {
                    numbers.add(payload.getInt());
                }
            }
        };
    }

    private static int operationsOf(int steps) {
        CrashingFiles files = new CrashingFiles(FOREVER);
        new Job().run(files, steps);
        return files.operations();
    }

    private static Job runUntilCrash(CrashingFiles files) {
        Job job = new Job();
        try {
            job.run(files, STEPS);
        } catch (OverdriveException e) {
            assertThat(e).hasCauseInstanceOf(PowerFailure.class);
            assertThat(e.kind()).isEqualTo(OverdriveException.Kind.DISK);
        }
        return job;
    }

    private static List<Integer> read(JournalFiles files) {
        List<Integer> numbers = new ArrayList<>();
        Journal.open(files, "runs/1", replayInto(numbers)).close();
        return numbers;
    }

    private static void assertRecovered(List<Integer> recovered, Job job, String when) {
        assertThat(recovered)
                .as(when)
                .hasSizeBetween(job.durable, job.numbers.size())
                .isEqualTo(job.numbers.subList(0, recovered.size()));
    }

    @ParameterizedTest
    @EnumSource
    void recoversAfterEveryOperation(Tail tail) {
        int operations = operationsOf(STEPS);
        assertThat(operations).isGreaterThan(STEPS);
        for (int at = 0; at <= operations; at++) {
            for (boolean keepsNames : new boolean[] {false, true}) {
                CrashingFiles files = new CrashingFiles(at);
                Job job = runUntilCrash(files);
                String when = "after " + at + " operations, names kept: " + keepsNames;
                assertRecovered(read(files.afterCrash(tail, keepsNames, FOREVER)), job, when);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void recoversAfterASecondCrashWhileTheFirstIsRepaired(Tail tail) {
        int operations = operationsOf(STEPS);
        for (int first = 0; first <= operations; first++) {
            CrashingFiles files = new CrashingFiles(first);
            Job before = runUntilCrash(files);
            for (int second = 0; second <= operations; second++) {
                CrashingFiles repaired = files.afterCrash(tail, /* keepsNames */ true, second);
                Job after = runUntilCrash(repaired);
                CrashingFiles last = repaired.afterCrash(tail, /* keepsNames */ false, FOREVER);
                List<Integer> recovered = read(last);
                String when = "after " + first + " and " + second + " operations";
                assertThat(recovered)
                        .as(when)
                        .hasSizeBetween(
                                Math.max(before.durable, after.durable),
                                Math.max(before.numbers.size(), after.numbers.size()))
                        .isEqualTo(IntStream.range(0, recovered.size()).boxed().toList());
                Job end = new Job();
                end.run(last, STEPS);
                assertThat(read(last)).as(when).isEqualTo(end.numbers.subList(0, end.durable));
            }
        }
    }

    @Test
    void cutsAtADamagedRecord() throws Exception {
        CrashingFiles files = new CrashingFiles(FOREVER);
        Job job = new Job();
        job.run(files, 4); // no snapshot
        byte[] whole = Objects.requireNonNull(files.read(Journal.NAME));
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x40;
            CrashingFiles copy = new CrashingFiles(FOREVER);
            copy.replace(Journal.NAME, damaged);
            if (at < 16) { // the record that every journal starts with
                assertThatThrownBy(() -> read(copy))
                        .isInstanceOf(OverdriveException.class)
                        .hasMessageStartingWith("runs/1: the journal of the run")
                        .hasMessageEndingWith("begin a new one by its command, without resume or resumeIfAny");
            } else {
                assertThat(read(copy)).as("damaged at " + at).isEqualTo(job.numbers.subList(0, (at - 16) / 19));
            }
        }
    }

    @Test
    void aFullDiskIsNeverIgnored() {
        CrashingFiles files = new CrashingFiles(FOREVER);
        Journal journal = Journal.open(files, "runs/1", each -> {});
        journal.append(delta(0));
        journal.sync();
        journal.append(delta(1));
        files.fillDisk();
        assertThatThrownBy(journal::sync)
                .isInstanceOf(OverdriveException.class)
                .hasMessage("runs/1: the journal of the run cannot be written: No space left on device; is the disk"
                        + " full? Free space, or name a directory on another disk by the environment variable"
                        + " OVERDRIVE_STATE, or do without a journal with noJournal");
        assertThatThrownBy(() -> journal.append(delta(2))).hasMessageContaining("No space left on device");
        assertThatThrownBy(journal::sync).hasMessageContaining("No space left on device");
        assertThat(read(files.afterCrash(Tail.KEPT, /* keepsNames */ true, FOREVER)))
                .containsExactly(0);
    }
}
