package io.overdrive.formats.parquet;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.parquet.format.CompressionCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lengths in files that are damaged, or larger than the memory. */
class DamagedFileTest {
    @Test
    void aListInTheFooterThatIsLongerThanTheFooterIsRefused(@TempDir Path directory) throws IOException {
        // field 1: version 2; field 2: a list of structs, and its length as a number of 5 bytes
        byte[] footer = {0x15, 0x04, 0x19, (byte) 0xFC, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0x07, 0, 0};
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(ParquetReader.MAGIC);
        bytes.write(footer);
        bytes.write(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(footer.length)
                .array());
        bytes.write(ParquetReader.MAGIC);
        Path file = Files.write(directory.resolve("a.parquet"), bytes.toByteArray());
        try (FileChannel channel = FileChannel.open(file)) {
            assertThatThrownBy(() -> new ParquetReader(channel, at -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("its metadata are damaged: ");
        }
    }

    @Test
    void pagesThatNeedMoreThanTheHeapAreRefused() {
        long heap = Runtime.getRuntime().maxMemory();
        assertThatThrownBy(() -> new PageMemory().replace(0, heap))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("more than half of a Java heap of ")
                .hasMessageContaining("OVERDRIVE_JAVA_OPTIONS");
    }

    @Test
    void aPageWithAnotherLengthThanItSaysIsRefused() throws IOException {
        byte[] content = "abcdefgh".getBytes(StandardCharsets.UTF_8);
        for (CompressionCodec codec : new CompressionCodec[] {
            CompressionCodec.GZIP, CompressionCodec.ZSTD, CompressionCodec.SNAPPY, CompressionCodec.LZ4_RAW
        }) {
            byte[] packed = PageCodec.pack(codec, content, content.length);
            for (int size : new int[] {content.length - 1, content.length + 1}) {
                assertThatThrownBy(() -> PageCodec.unpack(codec, packed, 0, packed.length, size))
                        .as(codec + " " + size)
                        .isInstanceOf(IOException.class);
            }
        }
    }
}
