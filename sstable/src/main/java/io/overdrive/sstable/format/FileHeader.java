package io.overdrive.sstable.format;

import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * The part of a Statistics.db that reading rows needs: how numbers are stored, and which columns the file has.
 * Immutable.
 *
 * @param base of write times and expiries, which are stored as the distance from it
 * @param minTtl base of TTLs, likewise
 * @param statics in the order of the file
 * @param regulars in the order of the file
 * @param partitions the number of them
 * @param lastWriteTime the latest of all that is in the file
 */
public record FileHeader(
        EncodingBase base,
        int minTtl,
        List<FileColumn> statics,
        List<FileColumn> regulars,
        long partitions,
        long lastWriteTime) {
    private static final String PARTITIONER = "org.apache.cassandra.dht.Murmur3Partitioner";
    /** The way out if a file is damaged. */
    public static final String OTHER_COPY = "take the files of another replica or backup, or read the table over CQL";

    private static final int VALIDATION = 0;
    private static final int STATS = 2;
    private static final int HEADER = 3;

    /**
     * A column of the file.
     *
     * @param name without quotes
     * @param part its place in the {@link Layout} of the table, or -1 if the table has it no longer
     * @param fixedBytes the length of each value, or -1 if each is preceded by its length
     * @param hasCells whether it has any number of cells, each with a path
     * @param fields the number of fields of a UDT of the table, whose positions are the paths of cells; 0 for other types
     * @param droppedMicros a column of this name was dropped then, so that earlier cells do not count
     */
    public record FileColumn(String name, int part, int fixedBytes, boolean hasCells, int fields, long droppedMicros) {}

    /**
     * @param dropped when columns were last dropped, in microseconds since 1970; a column that the table has no longer must be among
     *     them
     * @throws Problem if the file cannot be read, or does not fit the table
     */
    public static FileHeader read(byte[] statistics, SstableSchema schema, Map<String, Long> dropped) throws Problem {
        try {
            Input validation = section(statistics, VALIDATION);
            String partitioner = validation.utf(validation.unsignedShort());
            if (!partitioner.equals(PARTITIONER)) {
                throw new Problem("its partitioner is " + partitioner + "; only Murmur3Partitioner can be read:"
                        + " read the table over CQL");
            }
            Input stats = section(statistics, STATS);
            long partitions = partitions(stats);
            stats.skip(Math.multiplyExact(16L, stats.integer())); // cells of partitions
            stats.skip(12 + 8); // the place in the commit log, and the earliest write time
            return header(section(statistics, HEADER), schema, dropped, partitions, stats.longInteger());
        } catch (IndexOutOfBoundsException | ArithmeticException | IllegalArgumentException e) {
            throw new Problem("its Statistics.db is damaged or cut short; " + OTHER_COPY);
        }
    }

    /**
     * The size of the largest partition in bytes without compression, a fifth too large at most.
     *
     * @throws Problem if the file cannot be read
     */
    public static long largestPartition(byte[] statistics) throws Problem {
        try {
            Input stats = section(statistics, STATS);
            long largest = 0;
            long before = 0;
            for (int sizes = stats.integer(); sizes > 0; sizes--) {
                long limit = stats.longInteger(); // the upper one of the count before
                largest = before > 0 ? limit : largest;
                before = stats.longInteger();
                largest = before > 0 && sizes == 1 ? limit : largest; // the last one has no upper limit
            }
            return largest;
        } catch (IndexOutOfBoundsException | ArithmeticException e) {
            throw new Problem("its Statistics.db is damaged or cut short; " + OTHER_COPY);
        }
    }

    /** The problem of a file, in words that follow its name. */
    public static final class Problem extends Exception {
        private static final long serialVersionUID = 1;

        public Problem(String message) {
            super(message);
        }
    }

    private static Input section(byte[] statistics, int kind) throws Problem {
        CRC32 checksum = new CRC32();
        int count = Bytes.getInt(statistics, 0);
        checksum.update(statistics, 0, 4);
        check(checksum, statistics, 4);
        int tocEnd = Math.addExact(8, Math.multiplyExact(8, count));
        checksum.update(statistics, 8, tocEnd - 8);
        check(checksum, statistics, tocEnd);
        for (int i = 0; i < count; i++) {
            if (Bytes.getInt(statistics, 8 + 8 * i) == kind) {
                int from = Bytes.getInt(statistics, 12 + 8 * i);
                int to = (i + 1 < count ? Bytes.getInt(statistics, 20 + 8 * i) : statistics.length) - 4;
                checksum.reset();
                checksum.update(statistics, from, to - from);
                check(checksum, statistics, to);
                return new Input(statistics, from, to);
            }
        }
        throw new Problem("its Statistics.db lacks section " + kind + "; " + OTHER_COPY);
    }

    private static void check(CRC32 checksum, byte[] statistics, int at) throws Problem {
        if ((int) checksum.getValue() != Bytes.getInt(statistics, at)) {
            throw new Problem("its Statistics.db does not match its checksum; " + OTHER_COPY);
        }
    }

    /** The number of partitions is the sum of the numbers for each size. */
    private static long partitions(Input in) {
        long partitions = 0;
        for (int sizes = in.integer(); sizes > 0; sizes--) {
            in.skip(8);
            partitions += in.longInteger();
        }
        return partitions;
    }

    private static FileHeader header(
            Input in, SstableSchema schema, Map<String, Long> dropped, long partitions, long lastWriteTime)
            throws Problem {
        long minTime = in.vint() + Statistics.WRITE_TIME_EPOCH;
        int minExpiry = (int) in.vint() + Statistics.EXPIRY_EPOCH;
        int minTtl = (int) in.vint();
        Layout layout = Layout.of(schema);
        checkType("the partition key", in.vintUtf(), layout.partitionKeyType());
        long clusteringColumns = in.vint();
        if (clusteringColumns != layout.clustering().size()) {
            throw new Problem("it has " + clusteringColumns + " clustering columns, and the table "
                    + layout.clustering().size() + ": it is the file of another table");
        }
        for (Layout.Part part : layout.clustering()) {
            checkType("column " + part.name(), in.vintUtf(), part.typeName());
        }
        List<FileColumn> statics = columns(in, schema, Kind.STATIC, layout.statics(), dropped);
        List<FileColumn> regulars = columns(in, schema, Kind.REGULAR, layout.regulars(), dropped);
        return new FileHeader(
                new EncodingBase(minTime, minExpiry), minTtl, statics, regulars, partitions, lastWriteTime);
    }

    private static List<FileColumn> columns(
            Input in, SstableSchema schema, Kind kind, List<Layout.Part> parts, Map<String, Long> dropped)
            throws Problem {
        List<FileColumn> columns = new ArrayList<>();
        for (long count = in.vint(); count > 0; count--) {
            String name = in.vintUtf();
            String type = in.vintUtf();
            int index = -1;
            for (int i = 0; i < parts.size(); i++) {
                if (parts.get(i).name().equals(name)) {
                    index = i;
                    String ofTable = parts.get(i).typeName();
                    if (!dropped.containsKey(name) || !TypeNames.isTaken(type, ofTable)) {
                        checkType("column " + name, type, ofTable);
                    }
                }
            }
            for (Column column : schema.columns()) {
                if (index < 0 && column.name().equals(name)) {
                    throw new Problem("column " + name + " is " + kind + " in it, and " + column.kind()
                            + " in the table: it is the file of another table");
                }
            }
            if (index < 0 && !dropped.containsKey(name)) {
                throw new Problem(
                        "it has the column " + name + ", which the table neither has nor had: it is the file of"
                                + " another table; or the table was recreated without the column, and needs it while this is"
                                + " read (ALTER TABLE … ADD); or it has COMPACT STORAGE and nothing but its key: read it over CQL");
            }
            columns.add(new FileColumn(
                    name,
                    index,
                    TypeNames.fixedBytes(type),
                    TypeNames.hasCells(type),
                    index >= 0 && parts.get(index).type() instanceof UserDefinedType udt
                            ? udt.getFieldNames().size()
                            : 0,
                    dropped.getOrDefault(name, Long.MIN_VALUE)));
        }
        return columns;
    }

    private static void checkType(String what, String inFile, String ofTable) throws Problem {
        if (!TypeNames.fits(inFile, ofTable)) {
            throw new Problem(what + " has the type " + inFile + " in it, and " + ofTable
                    + " in the table: it is the file of another table, or the type was altered since; run nodetool"
                    + " upgradesstables -a on the node, and take another snapshot");
        }
    }

    /** Numbers and text of a section, in sequence. */
    private static final class Input {
        private final byte[] array;
        private final int end;
        private int at;

        Input(byte[] array, int from, int end) {
            this.array = array;
            this.at = from;
            this.end = end;
        }

        /** @return where the bytes begin */
        int skip(long bytes) {
            if (bytes < 0 || bytes > end - at) {
                throw new IndexOutOfBoundsException(at);
            }
            int from = at;
            at += (int) bytes;
            return from;
        }

        int integer() {
            return Bytes.getInt(array, skip(4));
        }

        long longInteger() {
            return Bytes.getLong(array, skip(8));
        }

        int unsignedShort() {
            return Bytes.getShort(array, skip(2)) & 0xFFFF;
        }

        long vint() {
            return Bytes.getUnsignedVint(array, skip(Bytes.vintBytes(array[at])));
        }

        String utf(int bytes) {
            return new String(array, skip(bytes), bytes, StandardCharsets.UTF_8);
        }

        String vintUtf() {
            return utf(Math.toIntExact(vint()));
        }
    }
}
