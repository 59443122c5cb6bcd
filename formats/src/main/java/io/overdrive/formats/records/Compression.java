package io.overdrive.formats.records;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.HexFormat;
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
 * How a file is compressed: detected by its first bytes when read, chosen by its extension when written. All formats
 * read concatenated compressed files, and report a truncated file; but framed snappy has no end mark, so a file
 * truncated after a whole frame seems complete.
 */
public enum Compression {
    NONE(""),
    GZIP("1f8b08", "gz", "gzip"),
    ZSTD("28b52ffd", "zst", "zstd"),
    XZ("fd377a585a00", "xz"),
    /** The bytes after the header's digit, the start of a block or the end of the file, distinguish it from text. */
    BZIP2("425a68", "bz2") {
        @Override
        boolean starts(byte[] head) {
            return head.length == MAGIC_BYTES
                    && super.starts(head)
                    && ((head[4] == 0x31 && head[5] == 0x41 && head[6] == 0x59)
                            || (head[4] == 0x17 && head[5] == 0x72 && head[6] == 0x45));
        }
    },
    LZ4("04224d18", "lz4"),
    SNAPPY("ff060000734e61507059", "snappy", "sz");

    /** How many of a file's first bytes {@link #detect} needs. */
    static final int MAGIC_BYTES = 10;

    private static final int PACK_BUFFER_BYTES = 64 << 10;
    /** Takes 2.6 MB for each file being compressed. The library's default takes 93 MB, and eight times as long. */
    private static final int XZ_PRESET = 0;
    /** Memory limit for dictionaries of up to 64 MiB, as of xz -9; a file may claim a dictionary of 4 GiB. */
    private static final int MAX_XZ_MEMORY_KIB = 80 << 10;
    /** Block size in units of 100 kB: takes 2.7 MB for each file instead of 8. */
    private static final int BZIP2_BLOCK = 3;

    private final byte[] magic;
    private final List<String> extensions;

    Compression(String magic, String... extensions) {
        this.magic = HexFormat.of().parseHex(magic);
        this.extensions = List.of(extensions);
    }

    /**
     * The compression of a file that starts with these bytes.
     *
     * @param head up to {@link #MAGIC_BYTES}, fewer only if the file is shorter
     * @param named the compression by its name, used if the first bytes are neither text nor known
     */
    static Compression detect(byte[] head, Compression named) {
        for (Compression compression : values()) {
            if (compression != NONE && compression.starts(head)) {
                return compression;
            }
        }
        if (isSkippableFrame(head)) {
            return named == LZ4 ? LZ4 : ZSTD;
        }
        // the decoder of a damaged file's own format reports the damage
        return isText(head) && !named.isCutShort(head) ? NONE : named;
    }

    boolean starts(byte[] head) {
        return head.length >= magic.length && Arrays.equals(head, 0, magic.length, magic, 0, magic.length);
    }

    private boolean isCutShort(byte[] head) {
        int length = Math.min(head.length, magic.length);
        return head.length < MAGIC_BYTES && length > 0 && Arrays.equals(head, 0, length, magic, 0, length);
    }

    /** zstd and lz4 share these; parallel compressors begin with one. */
    private static boolean isSkippableFrame(byte[] head) {
        return head.length >= 4 && (head[0] & 0xF0) == 0x50 && head[1] == 0x2A && head[2] == 0x4D && head[3] == 0x18;
    }

    private static boolean isText(byte[] head) {
        if (Encodings.mark(head, head.length) != null) {
            return true;
        }
        for (byte b : head) {
            if (b >= 0 && b < ' ' && b != '\t' && b != '\n' && b != '\r') {
                return false;
            }
        }
        return true;
    }

    public static Compression of(String fileName) {
        String extension = extension(fileName);
        for (Compression compression : values()) {
            if (compression.extensions.contains(extension)) {
                return compression;
            }
        }
        return NONE;
    }

    /** The name without the extension of the compression. */
    public static String strip(String fileName) {
        return of(fileName) == NONE ? fileName : fileName.substring(0, fileName.lastIndexOf('.'));
    }

    /** The part of the name after the last dot, in lower case; empty when there is no dot. */
    public static String extension(String fileName) {
        int dot = fileName.lastIndexOf('.');
        return dot < 0 ? "" : fileName.substring(dot + 1).toLowerCase(Locale.ROOT);
    }

    /** Finds a value of {@code --compress}: the usual extension without a dot, a longer name, or {@code none}. */
    public static Compression named(String name) {
        String wanted = name.toLowerCase(Locale.ROOT);
        for (Compression compression : values()) {
            if (compression.extensions.contains(wanted) || compression.name().equalsIgnoreCase(wanted)) {
                return compression;
            }
        }
        throw new IllegalOptionException(words -> words.of(JobOption.COMPRESSION) + " is \"" + name
                + "\", must be none, gzip, zstd, xz, bzip2, lz4 or" + " snappy");
    }

    /** The extension of a file's name with its dot; empty for none. */
    public String suffix() {
        return extensions.isEmpty() ? "" : "." + extensions.get(0);
    }

    /** A stream that compresses; what it has written is complete once it is closed. */
    public OutputStream pack(OutputStream out) throws IOException {
        return switch (this) {
            case NONE -> out;
            case GZIP -> new GZIPOutputStream(out, PACK_BUFFER_BYTES);
            case ZSTD -> new ZstdOutputStream(out);
            case XZ -> new XZOutputStream(out, new LZMA2Options(XZ_PRESET));
            case BZIP2 -> new BZip2CompressorOutputStream(out, BZIP2_BLOCK);
            // commons-compress takes a minute per megabyte
            case LZ4 -> new LZ4FrameOutputStream(out, LZ4FrameOutputStream.BLOCKSIZE.SIZE_256KB);
            case SNAPPY -> new FramedSnappyCompressorOutputStream(out);
        };
    }

    InputStream unpack(InputStream packed) throws IOException {
        return switch (this) {
            case NONE -> packed;
            // not java.util.zip's: it takes a damaged header of a second member for the end of the file
            case GZIP ->
                GzipCompressorInputStream.builder()
                        .setInputStream(packed)
                        .setDecompressConcatenated(true)
                        .get();
            case ZSTD -> new ZstdInputStream(packed);
            case XZ -> new XZInputStream(packed, MAX_XZ_MEMORY_KIB);
            case BZIP2 -> new BZip2CompressorInputStream(packed, /* decompressConcatenated */ true);
            case LZ4 -> new FramedLZ4CompressorInputStream(packed, /* decompressConcatenated */ true);
            case SNAPPY -> new FramedSnappyCompressorInputStream(packed);
        };
    }
}
