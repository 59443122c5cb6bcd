package io.overdrive.internal.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class PreparingTest {
    private static final String CQL = "SELECT k FROM ks.t";

    private final ScriptedSession server = new ScriptedSession(
            new TableSchema("ks", "t", List.of(new Column("k", DataTypes.INT, Role.PARTITION_KEY))));
    private final Preparing preparing =
            new Preparing(server.session(), /* pauseNanos */ 1, /* nextNodeAfter */ Duration.ofMillis(1));

    @Test
    void saysWhichStatementIsRefusedAndWhy() {
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> preparing.prepare(CQL, "the server refuses the query"))
                .withMessage("the server refuses the query: it is not in the script: " + CQL)
                .matches(e -> e.kind() == Kind.SCHEMA);
        assertThat(preparing.tryPrepare(CQL)).isNull();
    }

    @Test
    void saysThatAnAnswerCannotBeThatOfCassandra() {
        server.breakAnswers(new NegativeArraySizeException("-1"));
        for (ThrowingCallable ask :
                List.<ThrowingCallable>of(() -> preparing.prepare(CQL, ""), () -> preparing.tryPrepare(CQL))) {
            assertThatExceptionOfType(OverdriveException.class)
                    .isThrownBy(ask)
                    .withMessage("no node has prepared the statement: java.lang.NegativeArraySizeException: -1; is it"
                            + " Cassandra that answers at this address?")
                    .matches(e -> e.kind() == Kind.CONNECT);
        }
    }

    @Test
    void asksTheNextNodeIfOneHangs() {
        server.accept(CQL, List.of(), List.of("k"));
        server.hangOnce(new CompletableFuture<>());
        assertThat(preparing.prepare(CQL, "").getQuery()).isEqualTo(CQL);
        assertThat(server.requested).containsExactly(CQL, CQL);
    }

    @Test
    void theRefusalOfAnotherNodeDoesNotCountWhileTheFirstMayAnswer() {
        ScriptedSession slow = new ScriptedSession(server.table()).accept(CQL, List.of(), List.of("k"));
        PreparedStatement prepared = new Preparing(slow.session()).prepare(CQL, "");
        CompletableFuture<PreparedStatement> first = new CompletableFuture<>();
        server.hangOnce(first);
        server.refuses = refusals -> {
            if (refusals == 2) {
                first.complete(prepared);
            }
        };
        assertThat(preparing.prepare(CQL, "the server refuses the query")).isSameAs(prepared);
        assertThat(server.requested).hasSize(3);
    }

    @Test
    void theRefusalOfTwoNodesCountsAlthoughTheFirstHangs() {
        server.hangOnce(new CompletableFuture<>());
        assertThat(preparing.tryPrepare(CQL)).isNull();
        assertThat(server.requested).hasSize(3);
    }

    @Test
    void retriesUntilANodeHasTheTable() {
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> preparing.prepareWithRetries(CQL, "[ks.t] the server refuses the statement"))
                .withMessage("[ks.t] the server refuses the statement: it is not in the script: " + CQL);
        assertThat(server.requested).hasSize(21).containsOnly(CQL);
        server.accept(CQL, List.of(), List.of("k"));
        assertThat(preparing.prepareWithRetries(CQL, "").getQuery()).isEqualTo(CQL);
        assertThat(server.requested).hasSize(22);
    }
}
