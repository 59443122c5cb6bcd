package io.overdrive.bench.experiments.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class PayloadTest {
    @Test
    void isEqualForEqualNumbersAndSeeds() {
        Payload payload = new Payload(1, 1000);
        assertThat(payload.at(7, 1000)).isEqualTo(new Payload(1, 1000).at(7, 1000));
        assertThat(payload.at(7, 1000)).isNotEqualTo(payload.at(8, 1000));
        assertThat(payload.at(7, 1000)).isNotEqualTo(new Payload(2, 1000).at(7, 1000));
        assertThat(payload.at(7, 12).remaining()).isEqualTo(12);
    }

    @Test
    void isIncompressible() {
        Payload payload = new Payload(1, 88);
        ByteBuffer rows = ByteBuffer.allocate(160 * 88);
        for (int row = 0; row < 160; row++) {
            rows.put(payload.at(row, 88));
        }
        Deflater deflater = new Deflater();
        deflater.setInput(rows.array());
        deflater.finish();
        int compressed = deflater.deflate(new byte[2 * rows.capacity()]);
        deflater.end();
        assertThat(compressed).isGreaterThan(rows.capacity() * 98 / 100);
    }
}
