package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class PositionSetTest {
    private static final long PART = 1L << 32;

    private final PositionSet set = new PositionSet();

    private static PositionSet of(long... positions) {
        PositionSet set = new PositionSet();
        for (long position : positions) {
            set.add(position);
        }
        return set;
    }

    private static int[] in(PositionSet set, long from, long to) {
        BitSet found = new BitSet();
        set.in(from, to, found);
        return found.stream().toArray();
    }

    private static PositionSet copy(PositionSet set) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            set.write(out);
        }
        return PositionSet.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    }

    @Test
    void findsThoseOfARange() {
        set.addAll(of(1, 5, 7, PART / 2 + 3, PART - 1, PART, PART + 2, 256 * PART));
        assertThat(in(set, 0, 10)).containsExactly(1, 5, 7);
        assertThat(in(set, 5, 7)).containsExactly(0);
        assertThat(in(set, 8, 100)).isEmpty();
        assertThat(in(set, PART / 2, PART / 2 + 10)).containsExactly(3);
        assertThat(in(set, PART - 3, PART + 3)).containsExactly(2, 3, 5);
        assertThat(in(set, PART + 3, PART + 10)).isEmpty();
        assertThat(in(set, 3 * PART, 3 * PART + 10)).isEmpty();
        assertThat(in(set, 256 * PART, 256 * PART + 1)).containsExactly(0);
        assertThat(set.count()).isEqualTo(8);
    }

    @Test
    void takesPages() {
        long[] bits = new long[PositionSet.PAGE / Long.SIZE];
        bits[0] = 5;
        bits[bits.length - 1] = 1L << 63;
        long first = 2 * PART + 3 * PositionSet.PAGE;
        set.add(first + 1);
        set.addPage(first, bits);
        assertThat(in(set, first, first + PositionSet.PAGE)).containsExactly(0, 1, 2, PositionSet.PAGE - 1);
        assertThat(set.count()).isEqualTo(4);
    }

    @Test
    void doesNotShareWhatItTakesFromAnotherSet() {
        PositionSet other = of(1);
        set.addAll(other);
        set.add(2);
        other.add(3);
        assertThat(in(set, 0, 10)).containsExactly(1, 2);
        assertThat(in(other, 0, 10)).containsExactly(1, 3);
    }

    @Test
    void isReadAsItWasWritten() throws IOException {
        assertThat(copy(set).count()).isZero();
        for (int i = 0; i < 100_000; i++) {
            set.add(i);
            set.add(PART + 7L * i);
        }
        set.compact();
        PositionSet copy = copy(set);
        assertThat(copy.count()).isEqualTo(200_000);
        assertThat(in(copy, 0, 200_000)).isEqualTo(in(set, 0, 200_000));
        assertThat(in(copy, PART, PART + 700_000)).isEqualTo(in(set, PART, PART + 700_000));
    }

    @Test
    void isDividedIntoPiecesOfLimitedSize() throws IOException {
        assertThat(set.pieces()).isEmpty();
        set.addAll(of(3, 1 << 24, PART + 5, PART + (1L << 31)));
        List<PositionSet> pieces = set.pieces().toList();
        assertThat(pieces).extracting(PositionSet::count).containsExactly(1L, 1L, 1L, 1L);
        PositionSet all = new PositionSet();
        for (PositionSet piece : pieces) {
            all.addAll(copy(piece));
        }
        assertThat(all.count()).isEqualTo(4);
        assertThat(in(all, 0, 1 << 25)).containsExactly(3, 1 << 24);
        assertThat(in(all, PART, PART + 10)).containsExactly(5);
        assertThat(in(all, PART + (1L << 31), PART + (1L << 31) + 1)).containsExactly(0);
    }
}
