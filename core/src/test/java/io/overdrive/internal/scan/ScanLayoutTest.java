package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.cql.PreparedCql;
import io.overdrive.internal.ring.Murmur3;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bodies of requests, byte by byte, as specified by the native protocol. */
class ScanLayoutTest {
    private static final String ID = "0010" + "00".repeat(16);
    private static final String LOCAL_ONE = "000a";
    private static final String BOUNDS = "00000008" + "fffffffffffffffb" + "00000008" + "fffffffffffffffe";
    private static final Range RANGE = new Range(-5, -2);
    private static final byte[] STATE = {0x0a, 0x0b};

    private static String hex(byte[] body) {
        return HexFormat.of().formatHex(body);
    }

    @Test
    void requestsARangeInVersion4() {
        ScanLayout layout = ScanLayouts.split(ProtocolVersion.V4, Integer.MAX_VALUE);
        assertThat(hex(layout.execute(RANGE, null, 16, null)))
                .isEqualTo(ID + LOCAL_ONE + "07" + "0002" + BOUNDS + "00000010");
        assertThat(hex(layout.execute(RANGE, null, 16, STATE)))
                .isEqualTo(ID + LOCAL_ONE + "0f" + "0002" + BOUNDS + "00000010" + "00000002" + "0a0b");
    }

    @Test
    void requestsARangeInVersion5() {
        ScanLayout layout = ScanLayouts.split();
        assertThat(hex(layout.execute(RANGE, null, 16, null)))
                .isEqualTo(ID + ID + LOCAL_ONE + "00000007" + "0002" + BOUNDS + "00000010");
        assertThat(hex(layout.execute(RANGE, null, 16, STATE)))
                .isEqualTo(ID + ID + LOCAL_ONE + "0000000f" + "0002" + BOUNDS + "00000010" + "00000002" + "0a0b");
    }

    @Test
    void requestsFewerRowsThanTheLimitAfterTheFirstPage() {
        ScanLayout layout = ScanLayouts.split(ProtocolVersion.V4, /* maxLaterPageRows */ 6);
        assertThat(hex(layout.execute(RANGE, null, 16, null))).endsWith(BOUNDS + "00000010");
        assertThat(hex(layout.execute(RANGE, null, 16, STATE))).endsWith(BOUNDS + "00000006" + "00000002" + "0a0b");
    }

    private static ScanLayout whole(DataType... markers) {
        return ScanLayouts.layout(
                new PreparedCql(
                        "SELECT k FROM ks.t",
                        new byte[16],
                        new byte[0],
                        Collections.nCopies(markers.length, "k"),
                        List.of(markers),
                        /* hasCollectionKey */ false,
                        new int[0],
                        CodecRegistry.DEFAULT,
                        ProtocolVersion.V4),
                /* isSplit */ false,
                Integer.MAX_VALUE);
    }

    @Test
    void requestsAllRowsWithoutValues() {
        assertThat(hex(whole().execute(Split.WHOLE_RING, null, 16, null)))
                .isEqualTo(ID + LOCAL_ONE + "06" + "00000010");
    }

    @Test
    void requestsAKey() {
        byte[] key = {0, 0, 0, 2, 7, 8};
        assertThat(hex(whole(DataTypes.BLOB).execute(key, 16)))
                .isEqualTo(ID + LOCAL_ONE + "07" + "0001" + "000000020708" + "00000010");
    }

    @Test
    void findsTheTokenOfTheLastRow() {
        byte[] body = {9, 9, 0, 0, 0, 1, 5, 0, 0, 0, 2, 6, 7};
        ScanLayout layout = ScanLayouts.split();
        Page page = new Page(body, /* start */ 2, /* rows */ 2, 0, 0, /* last */ true);
        assertThat(layout.lastToken(page)).isEqualTo(Murmur3.token(new byte[] {6, 7}, 0, 2));
        assertThat(layout.lastToken(new Page(body, 2, /* rows */ 0, 0, 0, true)))
                .isNull();
    }
}
