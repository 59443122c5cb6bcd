package io.overdrive.jobs.load;

import io.overdrive.Repetition;
import io.overdrive.formats.records.InputReader.Prefix;
import io.overdrive.jobs.journal.Journal;
import io.overdrive.jobs.load.RejectFile.Saved;
import io.overdrive.jobs.load.RejectFile.Shape;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** State that the records of a load's journal describe together, and their form. Confined to one thread at a time. */
final class LoadProgress {
    private static final int BEGIN = 1;
    private static final int CHECKPOINT = 2;
    /** More of the positions of a snapshot. */
    private static final int POSITIONS = 3;

    /**
     * How rows are written from here on.
     *
     * @param baseTimestamp write time of position 0
     */
    record Begin(long baseTimestamp, Repetition repetition) {}

    /**
     * Progress since the checkpoint before, and totals.
     *
     * @param positions finished since then
     * @param rejected number of records rejected in all
     * @param rejects all files of rejected records
     * @param firstFile the input file that the prefixes start with
     * @param prefixes the parts of the input files that were read, from that file on
     * @param latestWriteTime a bound for write times until the next checkpoint, if they are ahead of the clock; else 0
     */
    record Checkpoint(
            PositionSet positions,
            long rejected,
            List<Saved> rejects,
            int firstFile,
            List<Prefix> prefixes,
            long latestWriteTime) {
        private Checkpoint withRejects(List<Saved> files) {
            return new Checkpoint(positions, rejected, files, firstFile, prefixes, latestWriteTime);
        }
    }

    private interface Content {
        void write(DataOutputStream out) throws IOException;
    }

    private @Nullable Begin begin;
    private PositionSet positions = new PositionSet();
    private long rejected;
    private List<Saved> rejects = List.of();
    /** The files of rejected records that were created since this was made. */
    private final List<Saved> created = new ArrayList<>();

    private final List<Prefix> prefixes = new ArrayList<>();
    private long latestWriteTime;

