package io.overdrive.sstable.write;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.sstable.format.SstableSchema.Compression;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.zip.Deflater;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import org.xerial.snappy.Snappy;

/** Compresses chunks as the server's class of the same name does. Confined to one thread; on the hot path. */
public interface ChunkCompressor extends Closeable {
    int maxBytes(int chunkBytes);

    /** @return the number of bytes written at {@code to}, where {@link #maxBytes} have room */
    int compress(byte[] source, int from, int length, byte[] target, int to) throws IOException;

    /** Frees memory outside of the heap. */
    @Override
    default void close() {}

    /**
     * @throws IllegalArgumentException if the compressor or an option is unknown
     * @throws IllegalStateException if the library for it is not on the class path
     */
    static ChunkCompressor of(Compression compression) {
        Map<String, String> options = compression.options();
        return switch (compression.compressor()) {
            case "LZ4Compressor" -> {
                check(compression, "lz4_compressor_type", "lz4_high_compressor_level");
                yield new Lz4(options);
            }
            case "ZstdCompressor" -> {
                check(compression, "compression_level");
                int level = Integer.parseInt(options.getOrDefault("compression_level", "3"));
                yield load("ZstdCompressor", "com.github.luben:zstd-jni", () -> new ZstdChunks(level));
            }
            case "SnappyCompressor" -> {
                check(compression);
                yield load("SnappyCompressor", "org.xerial.snappy:snappy-java", SnappyChunks::new);
            }
            case "DeflateCompressor" -> {
                check(compression);
                yield new Deflate();
            }
            case "NoopCompressor" -> {
                check(compression);
                yield new Noop();
            }
            default ->
                throw new IllegalArgumentException("the table is compressed by " + compression.compressor()
                        + "; LZ4Compressor, ZstdCompressor, SnappyCompressor, DeflateCompressor, NoopCompressor and none can be"
                        + " written: alter the table's compression, or load it over CQL");
        };
    }

    private static void check(Compression compression, String... known) {
        Set<String> unknown = new HashSet<>(compression.options().keySet());
        unknown.removeAll(Set.of(known));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(
                    "unknown options of " + compression.compressor() + ": " + String.join(", ", unknown));
        }
    }

    private static ChunkCompressor load(String name, String library, Supplier<ChunkCompressor> compressor) {
        try {
            return compressor.get();
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "the table is compressed by " + name + ", which needs the library " + library
                            + " on the class path",
                    e);
        }
    }

    /** The length in four bytes, little-endian, and an LZ4 block. */
    final class Lz4 implements ChunkCompressor {
        private final LZ4Compressor compressor;

        Lz4(Map<String, String> options) {
            String type = options.getOrDefault("lz4_compressor_type", "fast");
            LZ4Factory factory = LZ4Factory.fastestInstance();
            compressor = switch (type) {
                case "fast" -> factory.fastCompressor();
                case "high" ->
                    factory.highCompressor(Integer.parseInt(options.getOrDefault("lz4_high_compressor_level", "9")));
                default -> throw new IllegalArgumentException("unknown lz4_compressor_type " + type);
            };
        }

        @Override
        public int maxBytes(int chunkBytes) {
            return 4 + compressor.maxCompressedLength(chunkBytes);
        }

        @Override
        public int compress(byte[] source, int from, int length, byte[] target, int to) {
            Bytes.setInt(target, to, Integer.reverseBytes(length));
            return 4 + compressor.compress(source, from, length, target, to + 4, target.length - to - 4);
        }
    }

    /** A frame with a checksum. */
    final class ZstdChunks implements ChunkCompressor {
        private final ZstdCompressCtx context = new ZstdCompressCtx();

        ZstdChunks(int level) {
            context.setLevel(level);
            context.setChecksum(true);
        }

        @Override
        public int maxBytes(int chunkBytes) {
            return Math.toIntExact(Zstd.compressBound(chunkBytes));
        }

        @Override
        public int compress(byte[] source, int from, int length, byte[] target, int to) {
            return context.compressByteArray(target, to, target.length - to, source, from, length);
        }

        @Override
        public void close() {
            context.close();
        }
    }

    /** A raw Snappy block. */
    final class SnappyChunks implements ChunkCompressor {
        SnappyChunks() {
            Snappy.maxCompressedLength(1); // fails here if the library is missing
        }

        @Override
        public int maxBytes(int chunkBytes) {
            return Snappy.maxCompressedLength(chunkBytes);
        }

        @Override
        public int compress(byte[] source, int from, int length, byte[] target, int to) throws IOException {
            return Snappy.compress(source, from, length, target, to);
        }
    }

    /** A zlib stream. */
    final class Deflate implements ChunkCompressor {
        private final Deflater deflater = new Deflater();

        @Override
        public int maxBytes(int chunkBytes) {
            return chunkBytes + (chunkBytes >> 12) + (chunkBytes >> 14) + 13; // deflateBound of zlib
        }

        @Override
        public int compress(byte[] source, int from, int length, byte[] target, int to) {
            deflater.reset();
            deflater.setInput(source, from, length);
            deflater.finish();
            return deflater.deflate(target, to, target.length - to);
        }

        @Override
        public void close() {
            deflater.end();
        }
    }

    /** The bytes as they are. */
    final class Noop implements ChunkCompressor {
        @Override
        public int maxBytes(int chunkBytes) {
            return chunkBytes;
        }

        @Override
        public int compress(byte[] source, int from, int length, byte[] target, int to) {
            System.arraycopy(source, from, target, to, length);
            return length;
        }
    }
}
