package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;

/** Paging states of arbitrary bytes. The build runs the stored inputs; scripts/fuzz.sh searches for others. */
class PagingStateFuzzTest {
    /** A state stays as it is, or ends with 0 in place of nine bytes. */
    @FuzzTest
    void states(byte[] state) {
        byte[] before = state.clone();
        byte[] accepted = PagingState.accepted(state);
        assertThat(state).isEqualTo(before);
        if (accepted.length != state.length) {
            assertThat(accepted).hasSize(state.length - 8).endsWith(0);
            assertThat(accepted).startsWith(Arrays.copyOf(state, accepted.length - 1));
            assertThat(PagingState.accepted(accepted)).isEqualTo(accepted);
        } else {
            assertThat(accepted).isEqualTo(state);
        }
    }
}
