package io.overdrive;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a writer has done so far. Immutable; counts only grow from one snapshot to the next. Times are precise to 1 %.
 *
 * @param rowsTaken rows handed to {@link RowWriter#send}
 * @param rowsWritten rows that Cassandra acknowledged
 * @param rowsRejected rows given to the reject handler; once the writer is closed, taken = written + rejected unless it
 *     failed: rows that it had taken before are dropped then
 * @param rowsExisting rows among the written ones that were there already and stay as they are, by {@link
 *     WriteOptions#ifNotExists}; one whose request was sent again may have come from its first attempt
 * @param repeatedKeys rows whose primary key an earlier row of the run had, by {@link
 *     WriteOptions.Builder#countRepeatedKeys}; at least so many, as keys are not remembered for ever
 * @param bytesWritten bytes of the acknowledged requests
 * @param requests acknowledged requests
 * @param batches those of them that held more than one row
 * @param batchedRows rows in these batches
 * @param retries requests sent again
 * @param splits requests that were sent again in halves, because the server refused a row, or so many rows together
 * @param rowsSpilled rows that went through the spill directory
 * @param inFlightRequests requests under way right now
 * @param inFlightBytes bytes under way right now
 * @param groupingBytes memory held by rows that wait for others of their partition
 * @param p50 median time from the first send of a request to its acknowledgement, retries included
 * @param p99 99 % of the requests took at most this
 * @param p999 99.9 % of the requests took at most this
 * @param max the slowest request
 * @param waiting what requests have been waiting for, in words, and how long; null unless some of them have for longer
 *     than a few seconds
 * @param nodesLost nodes of the local data centre that went down, or to which a connection broke while a request was in
 *     flight: they may have lost rows that they had acknowledged
 */
public record Totals(
        long rowsTaken,
        long rowsWritten,
        long rowsRejected,
        long rowsExisting,
        long repeatedKeys,
        long bytesWritten,
        long requests,
        long batches,
        long batchedRows,
        long retries,
        long splits,
        long rowsSpilled,
        long inFlightRequests,
        long inFlightBytes,
        long groupingBytes,
        Duration p50,
        Duration p99,
        Duration p999,
        Duration max,
        @Nullable String waiting,
        Set<String> nodesLost) {}