    /** Adds a record that was read back. */
    void replay(Journal.Record each) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(each.payload()))) {
            switch (each.type()) {
                case BEGIN -> begin = new Begin(in.readLong(), Repetition.valueOf(in.readUTF()));
                case CHECKPOINT -> apply(read(in));
                case POSITIONS -> positions.addAll(PositionSet.read(in));
                default -> throw new IOException("type " + each.type());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a record of the journal has another form", e);
        }
    }

    private void apply(Checkpoint checkpoint) {
        positions.addAll(checkpoint.positions);
        rejected = checkpoint.rejected;
        rejects = checkpoint.rejects;
        prefixes.subList(checkpoint.firstFile, prefixes.size()).clear();
        prefixes.addAll(checkpoint.prefixes);
        latestWriteTime = Math.max(latestWriteTime, checkpoint.latestWriteTime);
    }

    /**
     * Adds finished positions, and returns them as a record.
     *
     * @param checkpoint whose files may be those from before the last {@link #add(Saved)}
     */
    Journal.Record add(Checkpoint checkpoint) {
        Checkpoint whole = checkpoint.withRejects(both(checkpoint.rejects, created));
        apply(whole);
        return record(whole);
    }

    /** Adds a file of rejected records that is still empty, and returns it as a record. */
    Journal.Record add(Saved file) {
        created.add(file);
        rejects = both(List.of(file), rejects);
        return record(new Checkpoint(
                new PositionSet(),
                rejected,
                rejects,
                prefixes.size(), /* no further ones */
                List.of(),
                latestWriteTime));
    }

    /** The files of the first list, and those that only the second one has. */
    private static List<Saved> both(List<Saved> first, List<Saved> second) {
        List<Saved> all = new ArrayList<>(first);
        for (Saved each : second) {
            if (first.stream().noneMatch(known -> known.path().equals(each.path()))) {
                all.add(each);
            }
        }
        return all;
    }

    Journal.Record begin(Begin now) {
        begin = now;
        return record(BEGIN, out -> {
            out.writeLong(now.baseTimestamp);
            out.writeUTF(now.repetition.name());
        });
    }

    /**
     * The records that say all this; made one at a time, since the positions may be large.
     *
     * @param before positions of earlier runs
     */
    Iterable<Journal.Record> snapshot(PositionSet before) {
        List<Journal.Record> totals = new ArrayList<>();
        if (begin != null) {
            totals.add(begin(begin));
        }
        totals.add(record(new Checkpoint(new PositionSet(), rejected, rejects, 0, prefixes, latestWriteTime)));
        return () -> Stream.concat(
                        totals.stream(),
                        Stream.concat(before.pieces(), positions.pieces()).map(LoadProgress::record))
                .iterator();
    }

    private static Journal.Record record(PositionSet piece) {
        return record(POSITIONS, piece::write);
    }

    private static Journal.Record record(int type, Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            content.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory only
        }
        return new Journal.Record(type, bytes.toByteArray());
    }

    private static Journal.Record record(Checkpoint checkpoint) {
        return record(CHECKPOINT, out -> {
            out.writeLong(checkpoint.rejected);
            out.writeInt(checkpoint.rejects.size());
            for (Saved each : checkpoint.rejects) {
                write(each, out);
            }
            out.writeInt(checkpoint.firstFile);
            out.writeInt(checkpoint.prefixes.size());
            for (Prefix each : checkpoint.prefixes) {
                out.writeLong(each.bytes());
                out.writeInt(each.sum());
            }
            out.writeLong(checkpoint.latestWriteTime);
            checkpoint.positions.write(out);
        });
    }

    private static Checkpoint read(DataInputStream in) throws IOException {
        long rejected = in.readLong();
        List<Saved> rejects = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            rejects.add(readSaved(in));
        }
        int firstFile = in.readInt();
        List<Prefix> prefixes = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            prefixes.add(new Prefix(in.readLong(), in.readInt()));
        }
        long latestWriteTime = in.readLong();
        return new Checkpoint(PositionSet.read(in), rejected, rejects, firstFile, prefixes, latestWriteTime);
    }

    private static void write(Saved each, DataOutputStream out) throws IOException {
        Shape shape = each.shape();
        out.writeUTF(each.path().toString());
        out.writeBoolean(shape.csv());
        out.writeUTF(shape.encoding());
        out.writeUTF(shape.delimiter());
        out.writeInt(shape.head().length);
        out.write(shape.head());
        out.writeBoolean(shape.hasHead());
        out.writeBoolean(shape.hasMark());
        out.writeLong(each.records());
        out.writeLong(each.reasons());
    }

    private static Saved readSaved(DataInputStream in) throws IOException {
        Path path = Path.of(in.readUTF());
        boolean csv = in.readBoolean();
        String encoding = in.readUTF();
        String delimiter = in.readUTF();
        byte[] head = in.readNBytes(in.readInt());
        Shape shape = new Shape(csv, encoding, delimiter, head, in.readBoolean(), in.readBoolean());
        return new Saved(path, shape, in.readLong(), in.readLong());
    }

    /** How rows are written; null if none was written yet. */
    @Nullable Begin begin() {
        return begin;
    }

    /** The positions read back, which are then no longer here. */
    PositionSet takePositions() {
        PositionSet taken = positions;
        positions = new PositionSet();
        return taken;
    }

    /** Size in memory of the positions that were added. */
    long positionsBytes() {
        return positions.bytes();
    }

    long rejected() {
        return rejected;
    }

    List<Saved> rejects() {
        return rejects;
    }

    /** The part of each input file that was read. */
    List<Prefix> prefixes() {
        return prefixes;
    }

    /** Number of input files that were read to their end; the next one may have been, too. */
    int filesEnded() {
        return Math.max(0, prefixes.size() - 1);
    }

    /**
     * The part of each input file that was read, from the first one on that may not have been read to its end. A
     * resumed run first reads what was read before.
     *
     * @param now the parts of these files that this run has read
     */
    List<Prefix> longer(List<Prefix> now) {
        List<Prefix> known = prefixes.subList(filesEnded(), prefixes.size());
        List<Prefix> longer = new ArrayList<>(now);
        for (int i = 0; i < known.size(); i++) {
            if (i >= longer.size()) {
                longer.add(known.get(i));
            } else if (longer.get(i).bytes() < known.get(i).bytes()) {
                longer.set(i, known.get(i));
            }
        }
        return longer;
    }

    long latestWriteTime() {
        return latestWriteTime;
    }
}
