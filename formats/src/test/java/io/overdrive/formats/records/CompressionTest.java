package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompressionTest {
    private static byte[] records(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append("host")
                    .append(i / 100)
                    .append(',')
                    .append(i)
                    .append(",note of ")
                    .append(i)
                    .append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** A compressor without a limit on the search for matches takes minutes for these. */
    @ParameterizedTest
    @EnumSource
    @Timeout(100)
    void megabytesOfRecordsThatAreAlikeComeBack(Compression compression) throws IOException {
        byte[] records = records(60_000);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = compression.pack(packed)) {
            out.write(records);
        }
        assertThat(unpacked(compression, packed)).isEqualTo(records);
    }

    /** The number of writers is that of a cluster of eight nodes, in less heap than the launcher gives. */
    @ParameterizedTest
    @EnumSource
    void manyFilesArePackedAtOnceInLittleMemory(Compression compression) throws IOException {
        byte[] records = records(100);
        List<ByteArrayOutputStream> packed = new ArrayList<>();
        List<OutputStream> open = new ArrayList<>();
        System.gc();
        long before = used();
        for (int i = 0; i < 32; i++) {
            packed.add(new ByteArrayOutputStream());
            open.add(compression.pack(packed.get(i)));
            open.get(i).write(records);
        }
        System.gc();
        assertThat(used() - before).isLessThan(200 << 20);
        for (int i = 0; i < 32; i++) {
            open.get(i).close();
            assertThat(unpacked(compression, packed.get(i))).isEqualTo(records);
        }
    }

    private static long used() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static byte[] unpacked(Compression compression, ByteArrayOutputStream packed) throws IOException {
        try (InputStream in = compression.unpack(new ByteArrayInputStream(packed.toByteArray()))) {
            return in.readAllBytes();
        }
    }
}
