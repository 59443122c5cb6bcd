package io.overdrive.sstable.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.codec.Bytes;
import org.junit.jupiter.api.Test;

class SstableRowTest {
    private static final long NOW = 1_700_000_000;

    /** A row that was found with a second to live may be read later: 0 would be for ever where it is written. */
    @Test
    void whatHasJustExpiredHasASecondToLive() {
        SstableRow row = new SstableRow(/* columns */ 2);
        row.set(0, new byte[1], 0, 1, /* time */ 7, /* ttl */ 60, NOW + 60);
        row.set(1, new byte[1], 0, 1, /* time */ 7, /* ttl */ 60, NOW);
        row.setMarker(/* time */ 7, NOW - 3);
        Bytes out = new Bytes(64);
        row.appendTtl(0, NOW, out);
        row.appendTtl(1, NOW, out);
        row.appendMarkerTtl(NOW, out);
        assertThat(Bytes.getInt(out.array(), 4)).isEqualTo(60);
        assertThat(Bytes.getInt(out.array(), 12)).isEqualTo(1);
        assertThat(Bytes.getInt(out.array(), 20)).isEqualTo(1);
        assertThat(out.length()).isEqualTo(24);
    }

    @Test
    void neitherHaveElements() {
        SstableRow row = new SstableRow(/* columns */ 1);
        row.set(0, new byte[1], 0, 1);
        row.beginElements(0);
        row.addElement(0, /* time */ 7, NOW - 1);
        row.addElement(0, /* time */ 7, SstableRow.NEVER);
        Bytes out = new Bytes(64);
        row.appendTtl(0, NOW, out);
        assertThat(Bytes.getInt(out.array(), 8)).isEqualTo(4);
        assertThat(Bytes.getInt(out.array(), 12)).isEqualTo(1);
        assertThat(Bytes.getInt(out.array(), 16)).isEqualTo(-1);
    }
}
