package io.overdrive.jobs.diff;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.jobs.journal.JournalFiles;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The differences found by a comparison and those that it resumes, in a file next to the journal: a resumed comparison reports them again.
 * Each has the number of its split and of the process that found it, because the differences of a split that was not finished are found again,
 * too. Thread-safe by its lock.
 */
final class DifferenceLog implements AutoCloseable {
    private static final String NAME = "differences";
    private static final int BUFFER_BYTES = 64 << 10;

    private final SplitJournal journal;
    /** Which process of the run this is, from 1. */
    private final int attempt;

    private final long lengthBefore;
    private final long repairedBefore;
    private final JournalFiles.Appender file;
    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream();

    @GuardedBy("this") private long length;

    DifferenceLog(SplitJournal journal) {
        this.journal = journal;
        ByteBuffer last = ByteBuffer.wrap(journal.shared());
        boolean isFirst = !last.hasRemaining();
        attempt = isFirst ? 1 : last.getInt() + 1;
        lengthBefore = isFirst ? 0 : last.getLong();
        repairedBefore = isFirst ? 0 : last.getLong();
        length = lengthBefore;
        file = journal.open(NAME, lengthBefore);
    }

    int attempt() {
        return attempt;
    }

    /** Rows that earlier processes have repaired. */
    long repairedBefore() {
        return repairedBefore;
    }

    synchronized void add(int split, Difference difference) {
        try {
            DataOutputStream out = new DataOutputStream(buffer);
            out.writeInt(attempt);
            out.writeInt(split);
            out.writeByte(difference.kind().ordinal());
            write(out, difference.key());
            write(out, difference.columns());
            write(out, difference.times());
            if (buffer.size() > BUFFER_BYTES) {
                flush();
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static void write(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static void write(DataOutputStream out, List<String> names) throws IOException {
        out.writeInt(names.size());
        for (String name : names) {
            write(out, name);
        }
    }

    private static List<String> readNames(DataInputStream in) throws IOException {
        List<String> names = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            names.add(readText(in));
        }
        return names;
    }

    private static String readText(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    private synchronized void flush() throws IOException {
        file.append(buffer.toByteArray(), buffer.size());
        length += buffer.size();
        buffer.reset();
    }

    private static OverdriveException failed(IOException e) {
        return new OverdriveException(
                Kind.DISK, "the differences found cannot be kept for a resumed run: " + e.getMessage(), e);
    }

    /** Makes durable the output that was added, and returns the state that the journal has to keep. */
    synchronized byte[] force(long repaired) {
        try {
            flush();
            file.force();
        } catch (IOException e) {
            throw failed(e);
        }
        return ByteBuffer.allocate(Integer.BYTES + 2 * Long.BYTES)
                .putInt(attempt)
                .putLong(length)
                .putLong(repairedBefore + repaired)
                .array();
    }

    /** Gives the differences of finished splits that earlier processes have found. */
    void replay(Consumer<Difference> found) {
        Map<Integer, Integer> attempts = new HashMap<>();
        for (Reached each : journal.reached()) {
            attempts.put(each.split(), (int) each.figures()[SplitFigures.ATTEMPT]);
        }
        if (lengthBefore == 0) {
            return;
        }
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(journal.file(NAME)), BUFFER_BYTES))) {
            long at = 0;
            while (at < lengthBefore) {
                int by = in.readInt();
                int split = in.readInt();
                Difference.Kind kind = Difference.Kind.values()[in.readByte()];
                String key = readText(in);
                List<String> columns = readNames(in);
                List<String> times = readNames(in);
                if (attempts.getOrDefault(split, 0) == by) {
                    found.accept(new Difference(kind, key, columns, times));
                }
                at += size(key, columns, times);
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static long size(String key, List<String> columns, List<String> times) {
        return 5L * Integer.BYTES
                + 1
                + key.getBytes(StandardCharsets.UTF_8).length
                + Stream.concat(columns.stream(), times.stream())
                        .mapToLong(name -> Integer.BYTES + name.getBytes(StandardCharsets.UTF_8).length)
                        .sum();
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw failed(e);
        }
    }
}
