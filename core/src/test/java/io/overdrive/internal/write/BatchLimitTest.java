package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class BatchLimitTest {
    private static WriteRequest batch(int rows, int bytes) {
        return new WriteRequest(Opcode.BATCH, new byte[bytes], 0, new long[rows], null, null);
    }

    @Test
    void staysBelowTheServersThreshold() {
        BatchLimit limit = new BatchLimit(64_000);
        limit.stayBelow(OptionalLong.empty());
        assertThat(limit.bytes()).isEqualTo(64_000);
        limit.stayBelow(OptionalLong.of(50_000));
        assertThat(limit.bytes()).isEqualTo(31_250);
    }

    @Test
    void isHalvedByEachBatchThatIsTooLargeAndNeverRaised() {
        BatchLimit limit = new BatchLimit(32_000);
        assertThat(limit.refused(70_000, "Batch too large")).isTrue();
        assertThat(limit.bytes()).isEqualTo(32_000);
        limit.refused(32_100, "Batch too large");
        assertThat(limit.bytes()).isEqualTo(16_050);
        limit.refused(32_100, "Batch too large");
        assertThat(limit.bytes()).isEqualTo(16_050);
        limit.refused(500, "Batch too large");
        assertThat(limit.bytes()).isEqualTo(1024);
    }

    @Test
    void takesMutationsThatAreTooLargeForBatchesThatAre() {
        BatchLimit limit = new BatchLimit(1 << 20);
        assertThat(limit.refused(
                        900_000, "Rejected an oversized mutation (900000/524288) for keyspace: ks. Top keys are: t.1"))
                .isTrue();
        assertThat(limit.bytes()).isEqualTo(450_000);
        limit.refused(400_000, "Mutation of 400040 bytes is too large for the maximum size of 262144");
        assertThat(limit.bytes()).isEqualTo(200_000);
    }

    @Test
    void takesTheNumberOfStatementsFromTheServersWords() {
        BatchLimit limit = new BatchLimit(32_000);
        assertThat(limit.refused(20_000, "Batches with more than 30 statements are not supported."))
                .isTrue();
        assertThat(limit.rows()).isEqualTo(30);
        assertThat(limit.bytes()).isEqualTo(32_000);
        assertThat(limit.isTooLarge(batch(31, 100))).isTrue();
        assertThat(limit.isTooLarge(batch(30, 30_000))).isFalse();
    }

    @Test
    void knowsWhatWasRefusedForItsBytes() {
        BatchLimit limit = new BatchLimit(32_000);
        limit.refused(20_000, "Batch too large");
        assertThat(limit.isTooLarge(batch(5, 20_000))).isTrue();
        assertThat(limit.isTooLarge(batch(5, 19_999))).isFalse();
        assertThat(limit.isTooLarge(batch(1, 30_000))).as("a row has no parts").isFalse();
    }

    @Test
    void isTheLargestPartThatWasTaken() {
        BatchLimit limit = new BatchLimit(32_000);
        limit.tookParts(25, 5_000);
        assertThat(limit.rows()).isEqualTo(25);
        assertThat(limit.bytes()).isEqualTo(5_000);
        limit.tookParts(50, 10_000);
        assertThat(limit.rows()).isEqualTo(25);
    }

    @Test
    void staysAsItIsIfARowWasRefused() {
        BatchLimit limit = new BatchLimit(32_000);
        assertThat(limit.refused(32_100, "Key may not be empty")).isFalse();
        assertThat(limit.bytes()).isEqualTo(32_000);
    }
}
