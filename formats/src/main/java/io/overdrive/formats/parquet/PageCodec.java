package io.overdrive.formats.parquet;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.overdrive.formats.columns.RefusedFileException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import org.apache.parquet.format.CompressionCodec;
import org.brotli.dec.BrotliInputStream;
import org.xerial.snappy.Snappy;

/** How pages are compressed. Stateless. */
final class PageCodec {
    private PageCodec() {}

    /**
     * The content of a page, with {@link Page#PADDING} bytes after it.
     *
     * @param size of the content
     */
    static byte[] unpack(CompressionCodec codec, byte[] packed, int from, int length, int size) throws IOException {
        if (codec == CompressionCodec.UNCOMPRESSED) {
            if (length != size) {
                throw new IOException("it has " + length + " bytes, and should have " + size);
            }
            return Arrays.copyOf(
                    from == 0 ? packed : Arrays.copyOfRange(packed, from, from + length), size + Page.PADDING);
        }
        byte[] content = new byte[size + Page.PADDING];
        if (size == 0 && length == 0) {
            return content;
        }
        switch (codec) {
            case SNAPPY -> {
                int unpacked = Snappy.uncompressedLength(packed, from, length);
                require(unpacked, size);
                require(Snappy.uncompress(packed, from, length, content, 0), size);
            }
            case ZSTD -> require(zstd(packed, from, length, content, size), size);
            case GZIP -> read(new GZIPInputStream(new ByteArrayInputStream(packed, from, length)), content, size);
            case BROTLI -> read(new BrotliInputStream(new ByteArrayInputStream(packed, from, length)), content, size);
            case LZ4_RAW -> require(lz4(packed, from, length, content, 0, size), size);
            case LZ4 -> framedLz4(packed, from, length, content, size);
            default ->
                throw new RefusedFileException("it is compressed by " + codec
                        + ", which is not read: write the file with another compression");
        }
        return content;
    }

    private static void require(long unpacked, int size) throws IOException {
        if (unpacked != size) {
            throw new IOException("it has " + unpacked + " bytes unpacked, and should have " + size);
        }
    }

    private static void read(InputStream in, byte[] content, int size) throws IOException {
        try (in) {
            if (in.readNBytes(content, 0, size) < size) {
                throw new EOFException("it ends before its " + size + " bytes");
            }
            if (in.read() >= 0) {
                throw new IOException("it has more than its " + size + " bytes");
            }
        }
    }

    private static long zstd(byte[] packed, int from, int length, byte[] content, int size) throws IOException {
        try {
            return Zstd.decompressByteArray(content, 0, size, packed, from, length);
        } catch (ZstdException e) {
            throw new IOException("zstd: " + e.getMessage(), e);
        }
    }

    private static int lz4(byte[] packed, int from, int length, byte[] content, int at, int size) throws IOException {
        try {
            return LZ4Factory.fastestInstance().safeDecompressor().decompress(packed, from, length, content, at, size);
        } catch (LZ4Exception e) {
            throw new IOException("lz4: " + e.getMessage(), e);
        }
    }

    /** The older form: blocks after their sizes as Hadoop writes them, or of some writers a block without. */
    private static void framedLz4(byte[] packed, int from, int length, byte[] content, int size) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(packed, from, length);
        int at = 0;
        while (in.remaining() > 2 * Integer.BYTES) {
            int unpacked = in.getInt();
            int block = in.getInt();
            if (unpacked < 0 || unpacked > size - at || block < 0 || block > in.remaining()) {
                break;
            }
            int start = in.position();
            try {
                require(lz4(packed, start, block, content, at, unpacked), unpacked);
            } catch (IOException e) {
                break;
            }
            in.position(start + block);
            at += unpacked;
        }
        if (at != size || in.hasRemaining()) {
            require(lz4(packed, from, length, content, 0, size), size);
        }
    }

    /** The page compressed. */
    static byte[] pack(CompressionCodec codec, byte[] content, int length) throws IOException {
        return switch (codec) {
            case ZSTD -> {
                byte[] packed = new byte[(int) Zstd.compressBound(length)];
                long size = Zstd.compressByteArray(
                        packed, 0, packed.length, content, 0, length, Zstd.defaultCompressionLevel());
                yield Arrays.copyOf(packed, (int) size);
            }
            case SNAPPY -> {
                byte[] packed = new byte[Snappy.maxCompressedLength(length)];
                yield Arrays.copyOf(packed, Snappy.compress(content, 0, length, packed, 0));
            }
            case LZ4_RAW -> LZ4Factory.fastestInstance().fastCompressor().compress(content, 0, length);
            case GZIP -> {
                ByteArrayOutputStream packed = new ByteArrayOutputStream(length / 2 + 64);
                try (OutputStream to = new GZIPOutputStream(packed)) {
                    to.write(content, 0, length);
                }
                yield packed.toByteArray();
            }
            case UNCOMPRESSED -> Arrays.copyOf(content, length);
            case LZO, BROTLI, LZ4 -> throw new IllegalArgumentException(codec + " is not written");
        };
    }
}
