package io.overdrive.files;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;
import org.apache.commons.compress.compressors.snappy.FramedSnappyCompressorInputStream;
import org.apache.commons.compress.compressors.snappy.FramedSnappyCompressorOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZInputStream;
import org.tukaani.xz.XZOutputStream;

/**
 * How a file is packed, told by the last part of its name. All of them read files that were put together from several
 * packed files, and report a file that ends too early.
 */
enum Compression {
    NONE(),
    GZIP("gz", "gzip"),
    ZSTD("zst", "zstd"),
    XZ("xz"),
    BZIP2("bz2"),
    LZ4("lz4"),
    SNAPPY("snappy", "sz");

    private static final int PACK_BUFFER_BYTES = 64 << 10;
    /** Each file that is being packed takes 2.6 MB then. The library's own choice takes 93 MB, and eight times as long. */
    private static final int XZ_PRESET = 0;
    /** In 100 kB: each file takes 2.7 MB then, and not 8. */
    private static final int BZIP2_BLOCK = 3;

    private final List<String> extensions;

    Compression(String... extensions) {
        this.extensions = List.of(extensions);
    }

    static Compression of(String fileName) {
        String extension = extension(fileName);
        for (Compression compression : values()) {
            if (compression.extensions.contains(extension)) {
                return compression;
            }
        }
        return NONE;
    }

    /** The name without the extension that tells the compression. */
    static String strip(String fileName) {
        return of(fileName) == NONE ? fileName : fileName.substring(0, fileName.lastIndexOf('.'));
    }

    /** What follows the last dot of the name, in lower case; empty when there is no dot. */
    static String extension(String fileName) {
        int dot = fileName.lastIndexOf('.');
        return dot < 0 ? "" : fileName.substring(dot + 1).toLowerCase(Locale.ROOT);
    }

    /** As {@code --compress} has it: the usual extension without a dot, or a longer name; {@code none}. */
    static Compression named(String name) {
        String wanted = name.toLowerCase(Locale.ROOT);
        for (Compression compression : values()) {
            if (compression.extensions.contains(wanted) || compression.name().equalsIgnoreCase(wanted)) {
                return compression;
            }
        }
        throw new IllegalArgumentException(
                "compression \"" + name + "\" is not known: none, gzip, zstd, xz, bzip2, lz4 or snappy");
    }

    /** What a file's name ends with; empty for none. */
    String suffix() {
        return extensions.isEmpty() ? "" : "." + extensions.get(0);
    }

    OutputStream pack(OutputStream out) throws IOException {
        return switch (this) {
            case NONE -> out;
            case GZIP -> new GZIPOutputStream(out, PACK_BUFFER_BYTES);
            case ZSTD -> new ZstdOutputStream(out);
            case XZ -> new XZOutputStream(out, new LZMA2Options(XZ_PRESET));
            case BZIP2 -> new BZip2CompressorOutputStream(out, BZIP2_BLOCK);
            // commons-compress takes a minute for a megabyte
            case LZ4 -> new LZ4FrameOutputStream(out, LZ4FrameOutputStream.BLOCKSIZE.SIZE_256KB);
            case SNAPPY -> new FramedSnappyCompressorOutputStream(out);
        };
    }

    InputStream unpack(InputStream packed) throws IOException {
        return switch (this) {
            case NONE -> packed;
            // not java.util.zip's: that one takes a damaged header of a second member for the end of the file
            case GZIP ->
                GzipCompressorInputStream.builder()
                        .setInputStream(packed)
                        .setDecompressConcatenated(true)
                        .get();
            case ZSTD -> new ZstdInputStream(packed);
            case XZ -> new XZInputStream(packed);
            case BZIP2 -> new BZip2CompressorInputStream(packed, /* decompressConcatenated */ true);
            case LZ4 -> new FramedLZ4CompressorInputStream(packed, /* decompressConcatenated */ true);
            case SNAPPY -> new FramedSnappyCompressorInputStream(packed);
        };
    }
}
