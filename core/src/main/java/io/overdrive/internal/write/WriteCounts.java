package io.overdrive.internal.write;

import io.overdrive.internal.flow.Latencies;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of one writer's requests and of their rows. Thread-safe; on the hot path (write step 7). */
final class WriteCounts {
    final LongAdder rowsWritten = new LongAdder();
    final LongAdder rowsRejected = new LongAdder();
    final LongAdder rowsExisting = new LongAdder();
    final LongAdder bytesWritten = new LongAdder();
    final LongAdder requests = new LongAdder();
    final LongAdder batches = new LongAdder();
    final LongAdder batchedRows = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder splits = new LongAdder();
    final Latencies latencies = new Latencies();

    void acknowledged(WriteRequest write, long nanos) {
        int rows = write.rows();
        rowsWritten.add(rows);
        bytesWritten.add(write.body.length);
        requests.increment();
        if (rows > 1) {
            batches.increment();
            batchedRows.add(rows);
        }
        latencies.record(nanos);
    }
}
