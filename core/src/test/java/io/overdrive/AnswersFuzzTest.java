package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.protocol.internal.Message;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Split.Range;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.internal.scan.Fetcher;
import io.overdrive.internal.scan.PageReader;
import io.overdrive.internal.scan.ScanLayout;
import io.overdrive.internal.scan.ScanLayouts;
import io.overdrive.internal.wire.ScriptedTransport;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Rows of a server that sends arbitrary bytes. The build runs the stored inputs; scripts/fuzz.sh searches for others. */
class AnswersFuzzTest {
    private static final int NO_METADATA = 4;
    private static final int MORE_PAGES = 2;
    private static final Range RANGE = new Range(-1000, 1000);

    private static ScanLayout layout() {
        return ScanLayouts.key(List.of("k"), List.of(DataTypes.BLOB), List.of("k", "c", "v"));
    }

    /** The rows of an answer with this body, if it can be read so far. */
    private static RowCursor rows(byte[] body) {
        return rows(layout(), RANGE, ScriptedTransport.rows(body));
    }

    private static RowCursor rows(ScanLayout layout, Range range, Message answer) {
        ScriptedTransport cluster = new ScriptedTransport(1);
        Fetcher fetcher =
                new Fetcher(cluster, layout, ScanOptions.from("ks", "t").build());
        PageReader reader = new PageReader(fetcher, new Split(List.of(range), List.of(), 0), 1024, () -> {});
        reader.request();
        cluster.next().answer(answer);
        RowCursor rows = new RowCursor(layout);
        rows.reset(reader, Objects.requireNonNull(reader.poll()));
        return rows;
    }

    private static byte[] body(int rows, byte[] cells) {
        Bytes body = new Bytes(64);
        body.putInt(NO_METADATA);
        body.putInt(3);
        body.putInt(rows);
        body.put(cells);
        return body.toByteArray();
    }

    private static int read(RowCursor rows) {
        int count = 0;
        while (rows.next()) {
            for (int column = 0; column < rows.columns(); column++) {
                rows.text(column);
                rows.bytes(column);
            }
            count++;
        }
        return count;
    }

    private static void assertMalformed(byte[] body, String what) {
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> read(rows(body)))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.READ))
                .withMessage("[ks.t] cannot read: the server's answer is malformed: " + what);
    }

    @Test
    void rowsThatAreCutShortAreAnError() {
        byte[] row = {0, 0, 0, 1, 7, -1, -1, -1, -1, 0, 0, 0, 2, 8, 9};
        assertThat(read(rows(body(1, row)))).isOne();
        for (int length = 0; length < row.length; length++) {
            assertMalformed(
                    body(1, Arrays.copyOf(row, length)),
                    length < 12 ? "1 rows in " + length + " bytes" : "its rows end after " + length + " bytes");
        }
    }

    @Test
    void moreBytesThanRowsAreAnError() {
        assertMalformed(body(1, new byte[13]), "1 bytes follow its rows");
        assertMalformed(body(0, new byte[1]), "1 bytes follow its rows");
    }

    @Test
    void lengthsBeyondTheAnswerAreAnError() {
        byte[] row = {0, 0, 0, 0, 0x7f, -1, -1, -1, 0, 0, 0, 0};
        assertMalformed(body(1, row), "its rows end after 12 bytes");
        byte[] last = {0, 0, 0, 0, 0, 0, 0, 0, 0x7f, -1, -1, -1};
        assertMalformed(body(1, last), "its rows end after 12 bytes");
    }

    /** The server sends such a row for an aggregate over no rows. */
    @Test
    void aRowWhoseKeyIsNullIsRead() {
        byte[] nulls = new byte[12];
        Arrays.fill(nulls, (byte) -1);
        assertThat(read(rows(body(1, nulls)))).isOne();
    }

    @Test
    void aNumberOfRowsThatCannotBeIsAnError() {
        assertMalformed(body(-1, new byte[24]), "-1 rows in 24 bytes");
        assertMalformed(body(Integer.MAX_VALUE, new byte[24]), Integer.MAX_VALUE + " rows in 24 bytes");
    }

    /** The page would be taken for the last one without the check, and the rows behind it would be missing. */
    @Test
    void moreRowsWithoutAPagingStateAreAnError() {
        assertMalformed(headerWithState(-1), "its header: more pages follow, and its paging state has -1 bytes");
        assertMalformed(headerWithState(0), "its header: more pages follow, and its paging state has 0 bytes");
    }

    @Test
    void aPagingStateBeyondTheAnswerIsAnError() {
        assertMalformed(
                headerWithState(Integer.MAX_VALUE),
                "its header: more pages follow, and its paging state has 2147483647 bytes");
        assertMalformed(headerWithState(5), "its header: more pages follow, and its paging state has 5 bytes");
    }

    @Test
    void aNumberOfColumnsThatCannotBeIsAnError() {
        for (int columns : new int[] {-1, 3, Integer.MAX_VALUE}) {
            Bytes body = new Bytes(64);
            body.putInt(0); // with metadata
            body.putInt(columns);
            body.putInt(0);
            assertMalformed(body.toByteArray(), "its header: " + columns + " columns in 4 bytes");
        }
    }

    private static byte[] headerWithState(int length) {
        Bytes body = new Bytes(64);
        body.putInt(NO_METADATA | MORE_PAGES);
        body.putInt(3);
        body.putInt(length);
        body.putInt(0);
        return body.toByteArray();
    }

    /** Such rows come from another token range, if answers are mixed up on the way. */
    @Test
    void rowsOfOtherTokensThanWereAskedForAreAnError() {
        long token = Murmur3.token(new byte[] {1}, 0, 1);
        for (Range range : List.of(new Range(token, token + 1), new Range(token - 2, token - 1))) {
            RowCursor rows = rows(ScanLayouts.split(), range, ScriptedTransport.page(null, new byte[] {1}));
            assertThatExceptionOfType(OverdriveException.class)
                    .isThrownBy(rows::next)
                    .withMessage("[ks.t] cannot read: the server's answer is malformed: its first row has token "
                            + token + ", and token range " + range + " was requested");
        }
        assertThat(read(rows(
                        ScanLayouts.split(), new Range(token - 1, token), ScriptedTransport.page(null, new byte[] {1
                        }))))
                .isOne();
    }

    @FuzzTest
    void answers(byte[] data) {
        try {
            assertThat(read(rows(data))).isLessThanOrEqualTo(data.length / 12);
        } catch (OverdriveException e) {
            assertThat(e.kind()).isEqualTo(Kind.READ);
        }
    }

    /** Answers have a valid start, behind which the rows are. */
    @FuzzTest
    void cells(byte[] data) {
        if (data.length > 0) {
            byte[] cells = Arrays.copyOfRange(data, 1, data.length);
            try {
                assertThat(read(rows(body(data[0], cells)))).isEqualTo(data[0]);
            } catch (OverdriveException e) {
                assertThat(e.kind()).isEqualTo(Kind.READ);
            }
        }
    }
}
