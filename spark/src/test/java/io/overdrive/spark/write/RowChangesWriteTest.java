package io.overdrive.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.DeltaWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The writers of a task if one of them fails. */
class RowChangesWriteTest {
    private final List<String> calls = new ArrayList<>();

    /** Notes each call, and fails in the one that is to fail. */
    private final class NotingWriter implements DataWriter<InternalRow> {
        private final String name;
        private final String failing;

        NotingWriter(String name, String failing) {
            this.name = name;
            this.failing = failing;
        }

        private void note(String call) throws IOException {
            calls.add(call + " " + name);
            if (call.equals(failing)) {
                throw new IOException(call + " of " + name + " fails");
            }
        }

        @Override
        public void write(InternalRow row) throws IOException {
            note("write");
        }

        @Override
        public WriterCommitMessage commit() throws IOException {
            note("commit");
            return new WriterCommitMessage() {};
        }

        @Override
        public void abort() throws IOException {
            note("abort");
        }

        @Override
        public void close() throws IOException {
            note("close");
        }
    }

    private DataWriterFactory factory(String name, String failing) {
        return (partition, taskId) -> {
            if (failing.equals("create")) {
                throw new IllegalStateException("there is no writer of " + name);
            }
            return new NotingWriter(name, failing);
        };
    }

    private DeltaWriter<InternalRow> writer(String deletions, String updates, String insertions) {
        return new RowChangesWrite.Factory(
                        factory("deletions", deletions),
                        factory("updates", updates),
                        factory("insertions", insertions),
                        /* unrepeatable */ null)
                .createWriter(0, 0);
    }

    @Test
    void closesTheWritersThatThereAreIfALaterOneCannotBeMade() {
        assertThatThrownBy(() -> writer("", "", "create")).hasMessage("there is no writer of insertions");
        assertThat(calls).contains("close deletions", "close updates");
        calls.clear();
        assertThatThrownBy(() -> writer("close", "create", ""))
                .hasMessage("there is no writer of updates")
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("close of deletions fails"));
        assertThat(calls).contains("close deletions").doesNotContain("close updates");
    }

    @ParameterizedTest
    @ValueSource(strings = {"abort", "close"})
    void abortsAndClosesAllWritersAlthoughSomeFail(String call) {
        DeltaWriter<InternalRow> writer = writer(call, call, call);
        assertThatThrownBy(call.equals("abort") ? writer::abort : writer::close)
                .isInstanceOf(IOException.class)
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(2));
        assertThat(calls).containsExactlyInAnyOrder(call + " deletions", call + " updates", call + " insertions");
    }

    /** Spark begins a stage again when rows that were shuffled are lost. */
    @Test
    void refusesRowsThatAreReadAgain() {
        RowChangesWrite.Factory changes = new RowChangesWrite.Factory(null, null, null, "ks.t");
        changes.requireSameChanges(/* stageAttempt */ 0);
        assertThatThrownBy(() -> changes.requireSameChanges(/* stageAttempt */ 1))
                .hasMessageContaining("[ks.t]")
                .hasMessageContaining("an executor or its disk")
                .hasMessageContaining("\"spark.overdrive.allowNonIdempotent\"");
        new RowChangesWrite.Factory(null, null, null, /* unrepeatable */ null).requireSameChanges(1);
    }

    @Test
    void commitsNothingAfterACommitThatFails() {
        DeltaWriter<InternalRow> writer = writer("", "commit", "");
        assertThatThrownBy(writer::commit).hasMessage("commit of updates fails");
        assertThat(calls).containsExactly("commit deletions", "commit updates");
    }
}
