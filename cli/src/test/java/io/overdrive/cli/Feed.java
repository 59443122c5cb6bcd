package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;

/**
 * Writes records to the standard input of a process, as many as are necessary to keep it busy until the test is done, however
 * fast the machine is. Thread-safe.
 */
final class Feed {
    private static final long TIMEOUT_MILLIS = 240_000;

    private final OutputStream into;
    private final String header;
    private final IntFunction<String> records;
    private final Thread thread;
    private volatile int written;
    private int limit;
    private boolean ends;

    private Feed(Process process, String header, IntFunction<String> records, int limit) {
        this.into = process.getOutputStream();
        this.header = header;
        this.records = records;
        this.limit = limit;
        this.thread = new Thread(this::write, "feed");
        thread.setDaemon(true);
    }

    /**
     * Starts. The pipe stays open until {@link #endAfter} or {@link #endAt}.
     *
     * @param records the line of each record, by its number from 0
     * @param limit how many to write at first
     */
    static Feed start(Process process, String header, IntFunction<String> records, int limit) {
        Feed feed = new Feed(process, header, records, limit);
        feed.thread.start();
        return feed;
    }

    private void write() {
        try (Writer csv = new BufferedWriter(new OutputStreamWriter(into, StandardCharsets.UTF_8))) {
            csv.write(header + "\n");
            for (int i = 0; mayWrite(csv, i); i++) {
                csv.write(records.apply(i) + "\n");
                written = i + 1;
            }
        } catch (IOException | InterruptedException e) {
            // the process has ended, and reads no more
        }
    }

    private synchronized boolean mayWrite(Writer csv, int record) throws IOException, InterruptedException {
        while (record >= limit && !ends) {
            csv.flush();
            wait();
        }
        return record < limit;
    }

    /** Number of records written. */
    int written() {
        return written;
    }

    /** Writes this many more, and returns their total number once the process has read them. */
    int endAfter(int more) throws InterruptedException {
        return endAt(written + more);
    }

    /** Writes until there are this many, and returns their total number, which may be larger already. */
    int endAt(int records) throws InterruptedException {
        synchronized (this) {
            limit = records;
            ends = true;
            notifyAll();
        }
        thread.join(TIMEOUT_MILLIS);
        assertThat(thread.isAlive()).as("the process takes no more").isFalse();
        return written;
    }
}
