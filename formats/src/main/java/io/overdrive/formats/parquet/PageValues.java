package io.overdrive.formats.parquet;

import java.io.IOException;
import java.util.Arrays;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/** Reads the values of a page in its encoding, in sequence. Confined to one thread; on the hot path. */
interface PageValues {
    /** Reads the next values; fewer are an error. */
    void read(int count, Values to) throws IOException;

    /**
     * @param bytes with {@link Page#PADDING} bytes after the end
     * @param maxCount of values in the page
     * @param dictionary of the column; null if there is none
     */
    static PageValues of(
            Encoding encoding, Leaf leaf, byte[] bytes, int from, int end, int maxCount, @Nullable Values dictionary)
            throws IOException {
        Type type = leaf.type();
        switch (encoding) {
            case PLAIN:
                return type == Type.BOOLEAN
                        ? new Booleans(new RunLengths(bytes, from, end, 1), bytes, from, end)
                        : leaf.width() == 0 ? new Plain(bytes, from, end) : new PlainFixed(bytes, from, end);
            case PLAIN_DICTIONARY, RLE_DICTIONARY:
                if (dictionary == null) {
                    throw new IOException("it refers to a dictionary, and has none");
                }
                return from == end
                        ? new PlainFixed(bytes, from, end) // of nulls only
                        : new Indices(new RunLengths(bytes, from + 1, end, bytes[from] & 0xFF), dictionary);
            case RLE:
                if (type == Type.BOOLEAN && end - from >= Integer.BYTES) {
                    return new Booleans(new RunLengths(bytes, from + Integer.BYTES, end, 1), null, from, end);
                }
                break;
            case DELTA_BINARY_PACKED:
                if (type == Type.INT32 || type == Type.INT64) {
                    return new Integers(new Deltas(bytes, from, end, maxCount));
                }
                break;
            case DELTA_LENGTH_BYTE_ARRAY:
                if (type == Type.BYTE_ARRAY) {
                    return Lengths.of(bytes, from, end, maxCount);
                }
                break;
            case DELTA_BYTE_ARRAY:
                if (type == Type.BYTE_ARRAY || type == Type.FIXED_LEN_BYTE_ARRAY) {
                    return Prefixes.of(bytes, from, end, maxCount);
                }
                break;
            case BYTE_STREAM_SPLIT:
                if (leaf.width() > 0 && type != Type.BOOLEAN) {
                    return new Split(bytes, from, (end - from) / leaf.width());
                }
                break;
            default:
                break;
        }
        throw new IOException("it is encoded as " + encoding + ", which is not known for values of the type " + type);
    }

    private static IOException tooFew() {
        return new IOException("it has fewer values than it says");
    }

    /** Values of a fixed number of bytes, in sequence. */
    final class PlainFixed implements PageValues {
        private final byte[] bytes;
        private final int end;
        private int at;

        PlainFixed(byte[] bytes, int from, int end) {
            this.bytes = bytes;
            this.at = from;
            this.end = end;
        }

        @Override
        public void read(int count, Values to) throws IOException {
            if ((long) count * to.width > end - at || (count > 0 && to.width == 0)) {
                throw tooFew();
            }
            to.addAll(bytes, at, count);
            at += count * to.width;
        }
    }

    /** Values of any number of bytes, each after its length. */
    final class Plain implements PageValues {
        private final byte[] bytes;
        private final int end;
        private int at;

        Plain(byte[] bytes, int from, int end) {
            this.bytes = bytes;
            this.at = from;
            this.end = end;
        }

        @Override
        public void read(int count, Values to) throws IOException {
            for (int i = 0; i < count; i++) {
                int length = end - at < Integer.BYTES ? -1 : Page.intAt(bytes, at);
                if (length < 0 || length > end - at - Integer.BYTES) {
                    throw tooFew();
                }
                to.add(bytes, at + Integer.BYTES, length);
                at += Integer.BYTES + length;
            }
        }
    }

    /** A bit each, or runs of them; read as a byte each. */
    final class Booleans implements PageValues {
        private final RunLengths runs;
        private final byte @Nullable [] bits;
        private final long endBit;
        private long bit;

        /** @param bits null to read the runs */
        Booleans(RunLengths runs, byte @Nullable [] bits, int from, int end) {
            this.runs = runs;
            this.bits = bits;
            this.bit = from * 8L;
            this.endBit = end * 8L;
        }

