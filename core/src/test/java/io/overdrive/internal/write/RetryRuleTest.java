package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import io.overdrive.internal.write.RetryRule.Decision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryRuleTest {
    private static final int MAX_ATTEMPTS = 3;

    private static final RetryRule IDEMPOTENT = rule(true, false, false, false);
    private static final RetryRule LISTS = rule(true, true, false, false);
    private static final RetryRule COUNTERS = rule(false, false, false, false);
    private static final RetryRule CONDITIONS = rule(false, false, true, false);
    private static final RetryRule IF_NOT_EXISTS = rule(true, false, true, false);

    private static RetryRule rule(
            boolean idempotent, boolean needsNewTime, boolean conditional, boolean severalPartitions) {
        return new RetryRule(
                idempotent,
                needsNewTime,
                conditional,
                severalPartitions,
                /* severalPartitionsARow */ false,
                MAX_ATTEMPTS);
    }

    @ParameterizedTest
    @ValueSource(ints = {ErrorCode.OVERLOADED, ErrorCode.UNAVAILABLE, ErrorCode.IS_BOOTSTRAPPING, ErrorCode.UNPREPARED})
    void retriesPatientlyWhatWasSurelyNotAppliedHoweverManyAttempts(int code) {
        for (RetryRule rule : new RetryRule[] {IDEMPOTENT, LISTS, COUNTERS, IF_NOT_EXISTS}) {
            assertThat(rule.afterError(code, write(5, 1))).isEqualTo(Decision.WAIT);
            assertThat(rule.afterError(code, write(5, 1000))).isEqualTo(Decision.WAIT);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {ErrorCode.OVERLOADED, ErrorCode.UNAVAILABLE, ErrorCode.IS_BOOTSTRAPPING})
    void treatsARefusedBatchOfSeveralPartitionsAsPartlyApplied(int code) {
        assertThat(rule(false, false, false, true).afterError(code, write(2, 1)))
                .isEqualTo(Decision.REJECT_UNKNOWN);
        assertThat(rule(false, false, false, true).afterError(code, write(1, 1)))
                .as("a single row is not applied in part")
                .isEqualTo(Decision.WAIT);
        assertThat(rule(true, false, false, true).afterError(code, write(2, 1)))
                .as("a retry does no harm")
                .isEqualTo(Decision.WAIT);
        assertThat(rule(true, true, false, true).afterError(code, write(2, 1)))
                .as("needs later write times, of which there are as many as attempts")
                .isEqualTo(Decision.RETRY);
    }

    /** The statement is like one with IN. */
    @ParameterizedTest
    @ValueSource(ints = {ErrorCode.OVERLOADED, ErrorCode.UNAVAILABLE, ErrorCode.IS_BOOTSTRAPPING})
    void treatsARefusedRowOfSeveralPartitionsAsPartlyApplied(int code) {
        assertThat(new RetryRule(false, false, false, false, true, MAX_ATTEMPTS).afterError(code, write(1, 1)))
                .isEqualTo(Decision.REJECT_UNKNOWN);
        assertThat(new RetryRule(true, false, false, false, true, MAX_ATTEMPTS).afterError(code, write(1, 1)))
                .as("a retry does no harm")
                .isEqualTo(Decision.WAIT);
        assertThat(new RetryRule(true, true, false, false, true, MAX_ATTEMPTS).afterError(code, write(1, 1)))
                .as("needs a later write time")
                .isEqualTo(Decision.RETRY);
    }

    @Test
    void doesNotRetryARowThatPaxosMayHaveAccepted() {
        assertThat(CONDITIONS.afterError(ErrorCode.UNAVAILABLE, write(1, 1))).isEqualTo(Decision.REJECT_UNKNOWN);
        assertThat(CONDITIONS.afterError(ErrorCode.UNPREPARED, write(1, 1))).isEqualTo(Decision.WAIT);
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
    void retriesWhatMayHaveBeenAppliedOnlyIfThatDoesNoHarm(int code) {
        assertThat(IDEMPOTENT.afterError(code, write(5, 1))).isEqualTo(Decision.RETRY);
        assertThat(IDEMPOTENT.afterError(code, write(5, 2))).isEqualTo(Decision.RETRY);
        assertThat(IDEMPOTENT.afterError(code, write(1, MAX_ATTEMPTS))).isEqualTo(Decision.REJECT_UNKNOWN);
        assertThat(COUNTERS.afterError(code, write(5, 1))).isEqualTo(Decision.REJECT_UNKNOWN);
    }

    @Test
    void searchesForTheRowThatNoAttemptCanWrite() {
        assertThat(IDEMPOTENT.afterError(ErrorCode.WRITE_FAILURE, write(5, MAX_ATTEMPTS)))
                .isEqualTo(Decision.SPLIT);
        assertThat(IDEMPOTENT.afterSilence(true, write(5, MAX_ATTEMPTS))).isEqualTo(Decision.SPLIT);
        assertThat(LISTS.afterSilence(true, write(5, MAX_ATTEMPTS)))
                .as("there are no more write times for lists")
                .isEqualTo(Decision.REJECT_UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource({"1, REJECT", "2, SPLIT", "1000, SPLIT"})
    void searchesForTheRowThatTheServerRefuses(int rows, Decision expected) {
        assertThat(IDEMPOTENT.afterError(ErrorCode.INVALID, write(rows, 1))).isEqualTo(expected);
        assertThat(COUNTERS.afterError(ErrorCode.FUNCTION_FAILURE, write(rows, MAX_ATTEMPTS)))
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
    void failsIfNoRequestCanSucceed(int code) {
        assertThat(IDEMPOTENT.afterError(code, write(5, 1))).isEqualTo(Decision.FAIL);
    }

    @Test
    void retriesWhatWasNotSentAndAfterSilenceIfThatDoesNoHarm() {
        assertThat(IDEMPOTENT.afterSilence(true, write(5, 1))).isEqualTo(Decision.RETRY);
        assertThat(COUNTERS.afterSilence(true, write(5, 1))).isEqualTo(Decision.REJECT_UNKNOWN);
        assertThat(COUNTERS.afterSilence(false, write(5, 1))).isEqualTo(Decision.WAIT);
        assertThat(IDEMPOTENT.afterSilence(false, write(5, 1000))).isEqualTo(Decision.WAIT);
    }

    private static WriteRequest write(int rows, int attempts) {
        WriteRequest write = new WriteRequest(Opcode.BATCH, new byte[0], 0, new long[rows], null, null);
        write.attempts = attempts;
        return write;
    }
}
