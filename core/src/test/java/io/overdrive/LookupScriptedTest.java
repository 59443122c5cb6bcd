package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import io.overdrive.internal.scan.ScanLayouts;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Reading by key from nodes that hang, die, refuse or forget, in virtual time. */
class LookupScriptedTest {
    private static final int KEYS = 40;

    private final ScriptedTransport cluster = new ScriptedTransport(2);
    private final Lookup lookup =
            new Lookup(cluster, ScanOptions.from("ks", "t").pageRows(16).build(), ScanLayouts.byKey());
    private final Lookup.Queue queue = lookup.open(KEYS);

    private void submit(int key) {
        queue.key().setBytes(0, ByteBuffer.wrap(new byte[] {(byte) key}));
        queue.submit();
    }

    /** The key of a request is the last of its values. */
    private static byte[] key(Sent sent) {
        byte[] body = sent.body();
        return new byte[] {body[body.length - 5]};
    }

    /** Answers each request with its key as the only row. */
    private void answerAll() {
        while (!cluster.sent.isEmpty()) {
            Sent sent = cluster.next();
            sent.answer(ScriptedTransport.page(null, key(sent)));
        }
    }

    private List<Integer> takenKeys() {
        List<Integer> keys = new ArrayList<>();
        for (RowCursor row = queue.take(); row != null; row = queue.take()) {
            while (row.next()) {
                keys.add((int) Objects.requireNonNull(row.bytes(0)).get());
            }
        }
        return keys;
    }

    @Test
    void givesRowsInTheOrderOfTheKeysWhateverTheOrderOfTheAnswers() {
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            submit(i);
            keys.add(i);
        }
        while (!cluster.sent.isEmpty()) {
            Sent last = cluster.sent.removeLast();
            last.answer(ScriptedTransport.page(null, key(last)));
        }
        assertThat(takenKeys()).isEqualTo(keys);
    }

    @Test
    void preparesOnceForAllKeysIfANodeHasForgottenTheStatement() {
        cluster.setState(1, NodeState.DOWN);
        for (int i = 0; i < KEYS; i++) {
            submit(i);
        }
        for (int i = 0; i < KEYS; i++) {
            cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        }
        assertThat(cluster.sent).hasSize(1);
        assertThat(cluster.sent.element().opcode()).isEqualTo(Opcode.PREPARE);
        cluster.next().answer(ScriptedTransport.prepared(new byte[16], List.of(DataTypes.BLOB), List.of("k")));
        answerAll();
        assertThat(takenKeys()).hasSize(KEYS);
    }

    @Test
    void readsKeysOfALostNodeFromAnotherReplica() {
        for (int i = 0; i < KEYS; i++) {
            submit(i);
        }
        Node lost = cluster.node(0);
        cluster.setState(0, NodeState.DOWN);
        Deque<Sent> all = new ArrayDeque<>(cluster.sent);
        cluster.sent.clear();
        for (Sent sent : all) {
            if (sent.node() == lost) {
                sent.breakConnection();
            } else {
                sent.answer(ScriptedTransport.page(null, key(sent)));
            }
        }
        cluster.pass(Duration.ofSeconds(3));
        assertThat(cluster.sent).hasSizeBetween(1, KEYS).noneMatch(sent -> sent.node() == lost);
        answerAll();
        assertThat(takenKeys()).hasSize(KEYS);
    }

    @Test
    void retriesForMinutesWhileAllNodesAreDown() {
        cluster.setState(0, NodeState.DOWN);
        cluster.setState(1, NodeState.DOWN);
        submit(7);
        cluster.pass(Duration.ofMinutes(4));
        assertThat(lookup.totals().waiting()).startsWith("nodes 10.0.0.").endsWith("do not answer, waiting 240 s");
        cluster.setState(1, NodeState.UP);
        cluster.pass(Duration.ofSeconds(3));
        answerAll();
        assertThat(takenKeys()).containsExactly(7);
    }

    @Test
    void failsTheOneKeyThatCannotBeReadAndGoesOnWithTheNext() {
        submit(1);
        submit(2);
        cluster.next().refuse(ErrorCode.INVALID, "Key may not be empty");
        answerAll();
        RowCursor first = Objects.requireNonNull(queue.take());
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(first::next)
                .withMessage("[ks.t] cannot read rows with k = 0x01: Key may not be empty");
        assertThat(takenKeys()).containsExactly(2);
    }

    @Test
    void givesUpAKeyAfterItsAttempts() {
        submit(1);
        for (int attempt = 1; attempt <= 10; attempt++) {
            cluster.next().refuse(ErrorCode.READ_TIMEOUT, "Operation timed out");
            cluster.pass(Duration.ofSeconds(6));
        }
        RowCursor row = Objects.requireNonNull(queue.take());
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(row::next)
                .withMessageEndingWith("Operation timed out (given up after 10 attempts)");
    }
}
