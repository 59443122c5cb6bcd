package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import io.overdrive.Seeds;
import io.overdrive.internal.write.RetryRule.Decision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryRuleTest {
    private static final int MAX_ATTEMPTS = 3;

    @ParameterizedTest
    @ValueSource(ints = {ErrorCode.OVERLOADED, ErrorCode.UNAVAILABLE, ErrorCode.IS_BOOTSTRAPPING, ErrorCode.UNPREPARED})
    void sendsAgainWhatWasSurelyNotApplied(int code) {
        assertThat(RetryRule.afterError(code, write(5, 1), true, MAX_ATTEMPTS)).isEqualTo(Decision.AGAIN);
        assertThat(RetryRule.afterError(code, write(5, 1), false, MAX_ATTEMPTS)).isEqualTo(Decision.AGAIN);
        assertThat(RetryRule.afterError(code, write(5, MAX_ATTEMPTS), false, MAX_ATTEMPTS))
                .isEqualTo(Decision.REJECT);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                ErrorCode.WRITE_TIMEOUT,
                ErrorCode.WRITE_FAILURE,
                ErrorCode.CDC_WRITE_FAILURE,
                ErrorCode.SERVER_ERROR,
                ErrorCode.TRUNCATE_ERROR,
                ErrorCode.CAS_WRITE_UNKNOWN,
                ErrorCode.READ_TIMEOUT,
                ErrorCode.READ_FAILURE
            })
    void sendsAgainWhatMayHaveBeenAppliedOnlyIfThatDoesNoHarm(int code) {
        assertThat(RetryRule.afterError(code, write(5, 1), true, MAX_ATTEMPTS)).isEqualTo(Decision.AGAIN);
        assertThat(RetryRule.afterError(code, write(5, 2), true, MAX_ATTEMPTS)).isEqualTo(Decision.AGAIN);
        assertThat(RetryRule.afterError(code, write(5, MAX_ATTEMPTS), true, MAX_ATTEMPTS))
                .isEqualTo(Decision.REJECT);
        assertThat(RetryRule.afterError(code, write(5, 1), false, MAX_ATTEMPTS)).isEqualTo(Decision.REJECT);
    }

    @ParameterizedTest
    @CsvSource({"1, REJECT", "2, SPLIT", "1000, SPLIT"})
    void looksForTheRowThatTheServerRefuses(int rows, Decision expected) {
        assertThat(RetryRule.afterError(ErrorCode.INVALID, write(rows, 1), true, MAX_ATTEMPTS))
                .isEqualTo(expected);
        assertThat(RetryRule.afterError(ErrorCode.FUNCTION_FAILURE, write(rows, MAX_ATTEMPTS), false, MAX_ATTEMPTS))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                ErrorCode.PROTOCOL_ERROR,
                ErrorCode.AUTH_ERROR,
                ErrorCode.SYNTAX_ERROR,
                ErrorCode.UNAUTHORIZED,
                ErrorCode.CONFIG_ERROR,
                ErrorCode.ALREADY_EXISTS,
                0x7777
            })
    void failsWhereNoRequestCanSucceed(int code) {
        assertThat(RetryRule.afterError(code, write(5, 1), true, MAX_ATTEMPTS)).isEqualTo(Decision.FAIL);
    }

    @Test
    void sendsAgainAfterSilenceWhatWasNotSentOrDoesNoHarm() {
        assertThat(RetryRule.afterSilence(true, write(5, 1), true, MAX_ATTEMPTS))
                .isEqualTo(Decision.AGAIN);
        assertThat(RetryRule.afterSilence(false, write(5, 1), false, MAX_ATTEMPTS))
                .isEqualTo(Decision.AGAIN);
        assertThat(RetryRule.afterSilence(true, write(5, 1), false, MAX_ATTEMPTS))
                .isEqualTo(Decision.REJECT);
        assertThat(RetryRule.afterSilence(false, write(5, MAX_ATTEMPTS), true, MAX_ATTEMPTS))
                .isEqualTo(Decision.REJECT);
    }

    @Test
    void pausesTwiceAsLongAfterEachAttemptUpToTenSeconds() {
        Seeds.times(5, random -> {
            for (int attempts = 1; attempts <= 1000; attempts++) {
                long full = Math.min(10_000, 50L << Math.min(attempts - 1, 20));
                assertThat(RetryRule.pauseMillis(attempts, random)).isBetween(full / 2, full);
            }
        });
    }

    private static Write write(int rows, int attempts) {
        Write write = new Write(Opcode.BATCH, new byte[0], 0, new long[rows], null);
        write.attempts = attempts;
        return write;
    }
}
