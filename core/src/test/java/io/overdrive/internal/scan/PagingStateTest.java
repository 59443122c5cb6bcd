package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PagingStateTest {
    private static String accepted(String state) {
        HexFormat hex = HexFormat.of();
        return hex.formatHex(PagingState.accepted(hex.parseHex(state)));
    }

    /** States as Cassandra 5.0 sends them for GROUP BY on a table without clustering columns. */
    @ParameterizedTest
    @ValueSource(
            strings = {"040000001700f07ffffffe", "0400000049008096", "040000006706000400000004f07ffffeef", "000001"})
    void replacesANegativeRemainderOfThePartitionByZero(String start) {
        assertThat(accepted(start + "ffffffffffffffffff")).isEqualTo(start + "00");
        assertThat(accepted(start + "fffffffffffffffffe")).isEqualTo(start + "00");
    }

    /** States of other queries, even if the key ends with the same bytes, and of other servers. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ff",
                "04",
                "00",
                "0000",
                "000000",
                "00000000",
                "ffffffffffffffffff",
                "ffffffffffffffffffffffffffffffffffff",
                "040000006700f07ffffed300",
                "040000006706000400000004f07ffffeeff07ffffffe",
                "09ffffffffffffffffff00f07ffffed300",
                "09ffffffffffffffffff09ffffffffffffffffff0000",
                "0900000000ffffffffffffffffff",
                "040000001700f07ffffffeff7fffffffffffffff",
                "040000001700f07ffffffeffffffffffffffffff00"
            })
    void leavesAllOtherStatesUnchanged(String state) {
        assertThat(accepted(state)).isEqualTo(state);
    }

    /** A key of 300 bytes has a length of two. */
    @ParameterizedTest
    @ValueSource(ints = {1, 127, 128, 300, 20_000, 70_000})
    void findsTheRemainderBehindKeysOfAnyLength(int length) {
        String vint = length < 128
                ? String.format("%02x", length)
                : length < 1 << 14 ? String.format("%04x", 0x8000 | length) : String.format("%06x", 0xc00000 | length);
        String start = vint + "ff".repeat(length) + "00" + "05";
        assertThat(accepted(start + "ffffffffffffffffff")).isEqualTo(start + "00");
    }
}
