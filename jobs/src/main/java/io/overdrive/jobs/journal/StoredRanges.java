package io.overdrive.jobs.journal;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Parts of a file, in the order in which they were written. Confined to one thread at a time. */
public final class StoredRanges {
    /** Offsets in a file, {@code [start, end)}. */
    public record Range(long start, long end) {}

    /**
     * The parts of a file to remove, so that it ends as the journal says. Immutable.
     *
     * @param length of the file
     * @param removed parts before that, to be removed, in ascending order
     */
    public record Cut(long length, List<Range> removed) {
        public Cut {
            removed = removed.stream()
                    .sorted(Comparator.comparingLong(Range::start))
                    .toList();
        }

        public byte[] toBytes() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (DataOutputStream out = new DataOutputStream(bytes)) {
                out.writeLong(length);
                out.writeInt(removed.size());
                for (Range range : removed) {
                    out.writeLong(range.start);
                    out.writeLong(range.end);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return bytes.toByteArray();
        }

        public static Cut read(byte[] bytes) {
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
                long length = in.readLong();
                List<Range> removed = new ArrayList<>();
                for (int left = in.readInt(); left > 0; left--) {
                    removed.add(new Range(in.readLong(), in.readLong()));
                }
                return new Cut(length, removed);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final List<Range> ranges = new ArrayList<>();

    /** Adds a part that follows the others. */
    public void add(long start, long end) {
        int last = ranges.size() - 1;
        if (last >= 0 && ranges.get(last).end == start) {
            ranges.set(last, new Range(ranges.get(last).start, end));
        } else if (end > start) {
            ranges.add(new Range(start, end));
        }
    }

    public List<Range> ranges() {
        return List.copyOf(ranges);
    }
}