        @Override
        public void read(int count, Values to) throws IOException {
            byte[] packed = bits;
            if (packed != null && count > endBit - bit) {
                throw tooFew();
            }
            to.reserve(count);
            if (packed == null) {
                int[] values = new int[count];
                runs.read(values, 0, count);
                for (int value : values) {
                    to.data[to.length++] = (byte) value;
                }
            } else {
                for (int i = 0; i < count; i++, bit++) {
                    to.data[to.length++] = (byte) (packed[(int) (bit >>> 3)] >> (bit & 7) & 1);
                }
            }
            to.count += count;
        }
    }

    /** Places of values in a dictionary. */
    final class Indices implements PageValues {
        private static final int SOME = 4096;

        private final RunLengths runs;
        private final Values dictionary;
        private final int[] indices = new int[SOME];

        Indices(RunLengths runs, Values dictionary) {
            this.runs = runs;
            this.dictionary = dictionary;
        }

        @Override
        public void read(int count, Values to) throws IOException {
            for (int left = count; left > 0; left -= SOME) {
                int some = Math.min(left, SOME);
                runs.read(indices, 0, some);
                to.addAll(dictionary, indices, some);
            }
        }
    }

    /** Differences of integers. */
    final class Integers implements PageValues {
        private final Deltas deltas;

        Integers(Deltas deltas) {
            this.deltas = deltas;
        }

        @Override
        public void read(int count, Values to) throws IOException {
            to.reserve(count);
            for (int i = 0; i < count; i++) {
                if (to.width == Integer.BYTES) {
                    to.addInt((int) deltas.next());
                } else {
                    to.addLong(deltas.next());
                }
            }
        }
    }

    /** All lengths, and then all bytes. */
    final class Lengths implements PageValues {
        private final byte[] bytes;
        private final int end;
        private final int[] lengths;
        private int at;
        private int next;

        private Lengths(byte[] bytes, int from, int end, int[] lengths) {
            this.bytes = bytes;
            this.at = from;
            this.end = end;
            this.lengths = lengths;
        }

        static Lengths of(byte[] bytes, int from, int end, int maxCount) throws IOException {
            Deltas deltas = new Deltas(bytes, from, end, maxCount);
            int[] lengths = deltas.lengths();
            return new Lengths(bytes, deltas.endOfAll(), end, lengths);
        }

        /** The length of the next value, whose bytes are then at the place that is returned. */
        private int advance() throws IOException {
            if (next == lengths.length || lengths[next] > end - at) {
                throw tooFew();
            }
            int start = at;
            at += lengths[next++];
            return start;
        }

        @Override
        public void read(int count, Values to) throws IOException {
            for (int i = 0; i < count; i++) {
                int start = advance();
                to.add(bytes, start, at - start);
            }
        }
    }

    /** How many bytes each value has in common with the one before, and the others. */
    final class Prefixes implements PageValues {
        private final int[] shared;
        private final Lengths others;
        private byte[] value = new byte[64];
        private int length;
        private int next;

        private Prefixes(int[] shared, Lengths others) {
            this.shared = shared;
            this.others = others;
        }

        static Prefixes of(byte[] bytes, int from, int end, int maxCount) throws IOException {
            Deltas deltas = new Deltas(bytes, from, end, maxCount);
            int[] shared = deltas.lengths();
            return new Prefixes(shared, Lengths.of(bytes, deltas.endOfAll(), end, maxCount));
        }

        @Override
        public void read(int count, Values to) throws IOException {
            for (int i = 0; i < count; i++) {
                if (next == shared.length || shared[next] > length) {
                    throw tooFew();
                }
                int start = others.advance();
                int same = shared[next++];
                int more = others.at - start;
                if (same + more > value.length) {
                    value = Arrays.copyOf(value, Math.max(same + more, value.length * 2));
                }
                System.arraycopy(others.bytes, start, value, same, more);
                length = same + more;
                if (to.width > 0 && to.width != length) {
                    throw new IOException("it has a value of " + length + " bytes instead of " + to.width);
                }
                to.add(value, 0, length);
            }
        }
    }

    /** All first bytes of the values, then all second ones, and so on. */
    final class Split implements PageValues {
        private final byte[] bytes;
        private final int from;
        private final int count;
        private int next;

        Split(byte[] bytes, int from, int count) {
            this.bytes = bytes;
            this.from = from;
            this.count = count;
        }

        @Override
        public void read(int wanted, Values to) throws IOException {
            if (wanted > count - next) {
                throw tooFew();
            }
            to.reserve(wanted);
            for (int part = 0; part < to.width; part++) {
                int start = from + part * count + next;
                int at = to.length + part;
                for (int i = 0; i < wanted; i++, at += to.width) {
                    to.data[at] = bytes[start + i];
                }
            }
            to.length += wanted * to.width;
            to.count += wanted;
            next += wanted;
        }
    }
}
