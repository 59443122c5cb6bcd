package io.overdrive.sstable.read;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.overdrive.internal.codec.Bytes;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.Supplier;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.xerial.snappy.Snappy;

/** The reverse of {@code ChunkCompressor}. Confined to one thread; on the hot path. */
interface ChunkDecompressor extends Closeable {
    /**
     * @param targetLength the length of the chunk before it was compressed
     * @return the number of bytes written, or another number than {@code targetLength} if the chunk has another length
     * @throws IOException if the chunk is damaged
     */
    int decompress(byte[] source, int from, int length, byte[] target, int to, int targetLength) throws IOException;

    /** Frees memory outside of the heap. */
    @Override
    default void close() {}

    /**
     * @throws IllegalArgumentException if the compressor is unknown
     * @throws IllegalStateException if the library for it is not on the class path
     */
    static ChunkDecompressor of(String compressor) {
        return switch (compressor) {
            case "LZ4Compressor" -> new Lz4();
            case "ZstdCompressor" -> load(compressor, "com.github.luben:zstd-jni", ZstdChunks::new);
            case "SnappyCompressor" -> load(compressor, "org.xerial.snappy:snappy-java", SnappyChunks::new);
            case "DeflateCompressor" -> new Inflate();
            case "NoopCompressor" -> new Noop();
            default ->
                throw new IllegalArgumentException("it is compressed by " + compressor
                        + "; LZ4Compressor, ZstdCompressor, SnappyCompressor, DeflateCompressor, NoopCompressor and none"
                        + " can be read: read the table over CQL, or alter its compression and run nodetool"
                        + " upgradesstables -a");
        };
    }

    private static ChunkDecompressor load(String name, String library, Supplier<ChunkDecompressor> decompressor) {
        try {
            return decompressor.get();
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "it is compressed by " + name + ", which needs the library " + library + " on the class path", e);
        }
    }

    /** The length in four bytes, little-endian, and an LZ4 block. */
    final class Lz4 implements ChunkDecompressor {
        private final LZ4SafeDecompressor decompressor =
                LZ4Factory.fastestInstance().safeDecompressor();

        @Override
        public int decompress(byte[] source, int from, int length, byte[] target, int to, int targetLength)
                throws IOException {
            if (length < 4 || Integer.reverseBytes(Bytes.getInt(source, from)) != targetLength) {
                return -1;
            }
            try {
                return decompressor.decompress(source, from + 4, length - 4, target, to, targetLength);
            } catch (LZ4Exception e) {
                throw new IOException(e);
            }
        }
    }

    /** A frame. */
    final class ZstdChunks implements ChunkDecompressor {
        private final ZstdDecompressCtx context = new ZstdDecompressCtx();

        @Override
        public int decompress(byte[] source, int from, int length, byte[] target, int to, int targetLength)
                throws IOException {
            try {
                return context.decompressByteArray(target, to, targetLength, source, from, length);
            } catch (ZstdException e) {
                throw new IOException(e);
            }
        }

        @Override
        public void close() {
            context.close();
        }
    }

    /** A raw Snappy block. */
    final class SnappyChunks implements ChunkDecompressor {
        SnappyChunks() {
            Snappy.maxCompressedLength(1); // fails here if the library is missing
        }

        @Override
        public int decompress(byte[] source, int from, int length, byte[] target, int to, int targetLength)
                throws IOException {
            if (Snappy.uncompressedLength(source, from, length) != targetLength) {
                return -1;
            }
            return Snappy.uncompress(source, from, length, target, to);
        }
    }

    /** A zlib stream. */
    final class Inflate implements ChunkDecompressor {
        private final Inflater inflater = new Inflater();

        @Override
        public int decompress(byte[] source, int from, int length, byte[] target, int to, int targetLength)
                throws IOException {
            inflater.reset();
            inflater.setInput(source, from, length);
            try {
                int written = 0;
                while (written < targetLength && !inflater.finished()) {
                    int some = inflater.inflate(target, to + written, targetLength - written);
                    if (some == 0 && !inflater.finished()) {
                        return -1;
                    }
                    written += some;
                }
                return written;
            } catch (DataFormatException e) {
                throw new IOException(e);
            }
        }

        @Override
        public void close() {
            inflater.end();
        }
    }

    /** The bytes as they are. */
    final class Noop implements ChunkDecompressor {
        @Override
        public int decompress(byte[] source, int from, int length, byte[] target, int to, int targetLength) {
            if (length != targetLength) {
                return -1;
            }
            System.arraycopy(source, from, target, to, length);
            return length;
        }
    }
}
