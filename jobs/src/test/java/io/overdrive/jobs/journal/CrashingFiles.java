package io.overdrive.jobs.journal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Files in memory that lose at a crash what was not forced: the end of files, with a torn last write, and names. After a number of
 * operations each further one fails, as if the power had gone. Confined to one thread.
 */
final class CrashingFiles implements JournalFiles {
    /** The rest of bytes that were appended and not forced. */
    enum Tail {
        LOST,
        TORN,
        /** The file has its length, and zeros where bytes had not arrived. */
        ZEROS,
        KEPT
    }

    /** The power is off. */
    static final class PowerFailure extends IOException {
        private static final long serialVersionUID = 1;

        PowerFailure() {
            super("power failure");
        }
    }

    private static final class Content {
        private byte[] durable = {};
        private final ByteArrayOutputStream all = new ByteArrayOutputStream();

        byte[] after(Tail tail) {
            byte[] now = all.toByteArray();
            int from = durable.length;
            int half = from + (now.length - from) / 2;
            return switch (tail) {
                case LOST -> durable;
                case TORN -> Arrays.copyOf(now, half);
                case ZEROS -> Arrays.copyOf(Arrays.copyOf(now, half), now.length);
                case KEPT -> now;
            };
        }
    }

    private final Map<String, Content> durableNames = new TreeMap<>();
    private final Map<String, Content> names = new TreeMap<>();
    private int operationsLeft;
    private int operations;
    private boolean diskIsFull;

    CrashingFiles(int operationsLeft) {
        this.operationsLeft = operationsLeft;
    }

    /** The same directory after the power is back. */
    CrashingFiles afterCrash(Tail tail, boolean keepsNames, int operationsAfterwards) {
        CrashingFiles after = new CrashingFiles(operationsAfterwards);
        (keepsNames ? names : durableNames).forEach((name, content) -> {
            Content left = new Content();
            left.durable = content.after(tail);
            left.all.writeBytes(left.durable);
            after.names.put(name, left);
        });
        after.durableNames.putAll(after.names);
        return after;
    }

    /** Number of operations until now. */
    int operations() {
        return operations;
    }

    /** Lets each further append write half of its bytes, and fail. */
    void fillDisk() {
        diskIsFull = true;
    }

    private void operate() throws IOException {
        if (operationsLeft == 0) {
            throw new PowerFailure();
        }
        operationsLeft--;
        operations++;
    }

    @Override
    public Appender open(String name, long length) throws IOException {
        operate();
        Content content = names.computeIfAbsent(name, key -> new Content());
        if (content.all.size() > length) {
            byte[] cut = Arrays.copyOf(content.all.toByteArray(), (int) length);
            content.all.reset();
            content.all.writeBytes(cut);
            content.durable = cut;
        }
        return new Appender() {
            @Override
            public void append(byte[] bytes, int count) throws IOException {
                if (operationsLeft == 0) { // the power fails while they are written
                    content.all.write(bytes, 0, count);
                }
                operate();
                content.all.write(bytes, 0, diskIsFull ? count / 2 : count);
                if (diskIsFull) {
                    throw new IOException("No space left on device");
                }
            }

            @Override
            public void force() throws IOException {
                operate();
                content.durable = content.all.toByteArray();
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public byte @Nullable [] read(String name) {
        Content content = names.get(name);
        return content == null ? null : content.all.toByteArray();
    }

    @Override
    public void rename(String from, String to) throws IOException {
        operate();
        Content content = names.remove(from);
        if (content == null) {
            throw new IOException("no file " + from);
        }
        names.put(to, content);
    }

    @Override
    public void delete(String name) throws IOException {
        operate();
        names.remove(name);
    }

    @Override
    public List<String> list() {
        return new ArrayList<>(names.keySet());
    }

    @Override
    public void forceDirectory() throws IOException {
        operate();
        durableNames.clear();
        durableNames.putAll(names);
    }
}
