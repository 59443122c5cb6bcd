package io.overdrive.jobs.journal;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.names.JobOption;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An append-only file of records, each {@code {length, type, CRC-32C, payload}}. Records that {@link #sync} has written survive a power
 * failure; of later records, a prefix may. Thread-safe by its lock; {@link #sync} waits for the disk, so I/O threads never call it.
 *
 * <p>After a failure of the disk the journal accepts nothing more: what the disk kept is then unknown.
 */
public final class Journal implements AutoCloseable {
    /** A snapshot replaces the records when those since the last one are longer than it and than this. */
    private static final int MIN_BYTES_OF_DELTAS = 1 << 20;

    static final String NAME = "journal";
    private static final String NEXT = NAME + ".new";
    private static final int HEADER_BYTES = 3 * Integer.BYTES;
    /** The type of the first record, whose payload is the version of the format. Types of jobs are positive. */
    private static final int START = 0;

    private static final int VERSION = 1;

    /**
     * A record.
     *
     * @param type the meaning of the payload to the job, 1 or more
     */
    public record Record(int type, byte[] payload) {}

    private final JournalFiles files;
    private final String where;
    private final ByteArrayOutputStream unwritten = new ByteArrayOutputStream();
    private JournalFiles.@Nullable Appender file;
    private long snapshotBytes;
    private long deltaBytes;
    private @Nullable OverdriveException failure;

    private Journal(JournalFiles files, String where) {
        this.files = files;
        this.where = where;
    }

    /**
     * Opens the journal, or creates it.
     *
     * @param where the directory of the files, for messages
     * @param replay receives the records before the first one that is torn or damaged, which is cut off with what follows
     * @throws OverdriveException of kind DISK if that fails
     */
    public static Journal open(JournalFiles files, String where, Consumer<Record> replay) {
        Journal journal = new Journal(files, where);
        journal.recover(replay);
        return journal;
    }

    private void recover(Consumer<Record> replay) {
        try {
            files.delete(NEXT);
            byte[] bytes = files.read(NAME);
            if (bytes == null) {
                replace(List.of());
                return;
            }
            ByteBuffer in = ByteBuffer.wrap(bytes);
            checkStart(next(in));
            for (Record each = next(in); each != null; each = next(in)) {
                replay.accept(each);
            }
            file = files.open(NAME, in.position());
            deltaBytes = in.position();
        } catch (IOException e) {
            throw failed("opened", e);
        }
    }

    private void checkStart(@Nullable Record start) {
        if (start == null || start.type != START || start.payload.length != Integer.BYTES) {
            throw new OverdriveException(
                    Kind.DISK,
                    words -> where + ": the journal of the run is damaged at its start: " + RunInfo.WAY_OUT.in(words));
        }
        int version = ByteBuffer.wrap(start.payload).getInt();
        if (version != VERSION) {
            throw new OverdriveException(
                    Kind.DISK,
                    words -> where + ": the journal of the run has format " + version + ", this version of overdrive"
                            + " writes " + VERSION + ": resume with the version that began the run, or "
                            + RunInfo.WAY_OUT.in(words));
        }
    }

    /** The record here; null if there is no whole one, and the position is then unchanged. */
    private static @Nullable Record next(ByteBuffer in) {
        int start = in.position();
        if (in.remaining() < HEADER_BYTES) {
            return null;
        }
        int length = in.getInt();
        int type = in.getInt();
        int sum = in.getInt();
        if (length >= 0 && length <= in.remaining()) {
            byte[] payload = new byte[length];
            in.get(payload);
            if (checksum(type, payload) == sum) {
                return new Record(type, payload);
            }
        }
        in.position(start);
        return null;
    }

    private static int checksum(int type, byte[] payload) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(payload.length)
                .putInt(type)
                .flip());
        crc.update(payload);
        return (int) crc.getValue();
    }

    private static void put(ByteArrayOutputStream out, Record each) {
        out.writeBytes(ByteBuffer.allocate(HEADER_BYTES)
                .putInt(each.payload.length)
                .putInt(each.type)
                .putInt(checksum(each.type, each.payload))
                .array());
        out.writeBytes(each.payload);
    }

    /** Adds a record, in memory; {@link #sync} makes it durable. */
    public synchronized void append(Record each) {
        throwIfFailed();
        if (each.type <= START) {
            throw new IllegalArgumentException("type is " + each.type + ", must be positive");
        }
        put(unwritten, each);
    }

    /**
     * Makes all records durable that were added until now.
     *
     * @throws OverdriveException of kind DISK if that fails
     */
    public synchronized void sync() {
        throwIfFailed();
        if (unwritten.size() == 0) {
            return;
        }
        JournalFiles.Appender to = file;
        if (to == null) {
            throw new IllegalStateException("closed");
        }
        try {
            to.append(unwritten.toByteArray(), unwritten.size());
            to.force();
        } catch (IOException e) {
            throw failed("written", e);
        }
        deltaBytes += unwritten.size();
        unwritten.reset();
    }

    /** Whether {@link #replace} with a snapshot would make the journal shorter by much. */
    public synchronized boolean wantsSnapshot() {
        return deltaBytes + unwritten.size() > Math.max(MIN_BYTES_OF_DELTAS, snapshotBytes);
    }

    /**
     * Replaces all records by these, which say the same, and makes them durable. Takes one of them at a time.
     *
     * @throws OverdriveException of kind DISK if that fails; the records before are then kept
     */
    public synchronized void replace(Iterable<Record> snapshot) {
        throwIfFailed();
        long bytes;
        try {
            closeFile();
            JournalFiles.Appender next = files.open(NEXT, 0);
            file = next;
            byte[] version = ByteBuffer.allocate(Integer.BYTES).putInt(VERSION).array();
            bytes = write(new Record(START, version), next);
            for (Record each : snapshot) {
                bytes += write(each, next);
            }
            next.force();
            files.rename(NEXT, NAME);
            files.forceDirectory();
        } catch (IOException e) {
            throw failed("written", e);
        }
        snapshotBytes = bytes;
        deltaBytes = 0;
        unwritten.reset();
    }

    /** Returns how many bytes it has. */
    private static int write(Record each, JournalFiles.Appender to) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(HEADER_BYTES + each.payload.length);
        put(bytes, each);
        to.append(bytes.toByteArray(), bytes.size());
        return bytes.size();
    }

    private void throwIfFailed() {
        if (failure != null) {
            throw failure;
        }
    }

    private OverdriveException failed(String what, IOException e) {
        OverdriveException failed = new OverdriveException(
                Kind.DISK,
                words -> where + ": the journal of the run cannot be " + what + ": " + reason(e) + "; is the disk"
                        + " full? Free space, or name a directory on another disk by the environment variable"
                        + " OVERDRIVE_STATE, or do without a journal with " + words.of(JobOption.NO_JOURNAL),
                e);
        failure = failed;
        return failed;
    }

    private static String reason(IOException e) {
        String message = e.getMessage();
        return message == null ? e.toString() : message;
    }

    private void closeFile() throws IOException {
        JournalFiles.Appender open = file;
        file = null;
        if (open != null) {
            open.close();
        }
    }

    /** Closes the file. Records that were not synced are lost. */
    @Override
    public synchronized void close() {
        try {
            closeFile();
        } catch (IOException e) {
            throw failed("closed", e);
        }
    }
}
