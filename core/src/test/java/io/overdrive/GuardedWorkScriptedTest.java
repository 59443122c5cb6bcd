package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.scan.ScanLayouts;
import io.overdrive.internal.wire.BulkGuard;
import io.overdrive.internal.wire.BulkWork;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.write.WriteLayouts;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleConsumer;
import org.junit.jupiter.api.Test;

/** Writers and lookups of a connection with a guard. */
class GuardedWorkScriptedTest {
    private final ScriptedTransport cluster = new ScriptedTransport(1);
    private final List<String> calls = new ArrayList<>();
    private final List<DoubleConsumer> limiters = new ArrayList<>();
    private boolean fails;

    GuardedWorkScriptedTest() {
        cluster.guard = new BulkGuard() {
            @Override
            public BulkWork register(CqlIdentifier keyspace, CqlIdentifier table, DoubleConsumer limiter) {
                limiters.add(limiter);
                return new Work();
            }

            @Override
            public void close() {}
        };
    }

    private final class Work implements BulkWork {
        @Override
        public void begin() {
            if (fails) {
                throw new OverdriveException(Kind.CONNECT, "no probe was answered");
            }
            calls.add("begin after " + cluster.sent.size() + " requests");
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }

    private RowWriter writer() {
        return new RowWriter(
                cluster,
                ScriptedTransport.session("50KiB"),
                WriteLayouts.of(3, 1, Grouping.NONE, /* idempotent */ true, /* needsNewTime */ false),
                WriteOptions.into("ks", "t").build(),
                1_000_000);
    }

    private static void send(RowWriter writer, int key) {
        writer.row().setBytes(0, ByteBuffer.wrap(new byte[] {(byte) key}));
        writer.send();
    }

    @Test
    void aWriterBeginsBeforeItsFirstRequestAndEndsWithItsLastRow() {
        RowWriter writer = writer();
        assertThat(calls).isEmpty();
        send(writer, 1);
        send(writer, 2);
        assertThat(calls).containsExactly("begin after 0 requests", "begin after 1 requests");
        calls.clear();
        cluster.next().answer(Void.INSTANCE);
        cluster.next().answer(Void.INSTANCE);
        writer.close();
        assertThat(calls).containsExactly("close");
    }

    @Test
    void aWriterThatIsAbandonedBeforeItsFirstRequestDoesNotBegin() {
        RowWriter writer = new RowWriter(
                cluster,
                ScriptedTransport.session("50KiB"),
                WriteLayouts.of(3, 1),
                WriteOptions.into("ks", "t").build(),
                1_000_000);
        writer.row().setBytes(0, ByteBuffer.wrap(new byte[] {1}));
        assertThat(writer.sendAsync()).isNotDone();
        writer.abandon();
        cluster.pass(Duration.ofSeconds(1));
        assertThat(calls).containsOnly("close");
    }

    @Test
    void aLookupKeepsToItsShare() {
        try (Lookup lookup = new Lookup(cluster, ScanOptions.from("ks", "t").build(), ScanLayouts.byKey());
                Lookup.Queue queue = lookup.open(4)) {
            limiters.get(0).accept(0.001);
            for (int key = 0; key < 4; key++) {
                queue.key().setBytes(0, ByteBuffer.wrap(new byte[] {(byte) key}));
                queue.submit();
            }
            assertThat(cluster.sent).hasSize(1);
        }
    }

    @Test
    void aWriterFailsIfItsGuardDoes() {
        fails = true;
        RowWriter writer = writer();
        send(writer, 1);
        assertThat(cluster.sent).isEmpty();
        assertThatThrownBy(() -> send(writer, 2)).hasMessage("no probe was answered");
        assertThatThrownBy(writer::close).hasMessage("no probe was answered");
    }

    @Test
    void aLookupBeginsWithItsFirstQueueAndEndsWhenItIsClosed() {
        try (Lookup lookup = new Lookup(cluster, ScanOptions.from("ks", "t").build(), ScanLayouts.byKey())) {
            assertThat(calls).isEmpty();
            lookup.open(1).close();
            assertThat(calls).containsExactly("begin after 0 requests");
        }
        assertThat(calls).containsExactly("begin after 0 requests", "close");
        fails = true;
        try (Lookup lookup = new Lookup(cluster, ScanOptions.from("ks", "t").build(), ScanLayouts.byKey())) {
            assertThatThrownBy(() -> lookup.open(1)).hasMessage("no probe was answered");
        }
    }
}
