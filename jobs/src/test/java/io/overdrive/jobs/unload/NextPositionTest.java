package io.overdrive.jobs.unload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NextPositionTest {
    private final NextPosition next = new NextPosition(/* checkpoints */ 3);

    @Test
    void isWantedAfterACheckpointIfItCannotWait() {
        assertThat(next.isWanted(3, /* canWait */ false)).isFalse();
        assertThat(next.isWanted(4, /* canWait */ true)).isFalse();
        assertThat(next.isWanted(4, /* canWait */ false)).isTrue();
    }

    @Test
    void isBeforeTheFirstRowOfAToken() {
        assertThat(next.isWanted(4, /* canWait */ false)).isTrue();
        assertThat(next.isAtNextToken(-7)).isFalse();
        assertThat(next.isAtNextToken(-7)).isFalse();
        assertThat(next.isAtNextToken(5)).isTrue();
        assertThat(next.give(4)).isEqualTo(-7);
        assertThat(next.isWanted(4, /* canWait */ false)).isFalse();
    }

    /** Else the token would be one before rows that are already written, and a resumed run would write them again. */
    @Test
    void staysWantedSoThatNoTokenIsMissed() {
        assertThat(next.isWanted(4, /* canWait */ false)).isTrue();
        assertThat(next.isAtNextToken(1)).isFalse();
        assertThat(next.isWanted(4, /* canWait */ true)).isTrue();
        assertThat(next.isAtNextToken(2)).isTrue();
        assertThat(next.give(4)).isEqualTo(1);
        assertThat(next.isWanted(5, /* canWait */ false)).isTrue();
        assertThat(next.isAtNextToken(3)).isFalse();
    }
}
