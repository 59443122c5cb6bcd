package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.Grouping;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.write.WriteRules.Timestamp;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bodies of requests, byte by byte, as specified by the native protocol. */
class WriteLayoutTest {
    private static final String ID = "0010" + "00".repeat(16);
    private static final String LOCAL_QUORUM = "0006";
    private static final byte[] NONE = {};
    private static final byte[] VALUES = {0, 0, 0, 1, 7, 0, 0, 0, 1, 8};
    private static final String VALUES_HEX = "00000001" + "07" + "00000001" + "08";

    private static WriteLayout layout(ProtocolVersion version, Timestamp timestamp, boolean isCounter) {
        RetryRule retry = new RetryRule(
                /* idempotent */ !isCounter,
                /* needsNewTime */ false,
                /* conditional */ false,
                /* severalPartitions */ false,
                /* severalPartitionsARow */ false,
                /* maxAttempts */ 10);
        return WriteLayouts.of(
                version,
                /* markers */ 2,
                /* prefixMarkers */ 1,
                new WriteRules(
                        Grouping.PARTITION,
                        /* gathersSingles */ false,
                        timestamp,
                        retry,
                        /* ifNotExists */ false,
                        /* replacesRows */ true,
                        /* isRepeatable */ true,
                        isCounter));
    }

    @Test
    void countsWhatTheServerCounts() {
        DataType list = DataTypes.listOf(DataTypes.INT);
        byte[] two = HexFormat.of().parseHex("00000002" + "00000004" + "00000007" + "00000004" + "00000008");
        WriteLayout layout = WriteLayouts.of(DataTypes.INT, list, DataTypes.TEXT);
        // a row, three cells, and the elements; each value with its length
        assertThat(counted(layout, new byte[4], NONE, NONE)).isEqualTo(48 + 3 * 20 + 8 + 4 + 4);
        assertThat(counted(layout, new byte[4], two, NONE)).isEqualTo(48 + 3 * 20 + 8 + (4 + 20 + 2 * 40) + 4);
        assertThat(counted(layout, new byte[4], NONE, two)).isEqualTo(48 + 3 * 20 + 8 + 4 + 24);
        byte[] damaged = HexFormat.of().parseHex("7fffffff");
        assertThat(counted(layout, new byte[4], damaged, NONE)).isEqualTo(48 + 3 * 20 + 8 + (4 + 4 + 40) + 4);
    }

    private static int counted(WriteLayout layout, byte[]... values) {
        Bytes all = new Bytes(64);
        for (byte[] value : values) {
            all.putInt(value.length);
            all.put(value);
        }
        byte[] body = new byte[layout.executeOverhead() + all.length()];
        System.arraycopy(all.toByteArray(), 0, body, layout.beginExecute(body), all.length());
        return layout.countedBytes(body);
    }

    /** One row with {@link #VALUES}. */
    private static String execute(WriteLayout layout) {
        byte[] body = new byte[layout.executeOverhead() + VALUES.length];
        int at = layout.beginExecute(body);
        System.arraycopy(VALUES, 0, body, at, VALUES.length);
        layout.endExecute(body, at + VALUES.length, /* timestamp */ 0x0102030405060708L);
        return HexFormat.of().formatHex(body);
    }

    /** Two rows with {@link #VALUES}. */
    private static String batch(WriteLayout layout) {
        byte[] header = layout.rowHeader;
        byte[] body = new byte[layout.batchOverhead() + 2 * (header.length + VALUES.length)];
        int at = layout.beginBatch(body, 2);
        for (int i = 0; i < 2; i++) {
            System.arraycopy(header, 0, body, at, header.length);
            System.arraycopy(VALUES, 0, body, at + header.length, VALUES.length);
            at += header.length + VALUES.length;
        }
        layout.endBatch(body, at, /* timestamp */ 0x0102030405060708L);
        return HexFormat.of().formatHex(body);
    }

    @Test
    void laysOutAnExecute() {
        assertThat(execute(layout(ProtocolVersion.V4, Timestamp.LAST_MARKER, /* isCounter */ false)))
                .isEqualTo(ID + LOCAL_QUORUM + "01" + "0002" + VALUES_HEX);
        assertThat(execute(layout(ProtocolVersion.V5, Timestamp.LAST_MARKER, /* isCounter */ false)))
                .isEqualTo(ID + ID + LOCAL_QUORUM + "00000001" + "0002" + VALUES_HEX);
    }

    @Test
    void putsTheWriteTimeIntoTheRequestIfNoMarkerTakesIt() {
        assertThat(execute(layout(ProtocolVersion.V4, Timestamp.REQUEST, /* isCounter */ false)))
                .isEqualTo(ID + LOCAL_QUORUM + "21" + "0002" + VALUES_HEX + "0102030405060708");
        assertThat(execute(layout(ProtocolVersion.V5, Timestamp.REQUEST, /* isCounter */ false)))
                .isEqualTo(ID + ID + LOCAL_QUORUM + "00000021" + "0002" + VALUES_HEX + "0102030405060708");
    }

    @Test
    void laysOutABatch() {
        String row = "01" + ID + "0002" + VALUES_HEX;
        assertThat(batch(layout(ProtocolVersion.V4, Timestamp.LAST_MARKER, /* isCounter */ false)))
                .isEqualTo("01" + "0002" + row + row + LOCAL_QUORUM + "00");
        assertThat(batch(layout(ProtocolVersion.V5, Timestamp.LAST_MARKER, /* isCounter */ false)))
                .isEqualTo("01" + "0002" + row + row + LOCAL_QUORUM + "00000000");
        assertThat(batch(layout(ProtocolVersion.V5, Timestamp.NONE, /* isCounter */ true)))
                .as("a batch of counters")
                .isEqualTo("02" + "0002" + row + row + LOCAL_QUORUM + "00000000");
    }

    @Test
    void leavesOutTheMarkerThatItFillsIn() {
        assertThat(layout(ProtocolVersion.V5, Timestamp.LAST_MARKER, /* isCounter */ false).givenMarkers)
                .isEqualTo(1);
        assertThat(layout(ProtocolVersion.V5, Timestamp.MARKER, /* isCounter */ false).givenMarkers)
                .isEqualTo(2);
    }

    @Test
    void spacesWriteTimesByTheNumberOfAttempts() {
        WriteLayout once = WriteLayouts.of(3, 1);
        assertThat(once.writeTime(1000, 5)).isEqualTo(1005);
        assertThat(once.lastWriteTime(1000, 5)).isEqualTo(1005);
        WriteLayout lists = WriteLayouts.of(3, 1, Grouping.PARTITION, /* idempotent */ true, /* needsNewTime */ true);
        assertThat(lists.writeTime(1000, 5)).isEqualTo(1055);
        assertThat(lists.lastWriteTime(1000, 5)).isEqualTo(1065).isLessThan(lists.writeTime(1000, 6));
    }
}
